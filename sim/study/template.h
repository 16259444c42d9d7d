/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The YAML of a study, which gives any of its points a scenario: the only part of a
 * study that has nodes of YAML. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_TEMPLATE_H
#define SPOT_SIM_STUDY_TEMPLATE_H

#include "sim/engine/experiment.h"
#include "sim/store/head.h"

typedef struct spot_template spot_template_t;

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

/* What puts values in place, and reads what is there, is for one thread at a time. */
void spot_template_lock(spot_template_t *self);
void spot_template_unlock(spot_template_t *self);

/* The study, and the scenario, a map, or NULL. */
const spot_node_t *spot_template_study(const spot_template_t *self);
const spot_node_t *spot_template_scenario(const spot_template_t *self);

/* The file_id-th file that the scenario was read from, or NULL. */
const char *spot_template_file(const spot_template_t *self, size_t file_id);

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
