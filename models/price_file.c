/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prices over time as people keep them: a CSV file with a row for each change. */
#include <string.h>

#include "base/csv.h"
#include "base/units.h"
#include "models/price.h"

enum { COLUMN_TIME, COLUMN_PRICE, NUM_COLUMNS };

static const char *const column_names[NUM_COLUMNS] = {"time_s", "usd_per_h"};

typedef struct {
    const char *path;
    spot_diag_t *diag;
    spot_price_steps_t *steps;
    bool has_columns;
    bool is_faulty; /* a row was: the order of later ones is not judged */
} price_file_t;

static void
report_field(
    price_file_t *self, const spot_csv_row_t *row, size_t column_id, const char *problem)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->path, row->line, row->columns[column_id],
        "%s: %s, got '%s'", column_names[column_id], problem,
        spot_csv_shown(row->fields[column_id], text));
    self->is_faulty = true;
}

static int
add_step(price_file_t *self, const spot_csv_row_t *row, const spot_price_step_t *step)
{
    const int ret = spot_price_steps_add(self->steps, step->start_ms, step->usd_per_h);

    if (ret == SPOT_ERR_BAD_PARAM) {
        report_field(self, row, COLUMN_TIME,
            self->steps->num_steps == 0 ? "the first row must be at 0"
            : self->steps->num_steps == SPOT_MAX_PRICE_STEPS
                ? "too many rows"
                : "expected a later time than in the row before");
        return 0;
    }
    return ret;
}

static int
read_row(price_file_t *self, const spot_csv_row_t *row)
{
    spot_price_step_t step = {0};
    double time_s = 0;

    if (row->num_fields != NUM_COLUMNS) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "expected %d columns, got %zu", NUM_COLUMNS, row->num_fields);
        self->is_faulty = true;
        return 0;
    }
    if (spot_number_parse(row->fields[COLUMN_TIME], &time_s) != 0 || time_s < 0 ||
        spot_duration_from_s(time_s, &step.start_ms) != 0) {
        report_field(self, row, COLUMN_TIME, "expected seconds from 0 to 100 years");
    }
    if (spot_number_parse(row->fields[COLUMN_PRICE], &step.usd_per_h) != 0 ||
        step.usd_per_h < 0 || step.usd_per_h > SPOT_MAX_PRICE_USD_PER_H) {
        report_field(self, row, COLUMN_PRICE, "expected a number from 0 to 1000000");
    }
    return self->is_faulty ? 0 : add_step(self, row, &step);
}

static void
read_columns(price_file_t *self, const spot_csv_row_t *row)
{
    self->has_columns = true;
    if (row->num_fields != NUM_COLUMNS ||
        strcmp(row->fields[COLUMN_TIME], column_names[COLUMN_TIME]) != 0 ||
        strcmp(row->fields[COLUMN_PRICE], column_names[COLUMN_PRICE]) != 0) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected the columns time_s,usd_per_h");
        self->is_faulty = true;
    }
}

/* Comments may stand anywhere. */
static int
read_rows(price_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int status, ret = 0;

    while (ret == 0 && (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
        } else if (status < 0) {
            ret = status;
        } else if (!row.is_comment && row.num_fields == 0) {
            spot_diag_error(self->diag, self->path, row.line, 1, "empty line");
            self->is_faulty = true;
        } else if (!row.is_comment && !self->has_columns) {
            read_columns(self, &row);
        } else if (!row.is_comment) {
            ret = read_row(self, &row);
        }
    }
    if (ret == 0 && !self->is_faulty && self->steps->num_steps == 0) {
        spot_diag_error(self->diag, self->path, row.line, 1, "no price");
        self->is_faulty = true;
    }
    return ret == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_price_steps_read(spot_price_steps_t *self, const char *path, spot_diag_t *diag)
{
    price_file_t file = {.path = path, .diag = diag, .steps = self};
    spot_csv_t *csv = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_csv_open(&csv, path, diag);
    if (ret == 0) {
        ret = read_rows(&file, csv);
    }
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}
