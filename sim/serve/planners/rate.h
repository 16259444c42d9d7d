/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What planners give at other rates: the queries come at the same pattern, faster or slower. */
#pragma once

#include "sim/serve/planning.h"

/* Zeroed but for planning and options; free arrivals. */
typedef struct {
    spot_planning_t *planning;
    spot_arrivals_t arrivals; /* rescaled */
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES];
} spot_rate_t;

/* Plans for the queries at a rate from now on. */
SPOT_MUST_CHECK int spot_rate_set(spot_rate_t *self, int64_t rate_qps);

/* What the options give at a rate. */
SPOT_MUST_CHECK int spot_rate_evaluate(
    spot_rate_t *self, int64_t rate_qps, bool is_full, spot_serving_plan_t *plan);

/* The highest rate of the options, by bisection. */
SPOT_MUST_CHECK int spot_rate_find(spot_rate_t *self, int64_t *rate_qps);
