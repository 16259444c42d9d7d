/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dice of the tests' own: SplitMix64 (Steele, Lea, Flood, OOPSLA'14), and what random
 * cases draw with them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} dice_t;

static inline uint64_t dice_bits(dice_t *self)
{
    uint64_t z = (self->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* From low to high, both inclusive. */
static inline int64_t dice_between(dice_t *self, int64_t low, int64_t high)
{
    return low + (int64_t) (dice_bits(self) % (uint64_t) (high - low + 1));
}

static inline bool dice_one_in(dice_t *self, int64_t n)
{
    return dice_between(self, 1, n) == 1;
}

/* All orders of magnitude up to high alike. */
static inline int64_t dice_magnitude(dice_t *self, int64_t high)
{
    int64_t limit = high;

    while (limit > 2 && dice_one_in(self, 2)) {
        limit /= 2;
    }
    return dice_between(self, 1, limit < 1 ? 1 : limit);
}

/* While a case is drawn. */
typedef struct {
    dice_t dice;
    int64_t span_ms;
    int64_t grain_ms; /* durations are multiples of it, so that things coincide */
} draw_t;

static inline int64_t on_grain(const draw_t *draw, int64_t time_ms)
{
    return time_ms / draw->grain_ms * draw->grain_ms;
}

/* Often 0, else up to high. */
static inline int64_t draw_pause(draw_t *draw, int64_t high_ms)
{
    if (dice_one_in(&draw->dice, 4)) {
        return 0;
    }
    return on_grain(draw, dice_magnitude(&draw->dice, high_ms));
}
