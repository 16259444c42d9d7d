/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture of a study shows, found in its store: the axis to draw along, the
 * metrics, and one panel for each combination of the values of the other axes that there
 * is. The keys of a zip move together: one panel has all its points. So has that of a
 * design, whose points are scattered and have no order along an axis. */
#pragma once

#include <stdbool.h>

#include "reports/report.h"

/* Points in lines along an axis, those with the same values of all other axes, each by
 * number, then by place. is_one: all of them in one line. */
typedef struct {
    size_t num_lines;
    size_t *starts;    /* [num_lines + 1] into point_ids */
    size_t *point_ids; /* [num_points] */
} spot_point_lines_t;

/* NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_point_lines_init(
    spot_point_lines_t *self, const spot_study_head_t *head, size_t axis_id, bool is_one);
void spot_point_lines_free(spot_point_lines_t *self);

typedef struct {
    const spot_study_head_t *head;
    const spot_report_t *report;
    size_t axis_id;       /* to draw along */
    double x_low, x_high; /* of all points */
    size_t num_panels;    /* as lines */
    spot_point_lines_t lines;
    bool has_all_in_one; /* panel: the other axes are not constant there */
    bool is_scattered;
    bool has_curve_axis; /* then each of the panels is a curve of its own, and those that
                            differ in that axis only are drawn in one */
    size_t curve_axis_id;
    int32_t y_id;        /* a metric, as those below */
    int32_t second_x_id; /* -1: none */
    size_t num_parts;    /* of the stack */
    size_t *metric_ids;  /* [1 + num_parts] y and the stack from below, then room for one
                            more */
} spot_curves_t;

/* The report must outlive self. BAD_PARAM where nothing can be drawn: *problem says why.
 * Free self even then. */
SPOT_MUST_CHECK int spot_curves_init(
    spot_curves_t *self, const spot_report_t *report, const char **problem);
void spot_curves_free(spot_curves_t *self);

/* Why nothing can be drawn or no curve would be seen, as all points are undefined; NULL:
 * there is a picture. Builds no curves. */
const char *spot_curves_problem(const spot_report_t *report);

/* Points of a panel, and the x_id-th of them. */
size_t spot_curves_num_x(const spot_curves_t *self, size_t panel_id);
size_t spot_curves_point(const spot_curves_t *self, size_t panel_id, size_t x_id);

/* The value of another axis in a panel, where it is constant there. */
size_t spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id);

/* The number along x of the x_id-th point of a panel, ascending. */
double spot_curves_x(const spot_curves_t *self, size_t panel_id, size_t x_id);

const spot_summary_t *spot_curves_at(
    const spot_curves_t *self, size_t panel_id, size_t x_id, int32_t metric_id);

/* The lowest num_parts parts together at a point. */
double spot_curves_height(const spot_curves_t *self, size_t point_id, size_t num_parts);

/* Whether y and all parts have values there. */
bool spot_curves_is_defined(const spot_curves_t *self, size_t point_id);
