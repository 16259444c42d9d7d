/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things are in the picture of cost against gain: its panel, the dots that are
 * drawn, and the numbers beside some of them. Internal to reports. */
#ifndef SPOT_REPORTS_PARETO_LAYOUT_H
#define SPOT_REPORTS_PARETO_LAYOUT_H

#include "reports/cost_gain.h"
#include "reports/figure.h"
#include "reports/shown_unit.h"

#define SPOT_PARETO_NUMBERS 12
#define SPOT_PARETO_SERIES 20
#define SPOT_PARETO_BARS 150 /* points with their intervals */
#define SPOT_PARETO_WIDTH_PX 900.0
#define SPOT_PARETO_LINE_PX 19.0 /* of the legend */
#define SPOT_PARETO_PART_PX 12.0 /* between parts of it */

/* A number beside a dot, explained in the legend. */
typedef struct {
    size_t point_id;
    size_t group_id;
    double x_px, y_px; /* of its text */
} spot_pareto_number_t;

typedef struct {
    const spot_cost_gain_t *points;
    const spot_study_head_t *head;
    spot_figure_t figure;
    spot_panel_t panel;
    size_t series_axis_id; /* num_axes: all points look the same */
    size_t num_series;
    bool is_log;                  /* the axis of costs */
    spot_shown_unit_t cost, gain; /* factor 100 for percent */
    bool *is_drawn;               /* [num_points] */
    size_t num_drawn;
    bool has_bars;     /* of all points, not of the front alone */
    size_t num_fronts; /* with a line */
    size_t num_numbers;
    spot_pareto_number_t numbers[SPOT_PARETO_NUMBERS];
} spot_pareto_layout_t;

/* points must outlive self. NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_pareto_layout_init(
    spot_pareto_layout_t *self, const spot_cost_gain_t *points);
void spot_pareto_layout_free(spot_pareto_layout_t *self);

bool spot_pareto_is_front(const spot_pareto_layout_t *self, size_t point_id);

/* Where a cost is along x of the panel. */
double spot_pareto_place_cost(const spot_pareto_layout_t *self, double cost);

/* The value of the series axis, by which a point is drawn. */
size_t spot_pareto_series(const spot_pareto_layout_t *self, size_t point_id);

/* The group whose front is the front_id-th that has a line. */
size_t spot_pareto_group(const spot_pareto_layout_t *self, size_t front_id);

#endif
