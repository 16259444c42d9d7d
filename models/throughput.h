/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs and GPUs that are submitted every 10 minutes, and a model that forecasts them one
 * hour ahead from the calendar and from their own past. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

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
#define SPOT_THROUGHPUT_HOUR 2 /* the feature "hour", 0 ... 23 */
extern const char *const spot_throughput_features[SPOT_THROUGHPUT_FEATURES];
void spot_throughput_fill(const spot_throughput_t *self, double *const *values);
