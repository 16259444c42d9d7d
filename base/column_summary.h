/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of one metric over many replications where their rows are not: how many
 * there were, their moments, minimum, maximum and quantiles. Summaries of batches are
 * merged into the summary of a point. */
#ifndef SPOT_BASE_COLUMN_SUMMARY_H
#define SPOT_BASE_COLUMN_SUMMARY_H

#include "base/bytes.h"
#include "base/quantile_sketch.h"
#include "base/stats.h"

/* Zero it to start. Values beyond 1e150 may make the moments infinite or NAN. */
typedef struct {
    uint64_t num_nulls;            /* values that are not finite */
    spot_moments_t moments;        /* of all others, as the sketch */
    spot_quantile_sketch_t sketch; /* has the minimum and the maximum */
} spot_column_summary_t;

/* Accepts a zeroed self. */
void spot_column_summary_free(spot_column_summary_t *self);

/* As zeroed, but keeps memory, so that filling it again allocates nothing. */
void spot_column_summary_clear(spot_column_summary_t *self);

/* A column of rows[num_rows][num_columns]: first is the address of its value in the
 * first row. The moments depend in their last bits on how rows are dealt to calls, all
 * else does not. Errors of spot_quantile_sketch_add(): self may only be cleared or freed
 * then.
 */
SPOT_MUST_CHECK int spot_column_summary_add(spot_column_summary_t *self,
    const double *first, size_t num_rows, size_t num_columns);

/* Adds the values of other. Merging the same parts in the same order gives the same
 * bits; another order may change the last bits of the moments. Errors as above. */
SPOT_MUST_CHECK int spot_column_summary_merge(
    spot_column_summary_t *self, const spot_column_summary_t *other);

/* Appends the summary to bytes: version, num_nulls, mean and sum of squares, the sketch,
 * and the CRC-32 of all of it. NO_MEMORY leaves bytes as they were. */
SPOT_MUST_CHECK int spot_column_summary_write(
    const spot_column_summary_t *self, spot_bytes_t *bytes);

/* Merges the summary that the whole of bytes[num_bytes] is; into a zeroed self it reads
 * the very same one. BAD_INPUT: damaged; self is as before. Others as above. */
SPOT_MUST_CHECK int spot_column_summary_read(
    spot_column_summary_t *self, const uint8_t *bytes, size_t num_bytes);

#endif
