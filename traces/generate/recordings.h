/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded traces behind models. Models that are bound one after another share what they
 * have read: a study over one trace reads it once, however many points it has. */
#ifndef SPOT_TRACES_GENERATE_RECORDINGS_H
#define SPOT_TRACES_GENERATE_RECORDINGS_H

#include "base/diag.h"
#include "base/error.h"
#include "traces/generate/generator.h"
#include "traces/trace.h"

typedef struct spot_shelf spot_shelf_t;

typedef struct {
    spot_shelf_t *shelf;
    const spot_trace_t *trace; /* on the shelf */
} spot_recording_t;

/* The trace at path, read unless like (of a model bound before, or NULL) has it already;
 * like may be closed first. Kind availability is a warning. BAD_INPUT, IO, NO_MEMORY
 * with the reasons in diag; close self even then. */
SPOT_MUST_CHECK int spot_recording_open(spot_recording_t *self,
    const spot_recording_t *like, const char *path, spot_diag_t *diag);
void spot_recording_close(spot_recording_t *self);

/* Fills in what neither a model file nor a scenario says (capacity, initial, tick_ms and
 * horizon_ms): capacity, or the largest population where it is unbounded, population at
 * time 0, resolution and length of the trace. O(events). */
void spot_recording_settle(const spot_trace_t *trace, spot_model_common_t *common);

#endif
