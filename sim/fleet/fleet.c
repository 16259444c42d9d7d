/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_role_names[SPOT_NUM_ROLES] = {"prepping", "standby", "active"};

/* Places of a queue for each instance that there may be: so many that closing the holes
 * costs little a move. */
#define PLACES_PER_SLOT 6

int
spot_fleet_init(spot_fleet_t *self, int64_t capacity)
{
    const size_t num_places = PLACES_PER_SLOT * (size_t) capacity + 1; /* the end */

    memset(self, 0, sizeof(*self));
    self->capacity = (int32_t) capacity;
    self->num_places = (int64_t) num_places;
    self->slots = spot_calloc(2 * num_places, sizeof(*self->slots));
    self->ready_ms = spot_calloc(num_places, sizeof(*self->ready_ms));
    self->place = spot_calloc((size_t) capacity + 1, sizeof(*self->place));
    if (self->slots == NULL || self->ready_ms == NULL || self->place == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->place++;
    spot_fleet_clear(self);
    return 0;
}

void
spot_fleet_free(spot_fleet_t *self)
{
    free(self->slots);
    free(self->ready_ms);
    free(self->place == NULL ? NULL : self->place - 1);
    memset(self, 0, sizeof(*self));
}

/* Nobody prepares from a place on: it is no hole and never ready. */
static void
end_prepping(spot_fleet_t *self, int64_t place)
{
    self->prepping_end = place;
    self->slots[place] = 0;
    self->ready_ms[place] = INT64_MAX;
}

void
spot_fleet_clear(spot_fleet_t *self)
{
    memset(self->counts, 0, sizeof(self->counts));
    self->prepping_start = 0;
    end_prepping(self, 0);
    self->active_end = self->num_places;
    self->standby_start = self->num_places;
    self->ready_end = self->num_places;
}

/* Puts what stands at a place to another and returns the one behind; of a hole, the
 * same, so that behind the last instance there must be one more place. */
static int64_t
move(spot_fleet_t *self, int64_t from, int64_t to)
{
    const int32_t slot = self->slots[from];

    self->slots[from] = -1;
    self->slots[to] = slot;
    self->place[slot] = (int32_t) to;
    return to + (slot >= 0);
}

static void
close_holes_of_ready(spot_fleet_t *self)
{
    const int64_t start = self->num_places;
    int64_t end = start;

    for (int64_t place = start; place < self->ready_end; place++) {
        end = move(self, place, end);
    }
    self->active_end = start + self->counts[SPOT_ACTIVE];
    self->standby_start = self->active_end;
    self->ready_end = end;
}

static void
close_holes_of_prepping(spot_fleet_t *self)
{
    int64_t end = 0;

    for (int64_t place = self->prepping_start; place < self->prepping_end; place++) {
        self->ready_ms[end] = self->ready_ms[place];
        end = move(self, place, end);
    }
    self->prepping_start = 0;
    end_prepping(self, end);
}

/* So that prepping starts with an instance or its end. */
static void
skip_holes(spot_fleet_t *self)
{
    int64_t place = self->prepping_start;

    while (self->slots[place] < 0) {
        place++;
    }
    self->prepping_start = place;
}

void
spot_fleet_add(spot_fleet_t *self, const int32_t *slots, int32_t count, int64_t ready_ms)
{
    int64_t place;

    if (self->prepping_end + count >= self->num_places) {
        close_holes_of_prepping(self);
    }
    place = self->prepping_end;
    for (int32_t j = 0; j < count; j++) {
        self->slots[place + j] = slots[j];
        self->ready_ms[place + j] = ready_ms;
        self->place[slots[j]] = (int32_t) place + j;
    }
    end_prepping(self, place + count);
    self->counts[SPOT_PREPPING] += count;
}

int32_t
spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count)
{
    const int64_t prepping_end = self->prepping_end;
    const int64_t standby_start = self->standby_start;
    int32_t num_prepping = 0, num_standby = 0, num_active;

    for (int32_t j = 0; j < count; j++) {
        const int64_t place = self->place[slots[j]];

        self->slots[place] = -1;
        num_prepping += place < prepping_end;
        num_standby += place >= standby_start;
    }
    num_active = count - num_prepping - num_standby;
    self->counts[SPOT_PREPPING] -= num_prepping;
    self->counts[SPOT_STANDBY] -= num_standby;
    self->counts[SPOT_ACTIVE] -= num_active;
    skip_holes(self);
    return num_active;
}

