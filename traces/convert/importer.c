/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/importer.h"

#include <string.h>

#include "base/memory.h"
#include "base/units.h"

const spot_importer_t *const spot_importers[] = {
    &spot_importer_spotsim,
    &spot_importer_bamboo,
    &spot_importer_gcloud,
    &spot_importer_step,
    &spot_importer_skypilot,
    &spot_importer_parcae,
    &spot_importer_node_count,
    &spot_importer_lifetimes,
    &spot_importer_eventbridge,
    &spot_importer_ec2,
    &spot_importer_gcloud_operations,
    &spot_importer_azure_events,
    &spot_importer_kubernetes,
    &spot_importer_autoscaler,
    &spot_importer_prometheus,
    &spot_importer_skyjobs,
    &spot_importer_slurm,
    &spot_importer_mapping,
    NULL,
};

/* Handles one line of a file. Returns 1 if it has no record. */
static int take_line(spot_import_t *self, const spot_csv_row_t *row, int found,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    if (found != 1) {
        return found;
    }
    if (row->is_comment || row->num_fields == 0) {
        self->num_skipped++;
        return 1;
    }
    return take(state, row);
}

static int read_rows(spot_import_t *self, size_t input_id,
    int (*next)(spot_csv_t *csv, spot_csv_row_t *row),
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    const char *file = self->inputs[input_id].path;
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    size_t num_rows = 0;
    int found, ret = spot_record_input_csv(&self->inputs[input_id], &csv, self->diag);
    bool is_faulty = false;

    while (ret == 0 && (found = next(csv, &row)) != 0) {
        ret = take_line(self, &row, found, take, state);
        num_rows += ret != 1;
        is_faulty |= ret == SPOT_ERR_BAD_INPUT;
        self->is_doubtful |= is_faulty;
        ret = ret == 1 || ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
    }
    if (ret == 0 && num_rows == 0) {
        spot_diag_error(self->diag, file, row.line, 1, "expected at least one record");
        is_faulty = true;
    }
    spot_csv_close(csv);
    return ret == 0 && is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_import_rows(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    return read_rows(self, input_id, spot_csv_next, take, state);
}

/* A line without its fields. */
static int next_line(spot_csv_t *csv, spot_csv_row_t *row)
{
    const int ret = spot_csv_next_line(csv, row);

    row->is_comment = false;
    row->num_fields = ret == 1 && strspn(row->text, " \t") < row->num_bytes;
    return ret;
}

int spot_import_lines(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    return read_rows(self, input_id, next_line, take, state);
}

int spot_import_expected(const spot_import_t *self, size_t input_id, const spot_csv_row_t *row,
    size_t field_id, const char *field, const char *expected)
{
    return spot_csv_expected(
        row, field_id, self->inputs[input_id].path, field, expected, self->diag);
}

int spot_import_num_fields(
    const spot_import_t *self, size_t input_id, const spot_csv_row_t *row, size_t num_expected)
{
    return spot_csv_check_width(row, num_expected, self->inputs[input_id].path, self->diag);
}

int spot_import_count_parse(const char *text, int32_t *count)
{
    int64_t value;

    if (*text < '0' || *text > '9' || spot_integer_parse(text, &value) != 0 || value > INT32_MAX) {
        return SPOT_ERR_BAD_INPUT;
    }
    *count = (int32_t) value;
    return 0;
}

bool spot_import_time_parse(const spot_import_t *self, const char *text, int64_t *time_ms)
{
    const double unit_s = (double) self->unit_ms / SPOT_MS_PER_S;
    double time;

    return spot_number_parse(text, &time) == 0 && time >= 0 &&
           spot_duration_from_s(time * unit_s, time_ms) == 0;
}

void spot_import_note_time(spot_import_t *self, int64_t time_ms)
{
    int64_t divisor = self->gcd_ms;

    while (time_ms != 0) {
        const int64_t rest = divisor % time_ms;

        divisor = time_ms;
        time_ms = rest;
    }
    self->gcd_ms = divisor;
}

void spot_import_take_gcd(spot_import_t *self)
{
    self->resolution_s = (double) self->gcd_ms / SPOT_MS_PER_S;
}

void spot_import_note_error(spot_import_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

void spot_import_event(
    spot_import_t *self, int64_t time_ms, spot_event_kind_t kind, int32_t count, bool is_merged)
{
    spot_trace_t *trace = self->trace;
    spot_event_t *last = trace->num_events == 0 ? NULL : &trace->events[trace->num_events - 1];
    int ret;

    if (is_merged && last != NULL && last->time_ms == time_ms && last->kind == kind) {
        last->count += count;
        return;
    }
    ret = SPOT_ARRAY_APPEND(
        trace, events, (spot_event_t){.time_ms = time_ms, .kind = kind, .count = count});
    spot_import_note_error(self, ret);
}

static int refuse_instance(spot_import_t *self, size_t line, size_t column, const char *name,
    const char *before, const char *behind)
{
    char shown[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->inputs[0].path, line, column, "%s '%s'%s", before,
        spot_csv_shown(name, shown), behind);
    self->is_doubtful = true;
    return SPOT_ERR_BAD_INPUT;
}

int spot_import_instance(spot_import_t *self, size_t line, size_t column, const char *name,
    size_t num_bytes, bool is_arrival)
{
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return refuse_instance(self, line, column, name, "bad name", "");
    }
    ret = spot_trace_instances_take(&self->instances, name, num_bytes, is_arrival);
    if (ret == 1 && self->is_doubtful) {
        return SPOT_ERR_BAD_INPUT; /* may only follow from an earlier refusal */
    }
    if (ret == 1) {
        return refuse_instance(self, line, column, name, "name",
            is_arrival ? " is already running" : " is not running");
    }
    return ret;
}

int spot_import_arrive(
    spot_import_t *self, size_t line, size_t column, const char *name, size_t num_bytes)
{
    spot_import_arrival_t *arrival;
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return refuse_instance(self, line, column, name, "bad name", "");
    }
    ret = SPOT_ARRAY_ROOM(self, arrivals, self->num_arrivals + 1);
    if (ret == 0) {
        arrival = &self->arrivals[self->num_arrivals++];
        memcpy(arrival->name, name, num_bytes);
        arrival->name[num_bytes] = '\0';
        arrival->line = line;
        arrival->column = column;
    }
    return ret;
}

