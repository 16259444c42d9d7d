/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/outages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "traces/generate/membership.h"

#define NS_PER_MS INT64_C(1000000)
#define YEAR_NS (INT64_C(365) * 86400000 * NS_PER_MS)
#define LAST_NS (INT64_C(1) << 62) /* nothing happens later */
#define SLOT_BITS 32               /* of the entity of a slot */

/* Ups and outs that alternate, drawn as far as somebody asked. */
typedef struct {
    spot_rng_t rng;
    double up_ns, out_ns; /* means */
    int64_t ready_ns;     /* after the latest outage; INT64_MAX: there are no more */
    spot_outage_list_t list;
} process_t;

/* A spot slot. */
typedef struct {
    size_t stage_id;
    spot_outage_list_t list;
    process_t own;   /* of a hazard */
    process_t *zone; /* the same of its zone; NULL: none */
    size_t next_own, next_of_zone;
    int32_t instance; /* of a trace, which serves or will; -1: none */
    int64_t ready_ns; /* from when it serves */
} slot_t;

struct spot_outages {
    const spot_outage_setting_t *setting;
    int64_t start_up_ns, load_ns;
    size_t num_stages, num_slots, num_zones;
    size_t *first; /* [num_stages + 1] the first slot of a stage */
    slot_t *slots; /* [num_slots] by stage */
    process_t *zones;
    /* The trace. */
    spot_membership_t membership;
    size_t *slot_of; /* [capacity] of an instance; num_slots: standby */
    size_t num_standby;
    int32_t *standby; /* [num_standby] instances, first in first out */
    int64_t last_ns;  /* later changes are not read */
    int64_t read_ns;  /* all earlier changes have been read */
    int32_t num_orders;
    int error;
};

/* ---- Memory ---- */

static int
new_trace(spot_outages_t *self)
{
    const int64_t capacity = self->setting->trace_capacity;

    self->slot_of = spot_calloc((size_t) capacity, sizeof(*self->slot_of));
    self->standby = spot_calloc((size_t) capacity, sizeof(*self->standby));
    return self->slot_of == NULL || self->standby == NULL
               ? SPOT_ERR_NO_MEMORY
               : spot_membership_init(
                     &self->membership, &self->setting->trace, capacity);
}

int
spot_outages_new(spot_outages_t **outages, const spot_outage_setting_t *setting,
    const spot_rent_setting_t *rent, size_t num_stages, const int32_t *num_slots)
{
    static const spot_outage_setting_t none = {0};
    spot_outages_t *self = *outages = spot_calloc(1, sizeof(*self));

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->setting = setting == NULL ? &none : setting;
    self->start_up_ns = rent == NULL ? 0 : rent->preparation_ns + rent->load_ns;
    self->load_ns = rent == NULL ? 0 : rent->load_ns;
    self->num_stages = num_stages;
    self->num_zones = (size_t) self->setting->zones;
    self->first = spot_calloc(num_stages + 1, sizeof(*self->first));
    self->zones = spot_calloc(self->num_zones, sizeof(*self->zones));
    if (self->first == NULL || self->zones == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_stages; j++) {
        self->first[j + 1] = self->first[j] + (size_t) num_slots[j];
    }
    self->num_slots = self->first[num_stages];
    self->slots = spot_calloc(self->num_slots, sizeof(*self->slots));
    if (self->slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_stages; j++) {
        for (size_t k = self->first[j]; k < self->first[j + 1]; k++) {
            self->slots[k].stage_id = j;
        }
    }
    return self->setting->kind == SPOT_OUTAGES_TRACE ? new_trace(self) : 0;
}

void
spot_outages_delete(spot_outages_t *self)
{
    if (self == NULL) {
        return;
    }
    for (size_t j = 0; j < self->num_slots && self->slots != NULL; j++) {
        free(self->slots[j].list.rows);
        free(self->slots[j].own.list.rows);
    }
    for (size_t j = 0; j < self->num_zones && self->zones != NULL; j++) {
        free(self->zones[j].list.rows);
    }
    spot_membership_free(&self->membership);
    free(self->first);
    free(self->slots);
    free(self->zones);
    free(self->slot_of);
    free(self->standby);
    free(self);
}

