/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far predictions are from what came. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* NAN: undefined, as for no pairs or equal values. */
typedef struct {
    double mean_absolute;
    double r2;               /* 1 - squared errors / squared deviations from the mean */
    double rank_correlation; /* of Spearman */
} spot_prediction_error_t;

/* predicted, values: [num_pairs]. NO_MEMORY. O(num_pairs log num_pairs). */
SPOT_MUST_CHECK int spot_prediction_error(
    spot_prediction_error_t *self, size_t num_pairs, const double *predicted, const double *values);
