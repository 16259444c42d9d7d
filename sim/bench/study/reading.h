/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a study is one pass, downwards. study.c calls these files in this order:
 *
 *     request.c    YAML -> what the study asks for
 *     sweep.c      which plan it is, and the swept keys with their values; range.c
 *     plan.c       the values of the axes and the points; design.c
 *     where.c      drops points
 *     points.c     binds the points, and what they yield
 *     metrics.c    metrics that are kept; constraints.c, forms.c
 *     views.c      replications, best, plot and series; before, the baseline;
 *                  break_even.c
 *
 * Internal to sim/bench/study. */
#pragma once

#include <pthread.h>

#include "base/condition.h"
#include "sim/bench/study/study.h"

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

/* ---- request.c ---- */

/* Binds the study's document to the request and the head. NO_MEMORY; else faults are in
 * diag only. Free the request even then. */
SPOT_MUST_CHECK int spot_request_read(spot_reading_t *self);
void spot_request_free(spot_request_t *self);

/* ---- sweep.c ---- */

/* Reads the plan and the swept keys. BAD_INPUT: there are no points to plan. */
SPOT_MUST_CHECK int spot_sweep_read(spot_reading_t *self);

/* ---- range.c ---- */

/* A number, a duration, or a number with a blank and a unit. Returns false if the text
 * is none of these. */
bool spot_quantity_parse(const char *text, spot_quantity_t *quantity);

/* Reads a map; with a design a range has no number of values. Returns false after an
 * error, which is reported through bind. */
bool spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design);

/* Writes the value_id-th of the values of a range as YAML and returns what the text
 * means. Both ends are exact. */
#define SPOT_RANGE_TEXT_BYTES (32 + SPOT_UNIT_BYTES)
spot_quantity_t spot_range_value(
    const spot_range_t *self, size_t value_id, char text[SPOT_RANGE_TEXT_BYTES]);

/* The same for the value of a design at u in (0, 1). It does not depend on other
 * values. */
spot_quantity_t spot_range_draw(
    const spot_range_t *self, double u, char text[SPOT_RANGE_TEXT_BYTES]);

/* That value, all its digits. Never falls with u. Values on steps, both ends included,
 * are equally likely; with is_log the probability of a value is proportional to
 * log(1 + step / value). */
double spot_range_at(const spot_range_t *self, double u);

/* ---- plan.c ---- */

/* Fills the axes and the points of the head. More values of a list or points of a Sobol
 * sequence keep the points that are there; more points of a Latin hypercube are another
 * plan. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_make(spot_reading_t *self);

/* The value of an axis that means the same as a node, or num_values. NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_find_value(
    const spot_reading_t *self, size_t axis_id, const spot_node_t *node, size_t *value_id);

/* ---- where.c ---- */

/* Drops the points of the head for which a condition does not hold. Names are keys of
 * the scenario with their values at a point, defaults included; nothing is bound yet, so
 * that combinations that cannot be bound may be excluded. BAD_INPUT: a condition is
 * wrong, or no point is left; NO_MEMORY. O(points * bytes of the conditions). */
SPOT_MUST_CHECK int spot_where_apply(spot_reading_t *self);

/* ---- points.c ---- */

/* Puts a value of an axis into the scenario. NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_place_value(
    spot_template_t *self, const spot_study_head_t *head, size_t axis_id, size_t value_id);

/* Binds every point, so that all errors are known, and collects what they yield. Keeps
 * the scenarios of a study of few points. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_bind(spot_reading_t *self);

/* Collects what the scenario yields without a sweep, which is faulty. */
SPOT_MUST_CHECK int spot_points_bind_unswept(spot_reading_t *self);

/* Puts the values of a point into the scenario and binds it; with the template's lock
 * held once points are bound. like: as in spot_experiment_t; *scenario needs release
 * even after an error. */
SPOT_MUST_CHECK int spot_points_bind_one(const spot_study_t *self, size_t point_id,
    const void *like, void **scenario, spot_diag_t *diag);

/* Whether points with these outputs have one layout. O(metrics) unless they share them.
 */
bool spot_points_are_alike(const spot_outputs_t *a, const spot_outputs_t *b);

/* Puts the values of a point into the scenario and finds the scalar at a path; NULL: it
 * is not given there. With the lock held as above. NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_find(
    const spot_study_t *self, size_t point_id, const char *path, spot_node_t **scalar);

/* Frees the scenario of a point unless the study keeps it. */
void spot_points_release(const spot_study_t *self, size_t point_id, void *scenario);

