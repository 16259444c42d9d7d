/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a question about money and time, as sim/bench/advise finds it and
 * reports print it. Texts belong to it. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/engine/advice.h"

/* The least probability to cost no more than the budget. */
#define SPOT_ADVICE_SURE_OF_BUDGET 0.95

/* A share of all runs, with an interval. */
typedef struct {
    double value, low, high;
} spot_probability_t;

/* What runs say of an alternative. Costs in the unit of the cost, times in s. Each interval
 * holds with SPOT_CONFIDENCE; those of the answer, and of what was tried before it, at all
 * looks, and that of p for all of these at once. */
typedef struct {
    int64_t num_runs;                 /* 1: of a fixed one, of which all is known */
    double p, p_low, p_high;          /* probability that the goal is met */
    double cost, cost_low, cost_high; /* mean */
    double cost_p50, cost_p95;
    double time_p50_s, time_p95_s; /* INFINITY: later than the runs go; NAN: none */
    spot_probability_t in_budget;  /* of the runs that cost no more than the budget; as p;
                                NAN: no budget */
} spot_advice_figures_t;

/* An alternative that the answer names. */
typedef struct {
    const char *point; /* a YAML map */
    const char *words;
    const char *kind;              /* its market */
    const char *assumed;           /* NULL: nothing */
    const char *beyond;            /* what it rests on that was not measured, as words of
                                      spot_beyond_t; NULL: nothing */
    bool is_left_out;              /* for that: it is named where nothing else will do */
    int64_t size;                  /* instances */
    spot_verdict_t verdict;        /* whether it keeps the goal and the budget, by its figures */
    spot_advice_figures_t figures; /* of runs that the search did not choose by */
    bool is_fixed;                 /* all its runs are the same */
    size_t worst_trace_id;         /* of several recordings the one with the least p, if it was */
    spot_probability_t worst_p;    /* looked for, and that p */
} spot_advised_t;

/* An alternative as the search saw it. */
typedef struct {
    const char *kind; /* its market */
    int64_t size;     /* instances */
    double cost, p;   /* estimates */
    bool is_met;      /* by these */
} spot_advice_searched_t;

/* A factor of something at which the answer becomes another one. */
typedef struct {
    const char *noun, *words; /* "preemptions", "times as frequent" */
    bool is_less;             /* it was looked for below 1, down to most */
    double most;              /* the factor up to which it was looked for */
    const char *why;          /* what happens there, in words; NULL: the answer stays as
                                 far as most */
    double near, far;         /* it lies between them with SPOT_CONFIDENCE, near the nearer
                                 one to 1; far is INFINITY, or 0 if is_less, where runs do
                                 not show that the answer changes */
    int64_t num_runs;         /* at each factor at most */
} spot_advice_break_even_t;

/* What cannot be rented and run today, seen in few runs beside the answer. */
typedef struct {
    const char *words;  /* "parcae, a research system" */
    const char *system; /* its name alone */
    double ratio;       /* of its mean cost to that of the answer, in the same runs */
    double p;           /* of these runs */
    int64_t num_runs;
} spot_advice_screened_t;

typedef struct {
    spot_texts_t texts;
    const char *question;   /* in words */
    const char *goal_words; /* "to be done by 5 d" */
    const char *goal_from;  /* where a goal comes from that was not asked for, as a sentence;
                               NULL: it was */
    const char *cost_unit;  /* "USD" */
    double sure, budget;    /* as asked; budget INFINITY: none */
    bool is_asked;          /* what is not considered was asked for */
    spot_verdict_t verdict; /* whether an alternative keeps the goal and the budget */
    double regret;          /* with the confidence of the race, no other alternative that
                               keeps the limits has a mean cost lower by more */
    size_t num_advised, max_advised;
    spot_advised_t *advised; /* [num_advised] the answer, or without a yes what comes nearest;
                                then the cheapest of each other market, and the
                                runner-up */
    size_t runner_up_id;     /* of advised; 0: none */
    size_t num_open, max_open;
    spot_advised_t *open; /* [num_open] cheaper ones of which all runs did not show whether
                             they keep the limits */
    size_t num_passed_over, max_passed_over;
    spot_advised_t *passed_over; /* [num_passed_over] the cheapest that is left out for what was
                                    not measured, if it would be cheaper than the answer */
    size_t num_larger, max_larger;
    spot_advised_t *larger;     /* [num_larger] without a yes: larger fleets, by size */
    size_t num_larger_points;   /* alternatives that were looked at for them */
    const char *why_not_larger; /* why no larger ones were looked at; NULL: no reason */
    size_t num_break_evens, max_break_evens;
    spot_advice_break_even_t *break_evens;
    size_t num_screened, max_screened;
    spot_advice_screened_t *screened; /* [num_screened] that keep the goal, the cheapest first */

    size_t num_traces;
    const char *worst_trace;    /* of several, in the answer's runs; NULL: one or none */
    spot_probability_t worst_p; /* its interval holds for the worst of them */
    size_t num_searched, max_searched;
    spot_advice_searched_t *searched; /* [num_searched] all alternatives */
    size_t num_points, num_undecided; /* of the search */
    int64_t num_runs;                 /* of the search */
    int64_t num_other_runs;           /* for the verdict, larger fleets, break-evens */
    double passed_s;
    size_t num_left_out, max_left_out;
    const char **left_out; /* [num_left_out] not considered, and why */
    size_t num_notes, max_notes;
    const char **notes; /* [num_notes] what the answer rests on; the last num_remarks of them
                           are warnings of the inputs */
    size_t num_remarks;
    size_t num_urgent, max_urgent;
    const char **urgent;                    /* [num_urgent] doubts that stand beside the verdict */
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

static inline void spot_advice_result_free(spot_advice_result_t *self)
{
    spot_texts_free(&self->texts);
    free(self->advised);
    free(self->open);
    free(self->passed_over);
    free(self->larger);
    free(self->screened);
    free(self->urgent);
    free(self->searched);
    free(self->break_evens);
    free(self->left_out);
    free(self->notes);
}
