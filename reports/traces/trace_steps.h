/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The population of a trace as a curve of steps. Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "reports/curve.h"
#include "reports/draw.h"
#include "traces/bulk.h"
#include "traces/trace.h"

typedef struct {
    spot_curve_t
        curve;        /* time in ms and the population from then on; from 0 to the end */
    size_t num_steps; /* points before the curve was thinned */
    double low;
    double high;
    double mean; /* over time */
} spot_trace_steps_t;

/* All steps. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_trace_steps_init(
    spot_trace_steps_t *self, const spot_trace_t *trace);
void spot_trace_steps_free(spot_trace_steps_t *self);

/* Whether only the first, lowest, highest and last step of a column are left: lines
 * between them then make an area. */
bool spot_trace_steps_is_dense(const spot_trace_steps_t *self);

/* "running", or "obtainable" for kind availability. */
const char *spot_trace_steps_word(const spot_trace_t *trace);

/* A panel of the population over time, from 0 to at least highest. */
void spot_trace_steps_panel(
    const spot_trace_t *trace, double end_ms, double highest, spot_chart_t *chart);

/* The steps as a series. */
void spot_trace_steps_declare(const spot_trace_steps_t *self,
    const spot_chart_series_t *series, spot_chart_t *chart);

/* The mark of the end of a trace: what follows was not observed. */
void spot_trace_steps_declare_end(
    const spot_trace_t *trace, const char *colour, spot_chart_t *chart);
