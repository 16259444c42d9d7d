/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expected cost of a move when an unknown set of instances is preempted: the random
 * part of Parcae's liveput.
 *
 * Victims are uniform without replacement over all instances, standby included. Outcomes
 * are the sets of victims, or for pipelines of the same depth the losses of each stage.
 * If there are at most num_samples outcomes all are counted, otherwise the mean of a
 * sample is taken. */
#pragma once

#include "base/rng.h"
#include "sim/train/recovery/parcae/parcae.h"

typedef struct {
    int32_t from;          /* the pair in use */
    int32_t num_instances; /* N; the pair uses the first D P */
    int32_t num_lost;      /* k of them */
    int64_t num_samples;   /* >= 1 */
    spot_rng_t *rng;       /* at the start of its stream; used for a sample */
    int32_t *numbers;      /* [N] scratch */
    uint8_t *is_lost;      /* [N] scratch */
} spot_parcae_chance_t;

/* Sets costs[num_pairs + 1] to the expected ms of the moves to all pairs of at most N -
 * k instances; others stay unchanged. Staying costs something only after a loss:
 * costs[from] is the mean of cost * [an active instance is lost]. Returns the
 * probability that no active instance is lost. */
double spot_parcae_expect(
    const spot_parcae_t *self, const spot_parcae_chance_t *chance, double *costs);
