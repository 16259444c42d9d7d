/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of the state in the memory of peers, as in Gemini (Wang et al., SOSP'23): the
 * instances form groups, and each member of a group holds the shards of all of it. A set
 * of instances that are lost together can be recovered from memory if every group keeps
 * a survivor. */
#ifndef SPOT_MODELS_PEER_COPIES_H
#define SPOT_MODELS_PEER_COPIES_H

#include <stdint.h>

#include "base/error.h"

/* How many groups num_instances (>= 1) form: of group_size (>= 1) each; the last one
 * takes the rest too, so that no group but an only one is smaller. */
int64_t spot_peer_groups(int64_t num_instances, int64_t group_size);

/* The group of an instance by its number from 0. */
int64_t spot_peer_group_of(int64_t num_instances, int64_t group_size, int64_t instance);

/* The probability that every group keeps a survivor when num_lost (from 0 to
 * num_instances) are lost at once, all sets alike. For N = m g it is
 * sum over j of (-1)^j C(g,j) C(N-jm,k-jm) / C(N,k), here without the alternating signs:
 * group by group, hypergeometric. Relative error below 1e-9. NO_MEMORY.
 * O(num_instances num_lost) of some 0.2 us each. */
SPOT_MUST_CHECK int spot_peer_recovery_probability(
    int64_t num_instances, int64_t group_size, int64_t num_lost, double *probability);

#endif
