/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study that is being read: what it asks for, and what is wrong. Reading is one pass,
 * downwards. study.c goes through them in this order:
 *
 *     reading     YAML -> what the study asks for
 *     sweep       which plan it is, and the swept keys with their values
 *     plan        the values of the axes and the points
 *     points      drops points, binds the others, and what they yield
 *     metrics     metrics that are kept, conditions and forms of them
 *     study       replications, best, plot and series; before, the baseline
 *     break_even  what is searched once all rows are there
 *
 * Internal to sim/bench/study. */
#pragma once

#include <pthread.h>

#include "base/condition.h"
#include "base/inputs.h"
#include "sim/bench/study/study_state.h"

#define SPOT_MAX_POINTS 1000000

/* The end of messages about a metric that does not exist. */
#define SPOT_SEE_METRICS ", see `spotsim help metrics`"

#define SPOT_UNIT_BYTES 16

/* A number and what it counts. */
typedef struct {
    double value; /* durations in ms */
    bool is_duration;
    char unit[SPOT_UNIT_BYTES]; /* as after the number: "steps"; "" for durations */
} spot_quantity_t;

/* {from: 30 s, to: 10 min, points: 12, scale: log}; durations are in ms. */
typedef struct {
    bool is_log; /* even in the logarithm */
    double from; /* > to only with points */
    double to;
    double step;          /* 0: none */
    double spacing;       /* of the values of a design: a step, or 1 ms; 0: any number */
    double num_steps;     /* of that length; not read where it is 0 */
    spot_quantity_t unit; /* of the ends */
    size_t num_values;    /* 0: a design draws them */
    bool has_points;      /* spread evenly, else by steps */
    int num_digits;       /* of values that are neither ends nor on a step */
} spot_range_t;

/* A swept key. */
typedef struct {
    const char *path;         /* of the scenario */
    const spot_node_t *place; /* of its values in the file */
    size_t num_items;         /* 0 before the plan if a design draws the values */
    spot_node_t **nodes;      /* [num_items] that are listed; NULL: of a range. After the
                                 plan, those of the values of the axis */
    spot_range_t range;
    bool is_spread;     /* a design draws from the range */
    bool is_placed;     /* the scenario has one of the values: */
    size_t placed_id;   /* this one */
    spot_node_t scalar; /* borrows the text of a value that is not listed */
} spot_swept_t;

/* The YAML of a study. With the values of a point in place it is the scenario of that
 * point, which an engine binds. */
typedef struct spot_template {
    spot_yaml_t study;
    spot_yaml_t scenario; /* its root is a map, maybe one within the study, or NULL */
    size_t num_swept;
    spot_swept_t *swept; /* [num_swept] */
    spot_inputs_t inputs;
    pthread_mutex_t lock; /* to put values in place and to bind what is there */
} spot_template_t;

/* What the study asks for and the head does not hold. Nodes belong to the study's
 * document and are NULL if the key is missing. */
typedef struct {
    int64_t count; /* replications; 0: the default of the engine, as min */
    int64_t min, max;
    int64_t seed;
    int has_ledger;
    char *minimise, *maximise; /* of optimise */
    char *best_key, *best_minimise, *best_maximise;
    const spot_node_t *scenario, *sweep, *over, *plan, *where, *subject_to, *metrics;
    const spot_node_t *series, *timelines, *baseline, *best_except;
    const char *sweep_key; /* where the sweep is: "sweep" or "optimise.over" */
    int64_t num_drawn;     /* of a design, or base samples of a sensitivity design */
} spot_request_t;

/* A study that is being read. All that is wrong is reported in diag. */
typedef struct {
    spot_study_t *study;
    spot_diag_t *diag;
    spot_request_t request;
} spot_reading_t;

/* The word_id-th item of a list, or the node itself if it is a scalar and word_id is 0;
 * NULL: there is none. */
const spot_node_t *spot_word(const spot_node_t *words, size_t word_id);

/* Reports "file:line:column: KEY: message" at a node; key may be NULL: only the message.
 */
void spot_node_error(const spot_reading_t *self, const spot_node_t *node, const char *key,
    const char *format, ...) SPOT_PRINTF(4, 5);

/* The node at a key of the study such as "plot.y", or the nearest one above it. */
static inline const spot_node_t *spot_reading_place(const spot_reading_t *self, const char *key)
{
    return spot_node_place(self->study->template->study.root, key);
}

/* Reports a message at that node. */
#define spot_reading_error(self, key, ...)                                                         \
    spot_node_error(self, spot_reading_place(self, key), key, __VA_ARGS__)

/* Copies a text. NO_MEMORY leaves NULL. */
SPOT_MUST_CHECK int spot_reading_copy(char **text, const char *source);

/* Binds the study's document to the request and the head. NO_MEMORY; else faults are in
 * diag only. Free the request even then. */
SPOT_MUST_CHECK int spot_request_read(spot_reading_t *self);
void spot_request_free(spot_request_t *self);
