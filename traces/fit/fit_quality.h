/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a law fits a sample: the distances of Kolmogorov-Smirnov and of
 * Anderson-Darling, J. Am. Stat. Assoc. 49, 1954; with censored values both against the
 * product-limit estimate. Comparable between families on one sample, never with tables:
 * parameters are estimated and values tied. */
#ifndef SPOT_TRACES_FIT_FIT_QUALITY_H
#define SPOT_TRACES_FIT_FIT_QUALITY_H

#include "traces/fit/durations.h"
#include "traces/laws/law.h"

/* Largest |F_n - F|, from both sides of each step; on a lattice at whole ticks, NAN if
 * values are censored there. O(groups). */
double spot_fit_ks(const spot_durations_t *durations, const spot_law_t *law);

/* n times the integral of (F_n - F)^2/(F (1 - F)) dF, with censored values up to the
 * last death. NAN on a lattice. O(groups). */
double spot_fit_ad(const spot_durations_t *durations, const spot_law_t *law);

#endif
