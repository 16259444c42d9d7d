/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engines in words: their keys, and what their examples yield. For help, `spotsim
 * engine` and the manual. */
#pragma once

#include <stdio.h>

#include "base/diag.h"
#include "reports/engine_report.h"
#include "sim/bench/engine/scenario_file.h"

/* The name of the j-th engine, or NULL behind the last. */
const char *spot_catalogue_engine_name(size_t j);

/* An engine and its example, bound. */
typedef struct {
    const spot_experiment_t *experiment;
    spot_bound_scenario_t example;
    const spot_outputs_t *outputs; /* of the example */
} spot_engine_words_t;

/* Errors of binding the example, with the reason in diag; free self even then. */
SPOT_MUST_CHECK int spot_engine_words_init(
    spot_engine_words_t *self, const spot_experiment_t *experiment, spot_diag_t *diag);
void spot_engine_words_free(spot_engine_words_t *self);

/* Lists the keys of the scenario at path, of its engine and of all that it chooses, with
 * its values; of a study those of its scenario, then its own. BAD_INPUT, IO with the
 * reasons in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_catalogue_keys(const spot_doc_t *doc, const char *path, spot_diag_t *diag);

/* What `spotsim help TOPIC` lists: "metrics" and "keys" of all engines, "units".
 * BAD_PARAM: another topic; NO_MEMORY. */
SPOT_MUST_CHECK int spot_catalogue_topic(
    const spot_doc_t *doc, const char *topic, spot_diag_t *diag);

/* The name of the j-th topic, or NULL behind the last. */
const char *spot_catalogue_topic_name(size_t j);
