/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/findings.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/point_groups.h"

const spot_summary_t *spot_findings_at(const spot_findings_t *self, size_t point_id)
{
    return &self->summaries[point_id * self->head->num_metrics + self->metric_id];
}

/* ---- Two points ---- */

/* Replication by replication. */
static int paired_half_width(
    const spot_findings_t *self, size_t x_id, size_t y_id, double confidence, double *half_width)
{
    spot_paired_t *pairs = spot_calloc(self->head->num_metrics, sizeof(*pairs));
    int ret = pairs == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_store_difference_at(self->store, x_id, y_id, confidence, pairs);

    if (ret == 0) {
        *half_width = spot_paired_half_width(&pairs[self->metric_id], confidence);
    }
    free(pairs);
    return ret;
}

int spot_findings_gap(
    const spot_findings_t *self, size_t x_id, size_t y_id, size_t num_looks, spot_gap_t *gap)
{
    const spot_summary_t *x = spot_findings_at(self, x_id), *y = spot_findings_at(self, y_id);
    const double confidence = 1 - (1 - SPOT_CONFIDENCE) / (double) num_looks;
    const bool is_quantile =
        spot_metric_estimator(&self->head->metrics[self->metric_id]) == SPOT_ESTIMATOR_QUANTILE;
    const bool is_whole = x->num_values == y->num_values && x->num_nulls == 0 && y->num_nulls == 0;
    const bool has_ends = isfinite(x->half_width) && isfinite(y->half_width);
    double half_width = (double) NAN;
    int ret = 0;

    if (is_whole && self->num_rows <= SPOT_FINDINGS_PAIRED_ROWS) {
        ret = paired_half_width(self, x_id, y_id, confidence, &half_width);
    } else if (has_ends ||
               !is_quantile) { /* the sum is wide enough however the two are correlated */
        half_width = spot_moments_half_width(&x->moments, confidence) +
                     spot_moments_half_width(&y->moments, confidence);
    }
    gap->mean = x->value - y->value;
    gap->low = isfinite(half_width) ? gap->mean - half_width : -HUGE_VAL;
    gap->high = isfinite(half_width) ? gap->mean + half_width : HUGE_VAL;
    gap->sign = (gap->low > 0) - (gap->high < 0);
    return ret;
}

static int compare_gaps(const void *a, const void *b)
{
    const double x = fabs(((const spot_contrast_t *) a)->gap.mean);
    const double y = fabs(((const spot_contrast_t *) b)->gap.mean);

    return (x < y) - (x > y);
}

int spot_findings_contrast(
    const spot_findings_t *self, spot_contrast_t *sure, size_t *num_sure, size_t *num_compared)
{
    const size_t num_points = self->head->num_points;
    size_t *base_ids;
    int ret = spot_baseline_points(self->head, &base_ids);

    *num_sure = *num_compared = 0;
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        *num_compared += base_ids[j] != SPOT_NO_POINT && base_ids[j] != j;
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        spot_contrast_t compared = {.point_id = j, .base_id = base_ids[j]};

        if (base_ids[j] != SPOT_NO_POINT && base_ids[j] != j) {
            ret = spot_findings_gap(self, j, base_ids[j], *num_compared, &compared.gap);
            if (ret == 0 && compared.gap.sign != 0) {
                sure[(*num_sure)++] = compared;
            }
        }
    }
    free(base_ids);
    qsort(sure, *num_sure, sizeof(*sure), compare_gaps);
    return ret;
}

/* ---- A curve ---- */

/* 1: the metric is surely higher at place than at base, -1: lower. Any two places may
 * have been chosen for what they show. */
static int sign_between(const spot_findings_t *self, const size_t *point_ids, size_t num_places,
    size_t place, size_t base, int *sign)
{
    const size_t num_looks = num_places * (num_places - 1) / 2;
    spot_gap_t gap = {.sign = 0};
    const int ret =
        place == base ? 0
                      : spot_findings_gap(self, point_ids[place], point_ids[base], num_looks, &gap);

    *sign = ret == 0 ? gap.sign : 0;
    return ret;
}

