/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements of a trace as samples of values, and their statistics.
 *
 * The samples are gaps between events, sizes of events, spells of a single instance,
 * lives of named instances. Statistics, fits and comparisons all start from these
 * values. Beside them stand moments, autocorrelation, distances of empirical
 * distributions and the product-limit estimator.
 *
 * Use: spot_sample_init() of a trace or spot_sample_init_lifetimes() of a lifetimes file;
 * then spot_value_stats_init() or spot_kaplan_meier_init() of its values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

typedef enum {
    /* Complete gaps only: neither the wait before the first event nor that after the
     * last. */
    SPOT_SAMPLE_PREEMPT_GAP,
    SPOT_SAMPLE_ADD_GAP,
    SPOT_SAMPLE_CHANGE_GAP, /* of all distinct times of a preempt or add */
    /* Sizes of the events. */
    SPOT_SAMPLE_PREEMPT_COUNT,
    SPOT_SAMPLE_ADD_COUNT,
    /* Capacity 1 only, else empty. A spell under way at time 0 has no known start and is
     * left out. An up spell ends with a preempt, or with a stop (censored); a spell cut
     * off by the end of the trace is censored. A preempt and an add at one time end an
     * up spell and make a down spell of 0 s. */
    SPOT_SAMPLE_UP_SPELL,
    SPOT_SAMPLE_DOWN_SPELL,
    /* Kind named only, else empty. From birth (time 0 for initial instances) to a
     * preempt, or to a stop or the end of the trace (censored). */
    SPOT_SAMPLE_LIFETIME
} spot_sample_kind_t;

/* By kind, NULL-terminated: "preempt-gap", "add-gap", "change-gap", "preempt-count",
 * "add-count", "up-spell", "down-spell", "lifetime". */
extern const char *const spot_sample_kind_names[];

typedef struct {
    spot_arena_t memory;
    size_t num_values;
    double *values;    /* [num_values] >= 0, in s; counts in instances. In order of time;
                        * lives in order of birth, or of the rows of the file */
    bool *is_censored; /* [num_values] the value is a lower bound */
    int32_t *limits;   /* [num_values] counts: the largest possible size of the event:
                        * preempt: instances running before; add: instances missing to
                        * the capacity. NULL for the other kinds */
} spot_sample_t;

/* Copies what it needs. A trace without such values gives an empty sample. NO_MEMORY;
 * free self even then. O(events + names). */
SPOT_MUST_CHECK int spot_sample_init(
    spot_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind);

/* The lives of a lifetimes file. */
SPOT_MUST_CHECK int spot_sample_init_lifetimes(
    spot_sample_t *self, const spot_lifetimes_t *lifetimes);

void spot_sample_free(spot_sample_t *self);

/* Removes the censored values. */
void spot_sample_keep_complete(spot_sample_t *self);

/* ---- Statistics of a series ----
 * Statistics of a series of values: moments, autocorrelation, and the distance of two
 * empirical distributions. */

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
