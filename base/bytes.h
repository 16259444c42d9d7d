/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte strings that are the same on every machine: fixed-size numbers in little endian,
 * other numbers as varints (LEB128: 7 bits a byte, low ones first, the top bit set if
 * more bytes follow). The reader checks every byte, which may come from a damaged
 * file. */
#ifndef SPOT_BASE_BYTES_H
#define SPOT_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* The longest varint. */
#define SPOT_VARINT_BYTES 10

/* A growing byte string. Zero it to start; num_bytes = 0 empties it and keeps its
 * memory. */
typedef struct {
    size_t num_bytes;
    size_t max_bytes;
    uint8_t *bytes; /* [max_bytes] of which num_bytes are used */
} spot_bytes_t;

/* Makes room for num_more bytes after the used ones. NO_MEMORY: nothing is changed. */
SPOT_MUST_CHECK int spot_bytes_reserve(spot_bytes_t *self, size_t num_more);
void spot_bytes_free(spot_bytes_t *self);

/* These append to reserved room. */
void spot_bytes_put_varint(spot_bytes_t *self, uint64_t value);
void spot_bytes_put_fixed(spot_bytes_t *self, uint64_t value, size_t num_bytes);
/* IEEE 754, 8 bytes; every NAN gives the same bytes. */
void spot_bytes_put_double(spot_bytes_t *self, double value);

/* Walks over bytes, which must outlive self. The first value that is missing, or not in
 * the form of the writer, sets is_bad; that value and all later ones read as 0. */
typedef struct {
    const uint8_t *bytes;
    size_t num_left;
    bool is_bad;
} spot_byte_reader_t;

/* Bad if it is longer than necessary or has more than 64 bits. */
uint64_t spot_byte_reader_varint(spot_byte_reader_t *self);
uint64_t spot_byte_reader_fixed(spot_byte_reader_t *self, size_t num_bytes);
double spot_byte_reader_double(spot_byte_reader_t *self);

/* The bits of a double as a number, and back. */
static inline uint64_t
spot_double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline double
spot_double_from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

#endif
