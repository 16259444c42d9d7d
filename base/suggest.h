/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "did you mean ...?" for keys, options and names. */
#pragma once

#include <stddef.h>

/* Finds the name nearest to text by restricted edit distance (insert, delete, replace,
 * swap neighbours), if at most about a third of the letters of the longer one differ;
 * without one the name whose first part is text: idle_fraction for "idle". The first of
 * equal names wins. Texts over 63 bytes are never near. O(letters^2) per offer. */
typedef struct {
    const char *text;    /* must outlive self */
    const char *nearest; /* NULL: none near enough so far */
    size_t distance;
} spot_suggest_t;

void spot_suggest_init(spot_suggest_t *self, const char *text);
void spot_suggest_offer(spot_suggest_t *self, const char *name);

/* " (did you mean 'TPX'?)", or "" without a name; in text. */
#define SPOT_SUGGEST_HINT_BYTES 160
const char *spot_suggest_hint(const spot_suggest_t *self, char text[SPOT_SUGGEST_HINT_BYTES]);
