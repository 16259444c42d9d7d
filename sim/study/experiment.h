/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment: all that a study knows of what it studies. Bind a scenario from YAML,
 * run replication r of it, name the metrics with their units. One const table each. */
#ifndef SPOT_SIM_STUDY_EXPERIMENT_H
#define SPOT_SIM_STUDY_EXPERIMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/yaml.h"

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

typedef struct {
    const char *name;
    size_t num_metrics;
    const spot_metric_t *metrics; /* [num_metrics] */
    size_t num_warnings;
    const spot_warning_t *warnings; /* [num_warnings] */
    const spot_colour_t *colours;   /* may be NULL */
    const spot_field_t *fields;     /* of a scenario, for its canonical form */
    /* Binds a scenario document. like: a scenario of the study that was bound before, to
     * share what is large, or NULL. *scenario is constant afterwards, shared by all
     * threads. BAD_INPUT with the reasons in diag; free it even then. */
    int (*bind)(
        void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag);
    void (*free)(void *scenario);
    /* A worker holds the memory of one thread for one scenario. */
    int (*open)(void **worker, const void *scenario);
    void (*close)(void *worker);
    /* Runs one replication. metrics: [num_metrics], NAN for null. warnings:
     * [num_warnings], set to 1 where the condition held, else 0. */
    int (*run)(void *worker, uint64_t seed, uint64_t replication, double *metrics,
        unsigned char *warnings);
} spot_experiment_t;

#endif
