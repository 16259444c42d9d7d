/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-order and total Sobol indices of every swept key for every listed metric. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "reports/point_table.h"
#include "sim/analysis/study_sensitivity.h"

/* What the indices are shares of: "mean 0.48, standard deviation over the points 0.1;
 * ...", without an end of line. */
void spot_sensitivity_variance_write(const spot_sensitivity_t *indices, FILE *out);

/* All three below need a store whose plan is a sensitivity design. NO_MEMORY, IO. */

/* Indices of a metric as a table: keys with the largest total first. */
void spot_sensitivity_table_fill(const spot_study_head_t *head,
    const spot_sensitivity_t *indices, spot_point_voice_t voice, spot_table_t *table);

/* A table for each metric. */
SPOT_MUST_CHECK int spot_sensitivity_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out);

/* One row a metric and key: metric,key,first_order,first_order_ci95_low,
 * first_order_ci95_high,total,total_ci95_low,total_ci95_high,noise_share,base_samples,
 * left_out. Empty where undefined. */
SPOT_MUST_CHECK int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out);

/* "sensitivity": by metric and key. */
SPOT_MUST_CHECK int spot_sensitivity_json(spot_json_t *json, const spot_store_t *store);
