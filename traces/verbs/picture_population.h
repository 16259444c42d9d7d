/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of instances over time: of one trace, of two, and of a trace over the band of a model;
 * and of events by the hour of the day. Files and errors as in trace_picture.h: IO, NO_MEMORY. */
#pragma once

#include "traces/verbs/trace_picture.h"

/* WHAT "availability": the instances over time, the capacity, the start and the censored
 * end. Columns: time_s; running (kind availability: obtainable), from then on; capacity,
 * empty if unbounded. The last row is the end. More than a few thousand steps are
 * thinned to the first, lowest, highest and last of each of 800 columns.
 * O(events). */
SPOT_MUST_CHECK int spot_trace_plot_availability(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag);

/* WHAT "hours": events per exposed hour in each hour of the day, with exact Poisson
 * intervals of 95 %; hours since the start of the trace where start_ms (as in describe.h)
 * is -1. Columns: event (preempt or add), hour_of_day or hour_since_start (0-23, modulo
 * 24), events, exposed_h, per_exposed_h, low95_per_h, high95_per_h. O(events). */
SPOT_MUST_CHECK int spot_trace_plot_hours(const spot_trace_t *trace, int64_t start_ms,
    const char *folder, const char *name, spot_diag_t *diag);

/* Two traces, or one and the replications of a model, A. */
typedef struct {
    const spot_trace_t *a; /* NULL: only the band */
    const spot_trace_t *b;
    const char *a_label;
    const char *b_label;
    spot_model_band_t band; /* of instances */
} spot_overlay_t;

/* WHAT "compare": instances over time of both and the band. Columns: series (a, b or
 * band), time_s, running (of the band: the median; obtainable if b is so), low and high
 * (of the band). Thinned like availability, the band to its lowest low and highest high.
 * O(events + times). */
SPOT_MUST_CHECK int spot_trace_plot_overlay(
    const spot_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag);
