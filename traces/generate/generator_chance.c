/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chances by the hour. In each hour every living instance is lost with one probability,
 * and every place that is free, or becomes free in this hour, is filled with another
 * one; each at a uniform moment of the hour. An instance that comes within an hour is
 * lost in it with the same probability, unless the moment of the loss has passed.
 *
 * The probabilities may be random: one per hour of the day, uniform on 0 ... 1, drawn
 * for each replication.
 *
 * Streams: LIFETIME at first_entity, one number for each life in an hour and another one
 * if it ends; REFILL at first_entity, the same for each place to fill; RATE at
 * first_entity (preemptions) and first_entity + 1 (additions) for random
 * probabilities. */
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/generate/generator_parts.h"

#define S_PER_H 3600.0

typedef enum { CHANCE_FIXED, CHANCE_BY_HOUR, CHANCE_RANDOM } chance_kind_t;

typedef struct {
    int kind;                     /* chance_kind_t */
    double p[SPOT_HOURS_PER_DAY]; /* by hour of the day, unless random */
} chance_t;

enum { PREEMPTION, ADDITION, NUM_DIRECTIONS };

typedef struct {
    spot_model_common_t common;
    chance_t chances[NUM_DIRECTIONS];
    int64_t start_hour;
    int fills_at_start;
} model_t;

/* The calendar has an item for the end of the life in each slot, then one for each place
 * to fill. */
typedef struct {
    const model_t *model;
    spot_model_ticks_t ticks;
    int64_t tick; /* the open tick */
    int64_t hour; /* the next hour to begin, from time 0 */
    double p[NUM_DIRECTIONS][SPOT_HOURS_PER_DAY];
    spot_calendar_t due;
    int64_t never; /* tick of the item that became never due last; as a time NAN */
    spot_roster_t roster;
    spot_rng_t lives;
    spot_rng_t places;
} state_t;

static size_t chance_state_bytes(const void *model)
{
    const int64_t num_slots = ((const model_t *) model)->common.capacity;

    return sizeof(state_t) + spot_calendar_bytes(2 * (size_t) num_slots) +
           spot_roster_bytes(num_slots);
}

static int64_t chance_num_names(const void *model)
{
    return ((const model_t *) model)->common.capacity;
}

static void draw_chances(state_t *self, int direction, const spot_dice_t *dice)
{
    const chance_t *chance = &self->model->chances[direction];
    spot_rng_t rng;

    memcpy(self->p[direction], chance->p, sizeof(chance->p));
    if (chance->kind != CHANCE_RANDOM) {
        return;
    }
    spot_dice_seek(dice, &rng, SPOT_STREAM_RATE, (uint64_t) direction);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->p[direction][j] = spot_rng_uniform(&rng);
    }
}

/* The probability of a direction in an hour from time 0. */
static double chance_in(const state_t *self, int direction, int64_t hour)
{
    return self->p[direction][(self->model->start_hour + hour) % SPOT_HOURS_PER_DAY];
}

/* Fills free places at time 0, before the first hour begins. */
static void fill_at_start(state_t *self)
{
    const int32_t num_free = self->roster.num_slots - self->roster.population;
    const double p = chance_in(self, ADDITION, 0);

    for (int32_t j = 0; j < num_free; j++) {
        if (spot_rng_uniform(&self->places) < p) {
            spot_roster_enter(&self->roster, spot_roster_free_slot(&self->roster));
        }
    }
}

static void chance_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *chances = model;
    const int64_t num_slots = chances->common.capacity;
    char *memory = (char *) (self + 1);

    self->model = chances;
    spot_model_ticks_init(&self->ticks, &chances->common);
    self->tick = 0;
    self->hour = 0;
    self->never = INT64_MAX;
    spot_calendar_init_in(&self->due, memory, 2 * (size_t) num_slots, self->never);
    spot_roster_init(&self->roster, memory + spot_calendar_bytes(2 * (size_t) num_slots), num_slots,
        chances->common.initial);
    spot_dice_seek(dice, &self->lives, SPOT_STREAM_LIFETIME, 0);
    spot_dice_seek(dice, &self->places, SPOT_STREAM_REFILL, 0);
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        draw_chances(self, j, dice);
    }
    if (chances->fills_at_start) {
        fill_at_start(self);
    }
}

/* A uniform moment of an hour with probability p, else INFINITY. */
static double draw_moment(spot_rng_t *rng, double p, int64_t hour)
{
    double part;

    if (!(spot_rng_uniform(rng) < p)) {
        return (double) INFINITY;
    }
    part = spot_rng_uniform(rng);
    return ((double) hour + part) * S_PER_H;
}

/* Sets when an item is due; most stay at never, INFINITY. An item that becomes never due
 * goes before all others that are not, so that it does not sink below them. */
static void set_due(state_t *self, int32_t id, double time_s)
{
    const int64_t infinity = spot_tick_of_double((double) INFINITY);

    if (time_s < (double) INFINITY) {
        spot_calendar_move(&self->due, id, spot_tick_of_double(time_s));
    } else if (spot_calendar_item(&self->due, id).tick < infinity) {
        spot_calendar_move(&self->due, id, --self->never);
    }
}

/* Draws the losses of the next hour among the living instances, and the places filled in
 * it. */
