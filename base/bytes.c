/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bytes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define NAN_BITS 0x7ff8000000000000u

int
spot_bytes_reserve(spot_bytes_t *self, size_t num_more)
{
    void *bytes = self->bytes;
    int ret;

    if (num_more > SIZE_MAX - self->num_bytes) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_array_reserve(&bytes, &self->max_bytes, self->num_bytes + num_more, 1);
    self->bytes = bytes;
    return ret;
}

void
spot_bytes_free(spot_bytes_t *self)
{
    free(self->bytes);
    *self = (spot_bytes_t){0};
}

void
spot_bytes_put_varint(spot_bytes_t *self, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        assert(self->num_bytes < self->max_bytes);
        self->bytes[self->num_bytes++] = (uint8_t) (value | 0x80);
    }
    assert(self->num_bytes < self->max_bytes);
    self->bytes[self->num_bytes++] = (uint8_t) value;
}

void
spot_bytes_put_fixed(spot_bytes_t *self, uint64_t value, size_t num_bytes)
{
    assert(num_bytes <= self->max_bytes - self->num_bytes);
    for (size_t j = 0; j < num_bytes; j++) {
        self->bytes[self->num_bytes++] = (uint8_t) (value >> (8 * j));
    }
}

void
spot_bytes_put_double(spot_bytes_t *self, double value)
{
    spot_bytes_put_fixed(self, isnan(value) ? NAN_BITS : spot_double_bits(value), 8);
}

uint64_t
spot_byte_reader_varint(spot_byte_reader_t *self)
{
    uint64_t value = 0, byte = 0x80;

    for (unsigned shift = 0; byte >= 0x80; shift += 7) {
        byte = spot_byte_reader_fixed(self, 1);
        /* the tenth byte has one bit left; a last byte of 0 is longer than necessary */
        if (shift == 63 ? byte > 1 : byte == 0 && shift > 0) {
            self->is_bad = true;
        }
        if (self->is_bad) {
            return 0;
        }
        value |= (byte & 0x7f) << shift;
    }
    return value;
}

uint64_t
spot_byte_reader_fixed(spot_byte_reader_t *self, size_t num_bytes)
{
    uint64_t value = 0;

    assert(num_bytes <= 8);
    if (self->is_bad || num_bytes > self->num_left) {
        self->is_bad = true;
        return 0;
    }
    for (size_t j = 0; j < num_bytes; j++) {
        value |= (uint64_t) self->bytes[j] << (8 * j);
    }
    self->bytes += num_bytes;
    self->num_left -= num_bytes;
    return value;
}

double
spot_byte_reader_double(spot_byte_reader_t *self)
{
    return spot_double_from_bits(spot_byte_reader_fixed(self, 8));
}