/* Drops the latest arrival of a name. Returns whether there is one. */
static bool drop_arrival(spot_import_t *self, const char *name)
{
    for (size_t j = self->num_arrivals; j > 0; j--) {
        if (strcmp(self->arrivals[j - 1].name, name) == 0) {
            memmove(&self->arrivals[j - 1], &self->arrivals[j],
                (self->num_arrivals - j) * sizeof(*self->arrivals));
            self->num_arrivals--;
            return true;
        }
    }
    return false;
}

int spot_import_leave(spot_import_t *self, int64_t time_ms, spot_event_kind_t kind, size_t line,
    size_t column, const char *name, size_t num_bytes)
{
    const int32_t name_id = spot_names_find(&self->instances.names, name, num_bytes);
    const bool is_running = name_id >= 0 && self->instances.states[name_id].is_running;
    int ret;

    if (!is_running && drop_arrival(self, name)) {
        self->num_lifeless++;
        return 0;
    }
    ret = spot_import_instance(self, line, column, name, num_bytes, false);
    if (ret == 0) {
        spot_import_event(self, time_ms, kind, 1, true);
    }
    return ret;
}

int spot_import_arrivals(spot_import_t *self, int64_t time_ms, bool is_initial)
{
    int32_t num_added = 0;
    int ret = 0;

    for (size_t j = 0; j < self->num_arrivals && ret == 0; j++) {
        const spot_import_arrival_t *arrival = &self->arrivals[j];

        ret = spot_import_instance(
            self, arrival->line, arrival->column, arrival->name, strlen(arrival->name), true);
        num_added += ret == 0;
        ret = ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
    }
    self->num_arrivals = 0;
    if (is_initial) {
        self->trace->initial = num_added;
    } else if (ret == 0 && num_added > 0) {
        spot_import_event(self, time_ms, SPOT_EVENT_ADD, num_added, true);
    }
    return ret;
}

void spot_import_key(spot_import_t *self, const char *key, const char *value)
{
    spot_import_key_bytes(self, key, value, strlen(value));
}

void spot_import_key_bytes(
    spot_import_t *self, const char *key, const char *value, size_t num_bytes)
{
    spot_import_note_error(self, spot_keys_set(&self->trace->header, key, value, num_bytes));
}

void spot_count_series_init(spot_count_series_t *self, spot_import_t *import)
{
    memset(self, 0, sizeof(*self));
    self->import = import;
}

/* Makes the latest sample final: the initial number, or an event. */
static void settle(spot_count_series_t *self)
{
    const int64_t change = (int64_t) self->count - self->before;

    if (self->num_samples <= 1) {
        self->import->trace->initial = self->count;
    } else if (change != 0) {
        spot_import_event(self->import, self->time_ms,
            change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT,
            (int32_t) (change > 0 ? change : -change), false);
    }
}

void spot_count_series_add(spot_count_series_t *self, int64_t time_ms, int32_t count)
{
    if (self->num_samples > 0 && time_ms == self->time_ms) {
        self->num_same_time++;
    } else {
        if (self->num_samples > 0) {
            settle(self);
        }
        self->before = self->count;
        self->num_samples++;
    }
    self->time_ms = time_ms;
    self->count = count;
}

void spot_count_series_finish(spot_count_series_t *self, int64_t end_ms)
{
    self->import->trace->end_ms = end_ms;
    settle(self);
}
