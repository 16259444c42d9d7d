/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store has, for other programs: its replications or its points, one line each,
 * and the results of its study. Numbers read back exactly; what is null or undefined is
 * empty in CSV, null in JSON. */
#pragma once

#include <stdio.h>

#include "sim/bench/store/store.h"

typedef enum { SPOT_EXPORT_CSV, SPOT_EXPORT_JSONL } spot_export_format_t;

/* A line for each replication: point, the swept keys (job.pipeline_depth; with the unit
 * where values have one: job.reload_s), replication, the metrics, and warnings: the
 * names of those that held, with ';' between them, or a list. Rows stream: memory does
 * not grow with their number. BAD_PARAM: the store keeps summaries only; IO: out. */
SPOT_MUST_CHECK int spot_export_replications(
    const spot_store_t *store, spot_export_format_t format, FILE *out);

/* A line for each point: point, the swept keys, replications, and of each metric its
 * _mean, _std, _stderr, _ci95_low, _ci95_high, _p05, _median, _p95 and _nulls, then
 * warnings: how many replications met each, "clipped:12;flat:3" or a map; at the end, of
 * a study with optimise only, fate: the name of how the point fares in the race. */
SPOT_MUST_CHECK int spot_export_points(
    const spot_store_t *store, spot_export_format_t format, FILE *out);

/* A line of CSV for each point and metric: point, one column for each swept key (named
 * by its path), metric, unit, replications, nulls, mean, std, stderr, ci95_low,
 * ci95_high, p05, median, p95, difference, difference_ci95_low, difference_ci95_high: to
 * the baseline, of paired replications; warnings and fate as above, and between them
 * estimator and remark. Differences of a point that is compared with none are empty. */
SPOT_MUST_CHECK int spot_result_csv_write(const spot_store_t *store, FILE *out);

/* The same of as many points, from the first one on, as are begun within most_s seconds. */
SPOT_MUST_CHECK int spot_result_csv_write_in(
    const spot_store_t *store, FILE *out, double most_s, size_t *num_points);

/* One object: {study, question, seed, replications, baseline: {KEY: VALUE}, points:
 * [{values: {...}, metrics: {NAME: {unit, replications, nulls, mean, std, stderr,
 * ci95_low, ci95_high, p05, median, p95, difference: {pairs, nulls, mean, ci95_low,
 * ci95_high, gain}}}, warnings: {NAME: replications that met it, if any}}], warnings:
 * {NAME: {replications, text}} of all points}. A swept value is a number where it has no
 * unit, else the text of the YAML. baseline is there if the study has one, difference
 * where a point is compared with another; its gain is how many times wider the interval
 * of unpaired replications is, null where that is undefined. */
SPOT_MUST_CHECK int spot_result_json_write(const spot_store_t *store, FILE *out);
