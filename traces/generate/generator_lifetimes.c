/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances with independent lives: each slot of the capacity alternates between a life
 * and the wait for the next instance. The end of a life preempts this instance, so that
 * a wall such as the 24 h of preemptible machines holds for each instance.
 *
 * A shock takes uniform victims, which are replaced like others.
 *
 * Streams: LIFETIME at first_entity + slot for the lives, REFILL at first_entity + slot
 * for the waits, VICTIM at first_entity + 1 for victims of shocks. Slots below initial
 * start a life at time 0; the others wait. */
#include <math.h>

#include "base/calendar.h"
#include "traces/generate/generator.h"
#include "traces/generate/generator_parts.h"
#include "traces/laws/law.h"

typedef struct {
    spot_model_common_t common;
    spot_law_t lifetime;
    spot_law_t refill;
} model_t;

typedef struct {
    spot_model_ticks_t ticks;
    int64_t tick;         /* the open tick */
    spot_calendar_t ends; /* end of the present life or wait of each slot */
    spot_roster_t roster;
    spot_slot_dice_t lives;
    spot_slot_dice_t waits;
    spot_rng_t victims;
} state_t;

static size_t lifetimes_state_bytes(const void *model)
{
    const int64_t num_slots = ((const model_t *) model)->common.capacity;

    return sizeof(state_t) + spot_calendar_bytes((size_t) num_slots) +
           spot_roster_bytes(num_slots) + 2 * sizeof(uint32_t) * (size_t) num_slots;
}

static int64_t lifetimes_num_names(const void *model)
{
    return ((const model_t *) model)->common.capacity;
}

/* Starts a life or a wait in a slot, whose duration slot_dice draw. */
static void end_after(state_t *self, int32_t slot, double start_s, spot_slot_dice_t *slot_dice)
{
    const double end_s = start_s + spot_slot_dice_draw(slot_dice, slot);

    spot_calendar_move(&self->ends, slot, spot_tick_of_double(end_s));
}

static void lifetimes_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *laws = model;
    const int64_t num_slots = laws->common.capacity;
    char *memory = (char *) (self + 1);
    char *roster_memory = memory + spot_calendar_bytes((size_t) num_slots);
    uint32_t *num_used = (uint32_t *) (void *) (roster_memory + spot_roster_bytes(num_slots));

    spot_model_ticks_init(&self->ticks, &laws->common);
    self->tick = 0;
    spot_dice_seek(dice, &self->victims, SPOT_STREAM_VICTIM, 1);
    spot_calendar_init_in(
        &self->ends, memory, (size_t) num_slots, spot_tick_of_double((double) INFINITY));
    spot_roster_init(&self->roster, roster_memory, num_slots, laws->common.initial);
    spot_slot_dice_init(
        &self->lives, dice, SPOT_STREAM_LIFETIME, &laws->lifetime, num_used, num_slots);
    spot_slot_dice_init(
        &self->waits, dice, SPOT_STREAM_REFILL, &laws->refill, num_used + num_slots, num_slots);
    for (int32_t slot = 0; slot < num_slots; slot++) {
        end_after(self, slot, 0, slot < laws->common.initial ? &self->lives : &self->waits);
    }
}

/* Ends a life or a wait and starts the other. */
static void change_over(state_t *self, const spot_due_t *end)
{
    const int32_t slot = end->handle;
    const double time_s = spot_double_of_tick(end->tick);
    const bool is_death = spot_roster_lives(&self->roster, slot);
    spot_slot_dice_t *slot_dice = is_death ? &self->waits : &self->lives;

    if (is_death) {
        spot_roster_leave(&self->roster, slot);
    } else {
        spot_roster_enter(&self->roster, slot);
    }
    end_after(self, slot, time_s, slot_dice);
}

static bool next_up_to_tick(state_t *self, int64_t last_tick, spot_event_t *event)
{
    for (;;) {
        const spot_due_t end = *spot_calendar_first(&self->ends);
        const int64_t tick = spot_model_ticks_seeing(&self->ticks, spot_double_of_tick(end.tick));

        if (tick > self->tick) {
            if (spot_roster_see(&self->roster, self->tick * self->ticks.tick_ms, event)) {
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

static bool lifetimes_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, self->ticks.last_tick, event);
}

static bool lifetimes_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;

    return next_up_to_tick(self, last_ms / self->ticks.tick_ms, event);
}

static const int32_t *lifetimes_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;
    const int32_t *slots = spot_roster_strike(&self->roster, num_lost, &self->victims);

    for (int32_t j = 0; j < num_lost; j++) {
        end_after(self, slots[j], time_s, &self->waits);
    }
    return slots;
}

static const spot_field_t lifetimes_options[] = {
    {.name = "lifetime",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, lifetime),
        .bind = spot_law_bind,
        .table = spot_law_table,
        .settle = spot_gap_law_check,
        .expected = spot_law_expected,
        .help = "law of the life of an instance in s; law deadline with deadline_s: 86400 "
                "for preemptible machines of GCP"},
    {SPOT_VALUE(CUSTOM, "refill", model_t, refill, NULL,
         "law of the time in s until a lost instance is replaced"),
        .bind = spot_law_bind, .table = spot_law_table, .expected = spot_law_expected},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .next_until = lifetimes_next_until,
    .lose = lifetimes_lose,
    .num_names = lifetimes_num_names,
};

const spot_generator_t spot_generator_lifetimes = {
    .name = "lifetimes",
    .doc = "independent lives: each instance has its "
           "own end, and is replaced after a while",
    .source = "Kadupitiya, Jadhao, Sharma, HPDC 2020",
    .options = lifetimes_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = lifetimes_state_bytes,
    .start = lifetimes_start,
    .next = lifetimes_next,
    .members = &members,
};
