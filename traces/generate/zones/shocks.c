/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/zones/shocks.h"

#include <math.h>

#include <gsl/gsl_randist.h>

#include "base/units.h"
#include "traces/recorder.h"

const spot_field_t spot_shocks_fields[] = {
    {SPOT_RANGE(NUMBER, "per_hour", spot_shocks_t, per_hour, 0, 3600, NULL, "shocks per hour",
        "shocks in an hour, on average")},
    {SPOT_RANGE(NUMBER, "p_zone", spot_shocks_t, p_zone, 0, 1, NULL, "probability to hit a zone",
        "probability of each zone to be hit by a shock")},
    {SPOT_RANGE(NUMBER, "share", spot_shocks_t, share, 0, 1, NULL, "share of a zone lost",
        "probability of each living instance of a hit zone to be lost")},
    {.name = NULL},
};

bool spot_shocks_take_some(const spot_shocks_t *self)
{
    return self->per_hour > 0 && self->p_zone > 0 && self->share > 0;
}

int32_t spot_shocks_draw_lost(const spot_shocks_t *self, int64_t population, spot_rng_t *rng)
{
    if (spot_rng_uniform(rng) >= self->p_zone) {
        return 0;
    }
    return (int32_t) gsl_ran_binomial(spot_rng_gsl(rng), self->share, (unsigned) population);
}

void spot_shock_clock_init(spot_shock_clock_t *self, const spot_shocks_t *shocks,
    const spot_model_common_t *common, const spot_dice_t *dice)
{
    self->mean_gap_ms =
        shocks->per_hour > 0 ? (double) SPOT_MS_PER_H / shocks->per_hour : (double) INFINITY;
    self->tick_ms = common->tick_ms;
    self->last_ms = spot_model_last_ms(common);
    self->time_ms = 0;
    spot_dice_seek(dice, &self->gaps, SPOT_STREAM_SHOCK, 0);
    spot_shock_clock_next(self);
}

/* The first tick that can see a shock is tick 1. */
void spot_shock_clock_next(spot_shock_clock_t *self)
{
    int64_t tick;

    self->seen_ms = INT64_MAX;
    if (!isfinite(self->mean_gap_ms)) {
        return;
    }
    self->time_ms += gsl_ran_exponential(spot_rng_gsl(&self->gaps), self->mean_gap_ms);
    if (self->time_ms <= (double) self->last_ms) {
        tick = spot_tick_seeing(self->tick_ms, self->time_ms);
        self->seen_ms = (tick > 0 ? tick : 1) * self->tick_ms;
    }
}
