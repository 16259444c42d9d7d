/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/outages/outages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_match.h"
#include "base/rng.h"
#include "base/table_file.h"
#include "base/units.h"
#include "traces/generate/membership.h"

/* ---- The map preemptions ---- */

#define MAX_MEAN_NS ((double) SPOT_MAX_DURATION_MS * 1e6)
#define MAX_START_UP_NS (366.0 * 86400e9)
#define MAX_TIME_NS 4611686018427387904.0 /* 2^62 */
#define MAX_ZONES 4096
#define MAX_SLOTS 8192 /* of a stage */

static const char *const drain_names[] = {"deadline", "stop", NULL};
static const char *const in_flight_names[] = {"requeue_head", "requeue_tail", "lose", NULL};

/* A model file; a trace file takes no defaults. */
static const spot_field_t *model_table(const spot_node_t *root)
{
    return root->kind == SPOT_NODE_MAP ? spot_trace_model_table(root) : NULL;
}

/* The forms of the value of trace. */
static const spot_field_t trace_forms[] = {
    {.name = "", .type = SPOT_FIELD_PATH, .file_table = model_table},
    {.name = "", .type = SPOT_FIELD_CUSTOM, .table = spot_trace_model_table},
    {.name = NULL},
};

#define RANGE(kind, key, member, low, high, starts, ...)                                           \
    SPOT_WITHIN(kind, key, spot_outage_setting_t, member, low, high, starts, __VA_ARGS__)

static const spot_field_t hazard_fields[] = {
    {RANGE(DURATION_NS, "mtbf", mtbf_ns, 1, MAX_MEAN_NS, NULL, "mean time to a preemption",
        "mean time that a spot slot serves until it is preempted; exponential")},
    {RANGE(DURATION_NS, "recover", recover_ns, 0, MAX_MEAN_NS, NULL,
        "mean time to another instance",
        "mean time until a preempted slot has an instance, which is then prepared and "
        "loaded; exponential")},
    {RANGE(INTEGER, "zones", zones, 1, MAX_ZONES, "", "zones",
        "zones that are also preempted as a whole; slot i of a stage is in zone i mod "
        "zones")},
    {RANGE(DURATION_NS, "zone_mtbf", zone_mtbf_ns, 1, MAX_MEAN_NS, "",
        "mean time to the outage of a zone", "the same as mtbf of a zone")},
    {RANGE(DURATION_NS, "zone_recover", zone_recover_ns, 0, MAX_MEAN_NS, "",
         "mean outage of a zone", "the same as recover of a zone; default: 0 s"),
        .otherwise = "0 s", SPOT_DECIDES},
    {.name = NULL},
};

const spot_field_t spot_outage_fields[] = {
    {SPOT_VALUE(PATH, "outages", spot_outage_setting_t, path, "",
        "a CSV file node,slot,preempted_ns,ready_ns with the outages of spot slots; an "
        "empty ready_ns: never")},
    {SPOT_GROUP("hazard", hazard_fields, "", "outages that are drawn slot by slot")},
    {SPOT_FIELDS(ONE_OF, "trace", spot_outage_setting_t, trace_node, trace_forms, "", "trace",
         "how instances come and go, for all spot slots together; a generator needs "
         "its own capacity and initial"),
        .bind = spot_bind_keep_node,
        .expected = "{generator: NAME, ...}, {file: PATH}, {model: PATH} or the path of "
                    "a trace file or a model file"},
    {RANGE(DURATION_NS, "notice", rent.notice_ns, 0, MAX_START_UP_NS, "0 s",
         "notice before a preemption", "how long before a preemption it is known"),
        SPOT_DECIDES},
    {SPOT_CHOICE("drain", spot_outage_setting_t, rent.drain, drain_names, "deadline", "drain",
         "with notice, a replica takes only batches that end in time (deadline), or "
         "none (stop)"),
        SPOT_DECIDES},
    {SPOT_CHOICE("in_flight", spot_outage_setting_t, rent.in_flight, in_flight_names,
         "requeue_head", "queries in flight",
         "a preemption puts the queries of a batch back to the head or the tail of the "
         "queue, or loses them"),
        SPOT_DECIDES},
    {RANGE(DURATION_NS, "preparation", rent.preparation_ns, 0, MAX_START_UP_NS, "0 s",
         "preparation time", "time from the arrival of an instance until it can load a model"),
        SPOT_DECIDES},
    {RANGE(DURATION_NS, "load", rent.load_ns, 0, MAX_START_UP_NS, "0 s", "load time",
         "time to load a model"),
        SPOT_DECIDES},
    {.name = NULL},
};

