/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks: the instants at which the controller looks at the cluster. */
#pragma once

#include <stdint.h>

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
