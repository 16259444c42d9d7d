/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a study as one JSON object. */
#ifndef SPOT_REPORTS_RESULT_JSON_H
#define SPOT_REPORTS_RESULT_JSON_H

#include <stdio.h>

#include "base/error.h"
#include "sim/store/store.h"

/* {study, question, seed, replications, points: [{values: {...}, metrics: {NAME: {unit,
 * replications, nulls, mean, std, stderr, ci95_low, ci95_high, p05, median, p95}}}]}.
 * A swept value is a number where it has no unit, else the text of the YAML. */
SPOT_MUST_CHECK int spot_result_json_write(const spot_store_t *store, FILE *out);

#endif
