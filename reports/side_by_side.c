/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/study_curves.h"
#include "sim/bench/analysis/quantiles.h"

/* The main metric at a pair of points. */
static inline const spot_metric_change_t *side_by_side_change(
    const spot_side_by_side_t *self, size_t pair_id)
{
    return &self->changes[pair_id * self->num_metrics + self->main_id];
}

/* ---- Which points are the same ---- */

/* The key that a value gets, to be read as a document. */
#define VALUE_KEY "value"

/* ---- Values ---- */

/* A number, duration or price by what it means; all other text as it is. */
static void write_scalar(const char *text, FILE *out)
{
    const char *problem;
    double number;
    int64_t duration_ms;

    if (spot_number_parse(text, &number) == 0 || spot_price_parse(text, &number, &problem) == 0) {
        fprintf(out, "%.17g", number + 0.0); /* 0 for -0 */
    } else if (spot_duration_parse(text, &duration_ms, &problem) == 0) {
        fprintf(out, "%" PRId64 " ms", duration_ms);
    } else {
        fprintf(out, "\"%s\"", text);
    }
}

/* Reads the value as a document. false: it is none. */
static bool write_tree(const char *document, FILE *out)
{
    spot_canonical_t list = {0};
    spot_diag_t diag;
    bool is_read;

    spot_diag_init(&diag);
    is_read = spot_canonical_parse(&list, VALUE_KEY, document, &diag) == 0 && list.num_entries > 0;
    for (size_t j = 0; is_read && j < list.num_entries; j++) {
        fprintf(out, "%s%s=", j > 0 ? ";" : "", list.entries[j].path);
        write_scalar(list.entries[j].text, out);
    }
    spot_canonical_free(&list);
    spot_diag_free(&diag);
    return is_read;
}

const char *spot_match_value(spot_texts_t *texts, const char *text)
{
    FILE *out = spot_texts_begin(texts);

    if (out != NULL && (strpbrk(text, "{[\"'\n") == NULL ||
                           !write_tree(spot_texts_add(texts, VALUE_KEY ": %s\n", text), out))) {
        write_scalar(text, out);
    }
    return spot_texts_end(texts, out);
}

/* ---- Keys ---- */

static size_t find_axis(const spot_study_head_t *head, const char *path)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, path) == 0) {
            return j;
        }
    }
    return SPOT_NO_AXIS;
}

/* The keys of a side that are not listed yet, with what the other side fixes. */
static void list_keys(spot_point_match_t *self, const spot_match_side_t *sides, int side)
{
    const spot_study_head_t *head = sides[side].head;

    for (size_t j = 0; j < head->num_axes; j++) {
        const char *path = head->axes[j].path;
        const size_t other_id = find_axis(sides[1 - side].head, path);
        spot_match_key_t *key = &self->keys[self->num_keys];
        const char *fixed;

        if (side == SPOT_AFTER && other_id != SPOT_NO_AXIS) {
            continue;
        }
        self->num_keys++;
        key->path = path;
        key->axis_ids[side] = j;
        key->axis_ids[1 - side] = other_id;
        if (other_id == SPOT_NO_AXIS) {
            fixed = spot_canonical_get(&self->lists[1 - side], path);
            self->lacks_value = self->lacks_value || fixed == NULL;
            key->fixed = fixed == NULL ? NULL : spot_texts_add(&self->texts, "%s", fixed);
        }
    }
}

static int find_keys(spot_point_match_t *self, const spot_match_side_t *sides)
{
    spot_diag_t diag;
    int ret = 0;

    spot_diag_init(&diag);
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        if (sides[side].canonical != NULL) {
            ret =
                spot_canonical_parse(&self->lists[side], "canonical", sides[side].canonical, &diag);
        }
    }
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        list_keys(self, sides, side);
    }
    spot_diag_free(&diag);
    return ret;
}

/* ---- Points ---- */

