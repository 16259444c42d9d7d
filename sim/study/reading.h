/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a study is one pass, downwards. study.c calls these files in this order:
 *
 *     documents.c  the YAML, with the changes of the command line
 *     request.c    YAML -> what the study asks for, as plain texts and numbers
 *     sweep.c      the same of the swept keys and the plan; range.c
 *     plan.c       the values of the axes and the points; design.c
 *     where.c      drops points
 *     points.c     binds the points; yield.c
 *     metrics.c    metrics that are kept
 *     views.c      replications, baseline, best, plot and series
 *
 * Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_READING_H
#define SPOT_SIM_STUDY_READING_H

#include "sim/study/range.h"
#include "sim/study/study.h"

#define SPOT_MAX_POINTS 1000000

/* The end of messages about a metric that does not exist. */
#define SPOT_SEE_METRICS ", see man spotsim-scenario"

/* Values of the study, each a text of its own with its place: a scalar, or another value
 * as YAML on one line. Of its children only the number is kept, for messages. */
typedef struct {
    size_t num_words;
    spot_node_t *words; /* [num_words] */
} spot_words_t;

/* A swept key. */
typedef struct {
    char *path;         /* of the scenario */
    spot_node_t place;  /* of its values; no text */
    spot_words_t items; /* the values that are listed, or none: */
    spot_range_t range;
    bool is_spread; /* a design draws from the range */
    size_t num_items;
    char **drawn;        /* [num_items] from the range, or NULL */
    uint32_t *value_ids; /* [num_items] of the axis, once it is planned */
    size_t *item_ids;    /* [num_values] of the axis: the first item of each value */
} spot_swept_t;

typedef struct {
    int64_t count; /* 0: the default of the engine, as min */
    int64_t min;
    int64_t max;
    int64_t seed;
    spot_until_t until; /* moved to the head */
} spot_replications_t;

/* What the study asks for. Texts that the head takes over become NULL. */
typedef struct {
    char *name;
    char *question;
    bool has_scenario;
    bool has_baseline;
    size_t num_swept;
    spot_swept_t *swept; /* [num_swept] */
    const char *sweep;   /* where they stand: "sweep" or "optimise.over" */
    int64_t num_drawn;   /* of a design, or base samples of a sensitivity design */
    spot_words_t where;
    spot_replications_t replications;
    spot_words_t metrics;
    spot_words_t series, timelines; /* replications; the same */
    int has_ledger;
    spot_words_t baseline_keys, baseline_values;
    char *best_key, *best_minimise, *best_maximise;
    spot_words_t best_except;
    char *minimise, *maximise; /* of optimise */
    double confidence, indifference;
    spot_words_t subject_to;
    spot_plot_request_t plot;
    spot_words_t plot_stack;
} spot_request_t;

/* A study that is being read. All that is wrong is reported in diag. */
typedef struct {
    spot_study_t *study;
    spot_diag_t *diag;
    spot_request_t request;
} spot_reading_t;

/* Reports "file:line:column: KEY: message" at a key of the study such as "plot.y", or at
 * the nearest one above it. */
void spot_reading_error(const spot_reading_t *self, const char *key, const char *format,
    ...) SPOT_PRINTF(3, 4);

/* The same at a word; key may be NULL: only the message. */
void spot_word_error(const spot_reading_t *self, const spot_node_t *word,
    const char *key, const char *format, ...) SPOT_PRINTF(4, 5);

/* ---- request.c, sweep.c ---- */

/* Reads the request, and what of it is for the head. NO_MEMORY; else faults are in diag
 * only. Free the request even then. */
SPOT_MUST_CHECK int spot_request_read(spot_reading_t *self);
void spot_request_free(spot_request_t *self);

/* The sweep and the plan, which may be NULL. BAD_INPUT: there are no points to plan. */
SPOT_MUST_CHECK int spot_request_read_sweep(
    spot_reading_t *self, const spot_node_t *sweep, const spot_node_t *plan);

/* Whether a path is another one or lies within it. */
bool spot_path_is_within(const char *path, const char *outer);

/* A word of a node. NO_MEMORY leaves no text. */
SPOT_MUST_CHECK int spot_word_copy(spot_node_t *word, const spot_node_t *node);

/* ---- plan.c ---- */

/* Fills the axes and the points of the head. More values of a list or points of a Sobol
 * sequence keep the points that are there; more points of a Latin hypercube are another
 * plan. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_make(spot_reading_t *self);

/* The value of an axis that means the same as a word, or num_values. NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_find_value(const spot_reading_t *self, size_t axis_id,
    const spot_node_t *word, size_t *value_id);

/* ---- where.c ---- */

/* Drops the points of the head for which a condition does not hold. Names are keys of
 * the scenario with their values at a point, defaults included; nothing is bound yet, so
 * that combinations that cannot be bound may be excluded. BAD_INPUT: what is wrong with
 * a condition, or no point is left; NO_MEMORY. O(points * bytes of the conditions). */
SPOT_MUST_CHECK int spot_where_apply(spot_reading_t *self);

/* ---- points.c ---- */

/* Binds every point, so that all that is wrong with one is known, and learns what they
 * yield. Keeps the scenarios of a study of few points. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_bind(spot_reading_t *self);

/* Where the sweep is faulty: what the scenario yields alone. */
SPOT_MUST_CHECK int spot_points_bind_unswept(spot_reading_t *self);

void spot_points_free(spot_study_t *self);

/* ---- metrics.c ---- */

/* The metrics of the head: those that are listed, or all, then those that the study
 * needs otherwise, the plot's last. NO_MEMORY. */
SPOT_MUST_CHECK int spot_metrics_choose(spot_reading_t *self);

/* ---- views.c ---- */

/* The values that points are compared with, once they are planned; the second one once
 * points are dropped. NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_find_baseline(spot_reading_t *self);
SPOT_MUST_CHECK int spot_views_check_baseline(const spot_reading_t *self);

/* How many replications each point gets, once the outputs are known. */
void spot_views_settle_replications(spot_reading_t *self);

/* What reports are asked to show, and the replications whose series are kept.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_choose(spot_reading_t *self);

#endif
