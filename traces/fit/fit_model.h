/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes fitted generator models as YAML, which `trace generate` reads and a scenario
 * accepts as its `trace:`. */
#pragma once

#include <stdio.h>

#include "traces/fit/fit_advice.h"
#include "traces/fit/fit_generator.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

/* Contents of the comments, and optional parts of a model. */
typedef struct {
    const spot_trace_t *trace;       /* the recording; the model has its name */
    const char *source;              /* the file as the user named it */
    const char *version;             /* of the program */
    const spot_law_t *lifetime;      /* a personal deadline of each instance, or NULL */
    const spot_fit_hourly_t *hourly; /* rates by hour, or NULL */
    const spot_fit_words_t *doubts;  /* about the model, for comments, or NULL */
} spot_fit_origin_t;

/* Writes each number as the shortest text that reads back the same. The caller checks
 * out for errors. */
void spot_mrp_write(const spot_mrp_t *self, const spot_fit_origin_t *origin, FILE *out);

/* The seed model has neither lifetimes nor hours: both are ignored. */
void spot_seed_write(const spot_seed_t *self, const spot_fit_origin_t *origin, FILE *out);

/* Writes {family: NAME, PARAMETER: NUMBER, ...}; selector is "family" or "law". An
 * infinite setting is written as none. */
void spot_fit_write_law(FILE *out, const char *selector, const spot_law_t *law);

/* Counts the preemptions and additions of a trace. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_num_events(size_t *num_events, const spot_trace_t *trace);

/* Writes a model that consists of the recording: generator "block" (pieces of it) or
 * "replay". path: of the trace, relative to the folder of the model. */
void spot_recorded_write(const char *generator, const char *path, size_t num_events,
    const spot_fit_origin_t *origin, FILE *out);

/* The path of a file as a model names it: paths in a model start at its folder. Relative
 * if both files are below a common folder other than the root, so that this folder can
 * be moved; else absolute, also for a model on standard output (NULL or "-"). The caller
 * frees it. NULL: no memory, or no such folder. */
SPOT_MUST_CHECK char *spot_fit_path_from_model(const char *path, const char *model_path);
