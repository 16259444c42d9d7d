/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics and warnings of one replication, of any engine. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "reports/table/terminal.h"
#include "sim/engine/experiment.h"

typedef struct {
    const spot_experiment_t *experiment;
    const char *name; /* of the scenario; NULL: it has none */
    const spot_outputs_t *outputs;
    const double *metrics;         /* [outputs->num_metrics] */
    const unsigned char *warnings; /* [experiment->num_warnings] */
    uint64_t seed;
    uint64_t replication;
} spot_run_result_t;

/* Which run it is, a table of the metrics, and the warnings. NO_MEMORY. */
SPOT_MUST_CHECK int spot_run_result_text(
    const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out);

/* {engine, scenario, metrics: {NAME: {value, unit}}, warnings: [NAME], seed,
 * replication}; undefined values are null. */
void spot_run_result_json(const spot_run_result_t *self, FILE *out);
