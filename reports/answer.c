/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/answer.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/verb/terminal.h"
#include "reports/doubts.h"
#include "reports/race_report.h"
#include "reports/study_parts.h"
#include "reports/words.h"
#include "sim/bench/analysis/effects.h"
#include "sim/bench/analysis/findings.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store.h"

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_findings_t findings; /* of the metric that the answer is about */
    const spot_metric_t *metric;
    const char *noun; /* of the metric: "idle time" */
    FILE *out;        /* sentences without capital and full stop, a line each */
    spot_texts_t *texts;
} answer_t;

/* ---- Words of points ---- */

#define SHORT_VALUE 8 /* bytes of a number that are not rounded */

/* "highest" or "lowest". */
static const char *answer_best(bool is_maximised)
{
    return is_maximised ? "highest" : "lowest";
}

/* The value of a point with its interval. */
static const char *answer_value(const answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_findings_at(&self->findings, point_id);

    const double factor = spot_metric_factor(self->metric);
    const char *text = spot_words_one_sided(
        self->texts, summary->value, summary->ci_low, summary->ci_high, factor);

    return text != NULL ? spot_texts_add(self->texts, "%s%s", text, factor == 100 ? " %" : "")
                        : spot_words_interval(
                              self->texts, self->metric, summary->value, summary->half_width);
}

/* Four digits of a number that has more; NULL: it has not. */
static const char *shorten(const answer_t *self, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const char *text;

    if (!isfinite(number) || strlen(axis->texts[value_id]) <= SHORT_VALUE) {
        return NULL;
    }
    text = spot_texts_add(self->texts, fabs(number) < 1e4 ? "%.4g%s%s" : "%.0f%s%s", number,
        axis->unit[0] == '\0' ? "" : " ", axis->unit);
    return strlen(text) < strlen(axis->texts[value_id]) ? text : NULL;
}

/* The label of a value; of a number with many digits the first four, where these tell it
 * from the others. O(values) of the axis. */
static const char *value_label(const answer_t *self, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const char *text = shorten(self, axis, value_id);

    for (size_t j = 0; text != NULL && j < axis->num_values; j++) {
        if (j != value_id && fabs(axis->numbers[j] - number) <= 0.01 * fabs(number)) {
            const char *other = shorten(self, axis, j);

            if (strcmp(text, other != NULL ? other : axis->texts[j]) == 0) {
                text = NULL;
            }
        }
    }
    return text != NULL ? text : spot_words_label(self->texts, axis, value_id);
}

/* "pipeline depth 16", or the value alone where it is no number: "bamboo". */
static const char *answer_setting(const answer_t *self, size_t axis_id, size_t value_id)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    const char *value = value_label(self, axis, value_id);

    return isnan(axis->numbers[value_id])
               ? value
               : spot_texts_add(self->texts, "%s %s", spot_words_key(self->texts, axis), value);
}

/* "checkpoint interval 90 s, pipeline depth 8": all keys with several values. */
static const char *answer_point(const answer_t *self, size_t point_id)
{
    const spot_study_head_t *head = self->head;
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        if (head->axes[j].num_values > 1) {
            text = spot_texts_add(self->texts, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                answer_setting(self, j, spot_study_value_id(head, point_id, j)));
        }
    }
    return text;
}

/* ---- Where the metric is undefined ---- */

#define MAX_NAMED 3     /* values of a key that are named */
#define MANY_NULLS 0.10 /* of the replications at a point: worth telling */

/* Points that are undefined in all replications. */
typedef struct {
    const answer_t *answer;
    bool *is_left; /* [num_points] and not yet named */
    size_t num_left, num_told;
} gone_t;

static bool is_gone(const answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_findings_at(&self->findings, point_id);

    return summary->num_values == 0 && summary->num_nulls > 0;
}

/* That the metric has no value anywhere. */
static void answer_nowhere(const answer_t *self)
{
    fprintf(self->out, "%s is undefined in all replications\n", self->noun);
}

/* Goes before each place. */
static void begin_place(gone_t *self)
{
    const answer_t *answer = self->answer;

    if (self->num_told++ > 0) {
        fputs(" and", answer->out);
    } else {
        fprintf(answer->out, "%s is undefined in all replications", answer->noun);
    }
}

/* Whether a value of a key has points left and no point with a value of the metric. */
static bool is_all_gone(const gone_t *self, size_t axis_id, size_t value_id)
{
    const answer_t *answer = self->answer;
    bool has_left = false;

    for (size_t j = 0; j < answer->head->num_points; j++) {
        if (spot_study_value_id(answer->head, j, axis_id) == value_id) {
            if (!is_gone(answer, j)) {
                return false;
            }
            has_left = has_left || self->is_left[j];
        }
    }
    return has_left;
}

/* " with pipeline depth 64, 128 and 2 more". O(values * points). */
static void tell_values(gone_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->answer->head;
    const spot_axis_t *axis = &head->axes[axis_id];
    FILE *out = self->answer->out;
    size_t num = 0;

    for (size_t j = 0; axis->num_values > 1 && self->num_left > 0 && j < axis->num_values; j++) {
        if (!is_all_gone(self, axis_id, j)) {
            continue;
        }
        if (num++ == 0) {
            begin_place(self);
            fprintf(out, " with %s", answer_setting(self->answer, axis_id, j));
        } else if (num <= MAX_NAMED) {
            fprintf(out, ", %s", value_label(self->answer, axis, j));
        }
        for (size_t k = 0; k < head->num_points; k++) {
            if (self->is_left[k] && spot_study_value_id(head, k, axis_id) == j) {
                self->is_left[k] = false;
                self->num_left--;
            }
        }
    }
    if (num > MAX_NAMED) {
        fprintf(out, " and %zu more", num - MAX_NAMED);
    }
}

