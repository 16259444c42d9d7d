/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace_header.h"

#include <stdint.h>
#include <string.h>

#include "base/datetime.h"
#include "base/units.h"
#include "traces/file_header.h"

typedef struct {
    spot_trace_header_t *found;
    spot_trace_t *trace;
} target_t;

bool
spot_trace_start_is(const char *value)
{
    return strcmp(value, "unknown") == 0 || spot_datetime_is(value);
}

static bool
take_start(void *target, const char *value)
{
    (void) target;
    return spot_trace_start_is(value);
}

static bool
take_resolution(void *target, const char *value)
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

static bool
take_kind(void *target, const char *value)
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

static bool
take_capacity(void *target, const char *value)
{
    const target_t *self = target;
    int64_t capacity = SPOT_UNBOUNDED;

    if (strcmp(value, "unbounded") != 0 && (spot_integer_parse(value, &capacity) != 0 ||
                                               capacity <= 0 || capacity > INT32_MAX)) {
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
static bool
is_columns(const spot_csv_row_t *row)
{
    static const char *const columns[SPOT_NUM_TRACE_COLUMNS] = {
        "time_s", "event", "count", "instances"};
    bool is_match = row->num_fields == SPOT_NUM_TRACE_COLUMNS;

    for (size_t j = 0; j < SPOT_NUM_TRACE_COLUMNS && is_match; j++) {
        is_match = strcmp(row->fields[j], columns[j]) == 0;
    }
    return is_match;
}

int
spot_trace_header_read(
    spot_trace_header_t *self, spot_trace_t *trace, spot_csv_t *csv, spot_diag_t *diag)
{
    target_t target = {.found = self, .trace = trace};
    spot_file_header_t header = {
        .format = "spotsim-trace", .known = known_keys, .target = &target};
    spot_csv_row_t row;
    int ret;

    memset(self, 0, sizeof(*self));
    trace->capacity = SPOT_UNBOUNDED;
    ret = spot_file_header_read(&header, csv, &row, diag);
    trace->num_keys = header.num_keys;
    trace->max_keys = header.max_keys;
    trace->keys = header.keys;
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
