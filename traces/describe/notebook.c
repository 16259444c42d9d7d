/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/notebook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/trace.h"

/* Squares of durations in ms do not fit into 64 bits. */
__extension__ typedef __int128 wide_t;

const spot_notebook_figure_t spot_notebook_figures[SPOT_NOTEBOOK_FIGURES] = {
    {"mttp_s", "s", "mean gap between any two changes of the count"},
    {"ttp_sd_s", "s", "their standard deviation (n - 1)"},
    {"preempted_per_min", "1/min", "instances preempted a minute"},
    {"added_per_min", "1/min", "instances added a minute, net of losses in the row"},
    {"p_preempt_per_min", "", "preemption events a minute"},
    {"p_add_per_min", "", "rises of the count a minute"},
    {"p_big_add", "", "share of the rises above 10"},
    {"p_regular_add", "", "share of the others"},
    {"regular_add_mean", "instances", "mean of the rises up to 10"},
    {"regular_add_sd", "instances", "their standard deviation (n - 1)"},
    {"preempt_count_mean", "instances", "mean size of a preemption"},
    {"preempt_count_sd", "instances", "its standard deviation (n - 1)"},
};

/* Number, sum and sum of squares of integers. */
typedef struct {
    int64_t num;
    int64_t sum;
    wide_t sum_squares;
} sums_t;

static void take(sums_t *self, int64_t value)
{
    self->num++;
    self->sum += value;
    self->sum_squares += (wide_t) value * value;
}

/* The exact sums from which the figures follow. */
typedef struct {
    int64_t span_ms;
    sums_t gaps_ms;
    sums_t preempted;
    sums_t added;
    sums_t regular;
} integers_t;

static void take_rise(integers_t *self, int64_t rise)
{
    if (rise > 0) {
        take(&self->added, rise);
    }
    if (rise > 0 && rise <= SPOT_NOTEBOOK_MAX_REGULAR) {
        take(&self->regular, rise);
    }
}

static double ratio(wide_t dividend, int64_t divisor)
{
    return divisor > 0 ? (double) dividend / (double) divisor : (double) NAN;
}

/* sqrt((n sum x^2 - (sum x)^2) / (n (n - 1))), for x counted in units of 1/per. */
static double deviation(const sums_t *self, int64_t per)
{
    const wide_t bracket = self->num * self->sum_squares - (wide_t) self->sum * self->sum;
    const wide_t divisor = (wide_t) self->num * (self->num - 1) * per * per;

    return divisor > 0 ? sqrt((double) bracket / (double) divisor) : (double) NAN;
}

static void fill(spot_notebook_t *self, const integers_t *integers)
{
    const integers_t *in = integers;
    const double values[SPOT_NOTEBOOK_FIGURES] = {
        ratio(in->gaps_ms.sum, in->gaps_ms.num * SPOT_MS_PER_S),
        deviation(&in->gaps_ms, SPOT_MS_PER_S),
        ratio((wide_t) in->preempted.sum * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->added.sum * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->preempted.num * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->added.num * SPOT_MS_PER_MIN, in->span_ms),
        ratio(in->added.num - in->regular.num, in->added.num),
        ratio(in->regular.num, in->added.num),
        ratio(in->regular.sum, in->regular.num),
        deviation(&in->regular, 1),
        ratio(in->preempted.sum, in->preempted.num),
        deviation(&in->preempted, 1),
    };

    memcpy(self->values, values, sizeof(values));
}

int spot_notebook_init(spot_notebook_t *self, const spot_trace_t *trace)
{
    integers_t integers = {.span_ms = trace->end_ms};
    int64_t row_ms = 0;
    spot_bulks_t bulks;
    const int ret = spot_bulks_init(&bulks, trace);

    for (size_t j = 0; j < bulks.num_bulks;) {
        const int64_t time_ms = bulks.bulks[j].time_ms;
        int64_t rise = 0;

        for (; j < bulks.num_bulks && bulks.bulks[j].time_ms == time_ms; j++) {
            const spot_bulk_t *bulk = &bulks.bulks[j];

            rise += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
            if (bulk->kind == SPOT_EVENT_PREEMPT) {
                take(&integers.preempted, bulk->size);
            }
        }
        if (rise != 0 && time_ms > 0) { /* changes at 0 are in the first row */
            take(&integers.gaps_ms, time_ms - row_ms);
            take_rise(&integers, rise);
            row_ms = time_ms;
        }
    }
    fill(self, &integers);
    spot_bulks_free(&bulks);
    return ret;
}

