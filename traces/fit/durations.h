/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample of durations made ready for fits: equal values are put together, what a
 * likelihood needs of each is at hand, and what could spoil a fit is counted. */
#ifndef SPOT_TRACES_FIT_DURATIONS_H
#define SPOT_TRACES_FIT_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "traces/describe/kaplan_meier.h"
#include "traces/describe/sample.h"
#include "traces/laws/law.h"

/* Smallest tick that is worth a likelihood of its own, in s. */
#define SPOT_FIT_MIN_TICK_S 30

/* A multiple of the tick but for rounding, in ticks: the recorder's allowance. */
#define SPOT_FIT_ON_TICK 1e-9

/* Longer than anything measured, yet finite: draws of a law end here. */
#define SPOT_FIT_LONGEST_S 1e300

/* What is equal in value. */
typedef struct {
    double value_s;    /* > 0 */
    double log_value;  /* ln of it */
    size_t num_deaths; /* values that are complete */
    size_t num_censored;
    size_t below_id; /* of points: value - tick, or 0. Lattice only */
    size_t at_id;    /* of points: the value itself */
} spot_duration_t;

/* After init only the scratch changes. */
typedef struct {
    double
        tick_s; /* 0: continuous likelihood, else of intervals (value - tick, value] */
    size_t num_values; /* complete and censored */
    size_t num_complete;
    size_t num_raised; /* complete values of 0, which count as one tick */
    size_t num_groups;
    spot_duration_t *groups; /* [num_groups] by value */
    size_t num_points;
    double *points_s;     /* [num_points] where survival is asked for, increasing */
    double *log_survival; /* [num_points] scratch */
    bool is_on_ticks;     /* all values are multiples of tick_s */
    bool is_one_value;    /* all that are complete are equal, or in the first tick */
    double sum_s;         /* of all values, censored ones included */
    double mean_s;        /* the same over num_values */
    double mean_log;      /* of ln value, all values above 0 */
    double std_log;       /* with 1/n */
    double mean_log_complete;
    double max_s;
    spot_kaplan_meier_t kaplan_meier;
} spot_durations_t;

/* Values finite and >= 0, any order; is_censored may be NULL: none. tick_s > 0: lattice,
 * 0: continuous. A complete value of 0 is raised to the tick, or to resolution_s > 0 if
 * that is 0; one that is censored says nothing (S(0) = 1) and only counts in num_values.
 * NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_durations_init(spot_durations_t *self, const double *values,
    const bool *is_censored, size_t num_values, double tick_s, double resolution_s);
void spot_durations_free(spot_durations_t *self);

/* ln L of a law: continuous, sum of ln f and, censored, ln S; lattice, sum of
 * ln[S(t - tick) - S(t)] and ln S. -INFINITY: impossible. O(groups). */
double spot_durations_log_likelihood(spot_durations_t *self, const spot_law_t *law);

/* The tick of the likelihood to use if nobody says otherwise: resolution_s if it is at
 * least 30 s and all values are multiples of it, else 0. Lifetimes: always 0. */
double spot_fit_default_tick(
    const spot_sample_t *sample, spot_sample_kind_t kind, double resolution_s);

#endif
