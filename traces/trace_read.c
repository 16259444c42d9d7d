/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a canonical trace file. A faulty row is not applied, and later
 * errors that it may have caused are not reported. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/file_header.h"
#include "traces/trace.h"
#include "traces/trace_instances.h"

/* ---- The header ---- */

/* Properties of the header on which the checks of the rows depend. */
typedef struct {
    bool has_kind;    /* trace->kind is that of the file */
    bool has_columns; /* the row of columns is correct */
} header_t;

typedef struct {
    header_t *found;
    spot_trace_t *trace;
} target_t;

static bool take_start(void *target, const char *value)
{
    (void) target;
    return spot_trace_start_is(value);
}

static bool take_resolution(void *target, const char *value)
{
    const target_t *self = target;
    double resolution_s;
    int64_t resolution_ms;

    if (spot_number_parse(value, &resolution_s) != 0 || resolution_s <= 0 ||
        spot_duration_from_s(resolution_s, &resolution_ms) != 0) {
        return false;
    }
    self->trace->resolution_ms = resolution_ms == 0 ? 1 : resolution_ms;
    return true;
}

static bool take_kind(void *target, const char *value)
{
    const target_t *self = target;
    for (int kind = 0; spot_trace_kind_names[kind] != NULL; kind++) {
        if (strcmp(value, spot_trace_kind_names[kind]) == 0) {
            self->trace->kind = (spot_trace_kind_t) kind;
            self->found->has_kind = true;
            return true;
        }
    }
    return false;
}

static bool take_capacity(void *target, const char *value)
{
    const target_t *self = target;
    int64_t capacity = SPOT_UNBOUNDED;

    if (strcmp(value, "unbounded") != 0 &&
        (spot_integer_parse(value, &capacity) != 0 || capacity <= 0 || capacity > INT32_MAX)) {
        return false;
    }
    self->trace->capacity = (int32_t) capacity;
    return true;
}

static const spot_file_key_t known_keys[] = {
    {"name", true, NULL, NULL},
    {"start", true, take_start, SPOT_TRACE_START_EXPECTED},
    {"resolution_s", true, take_resolution, "a number above 0"},
    {"kind", true, take_kind, "named, counts or availability"},
    {"capacity", true, take_capacity, "an integer above 0 or unbounded"},
    {NULL, false, NULL, NULL},
};

/* Whether the line after the header is the row of columns; at the end of the file it has
 * no fields. */
static bool is_columns(const spot_csv_row_t *row)
{
    static const char *const columns[SPOT_NUM_TRACE_COLUMNS] = {
        "time_s", "event", "count", "instances"};
    bool is_match = row->num_fields == SPOT_NUM_TRACE_COLUMNS;

    for (size_t j = 0; j < SPOT_NUM_TRACE_COLUMNS && is_match; j++) {
        is_match = strcmp(row->fields[j], columns[j]) == 0;
    }
    return is_match;
}

/* Reads up to the row of columns and reports errors to diag. A missing capacity is
 * SPOT_UNBOUNDED, a missing resolution 0. Returns 1: rows may follow; BAD_INPUT: the
 * rest cannot be checked; IO, NO_MEMORY. */
static int read_header(header_t *self, spot_trace_t *trace, spot_csv_t *csv, spot_diag_t *diag)
{
    target_t target = {.found = self, .trace = trace};
    spot_file_header_t header = {
        .format = "spotsim-trace", .known = known_keys, .target = &target, .keys = &trace->header};
    spot_csv_row_t row;
    int ret;

    trace->capacity = SPOT_UNBOUNDED;
    ret = spot_file_header_read(&header, csv, &row, diag);
    if (ret < 0) {
        return ret;
    }
    self->has_columns = is_columns(&row);
    if (!self->has_columns && (ret == 0 || row.num_fields > 0)) {
        const char *separator = spot_csv_wrong_separator(row.text);

        spot_diag_error(diag, spot_csv_file(csv), row.line, 1,
            "expected the columns time_s,event,count,instances%s%s",
            separator == NULL ? "" : " with commas between, got ",
            separator == NULL ? "" : separator);
        ret = separator == NULL ? ret : SPOT_ERR_BAD_INPUT;
    }
    return ret <= 0 ? SPOT_ERR_BAD_INPUT : 1;
}

/* ---- The rows ---- */

