/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chart as a gnuplot script with its data, to draw it again in another
 * way. */
#pragma once

#include <stdio.h>

#include "reports/chart/chart.h"

/* The script draws an SVG to picture_path, a name without quotes or line ends: one panel
 * below the other, with what was declared of axes, series and rules. NO_MEMORY, IO, or
 * the error of the declaration. */
SPOT_MUST_CHECK int spot_chart_script(spot_chart_t *self, const char *picture_path, FILE *out);