/* Gives each point of a study a name that is the same where all values are. */
static void name_points(const spot_point_match_t *self, const spot_study_head_t *head, int side,
    spot_texts_t *texts, spot_key_t *names)
{
    for (size_t j = 0; j < head->num_points; j++) {
        FILE *out = spot_texts_begin(texts);
        const char *name;

        for (size_t k = 0; out != NULL && k < self->num_keys; k++) {
            const spot_match_key_t *key = &self->keys[k];
            const size_t axis_id = key->axis_ids[side];
            const char *value = spot_match_value(
                texts, axis_id == SPOT_NO_AXIS
                           ? key->fixed
                           : head->axes[axis_id].texts[spot_study_value_id(head, j, axis_id)]);

            fprintf(out, "%zu:%s", strlen(value), value);
        }
        name = spot_texts_end(texts, out);
        names[j] = (spot_key_t){name, strlen(name)};
    }
}

/* first_ids: [points of both] the first point that is the same. */
static int group_points(
    const spot_point_match_t *self, const spot_match_side_t *sides, size_t *first_ids)
{
    const size_t num_before = sides[SPOT_BEFORE].head->num_points;
    const size_t num_points = num_before + sides[SPOT_AFTER].head->num_points;
    spot_texts_t texts = {0};
    spot_key_t *names = spot_arena_take(&texts.arena, num_points, sizeof(*names));
    int ret = texts.arena.error;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        name_points(
            self, sides[side].head, side, &texts, &names[side == SPOT_BEFORE ? 0 : num_before]);
        ret = texts.error;
    }
    if (ret == 0) {
        ret = spot_group_equal(names, num_points, first_ids);
    }
    spot_texts_free(&texts);
    return ret;
}

/* following: zeroed, [2][points of both]: by the first point of a group, 1 + the first
 * point of the second study in it that has no partner yet; behind these, by point of the
 * second study, 1 + the next one in its group. first_ids of those with a partner become
 * SIZE_MAX. */
static void pair_points(spot_point_match_t *self, size_t num_before, size_t num_after,
    size_t *first_ids, size_t *following)
{
    size_t *next = following + num_before + num_after;

    for (size_t j = self->lacks_value ? 0 : num_after; j-- > 0;) {
        next[j] = following[first_ids[num_before + j]];
        following[first_ids[num_before + j]] = j + 1;
    }
    for (size_t j = 0; j < num_before; j++) {
        const size_t partner = following[first_ids[j]];

        if (partner == 0) {
            self->alone_ids[SPOT_BEFORE][self->num_alone[SPOT_BEFORE]++] = j;
            continue;
        }
        self->point_ids[SPOT_BEFORE][self->num_pairs] = j;
        self->point_ids[SPOT_AFTER][self->num_pairs++] = partner - 1;
        following[first_ids[j]] = next[partner - 1];
        first_ids[num_before + partner - 1] = SIZE_MAX;
    }
    for (size_t j = 0; j < num_after; j++) {
        if (first_ids[num_before + j] != SIZE_MAX) {
            self->alone_ids[SPOT_AFTER][self->num_alone[SPOT_AFTER]++] = j;
        }
    }
}

int spot_point_match_init(spot_point_match_t *self, const spot_match_side_t sides[SPOT_NUM_SIDES])
{
    const size_t num_before = sides[SPOT_BEFORE].head->num_points;
    const size_t num_after = sides[SPOT_AFTER].head->num_points;
    spot_arena_t *arena = &self->texts.arena;
    size_t *room;
    int ret;

    memset(self, 0, sizeof(*self));
    SPOT_ARENA_ARRAY(arena, room, 3 * (num_before + num_after));
    SPOT_ARENA_ARRAY(arena, self->keys, sides[0].head->num_axes + sides[1].head->num_axes);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        SPOT_ARENA_ARRAY(arena, self->point_ids[side], sides[side].head->num_points);
        SPOT_ARENA_ARRAY(arena, self->alone_ids[side], sides[side].head->num_points);
    }
    ret = arena->error;
    if (ret == 0) {
        ret = find_keys(self, sides);
    }
    if (ret == 0 && !self->lacks_value) {
        ret = group_points(self, sides, room);
    }
    if (ret == 0) {
        pair_points(self, num_before, num_after, room, room + num_before + num_after);
    }
    return spot_error_first(ret, self->texts.error);
}

