/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario: one elastic training job on one fleet of spot instances, as read from
 * YAML. Constant after reading, so that all threads share it. */
#ifndef SPOT_SIM_TRAIN_SCENARIO_H
#define SPOT_SIM_TRAIN_SCENARIO_H

#include <stdint.h>

#include "base/bind.h"
#include "models/job.h"
#include "models/price.h"
#include "sim/recovery/recovery.h"
#include "traces/generate/model.h"

typedef struct {
    int64_t capacity;  /* most instances at a time, >= 1 */
    int64_t initial;   /* at time 0 unless the trace brings its own */
    int64_t on_demand; /* instances that are there all the time, besides the others */
    int64_t preparation_ms;
    int64_t notice_ms; /* how long before a preemption it is announced; 0: not at all */
    spot_price_t price;
} spot_fleet_setting_t;

typedef struct {
    char *name;
    int64_t horizon_ms;  /* > 0 after reading: when the run ends */
    int64_t until_steps; /* > 0: the run ends earlier, when that many steps are kept */
    int64_t tick_ms;     /* > 0 */
    spot_fleet_setting_t fleet;
    spot_job_t job;
    spot_recovery_choice_t recovery;
    const spot_node_t *trace_node; /* while reading only */
    spot_trace_model_t trace;
} spot_scenario_t;

/* Most instances at a time: those of the trace have the first slots, those on demand the
 * last ones. */
static inline int64_t
spot_scenario_num_slots(const spot_scenario_t *self)
{
    return self->fleet.capacity + self->fleet.on_demand;
}

/* Every key with its default and its help, for parsing and for the manual. */
extern const spot_field_t spot_scenario_fields[];

/* Binds a document. All errors are in diag with file:line:column. like: a scenario bound
 * before, by the same thread, whose recordings are shared, or NULL; it may be freed
 * first. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_API SPOT_MUST_CHECK int spot_scenario_init(spot_scenario_t *self,
    const spot_node_t *root, const spot_scenario_t *like, spot_diag_t *diag);

/* Changes to a scenario that a command line asks for. */
typedef struct {
    const char
        *trace_path; /* a trace file instead of the scenario's trace; may be NULL */
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE", after the trace */
} spot_scenario_changes_t;

/* Reads a scenario file. changes may be NULL. */
SPOT_API SPOT_MUST_CHECK int spot_scenario_read(spot_scenario_t *self, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* Carries out the changes on the document of a scenario. */
SPOT_MUST_CHECK int spot_scenario_change(
    spot_yaml_t *document, const spot_scenario_changes_t *changes, spot_diag_t *diag);

SPOT_API void spot_scenario_free(spot_scenario_t *self);

#endif
