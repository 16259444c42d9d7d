/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_call.h"

static int run(spot_call_t *call)
{
    return spot_serve_call_find(call, SPOT_SERVE_PLAN);
}

/* A planner. */
static const char *planner(size_t j, const char **name)
{
    const spot_planner_t *const planned = spot_serve_planners[j];

    *name = planned == NULL ? NULL : planned->name;
    return planned == NULL ? NULL : planned->doc;
}

const spot_command_t spot_command_serve_plan = {
    .name = "serve plan",
    .arguments = "SCENARIO",
    .summary = "Find the cheapest configuration that serves in time",
    .doc = "Chooses hardware, batch limit and replicas of each stage, so that the "
           "percentile of the latencies of the scenario's own queries is within the "
           "objective. proven: no cheaper configuration meets it. headroom: the highest "
           "rate that the configuration can take, in multiples of the rate. stage_runs: "
           "simulations of one stage. The exit code is 1 if there is no plan; the verdict "
           "is then the gate that fails: throughput, latency (the fastest way through "
           "is too slow) or slo. With --json an exact plan has those of greedy and polish "
           "beside it. Planners:",
    .examples = "  spotsim serve plan pipeline.yaml\n"
                "  spotsim serve plan pipeline.yaml --method greedy --json\n"
                "  spotsim serve plan pipeline.yaml --set \"slo.latency=250 ms\"\n",
    .options = spot_serve_plan_options,
    .item = planner,
    .arguments_bytes = sizeof(spot_serve_arguments_t),
    .initial = &spot_serve_initial,
    .run = run,
};
