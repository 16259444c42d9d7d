/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recovery system bamboo: redundant computation, with the faults of the simulator
 * that was published with it as options. Faults and system share one state machine, so
 * that the whole system is a plug-in. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"
#include "share/published/pause_ends.h"
#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/layout.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int64_t local_pause_ms;
    int64_t global_pause_ms;
    int64_t detection_ms; /* before training goes on after an absorbed loss */
    int64_t copy_ms;      /* of a stage to its new holders, after a pause */
    double step_factor;
    double slowdown;
    double doubled_share;
    double redundant_share;
    int has_no_fallback;
    int has_stale_timers;
    int trains_in_pause;
    int has_late_restart;
    int idle_losses_slow;
    int counts_dead_standby;
    spot_by_instances_t by_n;
} bamboo_options_t;

/* ---- As published ---- */

/* Of BERT and GPT-2, where steps with redundancy are the only ones that are known. */
#define PUBLISHED_LOCAL_PAUSE_MS (20 * SPOT_MS_PER_S)
#define PUBLISHED_GLOBAL_PAUSE_MS (30 * SPOT_MS_PER_S)
#define PUBLISHED_SLOWDOWN 1.5
#define PUBLISHED_STEP_FACTOR 1

/* ---- Figures of the job, or as published ---- */

/* Time for new holders to copy their stages, all at once: as long as it takes to read
 * the state back if the bandwidth is not known. */
static int64_t stage_ms(spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;

    return spot_terms_can_copy(terms, NULL, NULL)
               ? spot_terms_copy_ms(job, 1.0 / (double) job->pipeline_depth)
               : job->reload_ms;
}

/* Pauses that are given, published or of a table hold the copies. */
static void settle_pauses(bamboo_options_t *self, spot_terms_t *terms)
{
    const int64_t detection_ms = terms->job->detection_ms;
    const int64_t pause_ms = terms->job->reconfiguration_ms > 0
                                 ? terms->job->reconfiguration_ms
                                 : 1; /* as a timer must be due later */
    const bool has_pauses = spot_terms_has(terms, "local_pause") ||
                            spot_terms_has(terms, "global_pause") || self->by_n.path != NULL ||
                            terms->is_published;

    self->detection_ms = spot_terms_ms(terms, "detection", self->detection_ms, 0, detection_ms);
    self->local_pause_ms = spot_terms_ms(
        terms, "local_pause", self->local_pause_ms, PUBLISHED_LOCAL_PAUSE_MS, pause_ms);
    self->global_pause_ms = spot_terms_ms(terms, "global_pause", self->global_pause_ms,
        PUBLISHED_GLOBAL_PAUSE_MS, pause_ms + self->detection_ms);
    self->copy_ms = has_pauses ? 0 : stage_ms(terms);
}

/* A table has its own step times, redundancy included. */
static void settle_steps(bamboo_options_t *self, spot_terms_t *terms)
{
    const bool has_table = self->by_n.path != NULL;

    if (!has_table && !terms->is_published && !spot_terms_has(terms, "step_factor")) {
        spot_terms_lack(terms, "the time of a step with redundancy against a plain one: give "
                               "recovery.step_factor, e.g. {system: bamboo, step_factor: 1.5}, or "
                               "recovery.table with its own step times");
    }
    terms->unmeasured = has_table ? NULL : "steps follow from step_factor";
    self->step_factor =
        spot_terms_number(terms, "step_factor", self->step_factor, PUBLISHED_STEP_FACTOR, 1);
    self->slowdown = spot_terms_number(
        terms, "slowdown", self->slowdown, PUBLISHED_SLOWDOWN, fmax(1, 2 / self->step_factor));
}

/* settle of the system. */
static int bamboo_settle(void *options, spot_terms_t *terms)
{
    bamboo_options_t *self = options;
    const int ret = spot_by_instances_settle(&self->by_n, terms);

    terms->traits.redundant_share = self->redundant_share;
    spot_by_instances_yield(&self->by_n, terms, "local_pause", SPOT_BY_N_LOCAL_PAUSE_MS);
    spot_by_instances_yield(&self->by_n, terms, "global_pause", SPOT_BY_N_GLOBAL_PAUSE_MS);
    settle_pauses(self, terms);
    settle_steps(self, terms);
    return ret;
}