/* ---- The setting: a file of outages ---- */

typedef struct {
    const char *node;
    int32_t slot;
    int64_t preempted_ns, ready_ns;
} row_t;

typedef struct {
    spot_outage_file_t *file;
    size_t num_stages;
    const char *const *stages; /* [num_stages] ids */
} reader_t;

enum { NODE, SLOT, PREEMPTED, READY };

static const spot_row_member_t columns[] = {
    SPOT_MEMBER(TEXT, "node", row_t, node),
    SPOT_MEMBER_WITH(SMALL, "slot", row_t, slot, .max = MAX_SLOTS - 1),
    SPOT_MEMBER_WITH(INTEGER, "preempted_ns", row_t, preempted_ns, .max = MAX_TIME_NS),
    SPOT_MEMBER_WITH(
        INTEGER, "ready_ns", row_t, ready_ns, .max = MAX_TIME_NS, .may_be_empty = true),
};

/* The stage that a row names, -1: none, which is reported. */
static int32_t find_stage(spot_table_file_t *table, const reader_t *reader, const char *id)
{
    char hint[SPOT_SUGGEST_HINT_BYTES];
    spot_suggest_t near;

    spot_suggest_init(&near, id);
    for (size_t j = 0; j < reader->num_stages; j++) {
        if (strcmp(reader->stages[j], id) == 0) {
            return (int32_t) j;
        }
        spot_suggest_offer(&near, reader->stages[j]);
    }
    spot_table_file_report_at(
        table, NODE, "no stage '%.64s'%s", id, spot_suggest_hint(&near, hint));
    return -1;
}

/* The latest row of the same slot, or NULL. O(rows). */
static const spot_outage_row_t *find_previous(
    const spot_outage_file_t *self, int32_t stage_id, int32_t slot)
{
    for (size_t j = self->num_rows; j > 0; j--) {
        const spot_outage_row_t *row = &self->rows[j - 1];

        if (row->stage_id == stage_id && row->slot == slot) {
            return row;
        }
    }
    return NULL;
}

static int take_row(spot_table_file_t *table, const spot_csv_row_t *csv, const void *values)
{
    const row_t *row = values;
    const reader_t *reader = table->table;
    const int32_t stage_id = find_stage(table, reader, row->node);
    const spot_outage_row_t *previous =
        stage_id < 0 ? NULL : find_previous(reader->file, stage_id, row->slot);

    (void) csv;
    if (stage_id < 0) {
        return 0;
    }
    if (row->ready_ns <= row->preempted_ns) {
        spot_table_file_report_at(table, READY, "ready %lld is not after preempted %lld",
            (long long) row->ready_ns, (long long) row->preempted_ns);
    }
    if (previous != NULL && previous->ready_ns == INT64_MAX) {
        spot_table_file_report_at(table, SLOT,
            "slot %d of %s never comes back, but has a later row", (int) row->slot, row->node);
    } else if (previous != NULL && row->preempted_ns < previous->ready_ns) {
        spot_table_file_report_at(table, PREEMPTED,
            "slot %d of %s: preempted at %lld before it is ready again at %lld", (int) row->slot,
            row->node, (long long) row->preempted_ns, (long long) previous->ready_ns);
    }
    return SPOT_ARRAY_APPEND(reader->file, rows,
        (spot_outage_row_t){stage_id, row->slot, row->preempted_ns, row->ready_ns});
}

static int read_file(
    spot_outage_setting_t *self, spot_bind_t *bind, size_t num_stages, const char *const *stages)
{
    const row_t initial = {.ready_ns = INT64_MAX};
    const spot_table_file_format_t format = {.num_columns = sizeof(columns) / sizeof(columns[0]),
        .columns = columns,
        .layout = "node,slot,preempted_ns,ready_ns",
        .says_header = true,
        .needs_columns = true,
        .row_bytes = sizeof(row_t),
        .initial = &initial,
        .take = take_row};
    reader_t reader = {&self->file, num_stages, stages};

    return spot_table_file_read(&format, self->path, bind->diag, &reader);
}

