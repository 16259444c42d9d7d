/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"

#define SPREAD 0.56       /* the part of a row that its dots are spread over */
#define MIN_DISTANCE 1e-3 /* where the axis of distances begins */
#define MAX_Z 20.0        /* where that of standard errors ends at most */
#define LIMIT_Z 4.5       /* our own generators must be closer to a reference */

/* A dot for each row and each column of the comparison that is drawn. */
typedef struct {
    const spot_comparison_t *comparison;
    const char *name;
    bool is_reference; /* z of metrics; else distances */
    int num_rows;
    spot_chart_axis_t x;
    size_t num_columns; /* that are drawn */
    size_t num_values;
    size_t num_undefined;
    double highest; /* absolute value */
} dots_t;

static const char *
row_name(const dots_t *self, int row_id)
{
    return self->is_reference ? spot_fidelity_metrics[row_id].name
                              : spot_error_name(row_id);
}

/* Whether a column is drawn: of distances the second half too. */
static bool
has_column(const dots_t *self, size_t column_id)
{
    return self->is_reference ? column_id >= SPOT_COMPARISON_FIRST &&
                                    self->comparison->columns[column_id].has_reference
                              : column_id + 1 >= SPOT_COMPARISON_FIRST;
}

/* NAN where undefined; *half_width of an interval, else NAN. */
static double
value_of(const dots_t *self, size_t column_id, int row_id, double *half_width)
{
    const spot_comparison_column_t *column = &self->comparison->columns[column_id];
    double error;

    *half_width = (double) NAN;
    if (self->is_reference) {
        return column->zs[row_id];
    }
    spot_comparison_error(self->comparison, column, row_id, &error, half_width);
    *half_width =
        column->kind == SPOT_COMPARISON_COLUMN_MODEL ? 2 * *half_width : (double) NAN;
    return error;
}

/* What is drawn, and how large it is. */
static void
measure(dots_t *self)
{
    for (size_t j = 0; j < self->comparison->num_columns; j++) {
        const bool is_drawn = has_column(self, j);

        self->num_columns += is_drawn;
        for (int row_id = 0; is_drawn && row_id < self->num_rows; row_id++) {
            double unused;
            const double value = value_of(self, j, row_id, &unused);

            self->num_values += isnan(value) ? 0 : 1;
            self->num_undefined += isnan(value) ? 1 : 0;
            self->highest = fmax(self->highest, fabs(value)); /* skips NAN */
        }
    }
}

static size_t
count_outside(const dots_t *self, double low, double high)
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

/* ---- Words ---- */

/* Errors of which a column has not more than the halves; *num_known: where both are
 * known. */
static int
count_within_floor(const dots_t *self, size_t column_id, int *num_known)
{
    int num_within = 0;

    *num_known = 0;
    for (int j = 0; j < SPOT_NUM_ERRORS; j++) {
        double unused;
        const double error = value_of(self, column_id, j, &unused);
        const double floor_error = value_of(self, SPOT_COMPARISON_FIRST - 1, j, &unused);

        *num_known += !isnan(error) && !isnan(floor_error);
        num_within += error <= floor_error;
    }
    return num_within;
}

static void
declare_distance_words(const dots_t *self, spot_chart_t *chart)
{
    const spot_comparison_t *comparison = self->comparison;
    const spot_comparison_column_t *last =
        &comparison->columns[comparison->num_columns - 1];
    const char *best = NULL;
    int num_best = -1, num_best_known = 0;

    for (size_t j = SPOT_COMPARISON_FIRST; j < comparison->num_columns; j++) {
        int num_known;
        const int num_within = count_within_floor(self, j, &num_known);

        if (num_within > num_best) {
            best = comparison->columns[j].label;
            num_best = num_within;
            num_best_known = num_known;
        }
    }
    if (best == NULL) {
        spot_chart_title(chart, "How far the second half is from the first one");
    } else {
        spot_chart_title(chart,
            "%.60s is as close as the halves are to each other in %d of %d errors", best,
            num_best, num_best_known);
    }
    spot_chart_note(chart,
        "half2-vs-half1: so much the trace differs from itself, no model should be "
        "tuned below it%s",
        last->kind == SPOT_COMPARISON_COLUMN_MODEL
            ? " · bars: two standard errors of the mean"
            : "");
}

static void
declare_reference_words(const dots_t *self, spot_chart_t *chart)
{
    spot_chart_title(chart,
        "%zu of %zu means are further than %g standard errors from the reference",
        count_outside(self, -LIMIT_Z, LIMIT_Z), self->num_values, LIMIT_Z);
    spot_chart_note(chart,
        "z of each model's means; dashed: where our own generators would be refused");
}

/* ---- Points ---- */

static void
write_points(const void *context, FILE *out)
{
    const dots_t *self = context;

    fputs("row,series,value,half_width\n", out);
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        for (size_t j = 0; j < self->comparison->num_columns; j++) {
            double half_width;

            if (has_column(self, j)) {
                spot_csv_field_text(out, row_name(self, row_id));
                fputc(',', out);
                spot_csv_field_text(out, self->comparison->columns[j].label);
                spot_csv_field_number(out, value_of(self, j, row_id, &half_width));
                spot_csv_field_number(out, half_width);
                fputc('\n', out);
            }
        }
    }
}

