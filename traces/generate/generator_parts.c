/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/generator_parts.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* ---- Ticks and the outlet of events ---- */

void spot_model_ticks_init(spot_model_ticks_t *self, const spot_model_common_t *common)
{
    const int64_t last_ms = spot_model_last_ms(common);

    self->horizon_s = (double) last_ms / (double) SPOT_MS_PER_S;
    self->tick_ms = common->tick_ms;
    self->last_tick = last_ms / common->tick_ms;
}

void spot_outlet_init(spot_outlet_t *self, const spot_model_common_t *common, int64_t population)
{
    spot_model_ticks_init(&self->ticks, common);
    spot_recorder_init(&self->recorder, common->tick_ms, false, population);
    self->num_seen = 0;
    self->num_given = 0;
}

void spot_gap_law_check(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_law_t *law = target;

    if (!(law->family->moment(law->parameters, 1) >= 1e-3)) {
        spot_bind_error(bind, node, field->name,
            "expected a law with a mean of at least 1 ms, got one of %g s",
            law->family->moment(law->parameters, 1));
    }
}

bool spot_outlet_next_until(spot_outlet_t *self, const spot_process_t *process, void *state,
    int64_t last_tick, spot_event_t *event)
{
    spot_happening_t happening;

    while (self->num_given == self->num_seen) {
        const double due_s = process->due_s(state);

        self->num_given = 0;
        if (spot_model_ticks_seeing(&self->ticks, due_s) <= last_tick) {
            process->happen(state, &happening);
            self->num_seen = spot_recorder_take(
                &self->recorder, 1e3 * due_s, happening.kind, happening.count, self->seen);
        } else {
            self->num_seen = spot_recorder_finish(&self->recorder, self->seen);
            if (self->num_seen == 0) {
                return false;
            }
        }
    }
    *event = self->seen[self->num_given++];
    return true;
}

/* ---- The roster of named instances ---- */

size_t spot_roster_bytes(int64_t num_slots)
{
    return 3 * sizeof(int32_t) * (size_t) num_slots;
}

void spot_roster_init(spot_roster_t *self, void *memory, int64_t num_slots, int64_t population)
{
    spot_bug_assert(population >= 0 && population <= num_slots);
    self->num_slots = (int32_t) num_slots;
    self->population = (int32_t) population;
    self->num_old = (int32_t) population;
    self->num_lost = 0;
    self->slots = memory;
    self->place = self->slots + num_slots;
    self->lost = self->place + num_slots;
    for (int32_t slot = 0; slot < num_slots; slot++) {
        self->slots[slot] = slot;
        self->place[slot] = slot;
    }
}

static void swap(spot_roster_t *self, int32_t place, int32_t other_place)
{
    const int32_t slot = self->slots[place], other = self->slots[other_place];

    self->slots[place] = other;
    self->place[other] = place;
    self->slots[other_place] = slot;
    self->place[slot] = other_place;
}

void spot_roster_leave(spot_roster_t *self, int32_t slot)
{
    if (self->place[slot] < self->num_old) {
        self->lost[self->num_lost++] = slot;
        swap(self, self->place[slot], --self->num_old);
    }
    swap(self, self->place[slot], --self->population);
}

void spot_roster_enter(spot_roster_t *self, int32_t slot)
{
    swap(self, self->place[slot], self->population++);
}

int32_t spot_roster_free_slot(const spot_roster_t *self)
{
    return self->slots[self->population];
}

int32_t spot_roster_victim(const spot_roster_t *self, spot_rng_t *rng)
{
    const int32_t num_eligible = self->num_old > 0 ? self->num_old : self->population;

    return self->slots[spot_rng_below(rng, (uint64_t) num_eligible)];
}

/* The victims end up just after the living instances. */
const int32_t *spot_roster_strike(spot_roster_t *self, int32_t num_lost, spot_rng_t *rng)
{
    spot_bug_assert(self->num_lost == 0 && self->num_old == self->population);
    spot_bug_assert(num_lost <= self->population);
    for (int32_t j = 0; j < num_lost; j++) {
        const int32_t slot = spot_roster_victim(self, rng);

        swap(self, self->place[slot], --self->population);
        self->num_old--;
    }
    return self->slots + self->population;
}

