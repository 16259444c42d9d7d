/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of a batch where its rows are not: a summary of each metric. Internal to
 * sim/store. */
#ifndef SPOT_SIM_STORE_BATCH_SUMMARY_H
#define SPOT_SIM_STORE_BATCH_SUMMARY_H

#include "base/column_summary.h"

/* Memory for one batch at a time. */
typedef struct {
    size_t num_metrics;
    spot_column_summary_t *columns; /* [num_metrics] */
    spot_bytes_t one;               /* column as bytes */
} spot_batch_summary_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_batch_summary_init(
    spot_batch_summary_t *self, size_t num_metrics);
void spot_batch_summary_free(spot_batch_summary_t *self);

/* Summarises rows[num_rows][num_metrics] in self->columns. */
SPOT_MUST_CHECK int spot_batch_summary_make(
    spot_batch_summary_t *self, const double *rows, size_t num_rows);

/* The bytes of such a summary alone. NO_MEMORY. */
SPOT_MUST_CHECK int spot_batch_summary_bytes(
    const double *rows, size_t num_rows, size_t num_metrics, spot_bytes_t *bytes);

/* self->columns as bytes, over what they held; and back. BAD_INPUT: damaged. */
SPOT_MUST_CHECK int spot_batch_summary_write(
    spot_batch_summary_t *self, spot_bytes_t *bytes);
SPOT_MUST_CHECK int spot_batch_summary_read(
    spot_batch_summary_t *self, const uint8_t *bytes, size_t num_bytes);

#endif
