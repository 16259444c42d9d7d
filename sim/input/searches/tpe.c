/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree-structured Parzen estimator without chance: Bergstra et al., NeurIPS 2011. */
#include <math.h>

#include "sim/input/search.h"

/* Parts the points of the grid into good and poor ones. */
static void part(spot_search_t *self)
{
    for (size_t j = 0; j < self->num_points; j++) {
        double num_known = 0, num_better = 0;

        for (size_t k = 0; k < self->num_points; k++) {
            if (self->points[k].id > 0) {
                num_known++;
                num_better += spot_search_is_better(&self->points[k], &self->points[j]);
            }
        }
        self->points[j].is_good = num_better < ceil(0.25 * sqrt(num_known));
    }
}

/* ln good - ln poor of a coordinate, which is (id - 1) / stride % num. */
static double log_ratio(const spot_search_t *self, size_t id, size_t stride, size_t num)
{
    const size_t here = (id - 1) / stride % num;
    const double least = 1 / (double) num;
    double count[2] = {0}, sum[2] = {0}; /* of poor, good */

    for (size_t j = 0; j < self->num_points; j++) {
        const size_t at = (self->points[j].id - 1) / stride % num;
        const int group = self->points[j].is_good;

        if (self->points[j].id > 0) {
            count[group] += at == here ? 1 : at + 1 == here || here + 1 == at ? 0.5 : 0;
            sum[group] += 1 + (at > 0 ? 0.5 : 0) + (at + 1 < num ? 0.5 : 0);
        }
    }
    return log((least + count[1]) / (1 + sum[1])) - log((least + count[0]) / (1 + sum[0]));
}

static size_t next(spot_search_t *self, size_t n)
{
    const size_t num_threads = self->threads.num_values;
    const size_t num_blocks = self->blocks.num_values;
    size_t best_id = 1 + n % num_threads * num_blocks + (4 * n + 3) % num_blocks;
    double threads[SPOT_SEARCH_MAX_VALUES], blocks[SPOT_SEARCH_MAX_VALUES];
    double most = -(double) INFINITY;

    if (n < 4 && !self->is_known[best_id]) {
        return best_id;
    }
    part(self);
    for (size_t j = 0; j < num_threads; j++) {
        threads[j] = log_ratio(self, 1 + j * num_blocks, num_blocks, num_threads);
    }
    for (size_t j = 0; j < num_blocks; j++) {
        blocks[j] = log_ratio(self, 1 + j, 1, num_blocks);
    }
    for (size_t id = 1; id <= num_threads * num_blocks; id++) {
        const double sum = threads[(id - 1) / num_blocks] + blocks[(id - 1) % num_blocks];

        if (!self->is_known[id] && sum >= most + 1e-12) {
            most = sum;
            best_id = id;
        }
    }
    return best_id;
}

const spot_search_method_t spot_search_tpe = {"tpe",
    "4 points across the grid, then where good points lie closer than poor ones",
    "the evaluations asked for are done", true, next};
