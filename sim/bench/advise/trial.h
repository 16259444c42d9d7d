/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An advice under way, and its trials: points that are run to hold them against each other.
 *
 * An advising has the question, the alternatives and how many runs are left of those that
 * the advice may have. A trial is a study in memory of some points that meet the same
 * events; it grows, and says with intervals how often each point keeps the goal and what
 * it costs. */
#pragma once

#include "sim/bench/analysis/advice_result.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/engine/advice.h"
#include "sim/bench/study/run.h"

/* What is asked. */
typedef struct {
    const spot_experiment_t *const *engines;
    const char *path; /* of the scenario */
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE" of the scenario */
    spot_advice_question_t question;
    size_t num_remarks;
    const char *const *remarks; /* [num_remarks] of the inputs, which stand with the warnings */
    int64_t max_replications;   /* of an alternative that its runs must decide, >= 1 */
    int64_t max_runs;           /* of all alternatives; 0: as many as have SPOT_ADVICE_WORK */
    uint64_t seed;
    int64_t num_threads;
    atomic_int *stop; /* may be NULL */
    /* Progress of the search, as of spot_study_run_t; may be NULL. */
    void (*progress)(void *context, const spot_study_progress_t *progress);
    void *context;
} spot_advise_request_t;

/* Replications of the figures of the answer and of its rivals at least, and of the
 * search's first round. */
#define SPOT_ADVICE_FIGURE_RUNS 1024
#define SPOT_ADVICE_SEARCH_RUNS 128

typedef struct {
    const spot_advise_request_t *request;
    const spot_experiment_t *experiment;
    const spot_advice_t *advice;
    spot_yaml_t document;   /* the scenario with the question */
    void *scenario;         /* the same, bound */
    const char *study_path; /* where the study would stand: beside the scenario */
    spot_alternatives_t alternatives;
    size_t num_searched; /* of the alternatives, which come first; the others are screened */
    spot_advice_result_t *result;
    int64_t max_runs;   /* of all alternatives */
    int64_t first_runs; /* of each in the first round of the search */
    bool is_short;      /* some part of the answer would have had more */
    size_t num_final;   /* alternatives that came to the last look, where runs are few */
    spot_diag_t *diag;
    spot_diag_t quiet; /* of the studies, whose points repeat what diag has */
} spot_advising_t;

/* ---- Alternatives ---- */

/* Binds the scenario of an alternative. why: why it does not compete, in texts of the
 * result; NULL: it does. can_run, which may be NULL: it can be simulated, whether it
 * competes or not. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_advising_look(
    spot_advising_t *self, const spot_alternative_t *item, const char **why, bool *can_run);

/* So many of the runs that are wanted: up to a share of those that are left, and at least so many.
 * Where runs are few that leaves enough of them to decide. */
int64_t spot_advising_afford(
    spot_advising_t *self, int64_t wanted, double share_of_left, int64_t least);

/* ---- Points that are run, in studies ---- */

/* Writes the scenario with the values of a point into it. "" after an error, which
 * texts, its owner, keeps. */
const char *spot_advising_scenario_text(
    const spot_advising_t *self, spot_texts_t *texts, const char *point);

/* Writes a study of points: the search if num_runs is 0, else so many runs of each.
 * more: "KEY: VALUE" that each point has besides; NULL: nothing. texts own it. */
const char *spot_advising_study_text(const spot_advising_t *self, spot_texts_t *texts,
    size_t num_points, const char *const *points, const char *more, int64_t num_runs,
    uint64_t seed);

/* Reads such a text. Errors as spot_study_init(), their reasons in quiet; free study
 * even then. */
SPOT_MUST_CHECK int spot_advising_study(
    spot_advising_t *self, const char *text, spot_study_t *study);

/* Runs of some points, which meet the same events. The trial grows: what was run is
 * kept. */
typedef struct spot_trial_point spot_trial_point_t;
typedef struct {
    spot_advising_t *advising;
    spot_study_t study;
    spot_store_t *store;
    size_t num_points;
    spot_trial_point_t *points; /* [num_points] */
} spot_trial_t;

typedef struct {
    int64_t most; /* runs of each point */
    uint64_t seed;
    unsigned fixed; /* bit j: all runs of point j are the same, as the engine says */
} spot_trial_plan_t;

/* more as of spot_advising_study_text(). A point that the engine refuses: BAD_INPUT, not
 * reported. Free self even then. */
SPOT_MUST_CHECK int spot_trial_init(spot_trial_t *self, spot_advising_t *advising,
    size_t num_points, const char *const *points, const char *more, const spot_trial_plan_t *plan);
void spot_trial_free(spot_trial_t *self);

/* Runs the points until each has num_runs; one that is fixed counts one. INTERRUPTED, and
 * errors as spot_study_run(). */
SPOT_MUST_CHECK int spot_trial_grow(spot_trial_t *self, int64_t num_runs);

bool spot_trial_is_fixed(const spot_trial_t *self, size_t point_id);

/* The probability that a point keeps the goal, or that it costs no more than the budget:
 * Clopper and Pearson's interval; of a fixed point it is known. */
spot_probability_t spot_trial_goal(const spot_trial_t *self, size_t point_id, double confidence);
spot_probability_t spot_trial_in_budget(
    const spot_trial_t *self, size_t point_id, double confidence);

/* The interval of the mean cost. */
void spot_trial_cost(
    const spot_trial_t *self, size_t point_id, double confidence, double *low, double *high);

/* By how much the mean cost of x is above that of y, of the same runs. */
void spot_trial_dearer(
    const spot_trial_t *self, size_t x, size_t y, double confidence, double *low, double *high);

/* Whether the runs of a point meet the goal where those of another trial do, and cost the
 * same: the first ones, which both have. */
void spot_trial_compare(const spot_trial_t *self, const spot_trial_t *other, size_t point_id,
    bool *is_goal_same, bool *is_cost_same);

/* Each interval alone has SPOT_CONFIDENCE. */
void spot_trial_figures(const spot_trial_t *self, size_t point_id, spot_advice_figures_t *figures);

/* The recording on which the point keeps the goal least often, of those that take turns,
 * and how often, with an interval that holds at SPOT_CONFIDENCE for the worst of them. There are
 * two recordings or more. */
size_t spot_trial_worst_trace(const spot_trial_t *self, size_t point_id, spot_probability_t *p);
