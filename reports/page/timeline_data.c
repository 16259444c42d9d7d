/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/timeline_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/curve.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/palette.h"

/* Points of a curve that is thinned: each column has up to four. */
#define CURVE_COLUMNS 1000

typedef struct {
    spot_json_t json;
    FILE *out;
    const spot_run_series_t *run;
    size_t max_rows;
    double unit_ms; /* of times */
    spot_timeline_bins_t bins;
    size_t num_marks;       /* of the kind that is written */
    bool are_marks_thinned; /* a group is a bin, else a mark */
    size_t num_groups;
    spot_timeline_mark_bin_t *marks; /* [max_rows] the first num_groups */
} data_t;

/* Numbers of arrays are written without the blanks of spot_json_t, which would be a
 * quarter of the data. */
static void
put_comma(const data_t *self, size_t item_id)
{
    if (item_id > 0) {
        putc(',', self->out);
    }
}

static void
put_number(const data_t *self, size_t item_id, int num_digits, double value)
{
    put_comma(self, item_id);
    fprintf(self->out, "%.*g", num_digits, isfinite(value) ? value : 0);
}

/* Of ms, in units: exact to the ns. */
static void
put_time(const data_t *self, size_t item_id, double ms)
{
    put_comma(self, item_id);
    fprintf(self->out, "%.15g", round(ms * 1e6) / 1e6 / self->unit_ms);
}

/* Makes *unit_ms a divisor of all times of a series; false: they are not whole ms. */
static bool
divide_times(const spot_series_t *series, int64_t *unit_ms)
{
    for (size_t j = 0; series != NULL && j < series->num_rows; j++) {
        const double time_ms = spot_run_time_ms(series, j);
        int64_t rest = (int64_t) fmin(time_ms, 1e15);

        if ((double) rest != time_ms) {
            return false;
        }
        while (rest != 0) {
            const int64_t next = *unit_ms % rest;

            *unit_ms = rest;
            rest = next;
        }
    }
    return true;
}

/* Where all times are multiples of a tick, they are written in ticks. */
static double
find_unit(const spot_run_series_t *run)
{
    int64_t unit_ms = 0;
    bool is_whole =
        divide_times(run->levels, &unit_ms) && divide_times(run->events, &unit_ms);

    for (size_t j = 0; is_whole && j < run->num_curves; j++) {
        is_whole = divide_times(run->curves[j], &unit_ms);
    }
    return is_whole && unit_ms > 0 ? (double) unit_ms : 1;
}

static void
put_integer(const data_t *self, size_t item_id, int64_t value)
{
    put_comma(self, item_id);
    fprintf(self->out, "%" PRId64, value);
}

/* What is less points down, what is more up. */
static const char *
mark_shape(const spot_run_series_t *run, int32_t mark_kind)
{
    const char *signs = run->events->kind->columns[1].signs;
    const char sign =
        signs == NULL || strlen(signs) <= (size_t) mark_kind ? '.' : signs[mark_kind];

    return sign == '-' ? "down" : sign == '+' ? "up" : "tick";
}

/* Only categories that occur are written, under numbers of their own. */
static void
write_categories(data_t *self)
{
    const spot_run_series_t *run = self->run;

    spot_json_open(&self->json, "categories", '[');
    for (size_t k = 0; k < run->num_levels; k++) {
        const char *name = spot_run_series_level(run, k);

        if (self->bins.shares[k] > 0) {
            spot_json_open(&self->json, NULL, '{');
            spot_json_text(&self->json, "name", name);
            spot_json_text(
                &self->json, "colour", spot_palette_colour(run->colours, name, k));
            spot_json_close(&self->json, '}');
        }
    }
    spot_json_close(&self->json, ']');
}

