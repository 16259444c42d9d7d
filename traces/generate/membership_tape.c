/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the living instances ahead of who meets them: those of a tape that readers
 * share, and of one pool without names the next ones of a single reader. */
#include "traces/generate/membership_internal.h"

/* How many zones a tape has for so many instances. */
static size_t
num_zones_of(const spot_membership_t *self, int32_t count)
{
    return self->zones->num_zones > 0 ? (size_t) count : 0;
}

/* Appends the zones of instances to the tape, which has room. */
static void
tape_zones(spot_membership_t *self, const int32_t *slots, int32_t count)
{
    spot_tape_t *tape = self->tape;

    for (size_t j = 0; j < num_zones_of(self, count); j++) {
        tape->zones[tape->num_zones++] =
            self->zones->zone_of_name != NULL
                ? self->zones->zone_of_name[self->name_id[slots[j]]]
                : self->pool_of_slot[slots[j]];
    }
}

bool
spot_membership_begin_tape(spot_membership_t *self)
{
    spot_tape_t *tape = self->tape;

    if (tape != &self->own &&
        !spot_tape_reserve(tape, 0, 0, num_zones_of(self, self->num_living))) {
        return false;
    }
    tape->is_begun = true;
    tape->initial = self->num_living;
    tape_zones(self, self->initial, self->num_living);
    return true;
}

void
spot_membership_leave_tape(spot_membership_t *self)
{
    self->tape = self->is_flat ? &self->own : NULL;
    spot_tape_clear(&self->own);
    self->num_met = 0;
    self->num_slots_met = 0;
}

/* ---- Tapes ---- */

/* Notes that there is no further change. */
static bool
end_tape(spot_membership_t *self)
{
    self->tape->is_over = true;
    self->tape->stopped_ms = spot_trace_model_stopped_ms(self->model, self->source);
    return false;
}

/* Makes a change and appends it to the tape; false: that is over or full. */
static bool
tape_next(spot_membership_t *self)
{
    spot_tape_t *tape = self->tape;
    spot_change_t change;

    if (spot_membership_event_ms(self) == INT64_MAX) {
        return end_tape(self);
    }
    if (tape->is_full || !spot_tape_reserve(tape, 1, (size_t) self->events->count,
                             num_zones_of(self, self->events->count))) {
        return false;
    }
    if (!spot_membership_make(self, &change)) {
        return false;
    }
    tape_zones(self, change.slots, change.count);
    spot_tape_add(tape,
        &(spot_taped_change_t){change.time_ms,
            spot_ticks_at_or_after(&self->ticks, change.time_ms), change.count,
            change.num_clipped, change.kind},
        change.slots);
    return true;
}

/* ---- The same of one pool whose instances have no names ----
 * living holds all slots: those of the living, then the free ones, next to be given
 * first. */

static void
make_events(spot_membership_t *self)
{
    self->event_id = 0;
    self->num_events = spot_trace_model_next_many(
        self->model, self->source, SPOT_CHANGES_AHEAD, self->events);
}

/* The slots of changes while they are made: first the place of each in living; of a
 * victim that of the last living one then. */
typedef struct {
    int32_t *slots;   /* [number] at last the slots */
    int32_t *places;  /* [number] */
    int32_t *victims; /* [losses] which of them */
} places_t;

/* Writes the places of the slots of a change, from the first one upwards or downwards,
 * and which slots of the chunk they are; some more behind. */
static void
write_places(const places_t *self, size_t num_slots, size_t num_victims, int32_t first,
    int32_t count, int32_t step)
{
    int32_t *places = self->places + num_slots, *slots = self->slots + num_slots;
    int32_t *victims = self->victims + num_victims;
    int32_t j = 0;

    do {
        for (int32_t k = j; k < j + SPOT_PLACES_AT_ONCE; k++) {
            places[k] = slots[k] = first + k * step;
            victims[k] = (int32_t) num_slots + k;
        }
        j += SPOT_PLACES_AT_ONCE;
    } while (j < count);
}

