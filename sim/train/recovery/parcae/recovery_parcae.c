/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parcae: forms the pipelines (D,P) with the most expected samples over the next
 * intervals, including the costs of moves and preemptions. A stage without survivors is
 * read from the last checkpoint; as published a service in memory has it, so that ended
 * steps are always kept. */
#include <string.h>

#include "base/units.h"
#include "sim/train/recovery/layout.h"
#include "sim/train/recovery/parcae/lookahead.h"
#include "sim/train/recovery/parcae/predict.h"

enum { PREDICT_LAST, PREDICT_ARIMA, PREDICT_ORACLE };
static const char *const predictor_names[] = {"last", "arima", "oracle", NULL};

enum { NOTICE_DRAIN, NOTICE_IGNORE };
static const char *const notice_names[] = {"drain", "ignore", NULL};

#define MAX_HISTORY 64

/* Memory for tables of expected costs in a run, and bounds of their number. */
#define TABLE_BYTES ((size_t) 4 << 20)
#define FEWEST_TABLES 8
#define MOST_TABLES 64

typedef struct {
    spot_parcae_t parcae;
    int64_t num_intervals;
    int predictor;
    int64_t num_samples;
    int64_t num_history;
    int notice;
    int64_t drain_steps;
    spot_parcae_limits_t limits;
    spot_parcae_moves_t sure; /* moves without losses */
} options_t;

typedef struct {
    spot_layout_t held;   /* the holders of the state */
    spot_layout_t coming; /* the holders after the pause */
    bool is_moving;       /* the pause is under way */
    int32_t pair;         /* in use or coming */
    int32_t num_left;     /* active instances neither lost nor given up */
    int64_t detected_ms;  /* when the latest loss is detected */
    int64_t leave_ms;     /* when the announced instances are given up; 0: never */
    int32_t num_counts;
    int32_t counts[MAX_HISTORY + 1];      /* instances at the latest boundaries */
    const spot_recovery_future_t *future; /* oracle */
    double *first_costs;                  /* [num_pairs + 1] */
    uint8_t *is_lost;                     /* [capacity] by place of held */
    spot_parcae_lookahead_t ahead;
} state_t;

/* ---- Memory ---- */

static int32_t num_tables(const options_t *self)
{
    const size_t num = (size_t) self->parcae.num_pairs + 1;
    const size_t count = TABLE_BYTES / (num * num * sizeof(double));

    if (self->predictor == PREDICT_LAST) {
        return 0; /* no loss is forecast */
    }
    return count < FEWEST_TABLES ? FEWEST_TABLES
           : count > MOST_TABLES ? MOST_TABLES
                                 : (int32_t) count;
}

static size_t parcae_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const options_t *self = options;

    (void) job;
    return sizeof(state_t) + ((size_t) self->parcae.num_pairs + 1) * sizeof(double) +
           spot_parcae_lookahead_bytes(&self->parcae, capacity, num_tables(self)) + sizeof(double) +
           2 * spot_layout_bytes(capacity) + (size_t) capacity;
}

static size_t parcae_kept_size(const void *options)
{
    (void) options;
    return SPOT_PARCAE_ANSWERS_BYTES;
}

static void parcae_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    const options_t *self = options;
    state_t *memory = state;
    const size_t layout_bytes = spot_layout_bytes(run->capacity);
    size_t ahead_bytes =
        spot_parcae_lookahead_bytes(&self->parcae, run->capacity, num_tables(self));
    char *rest;

    ahead_bytes += sizeof(double) - ahead_bytes % sizeof(double);
    memory->pair = self->parcae.num_pairs;
    memory->future = run->future;
    memory->first_costs = (double *) (void *) (memory + 1);
    rest = (char *) (memory->first_costs + self->parcae.num_pairs + 1);
    spot_parcae_lookahead_start(
        &memory->ahead, rest, &self->parcae, run->capacity, num_tables(self));
    memory->ahead.sure = &self->sure;
    memory->ahead.num_samples = self->num_samples;
    memory->ahead.seed = run->seed;
    memory->ahead.replication = run->replication;
    memory->ahead.answers = run->kept;
    spot_layout_start(&memory->held, rest + ahead_bytes, run->capacity);
    spot_layout_start(&memory->coming, rest + ahead_bytes + layout_bytes, run->capacity);
    memory->is_lost = (uint8_t *) (rest + ahead_bytes + 2 * layout_bytes);
}

