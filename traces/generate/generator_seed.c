/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed generator, corrected: independent Bernoulli trials per tick for a preemption
 * and an addition event, sizes from a law, a population that stays within 0 and the
 * capacity. The ticks without an event are skipped by geometric gaps, which is the same
 * law. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/laws/size_law.h"

/* The two directions are the entities of the random streams. */
enum { PREEMPTION = 0, ADDITION = 1, NUM_DIRECTIONS = 2 };

typedef struct {
    double p_per_minute; /* that at least one event happens in a minute */
    spot_size_family_parameters_t count;
    spot_size_big_t big;
    spot_size_law_t law;
    double failures_per_log; /* 1 / ln q, q = probability of no event in a tick; <= 0 */
} direction_t;

typedef struct {
    spot_model_common_t common;
    direction_t directions[NUM_DIRECTIONS];
} model_t;

typedef struct {
    const model_t *model;
    int64_t population;
    int64_t last_tick;                 /* nothing later is wanted */
    int64_t next_tick[NUM_DIRECTIONS]; /* INT64_MAX: never */
    spot_rng_t gap[NUM_DIRECTIONS];
    spot_rng_t count[NUM_DIRECTIONS];
} state_t;

/* Numbers of ticks above this are "never": no run is so long. */
#define MAX_TICKS 0x1p52

static int
seed_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    const double ticks_per_minute =
        (double) SPOT_MS_PER_MIN / (double) self->common.tick_ms;
    int ret = 0;

    (void) like;
    (void) diag;
    for (int j = 0; j < NUM_DIRECTIONS && ret == 0; j++) {
        direction_t *direction = &self->directions[j];

        direction->failures_per_log = ticks_per_minute / log1p(-direction->p_per_minute);
        ret = spot_size_law_init(
            &direction->law, &direction->count, &direction->big, self->common.capacity);
    }
    return ret;
}

static void
seed_free(void *model)
{
    model_t *self = model;

    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        spot_size_law_free(&self->directions[j].law);
    }
}

/* The tick of the next success of a Bernoulli trial per tick, by inversion: the number
 * of failures before it is floor(ln U / ln q). 1 - uniform is exact and never 0. */
static int64_t
tick_of_next_event(const direction_t *direction, spot_rng_t *rng, int64_t tick)
{
    double num_failures;

    if (direction->p_per_minute == 0) {
        return INT64_MAX;
    }
    num_failures = log(1 - spot_rng_uniform(rng)) * direction->failures_per_log;
    return num_failures < MAX_TICKS ? tick + 1 + (int64_t) num_failures : INT64_MAX;
}

static void
seed_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    self->model = model;
    self->population = self->model->common.initial;
    self->last_tick =
        spot_model_last_ms(&self->model->common) / self->model->common.tick_ms;
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        const uint64_t entity = dice->first_entity + (uint64_t) j;

        spot_rng_seek(
            &self->gap[j], dice->seed, dice->replication, SPOT_STREAM_GAP, entity);
        spot_rng_seek(
            &self->count[j], dice->seed, dice->replication, SPOT_STREAM_COUNT, entity);
        self->next_tick[j] =
            tick_of_next_event(&self->model->directions[j], &self->gap[j], 0);
    }
}

/* An event with nothing to do (no instance left, or no room) is dropped. */
static bool
next_up_to_tick(state_t *self, int64_t last_tick, spot_event_t *event)
{
    const spot_model_common_t *common = &self->model->common;
    int64_t room = 0, tick = 0;
    int j = PREEMPTION;

    while (room == 0) {
        j = self->next_tick[ADDITION] < self->next_tick[PREEMPTION] ? ADDITION
                                                                    : PREEMPTION;
        tick = self->next_tick[j];
        if (tick > last_tick) {
            return false;
        }
        self->next_tick[j] =
            tick_of_next_event(&self->model->directions[j], &self->gap[j], tick);
        room = j == PREEMPTION ? self->population : common->capacity - self->population;
    }
    event->time_ms = tick * common->tick_ms;
    event->kind = j == PREEMPTION ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD;
    event->count = spot_size_law_draw(&self->model->directions[j].law, &self->count[j]);
    event->count = event->count < room ? event->count : (int32_t) room;
    event->name_ids = NULL;
    self->population += j == PREEMPTION ? -event->count : event->count;
    return true;
}

static bool
seed_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, self->last_tick, event);
}

static bool
seed_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, last_ms / self->model->common.tick_ms, event);
}

/* The trials know no population: it counts only for what is there to lose or to add. */
static const int32_t *
seed_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;

    (void) time_s;
    self->population -= num_lost;
    return NULL;
}

static const spot_field_t direction_fields[] = {
    {.name = "per_minute",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(direction_t, p_per_minute),
        .min = 0,
        .max = 1,
        .help = "probability of at least one event in a minute"},
    {.name = "count",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(direction_t, count),
        .bind = spot_size_family_bind,
        .expected = spot_size_family_expected,
        .help =
            "instances in one event: normal is max(1, |round N(mean, std)|), moments "
            "has exactly this mean and std"},
    {.name = "big",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(direction_t, big),
        .initial = "",
        .fields = spot_size_big_fields,
        .help = "a share of big events"},
    {.name = NULL},
};

static const spot_field_t seed_options[] = {
    {.name = "preemption",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(model_t, directions[PREEMPTION]),
        .fields = direction_fields,
        .help = "events in which instances are preempted"},
    {.name = "addition",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(model_t, directions[ADDITION]),
        .fields = direction_fields,
        .help = "events in which instances arrive"},
    {.name = NULL, .fields = spot_model_common_fields},
};

const spot_generator_t spot_generator_seed = {
    .name = "seed",
    .doc = "independent preemption and addition events with fixed probabilities per "
           "minute, "
           "tick by tick",
    .source = "the seed study's notebook, with its defects corrected",
    .options = seed_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .prepare = seed_prepare,
    .free = seed_free,
    .start = seed_start,
    .next = seed_next,
    .next_until = seed_next_until,
    .lose = seed_lose,
    .recording = NULL,
};
