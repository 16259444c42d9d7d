/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of each key of a plan on a mean: the means over all points with each value
 * of the key, their range, and the share of the variance between points that they
 * explain.
 *
 * Full grid: the analysis of variance. Without interactions the shares add up to 1. The
 * total share of a key is the variance that remains if all other keys are fixed. The
 * intervals cover replication noise only.
 *
 * Sampled plan: the points are a random sample of a space. The shares are corrected for
 * the number of points (Kelley's correlation ratio, Proceedings of the National Academy
 * of Sciences 21(9), 1935), and the intervals cover the choice of points too. There is
 * no total share.
 *
 * Incomplete grid: the values of different keys are correlated, so the effect of one key
 * contains that of others. Shares are correlation ratios and do not add up.
 *
 * All squares are products of different groups of replications (sensitivity.h), which
 * removes replication noise. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/store/store.h"

typedef enum {
    SPOT_EFFECTS_FULL,    /* grid */
    SPOT_EFFECTS_PARTIAL, /* some combinations of the values */
    SPOT_EFFECTS_SAMPLED
} spot_effects_kind_t;

typedef struct {
    size_t num_keys;
    size_t num_points;
    size_t num_groups;        /* 1, or SPOT_MIN_GROUPS ... SPOT_MAX_GROUPS */
    const size_t *num_levels; /* [num_keys] values, or parts of a range */
    const size_t *level_ids;  /* [num_points][num_keys] */
    const double *values;     /* [num_points][num_groups]; a point with NAN is left out */
    bool is_sampled;
} spot_effects_data_t;

typedef struct {
    size_t num_levels;
    double *means;                  /* [num_levels] over the points; NAN: no point */
    size_t low_id, high_id;         /* levels with the lowest and the highest mean */
    spot_sensitivity_index_t range; /* between these; NAN bounds: unknown */
    spot_sensitivity_index_t share; /* of the variance, may be a little below 0 */
    spot_sensitivity_index_t total; /* NAN: undefined */
} spot_key_effect_t;

typedef struct {
    spot_arena_t memory;
    spot_effects_kind_t kind;
    size_t num_used; /* points */
    size_t num_keys;
    double mean;             /* over the points; NAN if undefined, like all below */
    double variance;         /* between points, without noise */
    spot_key_effect_t *keys; /* [num_keys] */
} spot_effects_t;

/* Intervals with a confidence, e.g. 0.95. BAD_PARAM: sizes; NO_MEMORY; > 0 an outcome.
 * Free self even then. O(points keys groups (groups + 20)). */
SPOT_MUST_CHECK int spot_effects_init(
    spot_effects_t *self, const spot_effects_data_t *data, double confidence);
void spot_effects_free(spot_effects_t *self);

/* ---- Of a study ---- */

/* Main effects of the keys of a study on the mean of a metric, for any plan. */

typedef struct {
    int outcome;              /* 0, or SPOT_ANALYSIS_...: then the effects are undefined */
    bool has_indices;         /* shares and totals are Sobol indices of a sensitivity plan */
    int64_t num_replications; /* used, of each point */
    size_t num_groups;        /* of replications; 1: noise is unknown */
    spot_arena_t memory;
    size_t *axis_ids;     /* [effects.num_keys] */
    size_t max_levels;    /* values of the longest axis */
    size_t *first_values; /* [effects.num_keys][max_levels] first value of a level */
    size_t *last_values;  /* the same for its last value, by number */
    spot_effects_t effects;
} spot_study_effects_t;

/* The reason why a study has no main effects (fewer than two keys with two values, or a
 * zip), or NULL. */
const char *spot_study_effects_problem(const spot_study_head_t *head);

/* Reads the store, whose head must have no such problem. NO_MEMORY, errors of reading;
 * free self even then. */
SPOT_MUST_CHECK int spot_study_effects_init(
    spot_study_effects_t *self, const spot_store_t *store, size_t metric_id);
void spot_study_effects_free(spot_study_effects_t *self);

/* The reason why the effects are undefined, or NULL. */
const char *spot_study_effects_outcome(const spot_study_effects_t *self);