/* ---- Holders of the state ---- */

/* Follows the end of a pause and losses. */
static void follow(const options_t *options, state_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change)
{
    if (self->is_moving && view->training_ms <= view->now_ms) {
        const spot_layout_t coming = self->coming;

        self->coming = self->held;
        self->held = coming;
        self->is_moving = false;
    }
    spot_layout_lose(&self->held, change->lost, change->num_lost_active);
    if (self->is_moving) {
        spot_layout_lose(&self->coming, change->lost, change->num_lost_active);
    }
    if (change->num_lost_active > 0) {
        self->detected_ms = view->now_ms + options->parcae.detection_ms;
    }
    self->num_left = view->num_active;
}

static int64_t detection_left_ms(const state_t *self, const spot_recovery_view_t *view)
{
    return self->detected_ms > view->now_ms ? self->detected_ms - view->now_ms : 0;
}

/* Moves the state by a new decision: instances out of use are no survivors. */
static void move(const options_t *options, state_t *self, const spot_recovery_view_t *view)
{
    const spot_parcae_pair_t *pair = &options->parcae.pairs[self->pair];

    spot_layout_form_noticed_last(&self->coming, view->fleet,
        options->notice == NOTICE_DRAIN ? view->deadlines_ms : NULL, pair->num_pipelines,
        pair->depth);
    for (int32_t slot = 0; slot < self->held.capacity; slot++) {
        /* Negative for a holder without a coming place: rare, where each half is not. */
        if ((self->coming.places[slot] & ~self->held.places[slot]) < 0) {
            spot_layout_lose(&self->held, &slot, 1);
        }
    }
    self->is_moving = true;
}

/* ---- Announced preemptions ---- */

static bool takes_notice(const options_t *self, const spot_recovery_view_t *view)
{
    return self->notice == NOTICE_DRAIN && view->deadlines_ms != NULL;
}

/* N without instances with an announced preemption. */
static int64_t num_instances(const options_t *self, const spot_recovery_view_t *view)
{
    return takes_notice(self, view) ? spot_recovery_num_staying(view)
                                    : spot_recovery_num_usable(view);
}

/* Gives up the announced instances. */
static void leave(const options_t *options, state_t *self, const spot_recovery_view_t *view)
{
    self->leave_ms = 0;
    for (int32_t slot = 0; takes_notice(options, view) && slot < self->held.capacity; slot++) {
        if (spot_recovery_is_leaving(view, slot)) {
            spot_layout_lose(&self->held, &slot, 1);
            self->num_left--;
        }
    }
}

typedef enum {
    ANSWER_NONE, /* no active instance is announced */
    ANSWER_WAIT, /* nothing else is decided until it is given up or lost */
    ANSWER_LEAVE
} answer_t;

/* Drains all steps that are asked for or, without time for them, none; none in a pause.
 * Without a number it drains all steps that end by the deadline. */
static answer_t answer_notice(const options_t *options, state_t *self,
    const spot_recovery_view_t *view, const spot_recovery_decision_t *decision)
{
    const spot_parcae_pair_t *pair = &options->parcae.pairs[self->pair];
    const int64_t first_ms =
        takes_notice(options, view) ? spot_recovery_first_deadline_ms(view, decision) : INT64_MAX;
    const int64_t now_ms = view->now_ms;
    int64_t step_ms = pair->step_ms;

    if (first_ms == INT64_MAX) {
        return ANSWER_NONE;
    }
    if (spot_parcae_rest_ms(view) > 0 || now_ms == self->leave_ms) {
        return ANSWER_LEAVE;
    }
    if (step_ms == 0) {
        step_ms = spot_job_step_ms(view->job, pair->num_pipelines);
    }
    if (self->leave_ms == 0 && options->drain_steps <= (first_ms - now_ms) / step_ms) {
        const int64_t num_ended = (now_ms - view->training_ms) / step_ms;
        const int64_t num_fitting = (first_ms - view->training_ms) / step_ms;

        self->leave_ms =
            view->training_ms +
            (options->drain_steps == 0 ? num_fitting : num_ended + options->drain_steps) * step_ms;
    }
    return ANSWER_WAIT;
}

