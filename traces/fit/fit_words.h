/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a ranking of fits means, in plain words: which family, how sure, what it gets
 * wrong, and what it says nothing about. */
#ifndef SPOT_TRACES_FIT_FIT_WORDS_H
#define SPOT_TRACES_FIT_FIT_WORDS_H

#include <stddef.h>

#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"

#define SPOT_FIT_MAX_LINES 10
#define SPOT_FIT_LINE_BYTES 240

typedef struct {
    size_t num_lines;
    char lines[SPOT_FIT_MAX_LINES][SPOT_FIT_LINE_BYTES]; /* sentences, no line end */
} spot_fit_words_t;

/* Of durations. what: name of the sample, e.g. "preempt-gap"; resolution_s: of the
 * recorder, 0: none. */
SPOT_MUST_CHECK int spot_fit_words_of_law(spot_fit_words_t *self, const char *what,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample, double resolution_s);

/* Of sizes; fits by AIC. */
void spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what,
    const spot_size_fit_t *fits, size_t num_fits, const spot_size_sample_t *sample);

/* "hardly better" ... "far better": how much an AIC lower by difference means (Burnham
 * and Anderson, Sociol. Methods Res. 33(2), 2004). */
const char *spot_fit_difference_words(double difference);

#endif
