/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an engine knows of a question about money and time: an optional second table. It
 * puts the question into a scenario and says what may be chosen; the search is that of
 * the bench (sim/bench/advise). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/yaml.h"

/* The question. Durations in ms. */
typedef struct {
    int64_t num_steps;          /* work to be done; 0: not given */
    int64_t finish_by_ms;       /* 0: not given */
    const char *finish_by_date; /* as it was given; NULL: finish_by_ms was */
    double sure;                /* probability that the goal is to be met with */
    double budget;              /* limit of the 95th percentile of the cost; INFINITY: none */
    int64_t max_fleet;          /* most instances; 0: as many as the scenario has */
    const char *recovery;       /* recovery systems that are searched, with commas between, or
                                   "all"; NULL: what can be rented and run today */
    size_t num_traces;
    const char *const *traces; /* [num_traces] recorded traces, weighed equally; 0: the
                                  trace of the scenario */
    bool is_running;           /* the job runs already: */
    int64_t progress;          /* of its work, done */
    int64_t elapsed_ms;        /* since its start */
    int64_t running;           /* instances that it has now */
    const char *now_path;      /* its own trace, from its start to now */
} spot_advice_question_t;

/* The kind of the alternative to go on with what a job that runs has. */
#define SPOT_ADVICE_AS_IT_IS "as it is"

/* One that may be chosen. */
typedef struct {
    const char *point;    /* a YAML map from keys of the scenario to values, on a line */
    const char *words;    /* what is rented and how: "24 spot instances, checkpoint" */
    const char *kind;     /* its market: "spot", "on demand", "mixed" */
    const char *assumed;  /* what is assumed of it beyond the inputs; NULL: nothing */
    const char *screened; /* it is not searched, but seen beside an answer of its size and
                             kind: "parcae, a research system"; NULL: it is searched */
    const char *system;   /* the same, its name alone */
    const char *fleet;    /* what is rented, without how it is used; NULL: nothing is screened */
    bool is_fixed;        /* nothing of it is left to chance, though the scenario has chance */
    int64_t size;         /* of the fleet, instances */
    int64_t played_ms;    /* of its time, passed already: its runs play it too */
} spot_alternative_t;

/* Zero it to start. */
typedef struct {
    spot_texts_t texts;
    const char *goal;       /* the estimate to be at least sure: "probability(met_deadline)" */
    const char *goal_words; /* "to be done by 5 d" */
    const char *goal_from;  /* where a goal comes from that the question does not give, as a
                               sentence; NULL: it gives it */
    size_t num_items, max_items;
    spot_alternative_t *items; /* [num_items], with the same keys in each point */
    size_t num_left_out, max_left_out;
    const char **left_out; /* [num_left_out] what was not considered and why */
    size_t num_notes, max_notes;
    const char **notes; /* [num_notes] what the answer rests on */
    size_t num_urgent, max_urgent;
    const char **urgent;   /* [num_urgent] doubts that touch the verdict: short sentences
                              that stand in the first three lines of an answer */
    double run_work;       /* of a run, in events that it simulates, of about a microsecond each;
                              0: little */
    int64_t largest_known; /* no larger size is proposed, as nothing is known of it; 0: all that
                              the question allows are */
    const char *why_not_larger; /* with it, behind a no: "larger than 24 was not looked at: no
                                   step time is known there"; else NULL */
    int error;                  /* NO_MEMORY */
} spot_alternatives_t;

void spot_alternatives_free(spot_alternatives_t *self);

/* Something that may be otherwise than it was taken, by a factor. */
typedef struct {
    const char *noun;  /* "preemptions" */
    const char *words; /* of a factor: "times as frequent" */
    double most;       /* factor up to which it is looked at, and by which it is divided */
    /* Writes "KEY: VALUE" of a scenario at a factor, without a line end. Returns false
     * if the scenario has no such thing. */
    bool (*change)(const void *scenario, const spot_node_t *root, double factor, FILE *out);
    /* Without change(): paths of numbers that have the factor, with blanks between;
     * those after '/' are divided by it. A generator's that is not given is 1. */
    const char *numbers;
    bool is_price; /* it has a bearing on what is paid alone */
} spot_advice_doubt_t;

typedef struct {
    const char *cost;                  /* metric whose mean is to be least: "cost_usd" */
    const char *cost_unit;             /* of amounts in sentences: "an hour"; NULL: that of cost */
    const char *time;                  /* metric of the time that is said; NULL: none */
    int64_t mean_runs;                 /* of the search, for each alternative; 0: 333 */
    int64_t factor_runs;               /* of a break-even at each factor, at most */
    const spot_advice_doubt_t *doubts; /* up to one without noun */
    /* Puts the question into the scenario before it is bound. BAD_INPUT with the reason
     * in diag, NO_MEMORY. */
    int (*pose)(const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag);
    /* Appends what may be chosen. scenario: as posed and bound; root: its document.
     * Errors as above. */
    int (*propose)(const spot_advice_question_t *question, const void *scenario,
        const spot_node_t *root, spot_alternatives_t *alternatives, spot_diag_t *diag);
} spot_advice_t;

/* Sets "KEY=VALUE" of a scenario, printed. Errors as spot_yaml_assign(). */
SPOT_MUST_CHECK int spot_advice_set(
    spot_yaml_t *scenario, spot_diag_t *diag, const char *format, ...) SPOT_PRINTF(3, 4);

/* Writes the path of a file, quoted, so that the study, which is read as a file beside
 * the scenario, finds it: as it is given where the scenario is in the same folder. */
void spot_advice_write_path(const char *path, const char *scenario_path, FILE *out);

/* Puts a trace that is replayed from random starts in place of the value of a key such
 * as "trace": the recordings of the question, else the file that the value names.
 * Without either it changes nothing. Errors as spot_yaml_assign(). */
SPOT_MUST_CHECK int spot_advice_replay(const spot_advice_question_t *question, const char *key,
    spot_yaml_t *scenario, spot_diag_t *diag);

/* Adds what is urgent to say of num_traces recordings of which nothing was ever lost in
 * num_lossless. */
void spot_advice_doubt_lossless(
    spot_alternatives_t *alternatives, size_t num_traces, size_t num_lossless);

/* What is assumed of so many instances on spot where the recordings had at most peak
 * (0: there are no recordings); NULL: nothing. */
const char *spot_advice_beyond(spot_texts_t *texts, int64_t peak, int64_t num_spot);

/* Writes the numbers of a doubt at a factor, as change(). */
bool spot_advice_scale(const spot_node_t *root, const char *numbers, double factor, FILE *out);

/* By when, for sentences: "within 6 d", or of a date "by 2026-06-14 02:00 +02:00, 6 d after the
 * start". is_from_now: duration_ms is counted from now, which is said. */
const char *spot_advice_by(spot_texts_t *texts, const spot_advice_question_t *question,
    int64_t duration_ms, bool is_from_now);

/* A duration for sentences: exact where that is short ("90 min", "6 d"), else in hours or
 * days. */
const char *spot_advice_duration(spot_texts_t *texts, int64_t duration_ms);

/* A node as YAML on one line, for a point. NULL: no memory. */
const char *spot_advice_flow(spot_texts_t *texts, const spot_node_t *node);
