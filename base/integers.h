/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers in loops: the smaller, the larger, quotients of numbers that are not negative,
 * the tick that sees an event, and the bits of doubles as integers. All are inline. */
#pragma once

#include <stdint.h>
#include <string.h>

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

/* ---- Ticks ---- */

/* The instants at which the controller looks at the cluster. */
typedef struct {
    int64_t tick_ms; /* > 0 */
    double ticks_per_ms;
} spot_ticks_t;

static inline spot_ticks_t spot_ticks_of(int64_t tick_ms)
{
    const spot_ticks_t ticks = {tick_ms, 1 / (double) tick_ms};

    return ticks;
}

/* The tick that sees an event at time_ms: the first one at or after it. */
static inline int64_t spot_ticks_at_or_after(const spot_ticks_t *self, int64_t time_ms)
{
    /* A product is faster than a quotient; its error is at most one tick, corrected
     * below. */
    int64_t tick_ms = (int64_t) ((double) time_ms * self->ticks_per_ms) * self->tick_ms;

    while (tick_ms < time_ms) {
        tick_ms += self->tick_ms;
    }
    while (tick_ms - self->tick_ms >= time_ms) {
        tick_ms -= self->tick_ms;
    }
    return tick_ms;
}

/* ---- Doubles ---- */

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
