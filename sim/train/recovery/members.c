/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/members.h"

#include <string.h>

#define NONE (-1)

size_t spot_members_bytes(int64_t capacity, int32_t num_layers)
{
    return (size_t) capacity * (2 * sizeof(spot_member_t) + 4 * sizeof(int32_t)) +
           ((size_t) num_layers + 2) * sizeof(int32_t);
}

void spot_members_start(spot_members_t *self, void *memory, int64_t capacity, int32_t num_layers)
{
    memset(self, 0, sizeof(*self));
    self->num_layers = num_layers;
    self->members = memory;
    self->others = self->members + capacity;
    self->sizes = (int32_t *) (void *) (self->others + capacity);
    self->slots = self->sizes + capacity;
    self->by_slot = self->slots + capacity;
    self->places = self->by_slot + capacity;
    self->covers = self->places + capacity + 1;
    for (int64_t j = 0; j < capacity; j++) {
        self->by_slot[j] = NONE;
    }
}

void spot_members_settle(spot_members_t *self)
{
    for (int32_t j = 0; j < self->num_members; j++) {
        self->members[j].held = self->members[j].due;
    }
}

/* ---- Order ---- */

/* Orders by the first layer held, then by the last one; members without layers come
 * last, members with the same layers in the order of the fleet. */
static bool goes_before(const spot_member_t *a, const spot_member_t *b)
{
    const bool a_holds = a->held.end > 0, b_holds = b->held.end > 0;

    if (a_holds != b_holds) {
        return a_holds;
    }
    return a->held.first != b->held.first ? a->held.first < b->held.first
                                          : a->held.end < b->held.end;
}

/* Insertion sort: stable, and fast because the members are almost in order. */
static void sort_by_layers(spot_member_t *members, int32_t count)
{
    for (int32_t j = 1; j < count; j++) {
        const spot_member_t member = members[j];
        int32_t place = j;

        for (; place > 0 && goes_before(&member, &members[place - 1]); place--) {
            members[place] = members[place - 1];
        }
        members[place] = member;
    }
}

/* Sorts the members by pipeline. Leaves out members without a pipeline and empty
 * pipelines. */
static void gather(spot_members_t *self)
{
    int32_t *places = self->places;
    int32_t num_members = 0, num_pipelines = 0;

    memset(self->sizes, 0, (size_t) self->num_pipelines * sizeof(*self->sizes));
    for (int32_t j = 0; j < self->num_members; j++) {
        if (self->members[j].pipeline != NONE) {
            self->sizes[self->members[j].pipeline]++;
        }
    }
    for (int32_t d = 0; d < self->num_pipelines; d++) {
        places[d] = num_members;
        num_members += self->sizes[d];
    }
    for (int32_t j = 0; j < self->num_members; j++) {
        if (self->members[j].pipeline != NONE) {
            self->others[places[self->members[j].pipeline]++] = self->members[j];
        }
    }
    for (int32_t d = 0, start = 0; d < self->num_pipelines; d++) {
        for (int32_t j = start; j < start + self->sizes[d]; j++) {
            self->members[j] = self->others[j];
            self->members[j].pipeline = num_pipelines;
        }
        start += self->sizes[d];
        self->sizes[num_pipelines] = self->sizes[d];
        num_pipelines += self->sizes[d] > 0;
    }
    self->num_members = num_members;
    self->num_pipelines = num_pipelines;
}

/* ---- Layers ---- */

static spot_layers_t layers_of(const spot_members_t *self, int32_t stage, int32_t depth)
{
    return (spot_layers_t){(int32_t) ((int64_t) stage * self->num_layers / depth),
        (int32_t) (((int64_t) stage + 1) * self->num_layers / depth)};
}

/* Assigns to each member the layers of its stage. */
static void assign_layers(spot_members_t *self)
{
    spot_member_t *member = self->members;

    for (int32_t d = 0; d < self->num_pipelines; d++) {
        const int32_t depth = self->sizes[d];
        const bool is_known = d > 0 && depth == self->sizes[d - 1];

        for (int32_t s = 0; s < depth; s++, member++) {
            member->due = is_known ? member[-depth].due : layers_of(self, s, depth);
        }
    }
}

bool spot_members_hold_all(const spot_members_t *self)
{
    int32_t num_holders = 0;

    memset(self->covers, 0, ((size_t) self->num_layers + 1) * sizeof(*self->covers));
    for (int32_t j = 0; j < self->num_members; j++) {
        self->covers[self->members[j].held.first]++;
        self->covers[self->members[j].held.end]--;
    }
    for (int32_t layer = 0; layer < self->num_layers; layer++) {
        num_holders += self->covers[layer];
        if (num_holders == 0) {
            return false;
        }
    }
    return true;
}

