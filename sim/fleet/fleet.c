/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_role_names[SPOT_NUM_ROLES] = {"prepping", "standby", "active"};

int
spot_fleet_init(spot_fleet_t *self, int64_t capacity)
{
    memset(self, 0, sizeof(*self));
    self->capacity = (int32_t) capacity;
    self->members = spot_calloc((size_t) capacity, sizeof(*self->members));
    spot_fleet_clear(self);
    return self->members == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

void
spot_fleet_free(spot_fleet_t *self)
{
    free(self->members);
    memset(self, 0, sizeof(*self));
}

void
spot_fleet_clear(spot_fleet_t *self)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        self->lists[j].first = -1;
        self->lists[j].last = -1;
        self->lists[j].count = 0;
    }
}

void
spot_fleet_add(spot_fleet_t *self, int32_t slot, spot_role_t role, int64_t ready_ms)
{
    spot_fleet_member_t *member = &self->members[slot];
    spot_fleet_list_t *list = &self->lists[role];

    member->role = role;
    member->ready_ms = ready_ms;
    member->prev = list->last;
    member->next = -1;
    if (list->last >= 0) {
        self->members[list->last].next = slot;
    } else {
        list->first = slot;
    }
    list->last = slot;
    list->count++;
}

spot_role_t
spot_fleet_remove(spot_fleet_t *self, int32_t slot)
{
    const spot_fleet_member_t *member = &self->members[slot];
    spot_fleet_list_t *list = &self->lists[member->role];

    if (member->prev >= 0) {
        self->members[member->prev].next = member->next;
    } else {
        list->first = member->next;
    }
    if (member->next >= 0) {
        self->members[member->next].prev = member->prev;
    } else {
        list->last = member->prev;
    }
    list->count--;
    return member->role;
}

static void
move(spot_fleet_t *self, int32_t slot, spot_role_t role)
{
    (void) spot_fleet_remove(self, slot);
    spot_fleet_add(self, slot, role, 0);
}

void
spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms)
{
    while (spot_fleet_next_ready_ms(self) <= now_ms) {
        move(self, self->lists[SPOT_PREPPING].first, SPOT_STANDBY);
    }
}

/* The surplus keeps its order: the first of those that leave is ahead in standby. */
static void
return_surplus(spot_fleet_t *self, int32_t num_surplus)
{
    int32_t slot = self->lists[SPOT_ACTIVE].last;

    for (int32_t j = 1; j < num_surplus; j++) {
        slot = self->members[slot].prev;
    }
    for (int32_t j = 0; j < num_surplus; j++) {
        const int32_t next = self->members[slot].next;

        move(self, slot, SPOT_STANDBY);
        slot = next;
    }
}

void
spot_fleet_set_active(spot_fleet_t *self, int32_t num_active)
{
    spot_bug_assert(
        num_active <= self->lists[SPOT_ACTIVE].count + self->lists[SPOT_STANDBY].count);
    if (self->lists[SPOT_ACTIVE].count > num_active) {
        return_surplus(self, self->lists[SPOT_ACTIVE].count - num_active);
    }
    while (self->lists[SPOT_ACTIVE].count < num_active) {
        move(self, self->lists[SPOT_STANDBY].first, SPOT_ACTIVE);
    }
}

int64_t
spot_fleet_next_ready_ms(const spot_fleet_t *self)
{
    const int32_t oldest = self->lists[SPOT_PREPPING].first;

    return oldest < 0 ? INT64_MAX : self->members[oldest].ready_ms;
}

int32_t
spot_fleet_population(const spot_fleet_t *self)
{
    return self->lists[SPOT_PREPPING].count + self->lists[SPOT_STANDBY].count +
           self->lists[SPOT_ACTIVE].count;
}

void
spot_fleet_verify(const spot_fleet_t *self)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        const spot_fleet_list_t *list = &self->lists[j];
        int32_t count = 0, before = -1;

        for (int32_t slot = list->first; slot >= 0; slot = self->members[slot].next) {
            spot_bug_assert(self->members[slot].role == (spot_role_t) j);
            spot_bug_assert(self->members[slot].prev == before);
            spot_bug_assert(count < list->count);
            before = slot;
            count++;
        }
        spot_bug_assert(before == list->last);
        spot_bug_assert(count == list->count);
    }
    spot_bug_assert(spot_fleet_population(self) <= self->capacity);
}
