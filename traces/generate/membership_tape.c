/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the living instances ahead of who meets them, on a tape that readers
 * share. */
#include "base/integers.h"
#include "traces/generate/membership_internal.h"

/* How many zones a tape has for so many instances. */
static size_t num_zones_of(const spot_membership_t *self, int32_t count)
{
    return self->zones->num_zones > 0 ? (size_t) count : 0;
}

/* Appends the zones of instances to the tape, which has room. */
static void tape_zones(spot_membership_t *self, const int32_t *slots, int32_t count)
{
    spot_tape_t *tape = self->tape;

    for (size_t j = 0; j < num_zones_of(self, count); j++) {
        tape->zones[tape->num_zones++] = self->zones->zone_of_name != NULL
                                             ? self->zones->zone_of_name[self->name_id[slots[j]]]
                                             : self->pool_of_slot[slots[j]];
    }
}

bool spot_membership_begin_tape(spot_membership_t *self)
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

/* Notes that there is no further change. */
static bool end_tape(spot_membership_t *self)
{
    self->tape->is_over = true;
    self->tape->stopped_ms = spot_trace_model_stopped_ms(self->model, self->source);
    return false;
}

/* Makes room on the tape for the changes of the events that were made. */
static bool reserve(spot_membership_t *self)
{
    int32_t count = 1; /* so that there are slots, if only of no instance */

    for (size_t j = self->event_id; j < self->num_events; j++) {
        count += (int32_t) spot_smaller(self->events[j].count, self->capacity);
    }
    return !self->tape->is_full && spot_tape_reserve(self->tape, self->num_events - self->event_id,
                                       (size_t) count, num_zones_of(self, count));
}

/* Makes the changes of the next events and appends them to the tape; false: that is over
 * or full. */
static bool tape_events(spot_membership_t *self)
{
    spot_change_t change;

    if (self->events[spot_membership_next_event(self)].time_ms == INT64_MAX) {
        return end_tape(self);
    }
    if (!reserve(self)) {
        return false;
    }
    while (self->event_id < self->num_events) {
        const int64_t seen_ms = self->seen_ms[self->event_id];

        (void) spot_membership_make(self, &change);
        tape_zones(self, change.slots, change.count);
        spot_tape_add(self->tape,
            &(spot_taped_change_t){
                change.time_ms, seen_ms, change.count, change.num_clipped, change.kind},
            change.slots);
    }
    return true;
}

SPOT_NOINLINE SPOT_FLATTEN void spot_membership_extend_tape(spot_membership_t *self)
{
    spot_change_t change;
    size_t num_wanted;

    if (!self->is_started) {
        spot_membership_start_making(self);
    }
    while (self->num_made < self->tape->num_changes) {
        (void) spot_membership_make(self, &change);
    }
    num_wanted = self->num_made + SPOT_EVENTS_AHEAD;
    while (self->num_made < num_wanted && tape_events(self)) {
    }
    if (self->num_met == self->tape->num_changes && !self->tape->is_over) {
        self->tape = NULL;
    }
}
