/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an advice. Internal to sim/bench/advise. */
#pragma once

#include "sim/bench/advise/advise.h"
#include "sim/bench/analysis/race_answer.h"

/* Replications of promised figures, of other looks, and of the search's first round. */
#define SPOT_ADVICE_PROMISE_RUNS 1024
#define SPOT_ADVICE_PROBE_RUNS 256
#define SPOT_ADVICE_SEARCH_RUNS 128

typedef struct {
    const spot_advise_request_t *request;
    const spot_experiment_t *experiment;
    const spot_advice_t *advice;
    spot_yaml_t document;   /* the scenario with the question */
    void *scenario;         /* the same, bound */
    const char *study_path; /* where the study would stand: beside the scenario */
    spot_alternatives_t alternatives;
    spot_advice_result_t *result;
    spot_diag_t *diag;
    spot_diag_t quiet; /* of the studies, whose points repeat what diag has */
} spot_advising_t;

/* ---- advise.c ---- */

/* Binds the scenario of an alternative. why: why it does not compete, in texts of the
 * result; NULL: it does. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_advising_look(
    spot_advising_t *self, const spot_alternative_t *item, const char **why);

/* ---- measure.c ---- */

/* Runs that may still be spent without those of the promise, and of a job as it is. */
int64_t spot_advising_left(const spot_advising_t *self);

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

/* Runs each point num_runs times and sets figures[num_points]. worst: of the first
 * point, the probability and number of the recording with the least one of num_traces
 * that take turns; may be NULL. A point that the engine refuses: BAD_INPUT, not
 * reported. */
typedef struct {
    double p;
    size_t trace_id;
} spot_advice_worst_t;
SPOT_MUST_CHECK int spot_advising_measure(spot_advising_t *self, size_t num_points,
    const char *const *points, const char *more, int64_t num_runs, uint64_t seed,
    spot_advice_figures_t *figures, spot_advice_worst_t *worst);

/* Whether figures keep the goal and the budget. */
bool spot_advising_is_met(const spot_advising_t *self, const spot_advice_figures_t *figures);

/* ---- choose.c ---- */

/* Names the answer, its rivals and, without one, larger fleets. */
SPOT_MUST_CHECK int spot_advising_choose(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store);

/* ---- doubts.c ---- */

/* Searches the factors at which the answer changes. */
SPOT_MUST_CHECK int spot_advising_doubt(spot_advising_t *self);
