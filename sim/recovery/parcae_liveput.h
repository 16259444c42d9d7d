/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a move is expected to cost when some of the instances, nobody knows which, are
 * preempted: the part of Parcae's liveput that depends on chance.
 *
 * Victims are uniform without replacement over all instances, standby included. All
 * outcomes are counted where there are no more of them than samples: the sets of
 * victims; for pipelines of the same depth, the numbers lost of each stage. Else it is
 * the mean of a sample. */
#ifndef SPOT_SIM_RECOVERY_PARCAE_LIVEPUT_H
#define SPOT_SIM_RECOVERY_PARCAE_LIVEPUT_H

#include "base/rng.h"
#include "sim/recovery/parcae.h"

typedef struct {
    int32_t from;          /* the pair in use */
    int32_t num_instances; /* N, of which it uses the first D P */
    int32_t num_lost;      /* k of them */
    int64_t num_samples;   /* >= 1 */
    spot_rng_t *rng;       /* at the start of its stream; used if there is a sample */
    int32_t *numbers;      /* [N] scratch */
    uint8_t *is_lost;      /* [N] scratch */
} spot_parcae_chance_t;

/* Expected ms of the moves to all pairs of up to N - k instances: costs[num_pairs + 1],
 * others stay as they are. To stay costs something only with a loss: costs[from] is the
 * mean of cost times [an active instance is lost]. Returns the probability that none is.
 */
double spot_parcae_expect(
    const spot_parcae_t *self, const spot_parcae_chance_t *chance, double *costs);

#endif