bool spot_roster_see(spot_roster_t *self, int64_t time_ms, spot_event_t *event)
{
    event->time_ms = time_ms;
    if (self->num_lost > 0) {
        event->kind = SPOT_EVENT_PREEMPT;
        event->count = self->num_lost;
        event->name_ids = self->lost;
        self->num_lost = 0;
        return true;
    }
    if (self->population > self->num_old) {
        event->kind = SPOT_EVENT_ADD;
        event->count = self->population - self->num_old;
        event->name_ids = self->slots + self->num_old;
        self->num_old = self->population;
        return true;
    }
    return false;
}

void spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice, spot_stream_t purpose,
    const spot_law_t *law, uint32_t *num_used, int64_t num_slots)
{
    self->dice = *dice;
    self->purpose = purpose;
    self->law = law;
    self->num_used = num_used;
    memset(num_used, 0, sizeof(*num_used) * (size_t) num_slots);
}

double spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot)
{
    double value_s;

    spot_dice_seek(&self->dice, &self->rng, self->purpose, (uint64_t) slot);
    spot_rng_skip_to(&self->rng, self->num_used[slot]);
    value_s = self->law->family->draw(self->law->parameters, &self->rng);
    self->num_used[slot] = (uint32_t) spot_rng_position(&self->rng);
    return value_s;
}

/* ---- Rates by the hour of the day ---- */

#define S_PER_H 3600.0
#define S_PER_D 86400.0

static const char hours_expected[] = "a list of 24 numbers from 0, one an hour of the day";

static const spot_field_t rate_item = {.type = SPOT_FIELD_NUMBER, .max = 1e9};

/* Divides the rates by their mean: only their ratios count. */
static void settle_hours(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_hourly_rates_t *self = target;
    double sum = 0;

    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        sum += self->rates[j];
    }
    if (!(sum > 0)) {
        spot_bind_unexpected(bind, field, node, "all are 0");
        return;
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->rates[j] /= sum / SPOT_HOURS_PER_DAY;
    }
}

const spot_field_t spot_hourly_fields[] = {
    {SPOT_RANGE(NUMBER, "start_hour", spot_hourly_t, start_hour, 0, 23.999999, NULL,
        "hour at the start", "hour of the day at time 0")},
    {.name = "preempt",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_hourly_t, preempt.rates),
        SPOT_HOURS_FIELD(&rate_item),
        .expected = hours_expected,
        .settle = settle_hours,
        .help = "rates of preemption events from 0 h to 24 h, divided by their mean"},
    {.name = "add",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_hourly_t, add.rates),
        SPOT_HOURS_FIELD(&rate_item),
        .expected = hours_expected,
        .settle = settle_hours,
        .help = "rates of addition events, in the same way"},
    {.name = NULL},
};

double spot_hourly_rates_end(
    const spot_hourly_rates_t *self, double start_hour, double time_s, double gap_s)
{
    const double clock_s = fmod(start_hour * S_PER_H + time_s, S_PER_D);
    const double num_days = floor(gap_s / S_PER_D);
    double end_s = time_s + num_days * S_PER_D, rest_s = gap_s - num_days * S_PER_D;
    int hour = (int) (clock_s / S_PER_H) % SPOT_HOURS_PER_DAY;
    double left_s = (hour + 1) * S_PER_H - clock_s; /* left of this hour */

    if (!isfinite(gap_s)) {
        return (double) INFINITY;
    }
    /* The integral over a day is 86,400 s up to rounding, for which the second turn
     * is. */
    for (int j = 0; j < 2 * SPOT_HOURS_PER_DAY; j++) {
        const double rate = self->rates[hour];

        if (rest_s <= rate * left_s && rate > 0) {
            return end_s + rest_s / rate;
        }
        rest_s -= rate * left_s;
        end_s += left_s;
        left_s = S_PER_H;
        hour = (hour + 1) % SPOT_HOURS_PER_DAY;
    }
    return end_s;
}
