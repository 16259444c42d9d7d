/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scale of an axis: its ends, its ticks with their labels, and where values are on it.
 *
 * spot_scale_init() chooses ends and ticks; the layout then sets low_px and high_px, and
 * spot_scale_px() maps values. Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/verb/chart.h"

#define SPOT_CHART_MAX_TICKS 16
#define SPOT_CHART_TICK_BYTES 32

typedef struct {
    double value;
    char label[SPOT_CHART_TICK_BYTES];
} spot_tick_t;

typedef struct {
    spot_chart_scale_kind_t kind;
    spot_chart_unit_t unit_kind;
    double low, high;       /* low < high; of LOG 0 < low */
    double low_px, high_px; /* where they are; set by the layout */
    size_t num_rows;        /* of ROWS that texts may stand between, else 0 */
    const double *row_px;   /* [num_rows] their middles */
    double pitch_px;        /* of such a row, without the texts */
    const char *time_name;  /* of times: "h", the largest unit of which there are three */
    double unit;            /* its length in the unit of the axis, else 1 */
    bool has_own_units;     /* ticks have their own: "1 h" */
    size_t num_ticks;
    spot_tick_t ticks[SPOT_CHART_MAX_TICKS + 1]; /* [num_ticks] increasing */
} spot_scale_t;

/* A scale over low to high, which may be equal, undefined (then 0 to 1) or, of LOG, not
 * above 0. is_round: the ends move out to ticks. At least 2 and at most max_ticks (4 to
 * SPOT_CHART_MAX_TICKS) ticks whose labels differ; none of ROWS, whose ends are taken as
 * they are. */
void spot_scale_init(spot_scale_t *self, spot_chart_scale_kind_t kind, spot_chart_unit_t unit,
    double low, double high, bool is_round, size_t max_ticks);

/* A value beyond the ends is placed at most 4 lengths beyond them. NAN: undefined, as
 * values <= 0 of LOG. */
double spot_scale_px(const spot_scale_t *self, double value);

/* The same for an end of an interval, where a value <= 0 of LOG is far below. */
double spot_scale_end_px(const spot_scale_t *self, double value);
