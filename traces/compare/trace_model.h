/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model file bound so that its replications can be held against a trace. */
#ifndef SPOT_COMPARE_TRACE_MODEL_H
#define SPOT_COMPARE_TRACE_MODEL_H

#include "traces/generate/model.h"
#include "traces/trace.h"

typedef struct {
    spot_yaml_t document;
    spot_trace_model_t model; /* its replications have the trace's length */
    const char *name;         /* as in reference tables: that of the generator; of seed
                                 "seed-corrected", "seed-cell42" or "seed-loop", unless
                                 only some of the notebook's defects are kept */
} spot_trace_model_file_t;

/* Reads a model file. Its horizon_s and initial do not count, unless the generator
 * itself knows how many instances it starts with. A capacity that the model does not say
 * is that of the trace, one that differs warns, one below the instances that the trace
 * starts with is an error. trace_path: for messages. BAD_INPUT, IO, NO_MEMORY with the
 * reasons in diag; free self even then. */
SPOT_MUST_CHECK int spot_trace_model_file_read(spot_trace_model_file_t *self,
    const char *path, const spot_trace_t *trace, const char *trace_path,
    spot_diag_t *diag);
void spot_trace_model_file_free(spot_trace_model_file_t *self);

/* Whether the file is a trace, plain or gzip, by its first line; else it can be a model.
 */
bool spot_is_trace_file(const char *path);

#endif
