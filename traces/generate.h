/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing generated traces as canonical files. */
#ifndef SPOT_TRACES_GENERATE_H
#define SPOT_TRACES_GENERATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/model.h"

typedef struct {
    uint64_t seed;
    uint64_t replication;
    int64_t horizon_ms;     /* > 0, not beyond that of the model */
    spot_trace_kind_t kind; /* named or counts */
    const char *name;       /* of the trace, no comma and no quote */
    const char *version;    /* of the program, for the note */
    atomic_int *stop;       /* not 0: give up; may be NULL */
} spot_generate_t;

/* Writes one replication of a model to path (see spot_outfile_init), up to the horizon
 * and that instant included. In kind counts only the net change of a tick is written.
 * INTERRUPTED, IO, NO_MEMORY, BAD_PARAM for more names than a line can hold, the reasons
 * in diag. */
SPOT_MUST_CHECK int spot_generate(const spot_trace_model_t *model,
    const spot_generate_t *task, const char *path, spot_diag_t *diag);

#endif
