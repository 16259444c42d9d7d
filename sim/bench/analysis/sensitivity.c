/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/sensitivity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/stats.h"
#include "sim/bench/analysis/group_means.h"

#define NUM_RESAMPLES 1000

/* Places of the sums: variance, its noise, then the numerators of the first-order and of
 * the total indices. */
enum { SUM_VARIANCE, SUM_NOISE, SUM_FIRST };

/* The work on one set of data. */
typedef struct {
    const spot_sensitivity_data_t *data;
    spot_arena_t memory; /* of all below */
    size_t num_used;
    size_t *used;              /* [num_used] base samples, ascending */
    double *group_mean;        /* [num_groups] over A and B */
    size_t num_indices;        /* first order, then total */
    size_t num_sums;           /* SUM_FIRST + num_indices */
    double *addends;           /* [num_used][num_sums] */
    double *sums;              /* [num_sums] */
    double *indices;           /* [num_indices] of the latest sums */
    double *resamples;         /* [num_indices][NUM_RESAMPLES] */
    spot_moments_t *jackknife; /* [num_indices] */
} work_t;

static const double *point_values(
    const spot_sensitivity_data_t *data, size_t sample_id, size_t point_id)
{
    const size_t num_points = data->num_inputs + 2;

    return data->values + (sample_id * num_points + point_id) * data->num_groups;
}

static bool is_defined(const spot_sensitivity_data_t *data, size_t sample_id)
{
    const double *values = point_values(data, sample_id, 0);

    for (size_t j = 0; j < (data->num_inputs + 2) * data->num_groups; j++) {
        if (!isfinite(values[j])) {
            return false;
        }
    }
    return true;
}