/* Those that no value of a key names. */
static void tell_left(gone_t *self)
{
    const spot_study_head_t *head = self->answer->head;

    if (self->num_left > 1) {
        begin_place(self);
        fprintf(self->answer->out, " at %zu of %zu points", self->num_left, head->num_points);
    }
    for (size_t j = 0; j < head->num_points && self->num_left == 1; j++) {
        if (self->is_left[j]) {
            begin_place(self);
            fprintf(self->answer->out, " with %s", answer_point(self->answer, j));
        }
    }
    fputs(self->num_told > 0 ? "\n" : "", self->answer->out);
}

/* Where means are of few of the replications. */
static void tell_partly(const answer_t *self)
{
    const spot_summary_t *last = NULL;
    size_t num = 0, last_id = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *summary = spot_findings_at(&self->findings, j);
        const double num_rows = (double) (summary->num_values + summary->num_nulls);

        if (summary->num_values > 0 && (double) summary->num_nulls >= MANY_NULLS * num_rows) {
            last = summary;
            last_id = j;
            num++;
        }
    }
    if (num > 1) {
        fprintf(self->out, "%s is undefined in part of the replications at %zu of %zu points\n",
            self->noun, num, self->head->num_points);
    } else if (last != NULL) {
        const char *point = answer_point(self, last_id);

        fprintf(self->out, "%s is undefined in %" PRId64 " of %" PRId64 " replications%s%s\n",
            self->noun, last->num_nulls, last->num_values + last->num_nulls,
            point[0] == '\0' ? "" : " with ", point);
    }
}

/* Where the metric has no value; nothing where it has none anywhere. NO_MEMORY. */
static int answer_of_undefined(const answer_t *self)
{
    const spot_study_head_t *head = self->head;
    gone_t gone = {.answer = self};
    bool is_anywhere = false;

    gone.is_left = spot_calloc(head->num_points, sizeof(*gone.is_left));
    if (gone.is_left == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        is_anywhere = is_anywhere || isfinite(spot_findings_at(&self->findings, j)->value);
        gone.is_left[j] = is_gone(self, j);
        gone.num_left += gone.is_left[j];
    }
    if (is_anywhere) {
        for (size_t j = 0; j < head->num_axes; j++) {
            tell_values(&gone, j);
        }
        tell_left(&gone);
        tell_partly(self);
    }
    free(gone.is_left);
    return 0;
}

/* ---- Studies that look for something ---- */

#define MAX_CANDIDATES 3 /* that may be the best and are named */
#define MAX_SEGMENTS 4
#define SMALL_SHARE 0.05 /* of a key that hardly matters */

/* ---- The best point ---- */

/* Points that are left out for what was not measured, with the words of the first. */
static void write_left_out(const answer_t *self, const spot_race_answer_t *answer)
{
    const size_t num = answer->num_points[SPOT_FATE_UNMEASURED];

    for (size_t j = 0; num > 0 && j < self->head->num_points; j++) {
        if (answer->race.runners[j].fate == SPOT_FATE_UNMEASURED) {
            fprintf(self->out, "%zu point%s %s, which %s\n", num,
                num == 1 ? " is left out:" : "s are left out, such as", answer_point(self, j),
                spot_study_beyond(self->head, j).words);
            return;
        }
    }
}

static const char *estimate_of(const answer_t *self, const spot_race_t *race, size_t point_id)
{
    const spot_estimate_t *estimate = &race->runners[point_id].estimate;

    return spot_words_interval(self->texts, self->metric, spot_estimate_value(estimate),
        spot_study_is_fixed(self->head, point_id)
            ? 0
            : spot_estimate_half_width(estimate, SPOT_CONFIDENCE));
}

/* "A (1.2 ±0.1 USD), B (1.3 ±0.1 USD) and 4 more": in the order of the plan. */
static void write_candidates(const answer_t *self, const spot_race_t *race)
{
    const size_t num = race->num_racing, num_named = num <= MAX_CANDIDATES ? num : MAX_CANDIDATES;
    size_t num_told = 0;

    for (size_t j = 0; j < self->head->num_points && num_told < num_named; j++) {
        if (race->runners[j].fate == SPOT_FATE_RACING) {
            num_told++;
            fprintf(self->out, "%s%s (%s)",
                num_told == 1                         ? ": "
                : num_told == num && num_named == num ? " and "
                                                      : ", ",
                answer_point(self, j), estimate_of(self, race, j));
        }
    }
    if (num > num_named) {
        fprintf(self->out, " and %zu more", num - num_named);
    }
}

static void write_best(const answer_t *self, const spot_race_answer_t *answer)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *asked = &self->head->optimise;
    const spot_estimate_t *estimate = &race->runners[race->best_id].estimate;
    const char *best = answer_best(asked->is_maximised);
    const double mean = spot_estimate_value(estimate);
    const char *beyond = spot_race_beyond_text(race, self->texts);

    fprintf(self->out, "%s%s", beyond, beyond[0] == '\0' ? "" : "\n");
    if (spot_race_has_winner(race)) {
        fprintf(self->out, "%sthe %s %s is %s with %s\n", race->is_over ? "" : "so far ", best,
            self->noun, estimate_of(self, race, race->best_id), answer_point(self, race->best_id));
    } else {
        fprintf(self->out, "%s%zu of %zu points may have the %s %s", race->is_over ? "" : "so far ",
            race->num_racing, self->head->num_points, best, self->noun);
        write_candidates(self, race);
        fputc('\n', self->out);
    }
    fprintf(self->out, "with %g %% confidence no %s point is better", 100 * asked->confidence,
        asked->num_constraints > 0 ? "allowed" : "other");
    if (race->num_racing > 1 && isfinite(answer->regret)) {
        fprintf(self->out, " than %s", spot_race_leader(race, best, self->texts));
        fprintf(self->out, " by more than %s",
            spot_words_value(self->texts, self->metric, answer->regret, answer->regret));
        if (mean != 0) {
            fprintf(self->out, " (%.2g %%)", 100 * answer->regret / fabs(mean));
        }
    }
    fputc('\n', self->out);
    write_left_out(self, answer);
}

