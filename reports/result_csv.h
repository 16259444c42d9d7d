/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a study as CSV, tidy: one row a point and metric. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "sim/store/store.h"

/* Columns: point, one per swept key (named by its path), metric, unit, replications,
 * nulls, mean, std, stderr, ci95_low, ci95_high, p05, median, p95, difference,
 * difference_ci95_low, difference_ci95_high: to the baseline, of paired replications;
 * warnings: how many replications of the point met each, "clipped:12;never_trained:3".
 * Null and undefined are empty, as are differences of a point that is compared with
 * none; numbers read back exactly. */
SPOT_MUST_CHECK int spot_result_csv_write(const spot_store_t *store, FILE *out);
