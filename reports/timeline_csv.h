/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the picture of one run shows, as CSV. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/run_series.h"

/* Columns: time_s, kind, name, value. Of kind level: the value of a level from then
 * until the next row of that level (the first ones, then where it changes); mark:
 * something happened, value is how many; progress: a point of the curve, linear in
 * between. The last row, of kind end, is the end of the run. Each kind in order of
 * time. IO. */
SPOT_MUST_CHECK int spot_timeline_csv_write(const spot_run_series_t *run, FILE *out);
