/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How likely a fit as bad as this one is if the law were true: parametric bootstrap of
 * the Anderson-Darling distance. Stute, Gonzalez Manteiga, Presedo Quindimil, Metrika
 * 40, 1993. Tables do not serve: parameters are estimated and values tied. */
#ifndef SPOT_TRACES_FIT_BOOTSTRAP_H
#define SPOT_TRACES_FIT_BOOTSTRAP_H

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
    spot_watch_t watch; /* progress: in rounds */
} spot_bootstrap_t;

/* Each round draws as many values from the fit as the sample has, rounds them up to
 * resolution_s (one at least), fits the family again; p = (1 + #{AD* >= AD})/(rounds +
 * 1) goes into fit->p_value. Round r has its own stream (SPOT_STREAM_BOOTSTRAP,
 * replication, entity r): the same numbers however the rounds are spread over threads.
 *
 * With a word in fit->note, p_value stays NAN: on a lattice (no AD there), with censored
 * values (how they were censored is not known), after a fit that failed or did not
 * converge.
 *
 * NO_MEMORY, INTERRUPTED. */
SPOT_MUST_CHECK int spot_fit_bootstrap(
    const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit);

#endif
