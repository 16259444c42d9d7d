/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/trace_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "traces/describe/describe.h"
#include "traces/verbs/trace_picture.h"

/* ---- Texts in which "{NAME:FORM}" is a figure ---- */

/* Span / events in seconds: the time between events spread evenly over the trace. NAN
 * without events. */
static double describe_spread_s(double span_h, double num_events)
{
    return num_events > 0 ? span_h * 3600 / num_events : (double) NAN;
}

/* The figure with the name prefix + name, or one that only the text has; NAN: undefined,
 * as some figures of spells. */
static double figure(
    const spot_describe_t *self, const char *prefix, const char *name, int num_bytes)
{
    char text[64];

    snprintf(text, sizeof(text), "%s%.*s", prefix, num_bytes, name);
    if (strcmp(text, "time_per_event_s") == 0) {
        return describe_spread_s(self->span_h, self->preempt_events);
    }
    if (strcmp(text, "time_per_death_s") == 0) {
        return self->life.deaths_per_s > 0 ? 1 / self->life.deaths_per_s : (double) NAN;
    }
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        if (strcmp(spot_describe_figures[j].name, text) == 0) {
            return spot_describe_figure_value(self, &spot_describe_figures[j]);
        }
    }
    return (double) NAN;
}

/* FORM is a number of decimals, % and a number of decimals of a percentage, g for two
 * digits, n for a count that is 0 where undefined, x for the shortest text, s for
 * seconds (one decimal unless whole, three digits below 1 s), or p for "s" unless the
 * figure is 1. What else is undefined is "-". */
static void write_value(double value, const char *form, FILE *out)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (*form == 'p') {
        fputs(value == 1 ? "" : "s", out);
    } else if (isnan(value)) {
        fputc(*form == 'n' ? '0' : '-', out);
    } else if (*form == 'x') {
        spot_number_text(value, text);
        fputs(text, out);
    } else if (*form == '%') {
        fprintf(out, "%.*f", form[1] - '0', 100 * value);
    } else if (*form == 'g') {
        fprintf(out, "%.2g", value);
    } else if (*form != 's') {
        fprintf(out, "%.*f", *form == 'n' ? 0 : *form - '0', value);
    } else if (fabs(value) > 0 && fabs(value) < 1) {
        fprintf(out, "%.3g", value);
    } else {
        fprintf(out, "%.*f", round(10 * value) == 10 * round(value) ? 0 : 1, value);
    }
}