/* Each writes its sentences. Errors of reading, NO_MEMORY. */
static int answer_of_race(const answer_t *self)
{
    spot_race_answer_t answer;
    int ret = spot_race_answer_init(&answer, self->report->store);
    const spot_race_t *race = &answer.race;

    if (ret == 0 && race->has_best) {
        write_best(self, &answer);
    } else if (ret == 0 && !race->is_over) {
        fprintf(self->out, "the best point is not known yet: %zu of %zu may be it\n",
            race->num_racing, self->head->num_points);
    } else if (ret == 0 && race->num_racing > 0) {
        fputs("the best point is not known: those left are too near the limits\n", self->out);
    } else if (ret == 0 && answer.num_points[SPOT_FATE_UNDEFINED] > 0) {
        fprintf(self->out, "no point is best: %s or a limit is undefined too often\n", self->noun);
    } else if (ret == 0) {
        fputs("no point keeps the limits\n", self->out);
    }
    spot_race_answer_free(&answer);
    return ret;
}

/* ---- Who wins where ---- */

typedef struct {
    const answer_t *answer;
    const spot_winners_t *winners;
    size_t *order; /* [num_groups] groups with a winner, along x */
    size_t num_ordered;
} ranking_t;

static const spot_winner_t *winner_at(const ranking_t *self, size_t place)
{
    return &self->winners->winners[self->order[place]];
}

static size_t winning_value(const ranking_t *self, size_t place)
{
    const spot_study_head_t *head = self->winners->head;

    return spot_study_value_id(head, winner_at(self, place)->best_id, head->best.axis_id);
}

static size_t x_value(const ranking_t *self, size_t place)
{
    return spot_study_value_id(
        self->winners->head, winner_at(self, place)->first_id, self->winners->x_id);
}

/* Insertion: there are few. */
static int ranking_init(ranking_t *self, const answer_t *answer, const spot_winners_t *winners)
{
    const bool has_x = winners->x_id < winners->head->num_axes;
    const double *numbers = has_x ? winners->head->axes[winners->x_id].numbers : NULL;

    *self = (ranking_t){answer, winners, .num_ordered = 0};
    self->order = spot_calloc(winners->groups.num_groups, sizeof(*self->order));
    if (self->order == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        size_t place = self->num_ordered;

        if (winners->winners[j].best_id == SPOT_NO_POINT) {
            continue;
        }
        self->order[self->num_ordered++] = j;
        for (; has_x && place > 0 &&
               numbers[x_value(self, place)] < numbers[x_value(self, place - 1)];
             place--) {
            self->order[place] = self->order[place - 1];
            self->order[place - 1] = j;
        }
    }
    return 0;
}

static const char *x_label(const ranking_t *self, size_t place)
{
    return value_label(
        self->answer, &self->winners->head->axes[self->winners->x_id], x_value(self, place));
}

/* " up to 0.2 (not surely at 0.02)": neighbours with one winner, first to last. */
static void write_segment(const ranking_t *self, size_t first, size_t last)
{
    FILE *out = self->answer->out;
    const bool is_from_start = first == 0, is_to_end = last + 1 == self->num_ordered;
    const char *before = " (not surely at ";
    size_t num_unsure = 0;

    for (size_t j = first; j <= last; j++) {
        num_unsure += !winner_at(self, j)->is_sure;
    }
    if (is_from_start && is_to_end) {
        fputs(" everywhere", out);
    } else if (first == last) {
        fprintf(out, " at %s", x_label(self, first));
    } else if (is_from_start) {
        fprintf(out, " up to %s", x_label(self, last));
    } else {
        fprintf(out, " from %s%s%s", x_label(self, first), is_to_end ? " on" : " to ",
            is_to_end ? "" : x_label(self, last));
    }
    if (num_unsure == last - first + 1) {
        fputs(" (not surely)", out);
    } else if (num_unsure > 2) {
        fprintf(out, " (not surely at %zu of these)", num_unsure);
    } else if (num_unsure > 0) {
        for (size_t j = first; j <= last; j++) {
            if (!winner_at(self, j)->is_sure) {
                fprintf(out, "%s%s", before, x_label(self, j));
                before = " and ";
            }
        }
        fputc(')', out);
    }
}

static void begin_winners(const ranking_t *self)
{
    fprintf(self->answer->out, "the %s %s is that of",
        answer_best(self->winners->head->best.is_maximised), self->answer->noun);
}

/* Along a key with numbers: one segment after the other, and where there is just one
 * crossing, its number. */
static void write_segments(const ranking_t *self)
{
    const spot_winners_t *winners = self->winners;
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *x = &head->axes[winners->x_id];
    FILE *out = self->answer->out;
    size_t first = 0, num_segments = 0;

    begin_winners(self);
    while (first < self->num_ordered && num_segments < MAX_SEGMENTS) {
        size_t last = first;

        while (last + 1 < self->num_ordered &&
               winning_value(self, last + 1) == winning_value(self, first)) {
            last++;
        }
        fprintf(out, "%s%s",
            num_segments == 0               ? " "
            : last + 1 == self->num_ordered ? " and of "
                                            : ", of ",
            value_label(self->answer, &head->axes[head->best.axis_id], winning_value(self, first)));
        write_segment(self, first, last);
        first = last + 1;
        num_segments++;
    }
    fprintf(out, winners->num_crossings == 0 ? "%s along %s\n" : "%s (%s)\n",
        first < self->num_ordered ? " and of others beyond" : "",
        spot_words_x_subject(self->answer->texts, head, winners->x_id));
    if (winners->num_crossings == 1 && isfinite(winners->crossings[0].number)) {
        fprintf(out, "their means cross at about %.3g%s%s\n", winners->crossings[0].number,
            x->unit[0] == '\0' ? "" : " ", x->unit);
    }
}

