/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses that zones have in common: shocks come as a Poisson process, each zone is hit
 * with one probability and each living instance of a hit zone is lost with another,
 * independently. Source: Marshall, Olkin, "A multivariate exponential distribution",
 * JASA 62, 1967.
 *
 * Streams: SHOCK at first_entity for the gaps between shocks; what a shock does to a
 * zone is drawn in a stream of that zone. */
#ifndef SPOT_TRACES_GENERATE_SHOCKS_H
#define SPOT_TRACES_GENERATE_SHOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/rng.h"
#include "traces/generate/generator.h"

typedef struct {
    double per_hour; /* 0: none */
    double p_zone;   /* that a zone is hit */
    double share;    /* probability of each instance of a hit zone to be lost */
} spot_shocks_t;

/* Of a map {per_hour: NUMBER, p_zone: NUMBER, share: NUMBER}. */
extern const spot_field_t spot_shocks_fields[];

/* Whether anybody is ever lost. */
bool spot_shocks_take_some(const spot_shocks_t *self);

/* How many of a zone's population the present shock takes. */
int32_t spot_shocks_draw_lost(
    const spot_shocks_t *self, int64_t population, spot_rng_t *rng);

/* The shocks of a replication, one after the other. */
typedef struct {
    double mean_gap_ms; /* INFINITY: there are none */
    int64_t tick_ms;
    int64_t last_ms; /* nothing later is wanted */
    double time_ms;  /* of the present one */
    int64_t seen_ms; /* the tick that sees it; INT64_MAX: there are no more */
    spot_rng_t gaps;
} spot_shock_clock_t;

/* At the first shock. */
void spot_shock_clock_init(spot_shock_clock_t *self, const spot_shocks_t *shocks,
    const spot_model_common_t *common, const spot_dice_t *dice);
void spot_shock_clock_next(spot_shock_clock_t *self);

#endif