void spot_point_match_free(spot_point_match_t *self)
{
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_canonical_free(&self->lists[side]);
    }
    spot_texts_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

/* ---- What differs ---- */

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
static spot_shown_unit_t side_by_side_shown(const spot_side_by_side_t *self, size_t metric_id)
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

/* ---- In words and tables ---- */

#define MAX_NAMED 3         /* things in which they differ, in the answer */
#define DIFFERENCE_CHARS 80 /* of each of them */
#define MAX_LISTED 20       /* points of one store only that a terminal lists */

const char *spot_side_by_side_title(
    const spot_side_by_side_t *self, size_t metric_id, bool is_difference, spot_texts_t *texts)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, metric_id);
    const spot_shown_unit_t shown = side_by_side_shown(self, metric_id);

    if (shown.factor == 100) {
        return spot_texts_add(texts, "%s%s", spot_words_subject(texts, metric),
            is_difference ? ": B − A (percentage points)" : " (%)");
    }
    return spot_texts_add(texts, "%s%s", spot_words_metric(texts, metric, shown.unit),
        is_difference ? ": B − A" : "");
}

/* ---- What the differences rest on ---- */

const char *spot_side_by_side_basis(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    int64_t fewest = INT64_MAX, most = 0; /* pairs, of what has any */
    size_t num_defined = 0, num_unpaired = 0;

    for (size_t j = 0; j < self->match.num_pairs * self->num_metrics; j++) {
        const int64_t num_pairs = self->changes[j].num_pairs;

        if (isfinite(self->changes[j].difference)) {
            num_defined++;
            num_unpaired += num_pairs == 0;
            fewest = num_pairs > 0 && num_pairs < fewest ? num_pairs : fewest;
            most = num_pairs > most ? num_pairs : most;
        }
    }
    if (num_defined == 0) {
        return "no metric has a value in both at any point";
    }
    if (most == 0) {
        return self->sides[0].report->head->seed == self->sides[1].report->head->seed
                   ? "differences of independent samples: no two replications are the "
                     "same"
                   : "differences of independent samples: the seeds differ";
    }
    return spot_texts_add(texts, "differences within %s%s of replications%s",
        fewest < most ? spot_texts_add(texts, "%" PRId64 " to ", fewest) : "",
        spot_words_count(texts, most, "pair"),
        num_unpaired > 0 ? ", some of independent samples" : "");
}

/* ---- What comes of it ---- */

/* Differences of the main metric that are sure, up or down: "higher at 5 by 0.3 to 5.5
 * percentage points". */
static const char *move_words(const spot_side_by_side_t *self, bool is_up, spot_texts_t *texts)
{
    size_t num_points = 0;
    double least = HUGE_VAL, most = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change = side_by_side_change(self, j);
        const double size = fabs(change->difference);

        if (change->is_marked && is_up == (change->difference > 0)) {
            num_points++;
            least = fmin(least, size);
            most = fmax(most, size);
        }
    }
    return num_points == 0
               ? ""
               : spot_texts_add(texts, "%s at %zu by %s", is_up ? "higher" : "lower", num_points,
                     spot_words_change(
                         texts, spot_side_by_side_metric(self, self->main_id), least, most));
}

static const char *capitalised(spot_texts_t *texts, const char *text)
{
    return spot_texts_add(texts, "%c%s", toupper((unsigned char) text[0]), text + 1);
}

