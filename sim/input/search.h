/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for the block size and decode threads with the least completion time of a
 * batch, each one file with one const table in searches/. (1,1), a file for each sample,
 * comes first. A point without a stall ends a search. */
#pragma once

#include "base/memory.h"
#include "base/rng.h"
#include "sim/input/scenario.h"

typedef struct {
    int64_t threads, block;
    double seconds;     /* INFINITY: the point failed */
    double stall_share; /* NAN: not known */
    const char *reason; /* of a failure, or NULL */
    size_t id;          /* 1 + index of threads x number of blocks + that of block; 0: (1,1) that
                           is not in the lists */
    bool is_good;       /* for tpe */
} spot_search_point_t;

#define SPOT_SEARCH_MAX_VALUES 100

typedef struct {
    bool is_given;
    size_t num_values;
    int64_t values[SPOT_SEARCH_MAX_VALUES]; /* ascending */
} spot_search_list_t;

/* What early-stop measures gains from. */
typedef enum { SPOT_GAIN_BEST, SPOT_GAIN_PREV, SPOT_GAIN_START } spot_gain_reference_t;

#define SPOT_SEARCH_UNKNOWN 1 /* the time of (1,1): the search goes on without it */

/* Set the first members, and zero the rest. */
typedef struct {
    spot_search_list_t threads, blocks;
    int64_t max_evaluations; /* beside (1,1) */
    int64_t seed;
    int reference; /* spot_gain_reference_t */
    /* Sets seconds, stall_share, reason. Returns an error, 0, UNKNOWN. */
    int (*measure)(void *context, spot_search_point_t *point);
    void *context;
    spot_rng_t rng;
    bool *is_known; /* by id */
    size_t num_points;
    spot_search_point_t *points;            /* [num_points] in order */
    const spot_search_point_t *base, *best; /* (1,1), the answer; NULL: no time */
    const char *why;                        /* it stopped */
} spot_search_t;

typedef struct {
    const char *name, *doc;
    const char *end; /* why it stops where nothing else stops it */
    bool is_limited; /* to max_evaluations */
    /* The id of the point after n others, where one is left; 0: no more. */
    size_t (*next)(spot_search_t *self, size_t n);
} spot_search_method_t;

extern const spot_search_method_t spot_search_early_stop, spot_search_grid, spot_search_random,
    spot_search_tpe;

/* Memory is in the arena. Errors of measure, NO_MEMORY. */
SPOT_MUST_CHECK int spot_search_run(
    spot_search_t *self, const spot_search_method_t *method, spot_arena_t *memory);

/* By time, then by id: fewer threads, then the smaller block. */
bool spot_search_is_better(const spot_search_point_t *a, const spot_search_point_t *b);

/* Jobs that share a setting, with samples and compute. */
typedef struct {
    size_t num_jobs;
    spot_input_scenario_t *jobs; /* [num_jobs] */
} spot_search_jobs_t;

/* A measure; context: a spot_search_jobs_t. The time is the mean of the jobs, the share of stall
 * that of the job that stalls most, so that a search ends where none does. */
int spot_search_predict(void *context, spot_search_point_t *point);

/* ---- Times from a table of measured points, or from a command that measures ---- */

typedef struct {
    const char *path;    /* of the table, or of a log to go on from; NULL: no log */
    const char *command; /* for /bin/sh, with {threads} and {block}; NULL: a table */
    int64_t timeout_ms;
    bool is_nearest; /* of a table: the nearest row stands for a missing one */
    size_t num_points, max_points;
    spot_search_point_t *points; /* [num_points] that were read; the caller frees them */
    spot_texts_t *texts;
    spot_diag_t *diag;
} spot_measure_t;

/* Reads the file, and what it has of the lists that are not given; a log may be missing.
 * BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_measure_read(spot_measure_t *self, spot_search_t *search);

/* A measure; context: a spot_measure_t. BAD_INPUT: the table lacks the point;
 * INTERRUPTED by spot_stop: the command is killed; IO: the log cannot be written. */
int spot_measure_point(void *context, spot_search_point_t *point);
