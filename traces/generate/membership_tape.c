/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the living instances ahead of who meets them, on a tape that readers
 * share. */
#include <string.h>

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

    if (!spot_tape_reserve(tape, 0, 0, num_zones_of(self, self->num_living))) {
        return false;
    }
    tape->is_begun = true;
    tape->initial = self->num_living;
    tape_zones(self, self->initial, self->num_living);
    return true;
}

/* Goes on with the living slots and the free ones apart. Births were not counted. */
static void
split_living(spot_membership_t *self)
{
    for (int32_t j = 0; j < self->capacity; j++) {
        self->birth[j] = 0;
        self->place[self->living[j]] = j;
        self->free_slots[self->capacity - 1 - j] = self->living[j];
    }
    self->pools->population = self->num_living;
    self->is_flat = false;
}

void
spot_membership_leave_tape(spot_membership_t *self)
{
    if (self->is_flat) {
        split_living(self);
    }
    self->tape = NULL;
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
    int32_t count;

    if (spot_membership_event_ms(self) == INT64_MAX) {
        return end_tape(self);
    }
    count = self->events[self->event_id].count;
    if (tape->is_full ||
        !spot_tape_reserve(tape, 1, (size_t) count, num_zones_of(self, count))) {
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

/* Carries out an event: count instances come, into the slots after the living ones, or
 * go, and victims change places with the last living ones. Writes their slots. */
static void
carry_out(spot_membership_t *self, spot_event_kind_t kind, int32_t count, int32_t *slots)
{
    int32_t *end = &self->living[self->num_living]; /* of the living */

    if (kind == SPOT_EVENT_ADD) {
        memcpy(slots, end, (size_t) count * sizeof(*slots));
        self->num_living += count;
        return;
    }
    for (int32_t j = 0; j < count; j++) {
        int32_t *victim =
            &self->living[spot_rng_below(&self->victims, (uint64_t) self->num_living)];

        slots[j] = *victim;
        *victim = *--end;
        *end = slots[j];
        self->num_living--;
    }
}

/* Makes changes of the events that were made; the tape has room for them. */
static void
make_flat(spot_membership_t *self, spot_tape_t *tape)
{
    while (self->event_id < self->num_events) {
        const spot_event_t *event = &self->events[self->event_id++];
        const int32_t room = event->kind == SPOT_EVENT_ADD
                                 ? self->capacity - self->num_living
                                 : self->num_living;
        const int32_t count = event->count < room ? event->count : room;

        tape->changes[tape->num_changes++] = (spot_taped_change_t){event->time_ms,
            spot_ticks_at_or_after(&self->ticks, event->time_ms), count,
            event->count - count, event->kind};
        carry_out(self, event->kind, count, &tape->slots[tape->num_slots]);
        tape->num_slots += (size_t) count;
        self->num_made++;
    }
}

/* Makes room on the shared tape for all changes of the events that were made. */
static bool
reserve_flat(spot_membership_t *self)
{
    size_t count = 1; /* so that there are slots, if only of no instance */

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
    } else if (!reserve_flat(self)) {
        spot_membership_leave_tape(self);
    } else {
        make_flat(self, self->tape);
    }
}

SPOT_NOINLINE SPOT_FLATTEN void
spot_membership_extend_tape(spot_membership_t *self)
{
    spot_change_t change;

    if (self->is_flat && self->num_made == self->tape->num_changes) {
        extend_flat(self);
        return;
    }
    if (self->is_flat) { /* others have made changes meanwhile */
        split_living(self);
    }
    if (!self->is_started) {
        spot_membership_start_making(self);
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
