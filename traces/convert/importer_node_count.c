/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pair of files of the seed notebook: NODE.csv "timestamp,count" and TERM.csv
 * "timestamp,number". The log of terminations shows losses that the counts hide behind
 * additions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/convert/convert.h"

/* A row of either file. */
typedef struct {
    int64_t time_s; /* since 1970 */
    int32_t count;  /* NODE.csv: running; TERM.csv: terminated at that time */
} record_t;

typedef struct {
    size_t num_records;
    size_t max_records;
    record_t *records; /* [num_records] */
} records_t;

typedef struct {
    spot_import_t *import;
    size_t input_id;         /* the file under way */
    bool has_head;           /* the row of columns was read */
    bool is_terminations;    /* the file is TERM.csv */
    bool has_file[2];        /* by is_terminations */
    size_t num_columns;      /* of the file; only the last two are used; 0: bad head */
    char start[32];          /* the first stamp of NODE.csv */
    records_t nodes, losses; /* by time */
    int64_t population;      /* after the latest time */
    int64_t num_moved, num_early, num_unlogged, num_unseen, num_same_time;
} state_t;

static bool ends_with(const char *line, const char *ending)
{
    const size_t num_bytes = strlen(line), num_ending = strlen(ending);

    return num_bytes >= num_ending && strcmp(line + num_bytes - num_ending, ending) == 0 &&
           (num_bytes == num_ending || line[num_bytes - num_ending - 1] == ',');
}

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;

    return ends_with(line, "timestamp,count") || ends_with(line, "timestamp,number");
}

static int take_head(state_t *self, const spot_csv_row_t *row)
{
    const size_t num = row->num_fields;
    const char *last = row->fields[num - 1];
    const bool is_count = strcmp(last, "count") == 0;

    self->has_head = true;
    self->num_columns = num;
    self->is_terminations = strcmp(last, "number") == 0;
    if (num < 2 || strcmp(row->fields[num - 2], "timestamp") != 0 ||
        (!is_count && !self->is_terminations)) {
        self->num_columns = 0;
        return spot_diag_error(self->import->diag, self->import->inputs[self->input_id].path,
            row->line, 1, "expected the columns timestamp,count or timestamp,number, last of all");
    }
    if (self->has_file[self->is_terminations]) {
        self->num_columns = 0;
        return spot_diag_error(self->import->diag, self->import->inputs[self->input_id].path,
            row->line, row->columns[num - 1],
            "a second file of %s: expected NODE.csv with timestamp,count and TERM.csv "
            "with timestamp,number",
            last);
    }
    self->has_file[self->is_terminations] = true;
    return 0;
}

static int parse_record(const state_t *self, const spot_csv_row_t *row, record_t *record)
{
    const spot_import_t *import = self->import;
    const size_t time_id = self->num_columns - 2, count_id = self->num_columns - 1;
    int ret = spot_import_num_fields(import, self->input_id, row, self->num_columns);

    if (ret != 0) {
        return ret;
    }
    if (!spot_timestamp_parse(row->fields[time_id], &record->time_s)) {
        return spot_import_expected(
            import, self->input_id, row, time_id, "timestamp", "YYYY-MM-DDThh:mm:ssZ");
    }
    if (spot_import_count_parse(row->fields[count_id], &record->count) != 0) {
        return spot_import_expected(import, self->input_id, row, count_id,
            self->is_terminations ? "number" : "count", "an integer from 0");
    }
    return 0;
}

static int keep_record(state_t *self, records_t *list, const spot_csv_row_t *row, record_t record)
{
    const record_t *last = list->num_records == 0 ? NULL : &list->records[list->num_records - 1];

    if (last != NULL && record.time_s < last->time_s) {
        return spot_import_expected(self->import, self->input_id, row, self->num_columns - 2,
            "timestamp", "one not before the previous row");
    }
    return SPOT_ARRAY_APPEND(list, records, record);
}

