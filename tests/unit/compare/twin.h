/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a comparison, literally by their definitions and as slowly: the
 * executable specification. */
#ifndef SPOT_TESTS_COMPARE_TWIN_H
#define SPOT_TESTS_COMPARE_TWIN_H

#include "traces/compare/fidelity.h"

/* Figures of a, distances of a to b. Times of both are whole ms. */
void twin_compare(const spot_observation_t *a, const spot_observation_t *b,
    double metrics[SPOT_FIDELITY_NUM_METRICS]);

#endif
