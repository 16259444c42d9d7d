/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances that live and die alone: each slot of the capacity alternates between a life
 * and the wait for its successor. A death is a preemption of this very instance, so that
 * a wall such as the 24 h of preemptible machines holds for each of them.
 *
 * A shock takes uniform victims; each of them is replaced like any other.
 *
 * Streams: LIFETIME at first_entity + slot for the lives, REFILL at first_entity + slot
 * for the waits, VICTIM at first_entity + 1 for those whom shocks take. Slots below
 * initial live at time 0 at age 0; the others wait. */
#include "traces/generate/generator.h"
#include "traces/generate/outlet.h"
#include "traces/generate/roster.h"
#include "traces/generate/slot_calendar.h"
#include "traces/generate/slot_dice.h"
#include "traces/laws/law.h"

typedef struct {
    spot_model_common_t common;
    spot_law_t lifetime;
    spot_law_t refill;
} model_t;

typedef struct {
    spot_ticks_t ticks;
    int64_t tick;              /* the open one */
    spot_slot_calendar_t ends; /* of the present life or wait */
    spot_roster_t roster;
    spot_slot_dice_t lives;
    spot_slot_dice_t waits;
    spot_rng_t victims;
} state_t;

static int
lifetimes_prepare(void *model, const void *like, spot_diag_t *diag)
{
    (void) model;
    (void) like;
    (void) diag;
    return 0;
}

static void
lifetimes_free(void *model)
{
    (void) model;
}

static size_t
lifetimes_state_bytes(const void *model)
{
    const int64_t num_slots = ((const model_t *) model)->common.capacity;

    return sizeof(state_t) + spot_slot_calendar_bytes(num_slots) +
           spot_roster_bytes(num_slots) + 2 * sizeof(uint32_t) * (size_t) num_slots;
}

static int64_t
lifetimes_num_names(const void *model)
{
    return ((const model_t *) model)->common.capacity;
}

static void
lifetimes_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *laws = model;
    const int64_t num_slots = laws->common.capacity;
    char *memory = (char *) (self + 1);
    char *roster_memory = memory + spot_slot_calendar_bytes(num_slots);
    uint32_t *num_used =
        (uint32_t *) (void *) (roster_memory + spot_roster_bytes(num_slots));

    spot_ticks_init(&self->ticks, &laws->common);
    self->tick = 0;
    spot_rng_seek(&self->victims, dice->seed, dice->replication, SPOT_STREAM_VICTIM,
        dice->first_entity + 1);
    spot_slot_calendar_init(&self->ends, memory, num_slots);
    spot_roster_init(&self->roster, roster_memory, num_slots, laws->common.initial);
    spot_slot_dice_init(
        &self->lives, dice, SPOT_STREAM_LIFETIME, &laws->lifetime, num_used, num_slots);
    spot_slot_dice_init(&self->waits, dice, SPOT_STREAM_REFILL, &laws->refill,
        num_used + num_slots, num_slots);
    for (int32_t slot = 0; slot < num_slots; slot++) {
        spot_slot_dice_t *slot_dice =
            slot < laws->common.initial ? &self->lives : &self->waits;

        spot_slot_calendar_set(&self->ends, slot, spot_slot_dice_draw(slot_dice, slot));
    }
}

/* A life or a wait ends, the other one begins. */
static void
change_over(state_t *self, const spot_appointment_t *end)
{
    const bool is_death = spot_roster_lives(&self->roster, end->slot);
    spot_slot_dice_t *slot_dice = is_death ? &self->waits : &self->lives;

    if (is_death) {
        spot_roster_leave(&self->roster, end->slot);
    } else {
        spot_roster_enter(&self->roster, end->slot);
    }
    spot_slot_calendar_set(
        &self->ends, end->slot, end->time_s + spot_slot_dice_draw(slot_dice, end->slot));
}

static bool
next_up_to_tick(state_t *self, int64_t last_tick, spot_event_t *event)
{
    for (;;) {
        const spot_appointment_t end = spot_slot_calendar_first(&self->ends);
        const int64_t tick = spot_ticks_seeing(&self->ticks, end.time_s);

        if (tick > self->tick) {
            if (spot_roster_see(
                    &self->roster, self->tick * self->ticks.tick_ms, event)) {
                return true;
            }
            if (tick > last_tick) {
                return false;
            }
            self->tick = tick;
        }
        change_over(self, &end);
    }
}

static bool
lifetimes_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, self->ticks.last_tick, event);
}

static bool
lifetimes_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, last_ms / self->ticks.tick_ms, event);
}

static const int32_t *
lifetimes_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;
    const int32_t *slots = spot_roster_strike(&self->roster, num_lost, &self->victims);

    for (int32_t j = 0; j < num_lost; j++) {
        spot_slot_calendar_set(
            &self->ends, slots[j], time_s + spot_slot_dice_draw(&self->waits, slots[j]));
    }
    return slots;
}

static const spot_field_t lifetimes_options[] = {
    {.name = "lifetime",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, lifetime),
        .bind = spot_gap_law_bind,
        .expected = spot_law_expected,
        .help =
            "law of the life of an instance in s; law deadline with deadline_s: 86400 "
            "for preemptible machines of GCP"},
    {.name = "refill",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, refill),
        .bind = spot_law_bind,
        .expected = spot_law_expected,
        .help = "law of the time in s until a lost instance is replaced"},
    {.name = NULL, .fields = spot_model_common_fields},
};

const spot_generator_t spot_generator_lifetimes = {
    .name = "lifetimes",
    .doc = "independent lives: each instance has its own end, and is replaced after a "
           "while",
    .source = "Kadupitiya, Jadhao, Sharma, HPDC 2020",
    .options = lifetimes_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = lifetimes_state_bytes,
    .prepare = lifetimes_prepare,
    .free = lifetimes_free,
    .start = lifetimes_start,
    .next = lifetimes_next,
    .next_until = lifetimes_next_until,
    .lose = lifetimes_lose,
    .num_names = lifetimes_num_names,
};
