/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/stats.h"

/* In a sampled plan, a key with more numbers than this gets levels that are parts of its
 * range with about equal numbers of points. */
#define EFFECTS_MAX_VALUES 8

/* ---- Main effects ---- */

/* A sampled plan is split into so many parts, each of which is left out in turn. */
#define NUM_PARTS 20
#define NO_PART SIZE_MAX

/* Places in work_t.measured: the variance, the share of each key, its total share. */
enum { PLACE_VARIANCE, PLACE_KEYS };

typedef struct {
    const spot_effects_data_t *data;
    spot_arena_t memory; /* of all below */
    spot_effects_kind_t kind;
    size_t num_used;
    size_t *used;        /* [num_used] points */
    size_t max_classes;  /* levels of a key, or lines along one */
    double *sums;        /* [max_classes][num_groups], then means */
    size_t *counts;      /* [max_classes] */
    double *centre;      /* [num_groups] mean of all */
    size_t *line_ids;    /* [num_keys][num_points] full grid: line along the key */
    size_t num_measured; /* PLACE_KEYS + 2 num_keys */
    double *measured;    /* [num_measured] the latest */
} work_t;

static const double *values_of(const work_t *self, size_t point_id)
{
    return self->data->values + point_id * self->data->num_groups;
}

static size_t level_of(const work_t *self, size_t point_id, size_t key_id)
{
    return self->data->level_ids[point_id * self->data->num_keys + key_id];
}

static bool is_taken(size_t place, size_t omitted_part)
{
    return omitted_part == NO_PART || place % NUM_PARTS != omitted_part;
}

/* The class of a point: its level of a key, or its line along one. */
static size_t class_of(const work_t *self, size_t point_id, size_t key_id, bool is_line)
{
    return is_line ? self->line_ids[key_id * self->data->num_points + point_id]
                   : level_of(self, point_id, key_id);
}

/* The square of the distance of a point from a mean. */
static double square_from(
    const work_t *self, size_t point_id, const double *mean, size_t omitted_group)
{
    const double *values = values_of(self, point_id);
    double distance[SPOT_MAX_GROUPS] = {0};

    for (size_t g = 0; g < self->data->num_groups; g++) {
        distance[g] = values[g] - mean[g];
    }
    return spot_group_product(distance, distance, self->data->num_groups, omitted_group);
}

/* Sets sums to the means of the classes and counts to their sizes. Returns the number of
 * classes with points. */
static size_t find_class_means(work_t *self, size_t key_id, bool is_line, size_t omitted_part)
{
    const size_t num_groups = self->data->num_groups;
    size_t num_classes = 0;

    memset(self->sums, 0, self->max_classes * num_groups * sizeof(*self->sums));
    memset(self->counts, 0, self->max_classes * sizeof(*self->counts));
    for (size_t j = 0; j < self->num_used; j++) {
        const size_t class_id = class_of(self, self->used[j], key_id, is_line);
        const double *values = values_of(self, self->used[j]);

        if (is_taken(j, omitted_part)) {
            num_classes += self->counts[class_id]++ == 0;
            for (size_t g = 0; g < num_groups; g++) {
                self->sums[class_id * num_groups + g] += values[g];
            }
        }
    }
    for (size_t j = 0; j < self->max_classes; j++) {
        for (size_t g = 0; g < num_groups && self->counts[j] > 0; g++) {
            self->sums[j * num_groups + g] /= (double) self->counts[j];
        }
    }
    return num_classes;
}

/* The variance of points within the classes of a key; unbiased for a sampled plan. */
static double variance_within(
    work_t *self, size_t key_id, bool is_line, size_t omitted_group, size_t omitted_part)
{
    const size_t num_classes = find_class_means(self, key_id, is_line, omitted_part);
    double sum = 0;
    size_t num_points = 0;

    for (size_t j = 0; j < self->num_used; j++) {
        const size_t class_id = class_of(self, self->used[j], key_id, is_line);

        if (is_taken(j, omitted_part)) {
            sum += square_from(
                self, self->used[j], &self->sums[class_id * self->data->num_groups], omitted_group);
            num_points++;
        }
    }
    if (self->kind != SPOT_EFFECTS_SAMPLED) {
        return sum / (double) num_points;
    }
    return num_points > num_classes ? sum / (double) (num_points - num_classes) : (double) NAN;
}