/* ---- Costs now ---- */

/* Whether the state must be read from storage: no service keeps it, and some stage has
 * no holder. */
static bool needs_storage(const options_t *self, const state_t *state)
{
    const spot_layout_t *held = &state->held;
    bool is_whole = held->num_pipelines > 0;

    for (int32_t stage = 0; is_whole && stage < held->depth; stage++) {
        is_whole = spot_layout_replicas(held, stage) > 0;
    }
    return !self->parcae.keeps_steps && !is_whole;
}

static void find_first_costs(
    const options_t *self, state_t *state, const spot_recovery_view_t *view, bool has_loss)
{
    const int64_t detection_ms = detection_left_ms(state, view);
    const spot_parcae_t *parcae = &self->parcae;
    const spot_parcae_costs_t *costs = &parcae->costs;
    const int64_t rest_ms = spot_parcae_rest_ms(view);
    const int64_t num_usable = num_instances(self, view);
    const int32_t num_places = state->held.num_pipelines * state->held.depth;
    const bool is_from_storage = needs_storage(self, state);
    const spot_parcae_left_t left = {
        .num_pipelines =
            state->held.num_held == 0 || is_from_storage ? 0 : state->held.num_pipelines,
        .depth = state->held.depth,
        .is_lost = state->is_lost,
        .num_left = state->num_left,
    };
    bool is_any = false;

    for (int32_t place = 0; place < num_places; place++) {
        state->is_lost[place] = state->held.slots[place] == SPOT_LAYOUT_NONE;
    }
    for (int32_t id = 0; id < parcae->num_pairs; id++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[id];
        double *cost = &state->first_costs[id];

        if (spot_parcae_size(parcae, id) > num_usable) {
            *cost = -1;
            continue;
        }
        is_any = true;
        if (view->now_ms == 0) { /* the first decision is free */
            *cost = 0;
        } else if (id == state->pair && !has_loss) {
            *cost = (double) rest_ms;
        } else {
            *cost = (double) detection_ms +
                    spot_parcae_move_ms(costs, &left, pair->num_pipelines, pair->depth);
            *cost += parcae->merges_pauses && rest_ms > 0
                         ? spot_parcae_restart_ms(costs, pair->num_pipelines, pair->depth, false)
                         : 0;
        }
    }
    /* To wait does not help before a loss is detected. */
    state->first_costs[parcae->num_pairs] = is_any && detection_ms > 0 ? -1 : 0;
}

/* ---- Forecasts ---- */

static void remember(const options_t *self, state_t *state, int64_t num_instances)
{
    if (state->num_counts == self->num_history) {
        memmove(state->counts, state->counts + 1,
            (size_t) (state->num_counts - 1) * sizeof(*state->counts));
        state->num_counts--;
    }
    state->counts[state->num_counts++] = (int32_t) num_instances;
}

/* ARIMA; between boundaries the present count follows those of boundaries. */
static int32_t forecast_arima(
    const options_t *self, const state_t *state, bool is_boundary, int32_t *counts)
{
    spot_parcae_limits_t limits = self->limits;
    int32_t history[MAX_HISTORY + 1];
    int32_t num_history = state->num_counts;

    if (limits.max == 0) {
        limits.max = self->parcae.num_best - 1;
    }
    memcpy(history, state->counts, (size_t) num_history * sizeof(*history));
    if (!is_boundary) {
        history[num_history++] = counts[0];
    }
    return spot_parcae_forecast(
        history, num_history, &limits, counts + 1, (int32_t) self->num_intervals - 1);
}

/* Sets counts[num_intervals] to the count now and the forecasts for the next boundaries.
 * Returns how many forecasts were cut off. */
static int32_t forecast(
    const options_t *self, const state_t *state, const spot_recovery_view_t *view, int32_t *counts)
{
    const int64_t interval_ms = self->parcae.interval_ms;
    int64_t boundary_ms = spot_parcae_next_ms(&self->parcae, view->now_ms);

    counts[0] = (int32_t) num_instances(self, view);
    if (self->predictor == PREDICT_ARIMA) {
        return forecast_arima(self, state, view->now_ms % interval_ms == 0, counts);
    }
    for (int64_t j = 1; j < self->num_intervals; j++, boundary_ms += interval_ms) {
        counts[j] = self->predictor == PREDICT_LAST
                        ? counts[0]
                        : (int32_t) spot_recovery_future_count(state->future, boundary_ms);
    }
    return 0;
}

