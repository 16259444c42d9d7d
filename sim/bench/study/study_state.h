/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parameter study that has been read: a scenario, the values of its swept keys, and how
 * many replications each point gets. study.h reads one, run.h runs it with any experiment
 * and puts the rows into a store. */
#pragma once

#include "base/inputs.h"
#include "sim/bench/engine/experiment.h"
#include "sim/bench/store/store.h"

/* Of a point: the one with the median of the watched metric; 0 in a shard. */
#define SPOT_MEDIAN_REPLICATION INT64_C(-1)

/* Points that yield the same metrics in the same order. */
typedef struct {
    size_t first_point;
    const spot_outputs_t *outputs; /* of its scenario */
    int32_t *columns;              /* [outputs->num_metrics] metrics of the head; -1: not kept */
} spot_metric_layout_t;

/* What the points of a study yield together, and the layout of each point. Texts belong
 * to scenarios. */
typedef struct {
    spot_outputs_t outputs; /* the union of their metrics in the order in which they
                               first occur, the most series that a point has, and whether
                               replications of any differ; else those of the first point
                             */
    size_t max_metrics;
    spot_metric_t *metrics; /* [outputs.num_metrics] */
    size_t num_layouts;
    size_t max_layouts;
    spot_metric_layout_t *layouts; /* [num_layouts] */
    uint32_t *layout_ids;          /* [num_points] */
} spot_yield_t;

typedef struct {
    const spot_experiment_t *experiment; /* of the scenario */
    bool is_comparison;                  /* lists what its engine compares */
    struct spot_template *template;      /* binds any point */
    spot_inputs_t *inputs;    /* the files that scenarios name, named relative to the study */
    spot_yield_t yield;       /* of the points */
    void **scenarios;         /* [head.num_points] bound, constant while running; an item that is
                                 NULL is bound when it is run */
    struct spot_forms *forms; /* metrics that the study makes of others; may be NULL */
    size_t max_metrics;       /* of head.metrics */
    bool has_ledger;          /* spot_study_keep_ledger() may append metrics */
    size_t num_series;
    int64_t *series; /* [num_series] replications of each point whose series a database
                        keeps; SPOT_MEDIAN_REPLICATION */
    spot_study_head_t head;
} spot_study_t;
