/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the root of a function of one variable in a bracket. Brent, Algorithms for
 * Minimization without Derivatives, 1973. */
#pragma once

#include <stdbool.h>

typedef double (*spot_root_function_t)(double x, void *context);

/* Sets root to the zero of the function between low and high, to 1e-14 relative. Returns
 * false if its sign does not change there, it is not finite at an end, or memory is
 * short. */
bool spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root);
