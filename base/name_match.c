/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/name_match.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* ---- The nearest name ---- */

#define MAX_LETTERS 63

void spot_suggest_init(spot_suggest_t *self, const char *text)
{
    self->text = text;
    self->nearest = NULL;
    self->distance = 0;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t d = a < b ? a : b;

    return d < c ? d : c;
}

/* Optimal string alignment: the edit distance in which neighbours may be swapped
 * once. */
static size_t edit_distance(const char *a, size_t a_letters, const char *b, size_t b_letters)
{
    size_t rows[3][MAX_LETTERS + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t k = 0; k <= b_letters; k++) {
        above[k] = k;
    }
    for (size_t j = 1; j <= a_letters; j++) {
        size_t *reused = before;

        row[0] = j;
        for (size_t k = 1; k <= b_letters; k++) {
            row[k] = smallest(above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[j - 1] != b[k - 1]));
            if (j > 1 && k > 1 && a[j - 1] == b[k - 2] && a[j - 2] == b[k - 1] &&
                before[k - 2] + 1 < row[k]) {
                row[k] = before[k - 2] + 1;
            }
        }
        before = above;
        above = row;
        row = reused;
    }
    return above[b_letters];
}

/* What stands for all of a name: "idle" of idle_fraction. */
static bool is_first_part(const char *text, size_t num_letters, const char *name)
{
    return num_letters >= 3 && strncmp(name, text, num_letters) == 0 && name[num_letters] == '_';
}

void spot_suggest_offer(spot_suggest_t *self, const char *name)
{
    const size_t text_letters = strlen(self->text);
    const size_t name_letters = strlen(name);
    const size_t longer = text_letters > name_letters ? text_letters : name_letters;
    size_t distance = MAX_LETTERS + 1;

    if (longer > MAX_LETTERS || longer < 2) {
        return;
    }
    /* Different lengths alone are often too many edits. */
    if ((2 * longer - text_letters - name_letters) * 3 <= longer + 1) {
        distance = edit_distance(self->text, text_letters, name, name_letters);
    }
    if (distance * 3 > longer + 1) {
        distance = MAX_LETTERS;
        if (!is_first_part(self->text, text_letters, name)) {
            return;
        }
    }
    if (self->nearest == NULL || distance < self->distance) {
        self->nearest = name;
        self->distance = distance;
    }
}

const char *spot_suggest_hint(const spot_suggest_t *self, char text[SPOT_SUGGEST_HINT_BYTES])
{
    text[0] = '\0';
    if (self->nearest != NULL) {
        snprintf(text, SPOT_SUGGEST_HINT_BYTES, " (did you mean '%.128s'?)", self->nearest);
    }
    return text;
}

/* ---- Short names ---- */

/* Most candidates listed in a message. */
#define MAX_LISTED 4

/* Quality of the match of a candidate, best last. */
typedef enum { FIT_NONE, FIT_WORD, FIT_KEY, FIT_WHOLE } fit_t;

static fit_t fit_of(const char *name, const char *candidate)
{
    const size_t name_bytes = strlen(name), candidate_bytes = strlen(candidate);
    const char *end = candidate + candidate_bytes - name_bytes;

    if (name_bytes == 0 || name_bytes > candidate_bytes || strcmp(end, name) != 0) {
        return FIT_NONE;
    }
    if (end == candidate) {
        return FIT_WHOLE;
    }
    return end[-1] == '.' ? FIT_KEY : end[-1] == '_' ? FIT_WORD : FIT_NONE;
}

/* The best match of all candidates; sets the number of candidates with it and the
 * first. */
static fit_t best_fit(const char *name, const char *const *candidates, size_t num_candidates,
    size_t *first_id, size_t *num_best)
{
    fit_t best = FIT_NONE;

    *num_best = 0;
    for (size_t j = 0; j < num_candidates; j++) {
        const fit_t fit = fit_of(name, candidates[j]);

        if (fit > best) {
            best = fit;
            *first_id = j;
            *num_best = 0;
        }
        *num_best += fit == best;
    }
    return best;
}

int spot_name_match(
    const char *name, const char *const *candidates, size_t num_candidates, size_t *candidate_id)
{
    size_t first_id = 0, num_best;

    if (best_fit(name, candidates, num_candidates, &first_id, &num_best) == FIT_NONE) {
        return SPOT_NAME_UNKNOWN;
    }
    if (num_best > 1) {
        return SPOT_NAME_AMBIGUOUS;
    }
    *candidate_id = first_id;
    return 0;
}

/* The candidate that is, whole or without its first words, nearest to a name, or
 * NULL. */
static const char *nearest(const char *name, const char *const *candidates, size_t num_candidates)
{
    const char *found = NULL;
    spot_suggest_t near;

    spot_suggest_init(&near, name);
    for (size_t j = 0; j < num_candidates; j++) {
        const char *before = near.nearest;

        spot_suggest_offer(&near, candidates[j]);
        for (const char *end = candidates[j]; *end != '\0'; end++) {
            if (*end == '.' || *end == '_') {
                spot_suggest_offer(&near, end + 1);
            }
        }
        if (near.nearest != before) {
            found = candidates[j];
        }
    }
    return found;
}

/* Writes "a.depth, b.depth or c.depth", at most MAX_LISTED names, then " or 3 more". */
static void list_best(const char *name, const char *const *candidates, size_t num_candidates,
    char *text, size_t text_bytes)
{
    size_t first_id = 0, num_best, num_done = 0, used = 0;
    const fit_t best = best_fit(name, candidates, num_candidates, &first_id, &num_best);
    const size_t num_shown = num_best < MAX_LISTED ? num_best : MAX_LISTED;

    for (size_t j = first_id; j < num_candidates && num_done < num_shown; j++) {
        if (fit_of(name, candidates[j]) == best) {
            const char *comma = num_done == 0 ? "" : num_done + 1 == num_best ? " or " : ", ";
            char shown[SPOT_UTF8_SHOWN_BYTES];

            used += (size_t) snprintf(text + used, text_bytes - used, "%s%s", comma,
                spot_utf8_shown(candidates[j], shown));
            used = used < text_bytes ? used : text_bytes - 1;
            num_done++;
        }
    }
    if (num_best > num_shown) {
        snprintf(text + used, text_bytes - used, " or %zu more", num_best - num_shown);
    }
}

const char *spot_name_problem(const char *name, const char *what, const char *otherwise,
    const char *const *candidates, size_t num_candidates, char text[SPOT_NAME_PROBLEM_BYTES])
{
    const char *near = nearest(name, candidates, num_candidates);
    char shown[SPOT_UTF8_SHOWN_BYTES], other[SPOT_UTF8_SHOWN_BYTES];
    size_t first_id = 0, num_best;
    int used;

    spot_utf8_shown(name, shown);
    if (best_fit(name, candidates, num_candidates, &first_id, &num_best) != FIT_NONE) {
        used = snprintf(text, SPOT_NAME_PROBLEM_BYTES, "%s \"%s\" is ambiguous: ", what, shown);
        if (used > 0 && used < SPOT_NAME_PROBLEM_BYTES) {
            list_best(name, candidates, num_candidates, text + used,
                SPOT_NAME_PROBLEM_BYTES - (size_t) used);
        }
    } else if (near != NULL) {
        snprintf(text, SPOT_NAME_PROBLEM_BYTES, "unknown %s \"%s\", did you mean \"%s\"?", what,
            shown, spot_utf8_shown(near, other));
    } else {
        snprintf(text, SPOT_NAME_PROBLEM_BYTES, "unknown %s \"%s\"%s", what, shown, otherwise);
    }
    return text;
}
