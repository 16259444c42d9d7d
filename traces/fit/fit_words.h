/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences of a fit, in plain words.
 *
 * This module owns what is said of a ranking (the best family, how sure it is, what it
 * gets wrong, what it says nothing about), the doubts about a generator model whose
 * recording is short or quiet, and the closing advice: what no fit can know, the
 * recommended generator and the next command to type.
 *
 * Use: zero a spot_fit_words_t; spot_fit_words_of_law(), spot_fit_doubts() and others
 * append sentences to it; print its lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

/* A list of sentences for people. */
#define SPOT_FIT_MAX_LINES 16
#define SPOT_FIT_LINE_BYTES 2048

typedef struct {
    size_t num_lines;
    char lines[SPOT_FIT_MAX_LINES][SPOT_FIT_LINE_BYTES]; /* sentences, no line end */
} spot_fit_words_t;

/* Appends a sentence; drops it if the list is full. */
void spot_fit_say(spot_fit_words_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* Inputs of the advice after all tables. */
typedef struct {
    const char *path;               /* of the input, as typed */
    const char *model_path;         /* of the model that was written, or NULL */
    bool is_lifetimes;              /* the input is a lifetimes file */
    bool is_obtainable;             /* a trace of kind availability */
    bool is_tested;                 /* p-values were computed, or do not exist */
    const spot_law_t *lifetime;     /* of the model's lives, or NULL */
    double lifetime_ks;             /* KS distance of its fit; NAN: unknown */
    spot_fit_cut_t cut;             /* of the lives; cut_s 0: none */
    const spot_fit_words_t *doubts; /* on a trace, or NULL */
    size_t num_events;              /* preemptions and additions; of a trace */
    double resolution_s;            /* 0: none */
} spot_fit_advice_t;

/* Writes the sentences after all tables: what no fit can know, the recommended generator
 * and, in the last line, the next command to type. */
void spot_fit_words_of_trace(spot_fit_words_t *self, const spot_fit_advice_t *advice);

/* Warns if the law of lives is far from the sample (KS above 0.1). */
void spot_fit_say_far_life(spot_fit_words_t *self, const spot_law_t *law, double ks);

/* ---- Doubts about a generator model whose recording is short or quiet ---- */

/* Writes a sentence on each type with too few events, and on a silence before the first
 * event or after the last one that is longer than any gap between events and than a
 * tenth of the recording. model: "block", "mrp" or "seed", or NULL: any of them.
 * NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_doubts(
    spot_fit_words_t *self, const spot_trace_t *trace, const char *model);

/* Facts about a sample besides its values. */
typedef struct {
    const char *what;    /* its name, e.g. "preempt-gap" */
    bool is_first;       /* include sentences that do not depend on the likelihood */
    double resolution_s; /* of the recorder; 0: none */
    double tick_s;       /* of the likelihood; 0: continuous */
    bool is_life;        /* lifetimes that were not cut: there may be a wall */
    bool lacks_limit;    /* bathtub was left out, as no limit is given */
} spot_fit_view_t;

/* Explains fits of durations. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fit_words_of_law(spot_fit_words_t *self, const spot_fit_view_t *view,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample);

/* Explains fits of sizes; fits are ordered by AIC. For laws of a size alone, a sentence
 * warns of few events. */
void spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const spot_size_sample_t *sample);
