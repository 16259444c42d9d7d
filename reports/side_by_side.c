/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/words.h"
#include "sim/bench/analysis/quantiles.h"

static const spot_study_head_t *head_of(const spot_side_by_side_t *self, int side)
{
    return self->sides[side].report->head;
}

/* ---- Metrics at the points of both ---- */

static int choose_metrics(spot_side_by_side_t *self)
{
    const spot_study_head_t *before = head_of(self, SPOT_BEFORE),
                            *after = head_of(self, SPOT_AFTER);

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        SPOT_ARENA_ARRAY(&self->texts.arena, self->metric_ids[side], before->num_metrics);
    }
    for (size_t j = 0; self->texts.arena.error == 0 && j < before->num_metrics; j++) {
        const spot_metric_t *metric = &before->metrics[j];
        const size_t after_id = spot_study_metric_id(after, metric->name);

        if (after_id == after->num_metrics ||
            (j >= before->num_listed && after_id >= after->num_listed) ||
            strcmp(metric->unit, after->metrics[after_id].unit) != 0) {
            continue;
        }
        if (j == spot_main_metric(before)) {
            self->main_id = self->num_metrics;
        }
        self->metric_ids[SPOT_BEFORE][self->num_metrics] = j;
        self->metric_ids[SPOT_AFTER][self->num_metrics++] = after_id;
    }
    return self->texts.arena.error;
}

/* Whether replications that are all alike leave the estimate an interval: events are rare. */
static bool is_of_few(const spot_moments_t *moments, const spot_summary_t *summary)
{
    return moments->num_values > 1 && moments->sum_squares == 0 && summary->half_width > 0;
}

/* Before, after and difference are of the same replications; of all of them where the
 * sides have none in common. summaries: [SPOT_NUM_SIDES]. */
static void fill_change(spot_metric_change_t *change, const spot_metric_t *metric,
    const spot_summary_t *const *summaries, const spot_paired_t *pair)
{
    const spot_summary_t *before = summaries[SPOT_BEFORE], *after = summaries[SPOT_AFTER];
    const bool is_paired =
        pair->difference.num_values > 1 ||
        (pair->difference.num_values == 1 && (before->num_values < 2 || after->num_values < 2));
    const spot_moments_t *moments[SPOT_NUM_SIDES] = {
        [SPOT_BEFORE] = is_paired ? &pair->y : &before->moments,
        [SPOT_AFTER] = is_paired ? &pair->x : &after->moments};

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        change->means[side] = spot_moments_mean(moments[side]);
        change->half_widths[side] = spot_moments_half_width(moments[side], SPOT_CONFIDENCE);
        if (spot_metric_estimator(metric) >= SPOT_ESTIMATOR_PROBABILITY ||
            is_of_few(moments[side], summaries[side])) {
            change->means[side] = summaries[side]->value;
            change->half_widths[side] = summaries[side]->half_width;
        }
    }
    if (is_paired) {
        change->difference = spot_paired_mean(pair);
        change->half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);
        change->num_pairs = pair->difference.num_values;
    } else {
        change->difference = change->means[SPOT_AFTER] - change->means[SPOT_BEFORE];
        change->half_width =
            spot_metric_estimator(metric) == SPOT_ESTIMATOR_QUANTILE ||
                    is_of_few(&before->moments, before) || is_of_few(&after->moments, after)
                ? spot_separate_half_width((double[]){after->ci_low, after->value, after->ci_high},
                      (double[]){before->ci_low, before->value, before->ci_high})
                : spot_welch_half_width(&after->moments, &before->moments, SPOT_CONFIDENCE);
    }
    change->ratio = change->means[SPOT_BEFORE] == 0
                        ? (double) NAN
                        : change->difference / fabs(change->means[SPOT_BEFORE]);
    change->is_marked = fabs(change->difference) > change->half_width;
}

/* Another seed meets other events: its replications are no pairs. pairs: [num_metrics]
 * to work in. */
