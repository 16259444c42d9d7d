/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/membership.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

static bool membership_begin_tape(spot_membership_t *self);
static SPOT_NOINLINE SPOT_FLATTEN void membership_extend_tape(spot_membership_t *self);

/* ---- Tapes ---- */

static void tape_clear(spot_tape_t *self)
{
    self->is_begun = false;
    self->is_over = false;
    self->is_full = false;
    self->stopped_ms = -1;
    self->num_changes = 0;
    self->num_slots = 0;
    self->num_zones = 0;
}

static void tape_free(spot_tape_t *self)
{
    free(self->changes);
    free(self->slots);
    free(self->zones);
    memset(self, 0, sizeof(*self));
}

/* Makes room for changes with up to num_slots slots, and as many zones, and counts it.
 * false: there is no memory for it, or it is above the limit; the tape is full then. */
static bool tape_reserve(spot_tape_t *self, size_t num_changes, size_t num_slots, size_t num_zones)
{
    *self->num_bytes +=
        num_changes * sizeof(*self->changes) + (num_slots + num_zones) * sizeof(*self->slots);
    self->is_full = *self->num_bytes > SPOT_TAPES_BYTES ||
                    SPOT_ARRAY_ROOM(self, changes, self->num_changes + num_changes) != 0 ||
                    SPOT_ARRAY_ROOM(self, slots, self->num_slots + num_slots) != 0 ||
                    SPOT_ARRAY_ROOM(self, zones, self->num_zones + num_zones) != 0;
    return !self->is_full;
}

/* Appends a change with its slots, for which there is room. */
static void tape_add(spot_tape_t *self, const spot_taped_change_t *change, const int32_t *slots)
{
    const size_t count = (size_t) change->count;

    self->changes[self->num_changes++] = *change;
    memcpy(&self->slots[self->num_slots], slots, count * sizeof(*slots));
    self->num_slots += count;
}

void spot_tapes_clear(spot_tapes_t *self)
{
    self->num_tapes = 0;
    self->next = 0;
    self->num_bytes = 0;
}

void spot_tapes_free(spot_tapes_t *self)
{
    for (size_t j = 0; j < self->max_tapes; j++) {
        if (self->tapes[j] != NULL) {
            tape_free(self->tapes[j]);
        }
        free(self->tapes[j]);
    }
    free(self->tapes);
    memset(self, 0, sizeof(*self));
}

/* Makes the next tape. */
static spot_tape_t *make(spot_tapes_t *self, const spot_dice_t *dice)
{
    const size_t max_before = self->max_tapes;
    spot_tape_t *tape;

    if (self->num_bytes >= SPOT_TAPES_BYTES ||
        SPOT_ARRAY_ROOM(self, tapes, self->num_tapes + 1) != 0) {
        return NULL;
    }
    for (size_t j = max_before; j < self->max_tapes; j++) {
        self->tapes[j] = NULL;
    }
    if (self->tapes[self->num_tapes] == NULL) {
        self->tapes[self->num_tapes] = spot_calloc(1, sizeof(*tape));
    }
    tape = self->tapes[self->num_tapes];
    if (tape != NULL) {
        tape_clear(tape);
        tape->dice = *dice;
        tape->num_bytes = &self->num_bytes;
        self->num_bytes += sizeof(*tape);
        self->next = ++self->num_tapes;
    }
    return tape;
}

static bool is_of(const spot_tape_t *self, const spot_dice_t *dice)
{
    return self->dice.replication == dice->replication &&
           self->dice.first_entity == dice->first_entity && self->dice.seed == dice->seed;
}

/* The tape of these dice, a new one if there is none. NULL: there are too many. Valid
 * until spot_tapes_clear(). */
/* Replications come in their order, or in the order in which they came before. */
static spot_tape_t *tapes_find(spot_tapes_t *self, const spot_dice_t *dice)
{
    const spot_dice_t *latest =
        self->num_tapes == 0 ? NULL : &self->tapes[self->num_tapes - 1]->dice;

    if (latest == NULL || (latest->seed == dice->seed && latest->replication < dice->replication)) {
        return make(self, dice);
    }
    for (size_t j = 0; j < self->num_tapes; j++) {
        const size_t place = (self->next + j) % self->num_tapes;

        if (is_of(self->tapes[place], dice)) {
            self->next = place;
            return self->tapes[place];
        }
    }
    return make(self, dice);
}