/* The variance of all points. Sets centre to their mean. */
static double variance_of_all(work_t *self, size_t omitted_group, size_t omitted_part)
{
    const size_t num_groups = self->data->num_groups;
    double sum = 0, num_points = 0;

    memset(self->centre, 0, num_groups * sizeof(*self->centre));
    for (size_t j = 0; j < self->num_used; j++) {
        for (size_t g = 0; is_taken(j, omitted_part) && g < num_groups; g++) {
            self->centre[g] += values_of(self, self->used[j])[g];
        }
        num_points += is_taken(j, omitted_part);
    }
    for (size_t g = 0; g < num_groups; g++) {
        self->centre[g] /= num_points;
    }
    for (size_t j = 0; j < self->num_used; j++) {
        sum += is_taken(j, omitted_part)
                   ? square_from(self, self->used[j], self->centre, omitted_group)
                   : 0;
    }
    return sum / (num_points - (self->kind == SPOT_EFFECTS_SAMPLED));
}

/* Variance and shares, without a group or a part of the points. */
static void measure(work_t *self, size_t omitted_group, size_t omitted_part)
{
    const size_t num_keys = self->data->num_keys;
    const double variance = variance_of_all(self, omitted_group, omitted_part);

    self->measured[PLACE_VARIANCE] = variance;
    for (size_t j = 0; j < num_keys; j++) {
        self->measured[PLACE_KEYS + j] =
            1 - variance_within(self, j, false, omitted_group, omitted_part) / variance;
        self->measured[PLACE_KEYS + num_keys + j] =
            self->kind == SPOT_EFFECTS_FULL
                ? variance_within(self, j, true, omitted_group, omitted_part) / variance
                : (double) NAN;
    }
}

static void set_interval(spot_sensitivity_index_t *index, double value, double half_width)
{
    *index = (spot_sensitivity_index_t){value, value - half_width, value + half_width};
}

/* Adds the measured values that are defined: some plans have no totals. */
static void keep_measured(const work_t *self, spot_moments_t *moments)
{
    for (size_t j = 0; j < self->num_measured; j++) {
        if (isfinite(self->measured[j])) {
            spot_moments_add(&moments[j], self->measured[j]);
        }
    }
}

/* Leaves out each group of replications and, for a sampled plan, each part of the
 * points. by_group and by_part: [num_measured], zeroed. */
static void leave_out(work_t *self, spot_moments_t *by_group, spot_moments_t *by_part)
{
    const size_t num_groups = self->data->num_groups;

    for (size_t g = 0; num_groups > 1 && g < num_groups; g++) {
        measure(self, g, NO_PART);
        keep_measured(self, by_group);
    }
    for (size_t part = 0; self->kind == SPOT_EFFECTS_SAMPLED && part < NUM_PARTS; part++) {
        measure(self, num_groups, part);
        keep_measured(self, by_part);
    }
}

/* Both errors are independent to first order, so their squares add. NAN: there is no
 * estimate of either. */
static double half_width_of(
    const spot_moments_t *by_group, const spot_moments_t *by_part, double confidence)
{
    const bool has_groups = by_group->num_values > 1, has_parts = by_part->num_values > 1;

    if (!has_groups && !has_parts) {
        return (double) NAN;
    }
    return hypot(has_groups ? spot_jackknife_half_width(by_group, confidence) : 0,
        has_parts ? spot_jackknife_half_width(by_part, confidence) : 0);
}

/* Sets shares, totals and the variance with their intervals. NOISE: the variance may be
 * 0. */
