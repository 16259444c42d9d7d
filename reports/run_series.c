/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/palette.h"

double spot_series_ms(const spot_series_kind_t *kind, int64_t ticks)
{
    return kind->ticks_per_s < SPOT_MS_PER_S
               ? (double) ticks * ((double) SPOT_MS_PER_S / (double) kind->ticks_per_s)
               : (double) ticks / ((double) kind->ticks_per_s / (double) SPOT_MS_PER_S);
}

double spot_run_time_ms(const spot_series_t *series, size_t row_id)
{
    return spot_series_ms(series->kind, series->cells[row_id * series->kind->num_columns].integer);
}

double spot_run_value(const spot_series_t *series, size_t row_id, size_t column_id)
{
    const spot_cell_t *cell = &series->cells[row_id * series->kind->num_columns + column_id];

    if (series->kind->columns[column_id].kind != SPOT_COLUMN_NUMBER) {
        return (double) cell->integer;
    }
    return isfinite(cell->number) ? cell->number : 0;
}

/* Whether columns are an instant and then numbers, or what else the shape says. */
static bool has_shape(const spot_series_kind_t *kind, spot_series_shape_t shape)
{
    const bool is_events = shape == SPOT_SERIES_EVENTS;

    if (shape == SPOT_SERIES_SPANS) {
        return kind->shape == shape && spot_spans_fit(kind);
    }
    if (kind->shape != shape || kind->num_columns < (is_events ? 3 : 2) ||
        kind->columns[0].kind != SPOT_COLUMN_INSTANT) {
        return false;
    }
    if (is_events) {
        return kind->columns[1].kind == SPOT_COLUMN_CATEGORY &&
               kind->columns[1].categories != NULL && kind->columns[2].kind < SPOT_COLUMN_CATEGORY;
    }
    for (size_t j = 1; j < kind->num_columns; j++) {
        if (kind->columns[j].kind >= SPOT_COLUMN_CATEGORY) {
            return false;
        }
    }
    return true;
}

/* The first max_series series of a shape; returns their number. *end_ms is raised to
 * their last rows. */
static size_t find_shape(const spot_recording_t *recording, spot_series_shape_t shape,
    const spot_series_t **found, size_t max_series, double *end_ms)
{
    size_t num_found = 0;

    for (size_t j = 0; j < recording->num_series && num_found < max_series; j++) {
        const spot_series_t *series = &recording->series[j];

        if (has_shape(series->kind, shape)) {
            found[num_found++] = series;
            if (series->num_rows > 0) {
                *end_ms = fmax(*end_ms, spot_run_time_ms(series, series->num_rows - 1));
            }
        }
    }
    return num_found;
}

/* ---- Lanes ---- */

/* The unit of the first column of values, "" for a plain number. */
static const char *unit_of(const spot_series_kind_t *kind)
{
    const char *unit = spot_series_column_unit(kind, &kind->columns[1]);

    return strcmp(unit, "1") == 0 ? "" : unit;
}

static void add_point(spot_run_series_t *self, spot_lane_t *lane, double time_ms, double value)
{
    self->error = spot_error_first(self->error, spot_curve_add(&lane->curve, time_ms, value));
}

/* Of levels: what lasts no time or does not change is no point. */
static void add_step(spot_run_series_t *self, spot_lane_t *lane, double time_ms, double value)
{
    spot_curve_t *curve = &lane->curve;
    spot_point_t *last = curve->num_points == 0 ? NULL : &curve->points[curve->num_points - 1];

    if (last == NULL || (last->x < time_ms && last->y != value)) {
        add_point(self, lane, time_ms, value);
    } else if (last->x == time_ms) {
        last->y = value;
        curve->num_points -= curve->num_points > 1 && last[-1].y == value;
    }
}

static void sum_steps(spot_lane_t *lane, double end_ms)
{
    const spot_curve_t *curve = &lane->curve;

    for (size_t j = 0; j < curve->num_points; j++) {
        const double until_ms = j + 1 < curve->num_points ? curve->points[j + 1].x : end_ms;

        lane->sum += curve->points[j].y * (until_ms - curve->points[j].x);
    }
}

