/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit of one file, as `trace fit` asks for it.
 *
 * This module owns what was asked for, what was read, and the three things that are made
 * of it: ranked fits of its samples, a generator model, and the closing advice. Results
 * go to a sink as they come, so that whoever shows them needs no memory of all.
 *
 * Use: set request, sink and diag of a zeroed spot_fit_task_t; spot_fit_task_read(),
 * spot_fit_task_run(), spot_fit_task_advice(), spot_fit_task_free(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/watch.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_generator.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"
#include "traces/fit/fit_words.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

typedef enum {
    SPOT_LIKELIHOOD_DEFAULT,
    SPOT_LIKELIHOOD_CONTINUOUS,
    SPOT_LIKELIHOOD_LATTICE,
    SPOT_LIKELIHOOD_BOTH
} spot_likelihood_t;

typedef enum {
    SPOT_WHAT_GAPS,
    SPOT_WHAT_LIFETIMES,
    SPOT_WHAT_SPELLS,
    SPOT_WHAT_BULK,
    SPOT_WHAT_MRP,
    SPOT_WHAT_HOURLY,
    SPOT_WHAT_ALL
} spot_what_t;

typedef enum {
    SPOT_EMIT_NOTHING,
    SPOT_EMIT_BLOCK,
    SPOT_EMIT_MRP,
    SPOT_EMIT_REPLAY,
    SPOT_EMIT_SEED
} spot_emit_t;

/* All zero but for what, limit_s, start_hour and seed: everything as recorded. */
typedef struct {
    const char *path;
    const char *model_path; /* of the model; NULL or "-": standard output */
    const char *where;
    const char *families; /* "A,B"; NULL: all */
    int what;             /* spot_what_t */
    int likelihood;       /* spot_likelihood_t */
    int emit;             /* spot_emit_t */
    double tick_s;        /* 0: the resolution */
    double limit_s;       /* NAN: not known */
    double cut_s;         /* lives are censored there, 0: nowhere */
    int64_t num_rounds;   /* of the bootstrap, 0: none */
    int64_t start_hour;   /* -1: that of the trace */
    int64_t seed;
    bool is_hourly;
    bool has_lifetimes; /* puts their law into the mrp model */
} spot_fit_request_t;

/* Takes the results as they come. */
typedef struct {
    void *context;
    void (*laws)(void *context, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s,
        const spot_fit_ranking_t *ranking, const spot_fit_words_t *words);
    void (*sizes)(void *context, const char *what, const spot_fit_t *fits, size_t num_fits,
        const spot_size_sample_t *sample, const spot_fit_words_t *words);
    void (*hourly)(void *context, const spot_fit_hourly_t *hourly);
    spot_watch_t (*rounds)(void *context, const char *family); /* of a bootstrap */
} spot_fit_sink_t;

typedef struct {
    const spot_fit_request_t *request; /* must outlive self */
    spot_fit_sink_t sink;
    bool is_lifetimes; /* the input is a lifetimes file */
    spot_trace_t trace;
    spot_lifetimes_t lifetimes;
    const spot_family_t *families[SPOT_FIT_MAX_FAMILIES + 1]; /* none: all */
    spot_maximiser_t maximiser;
    spot_diag_t *diag;
    bool is_bad; /* a fit did not converge */
} spot_fit_task_t;

/* Whether the model is all that goes to standard output. */
bool spot_fit_is_model_alone(const spot_fit_request_t *request);

/* Reads the input and refuses what it does not have. self has a request, a sink and a
 * diag, the rest is zero. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_fit_task_read(spot_fit_task_t *self);
void spot_fit_task_free(spot_fit_task_t *self);

/* Writes the model that is asked for, and, if it is not alone, gives the fits that are
 * asked for to the sink. BAD_INPUT with the reason in diag, IO, NO_MEMORY,
 * INTERRUPTED. */
SPOT_MUST_CHECK int spot_fit_task_run(spot_fit_task_t *self);

/* The sentences after all fits. has_fits: there was a fit to show. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fit_task_advice(
    spot_fit_task_t *self, bool has_fits, spot_fit_words_t *words);

/* The path of a file as a model names it: paths in a model start at its folder. Relative
 * if both files are below a common folder other than the root, so that this folder can
 * be moved; else absolute, also for a model on standard output (NULL or "-"). The caller
 * frees it. NULL: no memory, or no such folder. */
SPOT_MUST_CHECK char *spot_fit_path_from_model(const char *path, const char *model_path);