int32_t spot_members_most_missing(const spot_members_t *self)
{
    int32_t most = 0;

    for (int32_t j = 0; j < self->num_members; j++) {
        const spot_layers_t held = self->members[j].held, due = self->members[j].due;
        const int32_t first = held.first > due.first ? held.first : due.first;
        const int32_t end = held.end < due.end ? held.end : due.end;
        const int32_t num_missing = due.end - due.first - (end > first ? end - first : 0);

        most = num_missing > most ? num_missing : most;
    }
    return most;
}

/* ---- Losses ---- */

static void index_members(spot_members_t *self)
{
    for (int32_t j = 0; j < self->num_members; j++) {
        self->by_slot[self->members[j].slot] = j;
    }
}

static void forget_index(spot_members_t *self)
{
    for (int32_t j = 0; j < self->num_members; j++) {
        self->by_slot[self->members[j].slot] = NONE;
    }
}

void spot_members_lose(spot_members_t *self, const int32_t *lost, int32_t num_lost)
{
    index_members(self);
    for (int32_t j = 0; j < num_lost; j++) {
        if (self->by_slot[lost[j]] != NONE) {
            self->members[self->by_slot[lost[j]]].pipeline = NONE;
        }
    }
    forget_index(self);
    gather(self);
}

/* The pipeline with the most members, or with the fewest of those with at least
 * min_size; of equal ones the first; NONE: no pipeline has min_size. */
static int32_t find_pipeline(const spot_members_t *self, int32_t min_size, bool is_most)
{
    int32_t best = NONE;

    for (int32_t d = 0; d < self->num_pipelines; d++) {
        if (self->sizes[d] >= min_size &&
            (best == NONE || (is_most ? self->sizes[d] > self->sizes[best]
                                      : self->sizes[d] < self->sizes[best]))) {
            best = d;
        }
    }
    return best;
}

/* Moves members from the biggest pipelines to pipeline d until it has min_size, as long
 * as they keep min_size. places: the start of each pipeline. */
static void take_members(spot_members_t *self, int32_t d, int32_t min_size)
{
    while (self->sizes[d] < min_size) {
        const int32_t giver = find_pipeline(self, min_size + 1, true);

        if (giver == NONE) {
            return;
        }
        /* A giver was never too small, so all its members follow its start. */
        self->sizes[giver]--;
        self->members[self->places[giver] + self->sizes[giver]].pipeline = d;
        self->sizes[d]++;
    }
}

/* Merges pipelines that are too small one by one until they are big enough. */
static void merge_small(spot_members_t *self, int32_t min_size)
{
    int32_t into = NONE; /* the pipeline that the others join */

    for (int32_t j = 0, d = NONE, from = NONE; j < self->num_members; j++) {
        spot_member_t *member = &self->members[j];

        if (member->pipeline != d) { /* the first member of a pipeline */
            d = member->pipeline;
            from = NONE;
            if (self->sizes[d] < min_size) {
                from = d;
                into = into == NONE || self->sizes[into] >= min_size ? d : into;
            }
        }
        if (from != NONE && into != from) {
            self->sizes[from]--;
            self->sizes[into]++;
            member->pipeline = into;
        }
    }
    if (into != NONE && self->sizes[into] < min_size) {
        const int32_t healthy = find_pipeline(self, min_size, false);

        for (int32_t j = 0; j < self->num_members; j++) {
            if (self->members[j].pipeline == into) {
                self->members[j].pipeline = healthy;
            }
        }
    }
}

void spot_members_mend(spot_members_t *self, int32_t min_size)
{
    int32_t start = 0;

    if (self->num_members < min_size) {
        return;
    }
    for (int32_t d = 0; d < self->num_pipelines; d++) {
        self->places[d] = start;
        start += self->sizes[d];
    }
    for (int32_t d = 0; d < self->num_pipelines; d++) {
        take_members(self, d, min_size);
    }
    gather(self);
    merge_small(self, min_size);
    gather(self);
    for (int32_t d = 0, first = 0; d < self->num_pipelines; d++) {
        sort_by_layers(&self->members[first], self->sizes[d]);
        first += self->sizes[d];
    }
    assign_layers(self);
}

/* ---- New pipelines ---- */