const char *spot_side_by_side_outcome(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    const char *problem = spot_side_by_side_problem(self), *noun, *moves;
    const size_t num_pairs = self->match.num_pairs;
    size_t num_both = 0, num_any = 0; /* points with a value in both, or in one of them */

    if (problem != NULL) {
        return spot_texts_add(
            texts, "%s: there is nothing to compare.", capitalised(texts, problem));
    }
    noun = spot_words_subject(texts, spot_side_by_side_metric(self, self->main_id));
    for (size_t j = 0; j < num_pairs; j++) {
        const spot_metric_change_t *change = side_by_side_change(self, j);

        num_both += isfinite(change->difference) ? 1 : 0;
        num_any +=
            isfinite(change->means[SPOT_BEFORE]) || isfinite(change->means[SPOT_AFTER]) ? 1 : 0;
    }
    if (num_any == 0) {
        return spot_texts_add(
            texts, "%s has no value at any point that both have.", capitalised(texts, noun));
    }
    if (num_both == 0) {
        return spot_texts_add(
            texts, "At no point that both have is there a value of %s in both.", noun);
    }
    moves = spot_texts_join(
        texts, move_words(self, true, texts), " and ", move_words(self, false, texts));
    return spot_texts_add(texts, "Of the %s %s, %s %s%s.",
        spot_words_count(texts, (int64_t) num_both, "point"),
        num_both == num_pairs
            ? "that both have"
            : spot_texts_add(texts, "of %zu at which both have a value", num_pairs),
        noun, moves[0] == '\0' ? "differs surely at none" : "in B is surely ", moves);
}

const char *spot_side_by_side_answer(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    const char *words = "B differs from A", *end = ".";

    for (size_t j = 0; j < self->num_sentences && j < MAX_NAMED; j++) {
        char *text = spot_texts_room(texts, strlen(self->sentences[j]) + 5);

        if (text != NULL) {
            strcpy(text, self->sentences[j]);
            spot_utf8_cut(text, DIFFERENCE_CHARS);
            /* dots of a cut end the sentence, too */
            end = strcmp(text, self->sentences[j]) == 0 ? "." : "";
            words = spot_texts_add(texts, "%s%s %s", words, j == 0 ? ":" : ";", text);
        }
    }
    if (self->num_sentences == 0) {
        words = "B has the same scenario and the same points as A";
    } else if (self->num_sentences > MAX_NAMED) {
        end = spot_texts_add(texts, "; and in %zu more.", self->num_sentences - MAX_NAMED);
    }
    return spot_texts_add(texts, "%s%s %s", words, end, spot_side_by_side_outcome(self, texts));
}

/* ---- Tables ---- */

static void add_columns(
    const spot_side_by_side_t *self, const spot_shown_unit_t *shown, spot_table_t *table)
{
    const bool is_percent = shown->factor == 100;
    const spot_table_column_t columns[] = {
        {.name = "A", .unit = is_percent ? "%" : NULL, .factor = shown->factor},
        {.name = "B", .unit = is_percent ? "%" : NULL, .factor = shown->factor},
        {.name = "B - A",
            .unit = is_percent ? "% points" : NULL,
            .has_sign = true,
            .factor = shown->factor},
        {.name = "change",
            .unit = "%",
            .has_sign = true,
            .is_fixed = true,
            .num_decimals = 1,
            .factor = 100}};

    for (size_t j = 0; j < self->match.num_keys; j++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = self->match.keys[j].path, .is_key = true});
    }
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
}

/* The values of keys are those of the study that sweeps them. */
static void add_row(const spot_side_by_side_t *self, size_t pair_id,
    const spot_metric_change_t *change, spot_table_t *table)
{
    const spot_style_t style = change->is_marked ? SPOT_STYLE_BOLD : SPOT_STYLE_PLAIN;

    spot_table_add_row(table);
    for (size_t j = 0; j < self->match.num_keys; j++) {
        const size_t *axis_ids = self->match.keys[j].axis_ids;
        const int side = axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_AFTER : SPOT_BEFORE;
        const spot_study_head_t *head = self->sides[side].report->head;
        const size_t value_id =
            spot_study_value_id(head, self->match.point_ids[side][pair_id], axis_ids[side]);
        const spot_axis_t *axis = &head->axes[axis_ids[side]];

        spot_table_add_text(table, spot_words_label(&table->texts, axis, value_id));
        spot_table_set_value(table, axis->numbers[value_id]);
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_table_add_estimate(table, change->means[side], change->half_widths[side]);
    }
    spot_table_add_estimate(table, change->difference, change->half_width);
    spot_table_add_marks(table, change->is_marked ? "*" : "");
    spot_table_set_style(table, style);
    spot_table_add_number(table, change->ratio);
    spot_table_set_style(table, style);
}

