/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs and GPUs that are submitted every 10 minutes; additive models that forecast them
 * one hour ahead from the calendar and from their own past, and the plain forecasts that
 * they have to beat. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "models/additive_model.h"

#define SPOT_THROUGHPUT_BIN_S 600
#define SPOT_THROUGHPUT_FEATURES 25

enum { SPOT_THROUGHPUT_JOBS, SPOT_THROUGHPUT_GPUS, SPOT_THROUGHPUT_SERIES };

/* By series: the name of its model in a file. */
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
SPOT_MUST_CHECK int spot_throughput_add(spot_throughput_t *self, int64_t time_s, double num_gpus);
void spot_throughput_free(spot_throughput_t *self);

/* The features of all bins: the calendar; for each series its value 6, 18 and 144 bins
 * before, a quarter of both neighbours and half of the value there, and the mean, median
 * and sample deviation of the 6 bins that end 6 bins before. What is before the first
 * bin is 0. columns, values: [SPOT_THROUGHPUT_FEATURES], the latter of [num_bins] to be
 * filled. */
#define SPOT_THROUGHPUT_HOUR 2 /* the feature "hour", 0 ... 23 */
extern const char *const spot_throughput_features[SPOT_THROUGHPUT_FEATURES];
void spot_throughput_fill(const spot_throughput_t *self, double *const *values);

/* ---- Forecasts ---- */

typedef struct {
    size_t choose, evaluate; /* bins, 0 < choose < evaluate < num_bins; for a model that
                                is not fitted, evaluate alone, which may be 0 */
    uint64_t seed;
} spot_throughput_split_t;

/* The last month of the series is evaluated and the month before is for choosing, where
 * there are at least two months before them; else they are a fifth of the bins each.
 * false: there are fewer than 5 bins. */
bool spot_throughput_split(spot_throughput_split_t *self, const spot_throughput_t *throughput);

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
    spot_arena_t arena;
    double *targets;                            /* [num_bins] */
    double *features[SPOT_THROUGHPUT_FEATURES]; /* [num_bins] */
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
    const spot_throughput_t *throughput, int series, const spot_throughput_split_t *split);
void spot_throughput_forecast_free(spot_throughput_forecast_t *self);

/* Writes the bins from first on as a CSV file: time, submitted jobs and GPUs, and the
 * forecasts of the models. forecasts: [SPOT_THROUGHPUT_SERIES]. */
void spot_throughput_forecast_write(const spot_throughput_forecast_t *forecasts,
    const spot_throughput_t *throughput, size_t first, FILE *out);