typedef struct {
    size_t value_id, num_wins, num_sure;
} wins_t;

static int compare_wins(const void *a, const void *b)
{
    const wins_t *x = a, *y = b;

    return x->num_wins != y->num_wins ? (x->num_wins < y->num_wins) - (x->num_wins > y->num_wins)
                                      : (x->value_id > y->value_id) - (x->value_id < y->value_id);
}

/* Without such a key: how often each value wins. */
static int write_counts(const ranking_t *self)
{
    const spot_axis_t *axis = &self->winners->head->axes[self->winners->head->best.axis_id];
    wins_t *wins = spot_calloc(axis->num_values, sizeof(*wins));
    FILE *out = self->answer->out;

    if (wins == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        wins[j].value_id = j;
    }
    for (size_t j = 0; j < self->num_ordered; j++) {
        wins[winning_value(self, j)].num_wins++;
        wins[winning_value(self, j)].num_sure += winner_at(self, j)->is_sure;
    }
    qsort(wins, axis->num_values, sizeof(*wins), compare_wins);
    begin_winners(self);
    for (size_t j = 0; j < axis->num_values && j < MAX_SEGMENTS && wins[j].num_wins > 0; j++) {
        fprintf(
            out, "%s %s", j == 0 ? "" : ", of", value_label(self->answer, axis, wins[j].value_id));
        if (self->num_ordered > 1) {
            fprintf(out, " at %zu of %zu points (%zu surely)", wins[j].num_wins, self->num_ordered,
                wins[j].num_sure);
        } else if (wins[j].num_sure == 0) {
            fputs(" (not surely)", out);
        }
    }
    fputc('\n', out);
    free(wins);
    return 0;
}

/* The break-even that is nearest to the value that its winner has, as a ratio; NULL: none
 * was found. O(winners * keys * break-evens). */
static const spot_break_even_t *break_even_nearest(const spot_winners_t *winners)
{
    const size_t num_keys = winners->head->best.num_keys;
    const spot_break_even_t *nearest = NULL;
    double least = HUGE_VAL;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_break_even_t *item =
            spot_winners_break_even(winners, &winners->winners[j / num_keys], j % num_keys);

        for (int side_id = 0; item != NULL && side_id < SPOT_NUM_BREAK_EVEN_SIDES; side_id++) {
            const double ratio = item->sides[side_id].at / item->number;

            if (ratio > 0 && fabs(log(ratio)) < least) {
                least = fabs(log(ratio));
                nearest = item;
            }
        }
    }
    return nearest;
}

static int answer_of_winners(const answer_t *self)
{
    const spot_winners_t *winners;
    ranking_t ranking = {.order = NULL};
    int ret = spot_report_winners(self->report, &winners);

    if (ret == 0) {
        ret = ranking_init(&ranking, self, winners);
    }
    if (ret == 0 && ranking.num_ordered == 0) {
        answer_nowhere(self);
    } else if (ret == 0) {
        const spot_break_even_t *nearest = break_even_nearest(winners);
        const char *unmeasured = spot_winners_unmeasured(winners, self->texts);
        const char *beyond = spot_winners_beyond(winners, self->texts);

        fprintf(self->out, "%s%s", beyond, beyond[0] == '\0' ? "" : "\n");
        if (winners->x_id < self->head->num_axes) {
            write_segments(&ranking);
        } else {
            ret = write_counts(&ranking);
        }
        fprintf(self->out, "%s%s", unmeasured, unmeasured[0] == '\0' ? "" : "\n");
        if (nearest != NULL) { /* what would change the answer first */
            fprintf(self->out, "nearest to a change, %s\n",
                spot_words_break_even(self->texts, winners, nearest));
        }
    }
    free(ranking.order);
    return ret;
}

/* ---- Which key matters ---- */

/* Of the variance between points: all that goes with a key where that is known, else
 * what it explains alone. */
static const spot_sensitivity_index_t *share_of(const spot_study_effects_t *effects, size_t key_id)
{
    const spot_key_effect_t *key = &effects->effects.keys[key_id];

    return effects->has_indices ? &key->total : &key->share;
}

static const char *key_words(
    const answer_t *self, const spot_study_effects_t *effects, size_t key_id)
{
    return spot_words_key(self->texts, &self->head->axes[effects->axis_ids[key_id]]);
}

/* Surely where the interval is above those of all others. */
static void write_strongest(const answer_t *self, const spot_study_effects_t *effects, size_t id)
{
    const spot_sensitivity_index_t *share = share_of(effects, id);
    bool is_sure = true;

    for (size_t j = 0; j < effects->effects.num_keys; j++) {
        is_sure = is_sure && (j == id || share_of(effects, j)->ci_high < share->ci_low);
    }
    fprintf(self->out, "%s %s most for %s: %.0f %% of the variance between points",
        key_words(self, effects, id), is_sure ? "matters" : "seems to matter", self->noun,
        100 * fmin(fmax(share->value, 0), 1));
    if (isfinite(share->ci_low) && isfinite(share->ci_high)) {
        fprintf(self->out, " (%.0f to %.0f %%)", 100 * fmax(share->ci_low, 0),
            100 * fmin(share->ci_high, 1));
    }
    fprintf(self->out, " %s\n", effects->has_indices ? "goes with it" : "comes from it alone");
}

