/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/run.h"

#include <stdio.h>
#include <stdlib.h>

int spot_serve_replication_init(
    spot_serve_replication_t *self, const spot_serve_scenario_t *scenario)
{
    self->scenario = scenario;
    self->plans = spot_calloc(scenario->pipeline.num_stages, sizeof(*self->plans));
    return self->plans == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

void spot_serve_replication_free(spot_serve_replication_t *self)
{
    spot_arrivals_free(&self->arrivals);
    spot_planned_free(&self->planned);
    spot_outages_delete(self->outages);
    spot_serve_free(&self->serve);
    spot_latencies_free(&self->latencies);
    free(self->plans);
}

/* The configuration: that of the scenario, or that of a planner on these queries. */
static int choose(spot_serve_replication_t *self)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    const spot_plan_request_t request = {.scenario = scenario,
        .arrivals = &self->arrivals,
        .slo_ns = scenario->slo.latency_ns,
        .max_cost = scenario->plan.max_cost,
        .budget = scenario->plan.budget,
        .replication = self->replication};
    int ret;

    self->options = scenario->options;
    if (scenario->config_form != 0) {
        return 0;
    }
    spot_planned_free(&self->planned);
    self->options = NULL;
    if (isnan(self->arrivals.rate_qps)) {
        self->planned.why_none = "no arrival rate: all deltas are 0";
        return 0;
    }
    ret = spot_serve_plan(spot_serve_planners[scenario->planner_id], &request, &self->planned);
    self->options = self->planned.plan.options;
    return ret == SPOT_ERR_BAD_PARAM && self->planned.why_none != NULL ? 0 : ret;
}

/* Outages for the spot slots of these options; their number may differ from one
 * replication to the next where a planner chooses. */
static int open_outages(spot_serve_replication_t *self)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    const size_t num_stages = scenario->pipeline.num_stages;
    int32_t num_slots[SPOT_SERVE_MAX_NODES];
    int64_t num_all = 0;

    if (self->outages != NULL && scenario->config_form != 0) {
        return 0;
    }
    for (size_t j = 0; j < num_stages; j++) {
        num_slots[j] = spot_stage_option_spot_slots(&self->options[j]);
        num_all += num_slots[j];
    }
    spot_outages_delete(self->outages);
    self->outages = NULL;
    return num_all == 0
               ? 0
               : spot_outages_new(&self->outages, &scenario->outages, num_stages, num_slots);
}

spot_gate_t spot_serve_verdict(
    const spot_serve_replication_t *self, int64_t slo_ns, int64_t percentile_milli)
{
    return spot_gate_verdict(self->scenario, self->options, self->arrivals.rate_qps, slo_ns,
        spot_latencies_percentile(&self->latencies, percentile_milli));
}

int64_t spot_serve_taken(const spot_serve_stage_t *stage)
{
    int64_t num_taken = 0;

    for (int64_t n = 1; n <= stage->option.batch; n++) {
        num_taken += n * stage->histogram[n];
    }
    return num_taken;
}

/* Queries that no replica is left for. */
static void describe_failure(spot_serve_replication_t *self)
{
    const spot_serve_t *serve = &self->serve;
    const size_t num_open = serve->run.num_queries - serve->num_left;

    self->failure[0] = '\0';
    for (size_t j = 0; j < serve->num_stages && num_open > 0; j++) {
        const spot_serve_stage_t *stage = &serve->stages[j];
        int64_t last_ns = 0;

        for (size_t k = 0; k < stage->num_spans; k++) {
            const spot_slot_span_t *span = &stage->spans[k];

            last_ns = span->is_serving && span->to_ns > last_ns ? span->to_ns : last_ns;
        }
        if (stage->tail > stage->head) {
            snprintf(self->failure, sizeof(self->failure),
                "%zu quer%s never finished: no slot of %.60s after %.15g s", num_open,
                num_open == 1 ? "y" : "ies", stage->node->id, (double) last_ns / 1e9);
            return;
        }
    }
}

int spot_serve_replication_run(
    spot_serve_replication_t *self, const spot_replication_t *replication, bool is_recorded)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    spot_serve_run_t run = {.pipeline = &scenario->pipeline,
        .rent = &scenario->outages.rent,
        .stop = replication->stop,
        .is_recorded = is_recorded};
    int ret;

    self->replication = *replication;
    ret = spot_arrivals_draw(
        &self->arrivals, &scenario->arrivals, replication->seed, replication->replication);
    ret = ret != 0 ? ret : choose(self);
    if (ret != 0) {
        return ret;
    }
    if (self->options == NULL) {
        snprintf(self->failure, sizeof(self->failure), "no configuration was found: %s",
            self->planned.why_none != NULL ? self->planned.why_none
                                           : spot_gate_names[self->planned.plan.gate]);
        return 0;
    }
    ret = open_outages(self);
    if (ret != 0) {
        return ret;
    }
    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        self->plans[j] = spot_serve_scenario_stage(scenario, j, &self->options[j]);
    }
    run.num_queries = self->arrivals.num_queries;
    run.source_ns = self->arrivals.source_ns;
    run.outages = self->outages;
    if (self->outages != NULL) {
        spot_outages_start(self->outages, replication->seed, replication->replication,
            run.source_ns[run.num_queries - 1]);
    }
    ret = spot_serve_run(&self->serve, &run, self->plans);
    ret = ret != 0 ? ret
                   : spot_latencies_take(
                         &self->latencies, run.num_queries, run.source_ns, self->serve.sink_ns);
    if (ret == 0) {
        self->gate =
            spot_serve_verdict(self, scenario->slo.latency_ns, scenario->slo.percentile_milli);
        describe_failure(self);
    }
    return ret;
}