int spot_findings_shape(const spot_findings_t *self, const size_t *point_ids, size_t num_places,
    size_t low, size_t high, spot_shape_t *shape)
{
    const size_t last = num_places - 1;
    const struct {
        size_t place, base;
    } looks[] = {{high, 0}, {high, last}, {low, 0}, {low, last}, {last, 0}, {high, low}};
    int signs[sizeof(looks) / sizeof(looks[0])];
    int ret = 0;

    *shape = SPOT_SHAPE_UNSURE;
    for (size_t j = 0; ret == 0 && j < sizeof(looks) / sizeof(looks[0]); j++) {
        ret = sign_between(self, point_ids, num_places, looks[j].place, looks[j].base, &signs[j]);
    }
    if (ret == 0) {
        const bool has_top = signs[0] > 0 && signs[1] > 0;
        const bool has_bottom = signs[2] < 0 && signs[3] < 0;

        *shape = has_top && !has_bottom     ? SPOT_SHAPE_TOP
                 : has_bottom && !has_top   ? SPOT_SHAPE_BOTTOM
                 : signs[4] > 0 && !has_top ? SPOT_SHAPE_GROWS
                 : signs[4] < 0 && !has_top ? SPOT_SHAPE_FALLS
                 : signs[5] > 0             ? SPOT_SHAPE_VARIES
                                            : SPOT_SHAPE_UNSURE;
    }
    return ret;
}

/* ---- The values of a key ---- */

static void add_to_effect(spot_value_effect_t *self, const spot_gap_t *gap, double base)
{
    const double ratio = (gap->mean + base) / base, size = fabs(gap->mean);
    const int sign_id = gap->sign < 0 ? SPOT_LOWERS : SPOT_RAISES;
    const bool is_first = self->changes[sign_id].num_sure == 0;

    self->num_pairs++;
    if (gap->sign != 0) {
        const double least = self->changes[sign_id].least, most = self->changes[sign_id].most,
                     least_ratio = self->changes[sign_id].least_ratio,
                     most_ratio = self->changes[sign_id].most_ratio;

        self->changes[sign_id].num_sure++;
        self->changes[sign_id].least = is_first ? size : fmin(least, size);
        self->changes[sign_id].most = is_first ? size : fmax(most, size);
        self->changes[sign_id].least_ratio = is_first ? ratio : fmin(least_ratio, ratio);
        self->changes[sign_id].most_ratio = is_first ? ratio : fmax(most_ratio, ratio);
    }
}

int spot_findings_effects(
    const spot_findings_t *self, size_t axis_id, size_t reference, spot_value_effect_t *effects)
{
    const spot_study_head_t *head = self->head;
    spot_point_groups_t groups;
    size_t *base_ids = spot_calloc(head->num_points, sizeof(*base_ids));
    int ret = spot_point_groups_init(&groups, head, axis_id);

    ret = ret == 0 && base_ids == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        base_ids[j] = SPOT_NO_POINT;
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        if (spot_study_value_id(head, j, axis_id) == reference) {
            base_ids[groups.group_ids[j]] = j;
        }
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const size_t value_id = spot_study_value_id(head, j, axis_id);
        const size_t base_id = base_ids[groups.group_ids[j]];
        spot_gap_t gap;

        if (value_id == reference || base_id == SPOT_NO_POINT) {
            continue;
        }
        ret = spot_findings_gap(self, j, base_id, head->num_points, &gap);
        if (ret == 0 && isfinite(gap.mean)) {
            add_to_effect(&effects[value_id], &gap, spot_findings_at(self, base_id)->value);
        }
    }
    free(base_ids);
    spot_point_groups_free(&groups);
    return ret;
}

size_t spot_strongest_effect(const spot_value_effect_t *effects, size_t num_values, int sign_id)
{
    size_t found_id = num_values;

    for (size_t j = 0; j < num_values; j++) {
        if (effects[j].changes[sign_id].num_sure > 0 &&
            (found_id == num_values ||
                effects[j].changes[sign_id].most > effects[found_id].changes[sign_id].most)) {
            found_id = j;
        }
    }
    return found_id;
}