/* ---- Decisions ---- */

static void decide_move(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const int64_t detection_ms = detection_left_ms(state, view);
    const bool is_from_storage = needs_storage(self, state);
    const spot_parcae_t *parcae = &self->parcae;
    const spot_parcae_pair_t *pair = &parcae->pairs[state->pair];
    const double pause_ms = state->first_costs[state->pair];
    double restart_ms = 0;

    if (pair->num_pipelines > 0) {
        restart_ms = (double) detection_ms +
                     spot_parcae_restart_ms(&parcae->costs, pair->num_pipelines, pair->depth,
                         is_from_storage || pair->num_pipelines * pair->depth > state->num_left);
        restart_ms +=
            parcae->merges_pauses && spot_parcae_rest_ms(view) > 0
                ? spot_parcae_restart_ms(&parcae->costs, pair->num_pipelines, pair->depth, false)
                : 0;
    }
    spot_parcae_decide_pair(
        parcae, state->pair, pause_ms, restart_ms < pause_ms ? restart_ms : pause_ms, decision);
    if (is_from_storage) {
        decision->work = SPOT_WORK_ROLLED_BACK;
    }
    decision->takes_noticed_last = self->notice == NOTICE_DRAIN;
    move(self, state, view);
}

/* Returns whether nothing more is to be decided until a change. */
static bool decide_ahead(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    bool has_loss, spot_recovery_decision_t *decision)
{
    const int64_t interval_ms = self->parcae.interval_ms;
    const bool is_boundary = view->now_ms % interval_ms == 0;
    int32_t counts[SPOT_PARCAE_MAX_INTERVALS];
    const spot_parcae_question_t question = {
        .first_ms = spot_parcae_next_ms(&self->parcae, view->now_ms) - view->now_ms,
        .num_intervals = (int32_t) self->num_intervals,
        .counts = counts,
        .first_costs = state->first_costs,
        .current = state->pair,
    };
    int32_t chosen;

    decision->num_clipped = forecast(self, state, view, counts);
    decision->lacks_step_time = spot_parcae_lacks_step_time(&self->parcae, view);
    find_first_costs(self, state, view, has_loss);
    chosen = spot_parcae_look_ahead(&state->ahead, &question);
    if (has_loss || chosen != state->pair) {
        state->pair = chosen;
        decide_move(self, state, view, decision);
        return false;
    }
    return is_boundary && spot_parcae_rest_ms(view) == 0;
}

static void parcae_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const bool is_boundary = view->now_ms % self->parcae.interval_ms == 0;
    state_t *memory = state;
    bool has_loss = change->num_lost_active > 0;
    answer_t answer = ANSWER_NONE;
    bool is_settled = false;

    follow(self, memory, view, change);
    if (is_boundary) {
        remember(self, memory, num_instances(self, view));
    }
    if (!has_loss) {
        answer = answer_notice(self, memory, view, decision);
        has_loss = answer == ANSWER_LEAVE;
    }
    if (has_loss) {
        leave(self, memory, view);
    }
    if (has_loss || (is_boundary && answer == ANSWER_NONE)) {
        is_settled = decide_ahead(self, memory, view, has_loss, decision);
    }
    if (!is_settled || self->predictor != PREDICT_LAST) {
        decision->wake_ms = spot_parcae_next_ms(&self->parcae, view->now_ms);
        decision->wakes_last = true;
    }
    if (memory->leave_ms > view->now_ms && memory->leave_ms < decision->wake_ms) {
        decision->wake_ms = memory->leave_ms;
    }
}

/* ---- Options ---- */