static int take_row(void *state, const spot_csv_row_t *row)
{
    state_t *self = state;
    record_t record;
    int ret;

    if (!self->has_head) {
        return take_head(self, row);
    }
    if (self->num_columns == 0) {
        return SPOT_ERR_BAD_INPUT; /* the columns are unknown */
    }
    ret = parse_record(self, row, &record);
    if (ret != 0) {
        return ret;
    }
    self->import->report->num_records++;
    if (!self->is_terminations && self->nodes.num_records == 0) {
        snprintf(self->start, sizeof(self->start), "%s", row->fields[self->num_columns - 2]);
    }
    return keep_record(self, self->is_terminations ? &self->losses : &self->nodes, row, record);
}

static int read_file(state_t *self, size_t input_id)
{
    self->input_id = input_id;
    self->has_head = false;
    self->num_columns = 0;
    return spot_import_rows(self->import, input_id, take_row, self);
}

/* Moves each termination to the first row of counts within the window; without one, it
 * keeps its time. Drops terminations before the first row: the number of instances at
 * that time is unknown. */
static void move_losses(state_t *self)
{
    const int64_t window_ms = self->import->task->window_ms;
    const record_t *nodes = self->nodes.records;
    size_t node_id = 0, num_kept = 0;

    for (size_t j = 0; j < self->losses.num_records; j++) {
        record_t loss = self->losses.records[j];

        while (node_id < self->nodes.num_records && nodes[node_id].time_s < loss.time_s) {
            node_id++;
        }
        if (node_id < self->nodes.num_records && nodes[node_id].time_s > loss.time_s &&
            SPOT_MS_PER_S * (nodes[node_id].time_s - loss.time_s) <= window_ms) {
            loss.time_s = nodes[node_id].time_s;
            self->num_moved += loss.count;
        }
        if (loss.time_s < nodes[0].time_s) {
            self->num_early += loss.count;
        } else {
            self->losses.records[num_kept++] = loss;
        }
    }
    self->losses.num_records = num_kept;
}

/* Adds the events of one time: change of the count, num_logged terminations. */
static void add_events(state_t *self, int64_t time_ms, int64_t change, int64_t num_logged)
{
    int64_t num_lost = num_logged > -change ? num_logged : -change;
    int64_t num_added, num_unseen;

    self->num_unlogged += -change > num_logged ? -change - num_logged : 0;
    num_added = num_lost + change;
    num_unseen = num_lost > self->population ? num_lost - self->population : 0;
    self->num_unseen += num_unseen; /* instances that came and went between two rows */
    num_lost -= num_unseen;
    num_added -= num_unseen;
    if (num_lost > 0) {
        spot_import_event(self->import, time_ms, SPOT_EVENT_PREEMPT, (int32_t) num_lost, false);
    }
    if (num_added > 0) {
        spot_import_event(self->import, time_ms, SPOT_EVENT_ADD, (int32_t) num_added, false);
    }
    self->population += change;
    spot_import_note_time(self->import, time_ms);
    self->import->trace->end_ms = time_ms;
}

/* Returns the sum of the counts at time_s and goes past them; sets *last to the last
 * count. */
static int64_t take_time(const records_t *list, size_t *place, int64_t time_s, int64_t *last)
{
    int64_t sum = 0;

    while (*place < list->num_records && list->records[*place].time_s == time_s) {
        *last = list->records[(*place)++].count;
        sum += *last;
    }
    return sum;
}

