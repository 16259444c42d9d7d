/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The YAML of a study, which gives any of its points a scenario: the only part of a
 * study that has nodes of YAML. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_DOCUMENTS_H
#define SPOT_SIM_STUDY_DOCUMENTS_H

#include "sim/engine/experiment.h"
#include "sim/store/head.h"

typedef struct spot_documents spot_documents_t;

/* Takes over the document of a study and that of its scenario, which is zeroed if the
 * study has it or names its file. NO_MEMORY leaves *self NULL. */
SPOT_MUST_CHECK int spot_documents_open(
    spot_documents_t **self, spot_yaml_t *study, spot_yaml_t *scenario);
void spot_documents_close(spot_documents_t *self);

/* Carries out the "KEY=VALUE" of the command line, reads the scenario and finds its
 * engine. BAD_INPUT, IO, NO_MEMORY with the reasons in diag. */
SPOT_MUST_CHECK int spot_documents_change(spot_documents_t *self,
    const spot_experiment_t *const *engines, const char *const *sets, size_t num_sets,
    const spot_experiment_t **experiment, spot_diag_t *diag);

/* What puts values in place, and reads what is there, is for one thread at a time. */
void spot_documents_lock(spot_documents_t *self);
void spot_documents_unlock(spot_documents_t *self);

/* The study, and the scenario, a map, or NULL. */
const spot_node_t *spot_documents_study(const spot_documents_t *self);
const spot_node_t *spot_documents_scenario(const spot_documents_t *self);

/* The file_id-th file that the scenario was read from, or NULL. */
const char *spot_documents_file(const spot_documents_t *self, size_t file_id);

/* Adds an axis, in order, with the nodes of its values, or NULL: its values are texts,
 * at the place of a node. NO_MEMORY. */
SPOT_MUST_CHECK int spot_documents_add_axis(spot_documents_t *self, const char *path,
    const spot_node_t *place, spot_node_t *const *nodes, size_t num_nodes);

/* Makes nodes[item_ids[j]] of an axis the node of its value j. item_ids: [num_values]
 * ascending. */
void spot_documents_keep_values(
    spot_documents_t *self, size_t axis_id, const size_t *item_ids, size_t num_values);

/* Puts a value of an axis, or all values of a point, into the scenario. NO_MEMORY. */
SPOT_MUST_CHECK int spot_documents_place_value(spot_documents_t *self,
    const spot_study_head_t *head, size_t axis_id, size_t value_id);
SPOT_MUST_CHECK int spot_documents_place_point(
    spot_documents_t *self, const spot_study_head_t *head, size_t point_id);

#endif
