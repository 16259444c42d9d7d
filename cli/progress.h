/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a study is, on standard error: a line that is written over and over on a terminal, a line
 * from time to time, or JSON objects, one a line. */
#pragma once

#include "base/verb/verb.h"
#include "sim/bench/study/run.h"

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
    spot_counter_t counter;    /* its clock, and the line on the terminal */
    double started_cpu_s;
    double stage_s;  /* when the study that runs was started */
    bool has_stages; /* several studies are run: what is left is not known */
    int64_t num_run; /* replications of a study */
} spot_progress_line_t;

/* Starts the clock. */
void spot_progress_start(spot_progress_line_t *self, spot_progress_form_t form);

/* The progress function of a run of a study; context is self. */
void spot_progress_of_study(void *context, const spot_study_progress_t *progress);

/* Clears the line, says what was run, in what time, and how it ended. error: of the run.
 */
void spot_progress_finish_study(
    spot_progress_line_t *self, const spot_study_t *study, int num_threads, int error);
