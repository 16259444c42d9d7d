/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs and GPUs that are submitted every 10 minutes, and a model that forecasts them one
 * hour ahead from the calendar and from their own past. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "models/additive_model.h"

#define SPOT_THROUGHPUT_BIN_S 600
#define SPOT_THROUGHPUT_FEATURES 25

enum { SPOT_THROUGHPUT_JOBS, SPOT_THROUGHPUT_GPUS, SPOT_THROUGHPUT_SERIES };

/* By series: the name of its column, of its forecast, and of its model in a file. */
extern const char *const spot_throughput_columns[SPOT_THROUGHPUT_SERIES];
extern const char *const spot_throughput_forecasts[SPOT_THROUGHPUT_SERIES];
extern const char *const spot_throughput_targets[SPOT_THROUGHPUT_SERIES];

typedef struct {
    double values[SPOT_THROUGHPUT_SERIES];
} spot_throughput_bin_t;

typedef struct {
    int64_t start_s; /* of the first bin, since 1970 UTC */
    size_t num_bins;
    size_t max_bins;
    spot_throughput_bin_t *bins; /* [num_bins] */
} spot_throughput_t;

/* Reads a CSV file with the columns time,submit_gpu_job,submit_gpu_num, a row for every
 * 10 minutes. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_throughput_read(
    spot_throughput_t *self, const char *path, spot_diag_t *diag);

/* Counts a job with its GPUs at a time not before start_s. NO_MEMORY. */
SPOT_MUST_CHECK int spot_throughput_add(
    spot_throughput_t *self, int64_t time_s, double num_gpus);
void spot_throughput_free(spot_throughput_t *self);

/* The features of all bins: the calendar; for each series its value 6, 18 and 144 bins
 * before, a quarter of both neighbours and half of the value there, and the mean, median
 * and sample deviation of the 6 bins that end 6 bins before. What is before the first
 * bin is 0. columns, values: [SPOT_THROUGHPUT_FEATURES], the latter of [num_bins] to be
 * filled. */
extern const char *const spot_throughput_features[SPOT_THROUGHPUT_FEATURES];
void spot_throughput_fill(const spot_throughput_t *self, double *const *values);

/* Which bins a model learns from. A model is fitted to the bins before choose, once for
 * each loss; the loss with the least squared error on the bins up to evaluate is fitted
 * again to all bins before evaluate. */
typedef struct {
    size_t choose, evaluate; /* bins, choose < evaluate < num_bins */
    uint64_t seed;
} spot_throughput_split_t;

/* The last month of the series is for evaluation and the month before for choosing the
 * loss, where there are three, else a fifth of the bins each. */
spot_throughput_split_t spot_throughput_default_split(const spot_throughput_t *self);

/* Forecasts of the bins from split.evaluate on, by method. */
enum {
    SPOT_FORECAST_MODEL,
    SPOT_FORECAST_HOUR,        /* the mean of the hour of the day */
    SPOT_FORECAST_PERSISTENCE, /* the value one hour before */
    SPOT_FORECAST_CONSTANT,    /* the mean */
    SPOT_FORECAST_METHODS
};
extern const char *const spot_forecast_methods[SPOT_FORECAST_METHODS];

typedef struct {
    spot_additive_model_t models[SPOT_THROUGHPUT_SERIES];
    spot_loss_t losses[SPOT_THROUGHPUT_SERIES];
    /* [num_bins - evaluate] by method */
    spot_throughput_bin_t *forecasts[SPOT_FORECAST_METHODS];
} spot_throughput_forecast_t;

/* model_path: a file of models that are read instead of being fitted, or NULL.
 * BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_throughput_forecast(spot_throughput_forecast_t *self,
    const spot_throughput_t *throughput, const spot_throughput_split_t *split,
    const char *model_path, spot_diag_t *diag);
void spot_throughput_forecast_free(spot_throughput_forecast_t *self);
