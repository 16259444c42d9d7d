/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_role_names[SPOT_NUM_ROLES] = {"prepping", "standby", "active"};

/* Places for each slot: enough that closing holes costs little per arrival. */
#define PLACES_PER_SLOT 3

int spot_fleet_init(spot_fleet_t *self, int64_t capacity)
{
    const size_t num_places = PLACES_PER_SLOT * (size_t) capacity + 1; /* the end */

    memset(self, 0, sizeof(*self));
    self->capacity = (int32_t) capacity;
    self->first_preferred = self->capacity;
    self->num_places = (int64_t) num_places;
    self->slots = spot_calloc(num_places, sizeof(*self->slots));
    self->arrivals = spot_calloc(num_places, sizeof(*self->arrivals));
    self->leaving = spot_calloc((size_t) capacity, sizeof(*self->leaving));
    self->lost = spot_calloc((size_t) capacity + 1, sizeof(*self->lost));
    self->place = spot_calloc((size_t) capacity + 1, sizeof(*self->place));
    if (self->place != NULL) {
        self->place++;
    }
    if (self->slots == NULL || self->arrivals == NULL || self->leaving == NULL ||
        self->lost == NULL || self->place == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_fleet_clear(self);
    return 0;
}

void spot_fleet_free(spot_fleet_t *self)
{
    free(self->slots);
    free(self->arrivals);
    free(self->leaving);
    free(self->lost);
    free(self->place == NULL ? NULL : self->place - 1);
    memset(self, 0, sizeof(*self));
}

/* Ends the array at a place: no hole is there, and no arrival is ready or ends there. */
static void end_at(spot_fleet_t *self, int64_t place)
{
    self->end = place;
    self->slots[place] = 0;
    self->arrivals[self->arrivals_end] = (spot_arrival_t){INT64_MAX, INT64_MAX};
}

void spot_fleet_clear(spot_fleet_t *self)
{
    memset(self->counts, 0, sizeof(self->counts));
    self->active_end = 0;
    self->ready_end = 0;
    self->arrivals_start = 0;
    self->arrivals_end = 0;
    self->num_lost = 0;
    end_at(self, 0);
}

/* Writes a slot, or a hole, to a place. Returns the next place; after a hole the same.
 */
static int64_t put(spot_fleet_t *self, int32_t slot, int64_t place)
{
    self->slots[place] = slot;
    self->place[slot] = (int32_t) place;
    return place + (slot >= 0);
}

/* Moves the instances of some places, without the holes. Returns their new end. */
static int64_t move(spot_fleet_t *self, int64_t start, int64_t end, int64_t to)
{
    for (int64_t place = start; place < end; place++) {
        to = put(self, self->slots[place], to);
    }
    return to;
}

static void close_holes(spot_fleet_t *self)
{
    int64_t start = self->active_end, to;
    int32_t num_arrivals = 0;

    self->active_end = move(self, 0, start, 0);
    to = move(self, start, self->ready_end, self->active_end);
    start = self->ready_end;
    self->ready_end = to;
    for (int32_t j = self->arrivals_start; j < self->arrivals_end; j++) {
        const spot_arrival_t *arrival = &self->arrivals[j];
        const int64_t first = to;

        to = move(self, start, arrival->end, to);
        start = arrival->end;
        self->arrivals[num_arrivals] = (spot_arrival_t){arrival->ready_ms, to};
        num_arrivals += to > first; /* an arrival without instances goes */
    }
    self->arrivals_start = 0;
    self->arrivals_end = num_arrivals;
    end_at(self, to);
}

/* Moves the border of prepping to its first instance, or to the end, and to its
 * arrival. */
static void skip_holes(spot_fleet_t *self)
{
    int64_t place = self->ready_end;
    int32_t j = self->arrivals_start;

    while (self->slots[place] < 0) {
        place++;
    }
    while (self->arrivals[j].end <= place) {
        j++;
    }
    self->ready_end = place;
    self->arrivals_start = j;
}

void spot_fleet_add(spot_fleet_t *self, const int32_t *slots, int32_t count, int64_t ready_ms)
{
    int32_t place;

    if (count == 0) {
        return;
    }
    if (self->end + count >= self->num_places) {
        close_holes(self);
    }
    place = (int32_t) self->end;
    for (int32_t j = 0; j < count; j++) {
        self->slots[place + j] = slots[j];
        self->place[slots[j]] = place + j;
    }
    self->arrivals[self->arrivals_end++] = (spot_arrival_t){ready_ms, place + count};
    end_at(self, place + count);
    self->counts[SPOT_PREPPING] += count;
}

void spot_fleet_add_initial(spot_fleet_t *self, const int32_t *slots, int32_t count,
    int64_t num_preparing, int64_t ready_after_ms, int64_t tick_ms)
{
    const int32_t num = num_preparing < count ? (int32_t) num_preparing : count;

    spot_fleet_add(self, slots, count - num, 0);
    for (int32_t j = 0; j < num; j++) {
        spot_fleet_add(self, slots + count - num + j, 1,
            ready_after_ms / tick_ms * (j + 1) / (num + 1) * tick_ms);
    }
}

void spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count)
{
    const int64_t active_end = self->active_end, ready_end = self->ready_end;
    int32_t *lost = self->lost + self->num_lost;
    int32_t num_active = 0, num_prepping = 0;

    for (int32_t j = 0; j < count; j++) {
        const int32_t slot = slots[j];
        const int64_t place = self->place[slot];

        self->slots[place] = -1;
        lost[num_active] = slot;
        num_active += place < active_end;
        num_prepping += place >= ready_end;
    }
    self->num_lost += num_active;
    self->counts[SPOT_ACTIVE] -= num_active;
    self->counts[SPOT_PREPPING] -= num_prepping;
    self->counts[SPOT_STANDBY] -= count - num_active - num_prepping;
    skip_holes(self);
}

