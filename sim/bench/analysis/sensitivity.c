/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/sensitivity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

/* ---- Means of groups ---- */

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

typedef struct {
    size_t num_metrics;
    spot_estimate_t *estimates; /* [num_metrics] */
} lines_t;

/* Whether the line of a metric depends on its rows. */
static bool needs_rows(const spot_estimate_t *self)
{
    return self->estimator == SPOT_ESTIMATOR_RATIO || self->estimator == SPOT_ESTIMATOR_QUANTILE;
}

static int add_line(void *context, const spot_row_t *row)
{
    lines_t *self = context;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        if (needs_rows(&self->estimates[j])) {
            ret = spot_estimate_add(&self->estimates[j], row->metrics);
        }
    }
    return ret;
}

/* Reads the rows of a point and sets the lines of num_metrics metrics; metric_ids: of
 * the head, NULL: the first ones. Reads nothing if none of them needs it. Errors of
 * reading, NO_MEMORY. O(rows). */
static int lines_read(const spot_store_t *store, size_t point_id, size_t num_metrics,
    const size_t *metric_ids, spot_line_t *lines)
{
    lines_t self = {
        .num_metrics = num_metrics, .estimates = spot_calloc(num_metrics, sizeof(*self.estimates))};
    bool is_needed = false;
    int ret = self.estimates == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
        spot_estimate_init(&self.estimates[j], store->head, metric_ids == NULL ? j : metric_ids[j]);
        is_needed = is_needed || needs_rows(&self.estimates[j]);
    }
    if (ret == 0 && is_needed) {
        ret = store->read(store, point_id, 0, add_line, &self);
    }
    for (size_t j = 0; self.estimates != NULL && j < num_metrics; j++) {
        lines[j] = spot_estimate_line(&self.estimates[j]);
        spot_estimate_free(&self.estimates[j]);
    }
    free(self.estimates);
    return ret;
}

static int read_means(grouper_t *self, const spot_store_t *store, double *means)
{
    const size_t num_cells = self->means->num_groups * self->means->num_metrics;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        self->is_fixed = spot_study_is_fixed(store->head, j);
        memset(self->sums, 0, num_cells * sizeof(*self->sums));
        memset(self->weights, 0, num_cells * sizeof(*self->weights));
        ret = lines_read(store, j, self->means->num_metrics, self->metric_ids, self->lines);
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

/* ---- Indices ---- */

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

/* ---- Of a study ---- */

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
