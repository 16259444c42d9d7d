/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/prediction_error.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

int spot_prediction_error(
    spot_prediction_error_t *self, size_t num_pairs, const double *predicted, const double *values)
{
    double *scratch = spot_calloc(2 * num_pairs, sizeof(*scratch));
    double mean = 0, sum = 0, squares = 0, deviations = 0;

    *self = (spot_prediction_error_t){(double) NAN, (double) NAN, (double) NAN};
    if (scratch == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < num_pairs; i++) {
        mean += values[i] / (double) num_pairs;
    }
    for (size_t i = 0; i < num_pairs; i++) {
        const double error = predicted[i] - values[i];

        sum += fabs(error);
        squares += error * error;
        deviations += (values[i] - mean) * (values[i] - mean);
    }
    if (num_pairs > 0) {
        self->mean_absolute = sum / (double) num_pairs;
        self->r2 = deviations > 0 ? 1 - squares / deviations : (double) NAN;
    }
    if (num_pairs > 1) { /* NAN where all ranks are equal */
        self->rank_correlation = gsl_stats_spearman(predicted, 1, values, 1, num_pairs, scratch);
    }
    free(scratch);
    return 0;
}
