/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/pipeline_templates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/pipeline_schedule.h"

/* Micro-batches per stage for which templates are timed, as in Oobleck's planner. */
#define MICRO_BATCHES_A_STAGE 4

/* The most micro-batches that fit into memory, by bisection: memory grows with them. */
static int64_t most_fitting(const spot_templates_t *self, int32_t depth)
{
    int64_t low = 0, high = self->num_micro_batches;

    if (spot_step_pipeline_fits(self->model, depth, high)) {
        return high;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (spot_step_pipeline_fits(self->model, depth, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void time_template(spot_templates_t *self, int32_t n)
{
    const double template_ms =
        spot_step_pipeline_part_ms(self->model, n, MICRO_BATCHES_A_STAGE * (int64_t) n);

    self->weights[n] = (double) n / template_ms;
    self->first_ms[n] = spot_step_pipeline_part_ms(self->model, n, 1);
    /* Every schedule is linear from one multiple of the depth to the next. */
    self->more_ms[n] =
        (spot_step_pipeline_part_ms(self->model, n, 1 + n) - self->first_ms[n]) / (double) n;
    self->fitting[n] = most_fitting(self, n);
}

int spot_templates_init(spot_templates_t *self, const spot_step_pipeline_t *model,
    int64_t samples_per_step, int32_t min_depth, int32_t max_depth, int64_t max_pipelines)
{
    const size_t num_depths = (size_t) max_depth + 1;

    memset(self, 0, sizeof(*self));
    self->model = model;
    self->num_micro_batches = spot_micro_batches(samples_per_step, model->micro_batch, 1);
    self->min_depth = min_depth;
    self->max_depth = max_depth;
    self->max_pipelines =
        max_pipelines < self->num_micro_batches ? max_pipelines : self->num_micro_batches;
    self->weights = spot_calloc(num_depths, sizeof(*self->weights));
    self->first_ms = spot_calloc(num_depths, sizeof(*self->first_ms));
    self->more_ms = spot_calloc(num_depths, sizeof(*self->more_ms));
    self->fitting = spot_calloc(num_depths, sizeof(*self->fitting));
    if (self->weights == NULL || self->first_ms == NULL || self->more_ms == NULL ||
        self->fitting == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int32_t n = min_depth; n <= max_depth; n++) {
        time_template(self, n);
    }
    return 0;
}

void spot_templates_free(spot_templates_t *self)
{
    free(self->weights);
    free(self->first_ms);
    free(self->more_ms);
    free(self->fitting);
    memset(self, 0, sizeof(*self));
}

int64_t spot_template_set_pipelines(const spot_template_set_t *self)
{
    int64_t count = 0;

    for (int32_t j = 0; j < self->num_groups; j++) {
        count += self->groups[j].count;
    }
    return count;
}

int64_t spot_template_set_instances(const spot_template_set_t *self)
{
    int64_t count = 0;

    for (int32_t j = 0; j < self->num_groups; j++) {
        count += (int64_t) self->groups[j].count * self->groups[j].depth;
    }
    return count;
}

/* ---- Micro-batches ---- */

/* Gives one more micro-batch to num_left pipelines, first to those furthest below their
 * due. Of equal groups the deeper one comes first. */
static void share_more(const spot_template_set_t *set, const double *due,
    spot_template_share_t *shares, int64_t num_left)
{
    while (num_left > 0) {
        int32_t best = 0;

        for (int32_t j = 1; j < set->num_groups; j++) {
            if (due[j] - (double) shares[j].least >= due[best] - (double) shares[best].least) {
                best = j;
            }
        }
        if (num_left >= set->groups[best].count) {
            shares[best].least++;
            num_left -= set->groups[best].count;
        } else {
            shares[best].num_more = (int32_t) num_left;
            num_left = 0;
        }
    }
}

/* Takes one micro-batch from num_over pipelines, first from those furthest above their
 * due; each keeps at least 1. */
static void share_less(const spot_template_set_t *set, const double *due,
    spot_template_share_t *shares, int64_t num_over)
{
    while (num_over > 0) {
        int32_t best = 0;
        double best_lack = HUGE_VAL;

        for (int32_t j = 0; j < set->num_groups; j++) {
            const double lack = due[j] - (double) shares[j].least;

            if (shares[j].least > 1 && lack < best_lack) {
                best = j;
                best_lack = lack;
            }
        }
        spot_bug_assert(best_lack < HUGE_VAL);
        shares[best].least--;
        if (num_over < set->groups[best].count) {
            shares[best].num_more = set->groups[best].count - (int32_t) num_over;
            num_over = 0;
        } else {
            num_over -= set->groups[best].count;
        }
    }
}

void spot_template_shares(
    const spot_templates_t *self, const spot_template_set_t *set, spot_template_share_t *shares)
{
    double due[SPOT_TEMPLATES_MAX_GROUPS], weight = 0;
    int64_t num_left = self->num_micro_batches;

    for (int32_t j = 0; j < set->num_groups; j++) {
        weight += set->groups[j].count * self->weights[set->groups[j].depth];
    }
    for (int32_t j = 0; j < set->num_groups; j++) {
        due[j] = (double) self->num_micro_batches * self->weights[set->groups[j].depth] / weight;
        shares[j].least = due[j] < 1 ? 1 : (int64_t) due[j];
        shares[j].num_more = 0;
        num_left -= set->groups[j].count * shares[j].least;
    }
    if (num_left >= 0) {
        share_more(set, due, shares, num_left);
    } else {
        share_less(set, due, shares, -num_left);
    }
}

double spot_templates_step_ms(const spot_templates_t *self, const spot_template_set_t *set)
{
    const int64_t num_pipelines = spot_template_set_pipelines(set);
    spot_template_share_t shares[SPOT_TEMPLATES_MAX_GROUPS];
    double longest_ms = 0;

    for (int32_t j = 0; j < set->num_groups; j++) {
        if (set->groups[j].depth < self->min_depth || set->groups[j].depth > self->max_depth) {
            return 0;
        }
    }
    if (num_pipelines == 0 || num_pipelines > self->max_pipelines) {
        return 0;
    }
    spot_template_shares(self, set, shares);
    for (int32_t j = 0; j < set->num_groups; j++) {
        const int32_t depth = set->groups[j].depth;
        const int64_t most = shares[j].least + (shares[j].num_more > 0);

        if (most > self->fitting[depth]) {
            return 0;
        }
        longest_ms = fmax(longest_ms, spot_step_pipeline_part_ms(self->model, depth, most));
    }
    return longest_ms +
           spot_step_pipeline_sync_ms(self->model, num_pipelines, set->groups[0].depth);
}