static int32_t count_between(const spot_fleet_t *self, int64_t start, int64_t end)
{
    int32_t count = 0;

    for (int64_t place = start; place < end; place++) {
        count += self->slots[place] >= 0;
    }
    return count;
}

int32_t spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms)
{
    int32_t count, j = self->arrivals_start;
    int64_t end;

    if (self->arrivals[j].ready_ms > now_ms) {
        return 0;
    }
    while (self->arrivals[j + 1].ready_ms <= now_ms) {
        j++;
    }
    end = self->arrivals[j].end;
    self->arrivals_start = j + 1;
    if (self->end - self->ready_end == self->counts[SPOT_PREPPING]) { /* no holes */
        count = (int32_t) (end - self->ready_end);
    } else {
        count = count_between(self, self->ready_end, end);
    }
    self->ready_end = end;
    self->counts[SPOT_PREPPING] -= count;
    self->counts[SPOT_STANDBY] += count;
    skip_holes(self);
    return count;
}

/* Moves the surplus, in its order, after standby, which moves up. */
static void return_surplus(spot_fleet_t *self, int32_t num_surplus)
{
    int64_t start = self->active_end, to;
    int32_t num_left = num_surplus;

    while (num_left > 0) {
        const int32_t slot = self->slots[--start];

        self->leaving[num_left - 1] = slot;
        num_left -= slot >= 0;
    }
    to = move(self, self->active_end, self->ready_end, start);
    for (int32_t j = 0; j < num_surplus; j++) {
        to = put(self, self->leaving[j], to);
    }
    for (; to < self->ready_end; to++) {
        self->slots[to] = -1;
    }
    self->active_end = start;
}

/* The preferred instances and the others both keep their order. */
static void put_preferred_first(spot_fleet_t *self)
{
    int64_t to = self->ready_end;
    int32_t num_preferred = 0;

    for (int64_t place = self->ready_end - 1; place >= self->active_end; place--) {
        const int32_t slot = self->slots[place];

        if (slot >= self->first_preferred) {
            self->leaving[num_preferred++] = slot;
        } else {
            put(self, slot, --to);
        }
    }
    for (int64_t place = self->active_end; num_preferred > 0; place++) {
        put(self, self->leaving[--num_preferred], place);
    }
}

/* Counts from the front of standby the instances that become active, or from its end
 * those that stay, whichever are fewer. */
static void fill_up(spot_fleet_t *self, int32_t num_missing)
{
    int32_t num_staying = self->counts[SPOT_STANDBY] - num_missing;
    int64_t end = self->active_end;

    if (self->ready_end - end == self->counts[SPOT_STANDBY]) { /* no holes */
        end += num_missing;
    } else if (num_staying < num_missing) {
        end = self->ready_end;
        while (num_staying > 0) {
            num_staying -= self->slots[--end] >= 0;
        }
    } else {
        while (num_missing > 0) {
            num_missing -= self->slots[end++] >= 0;
        }
    }
    self->active_end = end;
}

