/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans of a run in lanes: which job ran on which node, and when. Spans of a lane that
 * overlap stand in slots of it, the lowest that are free, as many as each takes; slots
 * that are not side by side make several pieces of one span. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/bench/engine/metric.h"
#include "sim/bench/engine/series.h"

#define SPOT_MAX_SLOTS 64 /* of a lane; spans that find none share the last ones */

typedef struct {
    double start_ms, end_ms;
    size_t lane_id;
    size_t slot, num_slots; /* of the lane, from its top */
    size_t row_id;
    size_t colour_id;
} spot_span_t;

typedef struct {
    const char *name;
    size_t num_slots; /* as many as were taken at once, >= 1 */
    size_t key_id;    /* internal: how rows name it */
} spot_span_lane_t;

/* What spans are coloured by. */
typedef struct {
    const char *name; /* a category; NULL: a span's label chooses by chance */
    const char *colour;
    double sum_ms; /* of its spans, times the slots that they take */
} spot_span_colour_t;

/* Texts are those of the series. */
typedef struct {
    const spot_series_t *series; /* NULL: a run has no spans */
    double end_ms;               /* the last of all */
    size_t num_lanes;
    spot_span_lane_t *lanes; /* [num_lanes] in the order of the categories of their
                                column, else by name, numbers in names by value */
    size_t num_colours;
    spot_span_colour_t *colours; /* [num_colours] */
    size_t num_spans;
    size_t max_spans;
    spot_span_t *spans; /* [num_spans] pieces in order of time */
} spot_spans_t;

/* Whether the columns of a series are those of spans. */
bool spot_spans_fit(const spot_series_kind_t *kind);

/* Rows that end before they start are left out. series and colours, which may be NULL,
 * must outlive self. NO_MEMORY; free self even then. O(n log n) */
SPOT_MUST_CHECK int spot_spans_init(
    spot_spans_t *self, const spot_series_t *series, const spot_colour_t *colours);
void spot_spans_free(spot_spans_t *self); /* accepts a zeroed self */

const char *spot_span_label(const spot_spans_t *self, const spot_span_t *span);

/* The least length that not more than max_pieces pieces have; *num_shorter: how many
 * pieces are shorter. 0 where all have room. NO_MEMORY. O(n log n) */
SPOT_MUST_CHECK int spot_spans_least(
    const spot_spans_t *self, size_t max_pieces, double *least_ms, size_t *num_shorter);
