/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Similarity of two traces: figures of each and distances between them.
 *
 * Both are recorded at one tick s: an observation is made from a trace file, from half
 * of another observation, or from the events of a generator. x is the population at 0,
 * s, 2s, ...; F and H are empirical distribution functions of the two. Each trace is
 * measured once, so that many replications can be compared with one trace; the
 * replications of a model are recorded here in the same way.
 *
 * Use: spot_observation_of_trace() of both, spot_fidelity_measure() of both,
 * spot_fidelity_compare(); for a model spot_replicate_fidelity(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/watch.h"
#include "traces/generate/model.h"
#include "traces/trace.h"

typedef struct {
    double time_ms; /* whole ms; in the second half of a trace also half ms */
    spot_event_kind_t kind;
    int64_t count; /* >= 1 */
} spot_observation_event_t;

/* Settings that all observations of a comparison share. */
typedef struct {
    int64_t tick_ms;
    bool is_net;      /* only the net change of a tick is seen */
    double end_ms;    /* > 0, end of the observation */
    int64_t capacity; /* >= 1; of an unbounded trace its largest population */
} spot_observation_frame_t;

/* Zero it to start; starting again reuses its memory. */
typedef struct {
    spot_observation_frame_t frame;
    int64_t initial; /* instances at time 0, before the events at 0 */
    size_t num_events;
    size_t max_events;
    spot_observation_event_t *events; /* [num_events] by time; preempt, stop, add */
    spot_recorder_t recorder;
} spot_observation_t;

/* The tick of a comparison of traces with these resolutions: the coarser resolution, or a
 * least one. */
int64_t spot_observation_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms);

/* Starts an observation. is_unlimited: the population may leave 0 ... capacity, and
 * losses of more instances than run are kept. */
void spot_observation_start(spot_observation_t *self, const spot_observation_frame_t *frame,
    int64_t initial, bool is_unlimited);

/* Takes the next event; times never decrease. NO_MEMORY. O(1). */
SPOT_MUST_CHECK int spot_observation_take(
    spot_observation_t *self, int64_t time_ms, spot_event_kind_t kind, int64_t count);

/* Ends the observation. NO_MEMORY. */
SPOT_MUST_CHECK int spot_observation_finish(spot_observation_t *self);

/* Records a whole trace. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_observation_of_trace(
    spot_observation_t *self, const spot_trace_t *trace, int64_t tick_ms, bool is_net);

/* Takes the first or second half of an observation: (0, h] or (h, 2 h], h half its
 * length, moved to start at 0. The initial population is that at the last tick up to its
 * start. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_observation_half(
    spot_observation_t *self, const spot_observation_t *whole, bool is_second);

void spot_observation_free(spot_observation_t *self);

/* ---- Integers on the grid of ticks or windows ----
 * The population N of an observation at 0, s, 2s, ..., and its events per window. Sums
 * over them are exact. */

/* Equal values. */
typedef struct {
    int64_t value;
    int64_t num_values; /* >= 1 */
} spot_counts_run_t;

/* Zero it to start; filling it again reuses its memory. It holds runs instead of values,
 * as a trace of few events may last for millions of ticks. */
typedef struct {
    size_t num_values;
    int64_t min; /* of the values; 0 without values, like max */
    int64_t max;
    int64_t sum;
    size_t num_runs;
    size_t max_runs;
    spot_counts_run_t *runs; /* [num_runs] by time, neighbours differ in value */
    size_t num_levels;
    size_t max_levels;
    spot_counts_run_t *levels; /* [num_levels] ascending; of a population only */
} spot_counts_t;

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

/* ---- Replications of a model ----
 * Replications of a model, recorded in the same way as the trace they are compared
 * with. */

typedef struct {
    const spot_trace_model_t *model; /* its horizon is the end of the frame */
    spot_observation_frame_t frame;
    uint64_t seed;
    int64_t num_replications; /* 0 ... num_replications - 1 */
    spot_watch_t watch;       /* counts replications */
} spot_replicate_t;

/* Fills moments with the figures and distances to a trace, over the replications in
 * their order, without undefined values. NO_MEMORY, INTERRUPTED; OVERDRAW if a
 * replication ends in an overdraw (see generator.h, stopped_ms). */
SPOT_MUST_CHECK int spot_replicate_fidelity(const spot_replicate_t *self,
    const spot_fidelity_t *against, spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS]);

/* Quantiles of the replications at each time, to draw a trace over its model. */
typedef struct {
    spot_arena_t memory;
    size_t num_points;
    double *time_s; /* [num_points] increasing */
    double *low;    /* [num_points] 5 % quantile of the replications, type 7 */
    double *median;
    double *high; /* 95 % */
} spot_band_t;

/* Takes the populations from 0 on. Every tick is a point; with more than max_points
 * ticks, every second, third, ... tick. NO_MEMORY, INTERRUPTED, OVERDRAW; free self even
 * then. 8 bytes per point and replication. */
SPOT_MUST_CHECK int spot_band_init(
    spot_band_t *self, const spot_replicate_t *replicate, size_t max_points);

/* Takes the share of gaps between events of a direction (SPOT_FIDELITY_PREEMPT or _ADD)
 * that are longer than each time. Replications without a gap are left out; NAN if none
 * is left. Copies time_s, [num_points] increasing. Errors and memory as above. */
SPOT_MUST_CHECK int spot_band_init_gaps(spot_band_t *self, const spot_replicate_t *replicate,
    int direction, size_t num_points, const double *time_s);
void spot_band_free(spot_band_t *self);