/* ---- Options ---- */

static const char *const fallbacks[] = {"storage", "none", NULL};

static const spot_field_t bamboo_fields[] = {
    {SPOT_RANGE(DURATION, "local_pause", bamboo_options_t, local_pause_ms, 1, HUGE_VAL, "",
        "local pause",
        "pause to form the pipelines anew at a step end; that of the table or "
        "job.reconfiguration if not given; if neither pause is given, new holders then "
        "copy their stages: its part of job.model over fleet.network, where these are "
        "given, else job.reload; published, without a copy: 20 s for GPT-2 and BERT, 10 "
        "s for ResNet and GNMT, 5 s for VGG and AlexNet")},
    {SPOT_RANGE(DURATION, "global_pause", bamboo_options_t, global_pause_ms, 1, HUGE_VAL, "",
        "global pause",
        "pause after a fatal loss, and to begin after waiting; that of the table or "
        "job.reconfiguration and detection if not given; published: 30 s")},
    {SPOT_RANGE(DURATION, "detection", bamboo_options_t, detection_ms, 0,
        (double) SPOT_MAX_DURATION_MS, "", "detection time",
        "time to detect a loss, which an absorbed one takes too; job.detection if not "
        "given")},
    {SPOT_RANGE(NUMBER, "step_factor", bamboo_options_t, step_factor, 1, 1000, "", "step factor",
        "time of a step with redundancy against a plain one, that of job.step_time; "
        "needed unless table has its own step times")},
    {SPOT_RANGE(NUMBER, "slowdown", bamboo_options_t, slowdown, 1, 1000, "",
        "slowdown after a loss",
        "factor of the step time from an absorbed loss to the next pause; if not given "
        "2 / step_factor, at least 1, as one instance does the work of two stages; "
        "published: 1.5")},
    {SPOT_RANGE(NUMBER, "doubled_share", bamboo_options_t, doubled_share, 0, 2, "0.05",
         "doubled share",
         "the pipelines form anew where places held by instances with two are more than "
         "this share of the instances that train"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "redundant_share", bamboo_options_t, redundant_share, 0, 1, "0",
        "redundant share",
        "share of the useful time that counts as redundant; published: 0.8029 "
        "(Oobleck's artifact, fitted to one trace)")},
    {SPOT_CHOICE("fallback", bamboo_options_t, has_no_fallback, fallbacks, "storage", "fallback",
        "source of a stage without a holder: the durable checkpoint; none: as "
        "published, as if it were still there")},
    {SPOT_CHOICE("stale_timers", bamboo_options_t, has_stale_timers, spot_no_yes, "no",
        "fault as published: each fatal loss starts a pause of its own, the first to "
        "end forms pipelines, the next one stops the job; and while nothing trains, a "
        "new instance starts one even if all are too few")},
    {SPOT_CHOICE("late_restart", bamboo_options_t, has_late_restart, spot_no_yes, "no",
        "fault as published: a loss in a pause is found at its end, and only then the "
        "pause starts again")},
    {SPOT_CHOICE("trains_in_pause", bamboo_options_t, trains_in_pause, spot_no_yes, "no",
        "fault as published: steps end and count in the pause after a fatal loss")},
    {SPOT_CHOICE("idle_losses_slow", bamboo_options_t, idle_losses_slow, spot_no_yes, "no",
        "fault as published: the loss of a standby or prepping instance slows the job "
        "too")},
    {SPOT_CHOICE("counts_dead_standby", bamboo_options_t, counts_dead_standby, spot_no_yes, "no",
        "fault as published: standby instances that are lost count as waiting until the "
        "next pause")},
    SPOT_BY_INSTANCES_FIELDS(offsetof(bamboo_options_t, by_n)),
    {.name = NULL, .fields = spot_recovery_common_fields},
};

/* ---- Holders of two stages ---- */

/* A layout in which the holder of a stage can take the next stage too: the places of the
 * layout, and for each place the instance that took it when its own holder was lost. It
 * lives in the state of the policy. */
