/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/csv.h"
#include "base/datetime.h"
#include "base/integers.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"

/* The fields of a row of a canonical trace file. */
enum {
    TRACE_COLUMN_TIME,
    TRACE_COLUMN_EVENT,
    TRACE_COLUMN_COUNT,
    TRACE_COLUMN_INSTANCES,
    NUM_TRACE_COLUMNS
};

/* ---- The trace in memory, its words and numbers ---- */

const char *const spot_trace_kind_names[] = {"named", "counts", "availability", NULL};
const char *const spot_event_kind_names[] = {"preempt", "add", "stop", NULL};

void spot_trace_free(spot_trace_t *self)
{
    spot_keys_free(&self->header);
    for (size_t j = 0; j < self->num_names; j++) {
        free(self->names[j]);
    }
    free(self->events);
    free(self->names);
    free(self->name_ids);
    memset(self, 0, sizeof(*self));
}

const char *spot_trace_key(const spot_trace_t *self, const char *key)
{
    return spot_keys_find(&self->header, key);
}

int32_t spot_trace_peak(const spot_trace_t *self)
{
    int32_t population = self->initial, peak = self->initial;

    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];

        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        peak = population > peak ? population : peak;
    }
    return peak;
}

int32_t spot_trace_most(const spot_trace_t *self)
{
    return self->capacity != SPOT_UNBOUNDED ? self->capacity : spot_trace_peak(self);
}

bool spot_trace_is_name(const char *text, size_t num_bytes)
{
    bool is_good = num_bytes >= 1 && num_bytes <= SPOT_NAME_BYTES;

    for (size_t j = 0; j < num_bytes && is_good; j++) {
        const unsigned char byte = (unsigned char) text[j];

        is_good = byte > ' ' && byte != ',' && byte != '"' && byte != 0x7f;
    }
    return is_good;
}

bool spot_trace_start_is(const char *value)
{
    return strcmp(value, "unknown") == 0 || spot_datetime_is(value);
}

int spot_trace_time_parse(const char *text, int64_t *time_ms)
{
    const int64_t limit = SPOT_MAX_DURATION_MS / SPOT_MS_PER_S;
    const char *byte = text;
    int64_t time = 0;

    for (; *byte >= '0' && *byte <= '9'; byte++) {
        time = 10 * time + (*byte - '0');
        if (time > limit) {
            return SPOT_ERR_BAD_INPUT;
        }
    }
    if (byte == text) {
        return SPOT_ERR_BAD_INPUT;
    }
    time *= 1000;
    if (*byte == '.') {
        const char *fraction = ++byte;

        for (int64_t unit = 100; unit > 0 && *byte >= '0' && *byte <= '9'; unit /= 10) {
            time += unit * (*byte++ - '0');
        }
        if (byte == fraction) {
            return SPOT_ERR_BAD_INPUT;
        }
    }
    *time_ms = time;
    return *byte == '\0' ? 0 : SPOT_ERR_BAD_INPUT;
}

size_t spot_trace_time_text(int64_t time_ms, char text[SPOT_TRACE_TIME_BYTES])
{
    const int ms = (int) (time_ms % 1000);
    size_t num_bytes = (size_t) snprintf(text, SPOT_TRACE_TIME_BYTES, "%" PRId64, time_ms / 1000);

    if (ms != 0) {
        num_bytes +=
            (size_t) snprintf(text + num_bytes, SPOT_TRACE_TIME_BYTES - num_bytes, ".%03d", ms);
        while (text[num_bytes - 1] == '0') {
            text[--num_bytes] = '\0';
        }
    }
    return num_bytes;
}

void spot_trace_print_state(const spot_trace_t *self, FILE *out)
{
    fprintf(out,
        "trace %s: capacity %" PRId32 ", resolution %" PRId64 " ms, initial %" PRId32
        ", %zu events, %zu names, end %" PRId64 " ms, final %" PRId32 "\n",
        spot_trace_kind_names[self->kind], self->capacity, self->resolution_ms, self->initial,
        self->num_events, self->num_names, self->end_ms, self->final);
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];

        fprintf(out, "  %" PRId64 " ms %s %" PRId32 "\n", event->time_ms,
            spot_event_kind_names[event->kind], event->count);
    }
}

