/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubts about a generator model whose recording is short or quiet. */
#pragma once

#include <stdbool.h>

#include "traces/fit/fit_lines.h"
#include "traces/trace.h"

/* Fewer events, of one type or of both, are no basis for a generator. */
#define SPOT_FIT_FEW_EVENTS 10

/* Writes a sentence on each type with too few events, and on a silence before the first
 * event or after the last one that is longer than any gap between events and than a
 * tenth of the recording. model: "block", "mrp" or "seed", or NULL: any of them.
 * NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_doubts(
    spot_fit_words_t *self, const spot_trace_t *trace, const char *model);
