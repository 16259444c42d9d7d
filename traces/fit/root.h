/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPOT_TRACES_FIT_ROOT_H
#define SPOT_TRACES_FIT_ROOT_H

#include "base/error.h"

typedef double (*spot_root_function_t)(double x, void *context);

/* The zero of function between low and high by Brent's method (Algorithms for
 * Minimization without Derivatives, 1973, chapter 4) to 1e-14 relative. BAD_PARAM:
 * function has one sign at both ends, or is not finite somewhere; *root is then the end
 * where it is nearer to 0. NO_MEMORY. */
SPOT_MUST_CHECK int spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root);

#endif
