/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of a series of values: moments, autocorrelation, and the distance of two
 * empirical distributions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* NAN where undefined: all figures of no values, sd and cv of one value, cv of mean
 * 0. */
typedef struct {
    size_t num_values;
    double mean;
    double sd; /* with n - 1 */
    double cv; /* sd / mean */
    double median;
    double max;
} spot_value_stats_t;

/* Values are finite; they are copied to find the median. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_value_stats_init(
    spot_value_stats_t *self, const double *values, size_t num_values);

/* Sets acf[k - 1] to the autocorrelation r_k = sum (x_i - m)(x_{i+k} - m) / sum (x_i -
 * m)^2, k = 1 ... num_lags; 0 from lag num_values on. Returns false, with all 0, if all
 * values are equal or there are none. O(n lags). */
bool spot_series_acf(const double *values, size_t num_values, size_t num_lags, double *acf);

/* p-value of Ljung and Box (Biometrika 65(2), 1978): Q = n (n + 2) sum r_k^2 / (n - k)
 * against chi-squared with num_lags degrees of freedom. NAN unless num_values >
 * num_lags. */
double spot_series_ljung_box_p(const double *acf, size_t num_lags, size_t num_values);

/* Distances of the empirical distribution functions F and H of two samples. */
typedef struct {
    double ks;           /* sup |F - H| */
    double area;         /* integral of |F - H|, in the unit of the values */
    double area_squared; /* integral of (F - H)^2, likewise */
} spot_distance_t;

/* Both samples are sorted ascending and have at least one value. O(n + m). */
spot_distance_t spot_series_distance(
    const double *sorted_f, size_t num_f, const double *sorted_h, size_t num_h);

/* ---- Survival ----
 * The product-limit estimator of a survival function from right-censored values. Kaplan
 * and Meier, J. Am. Stat. Assoc. 53(282), 1958. Without censoring it is 1 minus the
 * empirical distribution function. */

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
SPOT_MUST_CHECK int spot_kaplan_meier_init(
    spot_kaplan_meier_t *self, const double *values, const bool *is_censored, size_t num_values);
void spot_kaplan_meier_free(spot_kaplan_meier_t *self);

/* S(time): 1 before the first step. O(log steps). */
double spot_kaplan_meier_survival(const spot_kaplan_meier_t *self, double time);

/* The first time with S <= 1/2; INFINITY if S stays above it, NAN without values. */
double spot_kaplan_meier_median(const spot_kaplan_meier_t *self);

/* Integral of S from 0 to the largest value; NAN without values. */
double spot_kaplan_meier_restricted_mean(const spot_kaplan_meier_t *self);
