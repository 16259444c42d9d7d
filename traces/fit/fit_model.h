/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitted generator models as YAML: what `trace generate` reads, and what a scenario
 * takes as its `trace:`. */
#ifndef SPOT_TRACES_FIT_FIT_MODEL_H
#define SPOT_TRACES_FIT_FIT_MODEL_H

#include <stdio.h>

#include "traces/fit/fit_hourly.h"
#include "traces/fit/fit_lines.h"
#include "traces/fit/fit_mrp.h"
#include "traces/fit/fit_seed.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

/* What stands in the comments, and what a model may have besides. */
typedef struct {
    const spot_trace_t *trace;       /* that was fitted; its name is that of the model */
    const char *source;              /* the file as the user named it */
    const char *version;             /* of the program */
    const spot_law_t *lifetime;      /* a personal deadline of each instance, or NULL */
    const spot_fit_hourly_t *hourly; /* or NULL */
    const spot_fit_words_t *doubts;  /* on the model, for comments, or NULL */
} spot_fit_origin_t;

/* Numbers are the shortest text that reads back. Errors of the stream are its own. */
void spot_mrp_write(const spot_mrp_t *self, const spot_fit_origin_t *origin, FILE *out);

/* The seed model knows neither lifetimes nor hours. */
void spot_seed_write(
    const spot_seed_t *self, const spot_fit_origin_t *origin, FILE *out);

/* {family: NAME, PARAMETER: NUMBER, ...}, with selector "family" or "law". */
void spot_fit_write_law(FILE *out, const char *selector, const spot_law_t *law);

/* Preemptions and additions of a trace. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_num_events(size_t *num_events, const spot_trace_t *trace);

/* A model that is the recording itself: generator "block" (pieces of it) or "replay".
 * path: of the trace, as seen from where the model will be. */
void spot_recorded_write(const char *generator, const char *path, size_t num_events,
    const spot_fit_origin_t *origin, FILE *out);

#endif
