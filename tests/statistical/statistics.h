/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the statistical tests. The seed is fixed, the truth is known, and the power
 * is proven: a relevant bias is many standard errors large. Every comparison prints its
 * z value. Include after cmocka.h. */
#pragma once

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/stats.h"

/* Correct code exceeds it for one seed in 1e5. */
#define MAX_Z 4.5

/* The least size of a relevant bias in standard errors, which leaves 4.5 of them. */
#define POWER_Z 9.0

static inline void assert_z(const char *what, double z)
{
    if (!(fabs(z) <= MAX_Z)) {
        fail_msg("%s: z = %.2f", what, z);
    }
}

/* Compares the mean of independent values with the truth. relevant: the smallest bias
 * that must not pass. */
static inline void assert_mean(
    const char *what, const spot_moments_t *values, double truth, double relevant)
{
    const double mean = spot_moments_mean(values), se = spot_moments_stderr(values);
    const double z = mean == truth ? 0 : (mean - truth) / se;

    print_message("%s: %.8g, truth %.8g, standard error %.2g, z %.2f, power %.0f\n", what, mean,
        truth, se, z, relevant / se);
    assert_z(what, z);
    if (!(se * POWER_Z <= relevant)) {
        fail_msg("%s: a bias of %g would not show: standard error %g", what, relevant, se);
    }
}

/* Two samples of the same law. */
static inline void assert_same_mean(
    const char *what, const spot_moments_t *values, const spot_moments_t *others, double relevant)
{
    const double difference = spot_moments_mean(values) - spot_moments_mean(others);
    const double se = hypot(spot_moments_stderr(values), spot_moments_stderr(others));
    const double z = difference == 0 ? 0 : difference / se;

    print_message("%s: %.8g and %.8g, standard error %.2g, z %.2f, power %.0f\n", what,
        spot_moments_mean(values), spot_moments_mean(others), se, z, relevant / se);
    assert_z(what, z);
    if (!(se * POWER_Z <= relevant)) {
        fail_msg("%s: a bias of %g would not show: standard error %g", what, relevant, se);
    }
}

/* Pearson's sum over cells. Cells with less than 5 expected values are merged with their
 * successors; *num_cells is the number after that. */
static inline double chi_square(
    const double *observed, const double *expected, size_t num_values, size_t *num_cells)
{
    double sum = 0, seen = 0, due = 0, last_seen = 0, last_due = 0;

    *num_cells = 0;
    for (size_t j = 0; j < num_values; j++) {
        seen += observed[j];
        due += expected[j];
        if (due >= 5) {
            sum += (seen - due) * (seen - due) / due;
            (*num_cells)++;
            last_seen = seen;
            last_due = due;
            seen = due = 0;
        }
    }
    if (due > 0 || seen > 0) { /* the rest joins the last cell */
        sum -= (last_seen - last_due) * (last_seen - last_due) / last_due;
        last_seen += seen;
        last_due += due;
        sum += (last_seen - last_due) * (last_seen - last_due) / last_due;
    }
    return sum;
}

/* The z value of the same probability, positive where the fit is bad. */
static inline double chi_square_quantile_z(double sum, double freedom)
{
    const double p_below = gsl_cdf_chisq_P(sum, freedom);

    return p_below < 0.5 ? gsl_cdf_ugaussian_Pinv(p_below)
                         : gsl_cdf_ugaussian_Qinv(gsl_cdf_chisq_Q(sum, freedom));
}

static inline double chi_square_z(const double *observed, const double *expected, size_t num_values)
{
    size_t num_cells;
    const double sum = chi_square(observed, expected, num_values, &num_cells);

    assert_true(num_cells >= 2);
    return chi_square_quantile_z(sum, (double) num_cells - 1);
}

static inline void assert_counts(
    const char *what, const double *observed, const double *expected, size_t num_values)
{
    const double z = chi_square_z(observed, expected, num_values);

    print_message("%s: chi-square z %.2f\n", what, z);
    assert_z(what, z);
}

/* Compares the histograms of two samples of one size. Cells with less than 10 values are
 * merged with their successors; an incomplete last cell is dropped. */
static inline double same_counts_z(const double *counts, const double *others, size_t num_values)
{
    double sum = 0, left = 0, right = 0;
    size_t num_cells = 0;

    for (size_t j = 0; j < num_values; j++) {
        left += counts[j];
        right += others[j];
        if (left + right >= 10) {
            sum += (left - right) * (left - right) / (left + right);
            num_cells++;
            left = right = 0;
        }
    }
    assert_true(num_cells >= 3);
    return chi_square_quantile_z(sum, (double) num_cells - 1);
}

static inline void assert_same_counts(
    const char *what, const double *counts, const double *others, size_t num_values)
{
    const double z = same_counts_z(counts, others, num_values);

    print_message("%s: chi-square z %.2f\n", what, z);
    assert_z(what, z);
}
