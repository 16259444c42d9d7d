/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replication yields: metrics, warnings, and the colours of their pictures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a metric measures, for sentences and pictures. */
typedef enum {
    SPOT_METRIC_PLAIN,
    SPOT_METRIC_SHARE, /* of a whole, which is 1: shown in percent */
    SPOT_METRIC_COST,
    SPOT_METRIC_GAIN,
    SPOT_METRIC_TIME,
    SPOT_METRIC_PROBABILITY /* 0 or 1 in each replication */
} spot_metric_kind_t;

/* Which of two values is better. */
typedef enum { SPOT_BETTER_NEITHER, SPOT_BETTER_LOWER, SPOT_BETTER_HIGHER } spot_metric_better_t;

/* How the replications of a point give one number. */
typedef enum {
    SPOT_ESTIMATOR_USUAL, /* RATIO with a denominator, PROBABILITY of that kind of
                             metric, else MEAN */
    SPOT_ESTIMATOR_MEAN,
    SPOT_ESTIMATOR_RATIO, /* total of the numerator over total of the denominator */
    SPOT_ESTIMATOR_PROBABILITY,
    SPOT_ESTIMATOR_QUANTILE,
    SPOT_NUM_ESTIMATORS
} spot_estimator_t;

/* By estimator, up to NULL: "usual", "mean", "ratio", "probability", "quantile". */
extern const char *const spot_estimator_names[];

/* A number of a replication; NAN is null (undefined, e.g. a zero denominator). A metric
 * with a numerator is derived: numerator / (denominator / per). The engine yields the
 * two totals and leaves the derived metric to the bench. */
typedef struct {
    const char *name;
    const char *unit; /* "1" for a plain number or a fraction */
    const char *help;
    const char *label; /* of an axis or a column, without the unit: "idle"; NULL: name */
    const char *noun;  /* in a sentence, a singular: "idle time"; NULL: as label */
    spot_metric_kind_t kind;
    spot_metric_better_t better;
    const char *numerator;   /* names of metrics of the same outputs that are not
                                derived; NULL: the engine yields the metric */
    const char *denominator; /* NULL: 1 */
    double per;              /* 1000 for "per 1,000 samples"; 0: 1 */
    const char *known_if;    /* a 0/1 metric. Where it is 0, the number is only a lower
                                bound, for a run that was cut off; the value of a derived
                                metric is null there. NULL: always known */
    bool is_total;           /* listed only if a study names it */
    bool is_count;           /* a number of events, whole in each replication, so that none
                                seen does not mean that there are none: see base/intervals.h */
    const char *count_of;    /* a count of parts of this metric, all of which one event may
                                take, as late queries; NULL: events come one at a time */
    spot_estimator_t estimator;
    double p; /* of a QUANTILE, 0 to 1 */
} spot_metric_t;

/* What an axis, and what a sentence calls it. */
static inline const char *spot_metric_label(const spot_metric_t *self)
{
    return self->label == NULL ? self->name : self->label;
}

static inline const char *spot_metric_noun(const spot_metric_t *self)
{
    return self->noun == NULL ? spot_metric_label(self) : self->noun;
}

/* Its estimator, never USUAL. */
static inline spot_estimator_t spot_metric_estimator(const spot_metric_t *self)
{
    if (self->estimator != SPOT_ESTIMATOR_USUAL) {
        return self->estimator;
    }
    return self->denominator != NULL               ? SPOT_ESTIMATOR_RATIO
           : self->kind == SPOT_METRIC_PROBABILITY ? SPOT_ESTIMATOR_PROBABILITY
                                                   : SPOT_ESTIMATOR_MEAN;
}

/* The metric with this name, or num_metrics; name may be NULL. O(metrics). */
size_t spot_metric_find(const spot_metric_t *metrics, size_t num_metrics, const char *name);

/* Where a metric comes from: ids of metrics; their number: none. */
typedef struct {
    size_t of_id;    /* its numerator, or itself */
    size_t per_id;   /* its denominator */
    size_t known_id; /* its known_if */
} spot_metric_source_t;

/* O(metrics). */
spot_metric_source_t spot_metric_source(
    const spot_metric_t *metrics, size_t num_metrics, size_t metric_id);

/* Value of a metric in a replication; values: of all metrics, at least those that are
 * not derived. NAN: null. */
double spot_metric_value(
    const spot_metric_t *self, const spot_metric_source_t *source, const double *values);

/* What its numerator is divided by in a replication, 1 without a denominator. */
double spot_metric_denominator(
    const spot_metric_t *self, const spot_metric_source_t *source, const double *values);

/* Fills in the derived metrics. O(metrics^2). */
void spot_metrics_derive(const spot_metric_t *metrics, size_t num_metrics, double *values);

/* What part of a result may rest on that was not measured, and how much of it does. A
 * result of which the metric is above most is not recommended while another one will do.
 */
typedef struct {
    const char *metric; /* a share; NULL: nothing may */
    double most;
    const char *words; /* behind the name of such a result: "rests on step times that were
                          not measured: sizes 4 to 8 (measured: 12, 24)" */
    bool only_warns;   /* it may be recommended all the same; the words are a warning */
} spot_beyond_t;

/* A condition that makes results doubtful; counted per replication. */
typedef struct {
    const char *name;
    const char *text; /* "in R of N replications: TEXT" */
} spot_warning_t;

/* The colour in pictures of everything with this word in its name. */
typedef struct {
    const char *word;   /* NULL ends a table */
    const char *colour; /* "#rrggbb" */
} spot_colour_t;

#define SPOT_MAX_WARNINGS 16
