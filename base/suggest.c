/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
