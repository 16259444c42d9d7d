/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/assumed.h"

#include <stdio.h>
#include <string.h>

#include "sim/train/job/scenario.h"

/* The rest of a key behind a beginning, or NULL. */
static const char *behind(const char *key, const char *begin)
{
    const size_t num_bytes = strlen(begin);

    return strncmp(key, begin, num_bytes) == 0 ? key + num_bytes : NULL;
}

/* Whether the times to and from storage follow from the state of the job. */
static bool is_derived(const spot_job_t *job)
{
    return spot_model_state_bytes(&job->model) > 0 && job->storage_bytes_per_s > 0;
}

static bool is_used(const spot_scenario_t *self, const char *figure)
{
    const spot_recovery_choice_t *recovery = &self->recovery;

    return recovery->system->uses == NULL || recovery->system->uses(recovery->options, figure);
}

/* Checkpoints that a system does not need still count for the same work on demand. */
static bool checkpoint_decides(
    const spot_scenario_t *self, const spot_node_t *root, const char *figure, const char *name)
{
    const spot_checkpoint_t *checkpoint = &self->job.checkpoint;
    const bool is_sync = checkpoint->mode == SPOT_CHECKPOINT_SYNC;
    char given[64];

    snprintf(given, sizeof(given), "recovery.%s", figure);
    if (spot_node_has(root, given) || (strcmp(name, "write") == 0 && is_derived(&self->job)) ||
        (strcmp(name, "snapshot") == 0 && is_sync) ||
        (strcmp(name, "busy") == 0 &&
            (is_sync || checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK))) {
        return false;
    }
    if (self->recovery.system->is_lossless || spot_recovery_keeps_steps(&self->recovery)) {
        /* with no stall the write time and what happens during a write do not matter */
        return spot_node_has(root, "job.checkpoint") ||
               (self->rentals.num_rentals > 0 && strcmp(name, "write") != 0 &&
                   strcmp(name, "busy") != 0);
    }
    return is_used(self, figure);
}

static bool job_decides(const spot_scenario_t *self, const spot_node_t *root, const char *figure)
{
    const spot_step_pipeline_t *pipeline = &self->job.step_time.pipeline;
    const char *name;

    if ((name = behind(figure, "checkpoint.")) != NULL) {
        return checkpoint_decides(self, root, figure, name);
    }
    if ((name = behind(figure, "input.")) != NULL) {
        return spot_loader_decides(&self->job.input, name, true);
    }
    if ((name = behind(figure, "step_time.pipeline.")) != NULL) {
        /* one of the schedules has a rule of its own for what is computed anew */
        const bool is_varuna = strcmp(spot_step_schedules[pipeline->schedule], "varuna") == 0;

        return (strcmp(name, "recompute") != 0 || !is_varuna) &&
               (strcmp(name, "memory.input_bytes") != 0 || is_varuna || pipeline->recompute != 0);
    }
    if (strcmp(figure, "model.bytes_per_parameter") == 0) { /* only a preset has one */
        return self->job.model.preset != NULL;
    }
    if (strcmp(figure, "detection") == 0 && spot_node_has(root, "recovery.detection")) {
        return false;
    }
    if (strcmp(figure, "reconfiguration") == 0 && spot_node_has(root, "job.regroup") &&
        spot_node_has(root, "job.rebuild")) {
        return false;
    }
    if (strcmp(figure, "reload") == 0 && is_derived(&self->job)) {
        return false;
    }
    return (strcmp(figure, "detection") != 0 && strcmp(figure, "reconfiguration") != 0 &&
               strcmp(figure, "reload") != 0) ||
           is_used(self, figure);
}

bool spot_train_decides(const void *scenario, const spot_node_t *root, const char *key)
{
    const spot_scenario_t *self = scenario;
    const spot_recovery_choice_t *recovery = &self->recovery;
    const bool is_rented = recovery->system->num_on_demand != NULL; /* on demand, all of it */
    const char *name;

    if ((name = behind(key, "job.")) != NULL) {
        return job_decides(self, root, name);
    }
    if (strcmp(key, "fleet.capacity") == 0) { /* of no other number of instances either */
        return !is_rented || recovery->system->num_on_demand(recovery->options, 1) !=
                                 recovery->system->num_on_demand(recovery->options, 2);
    }
    if (strcmp(key, "fleet.notice") == 0) {
        return is_used(self, "notice");
    }
    if (strcmp(key, "fleet.price.spot") == 0) {
        return !is_rented && !spot_trace_model_has_price(&self->trace);
    }
    if (strcmp(key, "fleet.price.on_demand") == 0) { /* also of the same work on demand */
        return is_rented || self->fleet.on_demand > 0 || self->rentals.num_rentals > 0;
    }
    if (strcmp(key, "recovery.min_depth") == 0 || strcmp(key, "recovery.max_depth") == 0) {
        return spot_step_time_is_by_pair(&self->job.step_time);
    }
    if (strcmp(key, "recovery.lead") == 0 || strcmp(key, "recovery.settle") == 0) {
        return self->fleet.notice_ms > 0 && is_used(self, "notice");
    }
    return true;
}
