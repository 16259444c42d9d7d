/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The product-limit estimator of a survival function from right-censored values. Kaplan
 * and Meier, J. Am. Stat. Assoc. 53(282), 1958. Without censoring it is 1 minus the
 * empirical distribution function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* One distinct time of deaths. */
typedef struct {
    double time;
    double survival;    /* S from time on, until the next step */
    size_t num_at_risk; /* just before time; includes values censored at time */
    size_t num_deaths;  /* >= 1 */
} spot_survival_step_t;

typedef struct {
    size_t num_steps;
    spot_survival_step_t *steps; /* [num_steps] by time */
    size_t num_values;
    size_t num_deaths;
    double max; /* the largest value, censored or not; NAN without values */
} spot_kaplan_meier_t;

/* Values are finite and >= 0, in any order. NO_MEMORY; free self even then. O(n log
 * n). */
SPOT_MUST_CHECK int spot_kaplan_meier_init(spot_kaplan_meier_t *self,
    const double *values, const bool *is_censored, size_t num_values);
void spot_kaplan_meier_free(spot_kaplan_meier_t *self);

/* S(time): 1 before the first step. O(log steps). */
double spot_kaplan_meier_survival(const spot_kaplan_meier_t *self, double time);

/* The first time with S <= 1/2; INFINITY if S stays above it, NAN without values. */
double spot_kaplan_meier_median(const spot_kaplan_meier_t *self);

/* Integral of S from 0 to the largest value; NAN without values. */
double spot_kaplan_meier_restricted_mean(const spot_kaplan_meier_t *self);
