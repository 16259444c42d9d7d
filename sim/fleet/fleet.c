/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_role_names[SPOT_NUM_ROLES] = {"prepping", "standby", "active"};

/* The slot of a head: heads[role] is links[head_of(role)]. */
static int32_t
head_of(spot_role_t role)
{
    return (int32_t) role - SPOT_NUM_ROLES;
}

int
spot_fleet_init(spot_fleet_t *self, int64_t capacity)
{
    const size_t num_slots = (size_t) capacity;

    memset(self, 0, sizeof(*self));
    self->capacity = (int32_t) capacity;
    self->heads = spot_calloc(SPOT_NUM_ROLES + num_slots, sizeof(*self->heads));
    self->roles = spot_calloc(num_slots, sizeof(*self->roles));
    if (self->heads == NULL || self->roles == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->links = self->heads + SPOT_NUM_ROLES;
    spot_fleet_clear(self);
    return 0;
}

void
spot_fleet_free(spot_fleet_t *self)
{
    free(self->heads);
    free(self->roles);
    memset(self, 0, sizeof(*self));
}

void
spot_fleet_clear(spot_fleet_t *self)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        const int32_t head = head_of((spot_role_t) j);

        self->heads[j] = (spot_fleet_link_t){head, head, INT64_MAX};
        self->counts[j] = 0;
    }
}

void
spot_fleet_add(spot_fleet_t *self, const int32_t *slots, int32_t count, spot_role_t role,
    int64_t ready_ms)
{
    spot_fleet_link_t *links = self->links;
    int32_t last = self->heads[role].prev;

    for (int32_t j = 0; j < count; j++) {
        const int32_t slot = slots[j];

        links[last].next = slot;
        links[slot].prev = last;
        links[slot].ready_ms = ready_ms;
        self->roles[slot] = role;
        last = slot;
    }
    links[last].next = head_of(role);
    self->heads[role].prev = last;
    self->counts[role] += count;
}

int32_t
spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count)
{
    const int32_t num_active = self->counts[SPOT_ACTIVE];
    spot_fleet_link_t *links = self->links;

    for (int32_t j = 0; j < count; j++) {
        const spot_fleet_link_t *link = &links[slots[j]];

        links[link->prev].next = link->next;
        links[link->next].prev = link->prev;
        self->counts[self->roles[slots[j]]]--;
    }
    return num_active - self->counts[SPOT_ACTIVE];
}

/* Cuts the run of count instances first ... last, neighbours in one list, out of it and
 * joins it to the end of another; their roles are already those of the other. */
static void
splice(spot_fleet_t *self, spot_role_t from_role, spot_role_t to_role, int32_t first,
    int32_t last, int32_t count)
{
    spot_fleet_link_t *links = self->links;
    spot_fleet_link_t *to = &self->heads[to_role];
    const int32_t before = links[first].prev;
    const int32_t behind = links[last].next;

    links[before].next = behind;
    links[behind].prev = before;
    links[first].prev = to->prev;
    links[last].next = head_of(to_role);
    links[to->prev].next = first;
    to->prev = last;
    self->counts[from_role] -= count;
    self->counts[to_role] += count;
}

int32_t
spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms)
{
    const int32_t first = self->heads[SPOT_PREPPING].next;
    int32_t last = first, count = 0;

    for (int32_t slot = first; self->links[slot].ready_ms <= now_ms;
         slot = self->links[slot].next) {
        self->roles[slot] = SPOT_STANDBY;
        last = slot;
        count++;
    }
    if (count > 0) {
        splice(self, SPOT_PREPPING, SPOT_STANDBY, first, last, count);
    }
    return count;
}

/* The surplus keeps its order: the first of those that leave is ahead in standby. */
static void
return_surplus(spot_fleet_t *self, int32_t num_surplus)
{
    const int32_t last = self->heads[SPOT_ACTIVE].prev;
    int32_t first = last;

    self->roles[first] = SPOT_STANDBY;
    for (int32_t j = 1; j < num_surplus; j++) {
        first = self->links[first].prev;
        self->roles[first] = SPOT_STANDBY;
    }
    splice(self, SPOT_ACTIVE, SPOT_STANDBY, first, last, num_surplus);
}

static void
fill_up(spot_fleet_t *self, int32_t num_missing)
{
    const int32_t first = self->heads[SPOT_STANDBY].next;
    int32_t last = first;

    self->roles[last] = SPOT_ACTIVE;
    for (int32_t j = 1; j < num_missing; j++) {
        last = self->links[last].next;
        self->roles[last] = SPOT_ACTIVE;
    }
    splice(self, SPOT_STANDBY, SPOT_ACTIVE, first, last, num_missing);
}

void
spot_fleet_set_active(spot_fleet_t *self, int32_t num_active)
{
    const int32_t num_before = self->counts[SPOT_ACTIVE];

    spot_bug_assert(num_active <= num_before + self->counts[SPOT_STANDBY]);
    if (num_before > num_active) {
        return_surplus(self, num_before - num_active);
    } else if (num_before < num_active) {
        fill_up(self, num_active - num_before);
    }
}

int64_t
spot_fleet_next_ready_ms(const spot_fleet_t *self)
{
    return self->links[self->heads[SPOT_PREPPING].next].ready_ms;
}

int32_t
spot_fleet_population(const spot_fleet_t *self)
{
    return self->counts[SPOT_PREPPING] + self->counts[SPOT_STANDBY] +
           self->counts[SPOT_ACTIVE];
}

void
spot_fleet_print_state(const spot_fleet_t *self, FILE *out)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        fprintf(
            out, "%s: %d of %d:", spot_role_names[j], self->counts[j], self->capacity);
        for (int32_t slot = self->heads[j].next; slot >= 0;
             slot = self->links[slot].next) {
            fprintf(out, " %d", slot);
        }
        putc('\n', out);
    }
}

void
spot_fleet_verify(const spot_fleet_t *self)
{
    for (int j = 0; j < SPOT_NUM_ROLES; j++) {
        const int32_t head = head_of((spot_role_t) j);
        int32_t count = 0, before = head, slot = self->heads[j].next;

        for (; slot >= 0; slot = self->links[slot].next) {
            spot_bug_assert(self->roles[slot] == (spot_role_t) j);
            spot_bug_assert(self->links[slot].prev == before);
            spot_bug_assert(count < self->counts[j]);
            before = slot;
            count++;
        }
        spot_bug_assert(slot == head);
        spot_bug_assert(self->heads[j].ready_ms == INT64_MAX);
        spot_bug_assert(before == self->heads[j].prev);
        spot_bug_assert(count == self->counts[j]);
    }
    spot_bug_assert(spot_fleet_population(self) <= self->capacity);
}
