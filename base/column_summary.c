/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/column_summary.h"

#include <assert.h>
#include <math.h>
#include <zlib.h>

#define VERSION 1
#define CRC_BYTES 4
#define MAX_HEAD_BYTES (1 + SPOT_VARINT_BYTES + 2 * 8)

/* Values that are gathered from a column at once: moments need them twice. */
enum { BLOCK_SIZE = 256 };

void
spot_column_summary_free(spot_column_summary_t *self)
{
    spot_quantile_sketch_free(&self->sketch);
    *self = (spot_column_summary_t){0};
}

void
spot_column_summary_clear(spot_column_summary_t *self)
{
    spot_quantile_sketch_clear(&self->sketch);
    *self = (spot_column_summary_t){.sketch = self->sketch};
}

/* The finite ones of a column. */
static size_t
gather(double *values, const double *first, size_t num_rows, size_t num_columns)
{
    size_t num_values = 0;

    for (size_t j = 0; j < num_rows; j++) {
        values[num_values] = first[j * num_columns];
        num_values += isfinite(values[num_values]) ? 1 : 0;
    }
    return num_values;
}

int
spot_column_summary_add(spot_column_summary_t *self, const double *first,
    size_t num_rows, size_t num_columns)
{
    double values[BLOCK_SIZE];
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_rows; j += BLOCK_SIZE) {
        const size_t num_left = num_rows - j;
        const size_t num_here = num_left < BLOCK_SIZE ? num_left : BLOCK_SIZE;
        const size_t num_values =
            gather(values, first + j * num_columns, num_here, num_columns);
        const spot_moments_t moments = spot_moments_of(values, num_values);

        self->num_nulls += num_here - num_values;
        spot_moments_merge(&self->moments, &moments);
        ret = spot_quantile_sketch_add(&self->sketch, values, num_values);
    }
    return ret;
}

int
spot_column_summary_merge(
    spot_column_summary_t *self, const spot_column_summary_t *other)
{
    if (other->num_nulls > SPOT_SKETCH_MAX_VALUES - self->num_nulls) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->num_nulls += other->num_nulls;
    spot_moments_merge(&self->moments, &other->moments);
    return spot_quantile_sketch_merge(&self->sketch, &other->sketch);
}

static uint64_t
checksum(const uint8_t *bytes, size_t num_bytes)
{
    return crc32_z(0, bytes, num_bytes);
}

int
spot_column_summary_write(const spot_column_summary_t *self, spot_bytes_t *bytes)
{
    const size_t start = bytes->num_bytes;
    int ret = spot_bytes_reserve(bytes, MAX_HEAD_BYTES);

    assert((uint64_t) self->moments.num_values == self->sketch.num_values);
    if (ret != 0) {
        return ret;
    }
    spot_bytes_put_fixed(bytes, VERSION, 1);
    spot_bytes_put_varint(bytes, self->num_nulls);
    spot_bytes_put_double(bytes, self->moments.mean);
    spot_bytes_put_double(bytes, self->moments.sum_squares);
    ret = spot_quantile_sketch_write(&self->sketch, bytes);
    if (ret == 0) {
        ret = spot_bytes_reserve(bytes, CRC_BYTES);
    }
    if (ret == 0) {
        spot_bytes_put_fixed(
            bytes, checksum(bytes->bytes + start, bytes->num_bytes - start), CRC_BYTES);
    } else {
        bytes->num_bytes = start;
    }
    return ret;
}

static bool
is_checksum_good(const uint8_t *bytes, size_t num_bytes)
{
    spot_byte_reader_t reader;

    if (num_bytes < CRC_BYTES) {
        return false;
    }
    reader = (spot_byte_reader_t){bytes + num_bytes - CRC_BYTES, CRC_BYTES, false};
    return checksum(bytes, num_bytes - CRC_BYTES) ==
           spot_byte_reader_fixed(&reader, CRC_BYTES);
}

int
spot_column_summary_read(
    spot_column_summary_t *self, const uint8_t *bytes, size_t num_bytes)
{
    spot_byte_reader_t reader;
    const uint64_t num_before = self->sketch.num_values;
    spot_moments_t moments = {0};
    uint64_t version, num_nulls;
    int ret;

    if (!is_checksum_good(bytes, num_bytes)) {
        return SPOT_ERR_BAD_INPUT;
    }
    reader = (spot_byte_reader_t){bytes, num_bytes - CRC_BYTES, false};
    version = spot_byte_reader_fixed(&reader, 1);
    num_nulls = spot_byte_reader_varint(&reader);
    moments.mean = spot_byte_reader_double(&reader);
    moments.sum_squares = spot_byte_reader_double(&reader);
    if (reader.is_bad || version != VERSION || num_nulls > SPOT_SKETCH_MAX_VALUES ||
        moments.sum_squares < 0) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (num_nulls > SPOT_SKETCH_MAX_VALUES - self->num_nulls) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = spot_quantile_sketch_read(&self->sketch, reader.bytes, reader.num_left);
    if (ret == 0) {
        moments.num_values = (int64_t) (self->sketch.num_values - num_before);
        if (moments.num_values == 0 && (moments.mean != 0 || moments.sum_squares != 0)) {
            return SPOT_ERR_BAD_INPUT;
        }
        self->num_nulls += num_nulls;
        spot_moments_merge(&self->moments, &moments);
    }
    return ret;
}