typedef struct {
    spot_layout_t layout; /* the places of own stages */
    int32_t *second;      /* [capacity] by slot: the place it took, or NONE */
    int32_t *takers;      /* [capacity] by place: the slot that took it; NONE, or
                             abandoned */
    int32_t *lost_places; /* [capacity] of the latest loss, scratch */
    int32_t num_doubled;  /* instances with two places */
} doubling_t;

/* A place without a holder since before the latest loss. */
#define ABANDONED (-2)

static void clear_doubled(doubling_t *self)
{
    const size_t num_bytes = (size_t) self->layout.capacity * sizeof(*self->second);

    memset(self->second, 0xff, num_bytes); /* all bits of NONE are set */
    memset(self->takers, 0xff, num_bytes);
    self->num_doubled = 0;
}

/* Bytes of memory besides the struct, and the start of an empty one in it. */
static size_t doubling_bytes(int64_t capacity)
{
    return spot_layout_bytes(capacity) + 3 * (size_t) capacity * sizeof(int32_t);
}

static void doubling_start(doubling_t *self, void *memory, int64_t capacity)
{
    self->second = memory;
    self->takers = self->second + capacity;
    self->lost_places = self->takers + capacity;
    spot_layout_start(&self->layout, self->lost_places + capacity, capacity);
    clear_doubled(self);
}

/* Forms pipelines anew, as a layout does; no instance holds two places then. */
static void doubling_form(
    doubling_t *self, const spot_fleet_t *fleet, int32_t num_pipelines, int32_t depth)
{
    spot_layout_form(&self->layout, fleet, num_pipelines, depth);
    clear_doubled(self);
}

static int32_t place_before(const spot_layout_t *layout, int32_t place)
{
    return place % layout->depth == 0 ? place + layout->depth - 1 : place - 1;
}

/* Removes lost instances. Returns whether that is fatal: one of them held two places. */
static bool lose_doubled(doubling_t *self, const int32_t *slots, int32_t num_slots)
{
    bool is_fatal = false;

    for (int32_t j = 0; j < num_slots; j++) {
        int32_t *second = &self->second[slots[j]];

        if (*second != SPOT_LAYOUT_NONE) {
            self->takers[*second] = ABANDONED;
            *second = SPOT_LAYOUT_NONE;
            self->num_doubled--;
            is_fatal = true;
        }
    }
    return is_fatal;
}

/* Hands a lost place to the holder of the stage before. Returns whether that is fatal:
 * the holder has two places already. If the stage before was abandoned earlier, no
 * instance notices; that happens in a pause, or once training should have ended. */
static bool hand_over(doubling_t *self, int32_t place)
{
    const int32_t before = place_before(&self->layout, place);
    const int32_t slot = self->layout.slots[before];

    if (slot == SPOT_LAYOUT_NONE || self->second[slot] != SPOT_LAYOUT_NONE) {
        self->takers[place] = ABANDONED;
        return slot != SPOT_LAYOUT_NONE || self->takers[before] != ABANDONED;
    }
    self->second[slot] = place;
    self->takers[place] = slot;
    self->num_doubled++;
    return false;
}

/* Removes all instances lost at one instant, in any order, and then hands over their
 * places. Returns whether that is fatal: one of them held two places, or no instance can
 * take one of theirs. O(lost). */
static bool doubling_lose(doubling_t *self, const int32_t *slots, int32_t num_slots)
{
    bool is_fatal = lose_doubled(self, slots, num_slots);
    int32_t num_places = 0;

    for (int32_t j = 0; j < num_slots; j++) {
        const int32_t place = self->layout.places[slots[j]];

        if (place != SPOT_LAYOUT_NONE) {
            self->lost_places[num_places++] = place;
        }
    }
    spot_layout_lose(&self->layout, slots, num_slots);
    for (int32_t j = 0; j < num_places; j++) {
        const bool has_failed = hand_over(self, self->lost_places[j]);

        is_fatal = is_fatal || has_failed;
    }
    return is_fatal;
}