typedef enum {
    ROW_PREEMPT = SPOT_EVENT_PREEMPT,
    ROW_ADD = SPOT_EVENT_ADD,
    ROW_STOP = SPOT_EVENT_STOP,
    ROW_INIT,
    ROW_END,
    ROW_UNKNOWN
} row_kind_t;

typedef struct {
    const spot_csv_row_t *csv;
    row_kind_t kind;
    int64_t time_ms;
    int64_t count;
    int64_t population; /* after the row */
} row_t;

typedef struct {
    spot_trace_t *trace;
    const char *file;
    spot_diag_t *diag;
    header_t header;
    size_t num_rows;
    bool has_init, has_end;
    bool is_doubtful; /* a row was not applied */
    bool is_faulty;   /* the last row was not applied */
    int64_t time_ms;  /* of the last row applied, like population */
    bool has_add;     /* a row applied at time_ms is an add */
    int64_t population;
    size_t num_irregular;  /* times that are no multiple of the resolution */
    size_t irregular_line; /* of the first one */
    int64_t irregular_ms;
    spot_trace_instances_t instances;
} reader_t;

/* Reports an error in one field of a row. */
#define ROW_ERROR(self, row, column, ...)                                                          \
    spot_diag_error(                                                                               \
        (self)->diag, (self)->file, (row)->csv->line, (row)->csv->columns[column], __VA_ARGS__)

static row_kind_t find_kind(const char *event)
{
    for (int kind = 0; spot_event_kind_names[kind] != NULL; kind++) {
        if (strcmp(event, spot_event_kind_names[kind]) == 0) {
            return (row_kind_t) kind;
        }
    }
    if (strcmp(event, "init") == 0) {
        return ROW_INIT;
    }
    return strcmp(event, "end") == 0 ? ROW_END : ROW_UNKNOWN;
}

static bool is_arrival(const row_t *row)
{
    return row->kind == ROW_INIT || row->kind == ROW_ADD;
}

static int check_time(const reader_t *self, row_t *row)
{
    const char *text = row->csv->fields[SPOT_TRACE_COLUMN_TIME];
    char shown[SPOT_CSV_SHOWN_BYTES];
    char time[SPOT_TRACE_TIME_BYTES], previous[SPOT_TRACE_TIME_BYTES];

    if (spot_trace_time_parse(text, &row->time_ms) != 0) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_TIME,
            "time_s: expected seconds with at most 3 decimals, got '%s'%s",
            spot_csv_shown(text, shown),
            spot_datetime_is(text) ? ", a date: count from the start of the trace" : "");
    }
    if (row->time_ms < self->time_ms && !self->is_doubtful) {
        spot_trace_time_text(row->time_ms, time);
        spot_trace_time_text(self->time_ms, previous);
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_TIME,
            "time_s: %s is before the previous row (%s)", time, previous);
    }
    if (row->kind == ROW_INIT && row->time_ms != 0) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_TIME, "time_s: init must be at 0");
    }
    if (row->kind == ROW_END && row->time_ms == 0) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_TIME, "time_s: end must be after 0");
    }
    return 0;
}

static int check_event(const reader_t *self, const row_t *row)
{
    const char *text = row->csv->fields[SPOT_TRACE_COLUMN_EVENT];
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (row->kind == ROW_UNKNOWN) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_EVENT,
            "event: expected init, preempt, add, stop or end, got '%s'",
            spot_csv_shown(text, shown));
    }
    if (self->num_rows == 0 && row->kind != ROW_INIT) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_EVENT, "event: the first row must be init");
    }
    if (self->has_init && row->kind == ROW_INIT) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_EVENT, "event: second init");
    }
    if (self->has_end) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_EVENT, "event: row after end");
    }
    if ((row->kind == ROW_PREEMPT || row->kind == ROW_STOP) && self->has_add &&
        row->time_ms == self->time_ms) {
        return ROW_ERROR(
            self, row, SPOT_TRACE_COLUMN_EVENT, "event: %s after add at the same time", text);
    }
    return 0;
}

