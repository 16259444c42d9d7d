/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Winners ---- */

/* A group and where it is along x. */
typedef struct {
    double number;
    size_t group_id;
} place_t;

const spot_summary_t *spot_winners_summary(const spot_winners_t *self, size_t point_id)
{
    return &self->summaries[point_id * self->head->num_metrics + self->head->best.metric_id];
}

static double mean_at(const spot_winners_t *self, size_t point_id)
{
    return spot_winners_summary(self, point_id)->value;
}

static size_t value_at(const spot_winners_t *self, size_t point_id)
{
    return spot_study_value_id(self->head, point_id, self->head->best.axis_id);
}

static bool competes(const spot_winners_t *self, size_t point_id)
{
    return spot_study_competes(self->head, point_id) && isfinite(mean_at(self, point_id)) &&
           !self->is_beyond[point_id];
}

bool spot_winners_rests_beyond(const spot_winners_t *self, size_t point_id)
{
    const spot_beyond_t beyond = spot_study_beyond(self->head, point_id);
    const size_t metric_id = spot_study_metric_id(self->head, beyond.metric);

    return metric_id < self->head->num_metrics &&
           self->summaries[point_id * self->head->num_metrics + metric_id].value > beyond.most;
}

/* Leaves out what rests too much on what was not measured, in groups where a point does
 * not. NO_MEMORY. */
static int leave_out_beyond(spot_winners_t *self)
{
    const size_t num_points = self->head->num_points;
    bool *has_measured = spot_calloc(self->groups.num_groups, sizeof(*has_measured));

    self->is_beyond = spot_calloc(num_points, sizeof(*self->is_beyond));
    if (has_measured == NULL || self->is_beyond == NULL) {
        free(has_measured);
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_points; j++) {
        if (competes(self, j) && !spot_winners_rests_beyond(self, j)) {
            has_measured[self->groups.group_ids[j]] = true;
        }
    }
    for (size_t j = 0; j < num_points; j++) {
        self->is_beyond[j] = has_measured[self->groups.group_ids[j]] &&
                             !spot_study_beyond(self->head, j).only_warns &&
                             spot_winners_rests_beyond(self, j);
    }
    free(has_measured);
    return 0;
}

/* Whether a point is better than another one, which may be none. */
static bool is_better(const spot_winners_t *self, size_t point_id, size_t other_id)
{
    if (other_id == SPOT_NO_POINT) {
        return true;
    }
    return self->head->best.is_maximised ? mean_at(self, point_id) > mean_at(self, other_id)
                                         : mean_at(self, point_id) < mean_at(self, other_id);
}

/* Finds the best and the next of each group; the first of equal ones. */
static void rank(spot_winners_t *self)
{
    for (size_t j = 0; j < self->groups.num_groups; j++) {
        self->winners[j] = (spot_winner_t){
            .first_id = SPOT_NO_POINT, .best_id = SPOT_NO_POINT, .next_id = SPOT_NO_POINT};
    }
    for (size_t j = 0; j < self->head->num_points; j++) {
        spot_winner_t *winner = &self->winners[self->groups.group_ids[j]];

        if (winner->first_id == SPOT_NO_POINT) {
            winner->first_id = j;
        }
        if (!competes(self, j)) {
            continue;
        }
        winner->num_rivals += winner->best_id != SPOT_NO_POINT;
        if (is_better(self, j, winner->best_id)) {
            winner->next_id = winner->best_id;
            winner->best_id = j;
        } else if (is_better(self, j, winner->next_id)) {
            winner->next_id = j;
        }
    }
}

/* Compares a point with the winner of its group; pairs: [num_metrics]. */
static int compare(
    spot_winners_t *self, const spot_store_t *store, size_t point_id, spot_paired_t *pairs)
{
    const spot_best_t *best = &self->head->best;
    spot_winner_t *winner = &self->winners[self->groups.group_ids[point_id]];
    const spot_paired_t *pair = &pairs[best->metric_id];
    const double confidence = 1 - (1 - SPOT_CONFIDENCE) / (double) winner->num_rivals;
    double lead;
    int ret;

    memset(pairs, 0, self->head->num_metrics * sizeof(*pairs));
    ret = spot_store_difference_at(store, winner->best_id, point_id, confidence, pairs);
    lead = spot_paired_mean(pair) * (best->is_maximised ? 1 : -1);
    /* NAN, of fewer than two pairs, is not sure. */
    winner->is_sure = winner->is_sure && lead > spot_paired_half_width(pair, confidence);
    if (point_id == winner->next_id) {
        winner->lead = *pair;
    }
    return ret;
}

static int compare_all(spot_winners_t *self, const spot_store_t *store)
{
    spot_paired_t *pairs = spot_calloc(self->head->num_metrics, sizeof(*pairs));
    int ret = pairs == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < self->groups.num_groups; j++) {
        self->winners[j].is_sure = self->winners[j].num_rivals > 0;
    }
    for (size_t j = 0; ret == 0 && j < self->head->num_points; j++) {
        if (competes(self, j) && j != self->winners[self->groups.group_ids[j]].best_id) {
            ret = compare(self, store, j, pairs);
        }
    }
    free(pairs);
    return ret;
}

