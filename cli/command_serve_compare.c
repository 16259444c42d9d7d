/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_call.h"

static int run(spot_call_t *call)
{
    return spot_serve_call_find(call, SPOT_SERVE_COMPARE);
}

const spot_command_t spot_command_serve_compare = {
    .name = "serve compare",
    .arguments = "SCENARIO",
    .summary = "Compare the plans of greedy, polish and exact",
    .doc = "Finds the cheapest configuration for the scenario by three planners, see "
           "'spotsim serve plan --help'. gap_percent: how much more it costs than that "
           "of exact. runs: simulations of one stage. --json has the "
           "configurations and what each planner did. The exit code is 1 if no planner "
           "finds a plan.",
    .examples = "  spotsim serve compare pipeline.yaml\n"
                "  spotsim serve compare pipeline.yaml --json -o plans.json\n",
    .options = spot_serve_options,
    .arguments_bytes = sizeof(spot_serve_arguments_t),
    .initial = &spot_serve_initial,
    .run = run,
};
