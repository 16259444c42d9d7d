/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model file, bound so that its replications can be compared with a trace. */
#pragma once

#include "traces/generate/model.h"
#include "traces/trace.h"

typedef struct {
    spot_yaml_t document;
    spot_trace_model_t model; /* its replications have the length of the trace */
    const char *name;         /* kind, as in reference tables: name of the generator; for
                                 seed "seed-corrected", "seed-cell42" or "seed-loop", but
                                 "seed" if only some defects of the notebook are kept */
} spot_trace_model_file_t;

/* Reads a model file. Horizon and initial instances are those of the trace, unless the
 * generator has initial instances of its own. A model without capacity takes that of the
 * trace. Another capacity is a warning, one below the initial instances of the trace an
 * error. trace_path: for messages. BAD_INPUT, IO, NO_MEMORY with the reasons in diag;
 * free self even then. */
SPOT_MUST_CHECK int spot_trace_model_file_read(spot_trace_model_file_t *self, const char *path,
    const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag);
void spot_trace_model_file_free(spot_trace_model_file_t *self);
