/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race for the best point of a plan: all points start, those that are worse with
 * confidence stop, the others go on. A racing algorithm after Maron and Moore (Advances
 * in Neural Information Processing Systems 6, 1994) with paired differences under common
 * random numbers (Law, Simulation Modeling and Analysis, 5th ed., section 11.2) and
 * Bonferroni's bound over points, constraints and rounds: the answer as a whole holds
 * with the confidence asked for.
 *
 * A race is a function of the rows in a store: it can be told again from them alone, and
 * does not depend on who ran them when. Means are known by Student's intervals, made
 * right for skewed values (base/skewed.h); but what has not happened in any replication
 * is taken never to happen, so the minimum of replications must be large enough to see
 * what matters. */
#ifndef SPOT_SIM_ANALYSIS_RACE_H
#define SPOT_SIM_ANALYSIS_RACE_H

#include "base/skewed.h"
#include "sim/store/store.h"

typedef enum {
    SPOT_FATE_RACING,     /* may be the best, as far as is known */
    SPOT_FATE_DOMINATED,  /* another point is better, with confidence */
    SPOT_FATE_INFEASIBLE, /* breaks a constraint, with confidence */
    SPOT_FATE_UNDEFINED,  /* the metric is null too often */
    SPOT_NUM_FATES
} spot_fate_t;

/* "racing", "dominated", "infeasible", "undefined". */
extern const char *const spot_fate_names[SPOT_NUM_FATES];

/* The share of replications in which a metric may be null. They are left out, which
 * flatters a point: one with more of them never leads, and is out once that is sure. */
#define SPOT_RACE_MAX_NULLS 0.01

typedef struct {
    spot_fate_t fate;
    bool is_feasible;      /* keeps all constraints, with confidence */
    bool is_constant;      /* of the values of the best, of the differences of another
                              point to it, or of those of a constraint all are the same:
                              they tell nothing of what happens in fewer than about 3
                              of num_rows replications */
    int64_t num_rows;      /* replications that its fate rests on */
    double gain;           /* racing: how much better than the best it may be, at most;
                              INFINITY: nothing is known yet */
    spot_moments_t values; /* of the metric; num_values is less where it is null */
    spot_skewed_t *constrained; /* [num_constraints] */
    double *row_values;         /* [num_rows] of the metric while it races, else NULL */
} spot_runner_t;

typedef struct {
    const spot_study_head_t *head;
    size_t metric_id;
    size_t *constraint_ids; /* [num_constraints] metrics */
    double confidence;      /* of each of the intervals, so that all of them hold */
    int64_t num_rows;       /* of every point that races */
    bool is_over;
    bool has_best;              /* a point that keeps all constraints, with confidence */
    size_t best_id;             /* of these the one with the best mean */
    size_t num_racing;          /* points, the best included */
    spot_runner_t *runners;     /* [num_points] */
    spot_skewed_t *constrained; /* [num_points][num_constraints] */
} spot_race_t;

/* The head's optimise must have a metric. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_race_init(spot_race_t *self, const spot_study_head_t *head);
void spot_race_free(spot_race_t *self);

/* Replications of every racing point at the end of the next round, and of one of them: a
 * fixed point has one, which counts as all of them. */
int64_t spot_race_target(const spot_race_t *self);
int64_t spot_race_point_target(const spot_race_t *self, size_t point_id);

/* Plays the next round: the store has all racing points up to the target. Errors of
 * reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_race_advance(spot_race_t *self, const spot_store_t *store);

/* Plays all rounds whose rows are there. is_over tells whether those were all. */
SPOT_MUST_CHECK int spot_race_replay(spot_race_t *self, const spot_store_t *store);

/* Whether nothing that matters can change any more: at most one point is left, or none
 * can be better than the best by more than does not matter. */
bool spot_race_is_decided(const spot_race_t *self);

/* How much better than the best any point may be, at most, in the metric's unit.
 * INFINITY without a best. */
double spot_race_regret(const spot_race_t *self);

#endif