/* ---- The living instances ---- */

/* One pool for each zone of a generator; the victims of a recording are named. */
static size_t count_pools(const spot_trace_model_t *model)
{
    const size_t num_zones = spot_trace_model_zones(model)->num_zones;

    return model->recording != NULL || num_zones == 0 ? 1 : num_zones;
}

/* Makes the pools; that of a zone has room for the capacity of the zone. */
static int init_pools(spot_membership_t *self)
{
    const bool has_zones =
        self->num_pools > 1 || (self->model->recording == NULL && self->zones->num_zones > 0);
    size_t num_places = has_zones ? 0 : (size_t) self->capacity;

    for (int32_t j = 0; has_zones && j < self->num_pools; j++) {
        num_places += (size_t) self->zones->zones[j].capacity;
    }
    SPOT_ARENA_ARRAY(&self->memory, self->living, num_places);
    SPOT_ARENA_ARRAY(&self->memory, self->pools, (size_t) self->num_pools);
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    self->pools[0].living = self->living;
    for (int32_t j = 1; j < self->num_pools; j++) {
        self->pools[j].living = self->pools[j - 1].living + self->zones->zones[j - 1].capacity;
    }
    return 0;
}

int spot_membership_init(spot_membership_t *self, const spot_trace_model_t *model, int64_t capacity)
{
    const size_t num_slots = (size_t) capacity;

    spot_bug_assert(capacity > 0 && spot_trace_model_initial(model) <= capacity);
    memset(self, 0, sizeof(*self));
    self->model = model;
    self->members = spot_generator_members(model->generator);
    self->zones = spot_trace_model_zones(model);
    self->capacity = (int32_t) capacity;
    self->ticks = spot_ticks_of(1);
    self->num_pools = (int32_t) count_pools(model);
    self->num_names =
        self->members->num_names == NULL ? 0 : (size_t) self->members->num_names(model->model);
    self->source = spot_arena_take(&self->memory, 1, spot_trace_model_state_bytes(model));
    SPOT_ARENA_ARRAY(&self->memory, self->free_slots, num_slots);
    SPOT_ARENA_ARRAY(&self->memory, self->pool_of_slot, num_slots);
    SPOT_ARENA_ARRAY(&self->memory, self->place, num_slots);
    SPOT_ARENA_ARRAY(&self->memory, self->initial, num_slots);
    SPOT_ARENA_ARRAY(&self->memory, self->birth, num_slots);
    SPOT_ARENA_ARRAY(&self->memory, self->name_id, self->num_names > 0 ? num_slots : 0);
    SPOT_ARENA_ARRAY(&self->memory, self->slot_of_name, self->num_names);
    SPOT_ARENA_ARRAY(&self->memory, self->zone_of_slot, self->zones->num_zones > 0 ? num_slots : 0);
    for (int32_t slot = 0; self->memory.error == 0 && slot < self->capacity; slot++) {
        self->initial[slot] = slot;
    }
    return init_pools(self);
}

void spot_membership_free(spot_membership_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}

/* Gives slots to count new instances of a pool and returns them. There must be room. */
static const int32_t *give_slots(spot_membership_t *self, spot_victim_pool_t *pool, int32_t count)
{
    const int32_t population = pool->population;
    const int64_t num_births = pool->num_births;
    const int32_t *free_end = self->free_slots + self->capacity - self->num_living;
    int32_t *slots = pool->living + population;

    for (int32_t j = 0; j < count; j++) {
        const int32_t slot = *--free_end;

        slots[j] = slot;
        self->place[slot] = population + j;
        self->birth[slot] = num_births + j + 1;
    }
    self->num_living += count;
    pool->population += count;
    pool->num_births += count;
    for (int32_t j = 0; self->num_pools > 1 && j < count; j++) {
        self->pool_of_slot[slots[j]] = (int32_t) (pool - self->pools);
    }
    return slots;
}

/* Names the instance in a slot; name_id -1: no name. */
static void give_name(spot_membership_t *self, int32_t slot, int32_t name_id)
{
    self->name_id[slot] = name_id;
    if (name_id >= 0) {
        self->slot_of_name[name_id] = slot;
    }
}

