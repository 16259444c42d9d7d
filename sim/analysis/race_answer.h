/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a race says: the best point of the plan, what else may be the best, and how sure
 * that is. */
#ifndef SPOT_SIM_ANALYSIS_RACE_ANSWER_H
#define SPOT_SIM_ANALYSIS_RACE_ANSWER_H

#include "sim/analysis/race.h"

#define SPOT_NO_VALUE SIZE_MAX

/* The values of a swept key among the racing points, as indices of the axis. The best
 * value of the plan is one of those from low to high. Where the metric as a function of
 * the key has one optimum, this optimum, which need not be in the plan, lies between the
 * neighbours below and above, of which all points are dominated. SPOT_NO_VALUE: the plan
 * ends there; both: nothing is known, since points of a neighbour are out for another
 * reason or the means refute that there is one optimum. */
typedef struct {
    bool is_numeric;   /* else the values have no order: only num_racing is set */
    size_t num_values; /* of the axis */
    size_t num_racing; /* of these, distinct */
    size_t low_id, high_id;
    size_t below_id, above_id;
    bool is_limited; /* all points of a neighbour break the constraints */
} spot_race_range_t;

typedef struct {
    spot_race_t race;
    size_t num_points[SPOT_NUM_FATES];
    size_t num_undecided; /* racing points of which it is not known whether they keep
                             the constraints */
    size_t num_constant;  /* racing points that is_constant */
    int64_t num_runs;     /* replications that the race took */
    int64_t
        num_runs_of_grid; /* the same if every point had as many as those that race */
    int64_t num_runs_of_plan; /* the same if every point had the maximum */
    double regret;            /* INFINITY without a best */
    double sureness; /* the share of bootstrap resamples of blocks of replications, the
                        same for all points, in which the best point is the best of those
                        that race and keep the constraints, a tie of k counting 1/k; NAN
                        without a best */
    int num_resamples;
    spot_race_range_t *ranges; /* [num_axes] */
} spot_race_answer_t;

/* Tells the race of the rows in a store, as far as they go. Errors of reading,
 * NO_MEMORY; free self even then. O(rows + racing points x 256000). */
SPOT_MUST_CHECK int spot_race_answer_init(
    spot_race_answer_t *self, const spot_store_t *store);
void spot_race_answer_free(spot_race_answer_t *self);

#endif
