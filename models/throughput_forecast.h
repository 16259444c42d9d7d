/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additive models that forecast the jobs and GPUs that are submitted every 10 minutes
 * one hour ahead, and the plain forecasts that they have to beat. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "models/additive_model.h"
#include "models/throughput.h"

typedef struct {
    size_t choose, evaluate; /* bins, 0 < choose < evaluate < num_bins; for a model that
                                is not fitted, evaluate alone, which may be 0 */
    uint64_t seed;
} spot_throughput_split_t;

/* The last month of the series is evaluated and the month before is for choosing, where
 * there are at least two months before them; else they are a fifth of the bins each.
 * false: there are fewer than 5 bins. */
bool spot_throughput_split(
    spot_throughput_split_t *self, const spot_throughput_t *throughput);

typedef enum {
    SPOT_FORECAST_MODEL,
    SPOT_FORECAST_HOUR,        /* the mean of the hour of the day */
    SPOT_FORECAST_PERSISTENCE, /* the value one hour before */
    SPOT_FORECAST_CONSTANT,    /* the mean */
    SPOT_FORECAST_METHODS
} spot_forecast_method_t;

extern const char *const spot_forecast_methods[SPOT_FORECAST_METHODS];

typedef struct {
    spot_additive_model_t model;
    spot_loss_t loss; /* of a model that was fitted */
    bool has_dates;   /* it has the features month, day_of_year and week */
    /* [num_bins - evaluate] forecasts of the bins from evaluate on; NAN where there are
     * no bins before to learn from */
    double *forecasts[SPOT_FORECAST_METHODS];
} spot_throughput_forecast_t;

/* The forecasts of one series. A model without settings is fitted with each of its
 * settings - squared or absolute loss, with or without the features that grow with the
 * date - to the bins before choose; the settings with the least squared error on the
 * bins from there to evaluate are fitted again to all bins before evaluate. A model with
 * features, as read from a file, is used as it is; BAD_INPUT if it has features of
 * another name, else NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_throughput_forecast(spot_throughput_forecast_t *self,
    const spot_throughput_t *throughput, int series,
    const spot_throughput_split_t *split);
void spot_throughput_forecast_free(spot_throughput_forecast_t *self);

/* Writes the bins from first on as a CSV file: time, submitted jobs and GPUs, and the
 * forecasts of the models. forecasts: [SPOT_THROUGHPUT_SERIES]. */
void spot_throughput_forecast_write(const spot_throughput_forecast_t *forecasts,
    const spot_throughput_t *throughput, size_t first, FILE *out);