static void
add_outage(spot_outages_t *self, spot_outage_list_t *list, int64_t preempted_ns,
    int64_t ready_ns, int32_t order)
{
    self->error = spot_error_first(self->error,
        SPOT_ARRAY_APPEND(list, rows, (spot_outage_t){preempted_ns, ready_ns, order}));
}

/* ---- A file ---- */

/* Ordered by stage, then by row. */
static void
start_file(spot_outages_t *self)
{
    const spot_outage_file_t *file = &self->setting->file;

    for (size_t stage_id = 0; stage_id < self->num_stages; stage_id++) {
        for (size_t j = 0; j < file->num_rows; j++) {
            const spot_outage_row_t *row = &file->rows[j];
            const size_t slot_id = self->first[stage_id] + (size_t) row->slot;

            if ((size_t) row->stage_id == stage_id &&
                slot_id < self->first[stage_id + 1]) {
                add_outage(self, &self->slots[slot_id].list, row->preempted_ns,
                    row->ready_ns, self->num_orders++);
            }
        }
    }
}

/* ---- A hazard ---- */

static void
start_process(process_t *self, const spot_replication_t *replication,
    spot_stream_t purpose, uint64_t entity, int64_t up_ns, int64_t out_ns)
{
    self->list.num_rows = 0;
    self->ready_ns = 0;
    self->up_ns = (double) up_ns;
    self->out_ns = (double) out_ns;
    spot_rng_seek(
        &self->rng, replication->seed, replication->replication, purpose, entity);
}

static void
start_hazard(spot_outages_t *self, const spot_replication_t *replication)
{
    const spot_outage_setting_t *setting = self->setting;

    for (size_t j = 0; j < self->num_zones; j++) {
        start_process(&self->zones[j], replication, SPOT_STREAM_ZONE_OUTAGE, j,
            setting->zone_mtbf_ns, setting->zone_recover_ns);
    }
    for (size_t j = 0; j < self->num_slots; j++) {
        slot_t *slot = &self->slots[j];
        const uint64_t slot_id = j - self->first[slot->stage_id];

        start_process(&slot->own, replication, SPOT_STREAM_OUTAGE,
            (uint64_t) slot->stage_id << SLOT_BITS | slot_id, setting->mtbf_ns,
            setting->recover_ns);
        slot->next_own = slot->next_of_zone = 0;
        slot->zone =
            self->num_zones == 0 ? NULL : &self->zones[slot_id % self->num_zones];
    }
}

/* An exponential time in whole ns, at least 1; LAST_NS if it is longer. */
static int64_t
draw_ns(spot_rng_t *rng, double mean_ns)
{
    const double ns = floor(spot_rng_exponential(rng, mean_ns) + 0.5);

    return ns < 1 ? 1 : ns < (double) LAST_NS ? (int64_t) ns : LAST_NS;
}

/* Outage k of a process, or NULL. */
static const spot_outage_t *
draw_outage(spot_outages_t *self, process_t *process, size_t k)
{
    spot_outage_list_t *list = &process->list;

    while (list->num_rows <= k && process->ready_ns != INT64_MAX && self->error == 0) {
        const int64_t up_ns = draw_ns(&process->rng, process->up_ns);
        const int64_t out_ns = draw_ns(&process->rng, process->out_ns);
        const int64_t from_ns = process->ready_ns + up_ns;

        if (from_ns >= LAST_NS) {
            process->ready_ns = INT64_MAX;
            break;
        }
        process->ready_ns = out_ns >= LAST_NS - from_ns
                                ? INT64_MAX
                                : from_ns + out_ns + self->start_up_ns;
        add_outage(self, list, from_ns, process->ready_ns, 0);
    }
    return k < list->num_rows ? &list->rows[k] : NULL;
}

/* The sooner of the next outages of a slot and of its zone, or NULL; *next counts
 * them. */
