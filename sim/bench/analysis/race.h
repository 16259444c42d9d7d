/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race for the best point of a plan: all points start, points that are worse with
 * confidence stop, the others go on. A racing algorithm after Maron and Moore (Advances
 * in Neural Information Processing Systems 6, 1994) with paired differences under common
 * random numbers (Law, Simulation Modeling and Analysis, 5th ed., section 11.2).
 * Bonferroni's bound over points, constraints and rounds gives the whole answer the
 * requested confidence.
 *
 * A race depends only on the rows of a store, not on when or where they were run. Means
 * and ratios have Student's intervals, corrected for skewness (base/intervals.h); those of
 * probabilities and quantiles are exact. Where points are compared, an event that occurs
 * in no replication counts as impossible for means and ratios, so the minimum of
 * replications must be large enough to include rare events that matter. A limit on a
 * mean or a ratio is neither kept nor broken by one that is constant or has the mark of
 * a heavy tail: see is_doubtful. */
#pragma once

#include "base/memory.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/analysis/summary.h"

typedef struct {
    int64_t num_rows;        /* replications in the store */
    int64_t num_asked;       /* replications that the study asks for, at most */
    size_t num_points;       /* of the study */
    int64_t fewest, most;    /* replications of a point, without complete fixed points */
    size_t num_unfinished;   /* points without all replications and, with until, without
                                the precision; with optimise: points that still race */
    size_t num_imprecise;    /* with until: complete points without the precision */
    size_t num_constant;     /* with until: points whose values are all the same */
    int64_t fewest_constant; /* the fewest values of such a point */
} spot_completeness_t;

/* summaries: [num_points][num_metrics] of the store; may be NULL without until. A race that cannot
 * be replayed for another reason than memory counts as unfinished. NO_MEMORY. */
SPOT_MUST_CHECK int spot_store_completeness(
    const spot_store_t *store, const spot_summary_t *summaries, spot_completeness_t *completeness);

/* The same; reads rows only if until needs them. NO_MEMORY, errors of reading. */
SPOT_MUST_CHECK int spot_store_find_completeness(
    const spot_store_t *store, spot_completeness_t *completeness);

/* The same of a store on disk. BAD_INPUT, IO, NO_MEMORY with the reason in diag. */
SPOT_MUST_CHECK int spot_completeness_read(
    const char *path, spot_completeness_t *completeness, spot_diag_t *diag);

typedef enum {
    SPOT_FATE_RACING,     /* may be the best */
    SPOT_FATE_DOMINATED,  /* another point is better, with confidence */
    SPOT_FATE_INFEASIBLE, /* breaks a constraint, with confidence */
    SPOT_FATE_UNDEFINED,  /* the metric is null too often, or the point cannot run */
    SPOT_FATE_UNMEASURED, /* rests too much on what was not measured, and another point does
                             not */
    SPOT_NUM_FATES
} spot_fate_t;

/* "racing", "dominated", "infeasible", "undefined", "unmeasured". */
extern const char *const spot_fate_names[SPOT_NUM_FATES];

/* The largest share of replications in which a metric may be null. Nulls are left out of
 * the mean, so a point with more of them never leads, and leaves the race once that is
 * certain. */
#define SPOT_RACE_MAX_NULLS 0.01

typedef struct {
    spot_fate_t fate;
    bool is_feasible;             /* keeps all constraints, with confidence */
    bool is_measured;             /* rests on what was measured, by the estimate, or may be
                                     recommended all the same */
    bool is_beyond;               /* rests too much on what was not, with confidence; after the
                                     last round one of the two holds, by the estimate */
    bool has_beyond;              /* it may: */
    spot_estimate_t beyond;       /* how much of it does */
    bool is_constant;             /* its values, differences to the best, or values of a
                                     constraint are all the same; events in fewer than about 3
                                     of num_rows replications may be missing */
    bool is_doubtful;             /* a limit is kept, or broken, by the interval of a mean or a
                                     ratio that says nothing of rare events: all values are the
                                     same, and not by rule, or is_heavy of its summary; so it is open */
    int64_t num_rows;             /* replications used */
    double gain;                  /* racing: the most by which it may be better than the best;
                                     INFINITY: unknown */
    spot_estimate_t estimate;     /* of the metric */
    spot_estimate_t *constrained; /* [num_constraints] */
    spot_line_t line;             /* of the metric, by the rows used */
    double (*rows)[2];            /* [num_rows] numbers of the line while it races, else NULL; the
                                     first is NAN for null */
} spot_runner_t;

typedef struct {
    const spot_study_head_t *head;
    spot_arena_t memory;
    size_t metric_id;
    size_t *constraint_ids;   /* [num_constraints] metrics */
    bool *is_asked, *is_with; /* [num_metrics] for a while */
    double confidence;        /* of each of the intervals, so that all of them hold */
    int64_t num_rows;         /* of every point that races */
    bool is_over;
    bool has_best;                /* a point keeps all constraints, with confidence */
    size_t best_id;               /* the best estimate of such points */
    size_t num_racing;            /* points, the best included */
    spot_runner_t *runners;       /* [num_points] */
    spot_estimate_t *constrained; /* [num_points][num_constraints] */
} spot_race_t;

/* What too much of a runner's results rests on that was not measured, by the estimate,
 * in words; NULL: nothing. */
const char *spot_race_beyond(const spot_race_t *self, size_t point_id);
/* What runs show of a statement: of a race, whether the constraints can be kept: a point
 * is shown to keep all of them; none is left that may; or neither yet. */
typedef enum {
    SPOT_VERDICT_NO,
    SPOT_VERDICT_YES,
    SPOT_VERDICT_UNDECIDED,
    SPOT_NUM_VERDICTS
} spot_verdict_t;

/* "yes", "no", "undecided". */
extern const char *const spot_verdict_names[SPOT_NUM_VERDICTS];

/* The head's optimise must have a metric. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_race_init(spot_race_t *self, const spot_study_head_t *head);
void spot_race_free(spot_race_t *self);

/* Replications of every racing point at the end of the next round. A fixed point has one, which
 * counts as all of them. */
int64_t spot_race_target(const spot_race_t *self);

/* Plays the next round. The store must have all racing points up to the target. Errors
 * of reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_race_advance(spot_race_t *self, const spot_store_t *store);

/* Plays all rounds whose rows the store has; is_over is set if these are all rounds. */
SPOT_MUST_CHECK int spot_race_replay(spot_race_t *self, const spot_store_t *store);

/* Whether the answer is final: at most one point is left, or no point can be better than
 * the best by more than the study's indifference. */
bool spot_race_is_decided(const spot_race_t *self);

/* What text, JSON and exit codes say of the constraints. O(points). */
spot_verdict_t spot_race_verdict(const spot_race_t *self);

/* The points that are shown to keep all constraints, those that are dominated included. */
size_t spot_race_num_feasible(const spot_race_t *self);

/* Whether a point may be called the best: it is the only one left. */
static inline bool spot_race_has_winner(const spot_race_t *self)
{
    return self->has_best && self->num_racing == 1;
}

/* The most by which any point may be better than the best, in the metric's unit.
 * INFINITY without a best. */
double spot_race_regret(const spot_race_t *self);

/* ---- What its answer is ---- */

/* The answer of a race: the best point of the plan, its rivals, and the certainty. */

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