void spot_fleet_set_active(spot_fleet_t *self, int32_t num_active)
{
    const int32_t num_more = num_active - self->counts[SPOT_ACTIVE];

    spot_bug_assert(num_active >= 0 && num_more <= self->counts[SPOT_STANDBY]);
    if (num_more < 0) {
        return_surplus(self, -num_more);
        if (self->first_preferred < self->capacity) {
            put_preferred_first(self);
        }
    } else if (num_more > 0) {
        fill_up(self, num_more);
    }
    self->counts[SPOT_ACTIVE] += num_more;
    self->counts[SPOT_STANDBY] -= num_more;
}

void spot_fleet_put_last(spot_fleet_t *self, const int64_t *deadlines_ms)
{
    const int64_t active_end = self->active_end;
    int64_t to = 0;
    int32_t num_last = 0, num_active = 0;

    self->active_end = 0;
    for (int64_t place = 0; place < self->ready_end; place++) {
        const int32_t slot = self->slots[place];

        if (slot >= 0 && deadlines_ms[slot] != INT64_MAX) {
            self->leaving[num_last++] = slot;
            num_active += place < active_end;
        } else if (slot >= 0) {
            to = put(self, slot, to);
            self->active_end = place < active_end ? to : self->active_end;
        }
    }
    for (int32_t j = 0; j < num_last; j++) {
        to = put(self, self->leaving[j], to);
    }
    for (; to < self->ready_end; to++) {
        self->slots[to] = -1;
    }
    self->counts[SPOT_ACTIVE] -= num_active;
    self->counts[SPOT_STANDBY] += num_active;
}

int64_t spot_fleet_next_ready_ms(const spot_fleet_t *self)
{
    return self->arrivals[self->arrivals_start].ready_ms;
}

int32_t spot_fleet_population(const spot_fleet_t *self)
{
    return self->counts[SPOT_PREPPING] + self->counts[SPOT_STANDBY] + self->counts[SPOT_ACTIVE];
}

int32_t spot_fleet_list(const spot_fleet_t *self, spot_role_t role, int32_t *slots)
{
    const int64_t starts[] = {self->ready_end, self->active_end, 0};
    const int32_t *place = &self->slots[starts[role]];
    const int32_t num_slots = self->counts[role];
    int32_t count = 0;

    while (count < num_slots) {
        const int32_t slot = *place++;

        slots[count] = slot; /* the next one takes the place of a hole */
        count += slot >= 0;
    }
    return count;
}

void spot_fleet_print_state(const spot_fleet_t *self, FILE *out)
{
    int32_t *slots = spot_calloc((size_t) self->capacity, sizeof(*slots));

    for (int j = 0; slots != NULL && j < SPOT_NUM_ROLES; j++) {
        const int32_t count = spot_fleet_list(self, (spot_role_t) j, slots);

        fprintf(out, "%s: %d of %d:", spot_role_names[j], count, self->capacity);
        for (int32_t k = 0; k < count; k++) {
            fprintf(out, " %d", slots[k]);
        }
        putc('\n', out);
    }
    free(slots);
}

/* Aborts unless each instance there has its place. Returns the number of instances. */
static int32_t verify_places(const spot_fleet_t *self, int64_t start, int64_t end)
{
    for (int64_t place = start; place < end; place++) {
        const int32_t slot = self->slots[place];

        spot_bug_assert(slot < self->capacity);
        spot_bug_assert(slot < 0 || self->place[slot] == place);
    }
    return count_between(self, start, end);
}

void spot_fleet_verify(const spot_fleet_t *self)
{
    int64_t start = self->ready_end;

    spot_bug_assert(0 <= self->active_end && self->active_end <= self->ready_end);
    spot_bug_assert(self->ready_end <= self->end && self->end < self->num_places);
    spot_bug_assert(verify_places(self, 0, self->active_end) == self->counts[SPOT_ACTIVE]);
    spot_bug_assert(
        verify_places(self, self->active_end, self->ready_end) == self->counts[SPOT_STANDBY]);
    spot_bug_assert(verify_places(self, self->ready_end, self->end) == self->counts[SPOT_PREPPING]);
    spot_bug_assert(self->slots[self->ready_end] >= 0);
    for (int32_t j = self->arrivals_start; j < self->arrivals_end; j++) {
        const spot_arrival_t *arrival = &self->arrivals[j];

        spot_bug_assert(start < arrival->end && arrival->end <= self->end);
        spot_bug_assert(arrival->ready_ms <= arrival[1].ready_ms);
        start = arrival->end;
    }
    spot_bug_assert(start == self->end);
    spot_bug_assert(spot_fleet_population(self) <= self->capacity);
}
