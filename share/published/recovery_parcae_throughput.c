/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reactive system of Parcae's comparison: at each boundary the fastest pipelines for
 * the present instances form, at any cost. */
#include "base/units.h"
#include "sim/train/recovery/parcae/parcae.h"

#define PUBLISHED_SAVE_LOAD_MS (14 * SPOT_MS_PER_S)

typedef struct {
    spot_parcae_t parcae;
    int64_t save_load_ms;
} options_t;

typedef struct {
    bool has_decided;    /* the first decision was made */
    bool is_changed;     /* since the latest decision */
    bool has_additions;  /* instances were added since then */
    int64_t detected_ms; /* when the latest loss is detected */
    int64_t saved_ms;    /* when the checkpoint of the latest decision is durable */
} state_t;

static size_t throughput_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

/* A loss rolls back. Before any other decision a checkpoint is written if there may be
 * something to save: the job trains, or the latest such checkpoint is cut short. */
static void save(state_t *state, const spot_recovery_view_t *view, bool has_loss,
    spot_recovery_decision_t *decision)
{
    const bool has_steps = view->num_pipelines > 0 &&
                           (view->now_ms >= view->training_ms || view->now_ms < state->saved_ms);

    if (has_loss) {
        decision->work = SPOT_WORK_ROLLED_BACK;
    } else if (has_steps) {
        decision->flush_ms = spot_checkpoint_full_ms(&view->job->checkpoint);
    }
    state->saved_ms = view->now_ms + decision->flush_ms;
}

static void form_best(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    bool has_loss, spot_recovery_decision_t *decision)
{
    const spot_parcae_t *parcae = &self->parcae;
    const int32_t id = parcae->best[spot_recovery_num_usable(view)];
    const spot_parcae_pair_t *pair = &parcae->pairs[id];
    double restart_ms = 0, reload_ms = 0;

    if (id < parcae->num_pairs) {
        restart_ms = spot_parcae_restart_ms(
            &parcae->costs, pair->num_pipelines, pair->depth, state->has_additions);
        restart_ms *= parcae->merges_pauses && spot_parcae_rest_ms(view) > 0 ? 2 : 1;
        reload_ms = parcae->keeps_steps ? spot_parcae_reload_ms(&parcae->costs, pair->depth,
                                              state->has_decided ? (double) self->save_load_ms : 0)
                                        : (double) view->job->reload_ms;
        restart_ms +=
            state->detected_ms > view->now_ms ? (double) (state->detected_ms - view->now_ms) : 0;
        state->has_decided = true;
    }
    spot_parcae_decide_pair(parcae, id, restart_ms + reload_ms, restart_ms, decision);
    if (!parcae->keeps_steps) {
        save(state, view, has_loss, decision);
    }
}

/* Whether nothing is to do at a boundary: nothing can form, or the pause under way leads
 * to the best pipelines, and new ready instances do not start it again. */
static bool is_settled(const spot_parcae_t *self, const spot_recovery_view_t *view)
{
    const int32_t id = self->best[spot_recovery_num_usable(view)];
    const bool is_same = spot_parcae_size(self, id) == view->num_active &&
                         self->pairs[id].num_pipelines == view->num_pipelines;

    return is_same && (id == self->num_pairs || spot_parcae_rest_ms(view) > 0);
}

static void throughput_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const bool has_loss = change->num_lost_active > 0;
    const int64_t now_ms = view->now_ms;
    state_t *memory = state;

    if (has_loss) {
        memory->detected_ms = now_ms + self->parcae.detection_ms;
    }
    memory->has_additions |= change->num_ready > 0;
    memory->is_changed |= change->num_ready > 0;
    spot_decision_note(
        decision, SPOT_NOTE_STEP_UNKNOWN, spot_parcae_lacks_step_time(&self->parcae, view));
    if (!has_loss && now_ms % self->parcae.interval_ms != 0) {
        decision->wake_ms = spot_parcae_next_ms(&self->parcae, now_ms);
        decision->wakes = SPOT_WAKE_LAST;
        return;
    }
    if (has_loss || (memory->is_changed && !is_settled(&self->parcae, view))) {
        form_best(self, memory, view, has_loss, decision);
    }
    memory->is_changed = false;
    memory->has_additions = false;
}

static int throughput_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    const spot_node_t *save_load = spot_node_get(terms->node, "save_load");
    const int ret = spot_parcae_settle(&self->parcae, terms);

    self->save_load_ms =
        spot_terms_ms(terms, "save_load", self->save_load_ms, PUBLISHED_SAVE_LOAD_MS, 0);
    if (save_load != NULL && !self->parcae.keeps_steps) {
        spot_diag_warn(terms->bind->diag, save_load->file, save_load->line, save_load->column,
            "recovery.save_load has no effect: checkpoints are written and read as the "
            "job has it");
    }
    return ret;
}

static void throughput_release(void *options)
{
    options_t *self = options;

    spot_parcae_release(&self->parcae);
}

static const spot_field_t throughput_options[] = {
    {SPOT_RANGE(DURATION, "save_load", options_t, save_load_ms, 0, (double) SPOT_MAX_DURATION_MS,
        "", "save and load time",
        "with published_defaults: yes only, time to save and load the state with every "
        "decision but the first, which keeps all steps that ended, even after a loss; "
        "published: 14 s. Otherwise a loss rolls back, job.reload is paid, and without "
        "a loss a checkpoint is written first")},
    {.name = NULL, .fields = spot_parcae_fields},
};

const spot_recovery_t spot_recovery_parcae_throughput = {
    .name = "parcae-throughput",
    .doc = "the fastest pipelines for the instances at each boundary, all reloaded",
    .source = "Duan et al., Parcae, NSDI'24: its throughput-optimised comparison",
    .options = throughput_options,
    .options_size = sizeof(options_t),
    .published = SPOT_PARCAE_PUBLISHED,
    .traits = {.has_own_step_time = true, .chooses_depth = true},
    .settle = throughput_settle,
    .release = throughput_release,
    .faults = spot_parcae_faults,
    .state_size = throughput_state_size,
    .decide = throughput_decide,
};
