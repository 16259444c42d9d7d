/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace of a run that is under way: what was recorded so far, then a model. */
#pragma once

#include "traces/generate/model.h"
#include "traces/generate/recordings.h"

/* Lets a model go on where a recording ends, with the instances that it then has. Takes
 * over model, bound with these as its initial ones, and so_far; where the model starts
 * with others the population jumps to them. Victims after the recording are uniform. The
 * price of the model counts from the start of the recording. Models with zones cannot go
 * on: nobody knows the zones of the instances so far. NO_MEMORY: nothing is taken
 * over. */
SPOT_MUST_CHECK int spot_trace_model_go_on(
    spot_trace_model_t *model, spot_recorded_trace_t *so_far);

/* The model that goes on; model itself if it is none that does. */
const spot_trace_model_t *spot_trace_model_rest(const spot_trace_model_t *model);

/* The recording of so far, or NULL. */
const spot_recorded_trace_t *spot_trace_model_so_far(const spot_trace_model_t *model);