/* "job reload and step hardly matter (less than 5 % each)". */
static void write_small(const answer_t *self, const spot_study_effects_t *effects, size_t id)
{
    const size_t num_keys = effects->effects.num_keys;
    size_t num_small = 0, num_written = 0;

    for (size_t j = 0; j < num_keys; j++) {
        num_small += j != id && share_of(effects, j)->ci_high < SMALL_SHARE;
    }
    for (size_t j = 0; j < num_keys && num_written < MAX_SEGMENTS; j++) {
        if (j != id && share_of(effects, j)->ci_high < SMALL_SHARE) {
            fprintf(self->out, "%s%s",
                num_written == 0               ? ""
                : num_written + 1 == num_small ? " and "
                                               : ", ",
                key_words(self, effects, j));
            num_written++;
        }
    }
    if (num_small > num_written) {
        fprintf(self->out, " and %zu more", num_small - num_written);
    }
    if (num_small > 0) {
        fprintf(self->out, " hardly matter%s (less than %g %%%s)\n", num_small == 1 ? "s" : "",
            100 * SMALL_SHARE, num_small == 1 ? "" : " each");
    }
}

static int answer_of_effects(const answer_t *self)
{
    const spot_study_effects_t *effects;
    const int ret = spot_report_effects(self->report, self->findings.metric_id, &effects);
    const char *outcome = ret == 0 ? spot_study_effects_outcome(effects) : NULL;
    size_t strongest_id = 0;

    if (ret == 0 && outcome != NULL) {
        fprintf(self->out, "which key matters for %s is not known: %s\n", self->noun, outcome);
    } else if (ret == 0) {
        for (size_t j = 1; j < effects->effects.num_keys; j++) {
            strongest_id = share_of(effects, j)->value > share_of(effects, strongest_id)->value
                               ? j
                               : strongest_id;
        }
        write_strongest(self, effects, strongest_id);
        write_small(self, effects, strongest_id);
    }
    return ret;
}

/* ---- How the metric changes along a key with numbers, and what other keys do to it ---- */

#define MAX_KEYS 3 /* other keys that are named */

/* A curve along x: its places with a value, ascending. */
typedef struct {
    const answer_t *answer;
    const spot_curves_t *curves;
    size_t panel_id;
    size_t num_places;
    size_t *point_ids; /* [num_places] */
    size_t low, high;  /* places of the lowest and the highest mean */
} path_t;

/* ---- The curve ---- */

static size_t reference_value(const spot_study_head_t *head, size_t axis_id)
{
    return head->has_baseline && axis_id == head->baseline_axis_id ? head->baseline_value_id : 0;
}

static double mean_of(const answer_t *self, size_t point_id)
{
    return spot_findings_at(&self->findings, point_id)->value;
}

static double mean_at(const path_t *self, size_t place)
{
    return mean_of(self->answer, self->point_ids[place]);
}

/* How many points of a panel have a value. */
static size_t num_defined(const answer_t *self, const spot_curves_t *curves, size_t panel_id)
{
    size_t num = 0;

    for (size_t j = 0; j < spot_curves_num_x(curves, panel_id); j++) {
        num += isfinite(mean_of(self, spot_curves_point(curves, panel_id, j))) ? 1 : 0;
    }
    return num;
}

/* Of the baseline and the first values of the other keys. */
static bool is_reference_panel(const spot_curves_t *curves, size_t panel_id)
{
    const spot_study_head_t *head = curves->head;

    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != curves->axis_id &&
            spot_curves_value_id(curves, panel_id, j) != reference_value(head, j)) {
            return false;
        }
    }
    return true;
}

/* That of the reference where it is a curve, else the one with the most values. */
static size_t choose_panel(const answer_t *self, const spot_curves_t *curves)
{
    size_t found_id = 0, most = 0;

    for (size_t p = 0; p < curves->num_panels && !curves->has_all_in_one; p++) {
        const size_t num = num_defined(self, curves, p);
        const bool is_reference = is_reference_panel(curves, p);

        if (is_reference && num > 1) {
            return p;
        }
        if (num > most || (num == most && is_reference)) {
            found_id = p;
            most = num;
        }
    }
    return found_id;
}

static int path_init(path_t *self, const answer_t *answer, const spot_curves_t *curves)
{
    *self = (path_t){answer, curves, .panel_id = choose_panel(answer, curves)};
    self->point_ids =
        spot_calloc(spot_curves_num_x(curves, self->panel_id), sizeof(*self->point_ids));
    if (self->point_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < spot_curves_num_x(curves, self->panel_id); j++) {
        const size_t point_id = spot_curves_point(curves, self->panel_id, j);
        const double mean = mean_of(answer, point_id);
        const size_t place = self->num_places;

        if (isfinite(mean)) {
            self->point_ids[self->num_places++] = point_id;
            self->low = mean < mean_at(self, self->low) ? place : self->low;
            self->high = mean > mean_at(self, self->high) ? place : self->high;
        }
    }
    return 0;
}

/* ---- Its shape ---- */

/* Whether the lowest and the highest mean have the same words. */
static bool reads_alike(const path_t *self)
{
    const spot_metric_t *metric = self->answer->metric;
    const double low = mean_at(self, self->low), high = mean_at(self, self->high);

    return strcmp(spot_words_value(self->answer->texts, metric, low, high - low),
               spot_words_value(self->answer->texts, metric, high, high - low)) == 0;
}

static const char *curve_label(const path_t *self, size_t place)
{
    const spot_study_head_t *head = self->curves->head;
    const size_t axis_id = self->curves->axis_id;

    return value_label(self->answer, &head->axes[axis_id],
        spot_study_value_id(head, self->point_ids[place], axis_id));
}

