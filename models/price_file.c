/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads prices over time from a CSV file with a row for each change. */
#include <string.h>

#include "base/units.h"
#include "models/price.h"
#include "models/table_file.h"

enum { COLUMN_TIME, COLUMN_PRICE, NUM_COLUMNS };

static const char *const column_names[NUM_COLUMNS] = {"time_s", "usd_per_h"};

typedef struct {
    spot_table_file_t file; /* after a faulty row the order is not checked */
    spot_price_steps_t *steps;
} price_file_t;

static void
report_field(
    price_file_t *self, const spot_csv_row_t *row, size_t column_id, const char *problem)
{
    spot_table_file_report_field(
        &self->file, row, column_id, column_names[column_id], problem);
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
read_row(void *table, const spot_csv_row_t *row)
{
    price_file_t *self = table;
    spot_price_step_t step = {0};
    double time_s = 0;

    if (!spot_table_file_check_width(&self->file, row, NUM_COLUMNS)) {
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
    return self->file.is_faulty ? 0 : add_step(self, row, &step);
}

static void
read_columns(void *table, const spot_csv_row_t *row)
{
    price_file_t *self = table;

    if (row->num_fields != NUM_COLUMNS ||
        strcmp(row->fields[COLUMN_TIME], column_names[COLUMN_TIME]) != 0 ||
        strcmp(row->fields[COLUMN_PRICE], column_names[COLUMN_PRICE]) != 0) {
        spot_table_file_report(
            &self->file, row->line, "expected the columns time_s,usd_per_h");
    }
}

static int
seal(void *table, size_t end_line)
{
    price_file_t *self = table;

    if (!self->file.is_faulty && self->steps->num_steps == 0) {
        spot_table_file_report(&self->file, end_line, "no price");
    }
    return self->file.is_faulty ? SPOT_ERR_BAD_INPUT : 0;
}

int
spot_price_steps_read(spot_price_steps_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_reader_t reader = {
        .read_columns = read_columns, .read_row = read_row, .seal = seal};
    price_file_t table = {.file = {.path = path, .diag = diag}, .steps = self};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&table.file, &reader, &table);
}