int32_t
spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms)
{
    int64_t place = self->prepping_start, end;
    int32_t count;

    if (self->ready_ms[place] > now_ms) {
        return 0;
    }
    if (self->ready_end + self->counts[SPOT_PREPPING] >= 2 * self->num_places) {
        close_holes_of_ready(self);
    }
    end = self->ready_end;
    for (; self->ready_ms[place] <= now_ms; place++) {
        end = move(self, place, end);
    }
    count = (int32_t) (end - self->ready_end);
    self->ready_end = end;
    self->prepping_start = place;
    self->counts[SPOT_PREPPING] -= count;
    self->counts[SPOT_STANDBY] += count;
    skip_holes(self);
    return count;
}

/* The surplus keeps its order: the first of those that leave is ahead in standby. */
static void
return_surplus(spot_fleet_t *self, int32_t num_surplus)
{
    int64_t start, end;

    if (self->ready_end + num_surplus >= 2 * self->num_places) {
        close_holes_of_ready(self);
    }
    start = self->active_end;
    while (num_surplus > 0) {
        num_surplus -= self->slots[--start] >= 0;
    }
    end = self->ready_end;
    for (int64_t place = start; place < self->active_end; place++) {
        end = move(self, place, end);
    }
    self->active_end = start;
    self->ready_end = end;
}

static void
fill_up(spot_fleet_t *self, int32_t num_missing)
{
    int64_t start = self->standby_start;

    if (self->ready_end - start == self->counts[SPOT_STANDBY]) { /* no holes */
        start += num_missing;
    } else {
        while (num_missing > 0) {
            num_missing -= self->slots[start++] >= 0;
        }
    }
    self->active_end = start;
    self->standby_start = start;
}

void
spot_fleet_set_active(spot_fleet_t *self, int32_t num_active)
{
    const int32_t num_more = num_active - self->counts[SPOT_ACTIVE];

    spot_bug_assert(num_active >= 0 && num_more <= self->counts[SPOT_STANDBY]);
    if (num_more < 0) {
        return_surplus(self, -num_more);
    } else if (num_more > 0) {
        fill_up(self, num_more);
    }
    self->counts[SPOT_ACTIVE] += num_more;
    self->counts[SPOT_STANDBY] -= num_more;
}

int64_t
spot_fleet_next_ready_ms(const spot_fleet_t *self)
{
    return self->ready_ms[self->prepping_start];
}

int32_t
spot_fleet_population(const spot_fleet_t *self)
{
    return self->counts[SPOT_PREPPING] + self->counts[SPOT_STANDBY] +
           self->counts[SPOT_ACTIVE];
}

int32_t
spot_fleet_list(const spot_fleet_t *self, spot_role_t role, int32_t *slots)
{
    const int64_t starts[] = {
        self->prepping_start, self->standby_start, self->num_places};
    const int64_t ends[] = {self->prepping_end, self->ready_end, self->active_end};
    int32_t count = 0;

    for (int64_t place = starts[role]; place < ends[role]; place++) {
        if (self->slots[place] >= 0) {
            slots[count++] = self->slots[place];
        }
    }
    return count;
}

void
spot_fleet_print_state(const spot_fleet_t *self, FILE *out)
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

static int32_t
count_from(const spot_fleet_t *self, int64_t start, int64_t end)
{
    int32_t count = 0;

    for (int64_t place = start; place < end; place++) {
        const int32_t slot = self->slots[place];

        spot_bug_assert(slot < self->capacity);
        spot_bug_assert(slot < 0 || self->place[slot] == place);
        count += slot >= 0;
    }
    return count;
}

void
spot_fleet_verify(const spot_fleet_t *self)
{
    const int64_t first = self->prepping_start, last = self->prepping_end;

    spot_bug_assert(0 <= first && first <= last && last < self->num_places);
    spot_bug_assert(count_from(self, first, last) == self->counts[SPOT_PREPPING]);
    spot_bug_assert(self->slots[first] >= 0 && self->ready_ms[last] == INT64_MAX);
    for (int64_t place = first; place < last; place++) {
        spot_bug_assert(self->ready_ms[place] <= self->ready_ms[place + 1]);
    }
    spot_bug_assert(self->num_places <= self->active_end);
    spot_bug_assert(self->active_end <= self->standby_start);
    spot_bug_assert(self->standby_start <= self->ready_end);
    spot_bug_assert(self->ready_end < 2 * self->num_places);
    spot_bug_assert(count_from(self, self->num_places, self->active_end) ==
                    self->counts[SPOT_ACTIVE]);
    spot_bug_assert(count_from(self, self->active_end, self->standby_start) == 0);
    spot_bug_assert(count_from(self, self->standby_start, self->ready_end) ==
                    self->counts[SPOT_STANDBY]);
    spot_bug_assert(spot_fleet_population(self) <= self->capacity);
}
