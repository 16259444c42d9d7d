/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fits cost: all families of a sample of 200 gaps, with both likelihoods, and one
 * family of it. Prints; asserts nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/watch.h"
#include "traces/fit/fit_law.h"

enum { NUM_VALUES = 200, NUM_ROUNDS = 10 };

#define TICK_S 60.0
#define LIMIT_S 86400.0

/* The fastest of some rounds. */
static double time_fits(spot_maximiser_t *maximiser, spot_fit_durations_t *durations,
    const spot_family_t *const *families)
{
    double best_s = HUGE_VAL;

    for (int j = 0; j < NUM_ROUNDS; j++) {
        const double started_s = spot_clock_cpu_s();
        spot_fit_ranking_t ranking;

        spot_fit_rank(&ranking, maximiser, durations, families, LIMIT_S);
        best_s = fmin(best_s, spot_clock_cpu_s() - started_s);
    }
    return best_s;
}

int main(void)
{
    const spot_law_t law = {&spot_family_lognormal, {6, 1.2}};
    double values[NUM_VALUES], ticks_s[NUM_VALUES];
    spot_fit_durations_t continuous, lattice;
    spot_maximiser_t maximiser;
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_VALUES; j++) {
        values[j] = law.family->draw(law.parameters, &rng);
        ticks_s[j] = fmax(1, ceil(values[j] / TICK_S)) * TICK_S;
    }
    if (spot_maximiser_init(&maximiser) != 0 ||
        spot_fit_durations_init(&continuous, values, NULL, NUM_VALUES, 0, 1) != 0 ||
        spot_fit_durations_init(&lattice, ticks_s, NULL, NUM_VALUES, TICK_S, TICK_S) != 0) {
        return EXIT_FAILURE;
    }
    for (int j = 0; j < SPOT_FIT_MAX_FAMILIES; j++) {
        const spot_family_t *const family[] = {spot_families[j], NULL};

        printf("%-12s continuous %7.2f ms, lattice %7.2f ms\n", spot_families[j]->name,
            1e3 * time_fits(&maximiser, &continuous, family),
            1e3 * time_fits(&maximiser, &lattice, family));
    }
    printf("all          both likelihoods of %d gaps %.1f ms (required: 500)\n", NUM_VALUES,
        1e3 * (time_fits(&maximiser, &continuous, NULL) + time_fits(&maximiser, &lattice, NULL)));
    spot_fit_durations_free(&continuous);
    spot_fit_durations_free(&lattice);
    spot_maximiser_free(&maximiser);
    return EXIT_SUCCESS;
}
