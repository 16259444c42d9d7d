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
#define LAST_NS (INT64_C(1) << 62) /* nothing happens from here on */
#define SLOT_BITS 32               /* of the entity of a slot */

/* Ups and outs that alternate. */
typedef struct {
    spot_rng_t rng;
    double up_ns, out_ns;           /* means */
    int64_t preempted_ns, ready_ns; /* of the next outage; INT64_MAX: none, never */
} process_t;

enum { OWN, OF_ZONE, NUM_PROCESSES };

/* A spot slot. */
typedef struct {
    size_t stage_id;
    size_t num_rows;
    size_t max_rows;
    spot_outage_t *rows;                /* [num_rows] by time, as far as needed */
    process_t processes[NUM_PROCESSES]; /* of a hazard; each slot of a zone draws the
                                           outages of the zone anew */
    int32_t instance;                   /* of a trace, which serves or will; -1: none */
    int64_t ready_ns;                   /* from when it serves */
} slot_t;

struct spot_outages {
    const spot_outage_setting_t *setting;
    spot_arena_t memory;
    int64_t start_up_ns, load_ns;
    size_t num_stages, num_slots;
    size_t *first; /* [num_stages + 1] the first slot of a stage */
    slot_t *slots; /* [num_slots] by stage */
    int32_t num_orders;
    int error;
    /* The trace. */
    spot_membership_t membership;
    size_t *slot_of; /* [capacity] of an instance; num_slots: standby */
    size_t num_standby;
    int32_t *standby; /* [num_standby] instances, first in first out */
    int64_t last_ns;  /* later changes are not read */
    int64_t read_ns;  /* all earlier changes have been read */
};

int
spot_outages_new(spot_outages_t **outages, const spot_outage_setting_t *setting,
    const spot_rent_setting_t *rent, size_t num_stages, const int32_t *num_slots)
{
    static const spot_outage_setting_t none = {0};
    spot_outages_t *self = *outages = spot_calloc(1, sizeof(*self));
    size_t capacity;

    if (self == NULL ||
        SPOT_ARENA_ARRAY(&self->memory, self->first, num_stages + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->setting = setting == NULL ? &none : setting;
    self->start_up_ns = rent == NULL ? 0 : rent->preparation_ns + rent->load_ns;
    self->load_ns = rent == NULL ? 0 : rent->load_ns;
    self->num_stages = num_stages;
    for (size_t j = 0; j < num_stages; j++) {
        self->first[j + 1] = self->first[j] + (size_t) num_slots[j];
    }
    capacity = (size_t) self->setting->trace_capacity;
    SPOT_ARENA_ARRAY(&self->memory, self->slots, self->first[num_stages]);
    SPOT_ARENA_ARRAY(&self->memory, self->slot_of, capacity);
    SPOT_ARENA_ARRAY(&self->memory, self->standby, capacity);
    if (self->memory.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_slots = self->first[num_stages];
    for (size_t j = 0; j < num_stages; j++) {
        for (size_t k = self->first[j]; k < self->first[j + 1]; k++) {
            self->slots[k].stage_id = j;
        }
    }
    return self->setting->kind != SPOT_OUTAGES_TRACE
               ? 0
               : spot_membership_init(
                     &self->membership, &self->setting->trace, (int64_t) capacity);
}

void
spot_outages_delete(spot_outages_t *self)
{
    if (self != NULL) {
        for (size_t j = 0; j < self->num_slots; j++) {
            free(self->slots[j].rows);
        }
        spot_membership_free(&self->membership);
        spot_arena_free(&self->memory);
        free(self);
    }
}

static void
add_outage(spot_outages_t *self, slot_t *slot, spot_outage_t outage)
{
    self->error = spot_error_first(self->error, SPOT_ARRAY_APPEND(slot, rows, outage));
}

/* Rows of a file, by stage. */
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
                add_outage(self, &self->slots[slot_id],
                    (spot_outage_t){
                        row->preempted_ns, row->ready_ns, self->num_orders++});
            }
        }
    }
}

/* ---- A hazard ---- */

/* The end of an exponential time, of at least 1 ns, or of none. */
static int64_t
draw_end(spot_rng_t *rng, int64_t from_ns, double mean_ns)
{
    const double ns = floor(spot_rng_exponential(rng, mean_ns) + 0.5);
    const int64_t whole_ns = ns < 1 ? 1 : ns < (double) LAST_NS ? (int64_t) ns : LAST_NS;

    return from_ns >= LAST_NS - whole_ns ? INT64_MAX : from_ns + whole_ns;
}