/* What all levels of a series count. */
static const char *level_noun(const spot_series_kind_t *kind)
{
    const char *unit = unit_of(kind);

    return unit[0] == '\0' ? kind->name : unit;
}

static void add_levels(
    spot_run_series_t *self, const spot_series_t *levels, const spot_colour_t *colours)
{
    spot_lane_t *lanes = &self->lanes[self->num_lanes];
    const size_t num_levels = levels->kind->num_columns - 1;

    for (size_t k = 0; k < num_levels; k++) {
        lanes[k].series = levels;
        lanes[k].name = spot_series_column_name(&levels->kind->columns[k + 1]);
        lanes[k].colour = spot_palette_colour(colours, lanes[k].name, self->num_lanes + k);
        for (size_t j = 0; j < self->num_lanes; j++) { /* as in an earlier stack */
            if (self->lanes[j].kind == SPOT_LANE_LEVEL &&
                strcmp(self->lanes[j].name, lanes[k].name) == 0) {
                lanes[k].colour = self->lanes[j].colour;
            }
        }
    }
    lanes[num_levels].kind = SPOT_LANE_TOTAL;
    lanes[num_levels].series = levels;
    lanes[num_levels].name = level_noun(levels->kind);
    for (size_t j = 0; j < levels->num_rows; j++) {
        const double time_ms = spot_run_time_ms(levels, j);
        double total = 0;

        for (size_t k = 0; k < num_levels; k++) {
            const double value = spot_run_value(levels, j, k + 1);

            total += value;
            add_step(self, &lanes[k], time_ms, value);
        }
        add_step(self, &lanes[num_levels], time_ms, total);
    }
    for (size_t k = 0; k <= num_levels; k++) {
        sum_steps(&lanes[k], self->end_ms);
    }
    self->num_lanes += num_levels + 1;
}

/* Events of no known category are left out. */
static void add_marks(spot_run_series_t *self, const spot_colour_t *colours)
{
    const spot_series_t *events = self->events;
    const spot_series_column_t *column = &events->kind->columns[1];
    const size_t num_signs = column->signs == NULL ? 0 : strlen(column->signs);

    for (size_t k = 0; column->categories[k] != NULL; k++) {
        spot_lane_t *lane = &self->lanes[self->num_lanes++];

        lane->kind = SPOT_LANE_MARKS;
        lane->series = events;
        lane->name = column->categories[k];
        lane->colour = spot_palette_colour(colours, lane->name, k);
        lane->sign = k < num_signs ? column->signs[k] : '.';
        for (size_t j = 0; j < events->num_rows; j++) {
            if (strcmp(spot_series_text(events, j, 1), lane->name) == 0) {
                const double count = spot_run_value(events, j, 2);

                add_point(self, lane, spot_run_time_ms(events, j), count);
                lane->sum += count;
            }
        }
    }
}

static void add_curve(spot_run_series_t *self, const spot_series_t *series)
{
    spot_lane_t *lane = &self->lanes[self->num_lanes++];
    const size_t num_rows = series->num_rows;

    lane->kind = SPOT_LANE_CURVE;
    lane->series = series;
    lane->name = spot_series_column_name(&series->kind->columns[1]);
    lane->unit = unit_of(series->kind);
    for (size_t j = 0; j < num_rows; j++) {
        add_point(self, lane, spot_run_time_ms(series, j), spot_run_value(series, j, 1));
    }
    if (num_rows > 0) {
        lane->sum = spot_run_value(series, num_rows - 1, 1) - spot_run_value(series, 0, 1);
    }
}