/* "{obtainable}" is that word where instances are only obtainable. */
static void write_text(const spot_describe_t *self, const char *prefix, const char *text, FILE *out)
{
    static const char obtainable[] = "{obtainable}";

    for (const char *byte = text; *byte != '\0'; byte++) {
        if (strncmp(byte, obtainable, sizeof(obtainable) - 1) == 0) {
            fputs(self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable " : "", out);
            byte += sizeof(obtainable) - 2;
        } else if (*byte == '{') {
            const int num_bytes = (int) strcspn(++byte, ":");

            write_value(figure(self, prefix, byte, num_bytes), byte + num_bytes + 1, out);
            byte += strcspn(byte, "}");
        } else {
            fputc(*byte, out);
        }
    }
}

/* ---- The lines ---- */

/* The labels of kind availability differ, as no instance runs. */
typedef struct {
    const char *labels[2]; /* by whether the instances are only obtainable */
    const char *text;
} line_t;

static void print_lines(
    const spot_describe_t *self, size_t num_lines, const line_t *lines, FILE *out)
{
    const bool is_obtainable = self->kind == SPOT_TRACE_AVAILABILITY;

    for (size_t j = 0; j < num_lines; j++) {
        fprintf(out, "%-13s", lines[j].labels[is_obtainable]);
        write_text(self, "", lines[j].text, out);
        fputc('\n', out);
    }
}

static int print_gaps(const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out)
{
    static const char *const columns[][2] = {{"n", "{_n:n}"}, {"mean", "{_mean_s:s}"},
        {"sd", "{_sd_s:s}"}, {"CV", "{_cv:2}"}, {"median", "{_median_s:s}"}, {"ACF1", "{_acf1:2}"},
        {"LB5 p", "{_ljungbox5_p:2}"}};
    static const struct {
        const char *labels[2], *prefix;
    } rows[] = {{{"  preempt", "  fewer"}, "preempt_gap"}, {{"  add", "  more"}, "add_gap"},
        {{"  any change", "  any change"}, "change_gap"},
        {{"  up spell", "  up spell"}, "up_spell"},
        {{"  down spell", "  down spell"}, "down_spell"}};
    const bool has_spells = !isnan(self->up_spell.n) || !isnan(self->down_spell.n);
    spot_table_t table = {0};
    int ret;

    spot_table_add_column(
        &table, (spot_table_column_t){.name = "gaps (s)", .kind = SPOT_TABLE_TEXT});
    for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = columns[k][0]});
    }
    for (size_t j = 0; j < (has_spells ? 5 : 3); j++) {
        spot_table_add_row(&table);
        spot_table_add_text(&table, rows[j].labels[self->kind == SPOT_TRACE_AVAILABILITY]);
        for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
            FILE *stream = spot_table_begin_text(&table);

            if (stream != NULL) {
                write_text(self, rows[j].prefix, columns[k][1], stream);
            }
            spot_table_end_cell(&table, stream);
        }
    }
    ret = spot_output_put_table(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

static const char *lifetimes_text(const spot_describe_t *self)
{
    return self->kind == SPOT_TRACE_AVAILABILITY ? "- (nothing ran)"
           : isnan(self->life.n)                 ? "- (instances have no names)"
                                                 : "{life_n:0}: {life_preempted:0} preempted, "
                                                   "{life_censored:0} censored; median {life_km_median_s:s} s "
                                                   "(Kaplan-Meier); time/preemptions {time_per_death_s:s} s";
}

static const char *time_of_day_text(const spot_describe_t *self)
{
    return !isnan(self->day_rayleigh_r)
               ? "r {day_rayleigh_r:2}, p {day_rayleigh_p:g} (optimistic under bursts), "
                 "peak {day_peak_h:1} h after the start"
           : strcmp(self->start, "unknown") == 0 ? "- (start unknown)"
           : self->span_h < 48                   ? "- (less than 2 days)"
                                                 : "- (fewer than 10 events in whole days)";
}

int spot_describe_print(const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const line_t before[] = {
        {{"population", "obtainable"}, "capacity {capacity:0}, mean {mean_n:2}, min {min_n:0}, max "
                                       "{max_n:0}, full {frac_full:%1} %, empty {frac_empty:%1} %"},
        {{"preemptions", "fewer"},
            "{preempt_events:0} event{preempt_events:p}, {preempted:0} "
            "instance{preempted:p}, size {preempt_count_mean:2} (VMR "
            "{preempt_count_vmr:2}, max {preempt_count_max:0}, ones "
            "{preempt_count_share_one:%0} %), {preempted_per_instance_h:3} per "
            "{obtainable}instance-hour"},
        {{"additions", "more"},
            "{add_events:0} event{add_events:p}, {added:0} instance{added:p}, size "
            "{add_count_mean:2} (VMR {add_count_vmr:2}, max {add_count_max:0}, ones "
            "{add_count_share_one:%0} %)"}};
    const line_t behind[] = {
        {{"MTBP", "mean gap"}, "{preempt_gap_mean_s:s} s at a resolution of "
                               "{resolution_s:x} s; T/events {time_per_event_s:s} s"},
        {{"lifetimes", "lifetimes"}, lifetimes_text(self)},
        {{"Fano", "Fano"},
            "instances {fano_instances_10min:2} (10 min), {fano_instances_1h:2} (1 h)"},
        {{"time of day", "time of day"}, time_of_day_text(self)}};
    const line_t of_lives[] = {{{"lifetimes"}, lifetimes_text(self)},
        {{"preempted"}, "mean {life_mean_observed_s:s} s, sd {life_sd_observed_s:s} s; "
                        "restricted mean of all {life_restricted_mean_s:s} s"}};
    int ret = 0;

    spot_utf8_print(out, self->name);
    fprintf(out, "   %s%s, ", spot_describe_kind(self),
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "");
    if (self->is_lifetimes) {
        fprintf(out, "start %s\n", self->start);
        print_lines(self, 2, of_lives, out);
        return 0;
    }
    write_text(self, "", "resolution {resolution_s:x} s, start ", out);
    fputs(self->start, out);
    write_text(self, "", ", {span_h:2} h\n", out);
    if (self->is_unbounded) {
        fputs("unbounded: the capacity is taken as the largest number\n", out);
    }
    print_lines(self, sizeof(before) / sizeof(before[0]), before, out);
    ret = print_gaps(self, terminal, out);
    print_lines(self, sizeof(behind) / sizeof(behind[0]), behind, out);
    return ret;
}

/* ---- Pictures of a trace and of a fit ---- */

const char *spot_pictures_name(spot_texts_t *texts, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *suffix = strstr(name, ".csv");

    return spot_texts_add(texts, "%.*s",
        (int) (suffix != NULL && suffix > name ? (size_t) (suffix - name) : strlen(name)), name);
}

/* ---- A dot for each row and each column of a comparison: distances, or z of metrics ---- */

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
            .colour = is_floor ? SPOT_INK_QUIET : spot_chart_fill(place_id),
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