static void
draw_outage(process_t *self, int64_t start_up_ns)
{
    self->preempted_ns = draw_end(&self->rng, self->ready_ns, self->up_ns);
    self->ready_ns = draw_end(&self->rng, self->preempted_ns, self->out_ns);
    if (self->ready_ns != INT64_MAX) {
        self->ready_ns += start_up_ns;
    }
}

static void
start_process(spot_outages_t *self, process_t *process,
    const spot_replication_t *replication, spot_stream_t purpose, uint64_t entity)
{
    const spot_outage_setting_t *setting = self->setting;
    const bool is_own = purpose == SPOT_STREAM_OUTAGE;

    spot_rng_seek(
        &process->rng, replication->seed, replication->replication, purpose, entity);
    process->up_ns = (double) (is_own ? setting->mtbf_ns : setting->zone_mtbf_ns);
    process->out_ns = (double) (is_own ? setting->recover_ns : setting->zone_recover_ns);
    process->ready_ns = 0;
    draw_outage(process, self->start_up_ns);
}

static void
start_hazard(spot_outages_t *self, const spot_replication_t *replication)
{
    const uint64_t num_zones = (uint64_t) self->setting->zones;

    for (size_t j = 0; j < self->num_slots; j++) {
        slot_t *slot = &self->slots[j];
        const uint64_t place = j - self->first[slot->stage_id];

        start_process(self, &slot->processes[OWN], replication, SPOT_STREAM_OUTAGE,
            (uint64_t) slot->stage_id << SLOT_BITS | place);
        slot->processes[OF_ZONE].preempted_ns = INT64_MAX;
        if (num_zones > 0) {
            start_process(self, &slot->processes[OF_ZONE], replication,
                SPOT_STREAM_ZONE_OUTAGE, place % num_zones);
        }
    }
}

static process_t *
sooner(slot_t *slot)
{
    process_t *own = &slot->processes[OWN], *of_zone = &slot->processes[OF_ZONE];

    return own->preempted_ns <= of_zone->preempted_ns ? own : of_zone;
}

/* Adds the next outage of a slot: its own and those of its zone that overlap are one.
 * Returns false if there is none. */
static bool
merge_outage(spot_outages_t *self, slot_t *slot)
{
    process_t *next = sooner(slot);
    spot_outage_t outage = {
        next->preempted_ns, next->ready_ns, (int32_t) (slot - self->slots)};

    if (outage.preempted_ns == INT64_MAX) {
        return false;
    }
    do {
        if (next->ready_ns > outage.ready_ns) {
            outage.ready_ns = next->ready_ns;
        }
        draw_outage(next, self->start_up_ns);
        next = sooner(slot);
    } while (next->preempted_ns < outage.ready_ns && outage.ready_ns != INT64_MAX);
    if (outage.ready_ns == INT64_MAX) {
        slot->processes[OWN].preempted_ns = INT64_MAX;
        slot->processes[OF_ZONE].preempted_ns = INT64_MAX;
    }
    add_outage(self, slot, outage);
    return self->error == 0;
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
    if (slot->num_rows > 0) {
        spot_outage_t *outage = &slot->rows[slot->num_rows - 1];

        slot->ready_ns += ready_ns == outage->preempted_ns; /* at least 1 ns */
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
        add_outage(self, slot, (spot_outage_t){now_ns, INT64_MAX, self->num_orders++});
    } else if (now_ns > 0) { /* the outage goes on */
        slot->rows[slot->num_rows - 1].ready_ns = INT64_MAX;
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
            add_outage(self, &self->slots[j],
                (spot_outage_t){0, INT64_MAX, self->num_orders++});
        }
    }
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
        self->slots[j].num_rows = 0;
    }
    if (self->setting->kind == SPOT_OUTAGES_FILE) {
        start_file(self);
    } else if (self->setting->kind == SPOT_OUTAGES_HAZARD) {
        start_hazard(self, replication);
    } else if (self->setting->kind == SPOT_OUTAGES_TRACE) {
        start_trace(self, replication);
    }
}

/* An outage of a trace is whole once all changes before its end are read: until then its
 * instance may be lost again. */
const spot_outage_t *
spot_outages_at(spot_outages_t *self, size_t stage_id, int32_t slot_id, size_t k)
{
    const spot_outage_kind_t kind = self->setting->kind;
    slot_t *slot = &self->slots[self->first[stage_id] + (size_t) slot_id];

    while (
        kind == SPOT_OUTAGES_HAZARD && k >= slot->num_rows && merge_outage(self, slot)) {
    }
    while (kind == SPOT_OUTAGES_TRACE &&
           (k >= slot->num_rows || slot->rows[k].ready_ns > self->read_ns) &&
           read_change(self, self->last_ns)) {
    }
    return k < slot->num_rows ? &slot->rows[k] : NULL;
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
