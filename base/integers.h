/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers: the smaller, the larger, and quotients of numbers that are not negative. */
#pragma once

#include <stdint.h>

static inline int64_t spot_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t spot_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a / b for a >= 0 and b > 0. Processors divide numbers of 32 bits several times as fast
 * as those of 64 bits, and times in ms mostly fit. */
static inline int64_t spot_quotient(int64_t a, int64_t b)
{
    return ((uint64_t) a | (uint64_t) b) <= UINT32_MAX ? (uint32_t) a / (uint32_t) b : a / b;
}

/* The same, rounded up. */
static inline int64_t spot_divide_up(int64_t a, int64_t b)
{
    const int64_t quotient = spot_quotient(a, b);

    return quotient + (quotient * b < a);
}