/* The other axis, if there is one alone and all of its values are numbers. */
static size_t find_x(const spot_study_head_t *head)
{
    const size_t x_id = head->best.axis_id == 0 ? 1 : 0;

    if (head->num_axes != 2 || head->plan.kind == SPOT_PLAN_ZIP) {
        return head->num_axes;
    }
    for (size_t j = 0; j < head->axes[x_id].num_values; j++) {
        if (isnan(head->axes[x_id].numbers[j])) {
            return head->num_axes;
        }
    }
    return x_id;
}

static int compare_places(const void *a, const void *b)
{
    const place_t *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* The competitor of a group that has a value of the key, or SPOT_NO_POINT. */
static size_t find_point(const spot_winners_t *self, size_t group_id, size_t value_id)
{
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (self->groups.group_ids[j] == group_id && value_at(self, j) == value_id &&
            competes(self, j)) {
            return j;
        }
    }
    return SPOT_NO_POINT;
}

/* The lead of the winner before the change over the one after it, in a group. */
static double lead_of(const spot_winners_t *self, size_t group_id, const spot_crossing_t *crossing)
{
    const size_t before_id = self->winners[crossing->before_id].best_id;
    const size_t after_id = self->winners[crossing->after_id].best_id;
    const size_t a_id = find_point(self, group_id, value_at(self, before_id));
    const size_t b_id = find_point(self, group_id, value_at(self, after_id));

    return a_id == SPOT_NO_POINT || b_id == SPOT_NO_POINT
               ? (double) NAN
               : mean_at(self, a_id) - mean_at(self, b_id);
}

/* Finds the places whose winner differs from that of the place before; places without a
 * winner are skipped. */
static void find_changes(spot_winners_t *self, const place_t *places)
{
    const place_t *before = NULL;

    for (size_t j = 0; j < self->groups.num_groups; j++) {
        const place_t *place = &places[j];
        const size_t best_id = self->winners[place->group_id].best_id;

        if (best_id == SPOT_NO_POINT) {
            continue;
        }
        if (before != NULL &&
            value_at(self, self->winners[before->group_id].best_id) != value_at(self, best_id)) {
            spot_crossing_t *crossing = &self->crossings[self->num_crossings++];
            double low, high;

            *crossing =
                (spot_crossing_t){.before_id = before->group_id, .after_id = place->group_id};
            low = lead_of(self, before->group_id, crossing);
            high = lead_of(self, place->group_id, crossing);
            crossing->number =
                before->number + (place->number - before->number) * low / (low - high);
        }
        before = place;
    }
}

static int find_crossings(spot_winners_t *self)
{
    const size_t num_groups = self->groups.num_groups;
    place_t *places;

    self->x_id = find_x(self->head);
    if (self->x_id == self->head->num_axes) {
        return 0;
    }
    places = spot_calloc(num_groups, sizeof(*places));
    self->crossings = spot_calloc(num_groups, sizeof(*self->crossings));
    if (places == NULL || self->crossings == NULL) {
        free(places);
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_groups; j++) {
        const size_t value_id =
            spot_study_value_id(self->head, self->winners[j].first_id, self->x_id);

        places[j] = (place_t){self->head->axes[self->x_id].numbers[value_id], j};
    }
    qsort(places, num_groups, sizeof(*places), compare_places);
    find_changes(self, places);
    free(places);
    return 0;
}

int spot_winners_init(spot_winners_t *self, const spot_store_t *store)
{
    const spot_study_head_t *head = store->head;
    int ret;

    *self = (spot_winners_t){.head = head, .store = store};
    ret = spot_point_groups_init(&self->groups, head, head->best.axis_id);
    ret = ret == 0 ? spot_summarise_all(store, &self->summaries) : ret;
    if (ret == 0) {
        self->winners = spot_calloc(self->groups.num_groups, sizeof(*self->winners));
        ret = self->winners == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    ret = ret == 0 ? leave_out_beyond(self) : ret;
    if (ret == 0) {
        rank(self);
        ret = compare_all(self, store);
    }
    return ret == 0 ? find_crossings(self) : ret;
}

double spot_winner_lead(const spot_winner_t *self, const spot_best_t *best)
{
    return spot_paired_mean(&self->lead) * (best->is_maximised ? 1 : -1) + 0.0;
}

const spot_break_even_t *spot_winners_break_even(
    const spot_winners_t *self, const spot_winner_t *winner, size_t key_id)
{
    const spot_store_t *store = self->store;

    for (size_t j = 0; j < store->num_break_evens; j++) {
        const spot_break_even_t *item = &store->break_evens[j];

        if (item->best_id == winner->best_id && item->next_id == winner->next_id &&
            item->key_id == key_id && item->num_pairs == spot_paired_num_pairs(&winner->lead)) {
            return item;
        }
    }
    return NULL;
}

void spot_winners_free(spot_winners_t *self)
{
    free(self->summaries);
    free(self->is_beyond);
    spot_point_groups_free(&self->groups);
    free(self->winners);
    free(self->crossings);
    memset(self, 0, sizeof(*self));
}

/* ---- Findings ---- */

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
