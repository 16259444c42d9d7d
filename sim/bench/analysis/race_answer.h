/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a race: the best point of the plan, its rivals, and the certainty. */
#pragma once

#include "sim/bench/analysis/race.h"

#define SPOT_NO_VALUE SIZE_MAX

/* The values of a swept key among the racing points, as indices of the axis. The best
 * value of the plan is one from low to high. If the metric has a single optimum along
 * the key, this optimum, which need not be in the plan, lies between the neighbours
 * below and above, whose points are all dominated. SPOT_NO_VALUE: the plan ends there.
 * Both SPOT_NO_VALUE: unknown, as a neighbour's points are out for another reason, or
 * the means contradict a single optimum. */
typedef struct {
    bool is_numeric;   /* else the values have no order: only num_racing is set */
    size_t num_values; /* of the axis */
    size_t num_racing; /* of these, distinct */
    size_t low_id, high_id;
    size_t below_id, above_id;
    bool is_limited; /* all points of a neighbour break a constraint */
} spot_race_range_t;

typedef struct {
    spot_race_t race;
    size_t num_points[SPOT_NUM_FATES];
    size_t num_undecided;      /* racing points that may break a constraint */
    size_t num_constant;       /* racing points with is_constant */
    size_t num_doubtful;       /* racing points with is_doubtful */
    int64_t num_runs;          /* replications of the race */
    int64_t num_runs_of_grid;  /* if every point had as many as a racing one */
    int64_t num_runs_of_plan;  /* if every point had the maximum */
    double regret;             /* INFINITY without a best */
    double sureness;           /* the share of bootstrap resamples (of blocks of replications, the
                                  same for all points) in which the best point is the best of the
                                  feasible racing ones; a tie of k counts 1/k. NAN: no best, or the
                                  metric is a quantile, whose values do not add up */
    spot_race_range_t *ranges; /* [num_axes] */
} spot_race_answer_t;

/* Replays the race from the rows of a store, as far as they go. Errors of reading,
 * NO_MEMORY; free self even then. O(rows + racing points x 256000). */
SPOT_MUST_CHECK int spot_race_answer_init(spot_race_answer_t *self, const spot_store_t *store);
void spot_race_answer_free(spot_race_answer_t *self);
