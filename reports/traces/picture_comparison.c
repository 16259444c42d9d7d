/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dot for each row and each column of a comparison: distances, or z of metrics. */
#include <math.h>

#include "reports/palette.h"
#include "reports/traces/trace_picture.h"
#include "traces/compare/fidelity.h"

#define SPREAD 0.56       /* the part of a row that its dots are spread over */
#define MIN_DISTANCE 1e-3 /* where the axis of distances begins */
#define MAX_Z 20.0        /* where that of standard errors ends at most */
#define LIMIT_Z 4.5       /* our own generators must be closer to a reference */

typedef struct {
    spot_trace_picture_t picture;
    const spot_comparison_t *comparison;
    bool is_reference; /* z of metrics; else distances */
    int num_rows;
    size_t num_columns; /* that are drawn */
    size_t num_values, num_undefined;
    double highest;   /* absolute value */
    double low, high; /* ends of the axis */
} dots_t;

static const char *row_name(const dots_t *self, int row_id)
{
    return self->is_reference ? spot_fidelity_metrics[row_id].name : spot_error_name(row_id);
}

/* Whether a column is drawn: of distances the second half too. */
static bool has_column(const dots_t *self, size_t column_id)
{
    return self->is_reference ? column_id >= SPOT_COMPARISON_FIRST &&
                                    self->comparison->columns[column_id].has_reference
                              : column_id + 1 >= SPOT_COMPARISON_FIRST;
}

/* NAN where undefined; *half_width of an interval, else NAN. */
static double value_of(const dots_t *self, size_t column_id, int row_id, double *half_width)
{
    const spot_comparison_column_t *column = &self->comparison->columns[column_id];
    double error;

    *half_width = (double) NAN;
    if (self->is_reference) {
        return column->zs[row_id];
    }
    spot_comparison_error(self->comparison, column, row_id, &error, half_width);
    *half_width = column->kind == SPOT_COMPARISON_COLUMN_MODEL ? 2 * *half_width : (double) NAN;
    return error;
}

/* How many values are below low or above high. */
static size_t count_outside(const dots_t *self, double low, double high)
{
    size_t num_outside = 0;

    for (size_t j = 0; j < self->comparison->num_columns; j++) {
        for (int row_id = 0; has_column(self, j) && row_id < self->num_rows; row_id++) {
            double unused;
            const double value = value_of(self, j, row_id, &unused);

            num_outside += value < low || value > high;
        }
    }
    return num_outside;
}

/* Rows of the CSV, and what is drawn and how large it is. */
static void read_values(dots_t *self)
{
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        for (size_t j = 0; j < self->comparison->num_columns; j++) {
            double value, half_width;

            if (!has_column(self, j)) {
                continue;
            }
            value = value_of(self, j, row_id, &half_width);
            self->num_columns += row_id == 0;
            self->num_values += isnan(value) ? 0 : 1;
            self->num_undefined += isnan(value) ? 1 : 0;
            self->highest = fmax(self->highest, fabs(value)); /* skips NAN */
            spot_table_add_row(&self->picture.data);
            spot_table_add_text(&self->picture.data, row_name(self, row_id));
            spot_table_add_text(&self->picture.data, self->comparison->columns[j].label);
            spot_table_add_number(&self->picture.data, value);
            spot_table_add_number(&self->picture.data, half_width);
        }
    }
}

/* ---- Words ---- */

/* The column with the most errors that are not above those of the halves; *num_known:
 * where both are known. NULL: there are only the halves. */
static const char *find_best(const dots_t *self, int *num_best, int *num_known)
{
    const char *best = NULL;

    *num_best = -1;
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->comparison->num_columns; j++) {
        int num_within = 0, num_both = 0;

        for (int k = 0; k < SPOT_NUM_ERRORS; k++) {
            double unused;
            const double error = value_of(self, j, k, &unused);
            const double least = value_of(self, SPOT_COMPARISON_FIRST - 1, k, &unused);

            num_both += !isnan(error) && !isnan(least);
            num_within += error <= least;
        }
        if (num_within > *num_best) {
            best = self->comparison->columns[j].label;
            *num_best = num_within;
            *num_known = num_both;
        }
    }
    return best;
}

static void declare_distance_words(dots_t *self)
{
    const spot_comparison_t *comparison = self->comparison;
    const bool has_models =
        comparison->columns[comparison->num_columns - 1].kind == SPOT_COMPARISON_COLUMN_MODEL;
    int num_best, num_known;
    const char *best = find_best(self, &num_best, &num_known);

    if (best == NULL) {
        spot_chart_title(self->picture.chart, "How far the second half is from the first one");
    } else {
        spot_chart_title(self->picture.chart,
            "%.60s is as close as the halves are to each other in %d of %d errors", best, num_best,
            num_known);
    }
    spot_chart_note(self->picture.chart,
        "half2-vs-half1: so much the trace differs from itself, no model should be "
        "tuned below it%s",
        has_models ? " · bars: two standard errors of the mean" : "");
}

