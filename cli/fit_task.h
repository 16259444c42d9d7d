/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of `trace fit`: what was asked for, what was read, and the three things that
 * are made of it: tables of fits (fit_samples.c), a generator model (fit_emit.c), and
 * the closing advice. Errors go to diag. */
#ifndef SPOT_CLI_FIT_TASK_H
#define SPOT_CLI_FIT_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/fit_table.h"
#include "traces/fit/fit_deadline.h"
#include "traces/fit/fit_hourly.h"
#include "traces/fit/fit_law.h"
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

typedef struct {
    const char *path;
    const char *output_path;
    const char *csv_path;
    const char *svg_folder; /* NULL: no pictures */
    const char *where;
    const char *families; /* NULL: all */
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
    bool has_lifetimes; /* --lifetimes: put their law into the mrp model */
    bool is_json;
    bool is_quiet;
} spot_fit_arguments_t;

typedef struct {
    const spot_fit_arguments_t *arguments; /* must outlive self */
    bool is_lifetimes;                     /* the input is a lifetimes file */
    spot_trace_t trace;
    spot_lifetimes_t lifetimes;
    const spot_family_t *families[SPOT_FIT_MAX_FAMILIES + 1]; /* none: all */
    spot_maximiser_t maximiser;
    spot_fit_table_t table;
    spot_diag_t diag;
    bool is_bad;       /* a fit did not converge */
    int picture_error; /* the first one; the tables are still printed */
} spot_fit_task_t;

/* Whether the model is all that goes to standard output. */
bool spot_fit_is_model_alone(const spot_fit_arguments_t *arguments);

/* Reads the input and refuses what it does not have. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_fit_task_read(spot_fit_task_t *self);
void spot_fit_task_free(spot_fit_task_t *self);

/* Of the recorder in s, 0: a lifetimes file. */
double spot_fit_task_resolution_s(const spot_fit_task_t *self);

/* A fit of a table did not converge: a warning, and the exit code. Beside a model only
 * what the model is made of counts. */
void spot_fit_task_not_converged(
    spot_fit_task_t *self, const char *what, const char *family);

/* The tables of all samples that are wanted. */
SPOT_MUST_CHECK int spot_fit_task_tables(spot_fit_task_t *self);

/* The law of the lives to generate from. */
typedef struct {
    spot_law_t law; /* family NULL: there is none */
    double ks;      /* of its fit */
    spot_fit_cut_t cut;
} spot_fit_lifetime_t;

/* Behind a cut with deaths a deadline; else the best law if it has a limit, else the
 * best one that keeps the mean. */
SPOT_MUST_CHECK int spot_fit_task_lifetime(
    spot_fit_task_t *self, spot_fit_lifetime_t *lifetime);

/* Rates by hour of day. BAD_INPUT: the hour of the start is not known. */
SPOT_MUST_CHECK int spot_fit_task_hours(
    spot_fit_task_t *self, spot_fit_hourly_t *hourly);

/* The generator model that is asked for, or mrp, to a path; NULL: standard output. */
SPOT_MUST_CHECK int spot_fit_task_emit(spot_fit_task_t *self, const char *path);

#endif
