/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over groups of replications, the same ones at all points, so that replication
 * noise can be taken out of squares: products of different groups do not have it. */
#ifndef SPOT_SIM_ANALYSIS_GROUP_MEANS_H
#define SPOT_SIM_ANALYSIS_GROUP_MEANS_H

#include "sim/store/store.h"

/* Between one group (noise is unknown and not taken out) and MIN there is nothing. */
#define SPOT_MIN_GROUPS 4
#define SPOT_MAX_GROUPS 64

typedef struct {
    int64_t num_used;  /* replications of each point */
    size_t num_groups; /* that they are split into; 1: too few to tell noise */
    size_t num_metrics;
    double *means; /* [num_points][num_groups][num_metrics], NAN where undefined */
} spot_group_means_t;

/* Of the metrics from first_metric on. Uses the replications that all points have. Null
 * values are left out of the means. NO_MEMORY, or what stopped reading; free self even
 * then. */
SPOT_MUST_CHECK int spot_group_means_init(spot_group_means_t *self,
    const spot_store_t *store, size_t first_metric, size_t num_metrics);
void spot_group_means_free(spot_group_means_t *self);

/* The product of two expected values from groups [num_groups], one of them omitted
 * unless omitted_id is num_groups: products of different groups only. A single group is
 * taken as free of noise. */
double spot_group_product(
    const double *a, const double *b, size_t num_groups, size_t omitted_id);

#endif
