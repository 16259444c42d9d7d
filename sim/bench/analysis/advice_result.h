/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a question about money and time, as sim/bench/advise finds it and
 * reports print it. Texts belong to it. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"
#include "sim/bench/engine/advice.h"

/* What runs say of an alternative. Costs in the unit of the cost, times in s. Intervals
 * of p and cost hold together with SPOT_CONFIDENCE. */
typedef struct {
    int64_t num_runs;
    double p, p_low, p_high;          /* probability that the goal is met */
    double cost, cost_low, cost_high; /* mean */
    double cost_p50, cost_p95;
    double time_p50_s, time_p95_s; /* INFINITY: later than the runs go; NAN: none */
} spot_advice_figures_t;

/* An alternative that the answer names. */
typedef struct {
    const char *point; /* a YAML map */
    const char *words;
    const char *kind;              /* its market */
    const char *assumed;           /* NULL: nothing */
    int64_t size;                  /* instances */
    bool is_met;                   /* keeps the goal and the budget by its figures */
    spot_advice_figures_t figures; /* of runs that the search did not choose by */
} spot_advised_t;

/* An alternative as the search saw it. */
typedef struct {
    const char *kind; /* its market */
    int64_t size;     /* instances */
    double cost, p;   /* estimates */
    bool is_met;      /* by these */
} spot_advice_searched_t;

/* Up to which factor the answer stays what it is. */
typedef struct {
    const char *noun, *words; /* "preemptions", "times as frequent" */
    double factor;            /* at which it changes; INFINITY: not up to most */
    double low, high;         /* between which it changes, beyond noise; 1 to most */
    int64_t num_runs;         /* at each factor */
    double most;              /* factor up to which it was looked at */
    const char *why;          /* what happens there, in words; NULL: nothing */
} spot_advice_break_even_t;

typedef struct {
    spot_texts_t texts;
    const char *question;   /* in words */
    const char *goal_words; /* "to be done by 5 d" */
    const char *cost_unit;  /* "USD" */
    double sure, budget;    /* as asked; budget INFINITY: none */
    bool is_yes;            /* an alternative keeps the goal and the budget */
    double regret;          /* with the confidence of the race, no other alternative that
                               keeps the limits has a mean cost lower by more */
    size_t num_advised, max_advised;
    spot_advised_t *advised; /* [num_advised] the answer, or with no: what comes nearest;
                                then the cheapest of each other market, and the
                                runner-up */
    size_t runner_up_id;     /* of advised; 0: none */
    size_t num_larger, max_larger;
    spot_advised_t *larger;   /* [num_larger] of no: larger fleets, by size */
    size_t num_larger_points; /* alternatives that were looked at for them */
    size_t num_break_evens, max_break_evens;
    spot_advice_break_even_t *break_evens;
    size_t num_traces;
    const char *worst_trace; /* of several, in the answer's runs; NULL: one or none */
    double worst_p;
    size_t num_searched, max_searched;
    spot_advice_searched_t *searched; /* [num_searched] all alternatives */
    size_t num_points, num_undecided; /* of the search */
    int64_t num_runs;                 /* of the search */
    int64_t num_other_runs;           /* for the figures, larger fleets, break-evens */
    double passed_s;
    size_t num_left_out, max_left_out;
    const char **left_out; /* [num_left_out] not considered, and why */
    size_t num_notes, max_notes;
    const char **notes;                     /* [num_notes] what the answer rests on */
    const char *study_text, *scenario_text; /* YAML of the search and of the answer */
} spot_advice_result_t;

/* That alternative, or NULL: the job does not run yet. */
static inline const spot_advised_t *spot_advice_current(const spot_advice_result_t *self)
{
    for (size_t j = 0; j < self->num_advised; j++) {
        if (strcmp(self->advised[j].kind, SPOT_ADVICE_AS_IT_IS) == 0) {
            return &self->advised[j];
        }
    }
    return NULL;
}

/* Whether a job that runs keeps the goal as it is. */
static inline bool spot_advice_keeps_on(const spot_advice_result_t *self)
{
    const spot_advised_t *current = spot_advice_current(self);

    return current != NULL && current->is_met;
}

static inline void spot_advice_result_free(spot_advice_result_t *self)
{
    spot_texts_free(&self->texts);
    free(self->advised);
    free(self->larger);
    free(self->searched);
    free(self->break_evens);
    free(self->left_out);
    free(self->notes);
}
