/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The p-value of a fit by parametric bootstrap of the Anderson-Darling distance. Stute,
 * Gonzalez Manteiga, Presedo Quindimil, Metrika 40, 1993. Published tables do not apply,
 * as the parameters are estimated and values are tied. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/watch.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/maximise.h"

typedef struct {
    int num_rounds;      /* >= 1 */
    double resolution_s; /* > 0 */
    uint64_t seed;
    uint64_t replication;
    spot_watch_t watch; /* counts rounds */
} spot_bootstrap_t;

/* Sets fit->p_value to (1 + #{AD* >= AD})/(rounds + 1). Each round draws as many values
 * from the fit as the sample has, rounds them up to resolution_s (one at least) and fits
 * the family again. Round r has its own stream (SPOT_STREAM_BOOTSTRAP, replication,
 * entity r), so that the numbers do not depend on the spread of rounds over threads.
 *
 * p_value stays NAN, with the reason in fit->note, on a lattice (AD is undefined there)
 * and with censored values (the law of the censoring is unknown). It stays NAN without a
 * note after a fit that failed or did not converge.
 *
 * NO_MEMORY, INTERRUPTED. */
SPOT_MUST_CHECK int spot_fit_bootstrap(
    const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit);
