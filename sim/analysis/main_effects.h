/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each key of a plan does to a mean by itself: the means over all points with each
 * of its values, how far apart these are, and the share of the variance between points
 * that they explain.
 *
 * On a full grid this is the analysis of variance: the shares of the keys add up to 1
 * but for interactions, and the total share of a key is what would be left if all others
 * were fixed. The grid is all there is, so intervals are of replication noise alone.
 *
 * A sampled plan stands for a space: its points are spread over it by chance, so the
 * shares are corrected for the number of points as Kelley's correlation ratio is
 * (Proceedings of the National Academy of Sciences 21(9), 1935), and intervals are of
 * the choice of points too. There is no total share.
 *
 * Where points of a grid are missing, or were given one by one, the values of keys come
 * together unequally: means over the points with a value hold what goes with it. Shares
 * are then correlation ratios of what there is, and do not add up.
 *
 * All squares are products of different groups of replications (group_means.h), so
 * noise, whatever of it the points have in common, makes no share. */
#ifndef SPOT_SIM_ANALYSIS_MAIN_EFFECTS_H
#define SPOT_SIM_ANALYSIS_MAIN_EFFECTS_H

#include <stdbool.h>

#include "sim/analysis/sensitivity.h"

typedef enum {
    SPOT_EFFECTS_FULL,    /* grid */
    SPOT_EFFECTS_PARTIAL, /* some combinations of the values */
    SPOT_EFFECTS_SAMPLED
} spot_effects_kind_t;

/* Outcomes other than 0: nothing is known. */
enum {
    SPOT_EFFECTS_TOO_FEW = 1, /* points: no two keys have two values at those defined */
    SPOT_EFFECTS_CONSTANT,    /* the same value everywhere */
    SPOT_EFFECTS_NOISE        /* differences between points do not stand out of noise */
};

typedef struct {
    size_t num_keys;
    size_t num_points;
    size_t num_groups;        /* 1, or SPOT_MIN_GROUPS ... SPOT_MAX_GROUPS */
    const size_t *num_levels; /* [num_keys] values, or parts of a range */
    const size_t *level_ids;  /* [num_points][num_keys] */
    const double *values;     /* [num_points][num_groups], NAN for undefined: such points
                                 are left out */
    bool is_sampled;
} spot_effects_data_t;

typedef struct {
    size_t num_levels;
    double *means;          /* [num_levels] over the points with it, NAN: none has it */
    size_t low_id, high_id; /* levels with the lowest and the highest mean */
    spot_sensitivity_index_t range; /* between these, in the metric's unit; the interval
                                       holds for the widest pair of levels. NAN bounds:
                                       unknown */
    spot_sensitivity_index_t share; /* of the variance, may fall a little below 0 */
    spot_sensitivity_index_t total; /* NAN where there is none */
} spot_key_effect_t;

typedef struct {
    spot_effects_kind_t kind;
    size_t num_used; /* points */
    size_t num_keys;
    double mean;             /* over the points, NAN where undefined, as below */
    double variance;         /* between points, without noise */
    spot_key_effect_t *keys; /* [num_keys] */
} spot_effects_t;

/* Intervals with a confidence, e.g. 0.95. BAD_PARAM: sizes; NO_MEMORY; > 0 an outcome.
 * Free self even then. O(points keys groups (groups + 20)). */
SPOT_MUST_CHECK int spot_effects_init(
    spot_effects_t *self, const spot_effects_data_t *data, double confidence);
void spot_effects_free(spot_effects_t *self);

#endif