/* Whether all points have the same values; groups may differ. */
static bool is_constant(const work_t *self)
{
    const spot_sensitivity_data_t *data = self->data;
    const double *first = point_values(data, self->used[0], 0);

    for (size_t k = 0; k < self->num_used; k++) {
        for (size_t j = 0; j < data->num_inputs + 2; j++) {
            if (memcmp(point_values(data, self->used[k], j), first,
                    data->num_groups * sizeof(*first)) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Each group has its own centre, which removes noise that is common to all points. */
static void find_group_means(work_t *self)
{
    const spot_sensitivity_data_t *data = self->data;

    for (size_t g = 0; g < data->num_groups; g++) {
        spot_moments_t moments = {0};

        for (size_t k = 0; k < self->num_used; k++) {
            spot_moments_add(&moments, point_values(data, self->used[k], 0)[g]);
            spot_moments_add(&moments, point_values(data, self->used[k], 1)[g]);
        }
        self->group_mean[g] = spot_moments_mean(&moments);
    }
}

/* The square of the mean, noise included. */
static double noisy_square(const double *a, size_t num_groups)
{
    double sum = 0;

    for (size_t g = 0; g < num_groups; g++) {
        sum += a[g];
    }
    return sum * sum / ((double) num_groups * (double) num_groups);
}

/* The contribution of a base sample to the sums, without the omitted group. */
static void find_addends(const work_t *self, size_t sample_id, size_t omitted_id, double *addends)
{
    const spot_sensitivity_data_t *data = self->data;
    const size_t num_groups = data->num_groups;
    const double *at_a = point_values(data, sample_id, 0);
    const double *at_b = point_values(data, sample_id, 1);
    double a[SPOT_MAX_GROUPS] = {0}, b[SPOT_MAX_GROUPS] = {0};
    double change[SPOT_MAX_GROUPS] = {0};
    double square_a, square_b;

    for (size_t g = 0; g < num_groups; g++) {
        a[g] = at_a[g] - self->group_mean[g];
        b[g] = at_b[g] - self->group_mean[g];
    }
    square_a = spot_group_product(a, a, num_groups, omitted_id);
    square_b = spot_group_product(b, b, num_groups, omitted_id);
    addends[SUM_VARIANCE] = (square_a + square_b) / 2;
    addends[SUM_NOISE] =
        (noisy_square(a, num_groups) - square_a + noisy_square(b, num_groups) - square_b) / 2;
    for (size_t i = 0; i < data->num_inputs; i++) {
        const double *at_ab = point_values(data, sample_id, i + 2);
        double *first = &addends[SUM_FIRST + i];
        double *total = &addends[SUM_FIRST + data->num_inputs + i];

        for (size_t g = 0; g < num_groups; g++) {
            change[g] = at_ab[g] - at_a[g];
        }
        *first = spot_group_product(b, change, num_groups, omitted_id);
        *total = spot_group_product(change, change, num_groups, omitted_id) / 2;
    }
}

static void add_to_sums(work_t *self, const double *addends)
{
    for (size_t j = 0; j < self->num_sums; j++) {
        self->sums[j] += addends[j];
    }
}

/* Sets indices from the sums and clears the sums. Squares are divided by n, not n - 1,
 * since the mean of a Sobol design is nearly exact. NOISE: the variance is not positive.
 */
static int take_indices(work_t *self)
{
    const double variance = self->sums[SUM_VARIANCE];

    for (size_t j = 0; j < self->num_indices; j++) {
        self->indices[j] = self->sums[SUM_FIRST + j] / variance;
    }
    memset(self->sums, 0, self->num_sums * sizeof(*self->sums));
    return variance > 0 ? 0 : SPOT_ANALYSIS_NOISE;
}

/* Over all base samples. */
static int estimate(work_t *self, spot_sensitivity_t *result)
{
    const double num_used = (double) self->num_used;
    int ret;

    for (size_t k = 0; k < self->num_used; k++) {
        double *addends = &self->addends[k * self->num_sums];

        find_addends(self, self->used[k], self->data->num_groups, addends);
        add_to_sums(self, addends);
    }
    result->mean = spot_moments_of(self->group_mean, self->data->num_groups).mean;
    result->variance = self->sums[SUM_VARIANCE] / num_used;
    if (self->data->num_groups > 1) {
        result->noise_variance = self->sums[SUM_NOISE] / num_used;
    }
    ret = take_indices(self);
    for (size_t i = 0; ret == 0 && i < result->num_inputs; i++) {
        result->first[i].value = self->indices[i];
        result->total[i].value = self->indices[result->num_inputs + i];
    }
    return ret;
}

/* Base samples drawn with replacement, the same ones for all indices. */
static int bootstrap(work_t *self, uint64_t seed)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < NUM_RESAMPLES; j++) {
        spot_rng_t rng;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_RESAMPLE, j);
        for (size_t k = 0; k < self->num_used; k++) {
            const size_t drawn_id = (size_t) spot_rng_below(&rng, self->num_used);

            add_to_sums(self, &self->addends[drawn_id * self->num_sums]);
        }
        ret = take_indices(self);
        for (size_t i = 0; i < self->num_indices; i++) {
            self->resamples[i * NUM_RESAMPLES + j] = self->indices[i];
        }
    }
    return ret;
}

/* The indices without each group in turn. */
static int jackknife(work_t *self)
{
    int ret = 0;

    for (size_t g = 0; ret == 0 && g < self->data->num_groups; g++) {
        for (size_t k = 0; k < self->num_used; k++) {
            double *addends = &self->addends[k * self->num_sums];

            find_addends(self, self->used[k], g, addends);
            add_to_sums(self, addends);
        }
        ret = take_indices(self);
        for (size_t i = 0; ret == 0 && i < self->num_indices; i++) {
            spot_moments_add(&self->jackknife[i], self->indices[i]);
        }
    }
    return ret;
}

/* Removes the bias of a ratio to first order (Quenouille's jackknife). Returns the half
 * width due to replications. */
static double apply_jackknife(work_t *self, size_t index_id, double confidence, double *value)
{
    const double freedom = (double) self->data->num_groups - 1;
    const spot_moments_t *moments = &self->jackknife[index_id];

    if (self->data->num_groups == 1) {
        return 0;
    }
    *value += freedom * (*value - spot_moments_mean(moments));
    return spot_jackknife_half_width(moments, confidence);
}

/* Both errors are independent to first order, so their squares add. The noise of single
 * points is in both and counts twice, which is conservative. */
static void find_interval(
    work_t *self, size_t index_id, double confidence, spot_sensitivity_index_t *index)
{
    const double plain = index->value;
    const double half_width = apply_jackknife(self, index_id, confidence, &index->value);
    double *resamples = &self->resamples[index_id * NUM_RESAMPLES];
    double low, high;

    spot_sort(resamples, NUM_RESAMPLES);
    low = spot_quantile(resamples, NUM_RESAMPLES, (1 - confidence) / 2);
    high = spot_quantile(resamples, NUM_RESAMPLES, (1 + confidence) / 2);
    index->ci_low = index->value - hypot(fmax(plain - low, 0), half_width);
    index->ci_high = index->value + hypot(fmax(high - plain, 0), half_width);
}

static int work_init(work_t *self, const spot_sensitivity_data_t *data)
{
    const size_t num_indices = 2 * data->num_inputs, num_sums = SUM_FIRST + num_indices;

    *self = (work_t){.data = data, .num_indices = num_indices, .num_sums = num_sums};
    SPOT_ARENA_ARRAY(&self->memory, self->used, data->num_samples);
    SPOT_ARENA_ARRAY(&self->memory, self->group_mean, data->num_groups);
    SPOT_ARENA_ARRAY(&self->memory, self->addends, data->num_samples * num_sums);
    SPOT_ARENA_ARRAY(&self->memory, self->sums, num_sums);
    SPOT_ARENA_ARRAY(&self->memory, self->indices, num_indices);
    SPOT_ARENA_ARRAY(&self->memory, self->resamples, num_indices * NUM_RESAMPLES);
    SPOT_ARENA_ARRAY(&self->memory, self->jackknife, num_indices);
    for (size_t k = 0; self->memory.error == 0 && k < data->num_samples; k++) {
        if (is_defined(data, k)) {
            self->used[self->num_used++] = k;
        }
    }
    return self->memory.error;
}

static int analyse(work_t *self, double confidence, uint64_t seed, spot_sensitivity_t *result)
{
    int ret;

    result->num_used = self->num_used;
    result->num_left_out = self->data->num_samples - self->num_used;
    if (self->num_used < SPOT_SENSITIVITY_MIN_SAMPLES) {
        return SPOT_ANALYSIS_TOO_FEW;
    }
    if (is_constant(self)) {
        return SPOT_ANALYSIS_CONSTANT;
    }
    find_group_means(self);
    ret = estimate(self, result);
    ret = ret == 0 ? bootstrap(self, seed) : ret;
    if (ret == 0 && self->data->num_groups > 1) {
        ret = jackknife(self);
    }
    for (size_t i = 0; ret == 0 && i < result->num_inputs; i++) {
        find_interval(self, i, confidence, &result->first[i]);
        find_interval(self, result->num_inputs + i, confidence, &result->total[i]);
    }
    return ret;
}

static bool is_usable(const spot_sensitivity_data_t *data)
{
    return data->num_inputs > 0 &&
           (data->num_groups == 1 ||
               (data->num_groups >= SPOT_MIN_GROUPS && data->num_groups <= SPOT_MAX_GROUPS));
}

static void forget_indices(spot_sensitivity_t *self)
{
    const double none = (double) NAN;

    for (size_t i = 0; i < self->num_inputs; i++) {
        self->first[i] = (spot_sensitivity_index_t){none, none, none};
        self->total[i] = self->first[i];
    }
}

int spot_sensitivity_init(
    spot_sensitivity_t *self, const spot_sensitivity_data_t *data, double confidence, uint64_t seed)
{
    work_t work;
    int ret;

    *self = (spot_sensitivity_t){
        .mean = (double) NAN, .variance = (double) NAN, .noise_variance = (double) NAN};
    if (!is_usable(data) || !(confidence > 0 && confidence < 1)) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->first = spot_calloc(data->num_inputs, sizeof(*self->first));
    self->total = spot_calloc(data->num_inputs, sizeof(*self->total));
    if (self->first == NULL || self->total == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_inputs = data->num_inputs;
    ret = work_init(&work, data);
    ret = ret == 0 ? analyse(&work, confidence, seed, self) : ret;
    spot_arena_free(&work.memory);
    if (ret != 0) {
        forget_indices(self);
    }
    return ret;
}

void spot_sensitivity_free(spot_sensitivity_t *self)
{
    free(self->first);
    free(self->total);
    self->first = self->total = NULL;
    self->num_inputs = 0;
}
