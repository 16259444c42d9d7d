/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/metric.h"

#include <math.h>
#include <string.h>

const char *const spot_estimator_names[] = {
    [SPOT_ESTIMATOR_USUAL] = "usual",
    [SPOT_ESTIMATOR_MEAN] = "mean",
    [SPOT_ESTIMATOR_RATIO] = "ratio",
    [SPOT_ESTIMATOR_PROBABILITY] = "probability",
    [SPOT_ESTIMATOR_QUANTILE] = "quantile",
    NULL,
};

size_t spot_metric_find(const spot_metric_t *metrics, size_t num_metrics, const char *name)
{
    size_t metric_id = name == NULL ? num_metrics : 0;

    while (metric_id < num_metrics && strcmp(metrics[metric_id].name, name) != 0) {
        metric_id++;
    }
    return metric_id;
}

spot_metric_source_t spot_metric_source(
    const spot_metric_t *metrics, size_t num_metrics, size_t metric_id)
{
    const spot_metric_t *metric = &metrics[metric_id];

    return (spot_metric_source_t){
        .of_id = metric->numerator == NULL
                     ? metric_id
                     : spot_metric_find(metrics, num_metrics, metric->numerator),
        .per_id = spot_metric_find(metrics, num_metrics, metric->denominator),
        .known_id = spot_metric_find(metrics, num_metrics, metric->known_if),
    };
}

double spot_metric_denominator(
    const spot_metric_t *self, const spot_metric_source_t *source, const double *values)
{
    const double per = self->per == 0 ? 1 : self->per;

    return (self->denominator == NULL ? 1 : values[source->per_id]) / per;
}

double spot_metric_value(
    const spot_metric_t *self, const spot_metric_source_t *source, const double *values)
{
    double denominator;

    if (self->numerator == NULL) {
        return values[source->of_id];
    }
    denominator = spot_metric_denominator(self, source, values);
    return denominator == 0 || (self->known_if != NULL && values[source->known_id] != 1)
               ? (double) NAN
               : values[source->of_id] / denominator;
}

void spot_metrics_derive(const spot_metric_t *metrics, size_t num_metrics, double *values)
{
    for (size_t j = 0; j < num_metrics; j++) {
        if (metrics[j].numerator != NULL) {
            const spot_metric_source_t source = spot_metric_source(metrics, num_metrics, j);

            values[j] = spot_metric_value(&metrics[j], &source, values);
        }
    }
}
