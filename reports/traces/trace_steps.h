/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The population of a trace as a curve of steps. Internal to the room. */
#ifndef SPOT_REPORTS_TRACES_TRACE_STEPS_H
#define SPOT_REPORTS_TRACES_TRACE_STEPS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "reports/curve.h"
#include "reports/figure.h"
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

/* The axis of a population, from 0 to at least highest, with ticks at whole numbers. */
spot_scale_t spot_trace_steps_scale(double highest);

/* The points as the data block $NAME, times in a unit. */
void spot_trace_steps_write_data(
    const spot_trace_steps_t *self, const char *name, spot_time_unit_t unit, FILE *out);

#endif
