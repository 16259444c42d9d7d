/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/study_sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/analysis/summary.h"

/* The indices of one metric. values: [num_samples][num_axes + 2][num_groups] to work in.
 */
static int find_indices(spot_metric_sensitivity_t *self, const spot_study_head_t *head,
    const spot_group_means_t *means, size_t metric_id, double *values)
{
    const size_t num_rows = head->plan.num_samples * (head->num_axes + 2);
    const size_t num_groups = means->num_groups, num_metrics = means->num_metrics;
    const spot_sensitivity_data_t data = {
        head->num_axes, head->plan.num_samples, num_groups, values};

    for (size_t j = 0; j < num_rows; j++) {
        const double *of_point =
            &means->means[head->plan.sample_points[j] * num_groups * num_metrics];

        for (size_t k = 0; k < num_groups; k++) {
            values[j * num_groups + k] = of_point[k * num_metrics + metric_id];
        }
    }
    self->outcome = spot_sensitivity_init(&self->indices, &data, SPOT_CONFIDENCE, head->plan.seed);
    return self->outcome < 0 ? self->outcome : 0;
}

int spot_study_sensitivity_init(spot_study_sensitivity_t *self, const spot_store_t *store)
{
    const spot_study_head_t *head = store->head;
    const size_t num_rows = head->plan.num_samples * (head->num_axes + 2);
    spot_group_means_t means;
    double *values = NULL;
    int ret = spot_group_means_init(&means, store, 0, head->num_listed);

    *self = (spot_study_sensitivity_t){
        .num_replications = means.num_used, .num_groups = means.num_groups};
    if (ret == 0) {
        values = spot_calloc(num_rows * means.num_groups, sizeof(*values));
        self->metrics = spot_calloc(head->num_listed, sizeof(*self->metrics));
        ret = values == NULL || self->metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        self->num_metrics = head->num_listed;
    }
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        ret = find_indices(&self->metrics[j], head, &means, j, values);
    }
    free(values);
    spot_group_means_free(&means);
    return ret;
}

void spot_study_sensitivity_free(spot_study_sensitivity_t *self)
{
    for (size_t j = 0; self->metrics != NULL && j < self->num_metrics; j++) {
        spot_sensitivity_free(&self->metrics[j].indices);
    }
    free(self->metrics);
    memset(self, 0, sizeof(*self));
}

const char *spot_metric_sensitivity_problem(const spot_metric_sensitivity_t *self)
{
    return spot_analysis_problem(
        self->outcome, "too few base samples have a value at all of their points");
}

_Static_assert(SPOT_MIN_GROUPS == 4, "the warning names the number");

const char *spot_metric_sensitivity_warning(const spot_metric_sensitivity_t *self)
{
    return self->outcome == 0 && isnan(self->indices.noise_variance)
               ? "indices hold the noise of single replications, their intervals do "
                 "not: give at least 4 replications"
               : NULL;
}

double spot_sensitivity_noise_share(const spot_sensitivity_t *indices)
{
    return indices->noise_variance / (indices->variance + indices->noise_variance);
}
