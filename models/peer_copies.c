/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/peer_copies.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

int64_t spot_peer_groups(int64_t num_instances, int64_t group_size)
{
    return num_instances < group_size ? 1 : num_instances / group_size;
}

int64_t spot_peer_group_of(int64_t num_instances, int64_t group_size, int64_t instance)
{
    const int64_t last = spot_peer_groups(num_instances, group_size) - 1;
    const int64_t group = instance / group_size;

    return group < last ? group : last;
}

/* Adds a group of size instances: chances[r] is the probability that all groups keep a
 * survivor when r of their instances are lost, before for num_before instances. */
static void join_group(double *chances, int64_t num_before, int64_t size, int64_t max_lost)
{
    const int64_t num_all = num_before + size;

    for (int64_t r = max_lost < num_all ? max_lost : num_all; r >= 0; r--) {
        const int64_t fewest = r > num_before ? r - num_before : 0;
        double chance = 0;

        for (int64_t l = fewest; l < size && l <= r; l++) { /* lost of the new group */
            chance +=
                chances[r - l] * gsl_ran_hypergeometric_pdf((unsigned int) l, (unsigned int) size,
                                     (unsigned int) num_before, (unsigned int) r);
        }
        chances[r] = chance;
    }
}

int spot_peer_recovery_probability(
    int64_t num_instances, int64_t group_size, int64_t num_lost, double *probability)
{
    const int64_t num_groups = spot_peer_groups(num_instances, group_size);
    double *chances;

    spot_bug_assert(num_instances >= 1 && num_instances <= SPOT_MAX_INSTANCES);
    spot_bug_assert(group_size >= 1);
    spot_bug_assert(num_lost >= 0 && num_lost <= num_instances);
    chances = spot_calloc((size_t) num_lost + 1, sizeof(*chances));
    if (chances == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    chances[0] = 1;
    for (int64_t j = 0; j < num_groups; j++) {
        const int64_t before = j * group_size;
        const int64_t size = j == num_groups - 1 ? num_instances - before : group_size;

        join_group(chances, before, size, num_lost);
    }
    *probability = chances[num_lost];
    free(chances);
    return 0;
}
