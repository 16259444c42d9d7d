/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closing words of a fit: what none can know, and the generator to take. */
#ifndef SPOT_TRACES_FIT_FIT_ADVICE_H
#define SPOT_TRACES_FIT_FIT_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/fit/fit_deadline.h"
#include "traces/fit/fit_lines.h"
#include "traces/laws/law.h"

/* What the advice behind all tables depends on. */
typedef struct {
    const char *path;               /* of the input, as typed */
    const char *model_path;         /* of the model that was written, or NULL */
    bool is_lifetimes;              /* the input is a lifetimes file */
    bool is_obtainable;             /* a trace of kind availability */
    bool is_tested;                 /* p-values were asked for, or do not exist */
    const spot_law_t *lifetime;     /* to generate from, or NULL */
    double lifetime_ks;             /* of its fit, NAN: not known */
    spot_fit_cut_t cut;             /* of the lives; cut_s 0: none */
    const spot_fit_words_t *doubts; /* on a trace, or NULL */
    size_t num_events;              /* preemptions and additions; of a trace */
    double resolution_s;            /* 0: none */
} spot_fit_advice_t;

/* Behind all tables: what no fit can know, the generator to take, and, in the last line,
 * the command to type next. */
void spot_fit_words_of_trace(spot_fit_words_t *self, const spot_fit_advice_t *advice);

/* A warning, where the law of lives to generate from is far from the sample. */
void spot_fit_say_far_life(spot_fit_words_t *self, const spot_law_t *law, double ks);

#endif