/* Rows that are not there are counted, and so are those of them that differ. */
static void write_metric(
    const spot_side_by_side_t *self, size_t metric_id, size_t max_rows, spot_document_t *document)
{
    const spot_shown_unit_t shown = side_by_side_shown(self, metric_id);
    const size_t num_pairs = self->match.num_pairs;
    spot_table_t table = {.name = "metric"};
    size_t num_marked = 0, num_left = 0;

    add_columns(self, &shown, &table);
    for (size_t j = 0; j < num_pairs; j++) {
        const spot_metric_change_t *change = &self->changes[j * self->num_metrics + metric_id];

        num_marked += change->is_marked;
        num_left += change->is_marked && j >= max_rows;
        if (j < max_rows) {
            add_row(self, j, change, &table);
        }
    }
    table.caption = spot_texts_add(&table.texts, "%s: %zu of %zu points differ",
        spot_side_by_side_title(self, metric_id, false, &table.texts), num_marked, num_pairs);
    if (max_rows < num_pairs) {
        spot_table_add_note(&table, "",
            spot_texts_add(&table.texts,
                "The first %zu of %zu points; %zu of the others differ. The terminal "
                "has them all.",
                max_rows, num_pairs, num_left));
    }
    spot_document_gap(document);
    spot_document_table(
        document, spot_texts_add(&document->texts, "metric-%zu", metric_id), &table);
}

/* ---- The report ---- */

static void write_alone(
    const spot_side_by_side_t *self, int side, size_t max_listed, spot_document_t *document)
{
    const size_t num_alone = self->match.num_alone[side];
    spot_texts_t *texts = &document->texts;

    if (num_alone == 0) {
        return;
    }
    spot_document_fold(document, spot_texts_add(texts, "Only in %c, not compared: %s", "AB"[side],
                                     spot_words_count(texts, (int64_t) num_alone, "point")));
    for (size_t j = 0; j < num_alone && j < max_listed; j++) {
        const char *words = spot_words_point(
            texts, self->sides[side].report->head, self->match.alone_ids[side][j], SIZE_MAX);

        spot_document_item(document, "%s", words[0] == '\0' ? "the only point" : words);
    }
    if (num_alone > max_listed) {
        spot_document_note(document, "And %zu more.", num_alone - max_listed);
    }
    spot_document_end_fold(document);
}

void spot_side_by_side_write_sides(const spot_side_by_side_t *self, spot_document_t *document)
{
    static const char *const titles[] = {"A, before", "B, after"};

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const spot_side_t *read = &self->sides[side];

        spot_document_note(document, "%s: %s (%s · %zu points)", titles[side], read->path,
            spot_words_run(&document->texts, read->report), read->report->head->num_points);
    }
}

void spot_side_by_side_write(
    const spot_side_by_side_t *self, size_t max_rows, spot_document_t *document)
{
    const size_t max_listed = spot_document_is_page(document) ? max_rows : MAX_LISTED;

    spot_document_section(document, "differs", "In what they differ");
    if (self->num_sentences == 0) {
        spot_document_paragraph(document, "B has the same scenario and the same points as A.");
    }
    for (size_t j = 0; j < self->num_sentences; j++) {
        spot_document_item(document, "%s", self->sentences[j]);
    }
    if (spot_side_by_side_problem(self) == NULL) {
        spot_document_section(document, "tables", "Every point that both have");
        spot_document_note(document,
            "±: half width of the 95 %% confidence interval; %s. *: 0 is outside of the "
            "interval; where nothing differs, chance does that in 1 of 20.",
            spot_side_by_side_basis(self, &document->texts));
        write_metric(self, self->main_id, max_rows, document);
        for (size_t j = 0; j < self->num_metrics; j++) {
            if (j != self->main_id) {
                write_metric(self, j, max_rows, document);
            }
        }
    }
    write_alone(self, SPOT_BEFORE, max_listed, document);
    write_alone(self, SPOT_AFTER, max_listed, document);
}

