/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/batch_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int
spot_batch_summary_init(spot_batch_summary_t *self, size_t num_metrics)
{
    *self = (spot_batch_summary_t){.num_metrics = num_metrics};
    self->columns = spot_calloc(num_metrics, sizeof(*self->columns));
    return self->columns == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

void
spot_batch_summary_free(spot_batch_summary_t *self)
{
    for (size_t j = 0; self->columns != NULL && j < self->num_metrics; j++) {
        spot_column_summary_free(&self->columns[j]);
    }
    free(self->columns);
    spot_bytes_free(&self->one);
    *self = (spot_batch_summary_t){0};
}

/* Each column is its length and its bytes. */
static int
append_column(spot_batch_summary_t *self, size_t column_id, spot_bytes_t *bytes)
{
    int ret;

    self->one.num_bytes = 0;
    ret = spot_column_summary_write(&self->columns[column_id], &self->one);
    if (ret == 0) {
        ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES + self->one.num_bytes);
    }
    if (ret == 0) {
        spot_bytes_put_varint(bytes, self->one.num_bytes);
        memcpy(bytes->bytes + bytes->num_bytes, self->one.bytes, self->one.num_bytes);
        bytes->num_bytes += self->one.num_bytes;
    }
    return ret;
}

int
spot_batch_summary_make(spot_batch_summary_t *self, const double *rows, size_t num_rows)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        spot_column_summary_clear(&self->columns[j]);
        ret = spot_column_summary_add(
            &self->columns[j], rows + j, num_rows, self->num_metrics);
    }
    return ret;
}

int
spot_batch_summary_write(spot_batch_summary_t *self, spot_bytes_t *bytes)
{
    int ret = 0;

    bytes->num_bytes = 0;
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        ret = append_column(self, j, bytes);
    }
    return ret;
}

int
spot_batch_summary_bytes(
    const double *rows, size_t num_rows, size_t num_metrics, spot_bytes_t *bytes)
{
    spot_batch_summary_t summary;
    int ret = spot_batch_summary_init(&summary, num_metrics);

    if (ret == 0) {
        ret = spot_batch_summary_make(&summary, rows, num_rows);
    }
    if (ret == 0) {
        ret = spot_batch_summary_write(&summary, bytes);
    }
    spot_batch_summary_free(&summary);
    return ret;
}

int
spot_batch_summary_read(
    spot_batch_summary_t *self, const uint8_t *bytes, size_t num_bytes)
{
    spot_byte_reader_t reader = {.bytes = bytes, .num_left = num_bytes};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        const uint64_t length = spot_byte_reader_varint(&reader);

        spot_column_summary_clear(&self->columns[j]);
        if (reader.is_bad || length > reader.num_left) {
            return SPOT_ERR_BAD_INPUT;
        }
        ret = spot_column_summary_read(&self->columns[j], reader.bytes, (size_t) length);
        reader.bytes += length;
        reader.num_left -= (size_t) length;
    }
    return ret == 0 && reader.num_left > 0 ? SPOT_ERR_BAD_INPUT : ret;
}
