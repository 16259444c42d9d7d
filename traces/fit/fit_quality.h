/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances of a law from a sample: Kolmogorov-Smirnov, and Anderson-Darling, J. Am.
 * Stat. Assoc. 49, 1954; with censored values from the product-limit estimate. They
 * compare families on one sample. Published tables do not apply, as the parameters are
 * estimated and values are tied. */
#pragma once

#include "traces/fit/durations.h"
#include "traces/laws/law.h"

/* Largest |F_n - F|, from both sides of each step. On a lattice: at whole ticks, NAN
 * with censored values. O(groups). */
double spot_fit_ks(const spot_durations_t *durations, const spot_law_t *law);

/* n times the integral of (F_n - F)^2/(F (1 - F)) dF; with censored values, up to the
 * last death. NAN on a lattice. O(groups). */
double spot_fit_ad(const spot_durations_t *durations, const spot_law_t *law);
