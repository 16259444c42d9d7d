/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample of durations prepared for fits: equal values are grouped, sums and logarithms
 * are precomputed, and values that could spoil a fit are counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "traces/describe/sample.h"
#include "traces/laws/law.h"

/* Smallest tick that is worth a likelihood of its own, in s. */
#define SPOT_FIT_MIN_TICK_S 30

/* Rounding allowed in a multiple of the tick, in ticks; the same as the recorder's. */
#define SPOT_FIT_ON_TICK 1e-9

/* Upper limit of a draw from a law: longer than any measured value, yet finite. */
#define SPOT_FIT_LONGEST_S 1e300

/* All values that are equal. */
typedef struct {
    double value_s;    /* > 0 */
    double log_value;  /* ln value_s */
    size_t num_deaths; /* complete values */
    size_t num_censored;
    size_t below_id; /* index in points_s of value - tick, at least 0. Lattice only */
    size_t at_id;    /* index in points_s of the value */
} spot_duration_t;

/* After init only log_survival changes. */
typedef struct {
    spot_arena_t memory;
    /* 0: continuous likelihood; else of intervals (value - tick, value]. */
    double tick_s;
    size_t num_values; /* complete and censored */
    size_t num_complete;
    size_t num_raised; /* complete values of 0, which count as one tick */
    size_t num_groups;
    spot_duration_t *groups; /* [num_groups] by value */
    size_t num_points;
    double *points_s;     /* [num_points] increasing, where survival is evaluated */
    double *log_survival; /* [num_points] scratch */
    bool is_on_ticks;     /* all values are multiples of tick_s */
    bool is_one_value;    /* the complete values are all equal, or all in the first tick */
    double sum_s;         /* of all values, censored or not */
    double mean_s;        /* sum_s / num_values */
    double mean_log;      /* of ln value, all values above 0 */
    double std_log;       /* of ln value, with 1/n */
    double mean_log_complete;
    double max_s;
    spot_kaplan_meier_t kaplan_meier;
} spot_fit_durations_t;

/* Values are finite and >= 0, in any order; is_censored NULL: none is censored. tick_s >
 * 0: lattice, 0: continuous. A complete value of 0 is raised to the tick, or to
 * resolution_s > 0 if tick_s is 0. A censored value of 0 carries no information (S(0) =
 * 1) and only counts in num_values. NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_fit_durations_init(spot_fit_durations_t *self, const double *values,
    const bool *is_censored, size_t num_values, double tick_s, double resolution_s);
void spot_fit_durations_free(spot_fit_durations_t *self);

/* ln L of a law: the sum of ln f(t) (continuous) or ln[S(t - tick) - S(t)] (lattice)
 * over complete values, and of ln S(t) over censored ones. -INFINITY: impossible.
 * O(groups). */
double spot_fit_durations_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law);

/* The default tick of the likelihood: resolution_s if it is at least SPOT_FIT_MIN_TICK_S
 * and all values are multiples of it, else 0. Lifetimes: always 0. */
double spot_fit_default_tick(
    const spot_sample_t *sample, spot_sample_kind_t kind, double resolution_s);

/* ---- Distances of a law from a sample ----
 * Kolmogorov-Smirnov, and Anderson-Darling, J. Am. Stat. Assoc. 49, 1954; with censored
 * values from the product-limit estimate. They compare families on one sample. Published
 * tables do not apply, as the parameters are estimated and values are tied. */

/* Largest |F_n - F|, from both sides of each step. On a lattice: at whole ticks, NAN
 * with censored values. O(groups). */
double spot_fit_ks(const spot_fit_durations_t *durations, const spot_law_t *law);

/* n times the integral of (F_n - F)^2/(F (1 - F)) dF; with censored values, up to the
 * last death. NAN on a lattice. O(groups). */
double spot_fit_ad(const spot_fit_durations_t *durations, const spot_law_t *law);
