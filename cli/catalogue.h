/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engines in words: their keys, and what their examples yield. For help, `spotsim
 * engine` and the manual. */
#ifndef SPOT_CLI_CATALOGUE_H
#define SPOT_CLI_CATALOGUE_H

#include <stdio.h>

#include "base/diag.h"
#include "cli/doc.h"
#include "sim/engine/scenario_file.h"

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

/* Keys, metrics, warnings, series and example, on a terminal or for the page
 * spotsim-engine-NAME(5), and as JSON. NO_MEMORY. */
void spot_engine_words_put(const spot_engine_words_t *self, const spot_doc_t *doc);
SPOT_MUST_CHECK int spot_engine_words_json(const spot_engine_words_t *self, FILE *out);

/* An item for each metric. */
void spot_catalogue_metrics(
    const spot_doc_t *doc, const spot_metric_t *metrics, size_t num_metrics);

#endif