/* The heights of a bin that differ from those before, with their number in front. */
static void
write_changes(data_t *self, const double *heights, const double *before)
{
    /* Of averages, three digits are more than a screen can show. */
    const int num_digits = self->bins.is_thinned ? 3 : 6;
    size_t num_changes = 0;
    int64_t category = 0;

    for (size_t k = 0; k < self->run->num_levels; k++) {
        num_changes += heights[k] != (before == NULL ? 0 : before[k]);
    }
    put_integer(self, 1, (int64_t) num_changes);
    for (size_t k = 0; k < self->run->num_levels; k++) {
        if (heights[k] != (before == NULL ? 0 : before[k])) {
            put_integer(self, 1, category);
            put_number(self, 1, num_digits, heights[k]);
        }
        category += self->bins.shares[k] > 0;
    }
}

static void
write_rows(data_t *self)
{
    const spot_timeline_bins_t *bins = &self->bins;

    spot_json_number(&self->json, "bin_ms",
        bins->is_thinned ? self->run->end_ms / (double) bins->num_bins : (double) NAN);
    spot_json_open(&self->json, "rows", '[');
    for (size_t j = 0; j < bins->num_bins; j++) {
        put_time(
            self, j, bins->bins[j].start_ms - (j == 0 ? 0 : bins->bins[j - 1].start_ms));
        write_changes(
            self, bins->bins[j].heights, j == 0 ? NULL : bins->bins[j - 1].heights);
    }
    spot_json_close(&self->json, ']');
    for (int is_high = 0; bins->is_thinned && is_high < 2; is_high++) {
        spot_json_open(&self->json, is_high ? "high" : "low", '[');
        for (size_t j = 0; j < bins->num_bins; j++) {
            put_number(self, j, 6, is_high ? bins->bins[j].peak : bins->bins[j].dip);
        }
        spot_json_close(&self->json, ']');
    }
}

/* Where there are more marks than rows may be, those of a bin are one group. */
static void
gather_marks(data_t *self, int32_t mark_kind)
{
    const spot_run_series_t *run = self->run;

    self->num_marks =
        spot_timeline_bin_marks(run, mark_kind, SPOT_TIMELINE_DATA_BINS, self->marks);
    self->are_marks_thinned = self->num_marks > self->max_rows;
    if (self->are_marks_thinned) {
        self->num_groups = SPOT_TIMELINE_DATA_BINS;
        return;
    }
    self->num_groups = 0;
    for (size_t j = 0; self->num_marks > 0 && j < run->events->num_rows; j++) {
        if (run->mark_kinds[j] == mark_kind) {
            self->marks[self->num_groups++] = (spot_timeline_mark_bin_t){1,
                (int64_t) spot_run_value(run->events, j, 2),
                spot_run_time_ms(run->events, j)};
        }
    }
}

/* Times, or the bins. */
static void
write_mark_places(data_t *self)
{
    size_t num_items = 0;
    double before = 0;

    spot_json_open(&self->json, self->are_marks_thinned ? "bins" : "at", '[');
    for (size_t j = 0; j < self->num_groups; j++) {
        const double place =
            self->are_marks_thinned ? (double) j : self->marks[j].first_ms;

        if (self->marks[j].num_marks > 0 && self->are_marks_thinned) {
            put_number(self, num_items++, 15, place - before);
            before = place;
        } else if (self->marks[j].num_marks > 0) {
            put_time(self, num_items++, place - before);
            before = place;
        }
    }
    spot_json_close(&self->json, ']');
}

static void
write_mark_counts(data_t *self)
{
    size_t num_items = 0;

    spot_json_open(&self->json, "counts", '[');
    for (size_t j = 0; j < self->num_groups; j++) {
        if (self->marks[j].num_marks > 0) {
            put_integer(self, num_items++, self->marks[j].count);
        }
    }
    spot_json_close(&self->json, ']');
    if (self->are_marks_thinned) {
        num_items = 0;
        spot_json_open(&self->json, "times", '[');
        for (size_t j = 0; j < self->num_groups; j++) {
            if (self->marks[j].num_marks > 0) {
                put_integer(self, num_items++, self->marks[j].num_marks);
            }
        }
        spot_json_close(&self->json, ']');
    }
}

