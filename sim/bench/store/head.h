/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study is: enough to read its rows without its YAML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assumed.h"
#include "base/error.h"
#include "sim/bench/engine/metric.h"

/* Of the intervals in reports. */
#define SPOT_CONFIDENCE 0.95

/* One swept key. */
typedef struct {
    char *path; /* "trace.preemption.per_minute" */
    size_t num_values;
    char **texts;    /* [num_values] as in YAML: "0.05", "30 s" */
    double *numbers; /* [num_values] for an axis: numbers as they are, durations in s,
                        NAN for other values */
    char *unit;      /* of numbers: "s" for durations, "" else */
    char *label;     /* what reports call it: "pipeline depth"; NULL: its path */
} spot_axis_t;

typedef struct {
    size_t axis_id;
    size_t value_id;
} spot_axis_value_t;

/* Whether all values have a number. O(values). */
bool spot_axis_is_numeric(const spot_axis_t *self);

/* How the points were chosen. */
typedef enum {
    SPOT_PLAN_GRID, /* all combinations of the values, maybe without some */
    SPOT_PLAN_LIST, /* one by one */
    SPOT_PLAN_ZIP,  /* the keys move together */
    SPOT_PLAN_LATIN_HYPERCUBE,
    SPOT_PLAN_SOBOL,
    SPOT_PLAN_SENSITIVITY /* the design of Saltelli */
} spot_plan_kind_t;

typedef struct {
    spot_plan_kind_t kind;
    uint64_t seed;           /* of a design */
    size_t num_merged;       /* that a design drew again, the same after rounding */
    size_t num_excluded;     /* by the conditions */
    size_t num_samples;      /* base samples of a sensitivity design, else 0 */
    uint32_t *sample_points; /* [num_samples][num_axes + 2] their points, or NULL */
} spot_plan_t;

/* By kind, as in the YAML of a study, up to NULL: "latin-hypercube". */
extern const char *const spot_plan_names[];

/* Whether the points are spread over ranges and have no order along an axis. */
static inline bool spot_plan_is_design(spot_plan_kind_t kind)
{
    return kind >= SPOT_PLAN_LATIN_HYPERCUBE;
}

/* How the study wants to be drawn; all may be NULL. */
typedef struct {
    char *x;              /* path of the axis to draw along */
    char *y;              /* metric of the curve with its confidence band */
    char *curves;         /* path of the axis with a curve for each value in a panel */
    char *second_x;       /* metric whose mean labels the points of x a second time */
    char *x_label;        /* what x is, in words; made from the path where NULL */
    char *second_x_label; /* the same for second_x */
    size_t num_stack;
    char **stack; /* [num_stack] metrics that add up to y, drawn from below */
} spot_plot_request_t;

/* The key whose best value is told at each combination of the others. */
typedef struct {
    bool is_asked;
    bool is_maximised;
    size_t axis_id;
    size_t metric_id;
    bool *is_left_out; /* [num_values] of the axis: does not compete */
    size_t num_keys;   /* whose break-even is asked for: see spot_break_even_t */
    char **keys;       /* [num_keys] of the scenario */
} spot_best_t;

/* How well a study wants to know the mean of a metric. metric NULL: not asked for. Of
 * the two widths one is above 0. */
typedef struct {
    char *metric;
    double half_width;          /* of the interval of the mean, in the metric's unit */
    double relative_half_width; /* the same as a fraction of the mean */
    double confidence;          /* of the interval, e.g. 0.95 */
} spot_until_t;

/* The mean of a metric must be within a limit. */
typedef struct {
    char *metric;
    char *text;    /* as in YAML: "lost_fraction <= 0.05" */
    double limit;  /* the last value that is allowed */
    bool is_upper; /* else values must be >= limit */
} spot_constraint_t;

/* What a study that looks for its best point asks for. metric NULL: nothing. */
typedef struct {
    char *metric; /* whose mean is to be best */
    bool is_maximised;
    double confidence;   /* of the whole answer, e.g. 0.95 */
    double indifference; /* difference that does not matter, relative to the best mean */
    size_t num_constraints;
    spot_constraint_t *constraints; /* [num_constraints] */
} spot_optimise_t;

/* What a report shows beside the metrics that were asked for: where the time goes, and
 * what it costs to gain more. Ids of metrics; num_metrics: none. */
typedef struct {
    size_t num_parts;
    size_t *part_ids; /* [num_parts] fractions that add up to 1 */
    size_t cost_id;   /* less is better */
    size_t gain_id;   /* more is better */
} spot_overview_t;

/* What points of a study may differ in beside their values. */
typedef struct {
    bool is_fixed;    /* all replications are the same: the first one is run alone */
    bool *has_metric; /* [num_metrics] of the head; NULL: all of them */
    bool *is_ruled;   /* [num_metrics] those that the rules of the scenario make the same in
                         all replications; NULL: none is known to be */
    char *cannot_run; /* why they have no replications, in words; NULL: they run */
    char *unmeasured; /* what their results rest on that was not measured, in words;
                         NULL: nothing */
    /* As in spot_beyond_t. */
    char *beyond_metric; /* NULL: nothing */
    double beyond_most;
    char *beyond_words;
    bool beyond_warns;
} spot_point_kind_t;

