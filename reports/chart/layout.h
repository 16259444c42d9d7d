/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a chart for one width: panels with their axes, rows, names and legend in their
 * places on a sheet, which has then all texts and marks as they are written. Internal to the
 * room: spot_chart_svg() lays out, writes the items of the sheet, and frees it. */
#pragma once

#include "reports/chart/sheet.h"

/* Lays the chart out; it must outlive self. NO_MEMORY, or the error of the declaration;
 * free self even then. */
SPOT_MUST_CHECK int spot_sheet_init(
    spot_sheet_t *self, spot_chart_t *chart, double width_px, bool has_title);
void spot_sheet_free(spot_sheet_t *self);
