/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/gpu_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_placer_names[] = {"consolidate", "random", "consolidateFirst", NULL};

void spot_gpu_nodes_free(spot_gpu_nodes_t *self)
{
    free(self->list);
    free(self->order);
    free(self->nodes);
    free(self->parts);
    *self = (spot_gpu_nodes_t){0};
}

void spot_gpu_nodes_clear(spot_gpu_nodes_t *self, int32_t gpus_per_node)
{
    self->gpus_per_node = gpus_per_node;
    self->num_free = self->num_idle = self->num_open = self->num_listed = 0;
    self->num_nodes = self->num_parts = 0;
    self->free_part = -1;
}

static int32_t count(uint64_t gpus)
{
    return (int32_t) __builtin_popcountll(gpus);
}

static uint64_t all_gpus(const spot_gpu_nodes_t *self)
{
    return UINT64_MAX >> (SPOT_NODE_MAX_GPUS - self->gpus_per_node);
}

int32_t spot_gpu_nodes_add(spot_gpu_nodes_t *self, int32_t pool_id, int32_t instance, int64_t now_s)
{
    const spot_gpu_node_t node = {.place = self->num_listed,
        .pool_id = pool_id,
        .instance = instance,
        .free = all_gpus(self),
        .since_s = now_s};

    if (SPOT_ARRAY_ROOM(self, list, (size_t) self->num_listed + 1) != 0 ||
        SPOT_ARRAY_ROOM(self, order, (size_t) self->num_listed + 1) != 0 ||
        SPOT_ARRAY_APPEND(self, nodes, node) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        return -1;
    }
    self->list[self->num_listed++] = (int32_t) self->num_nodes - 1;
    self->num_open++;
    self->num_free += self->gpus_per_node;
    self->num_idle += self->gpus_per_node;
    return (int32_t) self->num_nodes - 1;
}

void spot_gpu_nodes_close(spot_gpu_nodes_t *self, int32_t node_id)
{
    spot_gpu_node_t *node = &self->nodes[node_id];

    if (!node->is_noticed) {
        node->is_noticed = true;
        self->num_open--;
        self->num_free -= count(node->free);
    }
}

void spot_gpu_nodes_remove(spot_gpu_nodes_t *self, int32_t node_id)
{
    spot_gpu_node_t *node = &self->nodes[node_id];

    spot_bug_assert(node->free == all_gpus(self));
    spot_gpu_nodes_close(self, node_id);
    self->num_idle -= self->gpus_per_node;
    self->num_listed--;
    for (int32_t j = node->place; j < self->num_listed; j++) {
        self->list[j] = self->list[j + 1];
        self->nodes[self->list[j]].place = j;
    }
    node->place = -1;
}

bool spot_gpu_nodes_is_idle(const spot_gpu_nodes_t *self, int32_t node_id)
{
    return self->nodes[node_id].free == all_gpus(self);
}

/* ---- Parts ---- */

/* The parts of a job that is being placed; -1: none. */
typedef struct {
    int32_t first, last;
} parts_t;

/* Appends GPUs that the caller marks as held; false: no memory, all are given back. */
static bool append_part(spot_gpu_nodes_t *self, parts_t *parts, int32_t node_id, uint64_t gpus)
{
    int32_t part = self->free_part;

    if (part >= 0) {
        self->free_part = self->parts[part].next;
    } else if (SPOT_ARRAY_PUSH(self, parts, (spot_gpu_part_t){0}) == 0) {
        part = (int32_t) self->num_parts - 1;
    } else {
        spot_gpu_nodes_give(self, parts->first);
        parts->first = -1;
        return false;
    }
    self->parts[part] = (spot_gpu_part_t){node_id, -1, gpus};
    if (parts->last < 0) {
        parts->first = part;
    } else {
        self->parts[parts->last].next = part;
    }
    parts->last = part;
    return true;
}

static void free_gpus(spot_gpu_nodes_t *self, int32_t node_id, uint64_t gpus)
{
    spot_gpu_node_t *node = &self->nodes[node_id];
    const uint64_t alone = gpus & ~node->shared;

    node->shared &= ~gpus;
    node->free |= alone;
    self->num_idle += count(alone);
    self->num_free += node->is_noticed ? 0 : count(alone);
}

static void hold_gpus(spot_gpu_nodes_t *self, int32_t node_id, uint64_t gpus)
{
    spot_gpu_node_t *node = &self->nodes[node_id];

    node->free &= ~gpus;
    self->num_idle -= count(gpus);
    self->num_free -= node->is_noticed ? 0 : count(gpus);
}

