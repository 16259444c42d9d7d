/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains a ranking of fits in plain words: the best family, how sure it is, what it
 * gets wrong, and what it says nothing about. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "traces/describe/sample.h"
#include "traces/fit/fit_advice.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"

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

/* The meaning of an AIC lower by difference, "hardly better than" ... "far better than".
 * Burnham and Anderson, Sociol. Methods Res. 33(2), 2004. */
const char *spot_fit_difference_words(double difference);
