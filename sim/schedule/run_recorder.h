/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records a replication: samples of every VC at equal intervals, who ran where, lines of
 * progress, and the tables of its end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/schedule/samples.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

/* One line of progress. */
typedef struct {
    int32_t num_running, num_pending, num_open; /* open: nodes with a free GPU */
    int64_t time_s, num_jobs, num_ended;
} spot_vc_progress_t;

/* Of one VC. */
typedef struct {
    int64_t next_progress_s;
    size_t num_lines;
    size_t max_lines;
    spot_vc_progress_t *lines; /* [num_lines] by time */
} spot_vc_record_t;

typedef struct {
    const spot_schedule_t *schedule;
    spot_recording_t *recording; /* NULL: only progress is kept */
    spot_samples_t samples;
    size_t num_vcs;
    spot_vc_record_t *vcs; /* [num_vcs] by clock; none if nothing is kept */
    spot_arena_t texts;
    const char **nodes; /* [log->num_jobs] of the latest run of each job */
    int error;          /* NO_MEMORY */
} spot_run_recorder_t;

/* Makes the kinds of series of a bound scenario in its memory. NO_MEMORY. */
SPOT_MUST_CHECK int spot_run_recorder_kinds_init(spot_schedule_scenario_t *scenario);

/* Watches the next run of a schedule. recording: as of the experiment, may be NULL.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_run_recorder_start(
    spot_run_recorder_t *self, spot_schedule_t *schedule, spot_recording_t *recording);

/* Fills the recording. NO_MEMORY. */
SPOT_MUST_CHECK int spot_run_recorder_finish(
    spot_run_recorder_t *self, spot_summaries_t *summaries);
void spot_run_recorder_free(spot_run_recorder_t *self);

/* The lines of progress, and what became of each VC. */
void spot_run_recorder_progress_write(
    const spot_run_recorder_t *self, const spot_summaries_t *summaries, FILE *out);
