/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine in words: its keys, and what its example yields. */
#pragma once

#include <stdio.h>

#include "reports/doc.h"
#include "sim/bench/engine/experiment.h"

/* Keys, metrics, warnings, series and example, on a terminal or for the page
 * spotsim-engine-NAME(5), and as JSON. outputs: of the example. */
void spot_engine_report_put(
    const spot_doc_t *doc, const spot_experiment_t *experiment, const spot_outputs_t *outputs);
void spot_engine_report_json(
    const spot_experiment_t *experiment, const spot_outputs_t *outputs, FILE *out);

/* An item for each metric. */
void spot_engine_report_metrics(
    const spot_doc_t *doc, const spot_metric_t *metrics, size_t num_metrics);
