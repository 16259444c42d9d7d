/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Markov renewal process: the gap to the next event depends on the types of the latest
 * and the next event, or on a full or empty population; sizes depend on the population.
 * Optionally rates depend on the hour of the day, and each instance has a lifetime.
 *
 * Streams, at the entity first_entity unless noted: TYPE one number for each choice
 * between preemption and addition (0 < N < capacity); GAP the gaps; COUNT the sizes.
 * With lifetimes the victims are chosen here, as their deadlines go with them: VICTIM at
 * first_entity + 1, LIFETIME at first_entity + slot, with successive lives for
 * successive instances of a slot.
 *
 * A shock acts like a deadline of several instances at once. */
#include <math.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/memory.h"
#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/generate/generator_parts.h"
#include "traces/laws/law.h"

/* ---- Sizes of events ---- */

/* The size of an event given n, the instances that it can take or the room for new ones,
 * by the law all-or-geometric: all n with probability pi_all, else geometric truncated
 * to 1 ... n. */
typedef struct {
    int law; /* 0: all-or-geometric, the only law */
    double pi_all;
    double p;     /* below 1e-9: uniform on 1 ... n */
    double theta; /* ln(1 - p); set by given_size_init(), like the members below */
    int64_t num_masses;
    double *masses; /* [num_masses] exp(n theta) - 1, -1 for every larger n */
} given_size_t;

/* Below it the geometric law is practically the uniform one. */
#define LEAST_P 1e-9

static const char *const law_names[] = {"all-or-geometric", NULL};

static const spot_field_t given_size_fields[] = {
    {SPOT_CHOICE("law", given_size_t, law, law_names, "all-or-geometric",
        "law of the size, given the number n of instances there are")},
    {SPOT_RANGE(NUMBER, "pi_all", given_size_t, pi_all, 0, 1, "0", "probability of all",
         "probability that all go, or come"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "p", given_size_t, p, 0, 1, NULL,
        "P(k) ~ (1 - p)^k for k = 1 ... n otherwise; 0: all sizes equally likely")},
    {.name = NULL},
};

/* Tabulates the bound law for n up to most, or up to the n with 1 + exp(n theta) = 1.
 * The table saves two thirds of the time of a draw. */
static int given_size_init(given_size_t *self, int64_t most)
{
    self->theta = log1p(-self->p);
    self->num_masses = 0;
    if (self->p >= LEAST_P) {
        const double num_distinct = fmin((double) most, ceil(40 / -self->theta));

        self->num_masses = (int64_t) num_distinct + 1;
    }
    self->masses = spot_calloc((size_t) self->num_masses, sizeof(*self->masses));
    if (self->masses == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t n = 1; n < self->num_masses; n++) {
        self->masses[n] = expm1((double) n * self->theta);
    }
    return 0;
}

static void given_size_free(given_size_t *self)
{
    free(self->masses);
    self->masses = NULL;
}

/* Draws a size from 1 ... n, 1 <= n <= most. Uses no random number for n = 1, one if
 * pi_all is 0 or the size is all, else two. O(1). */
static int64_t given_size_draw(const given_size_t *self, int64_t n, spot_rng_t *rng)
{
    double mass, size;

    if (n == 1) {
        return 1;
    }
    if (self->pi_all > 0 && spot_rng_uniform(rng) < self->pi_all) {
        return n;
    }
    if (self->p < LEAST_P) {
        return 1 + (int64_t) spot_rng_below(rng, (uint64_t) n);
    }
    mass = n < self->num_masses ? self->masses[n] : -1;
    size = ceil(log1p(spot_rng_uniform(rng) * mass) / self->theta);
    return size > (double) n ? n : size > 1 ? (int64_t) size : 1;
}

/* ---- The process ---- */

/* Types of events, equal to those of spot_event_kind_t. */
enum { PREEMPT = SPOT_EVENT_PREEMPT, ADD = SPOT_EVENT_ADD, NUM_TYPES = 2 };

typedef struct {
    spot_model_common_t common;
    int first_previous; /* as in type_names */
    struct {
        double after[NUM_TYPES];
    } p_preempt;
    struct {
        spot_law_t interior[NUM_TYPES][NUM_TYPES]; /* previous, next */
        spot_law_t full;
        spot_law_t empty;
    } gaps;
    struct {
        given_size_t sizes[NUM_TYPES];
    } bulk;
    spot_law_t lifetimes; /* family NULL: none */
    spot_hourly_t hourly;
} model_t;

