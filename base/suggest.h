/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "did you mean ...?" for keys, options and names. */
#ifndef SPOT_BASE_SUGGEST_H
#define SPOT_BASE_SUGGEST_H

#include <stddef.h>

/* The nearest of num_names names to text by restricted edit distance (insert, delete,
 * replace, swap neighbours), if it is near enough: about a third of the longer one's
 * letters differ at most. The first of equals wins. Texts over 63 bytes are never near.
 * Time complexity: O(letters^2) an offer. */
typedef struct {
    const char *text;    /* must outlive self */
    const char *nearest; /* NULL so far */
    size_t distance;
} spot_suggest_t;

void spot_suggest_init(spot_suggest_t *self, const char *text);
void spot_suggest_offer(spot_suggest_t *self, const char *name);

#endif
