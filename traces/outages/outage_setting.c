/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/outages/outage_setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_match.h"
#include "base/table_file.h"
#include "base/units.h"

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

/* ---- The file of outages ---- */

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

static const spot_table_file_column_t columns[] = {
    SPOT_TABLE_COLUMN(TEXT, "node", row_t, node, .min = 0),
    SPOT_TABLE_COLUMN(COUNT, "slot", row_t, slot, .max = MAX_SLOTS - 1),
    SPOT_TABLE_COLUMN(INTEGER, "preempted_ns", row_t, preempted_ns, .max = MAX_TIME_NS),
    SPOT_TABLE_COLUMN(
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

/* ---- The setting ---- */

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
