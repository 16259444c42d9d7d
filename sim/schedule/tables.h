/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a replication, and those that follow from its end: rows of jobs and VCs,
 * and distributions. Their files are those of the rules in docs/scheduling.md. */
#pragma once

#include "sim/bench/engine/series.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

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

/* Fills the tables of jobs, VCs and the profiler, and the distributions. nodes:
 * [log->num_jobs] the nodes of each job's latest run, or NULL. NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_tables_fill(spot_recording_t *recording,
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, const char *const *nodes);
