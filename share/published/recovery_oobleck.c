/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oobleck with faults of the simulator published with it (SOSP'23 artifact,
 * tools/simulator/oobleck_simulator.py), to reproduce its numbers: options of the system,
 * in whose place it stands. With a fault it pauses until its timer is due and then uses
 * all ready instances; without one the system decides. */
#include <math.h>

#include "share/published/pause_ends.h"
#include "sim/train/recovery/recovery_oobleck.h"

typedef struct {
    spot_oobleck_options_t oobleck;
    struct { /* all 0 for none */
        int trains_in_pause;
        int has_short_pauses;
        int has_stale_timers;
        int idle_losses_pause;
    } fault;
    bool has_fault;
} options_t;

typedef enum {
    WAITING, /* fewer instances than it needs */
    PAUSING, /* until a timer is due */
    TRAINING,
    STOPPED /* by a stale timer */
} phase_t;

typedef struct {
    spot_oobleck_state_t oobleck;
    /* Only with a fault: */
    phase_t phase;
    bool trains_on; /* in the pause */
    bool needs_reload;
    spot_pause_ends_t ends;
} state_t;

/* The arguments of one decision. */
typedef struct {
    const options_t *options;
    state_t *state;
    const spot_recovery_view_t *view;
    const spot_recovery_change_t *change;
    spot_recovery_decision_t *decision;
} case_t;

/* Stops training. The loss of a pausing instance counts as a loss. */
static void decide_rest(case_t *self, int64_t num_active)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->num_pipelines = 0;
    decision->num_active = (int32_t) num_active;
    decision->step_ms = 0;
    decision->work = self->state->needs_reload ? SPOT_WORK_ROLLED_BACK : SPOT_WORK_STEPS_KEPT;
}

/* Steps go on in the pause with the step time of before. */
static void decide_training(case_t *self)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->work = SPOT_WORK_KEPT;
    decision->num_pipelines = self->view->num_pipelines > 0 ? self->view->num_pipelines : 1;
    decision->num_active = self->view->num_active;
    decision->step_ms = self->state->oobleck.step_ms;
}

/* Ends a pause: all instances form pipelines. */
static void form(case_t *self)
{
    const int64_t num_instances = spot_recovery_num_usable(self->view);
    const spot_oobleck_mix_t *best = spot_oobleck_mix_of(&self->options->oobleck, num_instances);
    state_t *state = self->state;

    decide_rest(self, 0);
    spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true); /* the pause was counted */
    spot_decision_note(self->decision, SPOT_NOTE_STEP_UNKNOWN, best->lacks_step_time);
    state->trains_on = false;
    if (best->step_ms == 0) {
        state->phase = WAITING;
        return;
    }
    spot_oobleck_form(
        &self->options->oobleck, &state->oobleck, self->view, num_instances, self->decision);
    spot_members_settle(&state->oobleck.members);
    self->decision->reload_ms = state->needs_reload ? self->view->job->reload_ms : 0;
    state->phase = TRAINING;
    state->needs_reload = false;
}

/* How many of the lost instances cause a pause; 1 if there is no loss. */
static int32_t num_losses(const case_t *self)
{
    const spot_recovery_change_t *change = self->change;
    const int32_t num_lost = self->options->fault.idle_losses_pause
                                 ? change->num_gone + change->num_gone_prepping
                                 : change->num_lost_active;

    return num_lost > 0 ? num_lost : 1;
}

static void add_ends(case_t *self, int64_t num_instances, int32_t count)
{
    const int64_t pause_ms = spot_by_instances_pause_ms(&self->options->oobleck.by_n,
        SPOT_BY_N_PAUSE_MS, num_instances, self->options->oobleck.regroup_ms);

    for (int32_t j = 0; j < count; j++) {
        self->decision->num_clipped +=
            spot_pause_ends_add(&self->state->ends, self->view->now_ms, pause_ms);
    }
}

/* Starts a pause; at time 0 pipelines form at once. */
static void begin_pause(case_t *self)
{
    const int64_t num_instances = spot_recovery_num_usable(self->view);
    state_t *state = self->state;
    const bool goes_on = self->options->fault.has_short_pauses && state->phase == PAUSING;

    state->phase = PAUSING;
    if (self->view->now_ms == 0) {
        form(self);
        return;
    }
    if (self->options->fault.has_stale_timers) {
        add_ends(self, num_instances, num_losses(self));
    } else if (!goes_on) {
        state->ends.num_ends = 0;
        add_ends(self, num_instances, 1);
    }
    if (state->trains_on) {
        decide_training(self);
    } else {
        decide_rest(self, num_instances);
    }
}

/* A stale timer ends while no instance waits for it. */
static void stop(case_t *self)
{
    self->state->phase = STOPPED;
    decide_rest(self, self->decision->is_new ? self->decision->num_active : self->view->num_active);
    spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true);
}

static void end_pauses(case_t *self)
{
    state_t *state = self->state;
    int64_t pause_ms;

    while (spot_pause_ends_take(&state->ends, self->view->now_ms, &pause_ms)) {
        if (state->phase == PAUSING) {
            form(self);
        } else if (state->phase == TRAINING) {
            stop(self);
        }
    }
}