/* Takes the slot at a place of the pool, which has population slots before. */
static int32_t take_slot(
    spot_membership_t *self, const spot_victim_pool_t *pool, int32_t place, int32_t population)
{
    const int32_t slot = pool->living[place];
    const int32_t last = pool->living[population - 1];

    pool->living[place] = last;
    self->place[last] = place;
    return slot;
}

/* Gives slots to the instances at time 0. */
static void give_initial_slots(spot_membership_t *self)
{
    const spot_generator_members_t *members = self->members;
    const int32_t *initial_names = NULL;
    int32_t num_given = 0;

    if (self->num_names > 0 && members->initial_names != NULL) {
        initial_names = members->initial_names(self->source);
    }
    for (int32_t pool_id = 0; pool_id < self->num_pools; pool_id++) {
        const int64_t num_initial = members->zone_initial != NULL
                                        ? members->zone_initial(self->source, pool_id)
                                        : spot_trace_model_initial_of(self->model, self->source);
        const int32_t *slots = give_slots(self, &self->pools[pool_id], (int32_t) num_initial);

        for (int64_t j = 0; self->num_names > 0 && j < num_initial; j++) {
            give_name(self, slots[j], initial_names == NULL ? num_given : initial_names[num_given]);
            num_given++;
        }
    }
}

/* Starts with all slots free, gives those of the instances at time 0, and their names.
 */
static void start_slots(spot_membership_t *self)
{
    self->num_living = 0;
    for (int32_t j = 0; j < self->capacity; j++) {
        self->free_slots[j] = self->capacity - 1 - j;
    }
    for (int32_t j = 0; j < self->num_pools; j++) {
        self->pools[j].population = 0;
        self->pools[j].num_births = 0;
    }
    for (size_t j = 0; j < self->num_names; j++) {
        self->slot_of_name[j] = -1;
    }
    give_initial_slots(self);
}

/* Starts the generator, whose changes are made from the first one on. */
static void membership_start_making(spot_membership_t *self)
{
    self->model->generator->start(self->source, self->model->model, &self->dice);
    self->is_started = true;
    self->num_made = 0;
    self->event_id = 0;
    self->num_events = 0;
    spot_dice_seek(&self->dice, &self->victims, SPOT_STREAM_VICTIM, 0);
    if (!self->is_flat) {
        start_slots(self);
        return;
    }
    self->num_living = (int32_t) spot_trace_model_initial_of(self->model, self->source);
    memcpy(self->living, self->initial, (size_t) self->capacity * sizeof(*self->living));
}

/* Meets the instances at time 0. */
static void meet_initial(spot_membership_t *self)
{
    const spot_tape_t *tape = self->tape;

    self->population = self->num_living;
    if (tape == NULL) {
        return;
    }
    if (!self->is_started) {
        self->population = tape->initial;
    }
    if (self->zones->num_zones > 0) {
        memcpy(self->zone_of_slot, tape->zones, (size_t) self->population * sizeof(*tape->zones));
    }
}

void spot_membership_start(spot_membership_t *self, uint64_t seed, uint64_t replication)
{
    const spot_dice_t dice = {.seed = seed, .replication = replication};

    spot_membership_start_with(self, &dice, NULL, true);
}

void spot_membership_start_with(
    spot_membership_t *self, const spot_dice_t *dice, spot_tapes_t *tapes, bool has_names)
{
    self->dice = *dice;
    self->tape = tapes == NULL ? NULL : tapes_find(tapes, dice);
    self->is_flat =
        !has_names && self->num_pools == 1 && self->num_names == 0 && self->zones->num_zones == 0;
    self->is_started = false;
    self->num_met = 0;
    self->num_slots_met = 0;
    if (self->tape == NULL || !self->tape->is_begun) {
        membership_start_making(self);
    }
    if (self->tape != NULL && !self->tape->is_begun && !membership_begin_tape(self)) {
        self->tape = NULL;
    }
    meet_initial(self);
}

/* Adds instances up to the capacity; the others are clipped. */
static void apply_addition(spot_membership_t *self, spot_victim_pool_t *pool,
    const spot_event_t *event, spot_change_t *change)
{
    const int32_t room = self->capacity - self->num_living;

    change->count = event->count < room ? event->count : room;
    change->slots = give_slots(self, pool, change->count);
    for (int32_t j = 0; self->num_names > 0 && j < change->count; j++) {
        give_name(self, change->slots[j], event->name_ids == NULL ? -1 : event->name_ids[j]);
    }
}