static int parcae_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const int ret = spot_parcae_settle(&self->parcae, terms);

    if (ret != 0 || self->parcae.best == NULL) {
        return ret;
    }
    if (self->parcae.num_pairs > SPOT_PARCAE_MAX_PAIRS) {
        spot_bind_error(bind, node, "recovery",
            "%d (D,P) are more than the look-ahead takes (%d): narrow min_depth to "
            "max_depth, or use parcae-throughput",
            (int) self->parcae.num_pairs, SPOT_PARCAE_MAX_PAIRS);
        return 0;
    }
    if (self->limits.max > 0 && self->limits.max < self->limits.min) {
        spot_bind_error(bind, node, "recovery", "forecast_max is less than forecast_min");
    }
    return spot_parcae_moves_init(&self->sure, &self->parcae);
}

static void parcae_release(void *options)
{
    options_t *self = options;

    spot_parcae_moves_free(&self->sure);
    spot_parcae_release(&self->parcae);
}

static bool parcae_knows_future(const void *options)
{
    const options_t *self = options;

    return self->predictor == PREDICT_ORACLE;
}

static const spot_field_t parcae_options[] = {
    {SPOT_RANGE(INTEGER, "look_ahead", options_t, num_intervals, 1, SPOT_PARCAE_MAX_INTERVALS, "8",
         "intervals looked ahead",
         "intervals to plan for, the one that begins included; only the first step is "
         "carried out"),
        SPOT_DECIDES},
    {SPOT_CHOICE("predictor", options_t, predictor, predictor_names, "last", "predictor",
        "how many instances there will be: last: as many as now; arima: ARIMA(1,1,0) on "
        "the latest counts at boundaries; oracle: as many as there are going to be, "
        "which no real system knows (the output calls it clairvoyant)")},
    {SPOT_CHOICE("notice", options_t, notice, notice_names, "drain", "answer to a notice",
        "drain: when the preemption of an instance in use is announced (see "
        "fleet.notice), the job does drain_steps more steps, if they fit before it, and "
        "goes on without that instance, which is paid and idle until it goes: no step "
        "is lost; in a pause at once. Else nothing is planned until the loss. ignore: "
        "as if nothing was announced")},
    {SPOT_RANGE(INTEGER, "drain_steps", options_t, drain_steps, 0, 1e6, "0", "steps before a loss",
        "steps to do after a notice, the one under way included; 2 in the published "
        "program, whose announced instances are idle for the rest of a long notice; 0: "
        "as many as fit before the loss")},
    {SPOT_RANGE(INTEGER, "samples", options_t, num_samples, 1, 1e6, "1000", "draws of victims",
        "draws of victims for an expected cost; where there are no more outcomes than "
        "that, all are counted instead")},
    {SPOT_RANGE(INTEGER, "history", options_t, num_history, 3, MAX_HISTORY, "8",
         "intervals of history", "arima: counts to forecast from"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "forecast_min", options_t, limits.min, 0, SPOT_MAX_INSTANCES, "0",
        "arima: least forecast; 8 in the published program; with a warning where it "
        "cuts off")},
    {SPOT_RANGE(INTEGER, "forecast_max", options_t, limits.max, 0, SPOT_MAX_INSTANCES, "0",
        "arima: largest forecast, likewise; 32 in the published program; 0: "
        "fleet.capacity")},
    {SPOT_RANGE(INTEGER, "forecast_range", options_t, limits.range, 0, SPOT_MAX_INSTANCES, "3",
         "most change of a forecast",
         "arima: most that a forecast may differ from the next boundary's, likewise"),
        SPOT_DECIDES},
    {.name = NULL, .fields = spot_parcae_fields},
};

const spot_recovery_t spot_recovery_parcae = {
    .name = "parcae",
    .doc = "the pipelines that are expected to give the most samples over the next "
           "intervals, migrations included; steps that ended are kept while each stage "
           "has a holder",
    .source = "Duan et al., Parcae, NSDI'24",
    .options = parcae_options,
    .options_size = sizeof(options_t),
    .never_flushes = spot_recovery_has_no_flush,
    .published = SPOT_PARCAE_PUBLISHED,
    .keeps_steps = spot_parcae_keeps_steps,
    .has_own_step_time = true,
    .chooses_depth = true,
    .settle = parcae_settle,
    .release = parcae_release,
    .knows_future = parcae_knows_future,
    .faults = spot_parcae_faults,
    .state_size = parcae_state_size,
    .start = parcae_start,
    .kept_size = parcae_kept_size,
    .decide = parcae_decide,
};
