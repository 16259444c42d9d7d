/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every number of a run's result by name, so that two results can be compared and the
 * first difference be named. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "sim/train/job/train.h"

typedef struct {
    const char *name;
    size_t offset;
    bool is_flag; /* bool, else int64_t */
} result_field_t;

#define RESULT_NUMBER(member)                                                                      \
    {                                                                                              \
#member, offsetof(spot_train_result_t, member), false                                      \
    }
#define RESULT_FLAG(member)                                                                        \
    {                                                                                              \
#member, offsetof(spot_train_result_t, member), true                                       \
    }

static const result_field_t result_fields[] = {
    RESULT_NUMBER(horizon_ms),
    RESULT_NUMBER(initial),
    RESULT_NUMBER(preempted),
    RESULT_NUMBER(added),
    RESULT_NUMBER(stopped),
    RESULT_NUMBER(clipped),
    RESULT_NUMBER(preemption_events),
    RESULT_NUMBER(first_preemption_ms),
    RESULT_NUMBER(last_preemption_ms),
    RESULT_NUMBER(peak_instances),
    RESULT_NUMBER(reconfigurations),
    RESULT_NUMBER(rollbacks),
    RESULT_NUMBER(job_ms[SPOT_JOB_WAITING]),
    RESULT_NUMBER(job_ms[SPOT_JOB_RECONFIGURING]),
    RESULT_NUMBER(job_ms[SPOT_JOB_RELOADING]),
    RESULT_NUMBER(job_ms[SPOT_JOB_TRAINING]),
    RESULT_NUMBER(unmeasured_ms),
    RESULT_NUMBER(stalled_ms),
    RESULT_NUMBER(lost_ms),
    RESULT_NUMBER(input_stalled_ms),
    RESULT_NUMBER(input_stalled_instance_ms),
    RESULT_NUMBER(steps_executed),
    RESULT_NUMBER(steps_durable),
    RESULT_NUMBER(steps_lost),
    RESULT_NUMBER(checkpoints_durable),
    RESULT_NUMBER(checkpoints_aborted),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_PREPPING]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_STANDBY]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_RECONFIGURING]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_RELOADING]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_USEFUL]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_LOST]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_UNSAVED]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_STALLED]),
    RESULT_NUMBER(ledger.instance_ms[SPOT_SHARE_REDUNDANT]),
    RESULT_NUMBER(ledger.population_ms),
    RESULT_FLAG(is_finished),
    RESULT_FLAG(has_flat_step_time),
    RESULT_FLAG(is_past_trace_end),
    RESULT_FLAG(has_approximate_step_time),
};

#define NUM_RESULT_FIELDS (sizeof(result_fields) / sizeof(result_fields[0]))

static inline int64_t result_field_value(
    const spot_train_result_t *result, const result_field_t *field)
{
    const char *member = (const char *) result + field->offset;
    int64_t number;
    bool flag;

    if (field->is_flag) {
        memcpy(&flag, member, sizeof(flag));
        return flag;
    }
    memcpy(&number, member, sizeof(number));
    return number;
}

/* The value of a field by name; 0 for an unknown one. */
static inline int64_t result_value(const spot_train_result_t *result, const char *name)
{
    for (size_t j = 0; name != NULL && j < NUM_RESULT_FIELDS; j++) {
        if (strcmp(result_fields[j].name, name) == 0) {
            return result_field_value(result, &result_fields[j]);
        }
    }
    return 0;
}

/* The name of the first field that differs, or NULL. The dice's seed is no result. */
static inline const char *result_difference(
    const spot_train_result_t *a, const spot_train_result_t *b)
{
    for (size_t j = 0; j < NUM_RESULT_FIELDS; j++) {
        if (result_field_value(a, &result_fields[j]) != result_field_value(b, &result_fields[j])) {
            return result_fields[j].name;
        }
    }
    return NULL;
}