static void begin_hour(state_t *self)
{
    const int32_t num_slots = self->roster.num_slots;
    const double p_lost = chance_in(self, PREEMPTION, self->hour);
    const double p_filled = chance_in(self, ADDITION, self->hour);
    int32_t num_places = num_slots - self->roster.population;

    for (int32_t slot = 0; slot < num_slots; slot++) {
        if (spot_roster_lives(&self->roster, slot)) {
            const double time_s = draw_moment(&self->lives, p_lost, self->hour);

            num_places += time_s < (double) INFINITY;
            set_due(self, slot, time_s);
        }
    }
    for (int32_t j = 0; j < num_places; j++) {
        const double time_s = draw_moment(&self->places, p_filled, self->hour);

        set_due(self, num_slots + j, time_s);
    }
    self->hour++;
}

static void fill_place(state_t *self, double time_s)
{
    const int64_t hour = self->hour - 1; /* the hour that has begun */
    int32_t slot;
    double end_s;

    if (self->roster.population == self->roster.num_slots) {
        return; /* the place is not free yet */
    }
    slot = spot_roster_free_slot(&self->roster);
    spot_roster_enter(&self->roster, slot);
    end_s = draw_moment(&self->lives, chance_in(self, PREEMPTION, hour), hour);
    if (end_s >= time_s) {
        set_due(self, slot, end_s);
    }
}

/* Carries out the first item of the calendar, or begins the next hour if that is
 * earlier. */
static void happen(state_t *self, const spot_due_t *first)
{
    const int32_t id = first->handle;
    const double time_s = spot_double_of_tick(first->tick);

    if (!(time_s < (double) self->hour * S_PER_H)) { /* also of none, NAN */
        begin_hour(self);
        return;
    }
    set_due(self, id, (double) INFINITY);
    if (id < self->roster.num_slots) {
        spot_roster_leave(&self->roster, id);
    } else {
        fill_place(self, time_s);
    }
}

static bool chance_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    for (;;) {
        const spot_due_t first = *spot_calendar_first(&self->due);
        const double hour_s = (double) self->hour * S_PER_H;
        const double first_s = spot_double_of_tick(first.tick);
        const int64_t tick =
            spot_model_ticks_seeing(&self->ticks, first_s < hour_s ? first_s : hour_s);

        if (tick > self->tick) {
            if (spot_roster_see(&self->roster, self->tick * self->ticks.tick_ms, event)) {
                return true;
            }
            if (tick > self->ticks.last_tick) {
                return false;
            }
            self->tick = tick;
        }
        happen(self, &first);
    }
}

/* ---- The keys ---- */

#define CHANCE_EXPECTED "a probability, a list of 24 of them, one an hour of the day, or random"

static const char *const random_names[] = {"random", NULL};

static const spot_field_t probability = {.type = SPOT_FIELD_NUMBER, .max = 1};

static const spot_field_t chance_forms[] = {
    [CHANCE_FIXED] = {.name = "",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(chance_t, p),
        .max = 1},
    [CHANCE_BY_HOUR] = {.name = "",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(chance_t, p),
        SPOT_HOURS_FIELD(&probability),
        .expected = CHANCE_EXPECTED},
    [CHANCE_RANDOM] = {.name = "",
        .type = SPOT_FIELD_CHOICE,
        .offset = SPOT_NOWHERE,
        .choices = random_names},
    {.name = NULL},
};

static void settle_chance(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    chance_t *self = target;

    (void) bind;
    (void) field;
    (void) node;
    for (int j = 1; self->kind == CHANCE_FIXED && j < SPOT_HOURS_PER_DAY; j++) {
        self->p[j] = self->p[0];
    }
}

#define CHANCE_FIELD(direction)                                                                    \
    .type = SPOT_FIELD_ONE_OF, .offset = offsetof(model_t, chances[direction]),                    \
    .fields = chance_forms, .has_form = true,                                                      \
    .form_offset = offsetof(model_t, chances[direction].kind), .expected = CHANCE_EXPECTED,        \
    .settle = settle_chance

static const spot_field_t chance_options[] = {
    {.name = "preempt_per_h",
        .label = "preemption per hour",
        CHANCE_FIELD(PREEMPTION),
        .help = "probability that an instance is preempted within an hour; random: "
                "drawn for each replication, one an hour of the day"},
    {.name = "add_per_h",
        .label = "addition per hour",
        CHANCE_FIELD(ADDITION),
        .help = "probability that a free place is filled within an hour"},
    {SPOT_RANGE(INTEGER, "start_hour", model_t, start_hour, 0, SPOT_HOURS_PER_DAY - 1, "0",
         "hour at the start", "hour of the day at time 0"),
        SPOT_DECIDES},
    {SPOT_CHOICE("fills_at_start", model_t, fills_at_start, spot_no_yes, "no",
         "filled at the start",
         "whether each free place is filled at time 0 too, with the probability of the "
         "first hour; unlike the initial ones, those instances must prepare"),
        SPOT_DECIDES},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .num_names = chance_num_names,
};

const spot_generator_t spot_generator_chance = {
    .name = "chance",
    .doc = "chances by the hour: each instance is lost, each "
           "free place is filled with a probability",
    .source = "Thorpe et al., Bamboo, NSDI'23: its simulator",
    .options = chance_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = chance_state_bytes,
    .start = chance_start,
    .next = chance_next,
    .members = &members,
};
