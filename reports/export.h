/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store has, as rows for other programs: one line a replication or a point, as
 * CSV or as JSON objects. Columns are named by swept keys (job.pipeline_depth; with the
 * unit where values have one: job.reload_s) and metrics, whose names say their units.
 * Rows stream: memory does not grow with their number. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "sim/store/store.h"

typedef enum { SPOT_EXPORT_CSV, SPOT_EXPORT_JSONL } spot_export_format_t;

/* point, the swept keys, replication, the metrics (empty or null where undefined), and
 * warnings: the names of those that held, with ';' between them, or a list. BAD_PARAM:
 * the store keeps summaries only; IO: out. */
SPOT_MUST_CHECK int spot_export_replications(
    const spot_store_t *store, spot_export_format_t format, FILE *out);

/* point, the swept keys, replications, and of each metric its _mean, _std, _stderr,
 * _ci95_low, _ci95_high, _p05, _median, _p95 and _nulls, then warnings: how many
 * replications met each, "clipped:12;flat:3" or a map; at the end, of a study with
 * optimise only, fate: the name of how the point fares in the race. */
SPOT_MUST_CHECK int spot_export_points(
    const spot_store_t *store, spot_export_format_t format, FILE *out);