typedef struct {
    const model_t *model;
    int64_t capacity;
    int64_t population;
    int previous;     /* type of the latest event */
    int pending;      /* type of the next one */
    double pending_s; /* its time */
    double now_s;
    spot_rng_t type;
    spot_rng_t gap;
    spot_rng_t count;
    spot_model_ticks_t ticks;
    spot_outlet_t outlet; /* without lifetimes */
    spot_rng_t victims;   /* with lifetimes, like the rest */
    int64_t tick;         /* the open tick */
    spot_roster_t roster;
    spot_calendar_t deadlines;
    spot_slot_dice_t lives;
} state_t;

static bool has_lifetimes(const model_t *self)
{
    return self->lifetimes.family != NULL;
}

static int mrp_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    int ret = 0;

    (void) like;
    (void) diag;
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->hourly.is_given |= self->hourly.preempt.rates[j] > 0;
    }
    for (int j = 0; j < NUM_TYPES && ret == 0; j++) {
        ret = given_size_init(&self->bulk.sizes[j], self->common.capacity);
    }
    return ret;
}

static void mrp_free(void *model)
{
    model_t *self = model;

    for (int j = 0; j < NUM_TYPES; j++) {
        given_size_free(&self->bulk.sizes[j]);
    }
}

static size_t mrp_state_bytes(const void *model)
{
    const model_t *self = model;
    const int64_t num_slots = self->common.capacity;

    return sizeof(state_t) + (!has_lifetimes(self) ? 0
                                                   : spot_calendar_bytes((size_t) num_slots) +
                                                         spot_roster_bytes(num_slots) +
                                                         sizeof(uint32_t) * (size_t) num_slots);
}

static int64_t mrp_num_names(const void *model)
{
    const model_t *self = model;

    return has_lifetimes(self) ? self->common.capacity : 0;
}

/* Draws the type and the time of the next event from now on. */
static void draw_pending(state_t *self)
{
    const model_t *model = self->model;
    const spot_hourly_t *hourly = &model->hourly;
    const spot_law_t *law;
    double gap_s;

    if (self->population == 0) {
        self->pending = ADD;
        law = &model->gaps.empty;
    } else if (self->population == self->capacity) {
        self->pending = PREEMPT;
        law = &model->gaps.full;
    } else {
        const double u = spot_rng_uniform(&self->type);

        self->pending = u < model->p_preempt.after[self->previous] ? PREEMPT : ADD;
        law = &model->gaps.interior[self->previous][self->pending];
    }
    gap_s = law->family->draw(law->parameters, &self->gap);
    self->pending_s =
        !hourly->is_given
            ? self->now_s + gap_s
            : spot_hourly_rates_end(self->pending == PREEMPT ? &hourly->preempt : &hourly->add,
                  hourly->start_hour, self->now_s, gap_s);
}

/* Draws the size of the pending event, which happens now. */
static int64_t draw_size(state_t *self)
{
    const int64_t most =
        self->pending == PREEMPT ? self->population : self->capacity - self->population;

    return given_size_draw(&self->model->bulk.sizes[self->pending], most, &self->count);
}

/* Time of the next event without lifetimes, when instances have no names. */
static double due_s(const void *state)
{
    return ((const state_t *) state)->pending_s;
}

static void happen(void *state, spot_happening_t *happening)
{
    state_t *self = state;

    happening->kind = (spot_event_kind_t) self->pending;
    happening->count = draw_size(self);
    self->now_s = self->pending_s;
    self->population += self->pending == PREEMPT ? -happening->count : happening->count;
    self->previous = self->pending;
    draw_pending(self);
}

static const spot_process_t process = {due_s, happen};

/* Starts the life of the instance in a slot now. */
static void begin_life(state_t *self, int32_t slot)
{
    spot_calendar_move(&self->deadlines, slot,
        spot_tick_of_double(self->now_s + spot_slot_dice_draw(&self->lives, slot)));
}

static void lose_one(state_t *self, int32_t slot)
{
    spot_roster_leave(&self->roster, slot);
    spot_calendar_move(&self->deadlines, slot, spot_tick_of_double((double) INFINITY));
    self->population--;
}

