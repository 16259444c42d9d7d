/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-order and total Sobol indices of every swept key for every listed metric. */
#ifndef SPOT_REPORTS_SENSITIVITY_REPORT_H
#define SPOT_REPORTS_SENSITIVITY_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "sim/analysis/study_sensitivity.h"

/* "-0.003 [-0.012, 0.011]": an index and its interval. */
#define SPOT_INDEX_BYTES 64
void spot_sensitivity_index_text(
    const spot_sensitivity_index_t *index, char text[SPOT_INDEX_BYTES]);

/* What the indices are shares of: "mean 0.48, standard deviation over the points 0.1;
 * ...", without an end of line. */
void spot_sensitivity_variance_write(const spot_sensitivity_t *indices, FILE *out);

/* All three below need a store whose plan is a sensitivity design. NO_MEMORY, IO. */

/* A table for each metric. */
SPOT_MUST_CHECK int spot_sensitivity_table_write(const spot_store_t *store, FILE *out);

/* One row a metric and key: metric,key,first_order,first_order_ci95_low,
 * first_order_ci95_high,total,total_ci95_low,total_ci95_high,noise_share,base_samples,
 * left_out. Empty where undefined. */
SPOT_MUST_CHECK int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out);

/* "sensitivity": by metric and key. */
SPOT_MUST_CHECK int spot_sensitivity_json(spot_json_t *json, const spot_store_t *store);

#endif
