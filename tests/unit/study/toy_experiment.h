/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment whose laws are known: each metric of a replication is drawn from one.
 * Its keys: shift, a number that is added to all metrics; spread, 2, of the first two
 * metrics, whose means do not depend on it; stream, 0: points with different ones do not
 * meet the same events. */
#pragma once

#include "sim/bench/engine/experiment.h"

enum {
    TOY_NORMAL,      /* mean 10, standard deviation spread */
    TOY_EXPONENTIAL, /* mean 1, standard deviation spread / 2 */
    TOY_RARE,        /* 1 with probability 0.2, else 0 */
    TOY_CONSTANT,    /* 3 */
    TOY_NEVER,       /* null always */
    TOY_SELDOM,      /* null in every second replication, else as TOY_NORMAL */
    TOY_NUM_METRICS
};

extern const spot_experiment_t toy_experiment;
extern const spot_experiment_t *const toy_engines[]; /* only it */
