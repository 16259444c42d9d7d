/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side on a terminal. */
#pragma once

#include "reports/point_table.h"
#include "reports/shown_unit.h"
#include "reports/side_by_side.h"
#include "reports/table/terminal.h"

/* What the two are and in what they differ, a table for each metric, the main one first,
 * with one line a point that both have, and the points that only one has. NO_MEMORY, IO.
 */
SPOT_MUST_CHECK int spot_side_by_side_write(
    const spot_side_by_side_t *self, const spot_terminal_t *terminal, FILE *out);

/* How a metric is shown: see spot_metric_shown(). */
spot_shown_unit_t spot_change_shown(const spot_side_by_side_t *self, size_t metric_id);

/* The table of a metric, of the first max_rows points that both have: fractions in
 * percent in words, as they are by name. */
void spot_side_by_side_table_fill(const spot_side_by_side_t *self, size_t metric_id,
    spot_point_voice_t voice, size_t max_rows, spot_table_t *table);