/* Whether some stage has no holder. O(places). */
static bool doubling_lacks_stage(const doubling_t *self)
{
    const spot_layout_t *layout = &self->layout;

    for (int32_t s = 0; layout->num_pipelines > 0 && s < layout->depth; s++) {
        bool is_held = spot_layout_replicas(layout, s) > 0;

        for (int32_t d = 0; !is_held && d < layout->num_pipelines; d++) {
            is_held = self->takers[d * layout->depth + s] >= 0;
        }
        if (!is_held) {
            return true;
        }
    }
    return false;
}

/* ---- The system ---- */

/* Redundant computation in pipelines of fixed depth: the holder of a stage can take the
 * next stage too. A loss with such a holder is absorbed, and training goes on more
 * slowly; the pipelines form anew at the end of a step when that pays. Any other loss is
 * fatal: all pause, and only the step under way is lost.
 *
 * The simulator published with the paper has faults that change its results. Each is an
 * option here, off by default. With stale_timers several pauses may be due: the first
 * that ends forms the pipelines; a later one finds no instance waiting and stops the job
 * until an instance becomes ready. */

typedef enum {
    WAITING, /* fewer instances than a pipeline needs */
    PAUSING, /* until a timer is due */
    TRAINING,
    STOPPED /* by a stale timer */
} phase_t;

typedef struct {
    doubling_t holders;
    int32_t num_waiting; /* standby as the published simulator counts it */
    phase_t phase;
    bool is_slowed;
    bool trains_on;       /* in the pause */
    bool has_unseen_loss; /* late restart: since the pause began */
    bool needs_reload;
    int64_t reload_end_ms;          /* of the latest reload */
    const spot_instance_row_t *row; /* of the present pipelines; NULL: no table */
    int64_t step_ms;                /* of the row, for their instances */
    bool is_flat;                   /* row is of another number of instances */
    spot_pause_ends_t ends;
} state_t;

/* The arguments of one decision. */
typedef struct {
    const bamboo_options_t *options;
    state_t *state;
    const spot_recovery_view_t *view;
    const spot_recovery_change_t *change;
    spot_recovery_decision_t *decision;
    int64_t num_standby; /* after the decision */
} case_t;

static size_t bamboo_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    return sizeof(state_t) + spot_pause_ends_bytes(capacity) + doubling_bytes(capacity);
}

static void bamboo_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    state_t *self = state;

    (void) options;
    spot_pause_ends_start(&self->ends, self + 1, run->capacity);
    doubling_start(
        &self->holders, (char *) (self + 1) + spot_pause_ends_bytes(run->capacity), run->capacity);
}

/* ---- Decisions ---- */

static int64_t num_usable(const case_t *self)
{
    return spot_recovery_num_usable(self->view);
}

/* How many pipelines num_instances instances form. */
static int64_t pipelines_of(const case_t *self, int64_t num_instances)
{
    const spot_by_instances_t *by_n = &self->options->by_n;
    const spot_job_t *job = self->view->job;
    const int64_t most = num_instances / job->pipeline_depth;

    if (!spot_by_instances_is_given(by_n)) {
        return spot_job_pipelines(job, num_instances);
    }
    if (spot_by_instances_row(by_n, num_instances) == NULL) {
        return 0;
    }
    return most < job->max_pipelines ? most : job->max_pipelines;
}

/* Whether to form the pipelines anew at the end of the step. */
static bool should_reform(const case_t *self)
{
    const state_t *state = self->state;
    const spot_job_t *job = self->view->job;
    const double num_doubled = state->holders.num_doubled;
    const int32_t num_held = state->holders.layout.num_held;
    const int64_t num_standby =
        self->options->counts_dead_standby ? state->num_waiting : self->num_standby;

    if (state->holders.num_doubled > 0 &&
        (num_standby >= state->holders.num_doubled ||
            2 * num_doubled > self->options->doubled_share * num_held)) {
        return true;
    }
    return num_held + num_standby >=
               (state->holders.layout.num_pipelines + 1) * job->pipeline_depth &&
           pipelines_of(self, num_held + num_standby) > state->holders.layout.num_pipelines;
}

