/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes prices over time as a CSV file with a row for each change. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/table_file.h"
#include "base/units.h"
#include "models/price.h"

enum { COLUMN_TIME, COLUMN_PRICE, NUM_COLUMNS };

static const spot_table_file_column_t columns[NUM_COLUMNS] = {
    {"time_s", SPOT_CELL_MS, offsetof(spot_price_step_t, start_ms), 0, HUGE_VAL,
        .expected = "expected seconds from 0 to 100 years"},
    {"usd_per_h", SPOT_CELL_NUMBER, offsetof(spot_price_step_t, usd_per_h), 0,
        SPOT_MAX_PRICE_USD_PER_H, .expected = "expected a number from 0 to 1000000"},
};

/* After a faulty row the order is not checked. */
static int
take_step(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const spot_price_step_t *step = values;
    spot_price_steps_t *steps = file->table;
    const int ret = file->is_faulty
                        ? 0
                        : spot_price_steps_add(steps, step->start_ms, step->usd_per_h);

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

int
spot_price_steps_read(spot_price_steps_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .layout = "time_s,usd_per_h",
        .row_bytes = sizeof(spot_price_step_t),
        .empty = "no price",
        .take = take_step};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&format, path, diag, self);
}

void
spot_price_steps_write(const spot_price_steps_t *self, FILE *out)
{
    char time_s[SPOT_NUMBER_TEXT_BYTES], price[SPOT_NUMBER_TEXT_BYTES];

    fprintf(out, "time_s,%c%c%c_per_h\n", tolower((unsigned char) self->currency[0]),
        tolower((unsigned char) self->currency[1]),
        tolower((unsigned char) self->currency[2]));
    for (size_t j = 0; j < self->num_steps; j++) {
        spot_number_text(spot_duration_s(self->steps[j].start_ms), time_s);
        spot_number_text(self->steps[j].usd_per_h, price);
        fprintf(out, "%s,%s\n", time_s, price);
    }
}
