/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_pictures.h"

#include <math.h>

#include "reports/bars_plot.h"
#include "reports/difference_plot.h"
#include "reports/pareto_plot.h"
#include "reports/sensitivity_plot.h"
#include "reports/study_curves.h"
#include "reports/study_plot.h"
#include "reports/study_words.h"

#define DESCRIBED_CHARS 80 /* of the name of a point */

static int
write_curves(const void *context, const char *picture_path, FILE *out)
{
    return spot_study_plot_script(context, picture_path, out);
}

/* "3.3 % (preemption per minute 0)". */
static void
describe_point(const spot_curves_t *curves, size_t point_id, FILE *out)
{
    const spot_shown_unit_t shown =
        spot_report_shown(curves->report, (size_t) curves->y_id);
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    spot_value_words(&shown,
        spot_report_summary(curves->report, point_id, (size_t) curves->y_id)->value,
        value);
    spot_point_words(curves->head, point_id, DESCRIBED_CHARS, point);
    fprintf(out, "%s (%s)", value, point);
}

/* Of all points: where y is lowest and where it is highest. */
static void
describe_range(const spot_curves_t *curves, FILE *out)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t low_id = 0, high_id = 0;

    for (size_t j = 0; j < curves->head->num_points; j++) {
        const double mean =
            spot_report_summary(curves->report, j, (size_t) curves->y_id)->value;

        low_id = mean < low ? j : low_id;
        low = fmin(low, mean); /* which passes over NAN, as fmax() does */
        high_id = mean > high ? j : high_id;
        high = fmax(high, mean);
    }
    if (low <= high) {
        fputs(": from ", out);
        describe_point(curves, low_id, out);
        fputs(" to ", out);
        describe_point(curves, high_id, out);
    }
}

static void
describe_curves(const spot_report_t *report, FILE *out)
{
    char y_words[SPOT_WORDS_BYTES], x_words[SPOT_WORDS_BYTES];
    const char *problem = NULL;
    spot_curves_t curves;

    if (spot_curves_init(&curves, report, &problem) == 0) {
        const spot_metric_t *metric = &report->head->metrics[curves.y_id];
        const spot_shown_unit_t shown = spot_report_shown(report, (size_t) curves.y_id);

        (void) spot_fraction_words_in(metric, shown.unit, y_words);
        spot_x_words(report->head, curves.axis_id, x_words);
        fprintf(out, "Estimates of %s with 95 %% confidence intervals along %s", y_words,
            x_words);
        describe_range(&curves, out);
        fputc('.', out);
    }
    spot_curves_free(&curves);
}

static int
write_ledger(const void *context, const char *picture_path, FILE *out)
{
    return spot_bars_plot_script(context, picture_path, out);
}

static int
write_pareto(const void *context, const char *picture_path, FILE *out)
{
    return spot_pareto_plot_script(context, picture_path, out);
}

static int
write_differences(const void *context, const char *picture_path, FILE *out)
{
    return spot_difference_plot_script(context, picture_path, out);
}

static int
write_sensitivity(const void *context, const char *picture_path, FILE *out)
{
    return spot_sensitivity_plot_script(context, picture_path, out);
}

const spot_study_picture_t spot_study_pictures[] = {
    {"curves", "Main curves", spot_curves_problem, write_curves, spot_study_csv_write,
        describe_curves},
    {"ledger", "Where the time goes", spot_bars_plot_problem, write_ledger,
        spot_bars_csv_write, spot_bars_describe},
    {"pareto", "What more throughput costs", spot_cost_gain_problem, write_pareto,
        spot_cost_gain_csv_write, spot_cost_gain_describe},
    {"differences", "Compared with the baseline", spot_difference_plot_problem,
        write_differences, spot_difference_csv_write, spot_difference_describe},
    {"sensitivity", "Which parameter matters", spot_sensitivity_plot_problem,
        write_sensitivity, spot_sensitivity_plot_csv, spot_sensitivity_plot_describe},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