static const spot_outage_t *
sooner_outage(spot_outages_t *self, slot_t *slot, size_t **next)
{
    const spot_outage_t *own = draw_outage(self, &slot->own, slot->next_own);
    const spot_outage_t *of_zone =
        slot->zone == NULL ? NULL : draw_outage(self, slot->zone, slot->next_of_zone);
    const bool is_own =
        of_zone == NULL || (own != NULL && own->preempted_ns <= of_zone->preempted_ns);

    *next = is_own ? &slot->next_own : &slot->next_of_zone;
    return is_own ? own : of_zone;
}

/* Outage k of a slot, or NULL: outages of the slot and of its zone that overlap are
 * one. */
static const spot_outage_t *
merge_outages(spot_outages_t *self, slot_t *slot, size_t k)
{
    const int32_t order = (int32_t) (slot - self->slots);
    spot_outage_list_t *list = &slot->list;
    bool is_over = false;

    while (list->num_rows <= k && !is_over && self->error == 0) {
        size_t *next;
        const spot_outage_t *outage = sooner_outage(self, slot, &next);
        spot_outage_t merged = {.preempted_ns = INT64_MAX};

        is_over =
            outage == NULL ||
            (list->num_rows > 0 && list->rows[list->num_rows - 1].ready_ns == INT64_MAX);
        if (is_over) {
            break;
        }
        merged = *outage;
        do {
            ++*next;
            merged.ready_ns =
                outage->ready_ns > merged.ready_ns ? outage->ready_ns : merged.ready_ns;
            outage =
                merged.ready_ns == INT64_MAX ? NULL : sooner_outage(self, slot, &next);
        } while (outage != NULL && outage->preempted_ns < merged.ready_ns);
        add_outage(self, list, merged.preempted_ns, merged.ready_ns, order);
    }
    return k < list->num_rows ? &list->rows[k] : NULL;
}

/* ---- A trace ---- */

/* An instance takes the place of the one that a slot lacks. */
static void
enter_slot(spot_outages_t *self, size_t slot_id, int32_t instance, int64_t ready_ns)
{
    slot_t *slot = &self->slots[slot_id];

    self->slot_of[instance] = slot_id;
    slot->instance = instance;
    slot->ready_ns = ready_ns;
    if (slot->list.num_rows > 0) {
        spot_outage_t *outage = &slot->list.rows[slot->list.num_rows - 1];

        if (ready_ns <= outage->preempted_ns) {
            slot->ready_ns = outage->preempted_ns + 1;
        }
        outage->ready_ns = slot->ready_ns;
    }
}

static void
add_instance(spot_outages_t *self, int32_t instance, int64_t now_ns)
{
    size_t slot_id = 0;

    while (slot_id < self->num_slots && self->slots[slot_id].instance >= 0) {
        slot_id++;
    }
    if (slot_id < self->num_slots) {
        enter_slot(
            self, slot_id, instance, now_ns == 0 ? 0 : now_ns + self->start_up_ns);
    } else {
        self->slot_of[instance] = slot_id;
        self->standby[self->num_standby++] = instance;
    }
}

/* Takes the instance at a place of standby. */
static int32_t
leave_standby(spot_outages_t *self, size_t place)
{
    const int32_t instance = self->standby[place];

    self->num_standby--;
    memmove(&self->standby[place], &self->standby[place + 1],
        (self->num_standby - place) * sizeof(*self->standby));
    return instance;
}

static void
lose_instance(spot_outages_t *self, int32_t instance, int64_t now_ns)
{
    const size_t slot_id = self->slot_of[instance];
    slot_t *slot = &self->slots[slot_id];
    size_t place = 0;

    if (slot_id == self->num_slots) {
        while (self->standby[place] != instance) {
            place++;
        }
        (void) leave_standby(self, place);
        return;
    }
    slot->instance = -1;
    if (now_ns > 0 && now_ns >= slot->ready_ns) {
        add_outage(self, &slot->list, now_ns, INT64_MAX, self->num_orders++);
    } else if (now_ns > 0) {
        slot->list.rows[slot->list.num_rows - 1].ready_ns = INT64_MAX;
    }
    if (self->num_standby > 0 && self->error == 0) {
        enter_slot(self, slot_id, leave_standby(self, 0),
            now_ns == 0 ? 0 : now_ns + self->load_ns);
    }
}

