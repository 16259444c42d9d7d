/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/root.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <math.h>

#define TOLERANCE 1e-14
enum { MAX_ITERATIONS = 400 };

int
spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root)
{
    gsl_function target = {.function = function, .params = context};
    const double at_low = function(low, context), at_high = function(high, context);
    gsl_root_fsolver *solver;
    int ret = 0;

    *root = fabs(at_low) <= fabs(at_high) ? low : high;
    if (at_low == 0 || at_high == 0) {
        return 0;
    }
    if (!(at_low * at_high < 0) || !isfinite(at_low) || !isfinite(at_high)) {
        return SPOT_ERR_BAD_PARAM;
    }
    solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = gsl_root_fsolver_set(solver, &target, low, high);
    for (int j = 0; j < MAX_ITERATIONS && ret == 0; j++) {
        ret = gsl_root_fsolver_iterate(solver);
        low = gsl_root_fsolver_x_lower(solver);
        high = gsl_root_fsolver_x_upper(solver);
        *root = gsl_root_fsolver_root(solver);
        if (fabs(high - low) <= TOLERANCE * fmin(fabs(low), fabs(high))) {
            break;
        }
    }
    gsl_root_fsolver_free(solver);
    return ret == 0 ? 0 : SPOT_ERR_BAD_PARAM;
}
