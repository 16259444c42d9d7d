/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/study_sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "sim/store/summary.h"

#define NUM_GROUPS 16

/* Means over the replications of a point, by group and metric. */
typedef struct {
    size_t num_groups;
    size_t num_metrics; /* listed */
    int64_t num_used;   /* replications */
    double *sums;       /* [num_groups][num_metrics] of the point that is read */
    int64_t *counts;    /* the same */
} grouper_t;

static int
add_row(void *context, const spot_row_t *row)
{
    const grouper_t *self = context;
    const size_t group_id = (size_t) row->replication % self->num_groups;

    for (size_t j = 0; row->replication < self->num_used && j < self->num_metrics; j++) {
        if (isfinite(row->metrics[j])) {
            self->sums[group_id * self->num_metrics + j] += row->metrics[j];
            self->counts[group_id * self->num_metrics + j]++;
        }
    }
    return 0;
}

/* means: [num_points][num_groups][num_metrics]. */
static int
read_means(grouper_t *self, const spot_store_t *store, double *means)
{
    const size_t num_cells = self->num_groups * self->num_metrics;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        memset(self->sums, 0, num_cells * sizeof(*self->sums));
        memset(self->counts, 0, num_cells * sizeof(*self->counts));
        ret = store->read(store, j, 0, add_row, self);
        for (size_t k = 0; ret == 0 && k < num_cells; k++) {
            means[j * num_cells + k] = self->counts[k] > 0
                                           ? self->sums[k] / (double) self->counts[k]
                                           : (double) NAN;
        }
    }
    return ret;
}

/* The indices of one metric. values: [num_samples][num_axes + 2][num_groups] to work in.
 */
static int
find_indices(spot_metric_sensitivity_t *self, const spot_study_head_t *head,
    const grouper_t *grouper, const double *means, size_t metric_id, double *values)
{
    const size_t num_rows = head->plan.num_samples * (head->num_axes + 2);
    const size_t num_groups = grouper->num_groups, num_metrics = grouper->num_metrics;
    const spot_sensitivity_data_t data = {
        head->num_axes, head->plan.num_samples, num_groups, values};

    for (size_t j = 0; j < num_rows; j++) {
        const double *of_point =
            &means[head->plan.sample_points[j] * num_groups * num_metrics];

        for (size_t k = 0; k < num_groups; k++) {
            values[j * num_groups + k] = of_point[k * num_metrics + metric_id];
        }
    }
    self->outcome =
        spot_sensitivity_init(&self->indices, &data, SPOT_CONFIDENCE, head->plan.seed);
    return self->outcome < 0 ? self->outcome : 0;
}

static int64_t
fewest_rows(const spot_store_t *store)
{
    int64_t fewest = INT64_MAX;

    for (size_t j = 0; j < store->head->num_points; j++) {
        const int64_t num_rows = store->num_rows(store, j);

        fewest = num_rows < fewest ? num_rows : fewest;
    }
    return fewest;
}

static size_t
choose_num_groups(int64_t num_replications)
{
    if (num_replications < SPOT_SENSITIVITY_MIN_GROUPS) {
        return 1;
    }
    return num_replications < NUM_GROUPS ? (size_t) num_replications : NUM_GROUPS;
}

int
spot_study_sensitivity_init(spot_study_sensitivity_t *self, const spot_store_t *store)
{
    const spot_study_head_t *head = store->head;
    const size_t num_rows = head->plan.num_samples * (head->num_axes + 2);
    grouper_t grouper = {
        .num_metrics = head->num_listed, .num_used = fewest_rows(store)};
    double *means, *values;
    size_t num_cells;
    int ret = SPOT_ERR_NO_MEMORY;

    grouper.num_groups = choose_num_groups(grouper.num_used);
    num_cells = grouper.num_groups * grouper.num_metrics;
    *self = (spot_study_sensitivity_t){
        .num_replications = grouper.num_used, .num_groups = grouper.num_groups};
    grouper.sums = spot_calloc(num_cells, sizeof(*grouper.sums));
    grouper.counts = spot_calloc(num_cells, sizeof(*grouper.counts));
    means = spot_calloc(head->num_points * num_cells, sizeof(*means));
    values = spot_calloc(num_rows * grouper.num_groups, sizeof(*values));
    self->metrics = spot_calloc(head->num_listed, sizeof(*self->metrics));
    if (grouper.sums != NULL && grouper.counts != NULL && means != NULL &&
        values != NULL && self->metrics != NULL) {
        self->num_metrics = head->num_listed;
        ret = read_means(&grouper, store, means);
    }
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        ret = find_indices(&self->metrics[j], head, &grouper, means, j, values);
    }
    free(values);
    free(means);
    free(grouper.counts);
    free(grouper.sums);
    return ret;
}

void
spot_study_sensitivity_free(spot_study_sensitivity_t *self)
{
    for (size_t j = 0; self->metrics != NULL && j < self->num_metrics; j++) {
        spot_sensitivity_free(&self->metrics[j].indices);
    }
    free(self->metrics);
    memset(self, 0, sizeof(*self));
}

const char *
spot_metric_sensitivity_problem(const spot_metric_sensitivity_t *self)
{
    switch (self->outcome) {
        case 0:
            return NULL;
        case SPOT_SENSITIVITY_TOO_FEW:
            return "too few base samples have a value at all of their points";
        case SPOT_SENSITIVITY_CONSTANT:
            return "the same at all points";
        default:
            return "differences between points do not stand out of the noise of "
                   "replications";
    }
}

_Static_assert(SPOT_SENSITIVITY_MIN_GROUPS == 4, "the warning names the number");

const char *
spot_metric_sensitivity_warning(const spot_metric_sensitivity_t *self)
{
    return self->outcome == 0 && isnan(self->indices.noise_variance)
               ? "indices hold the noise of single replications, their intervals do "
                 "not: give at least 4 replications"
               : NULL;
}

double
spot_sensitivity_noise_share(const spot_sensitivity_t *indices)
{
    return indices->noise_variance / (indices->variance + indices->noise_variance);
}
