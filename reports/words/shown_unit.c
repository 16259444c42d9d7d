/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INSTANCE "instance-"

/* From the longest on; a unit is used from two of it on. */
static const struct {
    const char *name;
    double seconds;
} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 0.001}};

#define NUM_UNITS (sizeof(units) / sizeof(units[0]))

spot_shown_unit_t spot_shown_unit(const spot_metric_t *metric, double largest)
{
    const bool is_paid = strncmp(metric->unit, INSTANCE, strlen(INSTANCE)) == 0;
    const char *name = metric->unit + (is_paid ? strlen(INSTANCE) : 0);
    spot_shown_unit_t shown = {.factor = 1};
    size_t own = 0, best = 0;

    while (own < NUM_UNITS && strcmp(units[own].name, name) != 0) {
        own++;
    }
    if (own == NUM_UNITS || metric->kind != SPOT_METRIC_TIME) {
        snprintf(shown.unit, sizeof(shown.unit), "%s",
            strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
        return shown;
    }
    while (best < own && largest * units[own].seconds < 2 * units[best].seconds) {
        best++;
    }
    shown.factor = units[own].seconds / units[best].seconds;
    snprintf(shown.unit, sizeof(shown.unit), "%s%s", is_paid ? INSTANCE : "", units[best].name);
    return shown;
}

double spot_metric_factor(const spot_metric_t *metric)
{
    return metric->kind == SPOT_METRIC_SHARE ? 100 : 1;
}

spot_shown_unit_t spot_metric_shown(const spot_metric_t *metric, double largest)
{
    spot_shown_unit_t shown = spot_shown_unit(metric, largest);

    shown.factor *= spot_metric_factor(metric);
    return shown;
}

double spot_report_largest(const spot_report_t *report, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < report->head->num_points; j++) {
        const double value = spot_report_summary(report, j, metric_id)->value;

        largest = isfinite(value) ? fmax(largest, fabs(value)) : largest;
    }
    return largest;
}

spot_shown_unit_t spot_report_shown(const spot_report_t *report, size_t metric_id)
{
    return spot_metric_shown(
        &report->head->metrics[metric_id], spot_report_largest(report, metric_id));
}

spot_shown_unit_t spot_second_shown(const spot_report_t *report, size_t metric_id)
{
    const bool is_named = report->head->plot.second_x_label != NULL;

    return spot_shown_unit(
        &report->head->metrics[metric_id], is_named ? 0 : spot_report_largest(report, metric_id));
}

const char *spot_estimate_words(const spot_metric_t *metric)
{
    static const char *const words[SPOT_NUM_ESTIMATORS] = {
        [SPOT_ESTIMATOR_MEAN] = "mean",
        [SPOT_ESTIMATOR_RATIO] = "ratio of totals",
        [SPOT_ESTIMATOR_PROBABILITY] = "probability",
        [SPOT_ESTIMATOR_QUANTILE] = "quantile",
    };

    return words[spot_metric_estimator(metric)];
}
