/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of studies that look for something: the best point, who wins where, which key
 * matters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/answer_internal.h"
#include "reports/break_even_text.h"
#include "reports/winner_report.h"
#include "sim/analysis/race_answer.h"
#include "sim/analysis/study_effects.h"
#include "sim/analysis/winners.h"

#define MAX_SEGMENTS 4
#define SMALL_SHARE 0.05 /* of a key that hardly matters */

/* ---- The best point ---- */

/* "the lowest USD per 1000 samples, 0.30 ±0.02, is that of checkpoint every 60 s". */
static void
write_best(spot_answer_t *self, const spot_race_t *race)
{
    const spot_estimate_t *estimate = &race->runners[race->best_id].estimate;
    char value[SPOT_WORDS_BYTES], point[SPOT_POINT_BYTES];

    spot_metric_interval_words(self->metric, spot_estimate_value(estimate),
        spot_estimate_half_width(estimate, SPOT_CONFIDENCE), value);
    spot_answer_point(self->head, race->best_id, point);
    fprintf(self->out, "%sthe %s %s, %s, %s of %s", race->is_over ? "" : "so far ",
        self->head->optimise.is_maximised ? "highest" : "lowest", self->subject, value,
        spot_answer_word(self, "is that", "are those"), point);
}

static void
write_certainty(spot_answer_t *self, const spot_race_answer_t *answer)
{
    const spot_race_t *race = &answer->race;
    const double mean = spot_estimate_value(&race->runners[race->best_id].estimate);
    char regret[SPOT_WORDS_BYTES];

    fprintf(self->out, "; with %g %% confidence no %spoint is better",
        100 * race->head->optimise.confidence,
        race->head->optimise.num_constraints > 0 ? "allowed " : "other ");
    if (race->num_racing > 1 && isfinite(answer->regret)) {
        spot_metric_value_words(self->metric, answer->regret, answer->regret, regret);
        fprintf(self->out, " by more than %s", regret);
        if (mean != 0) {
            fprintf(self->out, " (%.2g %%)", 100 * answer->regret / fabs(mean));
        }
    }
    if (!spot_race_is_decided(race)) {
        fprintf(self->out, ", but this is undecided: %zu of %zu points may be the best",
            race->num_racing, race->head->num_points);
    }
}

int
spot_answer_of_race(spot_answer_t *self)
{
    spot_race_answer_t answer;
    int ret = spot_race_answer_init(&answer, self->report->store);
    const spot_race_t *race = &answer.race;

    if (ret == 0 && race->has_best) {
        write_best(self, race);
        write_certainty(self, &answer);
    } else if (ret == 0 && !race->is_over) {
        fprintf(self->out, "the best point is not known yet: %zu of %zu may be it",
            race->num_racing, self->head->num_points);
    } else if (ret == 0 && race->num_racing > 0) {
        fputs("it is not known which point is best: those left are too near the limits",
            self->out);
    } else if (ret == 0 && answer.num_points[SPOT_FATE_UNDEFINED] > 0) {
        fprintf(self->out, "no point is best: %s or a limit is undefined too often",
            self->subject);
    } else if (ret == 0) {
        fputs("no point keeps the limits", self->out);
    }
    spot_race_answer_free(&answer);
    return ret;
}

/* ---- Who wins where ---- */

typedef struct {
    const spot_winners_t *winners;
    size_t *order; /* [num_groups] groups with a winner, along x */
    size_t num_ordered;
} ranking_t;

/* Neighbours along x with the same winner. */
typedef struct {
    size_t first, last; /* places in the order */
    size_t num_unsure;
} segment_t;

static const spot_winner_t *
winner_at(const ranking_t *self, size_t place)
{
    return &self->winners->winners[self->order[place]];
}

static size_t
winning_value(const ranking_t *self, size_t place)
{
    const spot_study_head_t *head = self->winners->head;

    return spot_study_value_id(
        head, winner_at(self, place)->best_id, head->best.axis_id);
}

static double
x_at(const ranking_t *self, size_t place)
{
    const spot_study_head_t *head = self->winners->head;
    const size_t x_id = self->winners->x_id;

    return x_id == head->num_axes ? (double) place
                                  : head->axes[x_id].numbers[spot_study_value_id(
                                        head, winner_at(self, place)->first_id, x_id)];
}

/* Insertion: there are few. */
static int
ranking_init(ranking_t *self, const spot_winners_t *winners)
{
    *self = (ranking_t){.winners = winners};
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
        while (winners->x_id < winners->head->num_axes && place > 0 &&
               x_at(self, place) < x_at(self, place - 1)) {
            const size_t group_id = self->order[place];

            self->order[place] = self->order[place - 1];
            self->order[place - 1] = group_id;
            place--;
        }
    }
    return 0;
}

static segment_t
segment_from(const ranking_t *self, size_t first)
{
    segment_t segment = {.first = first, .last = first};

    while (segment.last + 1 < self->num_ordered &&
           winning_value(self, segment.last + 1) == winning_value(self, first)) {
        segment.last++;
    }
    for (size_t j = segment.first; j <= segment.last; j++) {
        segment.num_unsure += !winner_at(self, j)->is_sure;
    }
    return segment;
}

