/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a ranking of fits means, in plain words: which family, how sure, what it gets
 * wrong, and what it says nothing about. */
#ifndef SPOT_TRACES_FIT_FIT_WORDS_H
#define SPOT_TRACES_FIT_FIT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"

#define SPOT_FIT_MAX_LINES 10
#define SPOT_FIT_LINE_BYTES 2048

typedef struct {
    size_t num_lines;
    char lines[SPOT_FIT_MAX_LINES][SPOT_FIT_LINE_BYTES]; /* sentences, no line end */
} spot_fit_words_t;

/* Of durations. what: name of the sample, e.g. "preempt-gap"; is_first: say too what
 * does not depend on the likelihood; resolution_s: of the recorder, 0: none. */
SPOT_MUST_CHECK int spot_fit_words_of_law(spot_fit_words_t *self, const char *what,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample, bool is_first,
    double resolution_s);

/* Of sizes; fits by AIC. Laws of a size alone also say how few the events are. */
void spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what,
    const spot_size_fit_t *fits, size_t num_fits, const spot_size_sample_t *sample);

/* What the advice behind all tables depends on. */
typedef struct {
    const char *path;           /* of the input, as typed */
    const char *model_path;     /* of the model that was written, or NULL */
    bool is_lifetimes;          /* the input is a lifetimes file */
    bool is_obtainable;         /* a trace of kind availability */
    bool is_tested;             /* p-values were asked for, or do not exist */
    const spot_law_t *lifetime; /* of the lifetimes file, or NULL */
    size_t num_events;          /* preemptions and additions; of a trace */
    double resolution_s;        /* 0: none */
} spot_fit_advice_t;

/* Behind all tables: what no fit can know, the generator to take, and, in the last line,
 * the command to type next. */
void spot_fit_words_of_trace(spot_fit_words_t *self, const spot_fit_advice_t *advice);

/* "hardly better" ... "far better": how much an AIC lower by difference means (Burnham
 * and Anderson, Sociol. Methods Res. 33(2), 2004). */
const char *spot_fit_difference_words(double difference);

#endif
