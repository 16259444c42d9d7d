/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What traces are generated from: a model file, or the trace of a scenario. */
#pragma once

#include <stdbool.h>

#include "sim/train/job/scenario.h"

typedef struct {
    spot_yaml_t document;
    bool is_scenario;
    spot_scenario_t scenario;  /* if it is one */
    spot_trace_model_t alone;  /* if it is none */
    spot_trace_model_t *model; /* of the two */
    const char *name;          /* NULL: none */
} spot_trace_source_t;

/* Reads the file at path, whichever it is. sets: [num_sets] "KEY=VALUE". BAD_INPUT with
 * the reasons in diag, also for a recorded trace; IO, NO_MEMORY. Free self even then. */
SPOT_MUST_CHECK int spot_trace_source_read(spot_trace_source_t *self, const char *path,
    size_t num_sets, const char *const *sets, spot_diag_t *diag);
void spot_trace_source_free(spot_trace_source_t *self);