static void
write_mark_kind(data_t *self, int32_t mark_kind)
{
    const char *name = self->run->mark_names[mark_kind];

    gather_marks(self, mark_kind);
    if (self->num_marks == 0) {
        return;
    }
    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "name", name);
    spot_json_text(&self->json, "colour",
        spot_palette_colour(self->run->colours, name, (size_t) mark_kind));
    spot_json_text(&self->json, "shape", mark_shape(self->run, mark_kind));
    write_mark_places(self);
    write_mark_counts(self);
    spot_json_close(&self->json, '}');
}

static int
write_curve(data_t *self, size_t curve_id)
{
    const spot_series_t *series = self->run->curves[curve_id];
    spot_curve_t curve = {0};
    int ret = 0;

    for (size_t j = 0; j < series->num_rows && ret == 0; j++) {
        ret = spot_curve_add(
            &curve, spot_run_time_ms(series, j), spot_run_value(series, j, 1));
    }
    if (series->num_rows > self->max_rows) {
        spot_curve_thin_to(&curve, CURVE_COLUMNS, 0, self->run->end_ms, false);
    }
    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "name", spot_run_series_curve_name(self->run, curve_id));
    spot_json_text(&self->json, "unit", spot_run_series_curve_unit(self->run, curve_id));
    spot_json_boolean(&self->json, "is_thinned", series->num_rows > self->max_rows);
    spot_json_open(&self->json, "at", '[');
    for (size_t j = 0; j < curve.num_points; j++) {
        put_time(self, j, curve.points[j].x - (j == 0 ? 0 : curve.points[j - 1].x));
    }
    spot_json_close(&self->json, ']');
    spot_json_open(&self->json, "values", '[');
    for (size_t j = 0; j < curve.num_points; j++) {
        put_number(self, j, 9, curve.points[j].y);
    }
    spot_json_close(&self->json, ']');
    spot_json_close(&self->json, '}');
    spot_curve_free(&curve);
    return ret;
}

static int
write_object(data_t *self)
{
    const spot_run_series_t *run = self->run;
    int ret = 0;

    spot_json_init(&self->json, self->out, 0);
    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "height",
        run->levels == NULL ? NULL : spot_run_series_level_noun(run));
    spot_json_number(&self->json, "end_ms", run->end_ms);
    spot_json_number(&self->json, "unit_ms", self->unit_ms);
    write_categories(self);
    write_rows(self);
    spot_json_unsigned(&self->json, "num_mark_bins", SPOT_TIMELINE_DATA_BINS);
    spot_json_open(&self->json, "marks", '[');
    for (size_t j = 0; j < run->num_mark_kinds; j++) {
        write_mark_kind(self, (int32_t) j);
    }
    spot_json_close(&self->json, ']');
    spot_json_open(&self->json, "curves", '[');
    for (size_t j = 0; j < run->num_curves && ret == 0; j++) {
        ret = write_curve(self, j);
    }
    spot_json_close(&self->json, ']');
    spot_json_close(&self->json, '}');
    return ret;
}

int
spot_timeline_data_write(const spot_run_series_t *run, size_t max_rows, FILE *out)
{
    const size_t num_rows = run->levels == NULL ? 0 : run->levels->num_rows;
    data_t data = {.run = run,
        .unit_ms = find_unit(run),
        .max_rows =
            max_rows > SPOT_TIMELINE_DATA_BINS ? max_rows : SPOT_TIMELINE_DATA_BINS};
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    data.out = text.stream;
    data.marks = spot_calloc(data.max_rows, sizeof(*data.marks));
    ret = spot_timeline_bins_init(&data.bins, run,
        num_rows > data.max_rows ? SPOT_TIMELINE_DATA_BINS : data.max_rows);
    if (data.marks == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = write_object(&data);
    }
    ret = spot_page_text_end(&text, ret);
    if (ret == 0) {
        spot_page_json_escaped(out, text.text);
    }
    spot_timeline_bins_free(&data.bins);
    free(data.marks);
    spot_page_text_free(&text);
    return ret;
}
