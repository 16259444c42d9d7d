/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of the state in the memory of peers, as in Gemini (Wang et al., SOSP'23). The
 * instances form groups, and each member of a group holds the shards of the whole group.
 * A loss of several instances can be recovered from memory if every group keeps a
 * survivor. */
#pragma once

#include <stdint.h>

#include "base/error.h"

/* Number of groups of num_instances (>= 1), each of group_size (>= 1). The last group
 * also takes the rest, so that only a single group can be smaller. */
int64_t spot_peer_groups(int64_t num_instances, int64_t group_size);

/* The group of an instance by its number from 0. */
int64_t spot_peer_group_of(int64_t num_instances, int64_t group_size, int64_t instance);

/* Sets probability to that of a survivor in every group when num_lost instances (0 to
 * num_instances) are lost at once, each set with the same probability. For N = m g it is
 * the sum over j of (-1)^j C(g,j) C(N-jm,k-jm) / C(N,k); computed group by group with
 * hypergeometric probabilities, as the alternating sum cancels. Relative error below
 * 1e-9. NO_MEMORY. O(num_instances num_lost), some 0.2 us each. */
SPOT_MUST_CHECK int spot_peer_recovery_probability(
    int64_t num_instances, int64_t group_size, int64_t num_lost, double *probability);
