/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side in a sentence or two. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "reports/figure.h"
#include "reports/side_by_side.h"
#include "reports/study_words.h"

#define MAX_NAMED 3         /* things in which they differ, in the sentence */
#define DIFFERENCE_CHARS 80 /* of each of them */

/* Points at which the main metric moved to one side, surely. */
typedef struct {
    size_t num_points;
    double least; /* sizes of the differences there */
    double most;
} move_t;

static void
write_differences(const spot_side_by_side_t *self, FILE *out)
{
    char text[4 * DIFFERENCE_CHARS + 8];

    if (self->num_sentences == 0) {
        fputs("B has the same scenario and the same points as A.", out);
        return;
    }
    fputs("B differs from A", out);
    for (size_t j = 0; j < self->num_sentences && j < MAX_NAMED; j++) {
        snprintf(text, sizeof(text) - 4, "%s", self->sentences[j]);
        spot_figure_cut(text, DIFFERENCE_CHARS);
        fprintf(out, "%s %s", j == 0 ? ":" : ";", text);
    }
    if (self->num_sentences > MAX_NAMED) {
        fprintf(out, "; and in %zu more", self->num_sentences - MAX_NAMED);
    }
    fputc('.', out);
}

static move_t
move_of(const spot_side_by_side_t *self, bool is_up)
{
    move_t move = {0, HUGE_VAL, 0};

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_change_t *change =
            &self->changes[j * self->num_metrics + self->main_id];

        if (change->is_marked && (change->difference > 0) == is_up) {
            move.num_points++;
            move.least = fmin(move.least, fabs(change->difference));
            move.most = fmax(move.most, fabs(change->difference));
        }
    }
    return move;
}

/* "higher at 5 by 0.3 to 5.5 percentage points". */
static void
write_move(const spot_side_by_side_t *self, bool is_up, FILE *out)
{
    const move_t move = move_of(self, is_up);
    char words[SPOT_WORDS_BYTES];

    spot_metric_change_words(
        spot_side_by_side_metric(self, self->main_id), move.least, move.most, words);
    fprintf(out, "%s at %zu by %s", is_up ? "higher" : "lower", move.num_points, words);
}

const char *
spot_side_by_side_problem(const spot_side_by_side_t *self)
{
    if (self->sides[SPOT_BEFORE].report->num_rows == 0) {
        return "A has no replications yet";
    }
    if (self->sides[SPOT_AFTER].report->num_rows == 0) {
        return "B has no replications yet";
    }
    if (self->match.num_pairs == 0) {
        return "no point is in both";
    }
    return self->num_metrics == 0 ? "no metric is in both" : NULL;
}

void
spot_side_by_side_outcome(const spot_side_by_side_t *self, FILE *out)
{
    const char *problem = spot_side_by_side_problem(self);
    const size_t num_pairs = self->match.num_pairs;
    const spot_metric_t *metric;
    size_t num_up, num_down;
    char words[SPOT_WORDS_BYTES];

    if (problem != NULL) {
        fprintf(out, "%c%s: there is nothing to compare.",
            toupper((unsigned char) problem[0]), problem + 1);
        return;
    }
    num_up = move_of(self, true).num_points;
    num_down = move_of(self, false).num_points;
    metric = spot_side_by_side_metric(self, self->main_id);
    spot_metric_subject(metric, words);
    if (num_up + num_down == 0) {
        fprintf(out, "Of the %zu point%s that both have, %s %s surely at none.",
            num_pairs, num_pairs == 1 ? "" : "s", words,
            spot_metric_is_plural(metric) ? "differ" : "differs");
        return;
    }
    fprintf(out, "Of the %zu point%s that both have, %s in B %s surely ", num_pairs,
        num_pairs == 1 ? "" : "s", words, spot_metric_is_plural(metric) ? "are" : "is");
    if (num_up > 0) {
        write_move(self, true, out);
    }
    fputs(num_up > 0 && num_down > 0 ? " and " : "", out);
    if (num_down > 0) {
        write_move(self, false, out);
    }
    fputc('.', out);
}

void
spot_side_by_side_answer(const spot_side_by_side_t *self, FILE *out)
{
    write_differences(self, out);
    fputc(' ', out);
    spot_side_by_side_outcome(self, out);
}