/* Stops training. The loss of a pausing instance starts the pause again. */
static void decide_rest(case_t *self, int64_t num_active)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->num_pipelines = 0;
    decision->num_active = (int32_t) num_active;
    decision->step_ms = 0;
    self->num_standby = num_usable(self) - num_active;
}

/* How many instances pause: those that will train, as far as known, or all if they are
 * too few. */
static int64_t num_pausing(const case_t *self)
{
    const spot_job_t *job = self->view->job;
    const int64_t num_pipelines = pipelines_of(self, num_usable(self));

    return num_pipelines == 0 || self->options->has_late_restart
               ? num_usable(self)
               : num_pipelines * job->pipeline_depth;
}

/* Sets the step time of the present pipelines, longer if they are slowed. */
static void decide_step(const case_t *self)
{
    const spot_job_t *job = self->view->job;
    const state_t *state = self->state;
    const double factor =
        self->options->step_factor * (state->is_slowed ? self->options->slowdown : 1);
    spot_recovery_decision_t *decision = self->decision;

    if (state->row != NULL) {
        decision->step_ms = (int64_t) (factor * (double) state->step_ms);
        spot_decision_note(decision, SPOT_NOTE_STEP_FLAT, state->is_flat);
    } else if (factor > 1) {
        const int64_t step_ms = spot_job_step_ms(job, decision->num_pipelines);

        spot_recovery_decision_set_step(decision, job, (int64_t) (factor * (double) step_ms));
    }
}

/* Goes on with the instances left in the pipelines. */
static void decide_training(case_t *self)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
    decision->work = SPOT_WORK_KEPT;
    decision->num_pipelines = self->state->holders.layout.num_pipelines;
    decision->num_active = self->view->num_active;
    decide_step(self);
}

/* Goes on with the present pause. */
static void decide_pause(case_t *self)
{
    if (self->state->trains_on) {
        decide_training(self);
    } else {
        decide_rest(self, num_pausing(self));
    }
}

/* Ends a pause: all instances form pipelines, in their order. */
static void form(case_t *self)
{
    const spot_by_instances_t *by_n = &self->options->by_n;
    const spot_job_t *job = self->view->job;
    const int64_t num_pipelines = pipelines_of(self, num_usable(self));
    spot_recovery_decision_t *decision = self->decision;
    state_t *state = self->state;

    decide_rest(self, num_pipelines * job->pipeline_depth);
    decision->num_pipelines = (int32_t) num_pipelines;
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true); /* the pause was counted */
    decision->work = SPOT_WORK_STEPS_KEPT;
    if (num_pipelines > 0) {
        decision->reload_ms = state->needs_reload ? job->reload_ms : self->options->copy_ms;
        state->reload_end_ms = self->view->now_ms + decision->reload_ms;
        doubling_form(&state->holders, self->view->fleet, (int32_t) num_pipelines,
            (int32_t) job->pipeline_depth);
        state->needs_reload = false;
    }
    state->phase = num_pipelines > 0 ? TRAINING : WAITING;
    state->is_slowed = false;
    state->trains_on = false;
    state->num_waiting = (int32_t) self->num_standby;
    state->row = NULL;
    if (num_pipelines > 0 && spot_by_instances_is_given(by_n)) {
        state->row = spot_by_instances_row(by_n, num_usable(self));
        state->step_ms = spot_by_instances_step_ms(by_n, state->row, num_usable(self));
        state->is_flat = spot_by_instances_is_flat(by_n, num_usable(self));
    }
    if (num_pipelines > 0) {
        decide_step(self);
    }
}

/* A stale timer ends while no instance waits for it. */
static void stop(case_t *self)
{
    if (self->state->phase == TRAINING) {
        self->state->phase = STOPPED;
        self->state->is_slowed = false;
        decide_rest(
            self, self->decision->is_new ? self->decision->num_active : self->view->num_active);
        spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true);
        self->decision->work = SPOT_WORK_STEPS_KEPT;
    }
}

/* ---- Pauses ---- */

static int64_t local_pause_ms(const case_t *self)
{
    return spot_by_instances_pause_ms(&self->options->by_n, SPOT_BY_N_LOCAL_PAUSE_MS,
        num_usable(self), self->options->local_pause_ms);
}

