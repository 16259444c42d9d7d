/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a comparison, literally by their definitions and as slowly: the
 * executable specification. */
#pragma once

#include "traces/compare/fidelity.h"

/* Figures of a, distances of a to b. Times of both are whole ms. */
void twin_compare(const spot_observation_t *a, const spot_observation_t *b,
    double metrics[SPOT_FIDELITY_NUM_METRICS]);