/* Takes victims uniformly without replacement from the living instances of the pool. */
static void apply_counted_loss(spot_membership_t *self, spot_victim_pool_t *pool,
    const spot_event_t *event, spot_change_t *change)
{
    int32_t *slots = self->free_slots + self->capacity - self->num_living;
    int32_t population = pool->population;
    int32_t count = event->count;

    count = count < population ? count : population;
    self->num_living -= count;
    pool->population -= count;
    for (int32_t j = 0; j < count; j++) {
        const uint64_t place = spot_rng_below(&self->victims, (uint64_t) population);

        slots[j] = take_slot(self, pool, (int32_t) place, population--);
    }
    for (int32_t j = 0; self->num_names > 0 && j < count; j++) {
        const int32_t name_id = self->name_id[slots[j]];

        if (name_id >= 0) {
            self->slot_of_name[name_id] = -1;
        }
    }
    change->count = count;
    change->slots = slots;
}

/* Takes the named victims; a name that does not live was clipped when it came. */
static void apply_named_loss(
    spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    int32_t *slots = self->free_slots + self->capacity - self->num_living;
    int32_t count = 0;

    for (int32_t j = 0; j < event->count; j++) {
        int32_t *slot = &self->slot_of_name[event->name_ids[j]];

        if (*slot >= 0) {
            spot_victim_pool_t *pool = &self->pools[self->pool_of_slot[*slot]];

            slots[count++] = take_slot(self, pool, self->place[*slot], pool->population--);
            *slot = -1;
        }
    }
    self->num_living -= count;
    change->count = count;
    change->slots = slots;
}

/* Carries out an event while is_flat: those that come have the slots after the living
 * ones, victims change places with the last living ones. */
static void apply_flat(spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    int32_t *end = &self->living[self->num_living]; /* of the living */
    int32_t count = event->count;

    if (event->kind == SPOT_EVENT_ADD) {
        change->count = (int32_t) spot_smaller(count, self->capacity - self->num_living);
        change->slots = end;
        self->num_living += change->count;
        return;
    }
    count = (int32_t) spot_smaller(count, self->num_living);
    change->count = count;
    change->slots = self->free_slots;
    for (int32_t j = 0; j < count; j++) {
        const uint64_t num_living = (uint64_t) (end - self->living);
        int32_t *victim = &self->living[spot_rng_below(&self->victims, num_living)];
        const int32_t slot = *victim;

        self->free_slots[j] = slot;
        *victim = *--end;
        *end = slot;
    }
    self->num_living -= count;
}

/* ---- Making changes ---- */

/* Makes the next events, or one that never comes. Names of events are valid until the
 * next one is made. */
static SPOT_NOINLINE void make_events(spot_membership_t *self)
{
    self->event_id = 0;
    self->num_events =
        self->is_flat
            ? spot_trace_model_next_many(self->model, self->source, SPOT_EVENTS_AHEAD, self->events)
            : spot_trace_model_next(self->model, self->source, self->events);
    for (size_t j = 0; j < self->num_events; j++) {
        self->seen_ms[j] = spot_ticks_at_or_after(&self->ticks, self->events[j].time_ms);
    }
    if (self->num_events == 0) {
        self->num_events = 1;
        self->events[0].time_ms = INT64_MAX;
        self->seen_ms[0] = INT64_MAX;
    }
}

/* Which of events comes next; at INT64_MAX: none does. */
static size_t membership_next_event(spot_membership_t *self)
{
    if (self->event_id == self->num_events) {
        make_events(self);
    }
    return self->event_id;
}

/* Carries out an event in the pool to which it belongs. */
static void apply_event(spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    spot_victim_pool_t *pool = self->pools;

    if (self->members->zone != NULL) {
        pool += self->members->zone(self->source);
    }
    if (event->kind == SPOT_EVENT_ADD) {
        apply_addition(self, pool, event, change);
    } else if (event->name_ids == NULL) {
        apply_counted_loss(self, pool, event, change);
    } else {
        apply_named_loss(self, event, change);
    }
}

