/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "cli/serve_call.h"
#include "sim/serve/run.h"

/* A row for each gate: what must not be above its limit. */
static void fill_gates(const spot_serve_replication_t *run, size_t least_id, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "gate", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "value"},
        {.name = "limit"}, {.name = "margin", .has_sign = true},
        {.name = "unit", .kind = SPOT_TABLE_TEXT}, {.name = "verdict", .kind = SPOT_TABLE_TEXT}};
    const spot_serve_scenario_t *scenario = run->scenario;
    const double slo_ms = spot_serve_ms(scenario->slo.latency_ns);
    const struct {
        double value, limit;
        const char *unit;
    } rows[] = {{run->arrivals.rate_qps,
                    spot_gate_capacity(scenario, least_id, &run->options[least_id]), "queries/s"},
        {spot_serve_ms(spot_gate_least_latency(scenario, run->options)), slo_ms, "ms"},
        {spot_serve_ms(spot_latencies_percentile(&run->latencies, scenario->slo.percentile_milli)),
            slo_ms, "ms"}};

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, spot_gate_names[SPOT_GATE_THROUGHPUT + j]);
        spot_table_add_number(table, rows[j].value);
        spot_table_add_number(table, rows[j].limit);
        spot_table_add_number(table, rows[j].limit - rows[j].value);
        spot_table_add_text(table, rows[j].unit);
        spot_table_add_text(table, rows[j].value <= rows[j].limit ? "met" : "fails");
    }
}

static void fill_summary(const spot_serve_replication_t *run, size_t least_id, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "verdict", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "bottleneck", .kind = SPOT_TABLE_TEXT}, {.name = "cost"}, {.name = "late"},
        {.name = "lost"}, {.name = "unfinished"}};
    const spot_serve_scenario_t *scenario = run->scenario;
    const int64_t cost_micro = spot_serve_scenario_total(scenario, run->options);

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    spot_table_add_row(table);
    spot_table_add_text(table, spot_gate_names[run->gate]);
    spot_table_add_text(table, spot_serve_pipeline_stage_node(&scenario->pipeline, least_id)->id);
    spot_table_add_number(table, (double) cost_micro / 1e6);
    spot_table_add_count(
        table, (int64_t) spot_latencies_late(&run->latencies, scenario->slo.latency_ns));
    spot_table_add_count(table, (int64_t) run->serve.num_lost);
    spot_table_add_count(table, (int64_t) (run->serve.run.num_queries - run->serve.num_left));
}

static int check(spot_serve_call_t *self, spot_serve_replication_t *run)
{
    spot_table_t tables[] = {{.name = "gates"}, {.name = "summary"}};
    int ret = spot_serve_replication_run(run, &self->replication, false);
    const char *warning = self->scenario.service->warning;
    size_t least_id;

    if (warning != NULL) {
        spot_diag_warn(&self->call->diag, self->arguments->scenario_path, 0, 0, "%s", warning);
    }
    if (ret == 0 && run->options != NULL) {
        least_id = spot_gate_bottleneck(run->scenario, run->options);
        fill_gates(run, least_id, &tables[0]);
        fill_summary(run, least_id, &tables[1]);
        spot_serve_call_note(self, &tables[1]);
        ret = spot_serve_call_results(self, 2, tables);
    }
    if (ret == 0 && run->failure[0] != '\0') {
        spot_diag_error(
            &self->call->diag, self->arguments->scenario_path, 0, 0, "%s", run->failure);
        return SPOT_ERR_NOTHING_DONE;
    }
    return ret == 0 && run->gate != SPOT_GATE_FEASIBLE ? SPOT_EXIT_FAILED : ret;
}

static int run(spot_call_t *call)
{
    spot_serve_replication_t replication = {.scenario = NULL};
    spot_serve_call_t self;
    int ret = spot_serve_call_open(&self, call);

    if (ret == 0 && self.scenario.config_form != 0 && self.scenario.num_configs == 0) {
        ret = spot_serve_call_error(&self, "config", "config is needed: an option for each stage");
    }
    ret = ret != 0 ? ret : spot_serve_replication_init(&replication, &self.scenario);
    ret = ret != 0 ? ret : check(&self, &replication);
    spot_serve_replication_free(&replication);
    spot_serve_call_close(&self);
    return ret;
}

const spot_command_t spot_command_serve_check = {
    .name = "serve check",
    .arguments = "SCENARIO",
    .summary = "Check a configuration against its latency objective",
    .doc = "Three gates in this order; the first one that fails is the verdict. "
           "throughput: the rate of the queries against what the stage of least "
           "capacity, the bottleneck, can do. latency: the fastest way through the "
           "pipeline against the objective. slo: the percentile of the simulated "
           "latencies, with preemptions if the scenario has them, against the "
           "objective. The exit code is 1 if a gate fails.",
    .examples = "  spotsim serve check pipeline.yaml\n"
                "  spotsim serve check pipeline.yaml --set config.ResNet.replicas=2\n",
    .options = spot_serve_options,
    .arguments_bytes = sizeof(spot_serve_arguments_t),
    .initial = &spot_serve_initial,
    .run = run,
};
