/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All options of a stage up to a cost, for planners that search the whole space. */
#pragma once

#include "sim/serve/planning.h"

typedef struct {
    spot_stage_option_t option;
    int64_t cost_micro;
    int32_t rank; /* by key: hardware order, batch limit, replicas */
} spot_choice_t;

/* Zero it to start. */
typedef struct {
    size_t num_choices, max_choices;
    spot_choice_t *choices; /* [num_choices] by rank */
} spot_choices_t;

/* Replicas from 1 on, or from those that keep up with the queries if is_needed.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_choices_make(spot_choices_t *self,
    const spot_planning_t *planning, size_t stage_id, bool is_needed, int64_t max_micro);
void spot_choices_free(spot_choices_t *self);

/* The least cost of a stage whose replicas keep up with a rate, by spot_planning_need;
 * INT64_MAX: there is none. */
int64_t spot_choices_least(
    const spot_planning_t *planning, size_t stage_id, double rate_qps);