void spot_notebook_init_logs(spot_notebook_t *self, const spot_stamped_counts_t *nodes,
    const spot_stamped_counts_t *terminations)
{
    integers_t integers = {0};

    for (size_t j = 1; j < nodes->num_rows; j++) {
        const spot_stamped_count_t *row = &nodes->rows[j], *before = row - 1;

        take(&integers.gaps_ms, (row->time_s - before->time_s) * SPOT_MS_PER_S);
        take_rise(&integers, (int64_t) row->count - before->count);
    }
    for (size_t j = 0; j < terminations->num_rows; j++) {
        if (terminations->rows[j].count > 0) {
            take(&integers.preempted, terminations->rows[j].count);
        }
    }
    integers.span_ms = integers.gaps_ms.sum;
    fill(self, &integers);
}

void spot_notebook_print(const spot_notebook_t *self, FILE *out)
{
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        char text[SPOT_NUMBER_TEXT_BYTES] = "-";

        if (!isnan(self->values[j])) {
            spot_number_text(self->values[j], text);
        }
        fprintf(out, "%s %s\n", spot_notebook_figures[j].name, text);
    }
}

void spot_notebook_write_json(
    const spot_notebook_t *self, const char *name, spot_json_t *json, const char *key)
{
    spot_json_open(json, key, '{');
    spot_json_text(json, "trace", name);
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        spot_json_number(json, spot_notebook_figures[j].name, self->values[j]);
    }
    spot_json_close(json, '}');
}

/* State of reading one file. */
typedef struct {
    spot_stamped_counts_t *counts;
    const char *file;
    const char *column;
    size_t min_rows;
    size_t num_fields; /* of every row; 0: the row of columns is not read yet */
    spot_diag_t *diag;
} reader_t;

static bool is_columns(const spot_csv_row_t *row, const char *column)
{
    return !row->is_comment && row->num_fields >= 2 &&
           strcmp(row->fields[row->num_fields - 2], "timestamp") == 0 &&
           strcmp(row->fields[row->num_fields - 1], column) == 0;
}

bool spot_stamped_counts_is_file(const char *path, const char *column)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    spot_diag_t diag;
    bool is_file;

    spot_diag_init(&diag);
    is_file = spot_csv_open(&csv, path, &diag) == 0 && spot_csv_next(csv, &row) == 1 &&
              is_columns(&row, column);
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return is_file;
}

static int read_row(reader_t *self, const spot_csv_row_t *row)
{
    const size_t time_id = self->num_fields - 2, count_id = self->num_fields - 1;
    spot_stamped_counts_t *counts = self->counts;
    int64_t time_s, count;
    const int ret = spot_csv_check_row(row, self->num_fields, self->file, self->diag);

    if (ret != 0) {
        return ret;
    }
    if (!spot_timestamp_parse(row->fields[time_id], &time_s)) {
        return spot_csv_expected(
            row, time_id, self->file, "timestamp", "YYYY-MM-DDThh:mm:ssZ", self->diag);
    }
    if (counts->num_rows > 0 && time_s < counts->rows[counts->num_rows - 1].time_s) {
        return spot_csv_expected(row, time_id, self->file, "timestamp",
            "a time not before the previous row", self->diag);
    }
    if (spot_integer_parse(row->fields[count_id], &count) != 0 || count < 0 || count > INT32_MAX) {
        return spot_csv_expected(
            row, count_id, self->file, self->column, "an integer from 0", self->diag);
    }
    return SPOT_ARRAY_APPEND(counts, rows, (spot_stamped_count_t){time_s, (int32_t) count});
}

static int read_columns(reader_t *self, const spot_csv_row_t *row)
{
    if (!is_columns(row, self->column)) {
        return spot_diag_error(self->diag, self->file, row->line, 1,
            "expected the columns timestamp,%s", self->column);
    }
    self->num_fields = row->num_fields;
    return 0;
}

static int read_rows(reader_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int found, ret = 0;

    while ((found = spot_csv_next(csv, &row)) != 0) {
        if (found == 1 && self->num_fields == 0) {
            found = read_columns(self, &row);
            if (found != 0) {
                return found;
            }
        } else if (found == 1) {
            found = read_row(self, &row);
        }
        if (found == SPOT_ERR_BAD_INPUT) {
            ret = found;
        } else if (found < 0) {
            return found;
        }
    }
    if (ret == 0 && self->num_fields == 0) {
        ret = spot_diag_error(
            self->diag, self->file, row.line, 1, "expected the columns timestamp,%s", self->column);
    } else if (ret == 0 && self->counts->num_rows < self->min_rows) {
        ret = spot_diag_error(self->diag, self->file, row.line, 1, "expected at least one row");
    }
    return ret;
}

int spot_stamped_counts_read(spot_stamped_counts_t *self, const char *path, const char *column,
    size_t min_rows, spot_diag_t *diag)
{
    reader_t reader = {
        .counts = self, .file = path, .column = column, .min_rows = min_rows, .diag = diag};
    spot_csv_t *csv = NULL;
    int ret = spot_csv_open(&csv, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? read_rows(&reader, csv) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

void spot_stamped_counts_free(spot_stamped_counts_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
