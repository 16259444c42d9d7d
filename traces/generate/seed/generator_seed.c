/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The corrected seed generator: independent Bernoulli trials per tick for a preemption
 * and an addition event, sizes from a law, and a population within 0 and the capacity.
 * Geometric gaps skip the ticks without an event, which is the same law. The forms that
 * keep defects of the notebook are in generator_seed_notebook.c. */

#include "traces/generate/seed/generator_seed.h"
#include "base/integers.h"
#include "base/units.h"

enum {
    PREEMPTION = SPOT_SEED_PREEMPTION,
    ADDITION = SPOT_SEED_ADDITION,
    NUM_DIRECTIONS = SPOT_SEED_NUM_DIRECTIONS
};

typedef spot_seed_direction_t direction_t;
typedef spot_seed_model_t model_t;
typedef spot_seed_state_t state_t;

static bool has_same_sizes(const model_t *a, const model_t *b, int direction_id)
{
    const direction_t *left = &a->directions[direction_id];
    const direction_t *right = &b->directions[direction_id];

    return a->variant == b->variant && a->common.capacity == b->common.capacity &&
           left->count.family == right->count.family && left->count.a == right->count.a &&
           left->count.b == right->count.b && left->big.probability == right->big.probability &&
           left->big.low == right->big.low && left->big.high == right->big.high;
}

static int init_size_law(model_t *self, int direction_id, const model_t *like)
{
    direction_t *direction = &self->directions[direction_id];

    if (like != NULL && has_same_sizes(self, like, direction_id)) {
        return spot_size_law_copy(&direction->law, &like->directions[direction_id].law);
    }
    return spot_size_law_init(&direction->law, &direction->count, &direction->big,
        self->variant == SPOT_SEED_CORRECTED ? self->common.capacity : SPOT_MAX_INSTANCES);
}

static int seed_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    const double ticks_per_minute = (double) SPOT_MS_PER_MIN / (double) self->common.tick_ms;
    int ret = 0;

    (void) diag;
    spot_seed_notebook_set_big(self);
    for (int j = 0; j < NUM_DIRECTIONS && ret == 0; j++) {
        direction_t *direction = &self->directions[j];

        direction->num_trials = ticks_per_minute;
        direction->p_of_trials = direction->p_per_minute;
        ret = init_size_law(self, j, like);
    }
    if (ret == 0) {
        spot_seed_notebook_prepare(self);
    }
    return ret;
}

static void seed_bind_parts(void *model, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const void *like)
{
    (void) like;
    spot_seed_notebook_bind(model, bind, node, setting);
}

static void seed_free(void *model)
{
    model_t *self = model;

    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        spot_size_law_free(&self->directions[j].law);
    }
}

static SPOT_NOINLINE void draw_ticks(spot_seed_trials_t *self)
{
    uint64_t numbers[SPOT_SEED_NUM_AHEAD];

    spot_rng_fill(&self->gap, numbers, SPOT_SEED_NUM_AHEAD);
    for (int j = 0; j < SPOT_SEED_NUM_AHEAD; j++) {
        self->last_tick += spot_trial_law_invert(&self->gap_law, numbers[j] >> 11);
        self->ticks[j] = self->last_tick;
    }
    self->num_ticks_used = 0;
}

static SPOT_NOINLINE void draw_sizes(spot_seed_trials_t *self)
{
    uint64_t numbers[SPOT_SEED_NUM_AHEAD];

    spot_rng_fill(&self->count, numbers, SPOT_SEED_NUM_AHEAD);
    for (int j = 0; j < SPOT_SEED_NUM_AHEAD; j++) {
        self->sizes[j] = spot_size_law_invert(&self->direction->law, spot_rng_double(numbers[j]));
    }
    self->num_sizes_used = 0;
}

void spot_seed_advance(spot_seed_trials_t *self)
{
    if (++self->num_ticks_used == SPOT_SEED_NUM_AHEAD) {
        draw_ticks(self);
    }
}

/* A state belongs to one model. */
static void make_gap_laws(state_t *self, const model_t *model)
{
    if (self->model == model) {
        return;
    }
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        const direction_t *direction = &model->directions[j];

        spot_trial_law_init(
            &self->trials[j].gap_law, direction->num_trials, direction->p_of_trials);
    }
}

/* The first trial is at tick 1; in the notebook's forms at tick 0. */
static void seed_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *seed = model;
    const int64_t last_ms = spot_model_last_ms(&seed->common);
    const bool is_corrected = seed->variant == SPOT_SEED_CORRECTED;

    make_gap_laws(self, seed);
    self->model = seed;
    self->population = seed->common.initial;
    self->last_tick = is_corrected ? last_ms / seed->common.tick_ms
                                   : spot_seed_notebook_num_ticks(seed, last_ms) - 1;
    self->stopped_ms = -1;
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        spot_seed_trials_t *trials = &self->trials[j];

        trials->direction = &seed->directions[j];
        spot_dice_seek(dice, &trials->gap, SPOT_STREAM_GAP, (uint64_t) j);
        spot_dice_seek(dice, &trials->count, SPOT_STREAM_COUNT, (uint64_t) j);
        trials->last_tick = is_corrected ? 0 : -1;
        trials->num_sizes_used = SPOT_SEED_NUM_AHEAD;
        self->waiting[j] = 0;
        draw_ticks(trials);
    }
}

