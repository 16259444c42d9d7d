/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a curve, and those of them that a picture can show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Columns of a picture, about one a pixel. */
#define SPOT_MAX_COLUMNS 800

typedef struct {
    double x;
    double y;
} spot_point_t;

/* Zero it to start. */
typedef struct {
    size_t num_points;
    size_t max_points;
    spot_point_t *points; /* [num_points] x never decreasing */
} spot_curve_t;

/* NO_MEMORY. O(1) amortised. */
SPOT_MUST_CHECK int spot_curve_add(spot_curve_t *self, double x, double y);
void spot_curve_free(spot_curve_t *self);

/* What a curve of steps is at x, from its first point on. Starts looking at *step_id and
 * moves it: 0 for the first of several x that never decrease. O(steps passed). */
double spot_curve_at(const spot_curve_t *self, size_t *step_id, double x);

/* Where there are more than four points a column: keeps of each of SPOT_MAX_COLUMNS
 * equal columns from low to high the first, lowest, highest and last point, so that no
 * peak is hidden. is_log: columns of equal ratio, 0 < low. O(points). */
void spot_curve_thin(spot_curve_t *self, double low, double high, bool is_log);

/* The same with num_columns equal columns. */
void spot_curve_thin_to(
    spot_curve_t *self, size_t num_columns, double low, double high, bool is_log);
