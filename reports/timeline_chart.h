/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of one run: its levels as stacks over time with each one's share, a strip
 * for each kind of events, its curve, its spans in lanes. Long runs are thinned to about
 * one piece of time a pixel, which keeps peaks, dips and marks. */
#pragma once

#include "reports/draw.h"
#include "reports/run_series.h"

/* context is a spot_run_series_t that passed spot_run_series_check(). */
SPOT_MUST_CHECK int spot_timeline_declare(spot_chart_t *chart, const void *context);

/* The same with its distributions below. */
SPOT_MUST_CHECK int spot_run_declare(spot_chart_t *chart, const void *context);