static void
place_label(const ranking_t *self, size_t place, char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_study_head_t *head = self->winners->head;
    const size_t x_id = self->winners->x_id;

    spot_answer_label(&head->axes[x_id],
        spot_study_value_id(head, winner_at(self, place)->first_id, x_id), text);
}

/* "up to 0.2 (not surely at 0.02)". */
static void
write_places(spot_answer_t *answer, const ranking_t *self, const segment_t *segment)
{
    char first[SPOT_VALUE_LABEL_BYTES], last[SPOT_VALUE_LABEL_BYTES];
    const char *before = " (not surely at ";

    place_label(self, segment->first, first);
    place_label(self, segment->last, last);
    if (segment->first == 0 && segment->last + 1 == self->num_ordered) {
        fputs(" everywhere", answer->out);
    } else if (segment->first == segment->last) {
        fprintf(answer->out, " at %s", first);
    } else if (segment->first == 0) {
        fprintf(answer->out, " up to %s", last);
    } else if (segment->last + 1 == self->num_ordered) {
        fprintf(answer->out, " from %s on", first);
    } else {
        fprintf(answer->out, " from %s to %s", first, last);
    }
    if (segment->num_unsure == segment->last - segment->first + 1) {
        fputs(" (not surely)", answer->out);
        return;
    }
    if (segment->num_unsure > 2) {
        fprintf(answer->out, " (not surely at %zu of these)", segment->num_unsure);
        return;
    }
    for (size_t j = segment->first; j <= segment->last; j++) {
        if (!winner_at(self, j)->is_sure) {
            place_label(self, j, first);
            fprintf(answer->out, "%s%s", before, first);
            before = " and ";
        }
    }
    fputs(segment->num_unsure > 0 ? ")" : "", answer->out);
}

/* Along a key with numbers: a segment after the other. */
static void
write_segments(spot_answer_t *answer, const ranking_t *self)
{
    const spot_study_head_t *head = self->winners->head;
    size_t first = 0, num_segments = 0;
    char label[SPOT_VALUE_LABEL_BYTES];

    fprintf(answer->out, "the %s %s %s of",
        head->best.is_maximised ? "highest" : "lowest", answer->subject,
        spot_answer_word(answer, "is that", "are those"));
    while (first < self->num_ordered && num_segments < MAX_SEGMENTS) {
        const segment_t segment = segment_from(self, first);

        spot_answer_label(
            &head->axes[head->best.axis_id], winning_value(self, first), label);
        fprintf(answer->out, "%s%s",
            num_segments == 0                       ? " "
            : segment.last + 1 == self->num_ordered ? " and of "
                                                    : ", of ",
            label);
        write_places(answer, self, &segment);
        first = segment.last + 1;
        num_segments++;
    }
    fputs(first < self->num_ordered ? " and of others beyond" : "", answer->out);
}

/* The crossing where there is just one, and what the numbers are. */
static void
write_crossing(spot_answer_t *answer, const spot_winners_t *winners)
{
    char words[SPOT_WORDS_BYTES];

    spot_x_subject(winners->head, winners->x_id, words);
    if (winners->num_crossings == 0) {
        fprintf(answer->out, " along %s", words);
        return;
    }
    fprintf(answer->out, " (%s)", words);
    if (winners->num_crossings == 1 && isfinite(winners->crossings[0].number)) {
        const spot_axis_t *axis = &winners->head->axes[winners->x_id];

        fprintf(answer->out, "; their means cross at about %.3g%s%s",
            winners->crossings[0].number, axis->unit[0] == '\0' ? "" : " ", axis->unit);
    }
}

typedef struct {
    size_t value_id, num_wins, num_sure;
} wins_t;

static int
compare_wins(const void *a, const void *b)
{
    const wins_t *x = a, *y = b;

    return x->num_wins != y->num_wins
               ? (x->num_wins < y->num_wins) - (x->num_wins > y->num_wins)
               : (x->value_id > y->value_id) - (x->value_id < y->value_id);
}

/* Without such a key: how often each value wins. */
static int
write_counts(spot_answer_t *answer, const ranking_t *self)
{
    const spot_study_head_t *head = self->winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    wins_t *wins = spot_calloc(axis->num_values, sizeof(*wins));
    char label[SPOT_VALUE_LABEL_BYTES];

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
    fprintf(answer->out, "the %s %s %s of",
        head->best.is_maximised ? "highest" : "lowest", answer->subject,
        spot_answer_word(answer, "is that", "are those"));
    for (size_t j = 0; j < axis->num_values && j < MAX_SEGMENTS && wins[j].num_wins > 0;
         j++) {
        spot_answer_label(axis, wins[j].value_id, label);
        fprintf(answer->out, "%s %s", j == 0 ? "" : ", of", label);
        if (self->num_ordered > 1) {
            fprintf(answer->out, " at %zu of %zu points (%zu surely)", wins[j].num_wins,
                self->num_ordered, wins[j].num_sure);
        } else if (wins[j].num_sure == 0) {
            fputs(" (not surely)", answer->out);
        }
    }
    free(wins);
    return 0;
}