/* Reads the next change of the trace up to a time. Returns false if there is none. */
static bool
read_change(spot_outages_t *self, int64_t last_ns)
{
    const int64_t next_ms = spot_membership_next_ms(&self->membership);
    spot_change_t change;

    if (self->error != 0 || next_ms > last_ns / NS_PER_MS ||
        !spot_membership_next(&self->membership, &change)) {
        return false;
    }
    self->read_ns = change.time_ms * NS_PER_MS;
    for (int32_t j = 0; j < change.count && self->error == 0; j++) {
        if (change.kind == SPOT_EVENT_ADD) {
            add_instance(self, change.slots[j], self->read_ns);
        } else {
            lose_instance(self, change.slots[j], self->read_ns);
        }
    }
    return true;
}

/* Slots without an instance at time 0 are out from then on. */
static void
start_trace(spot_outages_t *self, const spot_replication_t *replication)
{
    for (size_t j = 0; j < self->num_slots; j++) {
        self->slots[j].instance = -1;
    }
    self->num_standby = 0;
    self->read_ns = 0;
    spot_membership_start(
        &self->membership, replication->seed, replication->replication);
    for (int32_t j = 0; j < self->membership.population; j++) {
        add_instance(self, j, 0);
    }
    while (read_change(self, 0)) {
    }
    for (size_t j = 0; j < self->num_slots; j++) {
        if (self->slots[j].instance < 0) {
            add_outage(self, &self->slots[j].list, 0, INT64_MAX, self->num_orders++);
        }
    }
}

/* Outage k of a slot, or NULL. It is whole once all changes before its end are read:
 * until then its instance may be lost again. */
static const spot_outage_t *
read_outage(spot_outages_t *self, const slot_t *slot, size_t k)
{
    const spot_outage_list_t *list = &slot->list;

    while ((k >= list->num_rows || list->rows[k].ready_ns > self->read_ns) &&
           read_change(self, self->last_ns)) {
    }
    return k < list->num_rows ? &list->rows[k] : NULL;
}

/* ---- All ---- */

void
spot_outages_start(
    spot_outages_t *self, const spot_replication_t *replication, int64_t last_ns)
{
    self->error = 0;
    self->num_orders = 0;
    self->last_ns = last_ns + YEAR_NS;
    for (size_t j = 0; j < self->num_slots; j++) {
        self->slots[j].list.num_rows = 0;
    }
    if (self->setting->kind == SPOT_OUTAGES_FILE) {
        start_file(self);
    } else if (self->setting->kind == SPOT_OUTAGES_HAZARD) {
        start_hazard(self, replication);
    } else if (self->setting->kind == SPOT_OUTAGES_TRACE) {
        start_trace(self, replication);
    }
}

const spot_outage_t *
spot_outages_at(spot_outages_t *self, size_t stage_id, int32_t slot_id, size_t k)
{
    slot_t *slot = &self->slots[self->first[stage_id] + (size_t) slot_id];

    if (self->setting->kind == SPOT_OUTAGES_HAZARD) {
        return merge_outages(self, slot, k);
    }
    if (self->setting->kind == SPOT_OUTAGES_TRACE) {
        return read_outage(self, slot, k);
    }
    return k < slot->list.num_rows ? &slot->list.rows[k] : NULL;
}

int
spot_outages_error(const spot_outages_t *self, int64_t end_ns)
{
    const int64_t stopped_ms = self->setting->kind == SPOT_OUTAGES_TRACE
                                   ? spot_membership_stopped_ms(&self->membership)
                                   : -1;

    return self->error != 0 || stopped_ms < 0 || stopped_ms > end_ns / NS_PER_MS
               ? self->error
               : SPOT_ERR_OVERDRAW;
}