static void verify_events(const spot_trace_t *self)
{
    int64_t population = self->initial, time_ms = 0;
    bool has_add = false;

    spot_bug_assert(population >= 0 && population <= self->capacity);
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];
        const bool is_add = event->kind == SPOT_EVENT_ADD;

        spot_bug_assert(event->time_ms >= time_ms && event->count >= 1);
        spot_bug_assert(is_add || event->time_ms > time_ms || !has_add);
        has_add = is_add;
        time_ms = event->time_ms;
        population += is_add ? event->count : -event->count;
        spot_bug_assert(population >= 0 && population <= self->capacity);
    }
    spot_bug_assert(self->end_ms > 0 && self->end_ms >= time_ms);
    spot_bug_assert(self->final == population);
}

/* All names of one row have the state is_before and change it. */
static void verify_ids(
    const spot_trace_t *self, const int32_t *ids, int32_t count, bool is_before, bool *is_running)
{
    for (int32_t j = 0; j < count; j++) {
        spot_bug_assert(ids[j] >= 0 && (size_t) ids[j] < self->num_names);
        spot_bug_assert(is_running[ids[j]] == is_before);
        is_running[ids[j]] = !is_before;
    }
}

static void verify_distinct(const spot_trace_t *self)
{
    spot_names_t names = {0};
    int32_t name_id = 0;

    for (size_t j = 0; j < self->num_names; j++) {
        const size_t num_bytes = strlen(self->names[j]);

        spot_bug_assert(spot_trace_is_name(self->names[j], num_bytes));
        if (spot_names_add(&names, self->names[j], num_bytes, &name_id) != 0) {
            break; /* out of memory: check no further */
        }
        spot_bug_assert((size_t) name_id == j);
    }
    spot_names_free(&names);
}

static void verify_names(const spot_trace_t *self)
{
    bool *is_running = spot_calloc(self->num_names, sizeof(*is_running));
    size_t num_ids = (size_t) self->initial;

    verify_distinct(self);
    if (is_running != NULL) {
        verify_ids(self, self->name_ids, self->initial, false, is_running);
        for (size_t j = 0; j < self->num_events; j++) {
            const spot_event_t *event = &self->events[j];

            spot_bug_assert(event->name_ids == self->name_ids + num_ids);
            verify_ids(
                self, event->name_ids, event->count, event->kind != SPOT_EVENT_ADD, is_running);
            num_ids += (size_t) event->count;
        }
        spot_bug_assert(num_ids == self->num_name_ids);
    }
    free(is_running);
}

void spot_trace_verify(const spot_trace_t *self)
{
    spot_bug_assert(self->kind >= SPOT_TRACE_NAMED && self->kind <= SPOT_TRACE_AVAILABILITY);
    spot_bug_assert(self->capacity > 0 && self->resolution_ms > 0);
    for (size_t j = 0; j < self->header.num_keys; j++) {
        spot_bug_assert(self->header.keys[j].key != NULL && self->header.keys[j].value != NULL);
    }
    verify_events(self);
    if (self->kind == SPOT_TRACE_NAMED) {
        verify_names(self);
    } else {
        spot_bug_assert(self->num_names == 0 && self->num_name_ids == 0);
        for (size_t j = 0; j < self->num_events; j++) {
            spot_bug_assert(self->events[j].name_ids == NULL);
        }
    }
}

/* Sum of the events of one kind at time_ms, which start at index first. */
static int32_t size_at(
    const spot_trace_t *trace, size_t first, int64_t time_ms, spot_event_kind_t kind)
{
    int32_t size = 0;

    for (size_t j = first; j < trace->num_events && trace->events[j].time_ms == time_ms; j++) {
        size += trace->events[j].kind == kind ? trace->events[j].count : 0;
    }
    return size;
}

int spot_bulks_init(spot_bulks_t *self, const spot_trace_t *trace)
{
    static const spot_event_kind_t order[] = {SPOT_EVENT_PREEMPT, SPOT_EVENT_STOP, SPOT_EVENT_ADD};
    int32_t population = trace->initial;
    size_t first = 0;

    memset(self, 0, sizeof(*self));
    self->bulks = spot_calloc(trace->num_events, sizeof(*self->bulks));
    if (self->bulks == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    while (first < trace->num_events) {
        const int64_t time_ms = trace->events[first].time_ms;

        for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
            const int32_t size = size_at(trace, first, time_ms, order[j]);

            if (size > 0) {
                self->bulks[self->num_bulks++] = (spot_bulk_t){time_ms, order[j], size, population};
                population += order[j] == SPOT_EVENT_ADD ? size : -size;
            }
        }
        while (first < trace->num_events && trace->events[first].time_ms == time_ms) {
            first++;
        }
    }
    return 0;
}

