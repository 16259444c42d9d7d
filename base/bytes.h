/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubles as bits. */
#pragma once

#include <stdint.h>
#include <string.h>

/* The bits of a double as a number, and back. */
static inline uint64_t spot_double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline double spot_double_from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}
