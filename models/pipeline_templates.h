/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths that train together: one template for each depth from
 * n_min on, the micro-batches that each pipeline gets, and the fastest set of pipelines
 * that uses all of N instances. Jang et al., Oobleck, SOSP'23.
 *
 * A step cuts the samples into G micro-batches. Of pipelines of depth n each gets
 * G w(n)/W of them, with w(n) = n/T(n) and W the sum over the pipelines, in whole
 * numbers as near to that as they can be. T(n) is the time of 4 n micro-batches in one
 * pipeline: the length for which Oobleck makes its templates (there in a formula of its
 * own, here by the schedule of the job). A step ends with its slowest pipeline; then the
 * gradients are summed over all of them. */
#ifndef SPOT_MODELS_PIPELINE_TEMPLATES_H
#define SPOT_MODELS_PIPELINE_TEMPLATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "models/step_pipeline.h"

/* More instances than that are not planned for. */
#define SPOT_TEMPLATES_MAX_INSTANCES 512
/* 1 + 2 + ... + 32 > 512: so many different depths cannot be in one set. */
#define SPOT_TEMPLATES_MAX_GROUPS 32

/* Some pipelines that are alike. */
typedef struct {
    int32_t depth; /* stages, of one instance each */
    int32_t count; /* of pipelines, >= 1 */
} spot_template_group_t;

/* Pipelines that train together; depths are increasing. */
typedef struct {
    int32_t num_groups;
    spot_template_group_t groups[SPOT_TEMPLATES_MAX_GROUPS];
} spot_template_set_t;

/* Micro-batches of a group: num_more of its pipelines have one more than the others. */
typedef struct {
    int64_t least;
    int32_t num_more; /* < count */
} spot_template_share_t;

typedef struct {
    const spot_step_pipeline_t *model; /* borrowed */
    int64_t num_micro_batches;         /* G */
    int32_t min_depth, max_depth;      /* there is a template for each depth between */
    int64_t max_pipelines;             /* G, or fewer if the job can use no more */
    double *weights;                   /* [max_depth + 1] w(n) */
    double *first_ms; /* [max_depth + 1] of one micro-batch in a pipeline */
    double *more_ms;  /* [max_depth + 1] of each further one, on average */
    int64_t *fitting; /* [max_depth + 1] most micro-batches that fit into memory */
} spot_templates_t;

/* 1 <= min_depth <= max_depth <= layers. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_templates_init(spot_templates_t *self,
    const spot_step_pipeline_t *model, int64_t samples_per_step, int32_t min_depth,
    int32_t max_depth, int64_t max_pipelines);
void spot_templates_free(spot_templates_t *self);

/* The micro-batches of each group, at least 1 for each pipeline, so that the sum of
 * (share - G w/W)^2 over the pipelines is the least; of equal remainders the deeper
 * pipeline gets more. Where each gets 1 at least anyway, that is the rule of the largest
 * remainder. shares: [num_groups]. At most G pipelines. */
void spot_template_shares(const spot_templates_t *self, const spot_template_set_t *set,
    spot_template_share_t *shares);

/* The step time; 0: it is not feasible, as a pipeline has no template or no micro-batch,
 * does not fit into memory, or there are more than max_pipelines. O(groups^2). */
double spot_templates_step_ms(
    const spot_templates_t *self, const spot_template_set_t *set);

int64_t spot_template_set_pipelines(const spot_template_set_t *self);
int64_t spot_template_set_instances(const spot_template_set_t *self);

/* Of all sets of at least min_pipelines pipelines with num_instances instances in all
 * that with the least step time, which is returned (0: none is feasible); of equal ones
 * that of the fewest pipelines, then the first in the order of its list of depths,
 * shallowest first. Branch and bound; it looks at so many sets at most, and then
 * is_exact tells that a better one may have been left out. num_instances <=
 * SPOT_TEMPLATES_MAX_INSTANCES. */
double spot_templates_plan(const spot_templates_t *self, int32_t num_instances,
    int32_t min_pipelines, spot_template_set_t *set, bool *is_exact);

#endif
