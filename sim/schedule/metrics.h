/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a scenario of many jobs: those of the cluster, then those of each VC.
 * The names are those of the summary row: avg_jct is in seconds. The result of a
 * replication as JSON is made of them. */
#pragma once

#include <stdio.h>

#include "sim/schedule/scenario.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

/* Makes the metrics of a bound scenario in its memory. NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_metrics_init(spot_schedule_scenario_t *scenario);

/* values: [num_metrics] of the outputs; the derived ones are left alone. */
void spot_schedule_yield(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, double *values);

/* Conditions that make the results doubtful. */
typedef enum {
    SPOT_SCHEDULE_UNFINISHED,
    SPOT_SCHEDULE_CLIPPED,
    SPOT_SCHEDULE_PAST_TRACE_END,
    SPOT_SCHEDULE_OVERSIZE,
    SPOT_SCHEDULE_NO_JOBS,
    SPOT_SCHEDULE_NUM_WARNINGS
} spot_schedule_warning_t;

extern const spot_warning_t spot_schedule_warnings[SPOT_SCHEDULE_NUM_WARNINGS];

void spot_schedule_warning_flags(const spot_schedule_t *schedule, unsigned char *flags);

/* The summary row, the ledger, the cost and the counts of a replication as one JSON
 * object. */
void spot_schedule_json_write(const spot_schedule_t *schedule, const spot_summaries_t *summaries,
    const spot_replication_t *replication, spot_json_t *json);
