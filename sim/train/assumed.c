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
    if (self->recovery.traits.is_lossless || self->recovery.traits.keeps_steps) {
        /* with no stall the write time and what happens during a write do not matter */
        return spot_node_has(root, "job.checkpoint") ||
               (self->rentals.num_rentals > 0 && strcmp(name, "write") != 0 &&
                   strcmp(name, "busy") != 0);
    }
    return is_used(self, figure) || /* the same work on demand has them anyhow */
           (self->rentals.num_rentals > 0 && strcmp(name, "write") != 0 &&
               strcmp(name, "busy") != 0);
}

static bool job_decides(const spot_scenario_t *self, const spot_node_t *root, const char *figure)
{
    const spot_step_pipeline_t *pipeline = &self->job.step_time.pipeline;
    const char *name;

    if ((name = behind(figure, "checkpoint.")) != NULL) {
        return checkpoint_decides(self, root, figure, name);
    }
    if ((name = behind(figure, "input: input.")) != NULL ||
        (name = behind(figure, "input.")) != NULL) {
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

/* Whether an option of the recovery system is a word. */
static bool option_is(const spot_node_t *root, const char *option, const char *word)
{
    const spot_node_t *node = spot_node_get(spot_node_get(root, "recovery"), option);

    return node != NULL && node->kind == SPOT_NODE_SCALAR && strcmp(node->text, word) == 0;
}

/* Whether the name is of a group, which ends with NULL, of figures of a system that take
 * the place of the job's: 0 where others of the group are given. is_in: whether the name
 * is one of them. */
static bool group_decides(
    const spot_node_t *root, const char *name, const char *const *group, bool *is_in)
{
    bool has_others = false;

    *is_in = false;
    for (size_t j = 0; group[j] != NULL; j++) {
        *is_in |= strcmp(group[j], name) == 0;
        has_others |= spot_node_get(spot_node_get(root, "recovery"), group[j]) != NULL;
    }
    return *is_in && has_others;
}

static bool recovery_decides(const spot_scenario_t *self, const spot_node_t *root, const char *name)
{
    static const char *const groups[][4] = {
        {"first_parameters", "layer_parameters", "last_parameters", NULL},
        {"build_layer_ms", "build_bytes", NULL},
        {"group_base_ms", "group_add_ms", "group_remove_ms", NULL},
        {"add_ms", NULL},
        {"process_ms", NULL},
    };
    const bool is_published = option_is(root, "published_defaults", "yes");
    const bool has_pipeline = spot_node_has(root, "job.step_time.pipeline");
    bool is_in;

    for (size_t j = 0; j < sizeof(groups) / sizeof(groups[0]); j++) {
        const bool decides = group_decides(root, name, groups[j], &is_in);

        if (is_in) {
            return !is_published && (decides || groups[j][1] == NULL);
        }
    }
    if (strcmp(name, "min_depth") == 0 || strcmp(name, "max_depth") == 0) {
        return spot_step_time_is_by_pair(&self->job.step_time);
    }
    if (strcmp(name, "lead") == 0 || strcmp(name, "settle") == 0) {
        return self->fleet.notice_ms > 0 && is_used(self, "notice");
    }
    if (strcmp(name, "history") == 0 || strcmp(name, "forecast_range") == 0) {
        return option_is(root, "predictor", "arima");
    }
    if (strcmp(name, "forward_share") == 0) {
        return !has_pipeline && !option_is(root, "fill", "worst");
    }
    if (strcmp(name, "n_min") == 0) { /* of templates alone, which pipelines give */
        return has_pipeline && !spot_node_has(root, "job.step_time.pipeline.memory") &&
               !spot_node_has(root, "recovery.memory_bytes");
    }
    return true;
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
    if ((name = behind(key, "recovery.")) != NULL) {
        return recovery_decides(self, root, name);
    }
    return strstr(key, "tick_s") == NULL; /* of a trace: the tick of the scenario wins */
}
