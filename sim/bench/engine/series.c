/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/watch.h"

/* ---- Series ---- */

const char *const spot_column_kind_names[SPOT_NUM_COLUMN_KINDS + 1] = {
    [SPOT_COLUMN_INSTANT] = "instant",
    [SPOT_COLUMN_DURATION] = "duration",
    [SPOT_COLUMN_COUNT] = "count",
    [SPOT_COLUMN_NUMBER] = "number",
    [SPOT_COLUMN_CATEGORY] = "category",
    [SPOT_COLUMN_TEXT] = "text",
};

const char *const spot_series_shape_names[SPOT_NUM_SERIES_SHAPES + 1] = {
    [SPOT_SERIES_TABLE] = "table",
    [SPOT_SERIES_LEVELS] = "levels",
    [SPOT_SERIES_EVENTS] = "events",
    [SPOT_SERIES_CURVE] = "curve",
    [SPOT_SERIES_SPANS] = "spans",
    [SPOT_SERIES_CDF] = "cdf",
    [SPOT_SERIES_SHOWN_TABLE] = "shown table",
    [SPOT_SERIES_LONG_TABLE] = "long table",
};

const char *spot_series_column_unit(
    const spot_series_kind_t *kind, const spot_series_column_t *column)
{
    if (column->kind > SPOT_COLUMN_DURATION) {
        return column->unit;
    }
    return kind->ticks_per_s == 1 ? "s" : kind->ticks_per_s == 1000 ? "ms" : "ns";
}