/* Goes on after losses that the process did not draw as after a preemption. The pending
 * draw stays unless its class changes, because the population was full or is empty. */
static void go_on_after_loss(state_t *self, double time_s, bool was_full)
{
    self->now_s = time_s;
    self->previous = PREEMPT;
    if (was_full || self->population == 0) {
        draw_pending(self);
    }
}

static void meet_deadline(state_t *self, const spot_due_t *first)
{
    const bool was_full = self->population == self->capacity;

    lose_one(self, first->handle);
    go_on_after_loss(self, spot_double_of_tick(first->tick), was_full);
}

static void meet_pending(state_t *self)
{
    const int64_t size = draw_size(self);

    self->now_s = self->pending_s;
    for (int64_t j = 0; j < size; j++) {
        if (self->pending == PREEMPT) {
            lose_one(self, spot_roster_victim(&self->roster, &self->victims));
        } else {
            const int32_t slot = spot_roster_free_slot(&self->roster);

            spot_roster_enter(&self->roster, slot);
            self->population++;
            begin_life(self, slot);
        }
    }
    self->previous = self->pending;
    draw_pending(self);
}

static void start_lifetimes(state_t *self, const model_t *model, const spot_dice_t *dice)
{
    const int64_t num_slots = self->capacity;
    char *memory = (char *) (self + 1);
    char *roster_memory = memory + spot_calendar_bytes((size_t) num_slots);
    char *lives_memory = roster_memory + spot_roster_bytes(num_slots);

    self->tick = 0;
    spot_dice_seek(dice, &self->victims, SPOT_STREAM_VICTIM, 1);
    spot_calendar_init_in(
        &self->deadlines, memory, (size_t) num_slots, spot_tick_of_double((double) INFINITY));
    spot_roster_init(&self->roster, roster_memory, num_slots, self->population);
    spot_slot_dice_init(&self->lives, dice, SPOT_STREAM_LIFETIME, &model->lifetimes,
        (uint32_t *) (void *) lives_memory, num_slots);
    for (int32_t slot = 0; slot < self->population; slot++) {
        begin_life(self, slot);
    }
}

static void mrp_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    self->model = model;
    self->capacity = self->model->common.capacity;
    self->population = self->model->common.initial;
    self->previous = self->model->first_previous;
    self->now_s = 0;
    spot_model_ticks_init(&self->ticks, &self->model->common);
    spot_dice_seek(dice, &self->type, SPOT_STREAM_TYPE, 0);
    spot_dice_seek(dice, &self->gap, SPOT_STREAM_GAP, 0);
    spot_dice_seek(dice, &self->count, SPOT_STREAM_COUNT, 0);
    if (has_lifetimes(model)) {
        start_lifetimes(self, model, dice);
    } else {
        spot_outlet_init(&self->outlet, &self->model->common, self->population);
    }
    draw_pending(self);
}

/* Takes the earlier of the pending draw and the earliest deadline; of equal times the
 * deadline. */
static bool next_with_lifetimes(state_t *self, int64_t last_tick, spot_event_t *event)
{
    for (;;) {
        const spot_due_t first = *spot_calendar_first(&self->deadlines);
        const double deadline_s = spot_double_of_tick(first.tick);
        const bool is_deadline = deadline_s <= self->pending_s;
        const int64_t tick =
            spot_model_ticks_seeing(&self->ticks, is_deadline ? deadline_s : self->pending_s);

        if (tick > self->tick) {
            if (spot_roster_see(&self->roster, self->tick * self->ticks.tick_ms, event)) {
                return true;
            }
            if (tick > last_tick) {
                return false;
            }
            self->tick = tick;
        }
        if (is_deadline) {
            meet_deadline(self, &first);
        } else {
            meet_pending(self);
        }
    }
}

static bool next_up_to_tick(state_t *self, int64_t last_tick, spot_event_t *event)
{
    return has_lifetimes(self->model)
               ? next_with_lifetimes(self, last_tick, event)
               : spot_outlet_next_until(&self->outlet, &process, self, last_tick, event);
}

static bool mrp_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, self->ticks.last_tick, event);
}

static bool mrp_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, last_ms / self->ticks.tick_ms, event);
}