/* At an edge where it lies outside. */
static double
place(const dots_t *self, double value)
{
    return fmin(fmax(value, self->x.low), self->x.high);
}

/* A series has its colour and its marker; the halves have those of what is in the back.
 */
static void
declare_column(
    const dots_t *self, size_t column_id, size_t series_id, spot_chart_t *chart)
{
    static const spot_chart_marker_t markers[] = {SPOT_CHART_CIRCLE, SPOT_CHART_SQUARE,
        SPOT_CHART_TRIANGLE, SPOT_CHART_DIAMOND, SPOT_CHART_DOWN};
    const bool is_floor = column_id < SPOT_COMPARISON_FIRST;
    const char *label = self->comparison->columns[column_id].label;
    const double from_middle =
        SPREAD * (((double) series_id + 0.5) / (double) self->num_columns - 0.5);
    const size_t place_id = column_id - SPOT_COMPARISON_FIRST;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    spot_chart_series(chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .name = spot_utf8_shown(label, shown),
            .colour =
                is_floor ? SPOT_INK_QUIET : spot_palette_colour(NULL, label, place_id),
            .marker = is_floor
                          ? SPOT_CHART_DIAMOND
                          : markers[place_id % (sizeof(markers) / sizeof(markers[0]))],
            .is_hollow = is_floor});
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        double half_width;
        const double value = value_of(self, column_id, row_id, &half_width);

        half_width = isnan(half_width) ? 0 : half_width;
        if (!isnan(value)) {
            spot_chart_add(chart, &(spot_chart_datum_t){.x = place(self, value),
                                      .y = row_id + from_middle,
                                      .x_low = place(self, value - half_width),
                                      .x_high = place(self, value + half_width)});
        }
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const dots_t *self = context;
    const size_t num_outside = count_outside(self, self->x.low, self->x.high);
    char name[SPOT_UTF8_SHOWN_BYTES];
    size_t series_id = 0;

    if (self->is_reference) {
        declare_reference_words(self, chart);
    } else {
        declare_distance_words(self, chart);
    }
    spot_chart_note(chart, "%s%s", spot_utf8_shown(self->name, name),
        self->num_undefined > 0 ? " · no dot: undefined" : "");
    if (num_outside > 0) {
        spot_chart_note(chart, "%zu value%s beyond the axis, drawn at its edge",
            num_outside, num_outside == 1 ? "" : "s");
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = self->x, .y = {.kind = SPOT_CHART_ROWS}});
    for (int row_id = 0; row_id < self->num_rows; row_id++) {
        (void) spot_chart_row(
            chart, &(spot_chart_row_t){.name = row_name(self, row_id)});
    }
    for (int sign = -1; sign <= 1 && self->is_reference; sign++) {
        spot_chart_rule(
            chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL,
                       .at = sign * LIMIT_Z,
                       .dash = sign == 0 ? SPOT_CHART_SOLID : SPOT_CHART_DASHED});
    }
    for (size_t j = 0; j < self->comparison->num_columns; j++) {
        if (has_column(self, j)) {
            declare_column(self, j, series_id++, chart);
        }
    }
    return spot_chart_error(chart);
}

static int
make(const dots_t *self, const char *what, const char *folder, spot_diag_t *diag)
{
    return spot_trace_picture_make(
        &(spot_trace_picture_t){.folder = folder,
            .name = self->name,
            .what = what,
            .problem = self->num_values == 0 ? "all values are undefined" : NULL,
            .write_points = write_points,
            .declare = declare,
            .context = self},
        diag);
}

int
spot_trace_plot_distances(const spot_comparison_t *comparison, const char *folder,
    const char *name, spot_diag_t *diag)
{
    dots_t dots = {.comparison = comparison,
        .name = name,
        .num_rows = SPOT_NUM_ERRORS,
        .x = {.kind = SPOT_CHART_LOG,
            .name = comparison->num_columns > SPOT_COMPARISON_FIRST
                        ? "distance, or |ln ratio|, to the recorded trace (logarithmic)"
                        : "distance, or |ln ratio|, to the first half (logarithmic)",
            .low = MIN_DISTANCE}};

    measure(&dots);
    dots.x.high = 1.2 * fmax(dots.highest, 1);
    return make(&dots, "distances", folder, diag);
}

int
spot_trace_plot_reference(const spot_comparison_t *comparison, const char *folder,
    const char *name, spot_diag_t *diag)
{
    dots_t dots = {.comparison = comparison,
        .name = name,
        .is_reference = true,
        .num_rows = SPOT_FIDELITY_NUM_METRICS,
        .x = {.name = "standard errors from the reference"}};

    measure(&dots);
    dots.x.high = fmax(fmin(ceil(dots.highest + 0.5), MAX_Z), LIMIT_Z + 0.5);
    dots.x.low = -dots.x.high;
    return dots.num_columns > 0 ? make(&dots, "reference", folder, diag) : 0;
}
