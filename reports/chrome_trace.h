/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as Chrome-trace JSON, which Perfetto and chrome://tracing open. Levels and
 * curves are counters, events are instants, spans are bars. A lane of spans is a thread,
 * or several of the same name where spans overlap: the bars of a thread do not. A text
 * or category named "host" is the process of a span. Other columns are arguments,
 * instants and durations in us as everywhere in this format. */
#pragma once

#include <stdio.h>

#include "sim/bench/engine/series.h"

/* One object, an event a line. A recording without such series has no events. Times are
 * exact to the ns. NO_MEMORY, IO. O(n log n). */
SPOT_MUST_CHECK int spot_chrome_trace_write(const spot_recording_t *recording, FILE *out);
