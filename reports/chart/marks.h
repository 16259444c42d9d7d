/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is drawn in a panel: fills, bands, rules, intervals, lines and markers. Internal
 * to the room. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "reports/chart/layout.h"

/* Where elements are written to. */
typedef struct {
    FILE *out;
    bool is_inline; /* colours have a counterpart in the dark */
} spot_chart_pen_t;

/* Attributes of an element whose currentColor is a colour. */
void spot_chart_write_colour(const spot_chart_pen_t *pen, const char *colour);

/* A marker of a colour. */
void spot_chart_draw_marker(const spot_chart_pen_t *pen, spot_chart_marker_t marker,
    bool is_hollow, const char *colour, double x, double y, double radius);

/* " stroke-dasharray=..." of a dashed line, or "". */
const char *spot_chart_dash(spot_chart_dash_t dash);

/* All marks of a panel. NO_MEMORY. */
SPOT_MUST_CHECK int spot_chart_draw_marks(
    const spot_chart_pen_t *pen, const spot_chart_place_t *place, bool has_hovers);