/* Of both ends, with as many decimals each: "0.1 to 11.8". */
static void write_ends(const path_t *self)
{
    const spot_metric_t *metric = self->answer->metric;
    const double first = mean_at(self, 0), last = mean_at(self, self->num_places - 1);
    double resolution = fabs(first - last);

    if (first != 0) {
        resolution = fmin(resolution, 10 * fabs(first)); /* which has one digit */
    }
    if (last != 0) {
        resolution = fmin(resolution, 10 * fabs(last));
    }
    fprintf(self->answer->out, "does not surely change: %s to %s",
        spot_words_value(self->answer->texts, metric, first, resolution),
        spot_words_value(self->answer->texts, metric, last, resolution));
}

/* "falls from 4 % to a minimum of 1 % at 120 s and rises to 7 %". */
static void write_shape(const path_t *self, spot_shape_t shape)
{
    const bool is_top = shape == SPOT_SHAPE_TOP;
    const bool is_turn = is_top || shape == SPOT_SHAPE_BOTTOM;
    const size_t last = self->num_places - 1, turn = is_top ? self->high : self->low;
    const bool is_trend = shape == SPOT_SHAPE_GROWS || shape == SPOT_SHAPE_FALLS;
    const size_t from = is_turn || is_trend ? 0 : self->low;
    const size_t to = is_turn ? turn : is_trend ? last : self->high;
    const spot_metric_t *metric = self->answer->metric;
    const double start = mean_at(self, from), end = mean_at(self, to), rest = mean_at(self, last);
    spot_texts_t *texts = self->answer->texts;
    const char *a = spot_words_value_before(texts, metric, start, end);
    const char *b = spot_words_value(texts, metric, end, fabs(start - end));
    FILE *out = self->answer->out;

    switch (shape) {
        case SPOT_SHAPE_TOP:
        case SPOT_SHAPE_BOTTOM:
            fprintf(out, "%s from %s to a %s of %s at %s and %s to %s", is_top ? "rises" : "falls",
                a, is_top ? "maximum" : "minimum", b, curve_label(self, turn),
                is_top ? "falls" : "rises",
                spot_words_value(texts, metric, rest, fabs(end - rest)));
            break;
        case SPOT_SHAPE_GROWS:
        case SPOT_SHAPE_FALLS:
            fprintf(out, "%s from %s to %s", shape == SPOT_SHAPE_GROWS ? "grows" : "falls", a, b);
            break;
        case SPOT_SHAPE_VARIES:
            fprintf(out, "varies between %s at %s and %s at %s", a, curve_label(self, self->low), b,
                curve_label(self, self->high));
            break;
        default:
            if (reads_alike(self)) {
                fprintf(out, "stays at %s", b);
            } else {
                write_ends(self);
            }
    }
}

/* " with pipeline depth 16" where other keys are swept too. */
static void write_reference(const path_t *self)
{
    const spot_study_head_t *head = self->answer->head;
    const char *before = " with ";

    for (size_t j = 0; !self->curves->has_all_in_one && j < head->num_axes; j++) {
        if (j != self->curves->axis_id && head->axes[j].num_values > 1) {
            fprintf(self->answer->out, "%s%s", before,
                answer_setting(
                    self->answer, j, spot_curves_value_id(self->curves, self->panel_id, j)));
            before = ", ";
        }
    }
    if (self->curves->has_all_in_one && head->num_axes > 1) {
        fputs(" (other keys move with it)", self->answer->out);
    }
    fputc('\n', self->answer->out);
}

static int write_path(const path_t *self)
{
    const answer_t *answer = self->answer;
    spot_shape_t shape = SPOT_SHAPE_UNSURE;
    int ret = 0;

    if (self->num_places == 0) {
        answer_nowhere(answer);
        return 0;
    }
    if (self->num_places == 1) {
        fprintf(answer->out, "%s is %s at %s %s", answer->noun,
            answer_value(answer, self->point_ids[0]),
            spot_words_key(answer->texts, &answer->head->axes[self->curves->axis_id]),
            curve_label(self, 0));
    } else {
        fprintf(answer->out, "as %s goes from %s to %s, %s ",
            spot_words_x_subject(answer->texts, answer->head, self->curves->axis_id),
            curve_label(self, 0), curve_label(self, self->num_places - 1), answer->noun);
        ret = spot_findings_shape(
            &answer->findings, self->point_ids, self->num_places, self->low, self->high, &shape);
        write_shape(self, shape);
    }
    write_reference(self);
    return ret;
}

/* ---- Other keys ---- */

/* "it is half as high", "it is 1.9 to 4.2 percentage points lower". */
static void write_effect(const answer_t *self, const spot_value_effect_t *effect, int sign_id)
{
    const double least = effect->changes[sign_id].least, most = effect->changes[sign_id].most;
    const bool is_everywhere = effect->changes[sign_id].num_sure == effect->num_pairs;

    if (is_everywhere && effect->changes[sign_id].least_ratio >= 0.45 &&
        effect->changes[sign_id].most_ratio <= 0.55) {
        fputs("half as high", self->out);
    } else if (is_everywhere && effect->changes[sign_id].least_ratio >= 1.8 &&
               effect->changes[sign_id].most_ratio <= 2.2) {
        fputs("twice as high", self->out);
    } else {
        fprintf(self->out, "%s%s %s", is_everywhere ? "" : "up to ",
            spot_words_change(self->texts, self->metric, is_everywhere ? least : most, most),
            sign_id == SPOT_LOWERS ? "lower" : "higher");
    }
}

/* Smaller changes, relative to what they change, are not worth a sentence, and other seeds
 * would not show them. */
#define SMALL_EFFECT 1e-3

static bool is_small(const spot_value_effect_t *effect, int sign_id)
{
    return fabs(effect->changes[sign_id].least_ratio - 1) < SMALL_EFFECT &&
           fabs(effect->changes[sign_id].most_ratio - 1) < SMALL_EFFECT;
}

