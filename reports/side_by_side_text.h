/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side on a terminal. */
#ifndef SPOT_REPORTS_SIDE_BY_SIDE_TEXT_H
#define SPOT_REPORTS_SIDE_BY_SIDE_TEXT_H

#include "reports/shown_unit.h"
#include "reports/side_by_side.h"
#include "reports/terminal.h"

/* What the two are and in what they differ, a table for each metric, the main one first,
 * with one line a point that both have, and the points that only one has. NO_MEMORY, IO.
 */
SPOT_MUST_CHECK int spot_side_by_side_write(
    const spot_side_by_side_t *self, const spot_terminal_t *terminal, FILE *out);

/* The cells of the table of a metric at a pair of points, as the page has them too. */
typedef struct {
    char means[SPOT_NUM_SIDES][160]; /* "0.219 ±0.002" */
    char difference[160];            /* "+0.012 ±0.001*" */
    char ratio[32];                  /* "+5.6 %" */
} spot_change_words_t;

/* How precisely the cells of a metric are shown. */
typedef struct {
    int means[SPOT_NUM_SIDES]; /* decimals; -1: as many as it takes */
    int difference;
    double factor; /* of means and differences: see spot_change_shown() */
    bool is_short; /* means without their intervals, two digits of the widest interval
                      of a difference: for a narrow terminal */
} spot_change_decimals_t;

/* How a metric is shown: see spot_metric_shown(). */
spot_shown_unit_t spot_change_shown(const spot_side_by_side_t *self, size_t metric_id);

spot_change_decimals_t spot_change_decimals(
    const spot_side_by_side_t *self, size_t metric_id, double factor, bool is_short);
void spot_change_words(const spot_metric_change_t *change,
    const spot_change_decimals_t *decimals, spot_change_words_t *words);

#endif
