/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The definition of the exact planner by plain enumeration: every configuration up to a
 * cost, by runs of all events. */
#pragma once

#include "sim/serve/planning.h"

/* From the replicas that keep up with a rate. BAD_PARAM: more than max_configurations. */
int all_plans(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned);