/* Gives the GPUs of a part back and returns the part after it. */
static int32_t end_part(spot_gpu_nodes_t *self, int32_t part)
{
    const int32_t next = self->parts[part].next;

    free_gpus(self, self->parts[part].node_id, self->parts[part].gpus);
    self->parts[part].next = self->free_part;
    self->free_part = part;
    return next;
}

void spot_gpu_nodes_give(spot_gpu_nodes_t *self, int32_t first_part)
{
    while (first_part >= 0) {
        first_part = end_part(self, first_part);
    }
}

int32_t spot_gpu_nodes_give_node(spot_gpu_nodes_t *self, int32_t first_part, int32_t node_id)
{
    int32_t *link = &first_part;

    while (*link >= 0) {
        if (self->parts[*link].node_id == node_id) {
            *link = end_part(self, *link);
        } else {
            link = &self->parts[*link].next;
        }
    }
    return first_part;
}

int32_t spot_gpu_nodes_shrink(spot_gpu_nodes_t *self, int32_t first_part, int32_t num_left)
{
    int32_t *link = &first_part;

    while (*link >= 0) {
        spot_gpu_part_t *part = &self->parts[*link];
        const int32_t num_gpus = count(part->gpus);

        if (num_left == 0) {
            *link = end_part(self, *link);
            continue;
        }
        for (int32_t j = num_left; j < num_gpus; j++) {
            const uint64_t last = UINT64_C(1) << (63 - __builtin_clzll(part->gpus));

            part->gpus &= ~last;
            free_gpus(self, part->node_id, last);
        }
        num_left -= num_gpus < num_left ? num_gpus : num_left;
        link = &part->next;
    }
    return first_part;
}

int32_t spot_gpu_nodes_count(const spot_gpu_nodes_t *self, int32_t first_part)
{
    int32_t num_gpus = 0;

    for (; first_part >= 0; first_part = self->parts[first_part].next) {
        num_gpus += count(self->parts[first_part].gpus);
    }
    return num_gpus;
}

int32_t spot_gpu_nodes_count_shared(const spot_gpu_nodes_t *self, int32_t first_part)
{
    int32_t num_gpus = 0;

    for (; first_part >= 0; first_part = self->parts[first_part].next) {
        const spot_gpu_part_t *part = &self->parts[first_part];

        num_gpus += count(part->gpus & self->nodes[part->node_id].shared);
    }
    return num_gpus;
}

int32_t spot_gpu_nodes_share(spot_gpu_nodes_t *self, int32_t first_part)
{
    parts_t parts = {-1, -1};

    for (; first_part >= 0; first_part = self->parts[first_part].next) {
        const spot_gpu_part_t host = self->parts[first_part];
        spot_gpu_node_t *node = &self->nodes[host.node_id];

        spot_bug_assert((node->free & host.gpus) == 0 && (node->shared & host.gpus) == 0);
        if (!append_part(self, &parts, host.node_id, host.gpus)) {
            break;
        }
        node->shared |= host.gpus;
    }
    return parts.first;
}

/* ---- Placing ---- */

/* GPUs that a new job can have of a node. */
static int32_t room(const spot_gpu_nodes_t *self, int32_t node_id)
{
    const spot_gpu_node_t *node = &self->nodes[node_id];

    return node->is_noticed ? 0 : count(node->free);
}

/* Takes the lowest GPUs of the nodes in self->order until there are enough, or none. */
static int32_t take_of_order(spot_gpu_nodes_t *self, int32_t num_ordered, int32_t num_gpus)
{
    parts_t parts = {-1, -1};

    for (int32_t j = 0; j < num_ordered && num_gpus > 0; j++) {
        const int32_t node_id = self->order[j], num_room = room(self, node_id);
        const int32_t num_taken = num_room < num_gpus ? num_room : num_gpus;
        uint64_t rest = self->nodes[node_id].free, taken;

        for (int32_t k = 0; k < num_taken; k++) {
            rest &= rest - 1;
        }
        taken = self->nodes[node_id].free & ~rest;
        if (taken != 0 && !append_part(self, &parts, node_id, taken)) {
            return -1;
        }
        hold_gpus(self, node_id, taken);
        num_gpus -= num_taken;
    }
    spot_bug_assert(num_gpus == 0);
    return parts.first;
}

/* ---- Orders of nodes: each fills self->order and returns the number of nodes ---- */