int spot_recording_init(
    spot_recording_t *self, size_t num_series, const spot_series_kind_t *const *kinds)
{
    memset(self, 0, sizeof(*self));
    self->series = spot_calloc(num_series, sizeof(*self->series));
    if (self->series == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_series = num_series;
    for (size_t j = 0; j < num_series; j++) {
        self->series[j].kind = kinds[j];
    }
    return 0;
}

int spot_recording_name(
    spot_recording_t *self, const char *name, uint64_t seed, uint64_t replication)
{
    if (self->note[0] == '\0') {
        snprintf(self->note, sizeof(self->note), "seed %" PRIu64 ", replication %" PRIu64, seed,
            replication);
    }
    if (self->title == NULL && name != NULL) {
        self->title = spot_text_copy(name, strlen(name));
        return self->title == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    return 0;
}

void spot_recording_free(spot_recording_t *self)
{
    for (size_t j = 0; self->series != NULL && j < self->num_series; j++) {
        free(self->series[j].cells);
        free(self->series[j].texts);
    }
    spot_arena_free(&self->kept);
    free(self->series);
    free(self->title);
    memset(self, 0, sizeof(*self));
}

static bool is_text(const spot_series_t *self, size_t column_id)
{
    return self->kind->columns[column_id].kind >= SPOT_COLUMN_CATEGORY;
}

double spot_series_bytes(const spot_series_kind_t *kind, double num_rows)
{
    return spot_array_bytes(num_rows * (double) kind->num_columns, sizeof(spot_cell_t));
}

int spot_series_add(spot_series_t *self, const spot_cell_t *cells)
{
    const size_t num_columns = self->kind->num_columns;
    const size_t num_cells = self->num_rows * num_columns;
    size_t num_text_bytes = 0;
    int ret;

    for (size_t j = 0; j < num_columns; j++) {
        num_text_bytes += is_text(self, j) ? strlen(cells[j].text) + 1 : 0;
    }
    ret = spot_array_reserve(&self->texts, &self->max_text_bytes,
        self->num_text_bytes + num_text_bytes, sizeof(*self->texts));
    if (ret == 0) {
        ret = SPOT_ARRAY_ROOM(self, cells, num_cells + num_columns);
    }
    if (ret != 0 || spot_stop_is_due(self->num_rows)) {
        return ret != 0 ? ret : SPOT_ERR_INTERRUPTED;
    }
    for (size_t j = 0; j < num_columns; j++) {
        self->cells[num_cells + j] = cells[j];
        if (is_text(self, j)) { /* an offset, because the texts may move */
            const size_t num_bytes = strlen(cells[j].text) + 1;

            self->cells[num_cells + j].integer = (int64_t) self->num_text_bytes;
            memcpy(self->texts + self->num_text_bytes, cells[j].text, num_bytes);
            self->num_text_bytes += num_bytes;
        }
    }
    self->num_rows++;
    return 0;
}

spot_series_column_t spot_series_column_of(const spot_row_member_t *member)
{
    const bool has_text = member->kind == SPOT_MEMBER_TEXT;

    return (spot_series_column_t){.name = member->name,
        .unit = has_text ? "" : "1",
        .kind = has_text ? SPOT_COLUMN_TEXT : SPOT_COLUMN_NUMBER,
        .is_bare = true};
}

spot_cell_t spot_series_cell_of(const spot_row_member_t *member, const void *row)
{
    const char *text;

    if (member->kind != SPOT_MEMBER_TEXT) {
        return (spot_cell_t){.number = spot_member_number(member, row)};
    }
    text = *(const char *const *) (const void *) ((const char *) row + member->offset);
    return (spot_cell_t){.text = text == NULL ? "" : text};
}

int spot_series_add_open(spot_series_t *self, size_t num, const int64_t *ends)
{
    int32_t *order = spot_calloc(4 * num, sizeof(*order));
    int64_t num_open = 0;
    int ret = order == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0) {
        ret = spot_order_integers(ends, 2 * num, order, order + 2 * num);
    }
    for (size_t j = 0; ret == 0 && j < 2 * num; j++) {
        const int64_t at = ends[order[j]];

        num_open += order[j] % 2 == 0 ? 1 : -1;
        if (j + 1 == 2 * num || ends[order[j + 1]] != at) {
            ret = spot_series_add(
                self, (const spot_cell_t[]){{.integer = at}, {.number = (double) num_open}});
        }
    }
    free(order);
    return ret;
}

const char *spot_series_text(const spot_series_t *self, size_t row_id, size_t column_id)
{
    const spot_cell_t *cell = &self->cells[row_id * self->kind->num_columns + column_id];

    spot_bug_assert(is_text(self, column_id));
    return self->texts + cell->integer;
}

void spot_series_verify(const spot_series_t *self)
{
    const size_t num_columns = self->kind->num_columns;
    const spot_series_shape_t shape = self->kind->shape;
    const bool has_order = shape >= SPOT_SERIES_LEVELS && shape <= SPOT_SERIES_CURVE;

    for (size_t j = 1; has_order && j < self->num_rows; j++) {
        spot_bug_assert(
            self->cells[(j - 1) * num_columns].integer <= self->cells[j * num_columns].integer);
    }
}

/* ---- Event log ---- */

void spot_event_log_init(spot_event_log_t *self)
{
    memset(self, 0, sizeof(*self));
}

void spot_event_log_free(spot_event_log_t *self)
{
    free(self->records);
    free(self->texts);
    memset(self, 0, sizeof(*self));
}

void spot_event_log_clear(spot_event_log_t *self)
{
    self->num_records = 0;
    self->num_text_bytes = 0;
    self->has_failed = 0;
}

/* The offset of the copy, or -1 for no text or no memory. */
static int32_t keep_text(spot_event_log_t *self, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    const size_t offset = self->num_text_bytes;

    if (offset + num_bytes > INT32_MAX ||
        spot_array_reserve(&self->texts, &self->max_text_bytes, offset + num_bytes, 1) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return -1;
    }
    memcpy(self->texts + offset, text, num_bytes);
    self->num_text_bytes += num_bytes;
    return (int32_t) offset;
}

void spot_event_log_add(spot_event_log_t *self, int64_t time_ms, int32_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const char *text)
{
    spot_log_record_t *record;

    if (SPOT_ARRAY_ROOM(self, records, self->num_records + 1) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    record = &self->records[self->num_records++];
    record->sequence = (int64_t) self->num_records;
    record->time_ms = time_ms;
    record->amount = 0;
    record->kind = kind;
    memcpy(record->values, values, sizeof(record->values));
    record->text_offset = text == NULL ? -1 : keep_text(self, text);
}

static int compare_records(const void *left, const void *right)
{
    const spot_log_record_t *a = left;
    const spot_log_record_t *b = right;

    if (a->time_ms != b->time_ms) {
        return a->time_ms < b->time_ms ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->sequence < b->sequence ? -1 : 1;
}

void spot_event_log_sort(spot_event_log_t *self)
{
    if (self->num_records > 0) {
        qsort(self->records, self->num_records, sizeof(*self->records), compare_records);
    }
}

const char *spot_event_log_text(const spot_event_log_t *self, const spot_log_record_t *record)
{
    return record->text_offset < 0 ? NULL : self->texts + record->text_offset;
}
