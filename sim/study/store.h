/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result store: what a study was and every row it gave. Reports are made from it
 * alone. One interface; the store in memory is the first to implement it. */
#ifndef SPOT_SIM_STUDY_STORE_H
#define SPOT_SIM_STUDY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/study/experiment.h"

/* One swept key. */
typedef struct {
    char *path; /* "trace.preemption.per_minute" */
    size_t num_values;
    char **texts;    /* [num_values] as in YAML: "0.05", "30 s" */
    double *numbers; /* [num_values] for an axis: numbers as they are, durations in s,
                        NAN for other values */
    char *unit;      /* of numbers: "s" for durations, "" else */
} spot_axis_t;

/* How the study wants to be drawn; all may be NULL. */
typedef struct {
    char *x;              /* path of the axis to draw along */
    char *y;              /* metric of the curve with its confidence band */
    char *second_x;       /* metric whose mean labels the points of x a second time */
    char *x_label;        /* what x is, in words; made from the path where NULL */
    char *second_x_label; /* the same for second_x */
    size_t num_stack;
    char **stack; /* [num_stack] metrics that add up to y, drawn from below */
} spot_plot_request_t;

/* What the study is: enough to read its rows without its YAML. */
typedef struct {
    char *name;
    char *question; /* may be NULL */
    uint64_t seed;
    int64_t num_replications; /* asked for at each point */
    size_t num_axes;
    spot_axis_t *axes; /* [num_axes] the first one varies slowest */
    size_t num_points; /* product of num_values, at least 1 */
    bool has_baseline; /* points are compared with those that have this value: */
    size_t baseline_axis_id;
    size_t baseline_value_id;
    size_t num_listed; /* metrics that were asked for; those behind are for the plot */
    size_t num_metrics;
    spot_metric_t *metrics; /* [num_metrics] those kept, in order; texts borrowed */
    size_t num_warnings;
    const spot_warning_t *warnings; /* [num_warnings] */
    const spot_colour_t *colours;   /* may be NULL */
    spot_plot_request_t plot;
} spot_study_head_t;

/* Frees what the head owns: its arrays and the texts in it, but not the texts behind
 * metrics and warnings. Accepts a zeroed or half-built head. */
void spot_study_head_free(spot_study_head_t *self);

/* The index of the value of an axis at a point. */
size_t spot_study_value_id(
    const spot_study_head_t *head, size_t point_id, size_t axis_id);

/* One replication: metrics[num_metrics] of the head. Return other than 0 to stop
 * reading. */
typedef int (*spot_row_function_t)(
    void *context, uint64_t replication, const double *metrics);

typedef struct spot_store spot_store_t;

struct spot_store {
    const spot_study_head_t *head; /* must outlive the store */
    /* Keeps num_rows consecutive replications of a point: rows[num_rows][num_metrics]
     * and how many of them met each warning. May be called by several threads at once; a
     * row is put once. BAD_PARAM: no such point or replication. */
    int (*put)(spot_store_t *self, size_t point_id, uint64_t first_replication,
        size_t num_rows, const double *rows, const int64_t *num_warned);
    /* Hands the rows of a point that are there to function, in order of replication.
     * Returns what stopped it, else 0. */
    int (*read)(const spot_store_t *self, size_t point_id, spot_row_function_t function,
        void *context);
    /* Replications of a point that are there. */
    int64_t (*num_rows)(const spot_store_t *self, size_t point_id);
    /* Replications of a point that met a warning. */
    int64_t (*num_warned)(const spot_store_t *self, size_t point_id, size_t warning_id);
    void (*close)(spot_store_t *self);
};

/* A store in memory: 8 bytes a metric and replication. NO_MEMORY leaves *self NULL.
 * Close it with (*self)->close(*self). */
SPOT_MUST_CHECK int spot_store_open_memory(
    spot_store_t **self, const spot_study_head_t *head);

#endif
