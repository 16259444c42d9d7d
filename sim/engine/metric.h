/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replication yields: metrics, warnings, and the colours of their pictures. */
#ifndef SPOT_SIM_ENGINE_METRIC_H
#define SPOT_SIM_ENGINE_METRIC_H

/* What a metric measures, for sentences and pictures. */
typedef enum {
    SPOT_METRIC_PLAIN,
    SPOT_METRIC_SHARE, /* of a whole, from 0 to 1 */
    SPOT_METRIC_COST,
    SPOT_METRIC_GAIN,
    SPOT_METRIC_TIME,
    SPOT_METRIC_PROBABILITY /* 0 or 1 in each replication */
} spot_metric_kind_t;

/* Which of two values is better. */
typedef enum {
    SPOT_BETTER_NEITHER,
    SPOT_BETTER_LOWER,
    SPOT_BETTER_HIGHER
} spot_metric_better_t;

/* A number that a replication yields; NAN is null (undefined, e.g. a zero denominator).
 */
typedef struct {
    const char *name;
    const char *unit; /* "1" for a plain number or a fraction */
    const char *help;
    const char *label; /* of an axis or a column: "idle"; NULL: made from name */
    const char *noun;  /* in a sentence: "idle time"; NULL: as label */
    spot_metric_kind_t kind;
    spot_metric_better_t better;
    const char *numerator;   /* of a ratio: names of the two metrics of the same */
    const char *denominator; /* outputs that it is the ratio of; NULL: it is no ratio */
} spot_metric_t;

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

#endif
