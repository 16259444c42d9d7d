/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of what a serving pipeline costs by its latency objective. */
#pragma once

#include <stddef.h>

#include "reports/draw.h"

/* An objective, and the least cost per hour that planners found for it; NAN: none. */
typedef struct {
    double slo_ms;
    double exact, greedy;
} spot_frontier_point_t;

typedef struct {
    const char *name;  /* of the scenario; NULL: none */
    double percentile; /* of the objectives */
    size_t num_points;
    const spot_frontier_point_t *points; /* [num_points] slo_ms increasing */
} spot_frontier_t;

/* Steps: a configuration that meets an objective meets all later ones. Objectives that
 * the exact planner finds nothing for are shaded. context is a spot_frontier_t. */
SPOT_MUST_CHECK int spot_frontier_declare(spot_chart_t *chart, const void *context);
