/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of studies that look for something: the best point, which value wins where,
 * which key matters. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/study_parts.h"
#include "reports/words.h"
#include "reports/words/answer_internal.h"
#include "sim/bench/analysis/effects.h"
#include "sim/bench/analysis/race.h"

#define MAX_CANDIDATES 3 /* that may be the best and are named */
#define MAX_SEGMENTS 4
#define SMALL_SHARE 0.05 /* of a key that hardly matters */

/* ---- The best point ---- */

/* Points that are left out for what was not measured, with the words of the first. */
static void write_left_out(const spot_answer_t *self, const spot_race_answer_t *answer)
{
    const size_t num = answer->num_points[SPOT_FATE_UNMEASURED];

    for (size_t j = 0; num > 0 && j < self->head->num_points; j++) {
        if (answer->race.runners[j].fate == SPOT_FATE_UNMEASURED) {
            fprintf(self->out, "%zu point%s %s, which %s\n", num,
                num == 1 ? " is left out:" : "s are left out, such as", spot_answer_point(self, j),
                spot_study_beyond(self->head, j).words);
            return;
        }
    }
}

static const char *estimate_of(const spot_answer_t *self, const spot_race_t *race, size_t point_id)
{
    const spot_estimate_t *estimate = &race->runners[point_id].estimate;

    return spot_words_interval(self->texts, self->metric, spot_estimate_value(estimate),
        spot_study_is_fixed(self->head, point_id)
            ? 0
            : spot_estimate_half_width(estimate, SPOT_CONFIDENCE));
}

/* "A (1.2 ±0.1 USD), B (1.3 ±0.1 USD) and 4 more": in the order of the plan. */
static void write_candidates(const spot_answer_t *self, const spot_race_t *race)
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
                spot_answer_point(self, j), estimate_of(self, race, j));
        }
    }
    if (num > num_named) {
        fprintf(self->out, " and %zu more", num - num_named);
    }
}

static void write_best(const spot_answer_t *self, const spot_race_answer_t *answer)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *asked = &self->head->optimise;
    const spot_estimate_t *estimate = &race->runners[race->best_id].estimate;
    const char *best = spot_answer_best(asked->is_maximised);
    const double mean = spot_estimate_value(estimate);
    const char *beyond = spot_race_beyond_text(race, self->texts);

    fprintf(self->out, "%s%s", beyond, beyond[0] == '\0' ? "" : "\n");
    if (spot_race_has_winner(race)) {
        fprintf(self->out, "%sthe %s %s is %s with %s\n", race->is_over ? "" : "so far ", best,
            self->noun, estimate_of(self, race, race->best_id),
            spot_answer_point(self, race->best_id));
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

int spot_answer_of_race(const spot_answer_t *self)
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
    const spot_answer_t *answer;
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
static int ranking_init(ranking_t *self, const spot_answer_t *answer, const spot_winners_t *winners)
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
    return spot_answer_label(
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
        spot_answer_best(self->winners->head->best.is_maximised), self->answer->noun);
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
            spot_answer_label(
                self->answer, &head->axes[head->best.axis_id], winning_value(self, first)));
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
        fprintf(out, "%s %s", j == 0 ? "" : ", of",
            spot_answer_label(self->answer, axis, wins[j].value_id));
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

int spot_answer_of_winners(const spot_answer_t *self)
{
    const spot_winners_t *winners;
    ranking_t ranking = {.order = NULL};
    int ret = spot_report_winners(self->report, &winners);

    if (ret == 0) {
        ret = ranking_init(&ranking, self, winners);
    }
    if (ret == 0 && ranking.num_ordered == 0) {
        spot_answer_nowhere(self);
    } else if (ret == 0) {
        const spot_break_even_t *nearest = spot_break_even_nearest(winners);
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
    const spot_answer_t *self, const spot_study_effects_t *effects, size_t key_id)
{
    return spot_words_key(self->texts, &self->head->axes[effects->axis_ids[key_id]]);
}

/* Surely where the interval is above those of all others. */
static void write_strongest(
    const spot_answer_t *self, const spot_study_effects_t *effects, size_t id)
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
static void write_small(const spot_answer_t *self, const spot_study_effects_t *effects, size_t id)
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

int spot_answer_of_effects(const spot_answer_t *self)
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