/* Carries out the next event; false: there is none. */
static bool membership_make(spot_membership_t *self, spot_change_t *change)
{
    const spot_event_t *event = &self->events[membership_next_event(self)];

    if (event->time_ms == INT64_MAX) {
        return false;
    }
    if (self->is_flat) {
        apply_flat(self, event, change);
    } else {
        apply_event(self, event, change);
    }
    change->time_ms = event->time_ms;
    change->kind = event->kind;
    change->num_clipped = event->count - change->count;
    self->event_id++;
    self->num_made++;
    return true;
}

/* ---- Meeting changes ---- */

/* Follows the zones of the instances of a change. */
static SPOT_NOINLINE void meet_zones(spot_membership_t *self, const int32_t *slots, int32_t count)
{
    const int32_t *zones = &self->tape->zones[(size_t) self->tape->initial + self->num_slots_met];

    for (int32_t j = 0; j < count; j++) {
        self->zone_of_slot[slots[j]] = zones[j];
    }
}

/* Meets the next change of the tape, which has one. */
static void meet_taped(spot_membership_t *self, spot_change_t *change)
{
    const spot_tape_t *tape = self->tape;
    const spot_taped_change_t *taped = &tape->changes[self->num_met++];
    const int32_t count = taped->count;

    change->time_ms = taped->time_ms;
    change->kind = taped->kind;
    change->count = count;
    change->num_clipped = taped->num_clipped;
    change->slots = &tape->slots[self->num_slots_met];
    if (self->zones->num_zones > 0) {
        meet_zones(self, change->slots, count);
    }
    self->num_slots_met += (size_t) count;
    self->population += taped->kind == SPOT_EVENT_ADD ? count : -count;
}

/* Makes what comes next, which is not on the tape yet. Returns whether it is then. */
static SPOT_NOINLINE bool make_next(spot_membership_t *self)
{
    if (!self->tape->is_over) {
        membership_extend_tape(self);
    }
    return self->tape != NULL && self->num_met < self->tape->num_changes;
}

/* Whether a tape has the next change; else there is none, or no tape. */
static bool is_taped(spot_membership_t *self)
{
    return self->tape != NULL && (self->num_met < self->tape->num_changes || make_next(self));
}

int64_t spot_membership_next_ms(spot_membership_t *self)
{
    if (is_taped(self)) {
        return self->tape->changes[self->num_met].time_ms;
    }
    return self->tape != NULL ? INT64_MAX : self->events[membership_next_event(self)].time_ms;
}

int64_t spot_membership_seen_ms(spot_membership_t *self)
{
    if (is_taped(self)) {
        return self->tape->changes[self->num_met].seen_ms;
    }
    return self->tape != NULL ? INT64_MAX : self->seen_ms[membership_next_event(self)];
}

bool spot_membership_next(spot_membership_t *self, spot_change_t *change)
{
    if (is_taped(self)) {
        meet_taped(self, change);
        return true;
    }
    if (self->tape != NULL || !membership_make(self, change)) {
        return false;
    }
    self->population = self->num_living;
    return true;
}

int64_t spot_membership_stopped_ms(const spot_membership_t *self)
{
    return self->tape != NULL ? self->tape->stopped_ms
                              : spot_trace_model_stopped_ms(self->model, self->source);
}

int32_t spot_membership_zone(const spot_membership_t *self, int32_t slot)
{
    if (self->zones->num_zones == 0) {
        return -1;
    }
    if (self->tape != NULL) {
        return self->zone_of_slot[slot];
    }
    return self->zones->zone_of_name != NULL ? self->zones->zone_of_name[self->name_id[slot]]
                                             : self->pool_of_slot[slot];
}

const char *spot_membership_name(
    const spot_membership_t *self, int32_t slot, char text[SPOT_INSTANCE_NAME_BYTES])
{
    spot_bug_assert(!self->is_flat);
    if (self->num_names > 0 && self->members->name_text != NULL) {
        return self->members->name_text(self->source, self->name_id[slot], text);
    }
    if (self->members->zone != NULL) {
        snprintf(text, SPOT_INSTANCE_NAME_BYTES, "%s/i%" PRId64,
            self->zones->zones[self->pool_of_slot[slot]].name, self->birth[slot]);
    } else {
        snprintf(text, SPOT_INSTANCE_NAME_BYTES, "i%" PRId64, self->birth[slot]);
    }
    return text;
}

