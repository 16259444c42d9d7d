/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording is too short or too quiet to tell a generator model. */
#ifndef SPOT_TRACES_FIT_FIT_DOUBTS_H
#define SPOT_TRACES_FIT_FIT_DOUBTS_H

#include <stdbool.h>

#include "traces/fit/fit_lines.h"
#include "traces/trace.h"

/* A trace with fewer events, of one type or of both, is no basis for a generator. */
#define SPOT_FIT_FEW_EVENTS 10

/* Sentences on a type of which there are too few events, and on a silence before the
 * first or behind the last one that is longer than any between two of them and more than
 * a tenth of the recording. model: "block", "mrp" or "seed", or NULL: any of them.
 * NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_doubts(
    spot_fit_words_t *self, const spot_trace_t *trace, const char *model);

#endif
