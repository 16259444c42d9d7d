/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths that train together: one template for each depth from
 * n_min on, the micro-batches of each pipeline, and the fastest set of pipelines that
 * uses all of N instances. Jang et al., Oobleck, SOSP'23.
 *
 * A step cuts the samples into G micro-batches. A pipeline of depth n gets G w(n)/W of
 * them, rounded to whole numbers, with w(n) = n/T(n) and W the sum of w over the
 * pipelines. T(n) is the time of 4 n micro-batches in one pipeline, the number for which
 * Oobleck makes its templates (there by its own formula, here by the schedule of the
 * job). A step ends with its slowest pipeline; then the gradients are summed over all
 * pipelines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "models/step_time.h"

/* The most instances of a set of pipelines. */
#define SPOT_TEMPLATES_MAX_INSTANCES 512
/* The most depths in one set: 1 + 2 + ... + 32 > 512. */
#define SPOT_TEMPLATES_MAX_GROUPS 32

/* Pipelines of one depth. */
typedef struct {
    int32_t depth; /* stages, of one instance each */
    int32_t count; /* pipelines, >= 1 */
} spot_template_group_t;

/* Pipelines that train together; the depths of the groups increase. */
typedef struct {
    int32_t num_groups;
    spot_template_group_t groups[SPOT_TEMPLATES_MAX_GROUPS];
} spot_template_set_t;

/* Micro-batches of a group: each pipeline has least, and num_more of them one more. */
typedef struct {
    int64_t least;
    int32_t num_more; /* < count */
} spot_template_share_t;

typedef struct {
    const spot_step_pipeline_t *model; /* borrowed */
    int64_t num_micro_batches;         /* G */
    int32_t min_depth, max_depth;      /* each depth from min to max has a template */
    int64_t max_pipelines;             /* G, or fewer if the job uses fewer */
    double *weights;                   /* [max_depth + 1] w(n) */
    double *first_ms;                  /* [max_depth + 1] time of one micro-batch in a pipeline */
    double *more_ms;                   /* [max_depth + 1] time of each further one, on average */
    int64_t *fitting;                  /* [max_depth + 1] most micro-batches that fit into memory */
} spot_templates_t;

/* Makes the templates; 1 <= min_depth <= max_depth <= layers. model must outlive self.
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_templates_init(spot_templates_t *self, const spot_step_pipeline_t *model,
    int64_t samples_per_step, int32_t min_depth, int32_t max_depth, int64_t max_pipelines);
void spot_templates_free(spot_templates_t *self);

/* Fills shares, [num_groups], with the micro-batches of each group, at least 1 per
 * pipeline, that minimise the sum of (share - G w/W)^2 over the pipelines. Of equal
 * remainders the deeper pipeline gets more. If the minimum of 1 does not matter, this is
 * the rule of the largest remainder. The set has at most G pipelines. */
void spot_template_shares(
    const spot_templates_t *self, const spot_template_set_t *set, spot_template_share_t *shares);

/* The step time of a set, or 0 if it is infeasible: a pipeline has no template or does
 * not fit into memory, or there are more than max_pipelines. O(groups^2). */
double spot_templates_step_ms(const spot_templates_t *self, const spot_template_set_t *set);

int64_t spot_template_set_instances(const spot_template_set_t *self);

/* Finds the set of at least min_pipelines pipelines with num_instances instances in all
 * and the least step time. Returns that time, or 0 if no set is feasible. Of equal sets
 * it takes the one with the fewest pipelines, then the first in the order of the lists
 * of depths, shallowest first. The branch and bound is limited; is_exact is false if it
 * stopped early and a better set may exist. num_instances <=
 * SPOT_TEMPLATES_MAX_INSTANCES. */
double spot_templates_best_set(const spot_templates_t *self, int32_t num_instances,
    int32_t min_pipelines, spot_template_set_t *set, bool *is_exact);