void spot_bulks_free(spot_bulks_t *self)
{
    free(self->bulks);
    memset(self, 0, sizeof(*self));
}

/* ---- The names of instances in rows ---- */

void spot_trace_instances_init(
    spot_trace_instances_t *self, spot_trace_t *trace, const char *file, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->trace = trace;
    self->file = file;
    self->diag = diag;
}

void spot_trace_instances_free(spot_trace_instances_t *self)
{
    spot_names_free(&self->names);
    free(self->states);
    memset(self, 0, sizeof(*self));
}

/* The next of the blank-separated names; *num_bytes is 0 after the last one. */
static const char *next_name(const char *text, size_t *num_bytes)
{
    text += strspn(text, " ");
    *num_bytes = strcspn(text, " ");
    return text;
}

static int64_t num_names_in(const char *text)
{
    int64_t num_names = 0;
    size_t num_bytes;

    for (text = next_name(text, &num_bytes); num_bytes > 0;
         text = next_name(text + num_bytes, &num_bytes)) {
        num_names++;
    }
    return num_names;
}

/* Sets name_id to the id of a name; a new name gets a state. */
static int find_name(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, int32_t *name_id)
{
    const size_t num_names = self->names.num_names;
    int ret = SPOT_ARRAY_ROOM(self, states, num_names + 1);

    ret = ret == 0 ? spot_names_add(&self->names, name, num_bytes, name_id) : ret;
    if (ret == 0 && self->names.num_names > num_names) {
        self->states[num_names] = (spot_instance_state_t){.is_running = false};
    }
    return ret;
}

/* Reports "instances: <before>'name'<behind>". */
static int report_name(const spot_trace_instances_t *self, const spot_csv_row_t *row,
    const char *name, size_t num_bytes, const char *before, const char *behind)
{
    const size_t offset = (size_t) (name - row->fields[TRACE_COLUMN_INSTANCES]);
    char text[SPOT_NAME_BYTES + 1], shown[SPOT_CSV_SHOWN_BYTES];

    num_bytes = num_bytes < SPOT_NAME_BYTES ? num_bytes : SPOT_NAME_BYTES;
    memcpy(text, name, num_bytes);
    text[num_bytes] = '\0';
    return spot_diag_error(self->diag, self->file, row->line,
        spot_csv_column_at(row, TRACE_COLUMN_INSTANCES, offset), "instances: %s'%s'%s", before,
        spot_csv_shown(text, shown), behind);
}

static int check_name(spot_trace_instances_t *self, const spot_csv_row_t *row, const char *name,
    size_t num_bytes, bool is_arrival, bool is_doubtful, int32_t *name_id)
{
    const char *problem = NULL;
    spot_instance_state_t *state;
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return report_name(self, row, name, num_bytes, "bad name ", "");
    }
    ret = find_name(self, name, num_bytes, name_id);
    if (ret != 0) {
        return ret;
    }
    state = &self->states[*name_id];
    if (state->line == row->line) {
        problem = " twice in one row";
    } else if (!is_doubtful && state->is_running == is_arrival) {
        problem = is_arrival ? " is already running" : " is not running";
    }
    state->line = row->line;
    return problem == NULL ? 0 : report_name(self, row, name, num_bytes, "", problem);
}

/* Checks the names of a row; with is_doubtful, not whether they run. Puts their ids
 * after those of trace, but does not count them yet. BAD_INPUT with the first error in
 * diag, NO_MEMORY. O(bytes) expected. */
