/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes prices over time as a CSV file with a row for each change. */
#include <math.h>
#include <string.h>

#include "base/table_file.h"
#include "base/units.h"
#include "models/price.h"

enum { COLUMN_TIME, COLUMN_PRICE, NUM_COLUMNS };

typedef struct {
    spot_price_steps_t *steps;
    char price_name[SPOT_CURRENCY_COLUMN_BYTES]; /* as the file has it */
    char start[64];                              /* the same; "": it does not say */
} reading_t;

/* Any currency is a name of the column of prices. */
static bool accept_currency(void *table, const char *name)
{
    reading_t *self = table;
    const char *end = spot_currency_scan(name, self->steps->currency);

    if (end == NULL || *end != '\0') {
        return false;
    }
    strcpy(self->price_name, name);
    return true;
}

/* After a faulty row the order is not checked. */
static int take_step(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const spot_price_step_t *step = values;
    spot_price_steps_t *steps = ((const reading_t *) file->table)->steps;
    const int ret =
        file->is_faulty ? 0 : spot_price_steps_add(steps, step->start_ms, step->usd_per_h);

    if (ret != SPOT_ERR_BAD_PARAM) {
        return ret;
    }
    spot_table_file_report_field(file, row, COLUMN_TIME,
        steps->num_steps == 0                      ? "the first row must be at 0"
        : steps->num_steps == SPOT_MAX_PRICE_STEPS ? "too many rows"
                                                   : "expected a later time than in the "
                                                     "row before");
    return 0;
}

int spot_price_steps_read(spot_price_steps_t *self, const char *path, spot_diag_t *diag)
{
    reading_t reading = {.steps = self, .price_name = "usd_per_h"};
    const spot_table_file_column_t columns[NUM_COLUMNS] = {
        {"time_s", SPOT_CELL_MS, offsetof(spot_price_step_t, start_ms), 0, HUGE_VAL,
            .expected = "expected seconds from 0 to 100 years"},
        {reading.price_name, SPOT_CELL_NUMBER, offsetof(spot_price_step_t, usd_per_h), 0,
            SPOT_MAX_PRICE_USD_PER_H, .expected = "expected a number from 0 to 1000000",
            .accepts = accept_currency},
    };
    static const spot_table_file_remark_t remarks[] = {
        {"start", offsetof(reading_t, start), sizeof(reading.start)}, {.key = NULL}};
    const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .remarks = remarks,
        .layout = "time_s,usd_per_h",
        .row_bytes = sizeof(spot_price_step_t),
        .empty = "no price",
        .take = take_step};

    const char *rest = reading.start;
    int64_t start_ms;
    bool has_zone;
    int ret;

    memset(self, 0, sizeof(*self));
    strcpy(self->currency, SPOT_USUAL_CURRENCY);
    ret = spot_table_file_read(&format, path, diag, &reading);
    reading.start[strcspn(reading.start, "\r\n")] = '\0';
    if (spot_moment_parse(reading.start, &start_ms, &has_zone) ||
        (spot_date_scan(&rest, &start_ms) && *rest == '\0')) { /* else it is any remark */
        snprintf(self->start, sizeof(self->start), "%s", reading.start);
    }
    return ret;
}

void spot_price_steps_write(const spot_price_steps_t *self, FILE *out)
{
    char column[SPOT_CURRENCY_COLUMN_BYTES];
    char time_s[SPOT_NUMBER_TEXT_BYTES], price[SPOT_NUMBER_TEXT_BYTES];

    spot_currency_column(self->currency, column);
    if (self->start[0] != '\0') {
        fprintf(out, "# start: %s\n", self->start);
    }
    fprintf(out, "time_s,%s\n", column);
    for (size_t j = 0; j < self->num_steps; j++) {
        spot_number_text(spot_duration_s(self->steps[j].start_ms), time_s);
        spot_number_text(self->steps[j].usd_per_h, price);
        fprintf(out, "%s,%s\n", time_s, price);
    }
}