/* What would change the answer first. */
static void
write_break_even(spot_answer_t *answer, const spot_winners_t *winners)
{
    const spot_break_even_t *nearest = spot_break_even_nearest(winners);

    if (nearest != NULL) {
        fputs("; nearest to a change, ", answer->out);
        spot_break_even_write(winners, nearest, answer->out);
    }
}

int
spot_answer_of_winners(spot_answer_t *self)
{
    const spot_winners_t *winners;
    ranking_t ranking = {0};
    int ret = spot_report_winners(self->report, &winners);

    if (ret == 0) {
        ret = ranking_init(&ranking, winners);
    }
    if (ret == 0 && ranking.num_ordered == 0) {
        spot_answer_nowhere(self);
    } else if (ret == 0 && winners->x_id < self->head->num_axes) {
        write_segments(self, &ranking);
        write_crossing(self, winners);
    } else if (ret == 0) {
        ret = write_counts(self, &ranking);
    }
    if (ret == 0 && ranking.num_ordered > 0) {
        (void) spot_winner_unmeasured_write(self->head, "; ", self->out);
        write_break_even(self, winners);
    }
    free(ranking.order);
    return ret;
}

/* ---- Which key matters ---- */

/* Of the variance between points: all that goes with a key where that is known, else
 * what it explains alone. */
static const spot_sensitivity_index_t *
share_of(const spot_study_effects_t *effects, size_t key_id)
{
    const spot_key_effect_t *key = &effects->effects.keys[key_id];

    return effects->has_indices ? &key->total : &key->share;
}

static size_t
find_strongest(const spot_study_effects_t *effects)
{
    size_t strongest_id = 0;

    for (size_t j = 1; j < effects->effects.num_keys; j++) {
        if (share_of(effects, j)->value > share_of(effects, strongest_id)->value) {
            strongest_id = j;
        }
    }
    return strongest_id;
}

/* "fleet initial matters most for goodput: 60 % of the variance between points (55 to
 * 64 %) goes with it". */
static void
write_strongest(spot_answer_t *self, const spot_study_effects_t *effects, size_t key_id)
{
    const spot_sensitivity_index_t *share = share_of(effects, key_id);
    bool is_sure = true;
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < effects->effects.num_keys; j++) {
        is_sure =
            is_sure && (j == key_id || share_of(effects, j)->ci_high < share->ci_low);
    }
    spot_key_words(&self->head->axes[effects->axis_ids[key_id]], words);
    fprintf(self->out, "%s %s most for %s: %.0f %% of the variance between points",
        words, is_sure ? "matters" : "seems to matter", self->subject,
        100 * fmin(fmax(share->value, 0), 1));
    if (isfinite(share->ci_low) && isfinite(share->ci_high)) {
        fprintf(self->out, " (%.0f to %.0f %%)", 100 * fmax(share->ci_low, 0),
            100 * fmin(share->ci_high, 1));
    }
    fputs(effects->has_indices ? " goes with it" : " comes from it alone", self->out);
}

static bool
is_small(const spot_study_effects_t *effects, size_t key_id, size_t strongest_id)
{
    return key_id != strongest_id && share_of(effects, key_id)->ci_high < SMALL_SHARE;
}

/* "; job reload and step hardly matter (less than 5 % each)". */
static void
write_small(
    spot_answer_t *self, const spot_study_effects_t *effects, size_t strongest_id)
{
    size_t num_small = 0, num_written = 0;
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < effects->effects.num_keys; j++) {
        num_small += is_small(effects, j, strongest_id);
    }
    for (size_t j = 0; j < effects->effects.num_keys && num_written < MAX_SEGMENTS;
         j++) {
        if (is_small(effects, j, strongest_id)) {
            spot_key_words(&self->head->axes[effects->axis_ids[j]], words);
            fprintf(self->out, "%s%s",
                num_written == 0               ? "; "
                : num_written + 1 == num_small ? " and "
                                               : ", ",
                words);
            num_written++;
        }
    }
    if (num_small > num_written) {
        fprintf(self->out, " and %zu more", num_small - num_written);
    }
    if (num_small > 0) {
        fprintf(self->out, " hardly matter%s (less than %g %%%s)",
            num_small == 1 ? "s" : "", 100 * SMALL_SHARE, num_small == 1 ? "" : " each");
    }
}

int
spot_answer_of_effects(spot_answer_t *self)
{
    const spot_study_effects_t *effects;
    const int ret = spot_report_effects(self->report, self->metric_id, &effects);
    const char *outcome = ret == 0 ? spot_study_effects_outcome(effects) : NULL;

    if (ret == 0 && outcome != NULL) {
        fprintf(self->out, "which key matters for %s is not known: %s", self->subject,
            outcome);
    } else if (ret == 0) {
        const size_t strongest_id = find_strongest(effects);

        write_strongest(self, effects, strongest_id);
        write_small(self, effects, strongest_id);
    }
    return ret;
}
