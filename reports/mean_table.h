/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and their intervals as an aligned table for a terminal: one line a point. */
#ifndef SPOT_REPORTS_MEAN_TABLE_H
#define SPOT_REPORTS_MEAN_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "reports/mean_cell.h"
#include "reports/row_warnings.h"
#include "reports/terminal.h"

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