/* ---- The setting: all of it ---- */

int spot_outage_setting_open(spot_outage_setting_t *self, spot_bind_t *bind,
    const spot_node_t *root, size_t num_stages, const char *const *stages)
{
    const spot_node_t *hazard = spot_node_get(root, "hazard");
    const int num_kinds = (self->path != NULL) + (hazard != NULL) + (self->trace_node != NULL);
    const size_t num_errors = bind->diag->num_errors;
    int ret = 0;

    if (num_kinds > 1) {
        spot_bind_error(bind, root, "preemptions", "exactly one of outages, hazard, trace");
    } else if (self->path != NULL) {
        self->kind = SPOT_OUTAGES_FILE;
        ret = read_file(self, bind, num_stages, stages);
    } else if (hazard != NULL) {
        self->kind = SPOT_OUTAGES_HAZARD;
        if ((self->zones > 0) != (self->zone_mtbf_ns > 0)) {
            spot_bind_error(bind, hazard, "preemptions.hazard",
                "zones and zone_mtbf are given together or not at all");
        }
    } else if (self->trace_node != NULL) {
        self->kind = SPOT_OUTAGES_TRACE;
        strcpy(bind->path, "preemptions.trace.");
        ret = spot_trace_model_bind(&self->trace, bind, self->trace_node, NULL, NULL);
        bind->path[0] = '\0';
    }
    self->trace_node = NULL;
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

void spot_outage_setting_free(spot_outage_setting_t *self)
{
    free(self->path);
    free(self->file.rows);
    spot_trace_model_free(&self->trace);
    *self = (spot_outage_setting_t){0};
}

bool spot_outage_setting_is_random(const spot_outage_setting_t *self)
{
    const spot_trace_t *recording = self->trace.recording;

    return self->kind == SPOT_OUTAGES_HAZARD ||
           (self->kind == SPOT_OUTAGES_TRACE &&
               (recording == NULL || recording->kind != SPOT_TRACE_NAMED));
}

/* ---- The outages of a replication ---- */

#define NS_PER_MS INT64_C(1000000)
#define YEAR_NS (INT64_C(365) * 86400000 * NS_PER_MS)
#define LAST_NS (INT64_C(1) << 62) /* nothing happens from here on */
#define STAGE_BIT 32               /* of the entity of a slot */

/* Ups and outs that alternate. */
typedef struct {
    spot_rng_t rng;
    int64_t up_ns, out_ns;          /* means */
    int64_t preempted_ns, ready_ns; /* of the next outage; INT64_MAX: none, never */
} process_t;

/* A spot slot. */
typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_outage_t *rows; /* [num_rows] by time, as far as needed */
    process_t own, zone; /* of a hazard; each slot of a zone draws its outages anew */
    int32_t instance;    /* of a trace, which serves or will; -1: none */
    int64_t ready_ns;    /* from when it serves */
} slot_t;