static int trace_instances_check(spot_trace_instances_t *self, const spot_csv_row_t *row,
    int64_t num_expected, bool is_arrival, bool is_doubtful)
{
    const char *name = row->fields[TRACE_COLUMN_INSTANCES];
    const int64_t num_found = num_names_in(name);
    spot_trace_t *trace = self->trace;
    int32_t *name_id;
    size_t num_bytes;
    int ret;

    if (num_found != num_expected) {
        return spot_diag_error(self->diag, self->file, row->line,
            row->columns[TRACE_COLUMN_INSTANCES],
            "instances: expected %" PRId64 " names, got %" PRId64, num_expected, num_found);
    }
    ret = SPOT_ARRAY_ROOM(trace, name_ids, trace->num_name_ids + (size_t) num_found);
    for (int64_t j = 0; j < num_found && ret == 0; j++) {
        name_id = &trace->name_ids[trace->num_name_ids + (size_t) j];
        name = next_name(name, &num_bytes);
        ret = check_name(self, row, name, num_bytes, is_arrival, is_doubtful, name_id);
        name += num_bytes;
    }
    return ret;
}

/* Applies the row just checked: counts its ids, and count instances come or go. */
static void trace_instances_apply(spot_trace_instances_t *self, int64_t count, bool is_arrival)
{
    spot_trace_t *trace = self->trace;

    for (int64_t j = 0; j < count; j++) {
        const int32_t name_id = trace->name_ids[trace->num_name_ids++];

        self->states[name_id].is_running = is_arrival;
    }
}

int spot_trace_instances_take(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, bool is_arrival)
{
    spot_trace_t *trace = self->trace;
    int32_t name_id;
    int ret = SPOT_ARRAY_ROOM(trace, name_ids, trace->num_name_ids + 1);

    ret = ret == 0 ? find_name(self, name, num_bytes, &name_id) : ret;
    if (ret == 0 && self->states[name_id].is_running == is_arrival) {
        return 1;
    }
    if (ret == 0) {
        trace->name_ids[trace->num_name_ids] = name_id;
        trace_instances_apply(self, 1, is_arrival);
    }
    return ret;
}

void spot_trace_instances_finish(spot_trace_instances_t *self)
{
    spot_trace_t *trace = self->trace;
    const int32_t *name_ids = trace->name_ids;

    trace->num_names = self->names.num_names;
    trace->max_names = self->names.max_names;
    trace->names = self->names.names;
    self->names.names = NULL; /* it has gone over to the trace */
    self->names.num_names = 0;
    spot_names_free(&self->names);
    if (trace->num_name_ids > 0) {
        name_ids += trace->initial;
        for (size_t j = 0; j < trace->num_events; j++) {
            trace->events[j].name_ids = name_ids;
            name_ids += trace->events[j].count;
        }
    }
}

/* ---- Reading: the header ----
 * Reads a canonical trace file. A faulty row is not applied, and later
 * errors that it may have caused are not reported. */

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
    static const char *const columns[NUM_TRACE_COLUMNS] = {"time_s", "event", "count", "instances"};
    bool is_match = row->num_fields == NUM_TRACE_COLUMNS;

    for (size_t j = 0; j < NUM_TRACE_COLUMNS && is_match; j++) {
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

/* ---- Reading: the rows ---- */

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
    const char *text = row->csv->fields[TRACE_COLUMN_TIME];
    char shown[SPOT_CSV_SHOWN_BYTES];
    char time[SPOT_TRACE_TIME_BYTES], previous[SPOT_TRACE_TIME_BYTES];

    if (spot_trace_time_parse(text, &row->time_ms) != 0) {
        return ROW_ERROR(self, row, TRACE_COLUMN_TIME,
            "time_s: expected seconds with at most 3 decimals, got '%s'%s",
            spot_csv_shown(text, shown),
            spot_datetime_is(text) ? ", a date: count from the start of the trace" : "");
    }
    if (row->time_ms < self->time_ms && !self->is_doubtful) {
        spot_trace_time_text(row->time_ms, time);
        spot_trace_time_text(self->time_ms, previous);
        return ROW_ERROR(self, row, TRACE_COLUMN_TIME, "time_s: %s is before the previous row (%s)",
            time, previous);
    }
    if (row->kind == ROW_INIT && row->time_ms != 0) {
        return ROW_ERROR(self, row, TRACE_COLUMN_TIME, "time_s: init must be at 0");
    }
    if (row->kind == ROW_END && row->time_ms == 0) {
        return ROW_ERROR(self, row, TRACE_COLUMN_TIME, "time_s: end must be after 0");
    }
    return 0;
}

