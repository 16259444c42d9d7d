/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The known name that a given one stands for.
 *
 * spot_suggest_t finds the nearest of the names that it is offered, for "did you mean
 * ...?". spot_name_match() finds the long name that a short one stands for: "depth" or
 * "pipeline_depth" for job.pipeline_depth. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* ---- The nearest name ---- */

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

/* ---- Short names ---- */

/* Outcomes of a search without a single result. */
enum { SPOT_NAME_UNKNOWN = 1, SPOT_NAME_AMBIGUOUS = 2 };

/* Finds the candidate of a name: the one equal to it; else the one that ends with
 * ".name"; else the one that ends with "_name". Sets *candidate_id if there is exactly
 * one at the best of these levels. Returns 0 or an outcome. O(bytes of the
 * candidates). */
SPOT_MUST_CHECK int spot_name_match(
    const char *name, const char *const *candidates, size_t num_candidates, size_t *candidate_id);

/* Writes the reason why spot_name_match() found no single candidate: 'unknown WHAT
 * "dpth", did you mean "job.pipeline_depth"?', or 'WHAT "depth" is ambiguous: a.depth or
 * b.depth' with the first candidates, or 'unknown WHAT "x"' and otherwise if no
 * candidate is near. A candidate is also near if its end is near the name, which may be
 * a short form. Returns text. */
#define SPOT_NAME_PROBLEM_BYTES 512
const char *spot_name_problem(const char *name, const char *what, const char *otherwise,
    const char *const *candidates, size_t num_candidates, char text[SPOT_NAME_PROBLEM_BYTES]);