static int check_population(const reader_t *self, row_t *row)
{
    const int64_t capacity = self->trace->capacity;

    switch (row->kind) {
        case ROW_INIT:
            row->population = row->count;
            break;
        case ROW_ADD:
            row->population = self->population + row->count;
            break;
        case ROW_END:
            row->population = self->population;
            break;
        default:
            row->population = self->population - row->count;
    }
    if (self->is_doubtful) {
        return 0;
    }
    if (row->population < 0) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_COUNT,
            "count: population would fall to %" PRId64, row->population);
    }
    if (row->population > capacity) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_COUNT,
            "count: population %" PRId64 " exceeds the capacity %" PRId64, row->population,
            capacity);
    }
    if (row->kind == ROW_END && row->count != row->population) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_COUNT,
            "count: end says %" PRId64 ", the population is %" PRId64, row->count, row->population);
    }
    return 0;
}

static int check_count(const reader_t *self, row_t *row)
{
    const char *text = row->csv->fields[SPOT_TRACE_COLUMN_COUNT];
    const int64_t least = row->kind == ROW_INIT || row->kind == ROW_END ? 0 : 1;
    const bool is_unsigned = *text >= '0' && *text <= '9';
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (!is_unsigned || spot_integer_parse(text, &row->count) != 0 || row->count < least ||
        row->count > INT32_MAX) {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_COUNT,
            "count: expected an integer from %" PRId64 " to 2147483647, got '%s'", least,
            spot_csv_shown(text, shown));
    }
    return check_population(self, row);
}

static int check_instances(reader_t *self, const row_t *row)
{
    if (!self->header.has_kind) {
        return 0;
    }
    if (self->trace->kind == SPOT_TRACE_NAMED) {
        return spot_trace_instances_check(&self->instances, row->csv,
            row->kind == ROW_END ? 0 : row->count, is_arrival(row), self->is_doubtful);
    }
    if (row->csv->fields[SPOT_TRACE_COLUMN_INSTANCES][0] != '\0') {
        return ROW_ERROR(self, row, SPOT_TRACE_COLUMN_INSTANCES,
            "instances: names are only allowed in kind named");
    }
    return 0;
}

static int apply_row(reader_t *self, const row_t *row)
{
    spot_trace_t *trace = self->trace;
    int ret = 0;

    if (row->kind == ROW_INIT) {
        trace->initial = (int32_t) row->count;
    } else if (row->kind == ROW_END) {
        trace->end_ms = row->time_ms;
        trace->final = (int32_t) row->count;
        self->has_end = true;
    } else {
        ret = SPOT_ARRAY_APPEND(trace, events,
            (spot_event_t){.time_ms = row->time_ms,
                .kind = (spot_event_kind_t) row->kind,
                .count = (int32_t) row->count});
    }
    if (ret == 0 && row->kind != ROW_END && self->header.has_kind &&
        trace->kind == SPOT_TRACE_NAMED) {
        spot_trace_instances_apply(&self->instances, row->count, is_arrival(row));
    }
    self->has_add = row->kind == ROW_ADD || (self->has_add && row->time_ms == self->time_ms);
    self->time_ms = row->time_ms;
    self->population = row->population;
    if (trace->resolution_ms > 0 && row->time_ms % trace->resolution_ms != 0) {
        if (self->num_irregular++ == 0) {
            self->irregular_line = row->csv->line;
            self->irregular_ms = row->time_ms;
        }
    }
    return ret;
}

static int read_row(reader_t *self, const spot_csv_row_t *csv)
{
    row_t row = {.csv = csv};
    int ret;

    if (csv->num_fields != SPOT_NUM_TRACE_COLUMNS) {
        const bool is_long = csv->num_fields > SPOT_NUM_TRACE_COLUMNS;

        return spot_diag_error(self->diag, self->file, csv->line,
            is_long ? csv->columns[SPOT_NUM_TRACE_COLUMNS] : csv->num_bytes + 1,
            "expected 4 fields, got %zu", csv->num_fields);
    }
    row.kind = find_kind(csv->fields[SPOT_TRACE_COLUMN_EVENT]);
    ret = check_time(self, &row);
    ret = ret == 0 ? check_event(self, &row) : ret;
    ret = ret == 0 ? check_count(self, &row) : ret;
    ret = ret == 0 ? check_instances(self, &row) : ret;
    self->has_init |= row.kind == ROW_INIT;
    return ret == 0 ? apply_row(self, &row) : ret;
}

/* Takes a line after the header; is_good is false if its bytes have been reported.
 * Returns 0 also for a row that is reported. */
