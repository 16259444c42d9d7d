/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes generated traces as canonical files. */
#pragma once

#include <stdint.h>

#include "base/diag.h"
#include "base/watch.h"
#include "traces/generate/model.h"

typedef struct {
    uint64_t seed;
    uint64_t replication;
    int64_t horizon_ms;     /* > 0, at most that of the model */
    spot_trace_kind_t kind; /* named or counts */
    const char *name;       /* of the trace; bytes that a header cannot hold are replaced */
    const char *version;    /* of the program, for the note */
    spot_watch_t watch;     /* in spot_generate_several() it counts traces */
} spot_generate_t;

/* Writes one replication of a model to path (see spot_outfile_init()), up to and
 * including the horizon. Kind counts has only the net change of a tick. The trace of a
 * model that may exceed its capacity has capacity unbounded. INTERRUPTED, IO, NO_MEMORY,
 * BAD_PARAM for more names than a line can hold, OVERDRAW if more instances are
 * preempted than live and the model does not clip; reasons in diag. */
SPOT_MUST_CHECK int spot_generate(const spot_trace_model_t *model, const spot_generate_t *task,
    const char *path, spot_diag_t *diag);

/* Writes num_replications replications from task->replication on into a folder, which it
 * makes if needed, as NAME.0000.csv, NAME.0001.csv, ... (a slash in the name becomes _).
 * Errors as spot_generate(). */
SPOT_MUST_CHECK int spot_generate_several(const spot_trace_model_t *model,
    const spot_generate_t *task, int64_t num_replications, const char *folder, spot_diag_t *diag);
