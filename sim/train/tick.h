/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instants at which the controller looks at the cluster. */
#ifndef SPOT_SIM_TRAIN_TICK_H
#define SPOT_SIM_TRAIN_TICK_H

#include <stdint.h>

typedef struct {
    int64_t tick_ms; /* > 0 */
    double ticks_per_ms;
} spot_ticks_t;

static inline spot_ticks_t
spot_ticks_of(int64_t tick_ms)
{
    const spot_ticks_t ticks = {tick_ms, 1 / (double) tick_ms};

    return ticks;
}

/* The tick at which something that happens at time_ms is seen. */
static inline int64_t
spot_ticks_at_or_after(const spot_ticks_t *self, int64_t time_ms)
{
    /* A product is faster than a quotient; it is right to one tick, which is mended. */
    int64_t tick_ms = (int64_t) ((double) time_ms * self->ticks_per_ms) * self->tick_ms;

    while (tick_ms < time_ms) {
        tick_ms += self->tick_ms;
    }
    while (tick_ms - self->tick_ms >= time_ms) {
        tick_ms -= self->tick_ms;
    }
    return tick_ms;
}

#endif
