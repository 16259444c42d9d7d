/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenario files: read, changed as a command line asks, and bound by their engine; and what
 * engines with plain scenarios need of this, structs that own no memory. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/yaml.h"
#include "sim/bench/engine/experiment.h"

/* Allocates *scenario with num_bytes, zeroed, copies outputs to its head and binds it by
 * its fields. A metric may have an integer field in its name, "busy.server-{servers}":
 * it stands for busy.server-0, busy.server-1 and so on, as many as the field says.
 * BAD_INPUT with the reasons in diag, NO_MEMORY; free *scenario even then. */
SPOT_MUST_CHECK int spot_plain_bind(void **scenario, size_t num_bytes, const spot_field_t *fields,
    const spot_outputs_t *outputs, const spot_node_t *root, spot_diag_t *diag);

/* The function of the engine's table that returns the outputs. */
const spot_outputs_t *spot_plain_outputs(const void *scenario);

/* Changes to a scenario that a command line asks for. */
typedef struct {
    const char *trace_path; /* a trace file in place of the scenario's key trace, of
                               engines that have it; may be NULL */
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE" */
    size_t num_given;
    const spot_yaml_given_t *given; /* [num_given] by options of their own, which win over the
                                       sets */
    bool is_recorded; /* no change: a recording is wanted, which must fit into memory */
} spot_scenario_changes_t;

/* Makes a map of the path of a file in a scenario if key, the path of a key or an
 * assignment to it, is within that map: the value of trace, the path of a model file,
 * becomes {model: PATH} for trace.frequency, and those of jobs.generate and job.input the content
 * of the file, of job.input its keys input and fitted, for every key below. BAD_INPUT, IO with the
 * reasons in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_scenario_spell_file(
    spot_yaml_t *document, const char *key, spot_diag_t *diag);

/* Carries out the change of the trace: before the sets, so that they can add to it, and again after
 * them, so that it stays what the option says. NO_MEMORY. */
SPOT_MUST_CHECK int spot_scenario_replace_trace(spot_yaml_t *document, const char *trace_path);

/* BAD_INPUT with the reason in diag if the changes have a trace and the engine none. An engine
 * without the key would call trace.file unknown. changes may be NULL. */
SPOT_MUST_CHECK int spot_scenario_check_trace(
    const spot_experiment_t *experiment, const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* Carries out the changes on the document of a scenario. BAD_INPUT with the reasons in
 * diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_scenario_change(
    spot_yaml_t *document, const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* Reads the document of a scenario and changes it; changes may be NULL. Free document
 * even after an error; a root that is there then can still be searched for errors.
 * BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_scenario_read_document(spot_yaml_t *document, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* A scenario with its engine. */
typedef struct {
    const spot_experiment_t *experiment;
    void *scenario;         /* of the experiment */
    char *name;             /* of the scenario; NULL: it has none */
    spot_assumed_t assumed; /* the defaults that decide; empty after an error */
} spot_bound_scenario_t;

/* Reads and changes a scenario file and binds it by the engine that it names. changes
 * may be NULL. BAD_INPUT, IO with the reasons in diag, NO_MEMORY; free self even then.
 */
SPOT_MUST_CHECK int spot_bound_scenario_read(spot_bound_scenario_t *self,
    const spot_experiment_t *const *engines, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* The same of the engine's example. experiment->example must be there. */
SPOT_MUST_CHECK int spot_bound_scenario_example(
    spot_bound_scenario_t *self, const spot_experiment_t *experiment, spot_diag_t *diag);

void spot_bound_scenario_free(spot_bound_scenario_t *self);
