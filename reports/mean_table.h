/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and their intervals as an aligned table for a terminal: one line a point. */
#ifndef SPOT_REPORTS_MEAN_TABLE_H
#define SPOT_REPORTS_MEAN_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "reports/row_warnings.h"
#include "reports/terminal.h"

/* "mean ±half width", with an asterisk behind it if it is marked, and an exclamation
 * mark if its tail is too heavy for the interval. */
typedef struct {
    double mean;       /* NAN: shown as -; INFINITY: as "> least" */
    double half_width; /* NAN: none; INFINITY: as "?", it has no upper end */
    double least;
    int64_t num_left_out; /* of num_all replications; 0: the estimate is of all */
    int64_t num_cut_off;  /* of these: lower bounds that it takes as they are */
    int64_t num_all;
    bool is_marked;
    bool is_heavy;
    bool is_left_out; /* the point has no line: true in all of its cells, see below */
} spot_mean_cell_t;

/* The cell of a point that is left out. */
#define SPOT_MEAN_CELL_LEFT_OUT                                                         \
    ((spot_mean_cell_t){                                                                \
        .mean = (double) NAN, .half_width = (double) NAN, .is_left_out = true})

typedef struct {
    const spot_study_head_t *head;
    const spot_mean_cell_t *cells; /* [num_points][num_listed] */
    const spot_row_marks_t *marks; /* [num_points] in a column "warnings"; NULL: none */
    const spot_terminal_t *terminal; /* NULL: a file */
} spot_mean_table_t;

/* Writes an empty line and the table; in several blocks below each other, each behind an
 * empty line, if it is too wide for the terminal; where not even one metric fits beside
 * the keys, a block a point. NO_MEMORY. */
SPOT_MUST_CHECK int spot_mean_table_write(const spot_mean_table_t *self, FILE *out);

#endif
