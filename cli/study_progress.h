/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a study is, on standard error: a line that is written over and over on a
 * terminal, a line from time to time elsewhere, or JSON objects, one a line. */
#pragma once

#include "sim/study/study.h"

typedef enum {
    SPOT_PROGRESS_AUTO, /* a line on a terminal, else lines */
    SPOT_PROGRESS_LINE,
    SPOT_PROGRESS_LINES,
    SPOT_PROGRESS_JSON,
    SPOT_PROGRESS_NONE,
    SPOT_NUM_PROGRESS_FORMS
} spot_progress_form_t;

/* "auto", "line", "lines", "json", "none". */
extern const char *const spot_progress_form_names[]; /* NULL-terminated */

typedef struct {
    spot_progress_form_t form; /* not AUTO once it is started */
    double started_s;
    double started_cpu_s;
    double told_s;
    bool is_shown; /* a line on the terminal is to be cleared */
    int64_t num_run;
} spot_study_watcher_t;

/* Starts the clock. */
void spot_study_watcher_start(spot_study_watcher_t *self, spot_progress_form_t form);

/* The progress function of a run of a study; context is the watcher. */
void spot_study_watcher_tell(void *context, const spot_study_progress_t *progress);

/* Says how it ended: what was run, in what time, and how. error: of the run. */
void spot_study_watcher_finish(
    spot_study_watcher_t *self, const spot_study_t *study, int num_threads, int error);
