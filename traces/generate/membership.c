/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/membership.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int
spot_membership_init(
    spot_membership_t *self, const spot_trace_model_t *model, int64_t capacity)
{
    const size_t num_slots = (size_t) capacity;
    const spot_generator_t *generator = model->generator;

    spot_bug_assert(capacity > 0 && spot_trace_model_initial(model) <= capacity);
    memset(self, 0, sizeof(*self));
    self->model = model;
    self->capacity = (int32_t) capacity;
    self->num_names =
        generator->num_names == NULL ? 0 : (size_t) generator->num_names(model->model);
    self->source = spot_calloc(1, spot_trace_model_state_bytes(model));
    self->free_slots = spot_calloc(num_slots, sizeof(*self->free_slots));
    self->living = spot_calloc(num_slots, sizeof(*self->living));
    self->place = spot_calloc(num_slots, sizeof(*self->place));
    self->taken = spot_calloc(num_slots, sizeof(*self->taken));
    self->birth = spot_calloc(num_slots, sizeof(*self->birth));
    self->name_id =
        spot_calloc(self->num_names > 0 ? num_slots : 0, sizeof(*self->name_id));
    self->slot_of_name = spot_calloc(self->num_names, sizeof(*self->slot_of_name));
    if (self->source == NULL || self->free_slots == NULL || self->living == NULL ||
        self->place == NULL || self->taken == NULL || self->birth == NULL ||
        self->name_id == NULL || self->slot_of_name == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

void
spot_membership_free(spot_membership_t *self)
{
    free(self->source);
    free(self->free_slots);
    free(self->living);
    free(self->place);
    free(self->taken);
    free(self->birth);
    free(self->name_id);
    free(self->slot_of_name);
    memset(self, 0, sizeof(*self));
}

/* Gives a slot to a new instance. There must be room. */
static int32_t
give_slot(spot_membership_t *self, const int32_t *name_id)
{
    const int32_t slot =
        self->num_free > 0 ? self->free_slots[--self->num_free] : self->num_slots_used++;

    self->place[slot] = self->population;
    self->living[self->population++] = slot;
    self->num_births++;
    self->birth[slot] = self->num_births;
    if (name_id != NULL) {
        self->name_id[slot] = *name_id;
        self->slot_of_name[*name_id] = slot;
    }
    return slot;
}

static void
take_slot(spot_membership_t *self, int32_t slot)
{
    const int32_t place = self->place[slot];
    const int32_t last = self->living[--self->population];

    self->living[place] = last;
    self->place[last] = place;
    self->free_slots[self->num_free++] = slot;
}

void
spot_membership_start(spot_membership_t *self, uint64_t seed, uint64_t replication)
{
    const spot_generator_t *generator = self->model->generator;
    const int32_t *initial_names = NULL;
    const spot_dice_t dice = {.seed = seed, .replication = replication};
    int64_t num_initial = spot_trace_model_initial(self->model);

    generator->start(self->source, self->model->model, &dice);
    if (generator->initial != NULL) {
        num_initial = generator->initial(self->source);
    }
    self->population = 0;
    self->num_slots_used = 0;
    self->num_free = 0;
    self->num_births = 0;
    if (generator->initial_names != NULL) {
        initial_names = generator->initial_names(self->source);
    }
    for (size_t j = 0; j < self->num_names; j++) {
        self->slot_of_name[j] = -1;
    }
    for (int32_t j = 0; j < num_initial; j++) {
        const int32_t *name_id = initial_names == NULL ? &j : &initial_names[j];

        (void) give_slot(self, self->num_names > 0 ? name_id : NULL);
    }
    spot_rng_seek(&self->victims, seed, replication, SPOT_STREAM_VICTIM, 0);
}

/* Above the capacity the first ones enter, the others are clipped. */
static void
apply_addition(spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    const int32_t room = self->capacity - self->population;

    change->count = event->count < room ? event->count : room;
    for (int32_t j = 0; j < change->count; j++) {
        const int32_t *name_id = event->name_ids == NULL ? NULL : &event->name_ids[j];

        self->taken[j] = give_slot(self, name_id);
    }
}

/* Uniform without replacement among all that live, whatever they do. */
static void
apply_counted_loss(
    spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    change->count = event->count < self->population ? event->count : self->population;
    for (int32_t j = 0; j < change->count; j++) {
        const uint64_t place =
            spot_rng_below(&self->victims, (uint64_t) self->population);

        self->taken[j] = self->living[place];
        take_slot(self, self->taken[j]);
    }
}

/* A name that does not live was clipped when it should have entered. */
static void
apply_named_loss(
    spot_membership_t *self, const spot_event_t *event, spot_change_t *change)
{
    change->count = 0;
    for (int32_t j = 0; j < event->count; j++) {
        int32_t *slot = &self->slot_of_name[event->name_ids[j]];

        if (*slot >= 0) {
            self->taken[change->count++] = *slot;
            take_slot(self, *slot);
            *slot = -1;
        }
    }
}

bool
spot_membership_next(spot_membership_t *self, spot_change_t *change)
{
    spot_event_t event;

    if (!self->model->generator->next(self->source, &event)) {
        return false;
    }
    if (event.kind == SPOT_EVENT_ADD) {
        apply_addition(self, &event, change);
    } else if (event.name_ids == NULL) {
        apply_counted_loss(self, &event, change);
    } else {
        apply_named_loss(self, &event, change);
    }
    change->time_ms = event.time_ms;
    change->kind = event.kind;
    change->num_clipped = event.count - change->count;
    change->slots = self->taken;
    return true;
}

const char *
spot_membership_name(
    const spot_membership_t *self, int32_t slot, char text[SPOT_INSTANCE_NAME_BYTES])
{
    const spot_generator_t *generator = self->model->generator;

    if (self->num_names > 0 && generator->name_text != NULL) {
        return generator->name_text(self->source, self->name_id[slot], text);
    }
    snprintf(text, SPOT_INSTANCE_NAME_BYTES, "i%" PRId64, self->birth[slot]);
    return text;
}

void
spot_membership_print_state(const spot_membership_t *self, FILE *out)
{
    char text[SPOT_INSTANCE_NAME_BYTES];

    fprintf(out, "living: %d of %d:", self->population, self->capacity);
    for (int32_t j = 0; j < self->population; j++) {
        fprintf(out, " %d=%s", self->living[j],
            spot_membership_name(self, self->living[j], text));
    }
    putc('\n', out);
}

void
spot_membership_verify(const spot_membership_t *self)
{
    const bool has_names = self->num_names > 0;
    int32_t num_names_living = 0;

    spot_bug_assert(self->population >= 0 && self->population <= self->capacity);
    spot_bug_assert(self->population + self->num_free == self->num_slots_used);
    for (int32_t j = 0; j < self->population; j++) {
        const int32_t slot = self->living[j];

        spot_bug_assert(slot >= 0 && slot < self->num_slots_used);
        spot_bug_assert(self->place[slot] == j);
        spot_bug_assert(!has_names || self->slot_of_name[self->name_id[slot]] == slot);
    }
    for (size_t j = 0; j < self->num_names; j++) {
        num_names_living += self->slot_of_name[j] >= 0;
    }
    spot_bug_assert(!has_names || num_names_living == self->population);
}