void spot_membership_print_state(const spot_membership_t *self, FILE *out)
{
    char text[SPOT_INSTANCE_NAME_BYTES];

    fprintf(out, "living: %d of %d:", self->population, self->capacity);
    for (int32_t pool_id = 0; pool_id < self->num_pools; pool_id++) {
        const spot_victim_pool_t *pool = &self->pools[pool_id];
        const int32_t count = self->is_flat ? self->num_living : pool->population;

        for (int32_t j = 0; self->tape == NULL && j < count; j++) {
            const int32_t slot = pool->living[j];

            fprintf(out, " %d", slot);
            if (!self->is_flat) {
                fprintf(out, "=%s", spot_membership_name(self, slot, text));
            }
        }
    }
    putc('\n', out);
}

/* living has all slots. */
static void verify_flat(const spot_membership_t *self)
{
    int64_t sum = 0;

    for (int32_t j = 0; self->is_started && j < self->capacity; j++) {
        spot_bug_assert(self->living[j] >= 0 && self->living[j] < self->capacity);
        sum += self->living[j] - j;
    }
    spot_bug_assert(sum == 0 && self->num_living <= self->capacity);
}

void spot_membership_verify(const spot_membership_t *self)
{
    const bool has_names = self->num_names > 0;
    int32_t num_names_living = 0, num_named = 0, num_living = 0;

    spot_bug_assert(self->num_living >= 0 && self->population <= self->capacity);
    if (self->is_flat || !self->is_started) {
        verify_flat(self);
        return;
    }
    for (int32_t pool_id = 0; pool_id < self->num_pools; pool_id++) {
        const spot_victim_pool_t *pool = &self->pools[pool_id];

        for (int32_t j = 0; j < pool->population; j++) {
            const int32_t slot = pool->living[j];

            spot_bug_assert(slot >= 0 && slot < self->capacity);
            spot_bug_assert(self->place[slot] == j);
            spot_bug_assert(self->pool_of_slot[slot] == pool_id);
            if (has_names && self->name_id[slot] >= 0) {
                spot_bug_assert(self->slot_of_name[self->name_id[slot]] == slot);
                num_named++;
            }
        }
        num_living += pool->population;
    }
    spot_bug_assert(num_living == self->num_living);
    for (size_t j = 0; j < self->num_names; j++) {
        num_names_living += self->slot_of_name[j] >= 0;
    }
    spot_bug_assert(num_names_living == num_named);
}

/* ---- Changes ahead ----
 * Changes of the living instances ahead of who meets them, on a tape that readers
 * share. */

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

/* Notes the instances at time 0 on the tape; false: it has no room for them. */
static bool membership_begin_tape(spot_membership_t *self)
{
    spot_tape_t *tape = self->tape;

    if (!tape_reserve(tape, 0, 0, num_zones_of(self, self->num_living))) {
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
    return !self->tape->is_full && tape_reserve(self->tape, self->num_events - self->event_id,
                                       (size_t) count, num_zones_of(self, count));
}

/* Makes the changes of the next events and appends them to the tape; false: that is over
 * or full. */
static bool tape_events(spot_membership_t *self)
{
    spot_change_t change = {0};

    if (self->events[membership_next_event(self)].time_ms == INT64_MAX) {
        return end_tape(self);
    }
    if (!reserve(self)) {
        return false;
    }
    while (self->event_id < self->num_events) {
        const int64_t seen_ms = self->seen_ms[self->event_id];

        (void) membership_make(self, &change);
        tape_zones(self, change.slots, change.count);
        tape_add(self->tape,
            &(spot_taped_change_t){
                change.time_ms, seen_ms, change.count, change.num_clipped, change.kind},
            change.slots);
    }
    return true;
}

/* Makes the changes of the tape that others have made, and some more. A tape that is
 * full is left there: the rest is met as it is made. */
static SPOT_NOINLINE SPOT_FLATTEN void membership_extend_tape(spot_membership_t *self)
{
    spot_change_t change;
    size_t num_wanted;

    if (!self->is_started) {
        membership_start_making(self);
    }
    while (self->num_made < self->tape->num_changes) {
        (void) membership_make(self, &change);
    }
    num_wanted = self->num_made + SPOT_EVENTS_AHEAD;
    while (self->num_made < num_wanted && tape_events(self)) {
    }
    if (self->num_met == self->tape->num_changes && !self->tape->is_over) {
        self->tape = NULL;
    }
}