int spot_side_by_side_print(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const spot_side_by_side_t *self = context;
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), out);
    spot_document_paragraph(
        &document, "%s", spot_study_title(self->sides[SPOT_BEFORE].report->head));
    fputs(spot_style_off(terminal, SPOT_STYLE_BOLD), out);
    spot_side_by_side_write_sides(self, &document);
    spot_document_gap(&document);
    spot_document_paragraph(&document, "%s", spot_side_by_side_outcome(self, &document.texts));
    spot_side_by_side_write(self, SIZE_MAX, &document);
    return spot_document_end(&document);
}

/* ---- Pictures ---- */

#define MIN_CURVE_X 3 /* points along x that are worth a curve */
#define ROW_CHARS 46
#define NAME_CHARS 36 /* of a file */

/* What is drawn of a pair of points. */
enum { DIFFERENCE = SPOT_NUM_SIDES };

typedef struct {
    const spot_side_by_side_t *two;
    const spot_study_head_t *head; /* of A, which gives points their names and places */
    const spot_metric_t *metric;
    spot_shown_unit_t shown; /* factor 100 for percent */
    int first, last;         /* what is drawn, of SPOT_BEFORE, SPOT_AFTER, DIFFERENCE */
    bool has_curves;         /* else one panel of rows */
    size_t axis_id;          /* along which curves go */
    size_t num_panels;
    size_t num_wanted;                               /* curves or rows */
    size_t starts[SPOT_MAX_SIDE_BY_SIDE_PANELS + 1]; /* of panels, into pair_ids */
    size_t *pair_ids;                                /* by panel, in the order drawn */
    spot_texts_t texts;
    spot_chart_t *chart;
} picture_t;

static size_t point_of(const picture_t *self, size_t pair_id)
{
    return self->two->match.point_ids[SPOT_BEFORE][pair_id];
}

/* ---- What is drawn ---- */

/* A panel for each curve of A with points in both; has_curves stays false where none is
 * worth a curve. pair_of: [num_points] that of each point of A, SIZE_MAX: none. */
static void choose_panels(picture_t *self, const spot_curves_t *curves, const size_t *pair_of)
{
    size_t num_drawn = 0;

    self->axis_id = curves->axis_id;
    for (size_t j = 0; j < curves->num_panels; j++) {
        size_t num_pairs = 0;

        for (size_t k = 0; k < spot_curves_num_x(curves, j); k++) {
            const size_t pair_id = pair_of[spot_curves_point(curves, j, k)];

            if (pair_id != SIZE_MAX) {
                self->pair_ids[num_drawn + num_pairs++] = pair_id;
            }
        }
        self->num_wanted += num_pairs > 0;
        if (num_pairs > 0 && self->num_panels < SPOT_MAX_SIDE_BY_SIDE_PANELS) {
            self->has_curves = self->has_curves || num_pairs >= MIN_CURVE_X;
            num_drawn += num_pairs;
            self->starts[++self->num_panels] = num_drawn;
        }
    }
}

static void choose_rows(picture_t *self)
{
    self->num_panels = 1;
    self->num_wanted = 0;
    self->starts[1] = 0;
    for (size_t j = 0; j < self->two->match.num_pairs; j++) {
        if (isfinite(side_by_side_change(self->two, j)->difference)) {
            self->num_wanted++;
            if (self->starts[1] < SPOT_MAX_SIDE_BY_SIDE_ROWS) {
                self->pair_ids[self->starts[1]++] = j;
            }
        }
    }
}

