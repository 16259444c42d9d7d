/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine in words: its keys, and what its example yields. For `spotsim engine` and
 * the manual. */
#ifndef SPOT_CLI_ENGINE_WORDS_H
#define SPOT_CLI_ENGINE_WORDS_H

#include <stdio.h>

#include "base/diag.h"
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

/* Keys, metrics, warnings, series and example, for a terminal and as JSON. NO_MEMORY. */
void spot_engine_words_text(const spot_engine_words_t *self, FILE *out);
SPOT_MUST_CHECK int spot_engine_words_json(const spot_engine_words_t *self, FILE *out);

/* The page spotsim-engine-NAME(5) in man(7) form. */
void spot_engine_words_manual(const spot_engine_words_t *self, FILE *out);

#endif