/* Lists the first instances of the fleet with their layers in others. */
static void list_members(spot_members_t *self, const spot_fleet_t *fleet, int32_t num_members)
{
    int32_t count = spot_fleet_list(fleet, SPOT_ACTIVE, self->slots);

    if (count < num_members) {
        count += spot_fleet_list(fleet, SPOT_STANDBY, self->slots + count);
    }
    spot_bug_assert(num_members <= count);
    index_members(self);
    for (int32_t j = 0; j < num_members; j++) {
        const int32_t old = self->by_slot[self->slots[j]];

        self->others[j] = (spot_member_t){.slot = self->slots[j]};
        if (old != NONE) {
            self->others[j].held = self->members[old].held;
        }
    }
    forget_index(self);
}

/* Lists the pipelines of the set, and their stages as members that hold their layers,
 * by the first layer; pipeline numbers the stages. No depth is above num_layers. */
static void list_stages(spot_members_t *self, const spot_template_set_t *set)
{
    int32_t next[SPOT_TEMPLATES_MAX_GROUPS] = {0}; /* stage of each group */
    int32_t count = 0;

    self->num_pipelines = 0;
    for (int32_t layer = 0; layer < self->num_layers; layer++) {
        for (int32_t j = 0, start = 0; j < set->num_groups; j++) {
            const spot_template_group_t group = set->groups[j];
            const spot_layers_t held = layers_of(self, next[j], group.depth);
            const bool is_here = next[j] < group.depth && held.first == layer;

            for (int32_t d = 0; is_here && d < group.count; d++) {
                self->members[count++] = (spot_member_t){
                    .slot = NONE, .pipeline = start + d * group.depth + next[j], .held = held};
                if (layer == 0) {
                    self->sizes[self->num_pipelines++] = group.depth;
                }
            }
            next[j] += is_here;
            start += group.depth * group.count;
        }
    }
    self->num_members = count;
}

static void take_stage(spot_member_t *stage, spot_member_t *member)
{
    stage->slot = member->slot;
    stage->held = member->held;
    member->slot = NONE;
}

/* Gives stages to the members in others that hold layers; writes the slots of the
 * members without layers to slots. */
static void match_stages(spot_members_t *self)
{
    const int32_t count = self->num_members;
    spot_member_t *stages = self->members, *members = self->others;
    int32_t num_new = 0, stage = 0;

    for (int32_t i = 0, j = 0;
         i < count && j < count;) { /* members with exactly the layers of a stage */
        if (goes_before(&members[i], &stages[j])) {
            i++;
        } else if (goes_before(&stages[j], &members[i])) {
            j++;
        } else {
            take_stage(&stages[j++], &members[i++]);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (members[i].slot == NONE) {
            continue;
        }
        if (members[i].held.end == 0) {
            self->slots[num_new++] = members[i].slot;
            continue;
        }
        while (stages[stage].slot != NONE) {
            stage++;
        }
        take_stage(&stages[stage], &members[i]);
    }
}

/* Restores the order of pipelines; members without layers get the free stages in order.
 */
static void place_stages(spot_members_t *self)
{
    int32_t num_new = 0, next = 0;

    for (int32_t j = 0; j < self->num_members; j++) {
        self->others[self->members[j].pipeline] = self->members[j];
    }
    for (int32_t d = 0; d < self->num_pipelines; d++) {
        for (int32_t s = 0; s < self->sizes[d]; s++) {
            spot_member_t *member = &self->members[next];

            *member = self->others[next++];
            member->pipeline = d;
            if (member->slot == NONE) {
                member->slot = self->slots[num_new++];
                member->held = (spot_layers_t){0};
            }
        }
    }
}

void spot_members_form(
    spot_members_t *self, const spot_fleet_t *fleet, const spot_template_set_t *set)
{
    list_members(self, fleet, (int32_t) spot_template_set_instances(set));
    list_stages(self, set);
    sort_by_layers(self->others, self->num_members);
    sort_by_layers(self->members, self->num_members);
    match_stages(self);
    place_stages(self);
    assign_layers(self);
}

spot_template_set_t spot_members_set(const spot_members_t *self)
{
    spot_template_set_t set = {0};
    int32_t last_depth = 0;

    for (int32_t num_left = self->num_pipelines; num_left > 0;) {
        spot_template_group_t group = {.depth = INT32_MAX};

        for (int32_t d = 0; d < self->num_pipelines; d++) {
            if (self->sizes[d] > last_depth && self->sizes[d] < group.depth) {
                group = (spot_template_group_t){self->sizes[d], 0};
            }
            group.count += self->sizes[d] == group.depth;
        }
        set.groups[set.num_groups++] = group;
        num_left -= group.count;
        last_depth = group.depth;
    }
    return set;
}
