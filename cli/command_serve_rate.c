/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_call.h"

static int run(spot_call_t *call)
{
    return spot_serve_call_find(call, SPOT_SERVE_RATE);
}

const spot_command_t spot_command_serve_rate = {
    .name = "serve rate",
    .arguments = "SCENARIO",
    .summary = "Find the highest rate that a budget serves in time",
    .doc = "Stretches or squeezes the times between the scenario's queries to whole "
           "rates per second, and finds the highest one, with its configuration, that "
           "meets the objective at a cost per hour within plan.budget. The methods are "
           "exact and greedy. The exit code is 1 if there is none.",
    .examples = "  spotsim serve rate pipeline.yaml --set plan.budget=8\n"
                "  spotsim serve rate pipeline.yaml --method greedy --json\n",
    .options = spot_serve_plan_options,
    .arguments_bytes = sizeof(spot_serve_arguments_t),
    .initial = &spot_serve_initial,
    .run = run,
};