/* "with pipeline depth 8 it is 2 percentage points lower, with pipeline depth 32 up to 3
 * percentage points higher"; nothing where there is nothing to compare. */
static void write_key(const answer_t *self, size_t axis_id, const spot_value_effect_t *effects)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    size_t last_id = axis->num_values, num_pairs = 0;
    bool has_small = false;

    for (int sign_id = 0; sign_id < SPOT_NUM_SIGNS; sign_id++) {
        const size_t value_id = spot_strongest_effect(effects, axis->num_values, sign_id);
        const bool is_first = last_id == axis->num_values;

        if (value_id == axis->num_values || is_small(&effects[value_id], sign_id)) {
            has_small = has_small || value_id < axis->num_values;
            continue;
        }
        if (value_id == last_id) {
            fputs(" and elsewhere ", self->out);
        } else {
            fprintf(self->out, "%swith %s%s", is_first ? "" : ", ",
                answer_setting(self, axis_id, value_id), is_first ? " it is " : " ");
        }
        write_effect(self, &effects[value_id], sign_id);
        last_id = value_id;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        num_pairs += effects[j].num_pairs;
    }
    if (last_id < axis->num_values) {
        fputc('\n', self->out);
    } else if (has_small) {
        fprintf(
            self->out, "%s changes it by less than 0.1 %%\n", spot_words_key(self->texts, axis));
    } else if (num_pairs > 0) {
        fprintf(
            self->out, "%s makes no sure difference to it\n", spot_words_key(self->texts, axis));
    }
}

static int write_keys(const path_t *self)
{
    const answer_t *answer = self->answer;
    size_t num_written = 0;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < answer->head->num_axes && num_written < MAX_KEYS; j++) {
        const size_t num_values = answer->head->axes[j].num_values;
        spot_value_effect_t *effects;

        if (j == self->curves->axis_id || num_values < 2) {
            continue;
        }
        effects = spot_calloc(num_values, sizeof(*effects));
        ret = effects == NULL ? SPOT_ERR_NO_MEMORY
                              : spot_findings_effects(&answer->findings, j,
                                    spot_curves_value_id(self->curves, self->panel_id, j), effects);
        if (ret == 0) {
            write_key(answer, j, effects);
        }
        free(effects);
        num_written++;
    }
    return ret;
}

/* *is_written: there is a key with numbers to go along. */
static int answer_of_curve(const answer_t *self, bool *is_written)
{
    const char *problem = NULL;
    spot_curves_t curves;
    path_t path = {.point_ids = NULL};
    int ret = spot_curves_init(&curves, self->report, &problem);

    *is_written = ret == 0 && !curves.is_scattered;
    if (*is_written) {
        ret = path_init(&path, self, &curves);
        ret = ret == 0 ? write_path(&path) : ret;
        if (ret == 0 && path.num_places > 0 && !curves.has_all_in_one) {
            ret = write_keys(&path);
        }
    }
    free(path.point_ids);
    spot_curves_free(&curves);
    return problem == NULL ? ret : 0; /* there is nothing to go along */
}

/* ---- Points without numbers to go along ---- */

/* The points with the lowest and the highest mean; returns how many have one. */
static size_t find_extremes(const answer_t *self, size_t *low_id, size_t *high_id)
{
    size_t num_defined = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double mean = spot_findings_at(&self->findings, j)->value;

        if (!isfinite(mean)) {
            continue;
        }
        if (num_defined == 0 || mean < spot_findings_at(&self->findings, *low_id)->value) {
            *low_id = j;
        }
        if (num_defined == 0 || mean > spot_findings_at(&self->findings, *high_id)->value) {
            *high_id = j;
        }
        num_defined++;
    }
    return num_defined;
}

/* The lowest and the highest of several points; of one replication each, which has no
 * interval, as they are. */
static int write_range(const answer_t *self, size_t low_id, size_t high_id)
{
    const size_t num_points = self->head->num_points;
    const double lowest = spot_findings_at(&self->findings, low_id)->value,
                 highest = spot_findings_at(&self->findings, high_id)->value;
    const bool is_single = self->report->max_rows == 1 && lowest < highest;
    spot_gap_t gap;
    int ret = spot_findings_gap(
        &self->findings, high_id, low_id, num_points * (num_points - 1) / 2, &gap);
    const char *high = spot_words_value(self->texts, self->metric, highest, highest - lowest);

    if (is_single || gap.sign > 0) {
        fprintf(self->out, "%sthe lowest %s is %s with %s\nthe highest %s is %s with %s\n",
            is_single ? "in one replication of each point " : "", self->noun,
            spot_words_value(self->texts, self->metric, lowest, highest - lowest),
            answer_point(self, low_id), self->noun, high, answer_point(self, high_id));
    } else {
        fprintf(self->out, "%s does not surely differ between the %zu points: %s to %s\n",
            self->noun, num_points,
            spot_words_value_before(self->texts, self->metric, lowest, highest), high);
    }
    return ret;
}

static int write_points(const answer_t *self)
{
    size_t low_id = 0, high_id = 0;
    const size_t num_defined = find_extremes(self, &low_id, &high_id);

    if (num_defined > 1) {
        return write_range(self, low_id, high_id);
    }
    if (num_defined == 0) {
        answer_nowhere(self);
    } else {
        fprintf(self->out, "%s is %s\n", self->noun, answer_value(self, low_id));
    }
    return 0;
}

/* ---- Differences to a baseline ---- */

/* "checkpoint", or "checkpoint, fleet capacity 32". */
static const char *baseline_words(const answer_t *self)
{
    const spot_study_head_t *head = self->head;
    const char *text =
        value_label(self, &head->axes[head->baseline_axis_id], head->baseline_value_id);

    for (size_t j = 0; j < head->num_more_baselines; j++) {
        const spot_axis_value_t *more = &head->more_baselines[j];

        text = spot_texts_add(
            self->texts, "%s, %s", text, answer_setting(self, more->axis_id, more->value_id));
    }
    return text;
}

