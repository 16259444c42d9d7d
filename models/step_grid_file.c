/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step times by (D,P) as people keep them: a CSV file with a row for each pair. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/units.h"
#include "models/step_grid.h"
#include "models/table_remark.h"

/* The first three are in every table, the others stand behind them in this order. */
enum {
    COLUMN_PIPELINES,
    COLUMN_DEPTH,
    COLUMN_STEP,
    COLUMN_SAMPLES,
    COLUMN_ORIGIN,
    NUM_COLUMNS
};

static const char *const column_names[NUM_COLUMNS] = {
    "D", "P", "step_ms", "samples_per_s", "origin"};
static const char *const origins[] = {"measured", "fitted"};

typedef struct {
    const char *path;
    spot_diag_t *diag;
    spot_step_grid_t *grid;
    size_t num_columns;        /* 0: they are still to come */
    size_t kinds[NUM_COLUMNS]; /* [num_columns] */
    bool is_faulty;
} table_file_t;

static void
report_field(
    table_file_t *self, const spot_csv_row_t *row, size_t id, const char *problem)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->path, row->line, row->columns[id],
        "%s: %s, got '%s'", column_names[self->kinds[id]], problem,
        spot_csv_shown(row->fields[id], text));
    self->is_faulty = true;
}

/* ---- Remarks ---- */

static void
read_remark(
    table_file_t *self, const spot_csv_row_t *row, const char *key, int64_t *value)
{
    if (!spot_table_remark_read(row, self->path, key, value, self->diag)) {
        self->is_faulty = true;
    }
}

static void
read_remarks(table_file_t *self, const spot_csv_row_t *row)
{
    if (self->num_columns == 0) {
        read_remark(self, row, "samples_per_step", &self->grid->samples_per_step);
        read_remark(self, row, "micro_batch", &self->grid->micro_batch);
        read_remark(self, row, "layers", &self->grid->num_layers);
    }
}

/* ---- Rows ---- */

static void
read_columns(table_file_t *self, const spot_csv_row_t *row)
{
    size_t id = 0;

    for (size_t kind = 0; kind < NUM_COLUMNS; kind++) {
        if (id < row->num_fields && strcmp(row->fields[id], column_names[kind]) == 0) {
            self->kinds[id++] = kind;
        }
    }
    self->num_columns = row->num_fields;
    if (id < row->num_fields || id <= COLUMN_STEP ||
        self->kinds[COLUMN_STEP] != COLUMN_STEP) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected the columns D,P,step_ms[,samples_per_s][,origin]");
        self->is_faulty = true;
    }
    self->grid->has_samples_per_s =
        id > COLUMN_SAMPLES && self->kinds[COLUMN_SAMPLES] == COLUMN_SAMPLES;
}

static void
read_count(table_file_t *self, const spot_csv_row_t *row, size_t id, int32_t *count)
{
    int64_t value = 0;
    char problem[64];

    if (spot_integer_parse(row->fields[id], &value) != 0 || value < 1 ||
        value > SPOT_MAX_INSTANCES) {
        snprintf(problem, sizeof(problem), "expected an integer from 1 to %d",
            SPOT_MAX_INSTANCES);
        report_field(self, row, id, problem);
    } else {
        *count = (int32_t) value;
    }
}

static void
read_step(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_step_pair_t *pair)
{
    if (row->fields[id][0] == '\0') {
        return;
    }
    if (spot_number_parse(row->fields[id], &pair->step_ms) != 0 ||
        pair->step_ms < SPOT_MIN_STEP_MS ||
        pair->step_ms > (double) SPOT_MAX_DURATION_MS) {
        report_field(self, row, id,
            "expected milliseconds from 0.5 to 100 years, or nothing where the pair is "
            "infeasible");
    }
}

/* What has a step time has a throughput: nobody is to guess it. */
static void
read_samples(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_step_pair_t *pair)
{
    const bool is_empty = row->fields[id][0] == '\0';

    if (is_empty && pair->step_ms == 0) {
        return;
    }
    if (spot_number_parse(row->fields[id], &pair->samples_per_s) != 0 ||
        pair->samples_per_s < 0) {
        report_field(self, row, id, "expected samples per second from 0");
    } else if (pair->samples_per_s > 0 && pair->step_ms == 0) {
        report_field(self, row, id, "expected none without a step_ms");
    } else if (pair->samples_per_s == 0) {
        pair->step_ms = 0;
    }
}

static void
read_origin(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_step_pair_t *pair)
{
    pair->is_fitted = strcmp(row->fields[id], origins[1]) == 0;
    if (!pair->is_fitted && strcmp(row->fields[id], origins[0]) != 0) {
        report_field(self, row, id, "expected measured or fitted");
    }
}

