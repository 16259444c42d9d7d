/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reactive system of Parcae's comparison: at each boundary the fastest pipelines for
 * the present instances form, at any cost. */
#include "base/units.h"
#include "sim/recovery/parcae/parcae.h"

typedef struct {
    spot_parcae_t parcae;
    int64_t checkpoint_ms;
} options_t;

typedef struct {
    bool has_decided;   /* the first decision was made */
    bool is_changed;    /* since the latest decision */
    bool has_additions; /* instances were added since then */
} state_t;

static size_t
throughput_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

static void
form_best(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const spot_parcae_t *parcae = &self->parcae;
    const int32_t id = parcae->best[spot_recovery_num_usable(view)];
    const spot_parcae_pair_t *pair = &parcae->pairs[id];
    double restart_ms = 0, reload_ms = 0;

    if (id < parcae->num_pairs) {
        restart_ms = spot_parcae_restart_ms(
            &parcae->costs, pair->num_pipelines, pair->depth, state->has_additions);
        restart_ms *= parcae->merges_pauses && spot_parcae_rest_ms(view) > 0 ? 2 : 1;
        reload_ms = spot_parcae_reload_ms(&parcae->costs, pair->depth,
            state->has_decided ? (double) self->checkpoint_ms : 0);
        state->has_decided = true;
    }
    spot_parcae_decide_pair(parcae, id, restart_ms + reload_ms, restart_ms, decision);
}

/* Whether nothing is to do at a boundary: nothing can form, or the pause under way leads
 * to the best pipelines, and new ready instances do not start it again. */
static bool
is_settled(const spot_parcae_t *self, const spot_recovery_view_t *view)
{
    const int32_t id = self->best[spot_recovery_num_usable(view)];
    const bool is_same = spot_parcae_size(self, id) == view->num_active &&
                         self->pairs[id].num_pipelines == view->num_pipelines;

    return is_same && (id == self->num_pairs || spot_parcae_rest_ms(view) > 0);
}

static void
throughput_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const int64_t now_ms = view->now_ms;
    state_t *memory = state;

    memory->has_additions |= change->num_ready > 0;
    memory->is_changed |= change->num_ready > 0;
    decision->lacks_step_time = spot_parcae_lacks_step_time(&self->parcae, view);
    if (change->num_lost_active == 0 && now_ms % self->parcae.interval_ms != 0) {
        decision->wake_ms = spot_parcae_next_ms(&self->parcae, now_ms);
        decision->wakes_last = true;
        return;
    }
    if (change->num_lost_active > 0 ||
        (memory->is_changed && !is_settled(&self->parcae, view))) {
        form_best(self, memory, view, decision);
    }
    memory->is_changed = false;
    memory->has_additions = false;
}

static int
throughput_settle(void *options, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    options_t *self = options;

    return spot_parcae_settle(&self->parcae, bind, node, job, capacity);
}

static void
throughput_release(void *options)
{
    options_t *self = options;

    spot_parcae_release(&self->parcae);
}

static const spot_field_t throughput_options[] = {
    {.name = "checkpoint",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, checkpoint_ms),
        .max = (double) SPOT_MAX_DURATION_MS,
        .initial = "14 s",
        .help = "time to save and load the state with every decision but the first"},
    {.name = NULL, .fields = spot_parcae_fields},
};

const spot_recovery_t spot_recovery_parcae_throughput = {
    .name = "parcae-throughput",
    .doc = "the fastest pipelines for the instances at each boundary, all reloaded; "
           "steps that ended are kept",
    .source = "Duan et al., Parcae, NSDI'24: its throughput-optimised comparison",
    .options = throughput_options,
    .options_size = sizeof(options_t),
    .keeps_steps = true,
    .has_own_step_time = true,
    .settle = throughput_settle,
    .release = throughput_release,
    .service_usd_per_h = spot_parcae_service_usd_per_h,
    .broken_rules = spot_parcae_broken_rules,
    .state_size = throughput_state_size,
    .decide = throughput_decide,
};