static int choose(picture_t *self)
{
    const spot_point_match_t *match = &self->two->match;
    const char *problem = NULL;
    spot_curves_t curves;
    size_t *pair_of;
    int ret = spot_curves_init(&curves, self->two->sides[SPOT_BEFORE].report, &problem);

    SPOT_ARENA_ARRAY(&self->texts.arena, pair_of, self->head->num_points);
    SPOT_ARENA_ARRAY(&self->texts.arena, self->pair_ids, match->num_pairs);
    if (self->texts.arena.error != 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && !curves.has_all_in_one) {
        memset(pair_of, 0xff, self->head->num_points * sizeof(*pair_of));
        for (size_t j = 0; j < match->num_pairs; j++) {
            pair_of[point_of(self, j)] = j;
        }
        choose_panels(self, &curves, pair_of);
    }
    spot_curves_free(&curves);
    if (ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    if (!self->has_curves) {
        choose_rows(self);
    }
    return 0;
}

/* ---- Head ---- */

/* The end of a path, by which the two files differ. */
static const char *file_words(picture_t *self, int side)
{
    const char *start = self->two->sides[side].path;

    for (size_t num_chars = spot_utf8_count(start, strlen(start)); num_chars > NAME_CHARS;
         num_chars--) {
        do {
            start++;
        } while (((unsigned char) *start & 0xc0) == 0x80);
    }
    return spot_words_shown(&self->texts, start);
}

static void declare_legend(picture_t *self)
{
    static const char *const sides[] = {"A, before", "B, after"};

    for (int j = 0; j < 2; j++) {
        const bool is_quiet = self->last == DIFFERENCE ? j == 1 : j == SPOT_BEFORE;
        const char *text = self->last != DIFFERENCE
                               ? spot_texts_add(&self->texts, "%s: %s (%s%s)", sides[j],
                                     file_words(self, j), is_quiet ? "grey" : "blue",
                                     !self->has_curves ? ""
                                     : is_quiet        ? ", dashed"
                                                       : ", solid")
                           : is_quiet ? "grey and hollow: the interval includes 0"
                                      : "B − A differs surely: 0 is outside of the interval";

        spot_chart_legend(self->chart, &(spot_chart_entry_t){.text = text,
                                           .colour = is_quiet ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
                                           .marker = SPOT_CHART_CIRCLE,
                                           .is_hollow = is_quiet});
    }
}

static void declare_head(picture_t *self)
{
    const size_t num_shown = self->has_curves ? self->num_panels : self->starts[1];

    spot_chart_title(self->chart, "%s", spot_study_title(self->head));
    spot_chart_note(self->chart, "%s in both · %s: 95 %% confidence interval",
        spot_words_count(&self->texts, (int64_t) self->two->match.num_pairs, "point"),
        self->has_curves ? "band" : "bar");
    if (num_shown < self->num_wanted) {
        spot_chart_note(self->chart, "the first %zu of %zu %s", num_shown, self->num_wanted,
            self->has_curves ? "curves" : "points that can be compared");
    }
    declare_legend(self);
}

/* ---- Panels ---- */

/* A pair at a place along x; in rows, at the place of a row with its value along x. */
static void add_pair(const picture_t *self, size_t pair_id, int what, double place)
{
    const spot_metric_change_t *change = side_by_side_change(self->two, pair_id);
    const double mean = what == DIFFERENCE ? change->difference : change->means[what];
    const bool is_probability = spot_metric_estimator(self->metric) == SPOT_ESTIMATOR_PROBABILITY;
    const double least = !is_probability ? -HUGE_VAL : what == DIFFERENCE ? -1 : 0;
    const double most = is_probability ? 1 : HUGE_VAL, factor = self->shown.factor;
    const bool is_quiet = what == DIFFERENCE && !change->is_marked;
    double width = what == DIFFERENCE ? change->half_width : change->half_widths[what];
    double low, high;

    width = isfinite(width) ? width : 0;
    low = factor * fmax(mean - width, least);
    high = factor * fmin(mean + width, most);
    spot_chart_add(self->chart, &(spot_chart_datum_t){.x = self->has_curves ? place : factor * mean,
                                    .x_low = self->has_curves ? 0 : low,
                                    .x_high = self->has_curves ? 0 : high,
                                    .y = self->has_curves ? factor * mean : place,
                                    .y_low = self->has_curves ? low : 0,
                                    .y_high = self->has_curves ? high : 0,
                                    .colour = is_quiet ? SPOT_INK_QUIET : NULL,
                                    .is_hollow = is_quiet || what == SPOT_BEFORE});
}

/* A stands above B in a row. */
static void declare_series(const picture_t *self, size_t panel_id, int what)
{
    static const double from_middle[] = {
        [SPOT_BEFORE] = -0.18, [SPOT_AFTER] = 0.18, [DIFFERENCE] = 0};
    const bool is_before = what == SPOT_BEFORE;

    spot_chart_series(self->chart,
        &(spot_chart_series_t){.kind = self->has_curves ? SPOT_CHART_LINE : SPOT_CHART_POINTS,
            .colour = is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
            .marker = SPOT_CHART_CIRCLE,
            .is_hollow = is_before && self->has_curves,
            .dash = is_before && self->has_curves ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = !self->has_curves ? 0
                        : is_before       ? 1.6
                                          : 2.2});
    for (size_t j = self->starts[panel_id]; j < self->starts[panel_id + 1]; j++) {
        const size_t pair_id = self->pair_ids[j];

        add_pair(self, pair_id, what,
            self->has_curves ? self->head->axes[self->axis_id].numbers[spot_study_value_id(
                                   self->head, point_of(self, pair_id), self->axis_id)]
                             : (double) j + from_middle[what]);
    }
}

/* All panels of curves have the same axes; means from 0 unless that hides the curves.
 * The curve before lies upon the one after: where both are the same, its dashes let the
 * other show through. */
static void declare_panel(picture_t *self, size_t panel_id)
{
    const size_t *pair_ids = &self->pair_ids[self->starts[panel_id]];
    const bool is_difference = self->last == DIFFERENCE;
    const spot_chart_axis_t value_axis = {
        .name = spot_side_by_side_title(self->two, self->two->main_id, is_difference, &self->texts),
        .group = self->has_curves ? 2 : 0,
        .has_zero = is_difference};
    spot_chart_panel_t panel = {.x = value_axis, .y = {.kind = SPOT_CHART_ROWS}};

    if (self->has_curves) {
        panel = (spot_chart_panel_t){
            .x = {.name = spot_words_x(&self->texts, self->head, self->axis_id), .group = 1},
            .y = value_axis};
        panel.title = self->head->num_axes < 2
                          ? NULL
                          : spot_words_panel(&self->texts, self->head, point_of(self, pair_ids[0]),
                                self->axis_id, SIZE_MAX);
    }
    spot_chart_panel(self->chart, &panel);
    for (size_t j = 0; !self->has_curves && j < self->starts[1]; j++) {
        const char *words =
            spot_words_point(&self->texts, self->head, point_of(self, pair_ids[j]), ROW_CHARS);

        (void) spot_chart_row(
            self->chart, &(spot_chart_row_t){.name = words[0] == '\0' ? "the only point" : words});
    }
    if (is_difference) {
        spot_chart_rule(self->chart,
            &(spot_chart_rule_t){
                .direction = self->has_curves ? SPOT_CHART_HORIZONTAL : SPOT_CHART_VERTICAL});
    }
    for (int what = self->last; what >= self->first; what--) {
        declare_series(self, panel_id, what);
    }
}

/* ---- The pictures ---- */

static int declare(spot_chart_t *chart, const spot_side_by_side_t *two, int first, int last)
{
    picture_t self = {.two = two,
        .head = two->sides[SPOT_BEFORE].report->head,
        .metric = spot_side_by_side_metric(two, two->main_id),
        .shown = side_by_side_shown(two, two->main_id),
        .first = first,
        .last = last,
        .chart = chart};
    int ret = choose(&self);

    if (ret == 0) {
        declare_head(&self);
        for (size_t j = 0; j < self.num_panels; j++) {
            declare_panel(&self, j);
        }
        ret = spot_error_first(spot_chart_error(chart), self.texts.error);
    }
    spot_texts_free(&self.texts);
    return ret;
}

int spot_side_by_side_declare_means(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, SPOT_BEFORE, SPOT_AFTER);
}

int spot_side_by_side_declare_changes(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, DIFFERENCE, DIFFERENCE);
}

const char *spot_side_by_side_plot_problem(const spot_side_by_side_t *two)
{
    if (two->num_metrics == 0) {
        return "no metric is in both";
    }
    for (size_t j = 0; j < two->match.num_pairs; j++) {
        if (isfinite(side_by_side_change(two, j)->difference)) {
            return NULL;
        }
    }
    return "the main metric has no value at a point that both have";
}
