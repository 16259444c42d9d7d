/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side in a sentence or two. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
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

static bool
is_cut(const char *text)
{
    static const char dots[] = "…";
    const size_t num_bytes = strlen(text), num_dots = sizeof(dots) - 1;

    return num_bytes >= num_dots && strcmp(text + num_bytes - num_dots, dots) == 0;
}

/* Dots of a cut end the sentence, too. */
static void
write_differences(const spot_side_by_side_t *self, FILE *out)
{
    char text[4 * DIFFERENCE_CHARS + 8] = "";

    if (self->num_sentences == 0) {
        fputs("B has the same scenario and the same points as A.", out);
        return;
    }
    fputs("B differs from A", out);
    for (size_t j = 0; j < self->num_sentences && j < MAX_NAMED; j++) {
        snprintf(text, sizeof(text) - 4, "%s", self->sentences[j]);
        spot_utf8_cut(text, DIFFERENCE_CHARS);
        fprintf(out, "%s %s", j == 0 ? ":" : ";", text);
    }
    if (self->num_sentences > MAX_NAMED) {
        fprintf(out, "; and in %zu more.", self->num_sentences - MAX_NAMED);
    } else if (!is_cut(text)) {
        fputc('.', out);
    }
}

static move_t
move_of(const spot_side_by_side_t *self, bool is_up)
{
    move_t move = {0, HUGE_VAL, 0};

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change =
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

/* Points at which the main metric has a value in both. */
static size_t
num_comparable(const spot_side_by_side_t *self)
{
    size_t num_found = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change =
            &self->changes[j * self->num_metrics + self->main_id];

        num_found += isfinite(change->difference) ? 1 : 0;
    }
    return num_found;
}

/* Whether the main metric has a value anywhere at the points that both have. */
static bool
has_any_value(const spot_side_by_side_t *self)
{
    bool has_any = false;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change =
            &self->changes[j * self->num_metrics + self->main_id];

        has_any = has_any || isfinite(change->means[SPOT_BEFORE]) ||
                  isfinite(change->means[SPOT_AFTER]);
    }
    return has_any;
}

/* The main metric can be compared nowhere. */
static void
write_undefined(const spot_side_by_side_t *self, FILE *out)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, self->main_id);
    char words[SPOT_WORDS_BYTES];

    spot_metric_subject(metric, words);
    if (has_any_value(self)) {
        fprintf(
            out, "At no point that both have is there a value of %s in both.", words);
        return;
    }
    fprintf(out, "%c%s %s no value at any point that both have.",
        toupper((unsigned char) words[0]), words + 1, "has");
}

/* "Of the 3 points that both have, ", or where some of these have no value "Of the 2
 * points of 3 at which both have a value, ". */
static void
write_points(size_t num_points, size_t num_pairs, FILE *out)
{
    fprintf(out, "Of the %zu point%s", num_points, num_points == 1 ? "" : "s");
    if (num_points == num_pairs) {
        fputs(" that both have, ", out);
    } else {
        fprintf(out, " of %zu at which both have a value, ", num_pairs);
    }
}

/* At how many points the main metric differs, and by how much. */
static void
write_moves(const spot_side_by_side_t *self, FILE *out)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, self->main_id);
    const bool is_plural = false;
    const size_t num_up = move_of(self, true).num_points;
    const size_t num_down = move_of(self, false).num_points;
    char words[SPOT_WORDS_BYTES];

    spot_metric_subject(metric, words);
    if (num_up + num_down == 0) {
        fprintf(out, "%s %s surely at none.", words, is_plural ? "differ" : "differs");
        return;
    }
    fprintf(out, "%s in B %s surely ", words, is_plural ? "are" : "is");
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
spot_side_by_side_outcome(const spot_side_by_side_t *self, FILE *out)
{
    const char *problem = spot_side_by_side_problem(self);
    size_t num_points;

    if (problem != NULL) {
        fprintf(out, "%c%s: there is nothing to compare.",
            toupper((unsigned char) problem[0]), problem + 1);
        return;
    }
    num_points = num_comparable(self);
    if (num_points == 0) {
        write_undefined(self, out);
        return;
    }
    write_points(num_points, self->match.num_pairs, out);
    write_moves(self, out);
}

void
spot_side_by_side_answer(const spot_side_by_side_t *self, FILE *out)
{
    write_differences(self, out);
    fputc(' ', out);
    spot_side_by_side_outcome(self, out);
}
