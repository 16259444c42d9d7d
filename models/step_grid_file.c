/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes step times by (D,P) as a CSV file with a row for each pair. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "models/step_grid.h"
#include "models/table_file.h"

/* The first three columns are required; the others may follow in this order. */
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
    spot_table_file_t file;
    spot_step_grid_t *grid;
    size_t num_columns;        /* 0: not read yet */
    size_t kinds[NUM_COLUMNS]; /* [num_columns] */
} table_file_t;

static void
report_field(
    table_file_t *self, const spot_csv_row_t *row, size_t id, const char *problem)
{
    spot_table_file_report_field(
        &self->file, row, id, column_names[self->kinds[id]], problem);
}

/* ---- Remarks ---- */

static void
read_remarks(void *table, const spot_csv_row_t *row)
{
    table_file_t *self = table;

    spot_table_file_read_remark(
        &self->file, row, "samples_per_step", &self->grid->samples_per_step);
    spot_table_file_read_remark(
        &self->file, row, "micro_batch", &self->grid->micro_batch);
    spot_table_file_read_remark(&self->file, row, "layers", &self->grid->num_layers);
}

/* ---- Rows ---- */

/* Reads the row of columns; after an error in it no row can be checked. */
static void
read_columns(void *table, const spot_csv_row_t *row)
{
    table_file_t *self = table;
    size_t id = 0;

    for (size_t kind = 0; kind < NUM_COLUMNS; kind++) {
        if (id < row->num_fields && strcmp(row->fields[id], column_names[kind]) == 0) {
            self->kinds[id++] = kind;
        }
    }
    self->num_columns = row->num_fields;
    if (id < row->num_fields || id <= COLUMN_STEP ||
        self->kinds[COLUMN_STEP] != COLUMN_STEP) {
        spot_table_file_report(&self->file, row->line,
            "expected the columns D,P,step_ms[,samples_per_s][,origin]");
        self->file.is_over = true;
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

/* Reads samples_per_s: required with a step time, forbidden without one. */
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
read_row(void *table, const spot_csv_row_t *row)
{
    table_file_t *self = table;
    const size_t num_errors = self->file.diag->num_errors;
    spot_step_pair_t pair = {.line = row->line};

    if (!spot_table_file_check_width(&self->file, row, self->num_columns)) {
        return 0;
    }
    for (size_t id = 0; id < row->num_fields; id++) {
        read_field(self, row, id, &pair);
    }
    if (self->file.diag->num_errors > num_errors) {
        return 0;
    }
    if ((int64_t) pair.num_pipelines * pair.depth > SPOT_MAX_INSTANCES) {
        spot_diag_error(self->file.diag, self->file.path, row->line, row->columns[0],
            "D P: more than %d instances", SPOT_MAX_INSTANCES);
        self->file.is_faulty = true;
        return 0;
    }
    return spot_step_grid_add(self->grid, &pair);
}

static int
seal(void *table, size_t end_line)
{
    table_file_t *self = table;
    spot_step_pair_t repeated = {0};
    size_t first_line = 0;
    int ret;

    if (self->grid->num_pairs == 0 && !self->file.is_faulty) {
        spot_table_file_report(&self->file, end_line, "no pair with a step time");
    }
    ret = spot_step_grid_seal(self->grid, &repeated, &first_line);
    if (ret == SPOT_ERR_BAD_PARAM) {
        ret = spot_diag_error(self->file.diag, self->file.path, repeated.line, 1,
            "the pair %" PRId32 ",%" PRId32 " is in line %zu already",
            repeated.num_pipelines, repeated.depth, first_line);
    }
    return ret == 0 && self->file.is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_step_grid_read(spot_step_grid_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_reader_t reader = {.read_remark = read_remarks,
        .read_columns = read_columns,
        .read_row = read_row,
        .seal = seal};
    table_file_t table = {.file = {.path = path, .diag = diag}, .grid = self};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&table.file, &reader, &table);
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

/* Writes a comma and the number; nothing after the comma for an infeasible pair. */
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
