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

/* Cuts the run of count members first ... last, neighbours in one list, out of it and
 * joins it to the end of another; their roles are already those of the other. */
static void
splice(spot_fleet_t *self, spot_role_t from_role, spot_role_t to_role, int32_t first,
    int32_t last, int32_t count)
{
    spot_fleet_member_t *members = self->members;
    spot_fleet_list_t *from = &self->lists[from_role];
    spot_fleet_list_t *to = &self->lists[to_role];
    const int32_t before = members[first].prev;
    const int32_t behind = members[last].next;

    *(before >= 0 ? &members[before].next : &from->first) = behind;
    *(behind >= 0 ? &members[behind].prev : &from->last) = before;
    from->count -= count;
    members[first].prev = to->last;
    members[last].next = -1;
    *(to->last >= 0 ? &members[to->last].next : &to->first) = first;
    to->last = last;
    to->count += count;
}

void
spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms)
{
    const int32_t first = self->lists[SPOT_PREPPING].first;
    int32_t last = -1, count = 0;

    for (int32_t slot = first; slot >= 0 && self->members[slot].ready_ms <= now_ms;
         slot = self->members[slot].next) {
        self->members[slot].role = SPOT_STANDBY;
        last = slot;
        count++;
    }
    if (count > 0) {
        splice(self, SPOT_PREPPING, SPOT_STANDBY, first, last, count);
    }
}

/* The surplus keeps its order: the first of those that leave is ahead in standby. */
static void
return_surplus(spot_fleet_t *self, int32_t num_surplus)
{
    const int32_t last = self->lists[SPOT_ACTIVE].last;
    int32_t first = last;

    self->members[first].role = SPOT_STANDBY;
    for (int32_t j = 1; j < num_surplus; j++) {
        first = self->members[first].prev;
        self->members[first].role = SPOT_STANDBY;
    }
    splice(self, SPOT_ACTIVE, SPOT_STANDBY, first, last, num_surplus);
}

static void
fill_up(spot_fleet_t *self, int32_t num_missing)
{
    const int32_t first = self->lists[SPOT_STANDBY].first;
    int32_t last = first;

    self->members[last].role = SPOT_ACTIVE;
    for (int32_t j = 1; j < num_missing; j++) {
        last = self->members[last].next;
        self->members[last].role = SPOT_ACTIVE;
    }
    splice(self, SPOT_STANDBY, SPOT_ACTIVE, first, last, num_missing);
}

void
spot_fleet_set_active(spot_fleet_t *self, int32_t num_active)
{
    const int32_t num_before = self->lists[SPOT_ACTIVE].count;

    spot_bug_assert(num_active <= num_before + self->lists[SPOT_STANDBY].count);
    if (num_before > num_active) {
        return_surplus(self, num_before - num_active);
    } else if (num_before < num_active) {
        fill_up(self, num_active - num_before);
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
spot_fleet_print_state(const spot_fleet_t *self, FILE *out)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        fprintf(out, "%s: %d of %d:", spot_role_names[j], self->lists[j].count,
            self->capacity);
        for (int32_t slot = self->lists[j].first; slot >= 0;
             slot = self->members[slot].next) {
            fprintf(out, " %d", slot);
        }
        putc('\n', out);
    }
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
