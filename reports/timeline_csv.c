/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_csv.h"

#include "base/csv_field.h"
#include "base/units.h"

typedef struct {
    const spot_run_series_t *run;
    FILE *out;
} writer_t;

/* Times are exact in the ticks of the series. */
static void
write_row(const writer_t *self, const spot_series_t *series, double time_ms,
    const char *kind, const char *name, double value)
{
    const int64_t ticks_per_s =
        series == NULL ? SPOT_MS_PER_S : series->kind->ticks_per_s;

    fprintf(self->out, "%.*f,%s,",
        ticks_per_s == 1               ? 0
        : ticks_per_s == SPOT_MS_PER_S ? 3
                                       : 9,
        time_ms / (double) SPOT_MS_PER_S, kind);
    spot_csv_field_text(self->out, name);
    spot_csv_field_number(self->out, value);
    fputc('\n', self->out);
}

static void
write_levels(const writer_t *self)
{
    const spot_series_t *levels = self->run->levels;
    const size_t num_rows = levels == NULL ? 0 : levels->num_rows;
    size_t last = num_rows; /* row that was written; num_rows: none */

    for (size_t j = 0; j < num_rows; j++) {
        const double time_ms = spot_run_time_ms(levels, j);

        if (j + 1 < num_rows && spot_run_time_ms(levels, j + 1) <= time_ms) {
            continue; /* it lasted no time */
        }
        for (size_t k = 0; k < self->run->num_levels; k++) {
            const double height = spot_run_value(levels, j, k + 1);
            const double before =
                last == num_rows ? 0 : spot_run_value(levels, last, k + 1);

            if (last == num_rows || height < before || height > before) {
                write_row(self, levels, time_ms, "level",
                    spot_run_series_level(self->run, k), height);
            }
        }
        last = j;
    }
}

static void
write_marks(const writer_t *self)
{
    const spot_series_t *events = self->run->events;

    for (size_t j = 0; events != NULL && j < events->num_rows; j++) {
        write_row(self, events, spot_run_time_ms(events, j), "mark",
            spot_series_text(events, j, 1), spot_run_value(events, j, 2));
    }
}

static void
write_curve(const writer_t *self)
{
    const spot_series_t *curve = self->run->curve;

    for (size_t j = 0; curve != NULL && j < curve->num_rows; j++) {
        write_row(self, curve, spot_run_time_ms(curve, j), "progress",
            spot_run_series_curve_noun(self->run), spot_run_value(curve, j, 1));
    }
}

int
spot_timeline_csv_write(const spot_run_series_t *run, FILE *out)
{
    const writer_t self = {run, out};

    fputs("time_s,kind,name,value\n", out);
    write_levels(&self);
    write_marks(&self);
    write_curve(&self);
    write_row(&self, run->levels, run->end_ms, "end", "", 0);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