struct spot_outages {
    const spot_outage_setting_t *setting;
    spot_arena_t memory;
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

static int new_trace(spot_outages_t *self)
{
    const spot_trace_model_t *trace = &self->setting->trace;
    const int64_t own = spot_trace_model_common(trace)->capacity;
    const int64_t capacity = own > 0 ? own : spot_trace_most(trace->recording);

    SPOT_ARENA_ARRAY(&self->memory, self->slot_of, (size_t) capacity);
    SPOT_ARENA_ARRAY(&self->memory, self->standby, (size_t) capacity);
    return self->memory.error != 0 ? SPOT_ERR_NO_MEMORY
                                   : spot_membership_init(&self->membership, trace, capacity);
}

int spot_outages_new(spot_outages_t **outages, const spot_outage_setting_t *setting,
    size_t num_stages, const int32_t *num_slots)
{
    spot_outages_t *self = *outages = spot_calloc(1, sizeof(*self));

    if (self == NULL || SPOT_ARENA_ARRAY(&self->memory, self->first, num_stages + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->setting = setting;
    self->num_stages = num_stages;
    for (size_t j = 0; j < num_stages; j++) {
        self->first[j + 1] = self->first[j] + (size_t) num_slots[j];
    }
    if (SPOT_ARENA_ARRAY(&self->memory, self->slots, self->first[num_stages]) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_slots = self->first[num_stages];
    return self->setting->kind == SPOT_OUTAGES_TRACE ? new_trace(self) : 0;
}

void spot_outages_delete(spot_outages_t *self)
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

static int64_t start_up_ns(const spot_outages_t *self)
{
    return self->setting->rent.preparation_ns + self->setting->rent.load_ns;
}

static void add_outage(spot_outages_t *self, slot_t *slot, int64_t from_ns, int64_t to_ns)
{
    self->error = spot_error_first(self->error,
        SPOT_ARRAY_APPEND(slot, rows, (spot_outage_t){from_ns, to_ns, self->num_orders++}));
}

/* Rows of a file, by stage. */
static void start_file(spot_outages_t *self)
{
    const spot_outage_file_t *file = &self->setting->file;

    for (size_t j = 0; j < self->num_stages; j++) {
        for (size_t k = 0; k < file->num_rows; k++) {
            const spot_outage_row_t *row = &file->rows[k];
            const size_t slot_id = self->first[j] + (size_t) row->slot;

            if ((size_t) row->stage_id == j && slot_id < self->first[j + 1]) {
                add_outage(self, &self->slots[slot_id], row->preempted_ns, row->ready_ns);
            }
        }
    }
}

/* ---- Outages of a hazard ---- */

/* The end of an exponential time of at least 1 ns; INT64_MAX: never. */
static int64_t draw_end(process_t *self, int64_t from_ns, int64_t mean_ns)
{
    double ns = floor(spot_rng_exponential(&self->rng, (double) mean_ns) + 0.5);

    ns = ns < 1 ? 1 : ns;
    return from_ns >= LAST_NS || ns >= (double) (LAST_NS - from_ns) ? INT64_MAX
                                                                    : from_ns + (int64_t) ns;
}

static void draw_outage(const spot_outages_t *self, process_t *process)
{
    process->preempted_ns = draw_end(process, process->ready_ns, process->up_ns);
    process->ready_ns = draw_end(process, process->preempted_ns, process->out_ns);
    if (process->ready_ns != INT64_MAX) {
        process->ready_ns += start_up_ns(self);
    }
}

static void start_hazard(spot_outages_t *self, uint64_t seed, uint64_t replication)
{
    const spot_outage_setting_t *setting = self->setting;
    const process_t own = {.up_ns = setting->mtbf_ns, .out_ns = setting->recover_ns};
    const process_t zone = {.up_ns = setting->zone_mtbf_ns, .out_ns = setting->zone_recover_ns};

    for (size_t j = 0; j < self->num_stages; j++) {
        for (size_t k = self->first[j]; k < self->first[j + 1]; k++) {
            slot_t *slot = &self->slots[k];
            const uint64_t place = k - self->first[j];

            slot->own = own;
            slot->zone = zone;
            spot_rng_seek(&slot->own.rng, seed, replication, SPOT_STREAM_OUTAGE,
                (uint64_t) j << STAGE_BIT | place);
            draw_outage(self, &slot->own);
            slot->zone.preempted_ns = INT64_MAX;
            if (setting->zones > 0) {
                spot_rng_seek(&slot->zone.rng, seed, replication, SPOT_STREAM_ZONE_OUTAGE,
                    place % (uint64_t) setting->zones);
                draw_outage(self, &slot->zone);
            }
        }
    }
}

static process_t *sooner(slot_t *slot)
{
    return slot->own.preempted_ns <= slot->zone.preempted_ns ? &slot->own : &slot->zone;
}

/* Adds the next outage of a slot: its own and those of its zone that overlap are one.
 * Returns false if there is none. */
static bool merge_outage(spot_outages_t *self, slot_t *slot)
{
    process_t *next = sooner(slot);
    const int64_t from_ns = next->preempted_ns;
    int64_t to_ns = next->ready_ns;

    if (from_ns == INT64_MAX) {
        return false;
    }
    for (; next->preempted_ns < to_ns; next = sooner(slot)) {
        to_ns = next->ready_ns > to_ns ? next->ready_ns : to_ns;
        if (to_ns == INT64_MAX) {
            slot->own.preempted_ns = slot->zone.preempted_ns = INT64_MAX;
        } else {
            draw_outage(self, next);
        }
    }
    self->num_orders = (int32_t) (slot - self->slots);
    add_outage(self, slot, from_ns, to_ns);
    return self->error == 0;
}

/* ---- Outages of a trace ---- */

/* An instance takes the place of the one that a slot lacks. */
static void enter_slot(spot_outages_t *self, size_t slot_id, int32_t instance, int64_t ready_ns)
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

static void add_instance(spot_outages_t *self, int32_t instance, int64_t now_ns)
{
    size_t slot_id = 0;

    while (slot_id < self->num_slots && self->slots[slot_id].instance >= 0) {
        slot_id++;
    }
    self->slot_of[instance] = slot_id;
    if (slot_id < self->num_slots) {
        enter_slot(self, slot_id, instance, now_ns == 0 ? 0 : now_ns + start_up_ns(self));
    } else {
        self->standby[self->num_standby++] = instance;
    }
}

static void leave_standby(spot_outages_t *self, int32_t instance)
{
    size_t place = 0;

    while (self->standby[place] != instance) {
        place++;
    }
    self->num_standby--;
    memmove(&self->standby[place], &self->standby[place + 1],
        (self->num_standby - place) * sizeof(*self->standby));
}

static void lose_instance(spot_outages_t *self, int32_t instance, int64_t now_ns)
{
    const size_t slot_id = self->slot_of[instance];
    slot_t *slot = &self->slots[slot_id];

    if (slot_id == self->num_slots) {
        leave_standby(self, instance);
        return;
    }
    slot->instance = -1;
    if (now_ns > 0 && now_ns >= slot->ready_ns) {
        add_outage(self, slot, now_ns, INT64_MAX);
    } else if (now_ns > 0) { /* the outage goes on */
        slot->rows[slot->num_rows - 1].ready_ns = INT64_MAX;
    }
    if (self->num_standby > 0 && self->error == 0) {
        const int32_t next = self->standby[0];

        leave_standby(self, next);
        enter_slot(self, slot_id, next, now_ns == 0 ? 0 : now_ns + self->setting->rent.load_ns);
    }
}

/* Reads the next change of the trace up to a time. Returns false if there is none. */
static bool read_change(spot_outages_t *self, int64_t last_ns)
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
static void start_trace(spot_outages_t *self, uint64_t seed, uint64_t replication)
{
    for (size_t j = 0; j < self->num_slots; j++) {
        self->slots[j].instance = -1;
    }
    self->num_standby = 0;
    self->read_ns = 0;
    spot_membership_start(&self->membership, seed, replication);
    for (int32_t j = 0; j < self->membership.population; j++) {
        add_instance(self, j, 0);
    }
    while (read_change(self, 0)) {
    }
    for (size_t j = 0; j < self->num_slots; j++) {
        if (self->slots[j].instance < 0) {
            add_outage(self, &self->slots[j], 0, INT64_MAX);
        }
    }
}

/* ---- Outages of any kind ---- */

void spot_outages_start(spot_outages_t *self, uint64_t seed, uint64_t replication, int64_t last_ns)
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
        start_hazard(self, seed, replication);
    } else if (self->setting->kind == SPOT_OUTAGES_TRACE) {
        start_trace(self, seed, replication);
    }
}

/* An outage of a trace is whole once all changes before its end are read: until then its
 * instance may be lost again. */
const spot_outage_t *spot_outages_at(
    spot_outages_t *self, size_t stage_id, int32_t slot_id, size_t k)
{
    const spot_outage_kind_t kind = self->setting->kind;
    slot_t *slot = &self->slots[self->first[stage_id] + (size_t) slot_id];

    while (kind == SPOT_OUTAGES_HAZARD && k >= slot->num_rows && merge_outage(self, slot)) {
    }
    while (kind == SPOT_OUTAGES_TRACE &&
           (k >= slot->num_rows || slot->rows[k].ready_ns > self->read_ns) &&
           read_change(self, self->last_ns)) {
    }
    return k < slot->num_rows ? &slot->rows[k] : NULL;
}

int spot_outages_error(const spot_outages_t *self, int64_t end_ns)
{
    const int64_t stopped_ms = self->setting->kind == SPOT_OUTAGES_TRACE
                                   ? spot_membership_stopped_ms(&self->membership)
                                   : -1;

    return self->error != 0 || stopped_ms < 0 || stopped_ms > end_ns / NS_PER_MS
               ? self->error
               : SPOT_ERR_OVERDRAW;
}