static void declare_words(dots_t *self, const char *name)
{
    const size_t num_outside = count_outside(self, self->low, self->high);
    spot_chart_t *chart = self->picture.chart;
    spot_texts_t *texts = &self->picture.texts;

    if (self->is_reference) {
        spot_chart_title(chart,
            "%zu of %zu means are further than %g standard errors from the reference",
            count_outside(self, -LIMIT_Z, LIMIT_Z), self->num_values, LIMIT_Z);
        spot_chart_note(chart, "z of each model's means; dashed: where our own generators would be "
                               "refused");
    } else {
        declare_distance_words(self);
    }
    spot_chart_note(chart, "%s%s", spot_words_shown(texts, name),
        self->num_undefined > 0 ? " · no dot: undefined" : "");
    if (num_outside > 0) {
        spot_chart_note(chart, "%s beyond the axis, drawn at its edge",
            spot_words_count(texts, (int64_t) num_outside, "value"));
    }
}

/* ---- Dots ---- */

/* At an edge where it lies outside. */
static double place(const dots_t *self, double value)
{
    return fmin(fmax(value, self->low), self->high);
}

/* A series has its colour and its marker; the halves have those of what is in the back.
 */
static void declare_column(dots_t *self, size_t column_id, size_t series_id)
{
    static const spot_chart_marker_t markers[] = {SPOT_CHART_CIRCLE, SPOT_CHART_SQUARE,
        SPOT_CHART_TRIANGLE, SPOT_CHART_DIAMOND, SPOT_CHART_DOWN};
    const bool is_floor = column_id < SPOT_COMPARISON_FIRST;
    const char *label = self->comparison->columns[column_id].label;
    const double from_middle =
        SPREAD * (((double) series_id + 0.5) / (double) self->num_columns - 0.5);
    const size_t place_id = column_id - SPOT_COMPARISON_FIRST;

    spot_chart_series(self->picture.chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .name = spot_words_shown(&self->picture.texts, label),
            .colour = is_floor ? SPOT_INK_QUIET : spot_palette_colour(NULL, label, place_id),
            .marker = is_floor ? SPOT_CHART_DIAMOND
                               : markers[place_id % (sizeof(markers) / sizeof(markers[0]))],
            .is_hollow = is_floor});
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        double half_width;
        const double value = value_of(self, column_id, row_id, &half_width);

        half_width = isnan(half_width) ? 0 : half_width;
        if (!isnan(value)) {
            spot_chart_add(self->picture.chart, &(spot_chart_datum_t){.x = place(self, value),
                                                    .y = row_id + from_middle,
                                                    .x_low = place(self, value - half_width),
                                                    .x_high = place(self, value + half_width)});
        }
    }
}

static void declare(dots_t *self, const spot_chart_axis_t *x)
{
    spot_chart_t *chart = self->picture.chart;
    size_t series_id = 0;

    spot_chart_panel(chart, &(spot_chart_panel_t){.x = *x, .y = {.kind = SPOT_CHART_ROWS}});
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        (void) spot_chart_row(chart, &(spot_chart_row_t){.name = row_name(self, row_id)});
    }
    for (int sign = -1; sign <= 1 && self->is_reference; sign++) {
        spot_chart_rule(chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL,
                                   .at = sign * LIMIT_Z,
                                   .dash = sign == 0 ? SPOT_CHART_SOLID : SPOT_CHART_DASHED});
    }
    for (size_t j = 0; j < self->comparison->num_columns; j++) {
        if (has_column(self, j)) {
            declare_column(self, j, series_id++);
        }
    }
}

/* Distances, or z of metrics; nothing where no column has any. */
static int plot(const spot_comparison_t *comparison, bool is_reference, const char *folder,
    const char *name, spot_diag_t *diag)
{
    static const char *const columns[] = {"row", "series", "value", "half_width", NULL};
    dots_t dots = {.comparison = comparison,
        .is_reference = is_reference,
        .num_rows = is_reference ? SPOT_FIDELITY_NUM_METRICS : SPOT_NUM_ERRORS};
    spot_chart_axis_t x = {.kind = SPOT_CHART_LINEAR};
    bool has_any = false;

    for (size_t j = 0; j < comparison->num_columns; j++) {
        has_any = has_any || has_column(&dots, j);
    }
    if (!has_any) {
        return 0;
    }
    if (spot_trace_picture_begin(&dots.picture, columns)) {
        read_values(&dots);
        dots.high = is_reference ? fmax(fmin(ceil(dots.highest + 0.5), MAX_Z), LIMIT_Z + 0.5)
                                 : 1.2 * fmax(dots.highest, 1);
        dots.low = is_reference ? -dots.high : MIN_DISTANCE;
        x = (spot_chart_axis_t){.kind = is_reference ? SPOT_CHART_LINEAR : SPOT_CHART_LOG,
            .name = is_reference ? "standard errors from the reference"
                    : comparison->num_columns > SPOT_COMPARISON_FIRST
                        ? "distance, or |ln ratio|, to the recorded trace (logarithmic)"
                        : "distance, or |ln ratio|, to the first half (logarithmic)",
            .low = dots.low,
            .high = dots.high};
        dots.picture.problem = dots.num_values == 0 ? "all values are undefined" : NULL;
        declare_words(&dots, name);
        declare(&dots, &x);
    }
    return spot_trace_picture_end(
        &dots.picture, folder, name, is_reference ? "reference" : "distances", diag);
}

int spot_trace_plot_distances(
    const spot_comparison_t *comparison, const char *folder, const char *name, spot_diag_t *diag)
{
    return plot(comparison, false, folder, name, diag);
}

int spot_trace_plot_reference(
    const spot_comparison_t *comparison, const char *folder, const char *name, spot_diag_t *diag)
{
    return plot(comparison, true, folder, name, diag);
}
