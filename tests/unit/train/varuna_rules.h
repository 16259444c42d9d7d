/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A twin of the simulator of Varuna that was published with Oobleck (SOSP'23), written
 * from a description of its rules, event by event and with lists, as slow as it is
 * plain. It shares nothing with the recovery system but the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/measured_table.h"

enum { RULES_ADD = 1, RULES_REMOVE = 2 };

/* An instance, numbered from 0, that is added or removed. */
typedef struct {
    int64_t time_ms;
    int kind;
    int instance;
} rules_event_t;

typedef struct {
    int64_t samples_per_step;
    int64_t first_restart_ms; /* total of the very first; 0: by the table's largest n */
    const spot_instance_table_t *table;
    size_t num_events;
    const rules_event_t *events; /* [num_events] in order; the run ends at the last */
    int num_instances;
} rules_case_t;

typedef struct {
    int64_t steps; /* by its own counter, which fails with checkpoints */
    int64_t executed;
    int64_t counted;      /* steps whose height is not 0 */
    int64_t failed;       /* checkpoints */
    int64_t stops;        /* by stale timers, or too few instances */
    int64_t early;        /* entries of a list that grew */
    int64_t start_ms;     /* of the first pipelines */
    int64_t last_ms;      /* end of the last step */
    double samples_per_s; /* from the first pipelines to the last step */
} rules_result_t;

rules_result_t rules_run(const rules_case_t *self);
