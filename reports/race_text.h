/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a race in words. */
#pragma once

#include <stdio.h>

#include "sim/analysis/race_answer.h"

/* The best point, what else may be the best, how sure that is and what it took; or why
 * there is no answer. Some ten lines. */
void spot_race_text_write(const spot_race_answer_t *answer, FILE *out);

/* The word for how a race ended or that it did not: "decided", "undecided" (the maximum
 * of replications is reached with several points that matter), "infeasible" (no point
 * keeps the constraints), "unknown" (none is known to), "undefined" (the metric is null
 * too often at all points that keep the constraints), "unfinished". */
const char *spot_race_outcome(const spot_race_answer_t *answer);