static int64_t global_pause_ms(const case_t *self)
{
    return spot_by_instances_pause_ms(&self->options->by_n, SPOT_BY_N_GLOBAL_PAUSE_MS,
        num_usable(self), self->options->global_pause_ms);
}

/* Starts a pause of all ready instances; stages without a holder are read from storage.
 * At time 0 the first pipelines form at once. */
static void pause_all(case_t *self, int64_t pause_ms)
{
    const bool is_global_while_training =
        self->change->kind == SPOT_CHANGE_MEMBERSHIP &&
        (self->state->phase == TRAINING || self->state->trains_on);
    state_t *state = self->state;

    state->phase = PAUSING;
    state->has_unseen_loss = false;
    state->trains_on = self->options->trains_in_pause && is_global_while_training;
    if (!self->options->has_stale_timers) {
        state->ends.num_ends = 0;
    }
    if (self->view->now_ms == 0) {
        form(self);
        return;
    }
    if (!self->options->has_no_fallback && doubling_lacks_stage(&state->holders)) {
        state->needs_reload = true;
        state->trains_on = false;
    }
    self->decision->num_clipped += spot_pause_ends_add(&state->ends, self->view->now_ms, pause_ms);
    decide_pause(self);
    if (!state->trains_on) {
        self->decision->work = state->needs_reload ? SPOT_WORK_ROLLED_BACK : SPOT_WORK_STEPS_KEPT;
    }
    spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, false);
}

static void end_pause(case_t *self, int64_t pause_ms)
{
    state_t *state = self->state;

    if (state->phase != PAUSING) {
        stop(self);
    } else if (state->has_unseen_loss) {
        state->has_unseen_loss = false;
        self->decision->num_clipped +=
            spot_pause_ends_add(&state->ends, self->view->now_ms, pause_ms);
    } else {
        form(self);
    }
}

/* Ends the pauses that are due. Returns whether there were any. */
static bool end_pauses(case_t *self)
{
    bool has_ended = false;
    int64_t pause_ms;

    while (spot_pause_ends_take(&self->state->ends, self->view->now_ms, &pause_ms)) {
        end_pause(self, pause_ms);
        has_ended = true;
    }
    return has_ended;
}

/* ---- Losses ---- */

static void begin_fatal(case_t *self)
{
    spot_decision_note(self->decision, SPOT_NOTE_FATAL, true);
    pause_all(self, global_pause_ms(self));
}

static void lose_in_training(case_t *self, bool is_fatal)
{
    const spot_recovery_change_t *change = self->change;
    state_t *state = self->state;

    if (self->view->now_ms < state->reload_end_ms) { /* the state is read again */
        state->needs_reload = true;
        pause_all(self, global_pause_ms(self));
    } else if (is_fatal) {
        begin_fatal(self);
    } else if (change->num_lost_active > 0 ||
               (self->options->idle_losses_slow && !state->is_slowed)) {
        state->is_slowed = true;
        decide_training(self);
        self->decision->reconfiguration_ms =
            change->num_lost_active > 0 ? self->options->detection_ms : 0;
    }
}

static void lose_in_pause(case_t *self)
{
    state_t *state = self->state;

    if (!self->options->has_late_restart) {
        pause_all(self, state->ends.ends[0].pause_ms);
        return;
    }
    state->has_unseen_loss = true;
    decide_pause(self);
    spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true);
    self->decision->work = state->trains_on ? SPOT_WORK_KEPT : SPOT_WORK_STEPS_KEPT;
}

static void handle_losses(case_t *self)
{
    const int32_t num_lost_active = self->change->num_lost_active;
    state_t *state = self->state;
    const bool is_fatal =
        doubling_lose(&state->holders, self->change->gone, self->change->num_gone);

    if (state->phase == TRAINING) {
        lose_in_training(self, is_fatal);
    } else if (is_fatal && self->options->has_stale_timers && state->phase != WAITING) {
        begin_fatal(self);
    } else if (state->phase == PAUSING && num_lost_active > 0) {
        lose_in_pause(self);
    } else if (num_lost_active > 0) {
        decide_rest(self, self->view->num_active);
        spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true);
    }
}