static int find_shares(work_t *self, spot_effects_t *effects, double confidence)
{
    const size_t num_groups = self->data->num_groups, num_keys = self->data->num_keys;
    spot_moments_t *by_group = spot_calloc(2 * self->num_measured, sizeof(*by_group));
    spot_moments_t *by_part;
    int ret = 0;

    if (by_group == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    by_part = by_group + self->num_measured;
    leave_out(self, by_group, by_part);
    measure(self, num_groups, NO_PART);
    effects->variance = self->measured[PLACE_VARIANCE];
    if (!(effects->variance > 0) ||
        (num_groups > 1 && effects->variance <=
                               spot_jackknife_half_width(&by_group[PLACE_VARIANCE], confidence))) {
        ret = SPOT_ANALYSIS_NOISE;
    }
    for (size_t j = 0; ret == 0 && j < num_keys; j++) {
        const size_t share = PLACE_KEYS + j, total = PLACE_KEYS + num_keys + j;

        set_interval(&effects->keys[j].share, self->measured[share],
            half_width_of(&by_group[share], &by_part[share], confidence));
        set_interval(&effects->keys[j].total, self->measured[total],
            half_width_of(&by_group[total], &by_part[total], confidence));
    }
    free(by_group);
    return ret;
}

/* ---- Ranges ---- */

static double mean_over_groups(const double *values, size_t num_groups)
{
    double sum = 0;

    for (size_t g = 0; g < num_groups; g++) {
        sum += values[g];
    }
    return sum / (double) num_groups;
}

/* The interval of a range under replication noise; groups are independent. */
static double noise_half_width(const work_t *self, const spot_key_effect_t *key, double confidence)
{
    const size_t num_groups = self->data->num_groups;
    spot_moments_t moments = {0};

    for (size_t g = 0; g < num_groups; g++) {
        spot_moments_add(&moments,
            self->sums[key->high_id * num_groups + g] - self->sums[key->low_id * num_groups + g]);
    }
    return spot_moments_half_width(&moments, confidence); /* NAN for one */
}

/* The interval of a range under the choice of points and their own noise (Welch). */
static double sampling_half_width(
    const work_t *self, size_t key_id, const spot_key_effect_t *key, double confidence)
{
    spot_moments_t low = {0}, high = {0};

    for (size_t j = 0; j < self->num_used; j++) {
        const size_t level_id = level_of(self, self->used[j], key_id);
        const double mean =
            mean_over_groups(values_of(self, self->used[j]), self->data->num_groups);

        if (level_id == key->low_id) {
            spot_moments_add(&low, mean);
        } else if (level_id == key->high_id) {
            spot_moments_add(&high, mean);
        }
    }
    return spot_welch_half_width(&low, &high, confidence);
}

/* The widest of all pairs is chosen, so the interval holds for all pairs at once
 * (Bonferroni). */
static void find_range(work_t *self, size_t key_id, double confidence, spot_key_effect_t *key)
{
    const size_t num_groups = self->data->num_groups;
    const size_t num_found = find_class_means(self, key_id, false, NO_PART);
    const double num_pairs = (double) (num_found * (num_found - 1)) / 2;
    double pair_confidence;
    bool is_first = true;

    for (size_t j = 0; j < key->num_levels; j++) {
        if (self->counts[j] == 0) {
            key->means[j] = (double) NAN;
            continue;
        }
        key->means[j] = mean_over_groups(&self->sums[j * num_groups], num_groups);
        key->low_id = is_first || key->means[j] < key->means[key->low_id] ? j : key->low_id;
        key->high_id = is_first || key->means[j] > key->means[key->high_id] ? j : key->high_id;
        is_first = false;
    }
    pair_confidence = 1 - (1 - confidence) / fmax(num_pairs, 1);
    set_interval(&key->range, key->means[key->high_id] - key->means[key->low_id],
        key->low_id == key->high_id ? 0
        : self->kind == SPOT_EFFECTS_SAMPLED
            ? sampling_half_width(self, key_id, key, pair_confidence)
            : noise_half_width(self, key, pair_confidence));
}

/* ---- The kind of the plan ---- */

/* Sets line_ids. Returns whether each combination of values occurs once. */
static bool is_full(work_t *self, bool *is_seen)
{
    const spot_effects_data_t *data = self->data;
    size_t num_seen = 0;

    for (size_t p = 0; p < data->num_points; p++) {
        size_t place = 0, stride = 1;

        for (size_t k = 0; k < data->num_keys; k++) {
            place += stride * level_of(self, p, k);
            stride *= data->num_levels[k];
        }
        stride = 1;
        for (size_t k = 0; k < data->num_keys; k++) {
            self->line_ids[k * data->num_points + p] = place - stride * level_of(self, p, k);
            stride *= data->num_levels[k];
        }
        num_seen += !is_seen[place];
        is_seen[place] = true;
    }
    return num_seen == data->num_points;
}

/* A full grid has each combination once, and all points are defined. */
static void find_kind(work_t *self)
{
    const spot_effects_data_t *data = self->data;
    size_t num_combinations = 1;
    bool *is_seen;

    self->kind = data->is_sampled ? SPOT_EFFECTS_SAMPLED : SPOT_EFFECTS_PARTIAL;
    for (size_t k = 0; k < data->num_keys && num_combinations <= data->num_points; k++) {
        num_combinations *= data->num_levels[k];
    }
    if (data->is_sampled || num_combinations != data->num_points ||
        self->num_used < data->num_points) {
        return;
    }
    SPOT_ARENA_ARRAY(&self->memory, self->line_ids, data->num_keys * data->num_points);
    SPOT_ARENA_ARRAY(&self->memory, is_seen, data->num_points);
    if (self->memory.error == 0 && is_full(self, is_seen)) {
        self->kind = SPOT_EFFECTS_FULL;
        self->max_classes = data->num_points; /* as lines are numbered */
    }
}

static bool is_defined(const work_t *self, size_t point_id)
{
    for (size_t g = 0; g < self->data->num_groups; g++) {
        if (!isfinite(values_of(self, point_id)[g])) {
            return false;
        }
    }
    return true;
}

/* Whether at least two keys have two levels among the points. */
static bool has_two_keys(const work_t *self)
{
    size_t num_varying = 0;

    for (size_t k = 0; k < self->data->num_keys; k++) {
        bool varies = false;

        for (size_t j = 1; j < self->num_used; j++) {
            varies = varies || level_of(self, self->used[j], k) != level_of(self, self->used[0], k);
        }
        num_varying += varies;
    }
    return num_varying >= 2;
}

/* Whether all points have the same values; groups may differ. */
static bool is_constant(const work_t *self)
{
    const size_t num_bytes = self->data->num_groups * sizeof(double);

    for (size_t j = 1; j < self->num_used; j++) {
        if (memcmp(values_of(self, self->used[j]), values_of(self, self->used[0]), num_bytes) !=
            0) {
            return false;
        }
    }
    return true;
}

static int work_init(work_t *self, const spot_effects_data_t *data)
{
    spot_arena_t *memory = &self->memory;

    *self = (work_t){.data = data, .num_measured = PLACE_KEYS + 2 * data->num_keys};
    SPOT_ARENA_ARRAY(memory, self->used, data->num_points);
    SPOT_ARENA_ARRAY(memory, self->centre, data->num_groups);
    SPOT_ARENA_ARRAY(memory, self->measured, self->num_measured);
    for (size_t j = 0; memory->error == 0 && j < data->num_points; j++) {
        if (is_defined(self, j)) {
            self->used[self->num_used++] = j;
        }
    }
    for (size_t k = 0; k < data->num_keys; k++) {
        self->max_classes =
            data->num_levels[k] > self->max_classes ? data->num_levels[k] : self->max_classes;
    }
    find_kind(self);
    SPOT_ARENA_ARRAY(memory, self->sums, self->max_classes * data->num_groups);
    SPOT_ARENA_ARRAY(memory, self->counts, self->max_classes);
    return memory->error;
}

static int analyse_metric(work_t *self, double confidence, spot_effects_t *effects)
{
    int ret;

    effects->kind = self->kind;
    effects->num_used = self->num_used;
    if (!has_two_keys(self) ||
        (self->kind == SPOT_EFFECTS_SAMPLED && self->num_used < 2 * NUM_PARTS)) {
        return SPOT_ANALYSIS_TOO_FEW;
    }
    if (is_constant(self)) {
        return SPOT_ANALYSIS_CONSTANT;
    }
    ret = find_shares(self, effects, confidence);
    effects->mean = mean_over_groups(self->centre, self->data->num_groups);
    for (size_t j = 0; ret == 0 && j < effects->num_keys; j++) {
        find_range(self, j, confidence, &effects->keys[j]);
    }
    return ret;
}

static bool is_usable(const spot_effects_data_t *data)
{
    return data->num_keys > 0 && data->num_points > 0 &&
           (data->num_groups == 1 ||
               (data->num_groups >= SPOT_MIN_GROUPS && data->num_groups <= SPOT_MAX_GROUPS));
}

int spot_effects_init(spot_effects_t *self, const spot_effects_data_t *data, double confidence)
{
    work_t work;
    int ret;

    *self = (spot_effects_t){.mean = (double) NAN, .variance = (double) NAN};
    if (!is_usable(data) || !(confidence > 0 && confidence < 1)) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->num_keys = data->num_keys;
    SPOT_ARENA_ARRAY(&self->memory, self->keys, data->num_keys);
    for (size_t j = 0; self->memory.error == 0 && j < data->num_keys; j++) {
        self->keys[j].num_levels = data->num_levels[j];
        SPOT_ARENA_ARRAY(&self->memory, self->keys[j].means, data->num_levels[j]);
    }
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    ret = work_init(&work, data);
    ret = ret == 0 ? analyse_metric(&work, confidence, self) : ret;
    spot_arena_free(&work.memory);
    return ret;
}

void spot_effects_free(spot_effects_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}

/* ---- Of a study ---- */

#define MIN_PART_POINTS 8
#define MAX_PARTS 5

/* The points that are used, and their levels. */
typedef struct {
    const spot_study_head_t *head;
    spot_arena_t memory; /* of all below */
    size_t num_points;
    size_t *point_ids;  /* [num_points] */
    size_t *level_ids;  /* [num_points][num_keys] */
    size_t *num_levels; /* [num_keys] */
    double *values;     /* [num_points][num_groups] */
} plan_t;

static size_t count_keys(const spot_study_head_t *head)
{
    size_t num_keys = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        num_keys += head->axes[j].num_values > 1;
    }
    return num_keys;
}

