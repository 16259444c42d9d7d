/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Similarity of two traces: figures of each and distances between them. Both are
 * recorded at one tick s; x is the population at 0, s, 2s, ...; F and H are empirical
 * distribution functions of the two. Each trace is measured once, so that many
 * replications can be compared with one trace. */
#pragma once

#include "traces/compare/observation.h"

/* Figures of one trace, then distances of a trace A to a trace B. */
enum {
    SPOT_FIDELITY_PREEMPT_EVENTS,
    SPOT_FIDELITY_ADD_EVENTS,
    SPOT_FIDELITY_PREEMPTED,
    SPOT_FIDELITY_ADDED,
    SPOT_FIDELITY_MTBP_S,
    SPOT_FIDELITY_GAP_SD_S,
    SPOT_FIDELITY_GAP_CV,
    SPOT_FIDELITY_GAP_ACF1,
    SPOT_FIDELITY_PREEMPT_COUNT_MEAN,
    SPOT_FIDELITY_PREEMPT_COUNT_VMR,
    SPOT_FIDELITY_ADD_COUNT_MEAN,
    SPOT_FIDELITY_MEAN_N,
    SPOT_FIDELITY_MIN_N,
    SPOT_FIDELITY_MAX_N,
    SPOT_FIDELITY_FRAC_FULL,
    SPOT_FIDELITY_FRAC_EMPTY,
    SPOT_FIDELITY_FANO_1H,
    SPOT_FIDELITY_NUM_FIGURES,
    SPOT_FIDELITY_KS_PREEMPT_GAP = SPOT_FIDELITY_NUM_FIGURES,
    SPOT_FIDELITY_W1_PREEMPT_GAP,
    SPOT_FIDELITY_KS_ADD_GAP,
    SPOT_FIDELITY_W1_ADD_GAP,
    SPOT_FIDELITY_KS_PREEMPT_COUNT,
    SPOT_FIDELITY_D_MEAN_N,
    SPOT_FIDELITY_W1_N,
    SPOT_FIDELITY_ENERGY_N,
    SPOT_FIDELITY_ACF_N,
    SPOT_FIDELITY_ACF_EVENTS,
    SPOT_FIDELITY_NUM_METRICS
};

typedef struct {
    const char *name; /* such as "ks_preempt_gap", in tables, JSON, CSV and --limit */
    const char *unit; /* "s", "instances", "1" */
    const char *help;
} spot_fidelity_metric_t;

extern const spot_fidelity_metric_t spot_fidelity_metrics[SPOT_FIDELITY_NUM_METRICS];

/* The id of the metric called name, or -1. */
int spot_fidelity_metric_id(const char *name);

/* The two directions of a change. */
enum { SPOT_FIDELITY_PREEMPT, SPOT_FIDELITY_ADD, SPOT_FIDELITY_NUM_DIRECTIONS };

/* A growing array of values. */
typedef struct {
    size_t num_values;
    size_t max_values;
    double *values;
} spot_fidelity_sample_t;

/* Measurements of one trace. Zero it to start; measuring again reuses its memory. */
typedef struct {
    spot_fidelity_sample_t gaps_s[SPOT_FIDELITY_NUM_DIRECTIONS]; /* sorted */
    spot_fidelity_sample_t counts[SPOT_FIDELITY_NUM_DIRECTIONS]; /* sorted */
    spot_counts_t population;                                    /* x */
    spot_counts_t windows; /* events per window of max(600 s, 2 ticks) */
    spot_counts_t hours;   /* preempted instances per hour */
    spot_fidelity_sample_t acf_population;
    spot_fidelity_sample_t acf_windows;
    int64_t capacity;
    double figures[SPOT_FIDELITY_NUM_FIGURES]; /* NAN where undefined */
} spot_fidelity_t;

/* Measures an observation. The autocorrelations have as many lags as those of against;
 * with NULL the observation is the trace B and its own length gives the lags. NO_MEMORY;
 * free self even then. With n events O(n log n + n lags), lags at most 120. */
SPOT_MUST_CHECK int spot_fidelity_measure(
    spot_fidelity_t *self, const spot_observation_t *observation, const spot_fidelity_t *against);

void spot_fidelity_free(spot_fidelity_t *self);

/* Fills metrics with the figures of A (self) and the distances of A to B (against), NAN
 * where undefined. A was measured with against = B. O(events + levels of the
 * population). */
void spot_fidelity_compare(const spot_fidelity_t *self, const spot_fidelity_t *against,
    double metrics[SPOT_FIDELITY_NUM_METRICS]);

/* ---- For this room ---- */

/* Sets the number of values, whose contents may be undefined. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fidelity_sample_resize(spot_fidelity_sample_t *self, size_t num_values);

/* Fills the samples, the counts and the figures; sorts the samples. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fidelity_take_figures(
    spot_fidelity_t *self, const spot_observation_t *observation);