/* New ready instances join the pause or wait for the next one. */
static void handle_ready(case_t *self)
{
    state_t *state = self->state;

    state->num_waiting += self->change->num_ready;
    if (state->phase == PAUSING) {
        if (!state->trains_on && !self->decision->is_new &&
            num_pausing(self) != self->view->num_active) {
            decide_rest(self, num_pausing(self));
            spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, true);
            self->decision->work = SPOT_WORK_STEPS_KEPT;
        }
    } else if (state->phase != TRAINING &&
               (self->options->has_stale_timers || pipelines_of(self, num_usable(self)) > 0)) {
        pause_all(self, global_pause_ms(self));
    }
}

/* Asks for a wake at the end of a pause, or of a step if the pipelines should reform. */
static void ask_again(case_t *self)
{
    const state_t *state = self->state;

    self->decision->wake_ms = spot_pause_ends_next_ms(&state->ends);
    if ((state->phase == TRAINING || state->trains_on) && should_reform(self)) {
        self->decision->wakes = SPOT_WAKE_STEP_END;
    }
}

/* Whether fewer pipelines form than there are instances for, for lack of a step time. */
static bool lacks_step_time(const case_t *self)
{
    const spot_by_instances_t *by_n = &self->options->by_n;
    const spot_job_t *job = self->view->job;
    const int64_t num_instances = num_usable(self);
    const state_t *state = self->state;
    const int64_t num_formed =
        state->phase == TRAINING || state->trains_on ? state->holders.layout.num_pipelines : 0;

    if (spot_by_instances_is_given(by_n)) {
        return spot_by_instances_row(by_n, num_instances) == NULL &&
               num_formed < job->max_pipelines && num_formed < num_instances / job->pipeline_depth;
    }
    return (self->decision->step_ms == 0 || !state->is_slowed) &&
           spot_job_lacks_step_time(job, num_instances);
}

static void bamboo_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    case_t self = {
        .options = options,
        .state = state,
        .view = view,
        .change = change,
        .decision = decision,
        .num_standby = view->num_standby,
    };

    if (change->kind == SPOT_CHANGE_WAKE) {
        if (!end_pauses(&self) && should_reform(&self)) {
            pause_all(&self, local_pause_ms(&self));
        }
    } else {
        if (change->num_gone + change->num_gone_prepping > 0) {
            handle_losses(&self);
        }
        if (change->num_ready > 0) {
            handle_ready(&self);
        }
    }
    ask_again(&self);
    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN, lacks_step_time(&self));
}

/* ---- The system ---- */

static void bamboo_release(void *options)
{
    spot_by_instances_free(&((bamboo_options_t *) options)->by_n);
}

static const spot_recovery_fault_t bamboo_faults[] = {
    {"stale_timers", "a pause that is over stops the job"},
    {"late_restart", "a loss does not start a pause again"},
    {"trains_in_pause", "steps end in a pause"},
    {"idle_losses_slow", "losses of idle instances slow"},
    {"counts_dead_standby", "lost instances are counted"},
    {"fallback", "a stage without a holder is there"},
    {NULL, NULL},
};

const spot_recovery_t spot_recovery_bamboo = {
    .name = "bamboo",
    .doc = "redundant computation: the holder of a stage takes over the next one, in "
           "pipelines of fixed depth",
    .source = "Thorpe et al., Bamboo, NSDI'23",
    .published = "Bamboo (NSDI'23) for BERT and GPT-2: pauses of 20 s and 30 s, steps "
                 "1.5 times as long with a loss absorbed",
    .options = bamboo_fields,
    .options_size = sizeof(bamboo_options_t),
    .traits = {.has_own_step_time = true, .sees_all_losses = true, .flushes = SPOT_FLUSHES_NEVER},
    .settle = bamboo_settle,
    .release = bamboo_release,
    .uses = spot_recovery_uses_no_notice,
    .faults = bamboo_faults,
    .state_size = bamboo_state_size,
    .start = bamboo_start,
    .decide = bamboo_decide,
};