/* The node with the least room among those with enough, the first of equals. */
static int32_t order_tightest(spot_gpu_nodes_t *self, int32_t num_gpus)
{
    int32_t least = SPOT_NODE_MAX_GPUS + 1;

    for (int32_t j = 0; j < self->num_listed && least > num_gpus; j++) {
        const int32_t num_room = room(self, self->list[j]);

        if (num_room >= num_gpus && num_room < least) {
            self->order[0] = self->list[j];
            least = num_room;
        }
    }
    return least <= SPOT_NODE_MAX_GPUS;
}

/* Whole nodes in order of the list, then the freest of the others for the rest; 0: there
 * are not enough. */
static int32_t order_whole_nodes(spot_gpu_nodes_t *self, int32_t num_gpus)
{
    const int32_t num_whole = num_gpus / self->gpus_per_node;
    const int32_t num_rest = num_gpus % self->gpus_per_node;
    const int32_t num_needed = num_whole + (num_rest > 0);
    int32_t num_ordered = 0, best = -1, most = num_rest - 1;

    for (int32_t j = 0; j < self->num_listed && num_ordered < num_needed; j++) {
        const int32_t num_room = room(self, self->list[j]);

        if (num_room == self->gpus_per_node) {
            self->order[num_ordered++] = self->list[j];
        } else if (num_room > most) {
            best = self->list[j];
            most = num_room;
        }
    }
    if (num_ordered == num_whole && num_rest > 0 && best >= 0) {
        self->order[num_ordered++] = best;
    }
    return num_ordered == num_needed ? num_ordered : 0;
}

/* All nodes with room, the freest first, equals in order of the list. */
static int32_t order_by_room(spot_gpu_nodes_t *self)
{
    int32_t num_ordered = 0;

    for (int32_t num_room = self->gpus_per_node; num_room > 0; num_room--) {
        for (int32_t j = 0; j < self->num_listed; j++) {
            if (room(self, self->list[j]) == num_room) {
                self->order[num_ordered++] = self->list[j];
            }
        }
    }
    return num_ordered;
}

int32_t spot_gpu_nodes_take(spot_gpu_nodes_t *self, spot_placer_t placer, int32_t num_gpus)
{
    int32_t num_ordered = 0;

    if (num_gpus > self->num_free) {
        return -1;
    }
    if (placer == SPOT_PLACER_RANDOM) {
        num_ordered = self->num_listed;
        memcpy(self->order, self->list, (size_t) num_ordered * sizeof(*self->order));
    } else {
        num_ordered = num_gpus <= self->gpus_per_node ? order_tightest(self, num_gpus)
                                                      : order_whole_nodes(self, num_gpus);
    }
    if (num_ordered == 0 && placer == SPOT_PLACER_CONSOLIDATE_FIRST) {
        num_ordered = order_by_room(self);
    }
    return num_ordered == 0 ? -1 : take_of_order(self, num_ordered, num_gpus);
}

int32_t spot_gpu_nodes_take_instead(
    spot_gpu_nodes_t *self, int32_t first_part, spot_placer_t placer, int32_t num_gpus)
{
    int32_t taken;

    for (int32_t part = first_part; part >= 0; part = self->parts[part].next) {
        free_gpus(self, self->parts[part].node_id, self->parts[part].gpus);
    }
    taken = spot_gpu_nodes_take(self, placer, num_gpus);
    for (int32_t part = first_part; taken < 0 && part >= 0; part = self->parts[part].next) {
        hold_gpus(self, self->parts[part].node_id, self->parts[part].gpus);
    }
    return taken;
}

void spot_gpu_nodes_forget(spot_gpu_nodes_t *self, int32_t first_part)
{
    while (first_part >= 0) {
        const int32_t part = first_part;

        first_part = self->parts[part].next;
        self->parts[part].next = self->free_part;
        self->free_part = part;
    }
}

/* ---- For tests ---- */

void spot_gpu_nodes_verify(const spot_gpu_nodes_t *self)
{
    int32_t num_free = 0, num_idle = 0, num_open = 0;

    for (int32_t j = 0; j < self->num_listed; j++) {
        const spot_gpu_node_t *node = &self->nodes[self->list[j]];

        spot_bug_assert(node->place == j);
        spot_bug_assert((node->free & node->shared) == 0);
        spot_bug_assert(((node->free | node->shared) & ~all_gpus(self)) == 0);
        num_idle += count(node->free);
        num_free += node->is_noticed ? 0 : count(node->free);
        num_open += !node->is_noticed;
    }
    spot_bug_assert(num_free == self->num_free);
    spot_bug_assert(num_idle == self->num_idle);
    spot_bug_assert(num_open == self->num_open);
}
