/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a study as one JSON object. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "sim/store/store.h"

/* {study, question, seed, replications, baseline: {KEY: VALUE}, points: [{values: {...},
 * metrics: {NAME: {unit, replications, nulls, mean, std, stderr, ci95_low, ci95_high,
 * p05, median, p95, difference: {pairs, nulls, mean, ci95_low, ci95_high, gain}}},
 * warnings: {NAME: replications that met it, if any}}], warnings: {NAME: {replications,
 * text}} of all points}. A
 * swept value is a number where it has no unit, else the text of the YAML. baseline is
 * there if the study has one, difference where a point is compared with another; its
 * gain is how many times wider the interval of unpaired replications is, null where that
 * is undefined. */
SPOT_MUST_CHECK int spot_result_json_write(const spot_store_t *store, FILE *out);
