/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fixed fleet at the on-demand price from start to end: it loses no instance and
 * ignores the trace. */
#include "base/units.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int64_t num_instances; /* 0: the fleet's capacity */
} options_t;

static int64_t on_demand_instances(const void *options, int64_t capacity)
{
    const options_t *self = options;

    return self->num_instances > 0 ? self->num_instances : capacity;
}

static void on_demand_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    (void) options;
    (void) state;
    (void) change;
    spot_recovery_decision_set_pipelines(
        decision, view->job, spot_job_pipelines(view->job, spot_recovery_num_usable(view)));
    decision->work = SPOT_WORK_KEPT;
    decision->is_new = decision->num_pipelines != view->num_pipelines;
}

static const spot_field_t on_demand_options[] = {
    {SPOT_RANGE(INTEGER, "instances", options_t, num_instances, 0, SPOT_MAX_INSTANCES, "0",
        "on-demand instances", "instances rented for the whole run; 0: fleet.capacity")},
    {.name = NULL, .fields = spot_recovery_plain_fields},
};

const spot_recovery_t spot_recovery_on_demand = {
    .name = "on-demand",
    .doc = "a fixed fleet at the on-demand price that never loses an instance; the "
           "trace is ignored",
    .source = "the usual way to rent",
    .options = on_demand_options,
    .options_size = sizeof(options_t),
    .traits = {.is_lossless = true, .flushes = SPOT_FLUSHES_NEVER},
    .num_on_demand = on_demand_instances,
    .uses = spot_recovery_uses_nothing,
    .decide = on_demand_decide,
};
