/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of what `spotsim advise` searched: mean cost by the size of the fleet. */
#pragma once

#include "reports/draw.h"
#include "sim/bench/analysis/advice_result.h"

/* A marker for each alternative, filled if it keeps the goal and the budget, by market;
 * the answer has its name. context is a spot_advice_result_t. */
SPOT_MUST_CHECK int spot_advice_declare(spot_chart_t *chart, const void *context);
