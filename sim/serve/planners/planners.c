/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planner.h"

const spot_planner_t *const spot_serve_planners[] = {
    &spot_planner_exact,
    &spot_planner_greedy,
    &spot_planner_polish,
    &spot_planner_brute,
    NULL,
};