static void
read_field(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_step_pair_t *pair)
{
    switch (self->kinds[id]) {
        case COLUMN_PIPELINES:
            read_count(self, row, id, &pair->num_pipelines);
            break;
        case COLUMN_DEPTH:
            read_count(self, row, id, &pair->depth);
            break;
        case COLUMN_STEP:
            read_step(self, row, id, pair);
            break;
        case COLUMN_SAMPLES:
            read_samples(self, row, id, pair);
            break;
        default:
            read_origin(self, row, id, pair);
            break;
    }
}

static int
read_row(table_file_t *self, const spot_csv_row_t *row)
{
    const size_t num_errors = self->diag->num_errors;
    spot_step_pair_t pair = {.line = row->line};

    if (row->num_fields != self->num_columns) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "expected %zu columns, got %zu", self->num_columns, row->num_fields);
        self->is_faulty = true;
        return 0;
    }
    for (size_t id = 0; id < row->num_fields; id++) {
        read_field(self, row, id, &pair);
    }
    if (self->diag->num_errors > num_errors) {
        return 0;
    }
    if ((int64_t) pair.num_pipelines * pair.depth > SPOT_MAX_INSTANCES) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "D P: more than %d instances", SPOT_MAX_INSTANCES);
        self->is_faulty = true;
        return 0;
    }
    return spot_step_grid_add(self->grid, &pair);
}

/* Where the columns are other ones, no row can be judged. */
static int
read_line(table_file_t *self, const spot_csv_row_t *row, bool *is_over)
{
    if (row->is_comment) {
        read_remarks(self, row);
    } else if (row->num_fields == 0) {
        spot_diag_error(self->diag, self->path, row->line, 1, "empty line");
        self->is_faulty = true;
    } else if (self->num_columns > 0) {
        return read_row(self, row);
    } else {
        const bool was_faulty = self->is_faulty;

        self->is_faulty = false;
        read_columns(self, row);
        *is_over = self->is_faulty;
        self->is_faulty |= was_faulty;
    }
    return 0;
}

static int
seal(table_file_t *self, size_t end_line)
{
    spot_step_pair_t repeated = {0};
    size_t first_line = 0;
    int ret;

    if (self->grid->num_pairs == 0 && !self->is_faulty) {
        spot_diag_error(self->diag, self->path, end_line, 1, "no pair with a step time");
        self->is_faulty = true;
    }
    ret = spot_step_grid_seal(self->grid, &repeated, &first_line);
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_diag_error(self->diag, self->path, repeated.line, 1,
            "the pair %" PRId32 ",%" PRId32 " is in line %zu already",
            repeated.num_pipelines, repeated.depth, first_line);
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

static int
read_lines(table_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    bool is_over = false;
    int status, ret = 0;

    while (ret == 0 && !is_over && (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
        } else if (status < 0) {
            ret = status;
        } else {
            ret = read_line(self, &row, &is_over);
        }
    }
    return ret == 0 ? seal(self, row.line) : ret;
}

int
spot_step_grid_read(spot_step_grid_t *self, const char *path, spot_diag_t *diag)
{
    table_file_t file = {.path = path, .diag = diag, .grid = self};
    spot_csv_t *csv = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_csv_open(&csv, path, diag);
    if (ret == 0) {
        ret = read_lines(&file, csv);
    }
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

/* ---- Writing ---- */

static void
write_remarks(const spot_step_grid_t *self, const char *const *remarks, FILE *out)
{
    for (; remarks != NULL && *remarks != NULL; remarks++) {
        fprintf(out, "# %s\n", *remarks);
    }
    if (self->samples_per_step > 0) {
        fprintf(out, "# samples_per_step: %" PRId64 "\n", self->samples_per_step);
    }
    if (self->micro_batch > 0) {
        fprintf(out, "# micro_batch: %" PRId64 "\n", self->micro_batch);
    }
    if (self->num_layers > 0) {
        fprintf(out, "# layers: %" PRId64 "\n", self->num_layers);
    }
}

/* A comma and the number; an infeasible pair has none. */
static void
write_number(double value, FILE *out)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(value, text);
    fprintf(out, ",%s", value > 0 ? text : "");
}

void
spot_step_grid_write(const spot_step_grid_t *self, const char *const *remarks, FILE *out)
{
    write_remarks(self, remarks, out);
    fprintf(
        out, "D,P,step_ms%s,origin\n", self->has_samples_per_s ? ",samples_per_s" : "");
    for (size_t j = 0; j < self->num_pairs + self->num_infeasible; j++) {
        const spot_step_pair_t *pair = &self->pairs[j];

        fprintf(out, "%" PRId32 ",%" PRId32, pair->num_pipelines, pair->depth);
        write_number(pair->step_ms, out);
        if (self->has_samples_per_s) {
            write_number(pair->samples_per_s, out);
        }
        fprintf(out, ",%s\n", origins[pair->is_fitted]);
    }
}