/* Merges both lists by time into events. */
static void make_events(state_t *self)
{
    const records_t *nodes = &self->nodes, *losses = &self->losses;
    const int64_t first_s = nodes->records[0].time_s;
    size_t node_id = 0, loss_id = 0;

    self->population = nodes->records[0].count;
    while (node_id < nodes->num_records || loss_id < losses->num_records) {
        const size_t before = node_id;
        int64_t time_s = INT64_MAX, count = self->population, ignored, num_logged;

        if (node_id < nodes->num_records) {
            time_s = nodes->records[node_id].time_s;
        }
        if (loss_id < losses->num_records && losses->records[loss_id].time_s < time_s) {
            time_s = losses->records[loss_id].time_s;
        }
        (void) take_time(nodes, &node_id, time_s, &count);
        num_logged = take_time(losses, &loss_id, time_s, &ignored);
        if (before == 0) {
            self->population = count;
            self->import->trace->initial = (int32_t) count;
        }
        self->num_same_time += node_id > before ? (int64_t) (node_id - before) - 1 : 0;
        add_events(self, SPOT_MS_PER_S * (time_s - first_s), count - self->population, num_logged);
    }
}

static void add_remarks(const state_t *self)
{
    const struct {
        spot_remark_kind_t kind;
        const char *key;
        int64_t count;
        const char *text;
    } remarks[] = {
        {SPOT_REMARK_READ, "moved", self->num_moved,
            "terminations were moved to a row of counts within --window"},
        {SPOT_REMARK_UNCERTAIN, "not_logged", self->num_unlogged,
            "preemptions are not in the termination log"},
        {SPOT_REMARK_REPAIRED, "unseen", self->num_unseen,
            "terminations of instances that came and went between two rows were left "
            "out"},
        {SPOT_REMARK_REPAIRED, "before_first_row", self->num_early,
            "terminations before the first row of counts were dropped"},
        {SPOT_REMARK_REPAIRED, "same_time", self->num_same_time,
            "counts were dropped, as another follows at the same time"},
    };

    for (size_t j = 0; j < sizeof(remarks) / sizeof(remarks[0]); j++) {
        if (remarks[j].count > 0) {
            SPOT_IMPORT_REMARK(self->import, remarks[j].kind, remarks[j].key, remarks[j].count,
                "%" PRId64 " %s", remarks[j].count, remarks[j].text);
        }
    }
}

/* Refuses more than 100 years. */
static int check_span(const state_t *self)
{
    const records_t *nodes = &self->nodes, *losses = &self->losses;
    int64_t last_s = nodes->records[nodes->num_records - 1].time_s;

    if (losses->num_records > 0 && losses->records[losses->num_records - 1].time_s > last_s) {
        last_s = losses->records[losses->num_records - 1].time_s;
    }
    if (last_s - nodes->records[0].time_s > SPOT_MAX_DURATION_MS / SPOT_MS_PER_S) {
        return spot_diag_error(
            self->import->diag, self->import->inputs[0].path, 0, 0, "longer than 100 years");
    }
    return 0;
}

static int read_files(state_t *self)
{
    int ret = read_file(self, 0);
    const int second = ret == 0 || ret == SPOT_ERR_BAD_INPUT ? read_file(self, 1) : 0;

    spot_diag_close_file(self->import->diag);
    ret = second != 0 ? second : ret;
    if (ret == 0 && self->nodes.num_records == 0) {
        ret = spot_diag_error(self->import->diag, self->import->inputs[0].path, 0, 0,
            "expected at least one count of nodes");
    }
    return ret;
}

static int read_node_count(spot_import_t *import)
{
    state_t self = {.import = import};
    int ret = read_files(&self);

    if (ret == 0) {
        move_losses(&self);
        ret = check_span(&self);
    }
    if (ret == 0) {
        import->trace->kind = SPOT_TRACE_COUNTS;
        make_events(&self);
        spot_import_take_gcd(import);
        spot_import_key(import, "start", self.start);
        add_remarks(&self);
    }
    free(self.nodes.records);
    free(self.losses.records);
    return ret;
}

const spot_importer_t spot_importer_node_count = {
    .name = "node-count",
    .doc = "NODE.csv with timestamp,count and TERM.csv with timestamp,number; TERM.csv "
           "may have no rows",
    .source = "the seed notebook",
    .num_inputs = 2,
    .takes = SPOT_TAKES_WINDOW,
    .sniff = sniff,
    .read = read_node_count,
};
