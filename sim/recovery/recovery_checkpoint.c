/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roll back to the last durable checkpoint and go on with what is left, in pipelines of
 * fixed depth; a new pipeline forms as soon as there are instances for it. */
#include <math.h>
#include <stddef.h>

#include "sim/recovery/recovery.h"

typedef struct {
    int64_t detection_ms;
} options_t;

static void
checkpoint_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const options_t *self = options;
    const bool has_loss = change->num_lost_active > 0;
    int64_t num_pipelines;

    (void) state;
    num_pipelines = spot_job_pipelines(view->job, spot_recovery_num_usable(view));
    if (!has_loss && num_pipelines * view->job->pipeline_depth <= view->num_active) {
        return;
    }
    plan->is_new = true;
    plan->work = SPOT_WORK_ROLLED_BACK;
    spot_recovery_plan_pipelines(plan, view->job, num_pipelines);
    plan->awaited_standby = (int32_t) view->job->pipeline_depth;
    plan->reconfiguration_ms =
        view->job->reconfiguration_ms + (has_loss ? self->detection_ms : 0);
    plan->reload_ms = view->job->reload_ms;
}

static const spot_field_t checkpoint_options[] = {
    {.name = "detection",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, detection_ms),
        .max = HUGE_VAL,
        .initial = "0 s",
        .help = "time to detect a loss; lengthens the reconfiguration pause after one"},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_checkpoint = {
    .name = "checkpoint",
    .doc =
        "roll back to the last durable checkpoint, go on with what is left in pipelines "
        "of fixed depth",
    .source = "Mohan, Phanishayee, Chidambaram, CheckFreq, FAST'21, for the checkpoints",
    .options = checkpoint_options,
    .options_size = sizeof(options_t),
    .decide = checkpoint_decide,
};
