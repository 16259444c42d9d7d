/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names for long ones: "depth" or "pipeline_depth" for job.pipeline_depth. */
#pragma once

#include <stddef.h>

#include "base/error.h"

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
