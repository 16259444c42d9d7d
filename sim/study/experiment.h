/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment: all that a study knows of what it studies. Bind a scenario from YAML,
 * run replication r of it, name the metrics with their units. One const table each. */
#ifndef SPOT_SIM_STUDY_EXPERIMENT_H
#define SPOT_SIM_STUDY_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/yaml.h"
#include "sim/store/metric.h"
#include "sim/store/timeline.h"

/* Why a scenario does not stand beside the others of its study. */
#define SPOT_MISFIT_BYTES 256
typedef struct {
    size_t scenario_id;
    const char *path; /* the key that is to blame */
    char text[SPOT_MISFIT_BYTES];
} spot_misfit_t;

typedef struct {
    const char *name;
    size_t num_metrics;
    const spot_metric_t *metrics; /* [num_metrics] */
    size_t num_warnings;
    const spot_warning_t *warnings; /* [num_warnings] */
    const spot_colour_t *colours;   /* may be NULL */
    /* What a report shows beside the metrics that were asked for, by name. */
    size_t num_parts;
    const char *const *parts;   /* [num_parts] fractions that add up to 1, from below */
    const char *cost;           /* less is better; NULL: none */
    const char *gain;           /* more is better; NULL: none */
    const spot_field_t *fields; /* of a scenario, for its canonical form */
    /* Binds a scenario document. like: a scenario of the study that was bound before, to
     * share what is large, or NULL. *scenario is constant afterwards, shared by all
     * threads. BAD_INPUT with the reasons in diag; free it even then. */
    int (*bind)(
        void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag);
    void (*free)(void *scenario);
    /* Whether bound scenarios can be compared in one study; false: fills misfit. NULL:
     * they always can. */
    bool (*is_fair)(void *const *scenarios, size_t num_scenarios, spot_misfit_t *misfit);
    /* A worker holds the memory of one thread for one scenario. */
    int (*open)(void **worker, const void *scenario);
    void (*close)(void *worker);
    /* Runs one replication. metrics: [num_metrics], NAN for null. warnings:
     * [num_warnings], set to 1 where the condition held, else 0. */
    int (*run)(void *worker, uint64_t seed, uint64_t replication, double *metrics,
        unsigned char *warnings);
    /* Fills an initialised timeline with what one replication looks like over time; it
     * borrows texts of the scenario. NULL: the experiment has none to show. */
    int (*timeline)(
        void *worker, uint64_t seed, uint64_t replication, spot_timeline_t *timeline);
} spot_experiment_t;

#endif
