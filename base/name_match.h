/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names for long ones: "depth" or "pipeline_depth" for job.pipeline_depth. */
#ifndef SPOT_BASE_NAME_MATCH_H
#define SPOT_BASE_NAME_MATCH_H

#include <stddef.h>

#include "base/error.h"

/* Outcomes of a search that found no one candidate. */
enum { SPOT_NAME_UNKNOWN = 1, SPOT_NAME_AMBIGUOUS = 2 };

/* Which candidate a name means: the one that it equals; else the one that ends with
 * ".name"; else the one that ends with "_name". *candidate_id is set where there is just
 * one at the best of these levels. Returns 0 or an outcome. O(bytes of the candidates).
 */
SPOT_MUST_CHECK int spot_name_match(const char *name, const char *const *candidates,
    size_t num_candidates, size_t *candidate_id);

/* Why spot_name_match() found no one candidate, for a message: 'unknown WHAT "dpth", did
 * you mean "job.pipeline_depth"?', or 'WHAT "depth" is ambiguous: a.depth or b.depth'
 * with the first candidates; otherwise ends what is said of a name that is like none. A
 * name that is near the end of a candidate, as it might have been shortened, suggests
 * it. Returns text. */
#define SPOT_NAME_PROBLEM_BYTES 512
const char *spot_name_problem(const char *name, const char *what, const char *otherwise,
    const char *const *candidates, size_t num_candidates,
    char text[SPOT_NAME_PROBLEM_BYTES]);

#endif
