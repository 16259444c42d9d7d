/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/group_means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NUM_GROUPS 16

/* Sums over the current point. */
typedef struct {
    const spot_group_means_t *means;
    size_t *metric_ids; /* [num_metrics] */
    double *sums;       /* [num_groups][num_metrics] */
    double *weights;    /* the same: number of values */
    spot_line_t *lines; /* [num_metrics] */
    bool is_fixed;      /* its only row counts for all replications */
} grouper_t;

static int add_row(void *context, const spot_row_t *row)
{
    const grouper_t *self = context;
    const spot_group_means_t *means = self->means;
    const size_t group_id = (size_t) row->replication % means->num_groups;
    const size_t end_id = self->is_fixed ? means->num_groups : group_id + 1;

    for (size_t k = group_id; row->replication < means->num_used && k < end_id; k++) {
        for (size_t j = 0; j < means->num_metrics; j++) {
            const double value = spot_line_value(&self->lines[j], row->metrics);

            if (isfinite(value)) {
                self->sums[k * means->num_metrics + j] += value;
                self->weights[k * means->num_metrics + j]++;
            }
        }
    }
    return 0;
}

static int read_means(grouper_t *self, const spot_store_t *store, double *means)
{
    const size_t num_cells = self->means->num_groups * self->means->num_metrics;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        self->is_fixed = spot_study_is_fixed(store->head, j);
        memset(self->sums, 0, num_cells * sizeof(*self->sums));
        memset(self->weights, 0, num_cells * sizeof(*self->weights));
        ret = spot_lines_read(store, j, self->means->num_metrics, self->metric_ids, self->lines);
        ret = ret == 0 ? store->read(store, j, 0, add_row, self) : ret;
        for (size_t k = 0; ret == 0 && k < num_cells; k++) {
            means[j * num_cells + k] =
                self->weights[k] > 0 ? self->sums[k] / self->weights[k] : (double) NAN;
        }
    }
    return ret;
}

/* The fewest rows of a point whose replications differ. */
static int64_t fewest_rows(const spot_store_t *store)
{
    int64_t fewest = INT64_MAX;

    for (size_t j = 0; j < store->head->num_points; j++) {
        const int64_t num_rows = store->num_rows(store, j);

        if (num_rows == 0 || !spot_study_is_fixed(store->head, j)) {
            fewest = num_rows < fewest ? num_rows : fewest;
        }
    }
    return fewest;
}

static void choose_groups(spot_group_means_t *self, const spot_store_t *store)
{
    const int64_t fewest = fewest_rows(store);

    self->num_used = fewest;
    self->num_groups = fewest < SPOT_MIN_GROUPS ? 1
                       : fewest < NUM_GROUPS    ? (size_t) fewest
                                                : NUM_GROUPS;
}

int spot_group_means_init(
    spot_group_means_t *self, const spot_store_t *store, size_t first_metric, size_t num_metrics)
{
    grouper_t grouper = {.means = self};
    spot_arena_t memory = {0};
    size_t num_cells;
    int ret = SPOT_ERR_NO_MEMORY;

    *self = (spot_group_means_t){.num_metrics = num_metrics};
    choose_groups(self, store);
    num_cells = self->num_groups * num_metrics;
    self->means = spot_calloc(store->head->num_points * num_cells, sizeof(*self->means));
    SPOT_ARENA_ARRAY(&memory, grouper.sums, num_cells);
    SPOT_ARENA_ARRAY(&memory, grouper.weights, num_cells);
    SPOT_ARENA_ARRAY(&memory, grouper.lines, num_metrics);
    SPOT_ARENA_ARRAY(&memory, grouper.metric_ids, num_metrics);
    if (memory.error == 0 && self->means != NULL) {
        for (size_t j = 0; j < num_metrics; j++) {
            grouper.metric_ids[j] = first_metric + j;
        }
        ret = read_means(&grouper, store, self->means);
    }
    spot_arena_free(&memory);
    return ret;
}

void spot_group_means_free(spot_group_means_t *self)
{
    free(self->means);
    memset(self, 0, sizeof(*self));
}

double spot_group_product(const double *a, const double *b, size_t num_groups, size_t omitted_id)
{
    double sum_a = 0, sum_b = 0, sum_same = 0, count = 0;

    for (size_t g = 0; g < num_groups; g++) {
        if (g != omitted_id) {
            sum_a += a[g];
            sum_b += b[g];
            sum_same += a[g] * b[g];
            count++;
        }
    }
    return num_groups == 1 ? sum_same : (sum_a * sum_b - sum_same) / (count * (count - 1));
}

double spot_jackknife_half_width(const spot_moments_t *left_out, double confidence)
{
    const double freedom = (double) left_out->num_values - 1;

    return spot_student_t(confidence, freedom) *
           sqrt(freedom / (freedom + 1) * left_out->sum_squares);
}

const char *spot_analysis_problem(int outcome, const char *too_few)
{
    switch (outcome) {
        case 0:
            return NULL;
        case SPOT_ANALYSIS_TOO_FEW:
            return too_few;
        case SPOT_ANALYSIS_CONSTANT:
            return "the same at all points";
        default:
            return "differences between points do not stand out of the noise of "
                   "replications";
    }
}
