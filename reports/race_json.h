/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a race as JSON. */
#pragma once

#include "base/json.h"
#include "sim/analysis/race_answer.h"

/* The member "optimise" of the open object: what was asked for, the outcome, the best
 * point, and for each swept key the values that may be the best. What is not there is
 * null. */
void spot_race_json_write(const spot_race_answer_t *answer, spot_json_t *json);
