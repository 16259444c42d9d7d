/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records a replication: samples of every VC at equal intervals, who ran where, lines of
 * progress, and the tables of its end; and sums up its jobs for the metrics. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "sim/bench/engine/series.h"
#include "sim/schedule/schedule.h"

/* Times in s. NAN: of no job. */
typedef struct {
    int64_t num_jobs, num_unfinished;
    struct {
        int64_t num_jobs, jct_s, queue_s;
    } ended[2]; /* totals of small jobs, and of large ones */
    double avg_jct, avg_queue;
    double jct_p50, jct_p95, jct_p99;
    double queue_p50, queue_p95, queue_p999;
    double jct_large, jct_small; /* means by size class */
    double queue_large, queue_small;
} spot_job_summary_t;

/* Memory for summaries; zero it to start. */
typedef struct {
    size_t max_values, max_queues, max_starts;
    double *values; /* [jobs] JCTs in s, VC by VC */
    double *queues; /* [jobs] the same of times in queues */
    size_t *starts; /* [VCs + 1] where those of a VC start */
    size_t max_summaries;
    spot_job_summary_t *summaries; /* [VCs + 1] by VC, then of all */
} spot_summaries_t;

/* NO_MEMORY. O(jobs). */
SPOT_MUST_CHECK int spot_schedule_summarise(
    spot_summaries_t *self, const spot_schedule_t *schedule);
void spot_summaries_free(spot_summaries_t *self);

/* In the order of a recording. The samples of all VCs follow, then those of each VC and
 * of the profiler. */
enum {
    SPOT_TABLE_JOBS,
    SPOT_TABLE_JOB_DETAILS,
    SPOT_TABLE_PER_VC,
    SPOT_TABLE_CDF,
    SPOT_TABLE_JCT, /* the same as a share, for pictures */
    SPOT_TABLE_QUEUE,
    SPOT_TABLE_GPUS,
    SPOT_TABLE_NODES,
    SPOT_TABLE_PROGRESS,
    SPOT_TABLE_SCALING,
    SPOT_NUM_TABLES,
    SPOT_TABLE_SAMPLES_ALL = SPOT_NUM_TABLES,
    SPOT_TABLE_SAMPLES
};

extern const spot_series_kind_t spot_schedule_tables[SPOT_NUM_TABLES];

/* Samples of a VC at equal intervals: what its GPUs, jobs and nodes do. */

/* In the order of the columns of a sample; small: of fewer than 8 GPUs. */
enum {
    SPOT_SAMPLE_GPUS,
    SPOT_SAMPLE_IDLE,
    SPOT_SAMPLE_PENDING_GPUS,
    SPOT_SAMPLE_RUNNING,
    SPOT_SAMPLE_PENDING,
    SPOT_SAMPLE_PENDING_SMALL,
    SPOT_SAMPLE_NODES,
    SPOT_SAMPLE_SINGLE, /* nodes with one job */
    SPOT_SAMPLE_SHARED, /* with more */
    SPOT_SAMPLE_NUM_COUNTS
};

/* Means over nodes: utilisation in %, memory in MiB, over all GPUs of a node or over
 * those where they are above 0, and then over nodes that have one. */
enum {
    SPOT_SAMPLE_UTIL,
    SPOT_SAMPLE_MEMORY,
    SPOT_SAMPLE_ACTIVE_UTIL,
    SPOT_SAMPLE_ACTIVE_MEMORY,
    SPOT_SAMPLE_NUM_MEANS
};

typedef struct {
    int64_t counts[SPOT_SAMPLE_NUM_COUNTS];
    int64_t prepping_gpus;
    double means[SPOT_SAMPLE_NUM_MEANS]; /* NAN: the log does not say */
} spot_vc_sample_t;

/* Zero it to start. */
typedef struct {
    size_t max_shown;
    struct spot_shown *shown; /* [max_shown] by node of a VC */
    size_t num_all;
    size_t max_all;
    spot_vc_sample_t *all; /* [num_all] of all VCs, by time */
    int error;             /* NO_MEMORY */
} spot_samples_t;

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
