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

/* ---- In what they differ ---- */

/* Dots of a cut end the sentence, too. */
static bool
ends_with_dots(const char *text)
{
    static const char dots[] = "…";
    const size_t num_bytes = strlen(text), num_dots = sizeof(dots) - 1;

    return num_bytes >= num_dots && strcmp(text + num_bytes - num_dots, dots) == 0;
}

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
    } else if (!ends_with_dots(text)) {
        fputc('.', out);
    }
}

/* ---- What comes of it ---- */

const char *
spot_side_by_side_problem(const spot_side_by_side_t *self)
{
    return self->sides[SPOT_BEFORE].report->num_rows == 0  ? "A has no replications yet"
           : self->sides[SPOT_AFTER].report->num_rows == 0 ? "B has no replications yet"
           : self->match.num_pairs == 0                    ? "no point is in both"
           : self->num_metrics == 0                        ? "no metric is in both"
                                                           : NULL;
}

/* The main metric at the points that both have. */
typedef struct {
    size_t num_both; /* points with a value in both */
    size_t num_any;  /* in one of them, at least */
    struct {
        size_t num_points;  /* at which it moved surely, down or up */
        double least, most; /* sizes of the differences there */
    } moves[2];
} moves_t;

static moves_t
find_moves(const spot_side_by_side_t *self)
{
    moves_t found = {.moves = {{0, HUGE_VAL, 0}, {0, HUGE_VAL, 0}}};

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change =
            &self->changes[j * self->num_metrics + self->main_id];
        const double size = fabs(change->difference);
        const int is_up = change->difference > 0;

        found.num_both += isfinite(size) ? 1 : 0;
        found.num_any +=
            isfinite(change->means[SPOT_BEFORE]) || isfinite(change->means[SPOT_AFTER])
                ? 1
                : 0;
        if (change->is_marked) {
            found.moves[is_up].num_points++;
            found.moves[is_up].least = fmin(found.moves[is_up].least, size);
            found.moves[is_up].most = fmax(found.moves[is_up].most, size);
        }
    }
    return found;
}

/* "is surely higher at 5 by 0.3 to 5.5 percentage points and lower at 2 by 1". */
static void
write_moves(const spot_metric_t *metric, const moves_t *found, FILE *out)
{
    char words[SPOT_WORDS_BYTES];
    const char *before = "in B is surely";

    if (found->moves[0].num_points + found->moves[1].num_points == 0) {
        fputs("differs surely at none.", out);
        return;
    }
    for (int is_up = 1; is_up >= 0; is_up--) {
        if (found->moves[is_up].num_points > 0) {
            fprintf(out, "%s %s at %zu by %s", before, is_up ? "higher" : "lower",
                found->moves[is_up].num_points,
                spot_metric_change_words(
                    metric, found->moves[is_up].least, found->moves[is_up].most, words));
            before = " and";
        }
    }
    fputc('.', out);
}

void
spot_side_by_side_outcome(const spot_side_by_side_t *self, FILE *out)
{
    const char *problem = spot_side_by_side_problem(self);
    const size_t num_pairs = self->match.num_pairs;
    const spot_metric_t *metric;
    const char *noun;
    moves_t found;

    if (problem != NULL) {
        fprintf(out, "%c%s: there is nothing to compare.",
            toupper((unsigned char) problem[0]), problem + 1);
        return;
    }
    metric = spot_side_by_side_metric(self, self->main_id);
    noun = spot_metric_noun(metric);
    found = find_moves(self);
    if (found.num_any == 0) {
        fprintf(out, "%c%s has no value at any point that both have.",
            toupper((unsigned char) noun[0]), noun + 1);
    } else if (found.num_both == 0) {
        fprintf(out, "At no point that both have is there a value of %s in both.", noun);
    } else {
        fprintf(
            out, "Of the %zu point%s", found.num_both, found.num_both == 1 ? "" : "s");
        if (found.num_both == num_pairs) {
            fputs(" that both have, ", out);
        } else {
            fprintf(out, " of %zu at which both have a value, ", num_pairs);
        }
        fprintf(out, "%s ", noun);
        write_moves(metric, &found, out);
    }
}

void
spot_side_by_side_answer(const spot_side_by_side_t *self, FILE *out)
{
    write_differences(self, out);
    fputc(' ', out);
    spot_side_by_side_outcome(self, out);
}
