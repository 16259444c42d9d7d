/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of SVG: clipped to a box, thinned to what can be seen, written in few bytes.
 * Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/chart/layout.h"

/* The value of an attribute d, in tenths of a px, relative from place to place. */
typedef struct {
    FILE *out;
    long x, y;    /* where the pen is, in tenths */
    char command; /* the last one; 0: nothing is written yet */
} spot_chart_path_t;

void spot_chart_path_move(spot_chart_path_t *self, double x, double y);
void spot_chart_path_line(spot_chart_path_t *self, double x, double y);
void spot_chart_path_close(spot_chart_path_t *self);
void spot_chart_path_rectangle(spot_chart_path_t *self, const spot_chart_box_t *box);

typedef struct {
    double x, y; /* px; NAN: a gap */
} spot_chart_point_t;

/* Keeps of each column of a px the lowest and the highest point, if there are more than
 * four a px. Returns how many are left. */
size_t spot_chart_thin(spot_chart_point_t *points, size_t num_points);

/* A line through points, as far as it is within the box. */
void spot_chart_path_polyline(spot_chart_path_t *self, const spot_chart_point_t *points,
    size_t num_points, const spot_chart_box_t *box);

/* The inside of a closed line of points without gaps, as far as it is within the box.
 * room: [SPOT_CHART_CLIP_ROOM(num_points)], its old values are lost: each edge of the
 * box may cut off what a line that goes to and fro has beyond it. */
#define SPOT_CHART_CLIP_ROOM(num_points) (2 * (3 * (num_points) + 16))
void spot_chart_path_polygon(spot_chart_path_t *self, const spot_chart_point_t *points,
    size_t num_points, const spot_chart_box_t *box, spot_chart_point_t *room);
