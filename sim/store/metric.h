/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replication yields and how it is called: metrics, warnings, colours. */
#ifndef SPOT_SIM_STORE_METRIC_H
#define SPOT_SIM_STORE_METRIC_H

/* A number that a replication yields; NAN is null (undefined, e.g. a zero denominator).
 */
typedef struct {
    const char *name;
    const char *unit; /* "1" for a plain number or a fraction */
    const char *help;
} spot_metric_t;

/* A condition that makes results doubtful; counted per replication. */
typedef struct {
    const char *name;
    const char *text; /* "in R of N replications: TEXT" */
} spot_warning_t;

/* The colour of whatever has this word in its name, in all pictures. */
typedef struct {
    const char *word;   /* NULL ends a table */
    const char *colour; /* "#rrggbb" */
} spot_colour_t;

#define SPOT_MAX_METRICS 64
#define SPOT_MAX_WARNINGS 16

#endif