static const int32_t *mrp_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;
    const bool was_full = self->population == self->capacity;
    const int32_t *slots = NULL;

    if (has_lifetimes(self->model)) {
        slots = spot_roster_strike(&self->roster, num_lost, &self->victims);
        for (int32_t j = 0; j < num_lost; j++) {
            spot_calendar_move(&self->deadlines, slots[j], spot_tick_of_double((double) INFINITY));
        }
    } else {
        self->outlet.recorder.population -= num_lost;
    }
    self->population -= num_lost;
    go_on_after_loss(self, time_s, was_full);
    return slots;
}

/* In the order of spot_event_kind_t. */
static const char *const type_names[] = {"preempt", "add", NULL};

#define GAP_FIELD(key, member, text)                                                               \
    {                                                                                              \
        .name = key, .type = SPOT_FIELD_CUSTOM,                                                    \
        .offset = offsetof(model_t, gaps.member) - offsetof(model_t, gaps), .bind = spot_law_bind, \
        .table = spot_law_table, .settle = spot_gap_law_check, .expected = spot_law_expected,      \
        .help = text                                                                               \
    }

static const spot_field_t gaps_fields[] = {
    GAP_FIELD("preempt_preempt", interior[PREEMPT][PREEMPT],
        "law of the gap in s from a preemption to a preemption, while 0 < N < capacity"),
    GAP_FIELD("preempt_add", interior[PREEMPT][ADD], "from a preemption to an addition"),
    GAP_FIELD("add_preempt", interior[ADD][PREEMPT], "from an addition to a preemption"),
    GAP_FIELD("add_add", interior[ADD][ADD], "from an addition to an addition"),
    GAP_FIELD("full", full, "to the preemption that ends a full capacity"),
    GAP_FIELD("empty", empty, "to the addition that ends an empty fleet"),
    {.name = NULL},
};

static const spot_field_t p_preempt_fields[] = {
    {.name = "preempt",
        .type = SPOT_FIELD_NUMBER,
        .offset = PREEMPT * sizeof(double),
        .max = 1,
        .help = "probability that a preemption follows "
                "a preemption, while 0 < N < capacity"},
    {.name = "add",
        .type = SPOT_FIELD_NUMBER,
        .offset = ADD * sizeof(double),
        .max = 1,
        .help = "that a preemption follows an addition"},
    {.name = NULL},
};

static const spot_field_t bulk_fields[] = {
    {.name = "preempt",
        .type = SPOT_FIELD_MAP,
        .offset = PREEMPT * sizeof(given_size_t),
        .fields = given_size_fields,
        .help = "number of running instances that a preemption takes"},
    {.name = "add",
        .type = SPOT_FIELD_MAP,
        .offset = ADD * sizeof(given_size_t),
        .fields = given_size_fields,
        .help = "number of missing instances that an addition brings"},
    {.name = NULL},
};

static const spot_field_t mrp_options[] = {
    {SPOT_CHOICE("first_previous", model_t, first_previous, type_names, "add", "event before",
         "type of the event that was before time 0"),
        SPOT_DECIDES},
    {SPOT_FIELDS(MAP, "p_preempt_after", model_t, p_preempt, p_preempt_fields, NULL,
        "which type follows which")},
    {SPOT_FIELDS(MAP, "gaps_s", model_t, gaps, gaps_fields, NULL, "times between events")},
    {SPOT_FIELDS(MAP, "bulk", model_t, bulk, bulk_fields, NULL, "instances in one event")},
    {SPOT_VALUE(CUSTOM, "lifetimes", model_t, lifetimes, "",
         "law of a deadline that each instance has from its start on, besides the "
         "events: law deadline with deadline_s: 86400 for preemptible machines of GCP"),
        .bind = spot_law_bind, .table = spot_law_table, .expected = spot_law_expected},
    {SPOT_FIELDS(
        MAP, "hourly", model_t, hourly, spot_hourly_fields, "", "rates by the hour of the day")},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .next_until = mrp_next_until,
    .lose = mrp_lose,
    .num_names = mrp_num_names,
};

const spot_generator_t spot_generator_mrp = {
    .name = "mrp",
    .doc = "a Markov renewal process: gaps depend on the types of the two events around "
           "them and on a full or empty fleet",
    .source = "own; Cinlar, Introduction to Stochastic Processes, 1975, chapter 10",
    .options = mrp_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = mrp_state_bytes,
    .prepare = mrp_prepare,
    .free = mrp_free,
    .start = mrp_start,
    .next = mrp_next,
    .members = &members,
};