static int compare_pair(spot_side_by_side_t *self, size_t pair_id, spot_paired_t *pairs)
{
    spot_compared_t compared[SPOT_NUM_SIDES];
    int ret = 0;

    memset(pairs, 0, self->num_metrics * sizeof(*pairs));
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        compared[side] = (spot_compared_t){self->sides[side].report->store,
            self->match.point_ids[side][pair_id], self->metric_ids[side]};
    }
    if (head_of(self, SPOT_BEFORE)->seed == head_of(self, SPOT_AFTER)->seed) {
        ret = spot_store_difference_between(
            &compared[SPOT_AFTER], &compared[SPOT_BEFORE], self->num_metrics, pairs);
    }
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        const spot_summary_t *summaries[SPOT_NUM_SIDES];

        for (int side = 0; side < SPOT_NUM_SIDES; side++) {
            summaries[side] = spot_report_summary(
                self->sides[side].report, compared[side].point_id, self->metric_ids[side][j]);
        }
        fill_change(&self->changes[pair_id * self->num_metrics + j],
            spot_side_by_side_metric(self, j), summaries, &pairs[j]);
    }
    return ret;
}

static int compare_points(spot_side_by_side_t *self)
{
    spot_arena_t *arena = &self->texts.arena;
    spot_paired_t *pairs = spot_arena_take(arena, self->num_metrics, sizeof(*pairs));
    int ret;

    SPOT_ARENA_ARRAY(arena, self->changes, self->match.num_pairs * self->num_metrics);
    ret = arena->error;
    for (size_t j = 0; ret == 0 && j < self->match.num_pairs; j++) {
        ret = compare_pair(self, j, pairs);
    }
    return ret;
}

/* ---- In what the studies differ ---- */

/* Stands before each difference that is found in canonical texts. */
#define PLACE "B"

static const char *const side_names[] = {"A", "B"};

static void say(spot_side_by_side_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

static void say(spot_side_by_side_t *self, const char *format, ...)
{
    va_list values;
    const char *text;

    va_start(values, format);
    text = spot_texts_vadd(&self->texts, format, values);
    va_end(values);
    if (SPOT_ARRAY_APPEND(self, sentences, text) != 0) {
        self->texts.error = SPOT_ERR_NO_MEMORY;
    }
}

/* What is swept is seen in the points; what the heads have, in the heads. */
static void drop_others(spot_canonical_t *list, const spot_side_by_side_t *self)
{
    static const char *const keys[] = {"keep", "metrics", "replications", "sweep"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        spot_canonical_drop(list, keys[j]);
    }
    for (size_t j = 0; j < self->match.num_keys; j++) {
        spot_canonical_drop(list, self->match.keys[j].path);
    }
}

static int compare_scenarios(spot_side_by_side_t *self)
{
    spot_canonical_t *lists = self->match.lists;
    spot_diag_t diag;
    int ret;

    if (self->sides[0].canonical == NULL || self->sides[1].canonical == NULL) {
        say(self, "what their scenarios say, which is not known of both");
        return 0;
    }
    spot_diag_init(&diag);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        drop_others(&lists[side], self);
    }
    spot_canonical_compare(&lists[SPOT_BEFORE], &lists[SPOT_AFTER], PLACE, &diag);
    ret = diag.out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
    for (size_t j = 0; ret == 0 && j < diag.num_items; j++) {
        say(self, "%s", diag.items[j].text + strlen(PLACE ": "));
    }
    if (ret == 0 && diag.num_errors > diag.num_items) {
        say(self, "%zu more keys", diag.num_errors - diag.num_items);
    }
    spot_diag_free(&diag);
    return ret;
}

static void compare_keys(spot_side_by_side_t *self)
{
    for (size_t j = 0; j < self->match.num_keys; j++) {
        const spot_match_key_t *key = &self->match.keys[j];
        const bool is_before = key->axis_ids[SPOT_BEFORE] != SPOT_NO_AXIS;
        const char *swept = side_names[is_before ? SPOT_BEFORE : SPOT_AFTER];
        const char *other = side_names[is_before ? SPOT_AFTER : SPOT_BEFORE];

        if (is_before && key->axis_ids[SPOT_AFTER] != SPOT_NO_AXIS) {
            continue;
        }
        if (key->fixed == NULL) {
            say(self,
                "%s is swept in %s only and %s does not tell its value: no points are "
                "matched",
                key->path, swept, other);
        } else {
            say(self, "%s is swept in %s only, is %s in %s", key->path, swept, key->fixed, other);
        }
    }
}

