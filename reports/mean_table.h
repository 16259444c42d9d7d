/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and their intervals as an aligned table for a terminal: one line a point. */
#ifndef SPOT_REPORTS_MEAN_TABLE_H
#define SPOT_REPORTS_MEAN_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "sim/store/head.h"

/* "mean ±half width", with an asterisk behind it if it is marked. */
typedef struct {
    double mean;       /* NAN: shown as - */
    double half_width; /* NAN: none */
    bool is_marked;
} spot_mean_cell_t;

typedef struct {
    const spot_study_head_t *head;
    const spot_mean_cell_t *cells; /* [num_points][num_listed] */
    bool is_without_baseline; /* leave out the points that others are compared with */
} spot_mean_table_t;

/* Whether a point has a line. */
bool spot_mean_table_shows(const spot_mean_table_t *self, size_t point_id);

/* Writes an empty line and the table; in several blocks below each other, each behind an
 * empty line, if it is too wide for a terminal. NO_MEMORY. */
SPOT_MUST_CHECK int spot_mean_table_write(const spot_mean_table_t *self, FILE *out);

#endif
