/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closing sentences of a fit: what no fit can know, and the recommended
 * generator. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "traces/fit/fit_deadline.h"
#include "traces/fit/fit_lines.h"
#include "traces/laws/law.h"

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