/* That nothing can be compared, as a side has no replications, is said elsewhere. */
static void compare_replications(spot_side_by_side_t *self)
{
    const spot_report_t *before = self->sides[SPOT_BEFORE].report,
                        *after = self->sides[SPOT_AFTER].report;
    const char *was = spot_words_replications(&self->texts, before);
    const char *is = spot_words_replications(&self->texts, after);

    if (before->head->seed != after->head->seed) {
        say(self, "replications.seed was %" PRIu64 ", is %" PRIu64, before->head->seed,
            after->head->seed);
    }
    if (before->num_rows > 0 && after->num_rows > 0 && strcmp(was, is) != 0) {
        say(self, "%s were there, %s are", was, is);
    }
}

/* The metrics of a side that the other has not, or has in another unit. */
static void compare_metrics(spot_side_by_side_t *self, int side)
{
    const spot_study_head_t *head = head_of(self, side), *other = head_of(self, 1 - side);

    for (size_t j = 0; j < head->num_listed; j++) {
        const spot_metric_t *metric = &head->metrics[j];
        const size_t other_id = spot_study_metric_id(other, metric->name);

        if (other_id == other->num_metrics) {
            say(self, "%s is kept in %s only", metric->name, side_names[side]);
        } else if (side == SPOT_BEFORE &&
                   strcmp(metric->unit, other->metrics[other_id].unit) != 0) {
            say(self, "%s was in %s, is in %s: not compared", metric->name, metric->unit,
                other->metrics[other_id].unit);
        }
    }
}

static int compare_studies(spot_side_by_side_t *self)
{
    const int ret = compare_scenarios(self);

    compare_keys(self);
    compare_replications(self);
    compare_metrics(self, SPOT_BEFORE);
    compare_metrics(self, SPOT_AFTER);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        if (self->match.num_alone[side] > 0) {
            say(self, "%s only in %s",
                spot_words_count(&self->texts, (int64_t) self->match.num_alone[side], "point"),
                side_names[side]);
        }
    }
    return spot_error_first(ret, self->texts.error);
}

/* ---- All of it ---- */

int spot_side_by_side_init(spot_side_by_side_t *self, const spot_side_t *sides)
{
    spot_match_side_t matched[SPOT_NUM_SIDES];
    int ret;

    memset(self, 0, sizeof(*self));
    self->sides = sides;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        matched[side] = (spot_match_side_t){head_of(self, side), sides[side].canonical};
    }
    ret = spot_point_match_init(&self->match, matched);
    if (ret == 0) {
        ret = choose_metrics(self);
    }
    if (ret == 0) {
        ret = compare_points(self);
    }
    return ret == 0 ? compare_studies(self) : ret;
}

void spot_side_by_side_free(spot_side_by_side_t *self)
{
    free(self->sentences);
    spot_point_match_free(&self->match);
    spot_texts_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

const spot_metric_t *spot_side_by_side_metric(const spot_side_by_side_t *self, size_t metric_id)
{
    return &head_of(self, SPOT_BEFORE)->metrics[self->metric_ids[SPOT_BEFORE][metric_id]];
}

/* The largest of both decides the unit. */
spot_shown_unit_t spot_side_by_side_shown(const spot_side_by_side_t *self, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const double *means = self->changes[j * self->num_metrics + metric_id].means;

        for (int side = 0; side < SPOT_NUM_SIDES; side++) {
            largest = isfinite(means[side]) ? fmax(largest, fabs(means[side])) : largest;
        }
    }
    return spot_metric_shown(spot_side_by_side_metric(self, metric_id), largest);
}

const char *spot_side_by_side_problem(const spot_side_by_side_t *self)
{
    return self->sides[SPOT_BEFORE].report->num_rows == 0  ? "A has no replications yet"
           : self->sides[SPOT_AFTER].report->num_rows == 0 ? "B has no replications yet"
           : self->match.num_pairs == 0                    ? "no point is in both"
           : self->num_metrics == 0                        ? "no metric is in both"
                                                           : NULL;
}