/* Draws the victims, and replaces places by slots. */
static void
take_slots(spot_membership_t *self, const places_t *places, size_t num_slots,
    size_t num_victims)
{
    int32_t *living = self->living;

    for (size_t j = 0; j < num_victims; j++) {
        const int32_t k = places->victims[j];

        places->slots[k] =
            (int32_t) spot_rng_below(&self->victims, (uint64_t) places->places[k] + 1);
    }
    for (size_t j = 0; j < num_slots; j++) {
        int32_t *from = &living[places->slots[j]], *to = &living[places->places[j]];
        const int32_t slot = *from;

        *from = *to;
        *to = slot;
        places->slots[j] = slot;
    }
}

/* Carries out events that were made, up to num_changes and as far as the tape has room,
 * in passes without branches that depend on them: an addition takes the slots after the
 * living ones; a loss the slots of victims, which get those of the last living ones. */
static void
make_flat(spot_membership_t *self, spot_tape_t *tape, size_t num_changes)
{
    spot_taped_change_t *taped = &tape->changes[tape->num_changes];
    const spot_taped_change_t *end = taped + num_changes;
    const spot_event_t *event = &self->events[self->event_id];
    const spot_event_t *events_end = &self->events[self->num_events];
    const places_t places = {
        &tape->slots[tape->num_slots], self->places, self->victim_slots};
    const spot_ticks_t ticks = self->ticks;
    const int32_t capacity = self->capacity;
    int32_t population = self->num_living;
    size_t num_slots = 0, num_victims = 0;

    for (; taped < end && event < events_end; taped++, event++) {
        const int32_t loss = -(event->kind != SPOT_EVENT_ADD); /* 0 or -1 */
        const int32_t room = (population ^ ~loss) + ((capacity + 1) & ~loss);
        const int32_t count = event->count < room ? event->count : room;

        if (num_slots + (size_t) count > self->own.max_slots) {
            break;
        }
        taped->time_ms = event->time_ms;
        taped->seen_ms = spot_ticks_at_or_after(&ticks, event->time_ms);
        taped->kind = event->kind;
        taped->count = count;
        taped->num_clipped = event->count - count;
        write_places(
            &places, num_slots, num_victims, population + loss, count, 1 | loss);
        num_slots += (size_t) count;
        num_victims += (size_t) (count & loss);
        population += (count ^ loss) - loss;
    }
    take_slots(self, &places, num_slots, num_victims);
    self->num_living = population;
    self->event_id = (size_t) (event - self->events);
    self->num_made += (size_t) (taped - &tape->changes[tape->num_changes]);
    tape->num_changes = (size_t) (taped - tape->changes);
    tape->num_slots += num_slots;
}

/* Makes the changes again that the shared tape has. */
static void
catch_up(spot_membership_t *self)
{
    while (self->num_made < self->tape->num_changes) {
        if (self->event_id == self->num_events) {
            make_events(self);
        }
        spot_tape_clear(&self->own);
        make_flat(self, &self->own, self->tape->num_changes - self->num_made);
    }
}

/* Makes room on the shared tape for all changes of the events that were made. */
static bool
reserve_flat(spot_membership_t *self)
{
    size_t count = SPOT_PLACES_AT_ONCE;

    for (size_t j = self->event_id; j < self->num_events; j++) {
        const int32_t most = self->events[j].count;

        count += (size_t) (most < self->capacity ? most : self->capacity);
    }
    return !self->tape->is_full &&
           spot_tape_reserve(self->tape, self->num_events - self->event_id, count, 0);
}

static void
extend_flat(spot_membership_t *self)
{
    if (self->event_id == self->num_events) {
        make_events(self);
    }
    if (self->event_id == self->num_events) {
        end_tape(self);
        return;
    }
    if (self->tape == &self->own || !reserve_flat(self)) {
        spot_membership_leave_tape(self);
    }
    make_flat(self, self->tape, SPOT_CHANGES_AHEAD);
}

SPOT_NOINLINE SPOT_FLATTEN void
spot_membership_extend_tape(spot_membership_t *self)
{
    spot_change_t change;

    if (!self->is_started) {
        spot_membership_start_making(self);
    }
    if (self->is_flat) {
        if (self->tape != &self->own) {
            catch_up(self);
        }
        extend_flat(self);
        return;
    }
    while (self->num_made < self->tape->num_changes) {
        (void) spot_membership_make(self, &change);
    }
    for (int j = 0; j < SPOT_CHANGES_AHEAD && tape_next(self); j++) {
    }
    if (self->num_met == self->tape->num_changes && !self->tape->is_over) {
        spot_membership_leave_tape(self);
    }
}