/* What the study is: enough to read its rows without its YAML. */
typedef struct {
    char *name;
    char *question; /* may be NULL */
    char *engine;   /* "train" */
    uint64_t seed;
    int64_t batch_replications; /* the unit of work: a batch starts at a multiple of it */
    int64_t num_replications;   /* asked for at each point, at most */
    int64_t min_replications;   /* the same at least; fewer than at most with until: or
                                   optimise: */
    spot_assumed_t assumed;     /* by any of its points */
    size_t num_remarks, max_remarks;
    char **remarks; /* [num_remarks] warnings of the scenarios of its points, as
                       "scenario.yaml:7:3: ...", without the folder */
    spot_until_t until;
    spot_optimise_t optimise;
    spot_plan_t plan;
    size_t num_axes;
    spot_axis_t *axes;   /* [num_axes] */
    size_t num_points;   /* at least 1 */
    uint32_t *value_ids; /* [num_points][num_axes] or NULL: all combinations of the
                            values, the first axis varies slowest */
    size_t num_kinds;
    spot_point_kind_t *kinds; /* [num_kinds]; none: all points have all metrics, and
                                 their replications differ */
    uint32_t *kind_ids;       /* [num_points] or NULL: all are of the first kind */
    bool has_baseline;        /* points are compared with those that have this value: */
    size_t baseline_axis_id;
    size_t baseline_value_id;
    size_t num_more_baselines;         /* and these, of other axes; points that are compared have
                                          the same values of all axes but these */
    spot_axis_value_t *more_baselines; /* [num_more_baselines] */
    spot_best_t best;
    size_t num_listed; /* metrics that were asked for; those behind are for the plot */
    size_t num_metrics;
    spot_metric_t *metrics;        /* [num_metrics] in order; texts borrowed. Those that are not
                                      derived are kept */
    spot_metric_source_t *sources; /* [num_metrics]; NULL: not found yet */
    size_t num_warnings;
    const spot_warning_t *warnings; /* [num_warnings] */
    const spot_colour_t *colours;   /* may be NULL */
    spot_plot_request_t plot;
    bool has_overview;
    spot_overview_t overview;
} spot_study_head_t;

/* The index of the value of an axis at a point. */
size_t spot_study_value_id(const spot_study_head_t *head, size_t point_id, size_t axis_id);

/* The values of the baseline, baseline_id from 0 to num_more_baselines; has_baseline. */
spot_axis_value_t spot_study_baseline(const spot_study_head_t *head, size_t baseline_id);

/* Whether a point has all of them. */
bool spot_study_is_baseline(const spot_study_head_t *head, size_t point_id);

/* The index of the axis with this path; num_axes: none. path may be NULL. */
size_t spot_study_axis_id(const spot_study_head_t *head, const char *path);

/* The index of the metric with this name; num_metrics: none. name may be NULL. */
static inline size_t spot_study_metric_id(const spot_study_head_t *head, const char *name)
{
    return spot_metric_find(head->metrics, head->num_metrics, name);
}

/* Finds the sources of the metrics, which have changed. BAD_INPUT: a metric derives from
 * none, or from one that is derived; NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_head_find_sources(spot_study_head_t *self);

/* The source of a metric. O(1) once sources are found, else O(metrics). */
spot_metric_source_t spot_study_source(const spot_study_head_t *head, size_t metric_id);

/* Fills in the derived metrics of a row. O(metrics) once sources are found. */
void spot_study_derive(const spot_study_head_t *head, double *metrics);

/* Whether results show a metric: not totals that are kept for ratios only. */
static inline bool spot_study_shows(const spot_study_head_t *head, size_t metric_id)
{
    return metric_id < head->num_listed || !head->metrics[metric_id].is_total;
}

/* Whether a point yields a metric. What it lacks is no value: neither undefined nor 0.
 */
bool spot_study_has_metric(const spot_study_head_t *head, size_t point_id, size_t metric_id);

/* Whether the rules of the scenario make a metric the same in all replications of a point,
 * such as work for redundancy where there is none. Its value is known. */
bool spot_study_is_ruled(const spot_study_head_t *head, size_t point_id, size_t metric_id);

/* Whether all replications of a point are the same, beside points where they differ. */
bool spot_study_is_fixed(const spot_study_head_t *head, size_t point_id);

/* Why a point has no replications and no metrics, in words; NULL: it runs. */
const char *spot_study_cannot_run(const spot_study_head_t *head, size_t point_id);

/* What its results rest on that was not measured, in words; NULL: nothing. */
const char *spot_study_unmeasured(const spot_study_head_t *head, size_t point_id);

/* What its results may rest on that was not measured, as a metric shows; its metric is
 * NULL: nothing. Texts are those of the head. */
spot_beyond_t spot_study_beyond(const spot_study_head_t *head, size_t point_id);

/* Whether a point competes for the best that the study asks for: it runs, is not left
 * out, and rests on nothing that was not measured. */
bool spot_study_competes(const spot_study_head_t *head, size_t point_id);

/* Whether any point with a value of the key that is best does. O(points). */
bool spot_study_value_competes(const spot_study_head_t *head, size_t value_id);

/* Replications asked for at a point, at most: one of a fixed point, none of one that
 * cannot run. */
int64_t spot_study_point_replications(const spot_study_head_t *head, size_t point_id);

/* Replications of all points together where those that are not fixed and can run have
 * so many. O(points) where there are kinds of points, else O(1). */
int64_t spot_study_runs(const spot_study_head_t *head, int64_t num_replications);

/* Replications in a batch of the study; all code asks here. */
static inline int64_t spot_study_batch_size(const spot_study_head_t *head)
{
    return head->batch_replications;
}

/* Keeps a warning of the inputs with the study, without the folder of its file, unless it is
 * there; of too many only that there are more. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_head_remark(spot_study_head_t *self, const char *text);

/* Frees the remarks only. */
void spot_study_head_free_remarks(spot_study_head_t *self);

/* Frees its kinds of points only: all points have all metrics then. */
void spot_study_head_free_kinds(spot_study_head_t *self);
