/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/root.h"

#include <gsl/gsl_roots.h>
#include <math.h>

#define PRECISION 1e-14
enum { MAX_ITERATIONS = 200 };

bool
spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root)
{
    const double at_low = function(low, context), at_high = function(high, context);
    gsl_function target = {.function = function, .params = context};
    gsl_root_fsolver *solver;

    if (at_low == 0 || at_high == 0) {
        *root = at_low == 0 ? low : high;
        return true;
    }
    if (!isfinite(at_low) || !isfinite(at_high) || (at_low < 0) == (at_high < 0)) {
        return false;
    }
    solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL) {
        return false;
    }
    if (gsl_root_fsolver_set(solver, &target, low, high) == 0) {
        for (int j = 0; j < MAX_ITERATIONS; j++) {
            const double a = gsl_root_fsolver_x_lower(solver);
            const double b = gsl_root_fsolver_x_upper(solver);

            if (fabs(b - a) <= PRECISION * fmax(fabs(a), fabs(b)) ||
                gsl_root_fsolver_iterate(solver) != 0) {
                break;
            }
        }
    }
    *root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return isfinite(*root);
}