void spot_points_free(spot_study_t *self);

/* ---- metrics.c ---- */

/* The metrics of the head: those that are listed, or all, then those that the study
 * needs otherwise, the plot's last. NO_MEMORY. */
SPOT_MUST_CHECK int spot_metrics_choose(spot_reading_t *self);

/* Appends a metric to those of the head, unless its name is there. NO_MEMORY. */
SPOT_MUST_CHECK int spot_metrics_keep(const spot_reading_t *self, const spot_metric_t *metric);

/* Reports a name that is that of no metric. */
void spot_metrics_unknown(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *name);

/* ---- constraints.c ---- */

/* Reads the limits of subject_to, and keeps the forms that they name. NO_MEMORY, or
 * BAD_INPUT: errors are in diag. */
SPOT_MUST_CHECK int spot_constraints_find(const spot_reading_t *self);

/* Whether a condition fits its metrics. A limit may have their units or be a plain
 * number; *is_plain: all numbers are plain. ids: [num_names] of the metrics. BAD_INPUT
 * with the reason in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_constraints_check(const spot_condition_t *condition,
    const spot_metric_t *metrics, const size_t *ids, bool *is_plain, spot_diag_t *diag);

/* ---- forms.c ---- */

/* Appends a metric whose name is a form of another one, such as "p95(cost_usd)". Sets
 * *is_form to false, and does nothing, if it is none. NO_MEMORY; else errors are in
 * diag. */
SPOT_MUST_CHECK int spot_forms_add(const spot_reading_t *self, const char *key,
    const spot_node_t *place, const char *name, bool *is_form);

/* Appends the metrics that conditions are about to those of the head. NO_MEMORY. */
SPOT_MUST_CHECK int spot_forms_keep_sources(const spot_reading_t *self);

/* Whether a metric of the head is that of a condition whose metrics the outputs have. */
bool spot_forms_has(const spot_study_t *study, const spot_outputs_t *outputs, size_t metric_id);

/* Sets the metrics that are conditions in a row whose other metrics are there.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_forms_evaluate(const spot_study_t *study, double *row);

void spot_forms_free(spot_study_t *study);

/* ---- break_even.c, break_even_search.c ---- */

/* The value of a key at a point; *is_there is false if it has none there from which a
 * search could start. NO_MEMORY. */
SPOT_MUST_CHECK int spot_break_even_value(const spot_study_t *study, size_t point_id,
    const char *path, spot_quantity_t *quantity, bool *is_there);

/* Whether a key changes for the winner alone: it lies within what competes. */
bool spot_break_even_is_own(const spot_study_head_t *head, const char *path);

/* Checks the keys of best.break_even, once points are bound and it is known what
 * competes. NO_MEMORY; else errors are in diag. */
SPOT_MUST_CHECK int spot_break_evens_check(const spot_reading_t *self);

/* The break-evens of a study whose rows are all in the store. */
typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const atomic_int *stop; /* may be NULL */
    pthread_mutex_t *lock;  /* for reading the store */
    size_t num_items;
    spot_break_even_t *items; /* [num_items] */
    bool *is_found;           /* [num_items] in the store, or since then */
    atomic_bool is_changed;   /* some were found since then */
} spot_break_evens_t;

/* Lists what is to be found, and what the store has of it. Errors of reading, NO_MEMORY;
 * free self even then. */
SPOT_MUST_CHECK int spot_break_evens_plan(spot_break_evens_t *self);

/* Finds one of them. Several threads may find others. INTERRUPTED, NO_MEMORY, or an
 * error of the experiment. */
SPOT_MUST_CHECK int spot_break_evens_find(spot_break_evens_t *self, size_t item_id);

/* Keeps those that are found in the store. NO_MEMORY; IO: its flush() says why. */
SPOT_MUST_CHECK int spot_break_evens_keep(const spot_break_evens_t *self);

void spot_break_evens_free(spot_break_evens_t *self);

/* ---- views.c ---- */

/* The values that points are compared with, after the plan; and whether there are points
 * to compare, after the conditions. NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_find_baseline(spot_reading_t *self);
SPOT_MUST_CHECK int spot_views_check_baseline(const spot_reading_t *self);

/* How many replications each point gets, what reports are asked to show, and the
 * replications whose series are kept. NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_choose(spot_reading_t *self);
