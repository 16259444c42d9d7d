/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations as a policy sees them: known, of a table, or learned from jobs that have
 * ended. */
#pragma once

#include <stdint.h>

#include "base/calendar.h"
#include "base/error.h"
#include "models/duration_history.h"
#include "sim/engine/experiment.h"
#include "sim/schedule/scenario.h"

/* What an estimate below 0 counts as: nothing is known of the job. */
#define SPOT_DURATION_NEGATIVE_S SPOT_DURATION_UNKNOWN_S

/* Of one replication. Zero it to start. */
typedef struct {
    const spot_schedule_scenario_t *scenario; /* must outlive self */
    const spot_estimator_setting_t *setting;  /* of the policy; NULL: none */
    const spot_job_log_t *log;
    spot_replication_t replication;
    /* Of the mean of similar jobs: those that have ended, and those that will be known
     * to have ended at their ticks. */
    spot_duration_history_t history;
    spot_calendar_t ends;
    size_t max_model_ids;
    int32_t *model_ids; /* [log->num_workloads] equal for equal models */
    int error;          /* NO_MEMORY */
} spot_durations_t;

/* Starts a replication. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_durations_start(spot_durations_t *self,
    const spot_schedule_scenario_t *scenario, const spot_estimator_setting_t *setting,
    const spot_job_log_t *log, const spot_replication_t *replication);
void spot_durations_free(spot_durations_t *self);

/* A job has ended at now_s. */
void spot_durations_learn(spot_durations_t *self, int32_t row_id, int64_t now_s);

/* The estimated duration of a job at now_s, in seconds. */
double spot_durations_estimate_s(spot_durations_t *self, int32_t row_id, int64_t now_s);
