/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit of durations or of sizes as the tables show it. */
#pragma once

#include <stdbool.h>

#include "traces/fit/fit_size.h"

#define SPOT_FIT_ROW_PARAMETERS 3

/* Borrows the words of the fit. */
typedef struct {
    const char *family;
    int num_parameters;
    const char *names[SPOT_FIT_ROW_PARAMETERS];
    const char *units[SPOT_FIT_ROW_PARAMETERS]; /* " s", or "": a pure number */
    double parameters[SPOT_FIT_ROW_PARAMETERS];
    double errors[SPOT_FIT_ROW_PARAMETERS];
    unsigned arbitrary; /* bit j: parameter j is chance, never shown as digits */
    double n, num_complete;
    double log_likelihood, aic, bic, ks, ad, p_value, mean_ratio;
    double tick_s, limit_s, mean, cv; /* of durations; of sizes 0 and NAN */
    bool is_mean_exact, is_fitted, converged, is_best, is_best_mean;
    const char *note;
} spot_fit_row_t;

void spot_fit_row_init(spot_fit_row_t *self, const spot_fit_t *fit);

/* Whether the row has that parameter, and its value means something. */
bool spot_fit_row_is_known(const spot_fit_row_t *self, int parameter_id);
