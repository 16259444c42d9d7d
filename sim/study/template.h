/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The YAML of a study. With the values of a point in place it is the scenario of that
 * point, which an engine binds. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_TEMPLATE_H
#define SPOT_SIM_STUDY_TEMPLATE_H

#include <pthread.h>

#include "sim/engine/experiment.h"
#include "sim/store/head.h"

typedef struct {
    const char *path;    /* of the scenario; belongs to the study's document */
    spot_node_t **nodes; /* [num_values] or NULL: the values are texts */
    spot_node_t *scalar; /* that borrows the text of a value */
    size_t placed_id;    /* value that is in place; SIZE_MAX: none */
} spot_template_axis_t;

typedef struct spot_template {
    spot_yaml_t study;
    spot_yaml_t scenario; /* its root is a map, maybe one within the study, or NULL */
    size_t num_axes;
    size_t max_axes;
    spot_template_axis_t *axes; /* [num_axes] */
    pthread_mutex_t lock;       /* to put values in place and to bind what is there */
} spot_template_t;

/* Takes over the document of a study and that of its scenario, which is zeroed if the
 * study has it or names its file. NO_MEMORY leaves *self NULL. */
SPOT_MUST_CHECK int spot_template_open(
    spot_template_t **self, spot_yaml_t *study, spot_yaml_t *scenario);
void spot_template_close(spot_template_t *self);

/* Carries out the "KEY=VALUE" of the command line, reads the scenario and finds its
 * engine. BAD_INPUT, IO, NO_MEMORY with the reasons in diag. */
SPOT_MUST_CHECK int spot_template_change(spot_template_t *self,
    const spot_experiment_t *const *engines, const char *const *sets, size_t num_sets,
    const spot_experiment_t **experiment, spot_diag_t *diag);

/* The scenario, a map, or NULL. */
const spot_node_t *spot_template_scenario(const spot_template_t *self);

/* Adds an axis, in order, with the nodes of its values, or NULL: its values are the
 * texts of the head, at a place. NO_MEMORY. */
SPOT_MUST_CHECK int spot_template_add_axis(spot_template_t *self, const char *path,
    const spot_node_t *place, spot_node_t *const *nodes, size_t num_values);

/* Puts a value of an axis, or all values of a point, into the scenario. NO_MEMORY. */
SPOT_MUST_CHECK int spot_template_place_value(spot_template_t *self,
    const spot_study_head_t *head, size_t axis_id, size_t value_id);
SPOT_MUST_CHECK int spot_template_place_point(
    spot_template_t *self, const spot_study_head_t *head, size_t point_id);

/* A node as YAML on one line. The caller frees it. NULL: no memory. */
SPOT_MUST_CHECK char *spot_node_line(const spot_node_t *node);

#endif