const char *spot_study_effects_problem(const spot_study_head_t *head)
{
    if (count_keys(head) < 2) {
        return "fewer than two keys have two values";
    }
    return head->plan.kind == SPOT_PLAN_ZIP
               ? "the keys move together, so their effects cannot be separated"
               : NULL;
}

/* All points; for a sensitivity plan the two base designs, as only these are evenly
 * spread. */
static void choose_points(plan_t *self)
{
    const spot_plan_t *plan = &self->head->plan;
    const size_t stride = self->head->num_axes + 2;
    const bool is_base = plan->kind == SPOT_PLAN_SENSITIVITY && plan->sample_points != NULL;

    self->num_points = is_base ? 2 * plan->num_samples : self->head->num_points;
    for (size_t j = 0; j < self->num_points; j++) {
        self->point_ids[j] = is_base ? plan->sample_points[j / 2 * stride + j % 2] : j;
    }
}

typedef struct {
    double number;
    size_t place;
    size_t value_id;
} placed_t;

static int compare_placed(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->place > y->place) - (x->place < y->place);
}

/* Parts of the range with about equal numbers of points; equal values stay together. */
static void put_into_parts(plan_t *plan, spot_study_effects_t *self, size_t key_id)
{
    const size_t axis_id = self->axis_ids[key_id], num_points = plan->num_points;
    const size_t most = num_points / MIN_PART_POINTS;
    const size_t num_parts = most > MAX_PARTS ? MAX_PARTS : most < 2 ? 2 : most;
    placed_t *placed = spot_arena_take(&plan->memory, num_points, sizeof(*placed));
    size_t level_id = 0;

    if (placed == NULL) {
        return;
    }
    for (size_t j = 0; j < num_points; j++) {
        const size_t value_id = spot_study_value_id(plan->head, plan->point_ids[j], axis_id);

        placed[j] = (placed_t){plan->head->axes[axis_id].numbers[value_id], j, value_id};
    }
    qsort(placed, num_points, sizeof(*placed), compare_placed);
    for (size_t j = 0; j < num_points; j++) {
        const size_t wanted = j * num_parts / num_points;
        const bool is_new =
            j == 0 || (wanted > level_id && placed[j].number > placed[j - 1].number);

        level_id = is_new ? wanted : level_id;
        if (is_new) {
            self->first_values[key_id * self->max_levels + level_id] = placed[j].value_id;
        }
        self->last_values[key_id * self->max_levels + level_id] = placed[j].value_id;
        plan->level_ids[placed[j].place * self->effects.num_keys + key_id] = level_id;
    }
    plan->num_levels[key_id] = num_parts;
}