static int32_t next_size(spot_seed_trials_t *self)
{
    if (self->num_sizes_used == SPOT_SEED_NUM_AHEAD) {
        draw_sizes(self);
    }
    return self->sizes[self->num_sizes_used];
}

/* The next events up to a tick, fewer than max_events if there are no more. An event
 * without effect (no instance left, or no room) is dropped. */
static size_t next_up_to_tick(
    state_t *self, int64_t last_tick, size_t max_events, spot_event_t *events)
{
    const int64_t capacity = self->model->common.capacity;
    const int64_t tick_ms = self->model->common.tick_ms;
    spot_seed_trials_t *losses = &self->trials[PREEMPTION];
    spot_seed_trials_t *additions = &self->trials[ADDITION];
    int64_t population = self->population;
    size_t num_events = 0;

    while (num_events < max_events) {
        const int64_t loss_tick = spot_seed_next_tick(losses);
        const int64_t addition_tick = spot_seed_next_tick(additions);
        const bool is_addition = addition_tick < loss_tick;
        const int64_t tick = spot_smaller(addition_tick, loss_tick);
        spot_event_t *event = &events[num_events];
        int64_t size;

        if (tick > last_tick) {
            break;
        }
        if (is_addition) {
            size = spot_smaller(next_size(additions), capacity - population);
            additions->num_sizes_used += size > 0;
            spot_seed_advance(additions);
            population += size;
        } else {
            size = spot_smaller(next_size(losses), population);
            losses->num_sizes_used += size > 0;
            spot_seed_advance(losses);
            population -= size;
        }
        event->time_ms = tick * tick_ms;
        event->kind = is_addition ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT;
        event->count = (int32_t) size;
        event->name_ids = NULL;
        num_events += size > 0;
    }
    self->population = population;
    return num_events;
}

static SPOT_FLATTEN size_t seed_next_many(void *state, size_t max_events, spot_event_t *events)
{
    state_t *self = state;
    size_t num_events = 0;

    if (self->model->variant == SPOT_SEED_CORRECTED) {
        return next_up_to_tick(self, self->last_tick, max_events, events);
    }
    while (num_events < max_events &&
           spot_seed_notebook_next(self, self->last_tick, &events[num_events])) {
        num_events++;
    }
    return num_events;
}

static bool seed_next(void *state, spot_event_t *event)
{
    return seed_next_many(state, 1, event) == 1;
}

static bool seed_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;
    const int64_t last_tick = last_ms / self->model->common.tick_ms;

    return self->model->variant == SPOT_SEED_CORRECTED
               ? next_up_to_tick(self, last_tick, 1, event) == 1
               : spot_seed_notebook_next(self, last_tick, event);
}

/* The trials do not depend on the population, which only limits the sizes. */
static const int32_t *seed_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;

    (void) time_s;
    self->population -= num_lost;
    return NULL;
}

static bool seed_is_unlimited(const void *model)
{
    const model_t *self = model;

    return self->is_alone && spot_seed_notebook_may_fall_below_0(self);
}

static bool seed_is_unbounded(const void *model)
{
    const model_t *self = model;

    return self->is_alone &&
           (self->compat.defects & (SPOT_SEED_NO_LIMITS | SPOT_SEED_CAP_BYPASS)) != 0;
}

static void seed_form(const void *model, char text[SPOT_FORM_BYTES])
{
    spot_seed_notebook_form(model, text);
}

static int64_t seed_stopped_ms(const void *state)
{
    return ((const state_t *) state)->stopped_ms;
}

static const spot_field_t direction_fields[] = {
    {SPOT_RANGE(NUMBER, "per_minute", direction_t, p_per_minute, 0, 1, NULL, " per minute",
        "probability of at least one event in a minute")},
    {.name = "count",
        .type = SPOT_FIELD_ONE_OF,
        SPOT_SIZE_FAMILY_FIELD(direction_t, count),
        .help = "instances in one event: normal is max(1, |round N(mean, std)|), moments "
                "has exactly this mean and std"},
    {SPOT_FIELDS(MAP, "big", direction_t, big, spot_size_big_fields, "", "a share of big events")},
    {.name = NULL},
};

static const spot_field_t seed_options[] = {
    {SPOT_FIELDS(MAP, "preemption", model_t, directions[PREEMPTION], direction_fields, NULL,
        "preemption", "events in which instances are preempted")},
    {SPOT_FIELDS(MAP, "addition", model_t, directions[ADDITION], direction_fields, NULL, "addition",
        "events in which instances arrive")},
    {.name = NULL, .fields = spot_seed_notebook_fields},
};

static const spot_generator_members_t members = {
    .next_until = seed_next_until,
    .lose = seed_lose,
};

static const spot_generator_population_t population = {
    .is_unlimited = seed_is_unlimited,
    .is_unbounded = seed_is_unbounded,
    .stopped_ms = seed_stopped_ms,
};

const spot_generator_t spot_generator_seed = {
    .name = "seed",
    .doc = "independent preemption and addition events with fixed probabilities per "
           "minute, tick by tick",
    .source = "the seed study's notebook, with its defects "
              "corrected unless they are asked for",
    .options = seed_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .bind_parts = seed_bind_parts,
    .prepare = seed_prepare,
    .free = seed_free,
    .start = seed_start,
    .form = seed_form,
    .next = seed_next,
    .next_many = seed_next_many,
    .members = &members,
    .population = &population,
};
