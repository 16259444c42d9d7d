/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measured curve y(x), linear between its points. */
#pragma once

#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    double x; /* > 0 */
    double y; /* >= 0 */
} spot_measured_point_t;

/* Once read it is constant and safe for any number of threads. */
typedef struct {
    size_t num_points;
    size_t max_points;
    spot_measured_point_t *points; /* [num_points] x strictly increasing */
} spot_measured_curve_t;

void spot_measured_free(spot_measured_curve_t *self);

/* Reads a UTF-8 CSV file with the two columns x_name and y_name and x increasing; lines
 * that start with # are remarks. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free
 * self even then. */
SPOT_MUST_CHECK int spot_measured_read(spot_measured_curve_t *self, const char *path,
    const char *x_name, const char *y_name, spot_diag_t *diag);

/* y at x: below the first point its value, beyond the last one proportional to x, like
 * the time of a transfer. Needs at least one point. O(log num_points). */
double spot_measured_at(const spot_measured_curve_t *self, double x);

/* The point at exactly x, or NULL. O(log num_points). */
const spot_measured_point_t *spot_measured_find(const spot_measured_curve_t *self, double x);
