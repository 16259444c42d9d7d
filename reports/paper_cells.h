/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table of a report for a paper has in its rows and columns, before it is written
 * in a dialect. Internal to reports. */
#ifndef SPOT_REPORTS_PAPER_CELLS_H
#define SPOT_REPORTS_PAPER_CELLS_H

#include <stdbool.h>

#include "reports/mean_cell.h"
#include "reports/report.h"
#include "reports/row_warnings.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define SPOT_PAPER_LETTERS_BYTES 4 /* of a note */

/* A swept key, the number of replications, or a metric. */
typedef struct {
    char head[SPOT_WORDS_BYTES + 32];
    bool is_number;
    spot_shown_unit_t shown;                /* of a metric: factor 100 for percent */
    size_t num_first;                       /* bytes of the head in its first line */
    size_t num_chars;                       /* width */
    int64_t num_nulls;                      /* of a metric, in all rows */
    bool has_values;                        /* of a metric, in any row */
    char letters[SPOT_PAPER_LETTERS_BYTES]; /* of the note on them */
} spot_paper_column_t;

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    bool is_difference;      /* to the baseline, whose points are left out */
    spot_mean_cell_t *cells; /* [num_points][num_listed]; a half width that is nothing
                                but rounding is 0 */
    spot_mean_marks_t mean_marks;
    size_t num_rows;
    size_t num_keys; /* swept keys, and one where points differ in replications */
    spot_paper_column_t *keys;    /* [num_keys] */
    spot_paper_column_t *metrics; /* [num_listed] */
    spot_row_marks_t *marks;      /* [num_points], or NULL: no warning was met, or the
                                     table is of differences */
    size_t num_letters;           /* given to notes */
} spot_paper_cells_t;

/* report must outlive self. Errors of reading the store, NO_MEMORY; free self even then.
 */
SPOT_MUST_CHECK int spot_paper_cells_init(
    spot_paper_cells_t *self, const spot_report_t *report, bool is_difference);
void spot_paper_cells_free(spot_paper_cells_t *self);

const spot_mean_cell_t *spot_paper_cell(
    const spot_paper_cells_t *self, size_t point_id, size_t metric_id);

/* What tells a row from others: the value of a key at a point. */
void spot_paper_key_text(const spot_paper_cells_t *self, size_t point_id, size_t key_id,
    char text[SPOT_VALUE_LABEL_BYTES]);

#endif
