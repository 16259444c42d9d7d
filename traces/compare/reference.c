/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"

/* Columns of the table; one of each kind per metric from COLUMN_MEAN and COLUMN_SD
 * on. */
enum {
    COLUMN_TRACE,
    COLUMN_MODEL,
    COLUMN_REPLICATES,
    COLUMN_MEAN,
    COLUMN_SD = COLUMN_MEAN + SPOT_FIDELITY_NUM_METRICS,
    NUM_COLUMNS = COLUMN_SD + SPOT_FIDELITY_NUM_METRICS
};

#define NO_FIELD SIZE_MAX

/* Relative rounding of a table with 8 digits. */
#define DIGITS 1e-7

typedef struct {
    spot_reference_t *reference;
    spot_csv_t *csv;
    spot_diag_t *diag;
    size_t num_fields;             /* of the row of columns */
    size_t field_ids[NUM_COLUMNS]; /* NO_FIELD: missing */
    char column_names[NUM_COLUMNS][48];
} reading_t;

static void name_column(reading_t *self, int column_id, const char *prefix, const char *name)
{
    snprintf(
        self->column_names[column_id], sizeof(self->column_names[column_id]), "%s%s", prefix, name);
    self->field_ids[column_id] = NO_FIELD;
}

static void name_columns(reading_t *self)
{
    static const char *const first[] = {"trace", "model", "replicates"};

    for (int j = 0; j < COLUMN_MEAN; j++) {
        name_column(self, j, "", first[j]);
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        name_column(self, COLUMN_MEAN + j, "", spot_fidelity_metrics[j].name);
        name_column(self, COLUMN_SD + j, "sd_", spot_fidelity_metrics[j].name);
    }
}

static void read_head(reading_t *self, const spot_csv_row_t *row)
{
    self->num_fields = row->num_fields;
    for (size_t j = 0; j < row->num_fields; j++) {
        for (int k = 0; k < NUM_COLUMNS; k++) {
            if (strcmp(row->fields[j], self->column_names[k]) == 0) {
                self->field_ids[k] = j;
            }
        }
    }
    for (int k = 0; k < COLUMN_MEAN; k++) {
        if (self->field_ids[k] == NO_FIELD) {
            spot_diag_error(self->diag, spot_csv_file(self->csv), row->line, 1,
                "missing column '%s'", self->column_names[k]);
        }
    }
}

static void unexpected(reading_t *self, const spot_csv_row_t *row, int column, const char *expected)
{
    (void) spot_csv_expected(row, self->field_ids[column], spot_csv_file(self->csv),
        self->column_names[column], expected, self->diag);
}

/* Reads a number; NAN for an empty or missing field. */
static double read_number(reading_t *self, const spot_csv_row_t *row, int column)
{
    const size_t field_id = self->field_ids[column];
    double value = (double) NAN;

    if (field_id != NO_FIELD && row->fields[field_id][0] != '\0' &&
        spot_number_parse(row->fields[field_id], &value) != 0) {
        unexpected(self, row, column, "a number or nothing");
    }
    return value;
}

static char *copy_field(const reading_t *self, const spot_csv_row_t *row, int column)
{
    const char *text = row->fields[self->field_ids[column]];

    return spot_text_copy(text, strlen(text));
}

static int read_row(reading_t *self, const spot_csv_row_t *row)
{
    spot_reference_row_t *values;
    int ret;

    if (row->num_fields != self->num_fields) {
        spot_diag_error(self->diag, spot_csv_file(self->csv), row->line, 1,
            "expected %zu fields, got %zu", self->num_fields, row->num_fields);
        return 0;
    }
    ret = SPOT_ARRAY_ROOM(self->reference, rows, self->reference->num_rows + 1);
    if (ret != 0) {
        return ret;
    }
    values = &self->reference->rows[self->reference->num_rows++];
    values->trace = copy_field(self, row, COLUMN_TRACE);
    values->model = copy_field(self, row, COLUMN_MODEL);
    if (spot_integer_parse(
            row->fields[self->field_ids[COLUMN_REPLICATES]], &values->num_replications) != 0 ||
        values->num_replications < 1) {
        unexpected(self, row, COLUMN_REPLICATES, "an integer from 1");
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        values->means[j] = read_number(self, row, COLUMN_MEAN + j);
        values->sds[j] = read_number(self, row, COLUMN_SD + j);
    }
    return values->trace == NULL || values->model == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* Reads all rows; reports and skips a line with forbidden bytes. */
static int read_rows(reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    spot_csv_row_t row;
    bool has_head = false;
    int ret = 1;

    while (ret == 1 || ret == SPOT_ERR_BAD_INPUT) {
        ret = spot_csv_next(self->csv, &row);
        if (ret != 1 || row.is_comment || row.num_fields == 0) {
            continue;
        }
        if (has_head) {
            const int row_ret = read_row(self, &row);

            ret = row_ret != 0 ? row_ret : ret;
        } else {
            read_head(self, &row);
            has_head = true;
            ret = self->diag->num_errors > num_errors ? 0 : ret;
        }
    }
    if (ret == 0 && !has_head) {
        spot_diag_error(self->diag, spot_csv_file(self->csv), 1, 1, "expected a row of columns");
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_reference_read(spot_reference_t *self, const char *path, spot_diag_t *diag)
{
    reading_t reading = {.reference = self, .diag = diag};
    int ret;

    memset(self, 0, sizeof(*self));
    name_columns(&reading);
    ret = spot_csv_open(&reading.csv, path, diag);
    if (ret == 0) {
        ret = read_rows(&reading);
        spot_csv_close(reading.csv);
    }
    return ret;
}

void spot_reference_free(spot_reference_t *self)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        free(self->rows[j].trace);
        free(self->rows[j].model);
    }
    free(self->rows);
    memset(self, 0, sizeof(*self));
}

const spot_reference_row_t *spot_reference_find(
    const spot_reference_t *self, const char *trace, const char *model)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        if (strcmp(self->rows[j].trace, trace) == 0 && strcmp(self->rows[j].model, model) == 0) {
            return &self->rows[j];
        }
    }
    return NULL;
}

double spot_reference_z(
    const spot_reference_row_t *row, int metric_id, double mean, int64_t num_replications)
{
    const double difference = mean - row->means[metric_id];
    const double sd = row->sds[metric_id];

    if (sd == 0 && fabs(difference) <= DIGITS * fabs(mean)) {
        return 0;
    }
    return difference /
           (sd * sqrt(1 / (double) num_replications + 1 / (double) row->num_replications));
}