static int check_event(const reader_t *self, const row_t *row)
{
    const char *text = row->csv->fields[TRACE_COLUMN_EVENT];
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (row->kind == ROW_UNKNOWN) {
        return ROW_ERROR(self, row, TRACE_COLUMN_EVENT,
            "event: expected init, preempt, add, stop or end, got '%s'",
            spot_csv_shown(text, shown));
    }
    if (self->num_rows == 0 && row->kind != ROW_INIT) {
        return ROW_ERROR(self, row, TRACE_COLUMN_EVENT, "event: the first row must be init");
    }
    if (self->has_init && row->kind == ROW_INIT) {
        return ROW_ERROR(self, row, TRACE_COLUMN_EVENT, "event: second init");
    }
    if (self->has_end) {
        return ROW_ERROR(self, row, TRACE_COLUMN_EVENT, "event: row after end");
    }
    if ((row->kind == ROW_PREEMPT || row->kind == ROW_STOP) && self->has_add &&
        row->time_ms == self->time_ms) {
        return ROW_ERROR(
            self, row, TRACE_COLUMN_EVENT, "event: %s after add at the same time", text);
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
        return ROW_ERROR(self, row, TRACE_COLUMN_COUNT, "count: population would fall to %" PRId64,
            row->population);
    }
    if (row->population > capacity) {
        return ROW_ERROR(self, row, TRACE_COLUMN_COUNT,
            "count: population %" PRId64 " exceeds the capacity %" PRId64, row->population,
            capacity);
    }
    if (row->kind == ROW_END && row->count != row->population) {
        return ROW_ERROR(self, row, TRACE_COLUMN_COUNT,
            "count: end says %" PRId64 ", the population is %" PRId64, row->count, row->population);
    }
    return 0;
}