int spot_run_series_init(
    spot_run_series_t *self, const spot_recording_t *recording, const spot_colour_t *colours)
{
    const spot_series_t *curves[SPOT_MAX_RUN_CURVES] = {NULL};
    const spot_series_t *stacks[SPOT_MAX_RUN_STACKS] = {NULL};
    const spot_series_t *spans = NULL;
    size_t num_stacks, num_curves, num_lanes = 0;

    memset(self, 0, sizeof(*self));
    self->recording = recording;
    self->title = recording->title == NULL ? "" : recording->title;
    self->note = recording->note;
    if (recording->num_series > 0) {
        self->end_ms = spot_series_ms(recording->series[0].kind, recording->end_ticks);
    }
    num_stacks =
        find_shape(recording, SPOT_SERIES_LEVELS, stacks, SPOT_MAX_RUN_STACKS, &self->end_ms);
    (void) find_shape(recording, SPOT_SERIES_EVENTS, &self->events, 1, &self->end_ms);
    num_curves =
        find_shape(recording, SPOT_SERIES_CURVE, curves, SPOT_MAX_RUN_CURVES, &self->end_ms);
    (void) find_shape(recording, SPOT_SERIES_SPANS, &spans, 1, &self->end_ms);
    self->levels = stacks[0];
    self->curve = curves[0];
    self->num_levels = self->levels == NULL ? 0 : self->levels->kind->num_columns - 1;
    while (self->events != NULL && self->events->kind->columns[1].categories[num_lanes] != NULL) {
        num_lanes++;
    }
    for (size_t j = 0; j < num_stacks; j++) {
        num_lanes += stacks[j]->kind->num_columns;
    }
    self->lanes = spot_calloc(num_lanes + num_curves + 1, sizeof(*self->lanes));
    if (self->lanes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (spans != NULL) {
        self->error = spot_spans_init(&self->spans, spans, colours);
        self->end_ms = fmax(self->end_ms, self->spans.end_ms);
    }
    for (size_t j = 0; j < num_stacks; j++) {
        add_levels(self, stacks[j], colours);
    }
    if (self->events != NULL) {
        add_marks(self, colours);
    }
    for (size_t j = 0; j < num_curves; j++) {
        add_curve(self, curves[j]);
    }
    return self->error;
}

void spot_run_series_free(spot_run_series_t *self)
{
    for (size_t j = 0; j < self->num_lanes; j++) {
        spot_curve_free(&self->lanes[j].curve);
    }
    free(self->lanes);
    spot_spans_free(&self->spans);
    memset(self, 0, sizeof(*self));
}

bool spot_run_series_check(const spot_run_series_t *self, const char *path, spot_diag_t *diag)
{
    const bool has_series = self->levels != NULL || self->events != NULL || self->curve != NULL ||
                            self->spans.num_spans > 0;

    if (self->end_ms > 0 && has_series) {
        return true;
    }
    if (diag != NULL) {
        spot_diag_error(diag, path, 0, 0, "nothing can be drawn: the run %s",
            self->end_ms > 0 ? "has no series over time" : "is empty");
    }
    return false;
}

const spot_lane_t *spot_run_lane(const spot_run_series_t *self, spot_lane_kind_t kind)
{
    for (size_t j = 0; j < self->num_lanes; j++) {
        if (self->lanes[j].kind == kind) {
            return &self->lanes[j];
        }
    }
    return NULL;
}

const spot_lane_t *spot_run_lane_total(const spot_lane_t *level)
{
    while (level->kind != SPOT_LANE_TOTAL) {
        level++;
    }
    return level;
}

const char *spot_run_series_level_noun(const spot_run_series_t *self)
{
    return level_noun(self->levels->kind);
}

const char *spot_run_series_curve_noun(const spot_run_series_t *self)
{
    return spot_series_column_name(&self->curve->kind->columns[1]);
}

/* ---- Bins ---- */

static void bin_marks(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    for (size_t j = 0; j < lane->curve.num_points; j++) {
        const spot_point_t *mark = &lane->curve.points[j];
        const double place = mark->x * (double) num_bins / end_ms;
        spot_bin_t *bin = &bins[(size_t) fmax(fmin(place, (double) (num_bins - 1)), 0)];

        bin->value += mark->y;
        bin->num_marks++;
    }
}

static void bin_steps(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    const double bin_ms = end_ms / (double) num_bins;
    size_t bin_id = 0;

    for (size_t j = 0; j < lane->curve.num_points; j++) {
        const spot_point_t *step = &lane->curve.points[j];
        const double last_ms = j + 1 < lane->curve.num_points ? step[1].x : end_ms;
        double from_ms = step->x;

        while (from_ms < last_ms && bin_id < num_bins) {
            const double bin_end_ms = (double) (bin_id + 1) * bin_ms;
            const double until_ms = fmin(last_ms, bin_end_ms);
            spot_bin_t *bin = &bins[bin_id];

            if (until_ms > from_ms) { /* not before the first row */
                bin->value += step->y * ((until_ms - from_ms) / bin_ms);
                bin->high = fmax(bin->high, step->y);
                bin->low = fmin(bin->low, step->y);
                from_ms = until_ms;
            }
            bin_id += until_ms == bin_end_ms;
        }
    }
}

void spot_lane_bins(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    for (size_t j = 0; j < num_bins; j++) {
        bins[j] = (spot_bin_t){
            .start_ms = (double) j * end_ms / (double) num_bins, .low = (double) INFINITY};
    }
    if (lane->kind == SPOT_LANE_MARKS) {
        bin_marks(lane, end_ms, num_bins, bins);
    } else {
        bin_steps(lane, end_ms, num_bins, bins);
    }
    for (size_t j = 0; j < num_bins; j++) {
        bins[j].low = fmin(bins[j].low, bins[j].high);
    }
}

int spot_lane_thin(const spot_lane_t *lane, double end_ms, size_t num_columns, spot_curve_t *curve)
{
    int ret = 0;

    *curve = (spot_curve_t){0};
    for (size_t j = 0; ret == 0 && j < lane->curve.num_points; j++) {
        ret = spot_curve_add(curve, lane->curve.points[j].x, lane->curve.points[j].y);
    }
    spot_curve_thin_to(curve, num_columns, 0, end_ms, false);
    return ret;
}

/* ---- CSV ---- */

/* Times are exact in the ticks of the series; NULL: of none. */
static void write_row(FILE *out, const spot_series_t *series, double time_ms, const char *kind,
    const char *name, double value)
{
    const int64_t ticks_per_s = series == NULL ? SPOT_MS_PER_S : series->kind->ticks_per_s;

    fprintf(out, "%.*f,%s,",
        ticks_per_s == 1               ? 0
        : ticks_per_s == SPOT_MS_PER_S ? 3
                                       : 9,
        time_ms / (double) SPOT_MS_PER_S, kind);
    spot_csv_field_text(out, name);
    spot_csv_field_number(out, value);
    fputc('\n', out);
}

/* Levels that change, of rows that last some time. */
static void write_levels(const spot_run_series_t *run, FILE *out)
{
    const spot_series_t *levels = run->levels;
    const size_t num_rows = levels == NULL ? 0 : levels->num_rows;
    size_t last = num_rows; /* row that was written; num_rows: none */

    for (size_t j = 0; j < num_rows; j++) {
        const double time_ms = spot_run_time_ms(levels, j);

        if (j + 1 < num_rows && spot_run_time_ms(levels, j + 1) <= time_ms) {
            continue;
        }
        for (size_t k = 0; k < run->num_levels; k++) {
            const double height = spot_run_value(levels, j, k + 1);

            if (last == num_rows || height != spot_run_value(levels, last, k + 1)) {
                write_row(out, levels, time_ms, "level", run->lanes[k].name, height);
            }
        }
        last = j;
    }
}

int spot_timeline_csv_write(const spot_run_series_t *run, FILE *out)
{
    fputs("time_s,kind,name,value\n", out);
    write_levels(run, out);
    for (size_t j = 0; run->events != NULL && j < run->events->num_rows; j++) {
        write_row(out, run->events, spot_run_time_ms(run->events, j), "mark",
            spot_series_text(run->events, j, 1), spot_run_value(run->events, j, 2));
    }
    for (size_t j = 0; run->curve != NULL && j < run->curve->num_rows; j++) {
        write_row(out, run->curve, spot_run_time_ms(run->curve, j), "progress",
            spot_run_series_curve_noun(run), spot_run_value(run->curve, j, 1));
    }
    write_row(out, run->levels, run->end_ms, "end", "", 0);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
