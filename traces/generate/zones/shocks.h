/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses common to several zones: shocks come as a Poisson process, each zone is hit
 * with one probability, and each living instance of a hit zone is lost with another,
 * independently. Source: Marshall, Olkin, "A multivariate exponential distribution",
 * JASA 62, 1967.
 *
 * Streams: SHOCK at first_entity for the gaps between shocks; the losses of a zone are
 * drawn from a stream of that zone. */
#pragma once

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

/* Fields of a map {per_hour: NUMBER, p_zone: NUMBER, share: NUMBER}. */
extern const spot_field_t spot_shocks_fields[];

/* Whether shocks can take any instance. */
bool spot_shocks_take_some(const spot_shocks_t *self);

/* Draws the number of instances of a zone that the present shock takes. */
int32_t spot_shocks_draw_lost(const spot_shocks_t *self, int64_t population, spot_rng_t *rng);

/* The successive shocks of a replication. */
typedef struct {
    double mean_gap_ms; /* INFINITY: there are none */
    int64_t tick_ms;
    int64_t last_ms; /* the horizon */
    double time_ms;  /* of the present shock */
    int64_t seen_ms; /* the tick that sees it; INT64_MAX: there are no more */
    spot_rng_t gaps;
} spot_shock_clock_t;

/* Starts at the first shock. */
void spot_shock_clock_init(spot_shock_clock_t *self, const spot_shocks_t *shocks,
    const spot_model_common_t *common, const spot_dice_t *dice);
void spot_shock_clock_next(spot_shock_clock_t *self);