static int check_count(const reader_t *self, row_t *row)
{
    const char *text = row->csv->fields[TRACE_COLUMN_COUNT];
    const int64_t least = row->kind == ROW_INIT || row->kind == ROW_END ? 0 : 1;
    const bool is_unsigned = *text >= '0' && *text <= '9';
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (!is_unsigned || spot_integer_parse(text, &row->count) != 0 || row->count < least ||
        row->count > INT32_MAX) {
        return ROW_ERROR(self, row, TRACE_COLUMN_COUNT,
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
        return trace_instances_check(&self->instances, row->csv,
            row->kind == ROW_END ? 0 : row->count, is_arrival(row), self->is_doubtful);
    }
    if (row->csv->fields[TRACE_COLUMN_INSTANCES][0] != '\0') {
        return ROW_ERROR(
            self, row, TRACE_COLUMN_INSTANCES, "instances: names are only allowed in kind named");
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
        trace_instances_apply(&self->instances, row->count, is_arrival(row));
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

    if (csv->num_fields != NUM_TRACE_COLUMNS) {
        const bool is_long = csv->num_fields > NUM_TRACE_COLUMNS;

        return spot_diag_error(self->diag, self->file, csv->line,
            is_long ? csv->columns[NUM_TRACE_COLUMNS] : csv->num_bytes + 1,
            "expected 4 fields, got %zu", csv->num_fields);
    }
    row.kind = find_kind(csv->fields[TRACE_COLUMN_EVENT]);
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
    memset(self, 0, sizeof(*self));
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
        spot_trace_t trace = {0};

        ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_trace_read(&trace, path, false, diag);
        if (ret == 0 && (j == 0 || spot_trace_most(&trace) < *most)) {
            *most = spot_trace_most(&trace);
        }
        spot_trace_free(&trace);
        free(path);
    }
    return ret;
}

/* ---- The recorder ---- */

void spot_recorder_init(spot_recorder_t *self, int64_t tick_ms, bool is_net, int64_t population)
{
    spot_bug_assert(tick_ms > 0);
    *self = (spot_recorder_t){.tick_ms = tick_ms, .is_net = is_net, .population = population};
}

static size_t see(const spot_recorder_t *self, spot_event_kind_t kind, int64_t count,
    spot_event_t *seen, size_t num_seen)
{
    if (count > 0) {
        seen[num_seen++] = (spot_event_t){
            .time_ms = self->tick * self->tick_ms, .kind = kind, .count = (int32_t) count};
    }
    return num_seen;
}

/* Cancels count losses against as many additions, preemptions first. */
static void lower_losses(spot_recorder_t *self, int64_t count)
{
    const int64_t preempted = spot_smaller(self->preempted, count);

    self->preempted -= preempted;
    self->stopped -= count - preempted;
    self->added -= count;
}

size_t spot_recorder_finish(spot_recorder_t *self, spot_event_t seen[SPOT_RECORDER_EVENTS])
{
    const int64_t lost = self->preempted + self->stopped;
    size_t num_seen = 0;

    if (self->is_net) {
        lower_losses(self, spot_smaller(lost, self->added));
    } else if (lost > self->population) {
        lower_losses(self, lost - self->population); /* came and went within the tick */
    }
    num_seen = see(self, SPOT_EVENT_PREEMPT, self->preempted, seen, num_seen);
    num_seen = see(self, SPOT_EVENT_STOP, self->stopped, seen, num_seen);
    num_seen = see(self, SPOT_EVENT_ADD, self->added, seen, num_seen);
    self->population += self->added - self->preempted - self->stopped;
    self->preempted = self->stopped = self->added = 0;
    return num_seen;
}

size_t spot_recorder_take(spot_recorder_t *self, double time_ms, spot_event_kind_t kind,
    int64_t count, spot_event_t seen[SPOT_RECORDER_EVENTS])
{
    const int64_t tick = spot_tick_seeing(self->tick_ms, time_ms);
    size_t num_seen = 0;

    spot_bug_assert(tick >= self->tick);
    if (tick > self->tick) {
        num_seen = spot_recorder_finish(self, seen);
        self->tick = tick;
    }
    switch (kind) {
        case SPOT_EVENT_PREEMPT:
            self->preempted += count;
            break;
        case SPOT_EVENT_STOP:
            self->stopped += count;
            break;
        default:
            self->added += count;
    }
    return num_seen;
}

/* Appends the events that are seen up to the end. */
static int append(spot_trace_t *trace, const spot_event_t *seen, size_t num_seen)
{
    const int ret = SPOT_ARRAY_ROOM(trace, events, trace->num_events + num_seen);

    for (size_t j = 0; ret == 0 && j < num_seen; j++) {
        if (seen[j].time_ms <= trace->end_ms) {
            trace->events[trace->num_events++] = seen[j];
            trace->final += seen[j].kind == SPOT_EVENT_ADD ? seen[j].count : -seen[j].count;
        }
    }
    return ret;
}

/* Copies the keys of the trace, with resolution_s and kind of recorded. */
static int copy_keys(const spot_trace_t *trace, spot_trace_t *recorded)
{
    char resolution[SPOT_TRACE_TIME_BYTES];
    int ret = 0;

    spot_trace_time_text(recorded->resolution_ms, resolution);
    for (size_t j = 0; ret == 0 && j < trace->header.num_keys; j++) {
        const char *key = trace->header.keys[j].key;
        const char *value = strcmp(key, "resolution_s") == 0 ? resolution
                            : strcmp(key, "kind") == 0       ? spot_trace_kind_names[recorded->kind]
                                                             : trace->header.keys[j].value;

        ret = spot_keys_append(&recorded->header, key, strlen(key), value, strlen(value));
    }
    return ret;
}

int spot_recorder_trace(
    const spot_trace_t *trace, int64_t tick_ms, bool is_net, spot_trace_t *recorded)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    spot_recorder_t recorder;
    int ret;

    memset(recorded, 0, sizeof(*recorded));
    recorded->kind = trace->kind == SPOT_TRACE_NAMED ? SPOT_TRACE_COUNTS : trace->kind;
    recorded->capacity = trace->capacity;
    recorded->resolution_ms = tick_ms;
    recorded->initial = recorded->final = trace->initial;
    recorded->end_ms = trace->end_ms;
    ret = copy_keys(trace, recorded);
    spot_recorder_init(&recorder, tick_ms, is_net, trace->initial);
    for (size_t j = 0; ret == 0 && j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        ret = append(recorded, seen,
            spot_recorder_take(
                &recorder, (double) event->time_ms, event->kind, event->count, seen));
    }
    ret = ret == 0 ? append(recorded, seen, spot_recorder_finish(&recorder, seen)) : ret;
    return ret;
}