/* Each value is a level. */
static void put_into_values(plan_t *plan, spot_study_effects_t *self, size_t key_id)
{
    const size_t axis_id = self->axis_ids[key_id];

    plan->num_levels[key_id] = plan->head->axes[axis_id].num_values;
    for (size_t j = 0; j < plan->num_levels[key_id]; j++) {
        self->first_values[key_id * self->max_levels + j] = j;
        self->last_values[key_id * self->max_levels + j] = j;
    }
    for (size_t j = 0; j < plan->num_points; j++) {
        plan->level_ids[j * self->effects.num_keys + key_id] =
            spot_study_value_id(plan->head, plan->point_ids[j], axis_id);
    }
}

static void choose_levels(plan_t *plan, spot_study_effects_t *self)
{
    for (size_t k = 0; k < self->effects.num_keys; k++) {
        const spot_axis_t *axis = &plan->head->axes[self->axis_ids[k]];

        if (spot_plan_is_design(plan->head->plan.kind) && spot_axis_is_numeric(axis) &&
            axis->num_values > EFFECTS_MAX_VALUES) {
            put_into_parts(plan, self, k);
        } else {
            put_into_values(plan, self, k);
        }
    }
}

/* Replaces shares and totals by the Sobol indices of a sensitivity plan, if known. */
static int take_indices(spot_study_effects_t *self, const spot_store_t *store, size_t metric_id)
{
    spot_study_sensitivity_t sensitivity;
    int ret;

    if (store->head->plan.kind != SPOT_PLAN_SENSITIVITY || metric_id >= store->head->num_listed ||
        self->outcome != 0) {
        return 0;
    }
    ret = spot_study_sensitivity_init(&sensitivity, store);
    if (ret == 0 && sensitivity.metrics[metric_id].outcome == 0) {
        const spot_sensitivity_t *indices = &sensitivity.metrics[metric_id].indices;

        self->has_indices = true;
        for (size_t k = 0; k < self->effects.num_keys; k++) {
            self->effects.keys[k].share = indices->first[self->axis_ids[k]];
            self->effects.keys[k].total = indices->total[self->axis_ids[k]];
        }
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret;
}

static int analyse_study(spot_study_effects_t *self, plan_t *plan, const spot_group_means_t *means)
{
    const size_t num_groups = means->num_groups, num_keys = self->effects.num_keys;
    spot_effects_data_t data = {.num_keys = num_keys,
        .num_points = plan->num_points,
        .num_groups = num_groups,
        .num_levels = plan->num_levels,
        .level_ids = plan->level_ids,
        .is_sampled = spot_plan_is_design(plan->head->plan.kind)};
    int ret;

    SPOT_ARENA_ARRAY(&plan->memory, plan->values, plan->num_points * num_groups);
    if (plan->memory.error != 0) {
        return plan->memory.error;
    }
    for (size_t j = 0; j < plan->num_points; j++) {
        memcpy(&plan->values[j * num_groups], &means->means[plan->point_ids[j] * num_groups],
            num_groups * sizeof(*plan->values));
    }
    data.values = plan->values;
    ret = spot_effects_init(&self->effects, &data, SPOT_CONFIDENCE);
    self->outcome = ret > 0 ? ret : 0;
    return ret < 0 ? ret : 0;
}

static int prepare(spot_study_effects_t *self, plan_t *plan)
{
    const spot_study_head_t *head = plan->head;
    const size_t num_keys = count_keys(head);
    const size_t most = head->num_points > 2 * head->plan.num_samples ? head->num_points
                                                                      : 2 * head->plan.num_samples;
    size_t num_found = 0;

    self->effects.num_keys = num_keys;
    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t num_values = head->axes[j].num_values;

        self->max_levels = num_values > self->max_levels ? num_values : self->max_levels;
    }
    SPOT_ARENA_ARRAY(&self->memory, self->axis_ids, num_keys);
    SPOT_ARENA_ARRAY(&self->memory, self->first_values, num_keys * self->max_levels);
    SPOT_ARENA_ARRAY(&self->memory, self->last_values, num_keys * self->max_levels);
    SPOT_ARENA_ARRAY(&plan->memory, plan->point_ids, most);
    SPOT_ARENA_ARRAY(&plan->memory, plan->level_ids, most * num_keys);
    SPOT_ARENA_ARRAY(&plan->memory, plan->num_levels, num_keys);
    if (self->memory.error != 0 || plan->memory.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        if (head->axes[j].num_values > 1) {
            self->axis_ids[num_found++] = j;
        }
    }
    return 0;
}

int spot_study_effects_init(spot_study_effects_t *self, const spot_store_t *store, size_t metric_id)
{
    plan_t plan = {.head = store->head};
    spot_group_means_t means;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_group_means_init(&means, store, metric_id, 1);
    self->num_replications = means.num_used;
    self->num_groups = means.num_groups;
    ret = ret == 0 ? prepare(self, &plan) : ret;
    if (ret == 0) {
        choose_points(&plan);
        choose_levels(&plan, self);
        ret = analyse_study(self, &plan, &means);
    }
    ret = ret == 0 ? take_indices(self, store, metric_id) : ret;
    spot_arena_free(&plan.memory);
    spot_group_means_free(&means);
    return ret;
}

void spot_study_effects_free(spot_study_effects_t *self)
{
    spot_arena_free(&self->memory);
    spot_effects_free(&self->effects);
    memset(self, 0, sizeof(*self));
}

const char *spot_study_effects_outcome(const spot_study_effects_t *self)
{
    return spot_analysis_problem(self->outcome, "too few points have a value");
}