/* Layers without a holder are read from storage, again if that was under way. */
static void lose(case_t *self)
{
    const spot_recovery_change_t *change = self->change;
    state_t *state = self->state;
    const bool has_trained = state->phase == TRAINING || state->trains_on;

    if (state->phase == WAITING) {
        return;
    }
    if (change->num_lost_active == 0 && !self->options->fault.idle_losses_pause) {
        return;
    }
    spot_members_lose(&state->oobleck.members, change->lost, change->num_lost_active);
    state->needs_reload |=
        !spot_members_hold_all(&state->oobleck.members) ||
        (state->phase == TRAINING && self->view->now_ms < self->view->training_ms);
    state->trains_on = self->options->fault.trains_in_pause && has_trained &&
                       self->view->num_active > 0 && !state->needs_reload;
    begin_pause(self);
}

/* ---- The system ---- */

/* The simulator with these faults has a table by n and uses additions with the next
 * loss. */
static void check_faults(const options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (self->oobleck.by_n.path == NULL) {
        spot_bind_error(
            bind, node, "recovery.table", "the faults of the published simulator need a table");
    }
    if (self->oobleck.growth != SPOT_OOBLECK_AT_PREEMPTION) {
        spot_bind_error(bind, spot_node_place(node, "growth"), "recovery.growth",
            "the faults of the published simulator go with at_preemption only");
    }
}

static int oobleck_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    const size_t num_errors = terms->bind->diag->num_errors;
    const int ret = spot_oobleck_settle_table(&self->oobleck, terms);

    self->has_fault = terms->has_fault;
    terms->traits.sees_all_losses = self->has_fault;
    if (self->has_fault) {
        check_faults(self, terms->bind, terms->node);
    }
    return ret != 0 || terms->bind->diag->num_errors > num_errors
               ? ret
               : spot_oobleck_settle_mixes(&self->oobleck, terms);
}

static size_t oobleck_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const options_t *self = options;

    (void) job;
    return sizeof(state_t) + spot_pause_ends_bytes(capacity) +
           spot_members_bytes(capacity, self->oobleck.num_layers);
}

static void oobleck_start(const void *options, void *memory, const spot_recovery_start_t *run)
{
    const options_t *self = options;
    state_t *state = memory;

    spot_pause_ends_start(&state->ends, state + 1, run->capacity);
    spot_members_start(&state->oobleck.members,
        (char *) (state + 1) + spot_pause_ends_bytes(run->capacity), run->capacity,
        self->oobleck.num_layers);
}

static void oobleck_decide(const void *options, void *memory, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    state_t *state = memory;
    case_t current = {self, state, view, change, decision};

    if (!self->has_fault) {
        spot_recovery_oobleck.decide(&self->oobleck, &state->oobleck, view, change, decision);
        return;
    }
    if (change->kind == SPOT_CHANGE_WAKE) {
        end_pauses(&current);
    } else if (change->num_gone + change->num_gone_prepping > 0) {
        lose(&current);
    }
    if (!decision->is_new && change->num_ready > 0 &&
        (state->phase == WAITING || state->phase == STOPPED) &&
        spot_oobleck_can_start(&self->oobleck, spot_recovery_num_usable(view))) {
        begin_pause(&current);
    }
    decision->wake_ms = spot_pause_ends_next_ms(&state->ends);
}

static const spot_field_t oobleck_options[] = {
    SPOT_OOBLECK_FIELDS,
    {SPOT_CHOICE("trains_in_pause", options_t, fault.trains_in_pause, spot_no_yes, "no",
        "fault of the simulator in Oobleck's artifact (SOSP'23): the step under way "
        "goes on in the pause after a loss, and steps that end there count")},
    {SPOT_CHOICE("short_pauses", options_t, fault.has_short_pauses, spot_no_yes, "no",
        "fault as published: a loss in a pause does not start it again, it ends as if "
        "there were none")},
    {SPOT_CHOICE("stale_timers", options_t, fault.has_stale_timers, spot_no_yes, "no",
        "fault as published: each lost instance starts a pause of its own, the first to "
        "end forms pipelines, the next one stops the job until a loss or an addition")},
    {SPOT_CHOICE("idle_losses_pause", options_t, fault.idle_losses_pause, spot_no_yes, "no",
        "fault as published: the loss of a standby or prepping instance pauses the job "
        "too")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

static const spot_recovery_fault_t oobleck_faults[] = {
    {"trains_in_pause", "steps end in a pause"},
    {"short_pauses", "a loss does not start a pause again"},
    {"stale_timers", "a pause that is over stops the job"},
    {"idle_losses_pause", "losses of idle instances pause"},
    {NULL, NULL},
};

const spot_recovery_t spot_published_oobleck = {
    SPOT_OOBLECK_TABLE,
    .options = oobleck_options,
    .options_size = sizeof(options_t),
    .settle = oobleck_settle,
    .faults = oobleck_faults,
    .state_size = oobleck_state_size,
    .start = oobleck_start,
    .decide = oobleck_decide,
};