static void write_compared(
    const answer_t *self, const spot_contrast_t *sure, size_t num_sure, size_t num_compared)
{
    const spot_study_head_t *head = self->head;
    const size_t num_named = num_sure < MAX_NAMED ? num_sure : MAX_NAMED;
    const size_t num_same = num_compared - num_sure;

    if (num_sure == 0) {
        fprintf(self->out, "%s does not surely differ from that with %s\n", self->noun,
            baseline_words(self));
        return;
    }
    fprintf(self->out, "compared with %s", baseline_words(self));
    if (head->num_axes == 1) {
        fprintf(self->out, " (%s)",
            spot_words_value(self->texts, self->metric,
                spot_findings_at(&self->findings, sure[0].base_id)->value, fabs(sure[0].gap.mean)));
    }
    for (size_t j = 0; j < num_named; j++) {
        const double size = fabs(sure[j].gap.mean);

        fprintf(self->out, "%s%s%s%s %s with %s", j > 0 && j == num_named - 1 ? " and " : ", ",
            j == 0 ? self->noun : "", j == 0 ? " is " : "",
            spot_words_change(self->texts, self->metric, size, size),
            sure[j].gap.mean > 0 ? "higher" : "lower", answer_point(self, sure[j].point_id));
    }
    fputc('\n', self->out);
    if (num_sure > num_named) {
        fprintf(self->out, "%zu more differ by less\n", num_sure - num_named);
    }
    if (num_same > 0) {
        fprintf(self->out, "%zu of %zu do%s not surely differ\n", num_same, num_compared,
            num_same == 1 ? "es" : "");
    }
}

static int write_differences(const answer_t *self)
{
    spot_contrast_t *sure = spot_calloc(self->head->num_points, sizeof(*sure));
    size_t num_sure, num_compared;
    int ret = sure == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_findings_contrast(&self->findings, sure, &num_sure, &num_compared);

    if (ret == 0) {
        write_compared(self, sure, num_sure, num_compared);
    }
    free(sure);
    return ret;
}

/* ---- All of it ---- */

static int write_sentences(const answer_t *self)
{
    const spot_study_head_t *head = self->head;
    bool is_written = false;
    int ret;

    if (head->optimise.metric != NULL) {
        return answer_of_race(self);
    }
    if (!head->best.is_asked && spot_plan_is_design(head->plan.kind) &&
        spot_study_effects_problem(head) == NULL && self->report->min_rows > 0) {
        return answer_of_effects(self);
    }
    if (head->best.is_asked) {
        ret = answer_of_winners(self);
    } else {
        ret = answer_of_curve(self, &is_written);
        if (ret == 0 && !is_written) {
            ret = head->has_baseline ? write_differences(self) : write_points(self);
        }
    }
    return ret == 0 ? answer_of_undefined(self) : ret;
}

/* How much of what was asked for it rests on, where that is not all. */
static int write_missing(const answer_t *self)
{
    const spot_report_t *report = self->report;
    const bool is_open =
        report->head->until.metric != NULL || report->head->optimise.metric != NULL;
    spot_completeness_t completeness;
    const int ret = spot_store_completeness(report->store, report->summaries, &completeness);

    if (ret == 0 && completeness.num_unfinished > 0) {
        fprintf(self->out, "this is what %" PRId64, report->min_rows);
        if (report->min_rows < report->max_rows) {
            fprintf(self->out, " to %" PRId64, report->max_rows);
        }
        fprintf(self->out, " of %s%" PRId64 " replications at each point say so far\n",
            is_open ? "up to " : "", report->head->num_replications);
    }
    return ret;
}

/* Lines become sentences: a capital, and a full stop and a blank between them. */
static void write_plain(const char *lines, spot_texts_t *texts, FILE *out)
{
    FILE *stream = spot_texts_begin(texts);

    for (bool is_start = true; stream != NULL && *lines != '\0'; lines++) {
        if (*lines != '\n') {
            fputc(is_start ? toupper((unsigned char) *lines) : *lines, stream);
        } else if (lines[1] != '\0') {
            fputs(". ", stream);
        }
        is_start = *lines == '\n';
    }
    spot_text_write_cut(out, spot_texts_end(texts, stream), SPOT_ANSWER_CHARS);
    fputc('.', out);
}

int spot_answer_write(const spot_report_t *report, FILE *out)
{
    const spot_study_head_t *head = report->head;
    spot_texts_t texts = {0};
    answer_t self = {.report = report,
        .head = head,
        .findings = {report->store, head, report->summaries, report->num_rows,
            spot_main_metric(head)},
        .texts = &texts};
    const spot_doubts_t *doubts;
    int ret;

    if (report->num_rows == 0) {
        fputs("No replication is there yet: run the same spotsim study command again, "
              "or merge the parts of other machines.",
            out);
        return 0;
    }
    self.metric = &head->metrics[self.findings.metric_id];
    self.noun = spot_metric_noun(self.metric);
    self.out = spot_texts_begin(&texts);
    ret = self.out == NULL ? SPOT_ERR_NO_MEMORY : write_sentences(&self);
    if (ret == 0) {
        ret = write_missing(&self);
        write_plain(spot_texts_end(&texts, self.out), &texts, out);
        ret = spot_error_first(ret, spot_report_doubts(report, &doubts));
        for (size_t j = 0; ret == 0 && j < doubts->num_items; j++) {
            if (doubts->items[j].kind == SPOT_DOUBT_UNABLE) {
                fprintf(out, " %s", doubts->items[j].text);
            }
        }
        ret = spot_error_first(ret, texts.error);
    }
    spot_texts_free(&texts);
    return ret;
}
