/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing byte string, and the bits of a double. */
#ifndef SPOT_BASE_BYTES_H
#define SPOT_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* Zero it to start; num_bytes = 0 empties it and keeps its memory. */
typedef struct {
    size_t num_bytes;
    size_t max_bytes;
    uint8_t *bytes; /* [max_bytes] of which num_bytes are used */
} spot_bytes_t;

/* Makes room for num_more bytes after the used ones. NO_MEMORY: nothing is changed. */
SPOT_MUST_CHECK int spot_bytes_reserve(spot_bytes_t *self, size_t num_more);
void spot_bytes_free(spot_bytes_t *self);

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