static int take_line(reader_t *self, const spot_csv_row_t *csv, bool is_good)
{
    int ret = is_good ? 0 : SPOT_ERR_BAD_INPUT;

    if (csv->is_comment || (is_good && csv->num_fields == 0)) {
        if (is_good) {
            spot_diag_error(self->diag, self->file, csv->line, 1,
                csv->is_comment ? "comment after the column row" : "empty line");
        }
        return 0;
    }
    if (is_good) {
        ret = read_row(self, csv);
    }
    if (ret == 0 || ret == SPOT_ERR_BAD_INPUT) {
        self->is_faulty = ret != 0;
        self->is_doubtful |= self->is_faulty;
        self->num_rows++;
        ret = 0;
    }
    return ret;
}

static int read_rows(reader_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int ret = 0;

    while (ret == 0) {
        const int found = spot_csv_next(csv, &row);

        if (found == 0) {
            break;
        }
        ret = found == 1 || found == SPOT_ERR_BAD_INPUT ? take_line(self, &row, found == 1) : found;
    }
    /* A faulty last row may be the end. */
    if (ret == 0 && !self->has_end && !self->is_faulty) {
        spot_diag_error(self->diag, self->file, row.line, 1, "missing end row");
    }
    return ret;
}

/* Reports irregular times: an error if is_strict; a warning only if the trace is
 * accepted. */
static void report_irregular(const reader_t *self, bool is_strict, bool is_accepted)
{
    char time[SPOT_TRACE_TIME_BYTES], text[160];

    spot_trace_time_text(self->irregular_ms, time);
    snprintf(text, sizeof(text), "time_s: %s is no multiple of resolution_s, %zu of %zu rows", time,
        self->num_irregular, self->num_rows);
    if (self->num_irregular > 0 && is_strict) {
        spot_diag_error(self->diag, self->file, self->irregular_line, 1, "%s", text);
    } else if (self->num_irregular > 0 && is_accepted) {
        spot_diag_warn(self->diag, self->file, self->irregular_line, 1, "%s", text);
    }
}

static int read_csv(spot_trace_t *trace, spot_csv_t *csv, bool is_strict, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    reader_t self = {.trace = trace, .file = spot_csv_file(csv), .diag = diag};
    int ret;

    spot_trace_instances_init(&self.instances, trace, self.file, diag);
    ret = read_header(&self.header, trace, csv, diag);
    if (ret == 1) {
        self.is_doubtful = !self.header.has_columns;
        self.num_rows = !self.header.has_columns; /* that line may be the first row */
        ret = read_rows(&self, csv);
    }
    if (ret == 0) {
        report_irregular(&self, is_strict, diag->num_errors == num_errors);
        ret = diag->num_errors == num_errors ? 0 : SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0) {
        spot_trace_instances_finish(&self.instances);
    }
    spot_trace_instances_free(&self.instances);
    return ret;
}

/* Reads csv, whose opening returned ret, and closes it. */
static int read_opened(
    spot_trace_t *self, spot_csv_t *csv, int ret, bool is_strict, spot_diag_t *diag)
{
    spot_trace_init(self);
    ret = ret == 0 ? read_csv(self, csv, is_strict, diag) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

int spot_trace_read(spot_trace_t *self, const char *path, bool is_strict, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    const int ret = spot_csv_open(&csv, path, diag);

    return read_opened(self, csv, ret, is_strict, diag);
}

int spot_trace_read_bytes(spot_trace_t *self, const char *file, const char *bytes, size_t num_bytes,
    bool is_strict, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    const int ret = spot_csv_open_bytes(&csv, file, bytes, num_bytes, diag);

    return read_opened(self, csv, ret, is_strict, diag);
}

int spot_trace_least_most(const spot_node_t *paths, int64_t *most, spot_diag_t *diag)
{
    int ret = 0;

    *most = 0;
    for (size_t j = 0; ret == 0 && paths != NULL && j < paths->num_children; j++) {
        char *path = spot_node_file_path(paths->children[j]);
        spot_trace_t trace;

        spot_trace_init(&trace);
        ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_trace_read(&trace, path, false, diag);
        if (ret == 0 && (j == 0 || spot_trace_most(&trace) < *most)) {
            *most = spot_trace_most(&trace);
        }
        spot_trace_free(&trace);
        free(path);
    }
    return ret;
}
