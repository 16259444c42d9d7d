/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "sim/serve/run.h"

/* FNV-1a over the latencies by id, as 8 bytes each, the lowest first; -1 and -2 where a
 * query was lost or never finished. */
static uint64_t checksum(const spot_serve_t *serve)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t j = 0; j < serve->run.num_queries; j++) {
        const int64_t sink_ns = serve->sink_ns[j];
        uint64_t bits = (uint64_t) (sink_ns < 0 ? sink_ns : sink_ns - serve->run.source_ns[j]);

        for (int k = 0; k < 8; k++, bits >>= 8) {
            hash = (hash ^ (bits & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static void write_latency(const spot_serve_replication_t *run, spot_json_t *json)
{
    static const struct {
        const char *key;
        int64_t percentile_milli;
    } rows[] = {{"min", 0}, {"p50", 50000}, {"p95", 95000}, {"p99", 99000}, {"p99_9", 99900},
        {"max", 100000}};
    char text[17];

    spot_json_open(json, "latency_ns", '{');
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        const int64_t ns = spot_latencies_percentile(&run->latencies, rows[j].percentile_milli);

        if (ns == INT64_MAX) { /* infinite: null */
            spot_json_number(json, rows[j].key, (double) INFINITY);
        } else {
            spot_json_integer(json, rows[j].key, ns);
        }
    }
    spot_json_integer(json, "sum", run->latencies.sum_ns);
    snprintf(text, sizeof(text), "%016" PRIx64, checksum(&run->serve));
    spot_json_text(json, "checksum", text);
    spot_json_close(json, '}');
}

/* The latency of objective j: that of the scenario, then those of its frontier. Returns
 * false if it has come before. */
static bool find_objective(const spot_serve_scenario_t *scenario, size_t j, int64_t *slo_ns)
{
    bool is_new = j == 0 || scenario->frontier_ns[j - 1] != scenario->slo.latency_ns;

    *slo_ns = j == 0 ? scenario->slo.latency_ns : scenario->frontier_ns[j - 1];
    for (size_t k = 0; k + 1 < j; k++) {
        is_new &= scenario->frontier_ns[k] != *slo_ns;
    }
    return is_new;
}

/* By objective: late queries; or the gates, at its percentile and at the maximum. */
static void write_objectives(
    const spot_serve_replication_t *run, bool is_verdict, spot_json_t *json)
{
    const int64_t milli[2] = {run->scenario->slo.percentile_milli, 100000};
    char key[64];
    int64_t slo_ns;

    spot_json_open(json, is_verdict ? "verdict" : "late", '{');
    for (size_t j = 0; j <= run->scenario->num_frontier; j++) {
        if (!find_objective(run->scenario, j, &slo_ns)) {
            continue;
        }
        for (int k = 0; k < (milli[0] == milli[1] ? 1 : 2) && is_verdict; k++) {
            snprintf(key, sizeof(key), "%.15g ms p%.15g", (double) slo_ns / 1e6,
                (double) milli[k] / 1000);
            spot_json_text(json, key, spot_gate_names[spot_serve_verdict(run, slo_ns, milli[k])]);
        }
        if (!is_verdict) {
            spot_number_text((double) slo_ns / 1e6, key);
            spot_json_integer(json, key, (int64_t) spot_latencies_late(&run->latencies, slo_ns));
        }
    }
    spot_json_close(json, '}');
}

static void write_fleet(const spot_stage_result_t *result, spot_json_t *json)
{
    spot_json_open(json, "fleet", '{');
    spot_json_integer(json, "on_demand_ns", result->paid_ns[0]);
    spot_json_integer(json, "spot_ns", result->paid_ns[1]);
    spot_json_integer(json, "serving_ns", result->serving_ns[0] + result->serving_ns[1]);
    spot_json_integer(json, "spot_serving_ns", result->serving_ns[1]);
    spot_json_integer(json, "batches_cut", result->batches_cut);
    spot_json_integer(json, "wasted_ns", result->wasted_ns);
    spot_json_integer(json, "fallback_launches", result->fallback_launches);
    spot_json_integer(json, "launches", result->launches);
    spot_json_integer(json, "max_tries", result->tries_max);
    spot_json_integer(json, "peak_replicas", result->peak_replicas);
    spot_json_close(json, '}');
}

static void write_stage(const spot_serve_replication_t *run, size_t stage_id, spot_json_t *json)
{
    const spot_serve_stage_t *stage = &run->serve.stages[stage_id];
    const spot_stage_result_t *result = &stage->result;

    spot_json_integer(json, "queries", result->queries);
    spot_json_integer(json, "batches", result->batches);
    spot_json_open(json, "batch_histogram", '{');
    for (int64_t n = 1; n <= stage->option.batch; n++) {
        char text[24];

        if (stage->histogram[n] > 0) {
            snprintf(text, sizeof(text), "%" PRId64, n);
            spot_json_integer(json, text, stage->histogram[n]);
        }
    }
    spot_json_close(json, '}');
    spot_json_number(
        json, "mean_batch", spot_serve_ratio(spot_serve_taken(stage), result->batches));
    spot_json_integer(json, "queue_max", result->queue_max);
    spot_json_integer(json, "queue_area_ns", result->queue_area_ns);
    spot_json_number(
        json, "queue_mean", spot_serve_ratio(result->queue_area_ns, run->serve.end_ns));
    spot_json_number(json, "queue_seen_mean", spot_serve_ratio(result->seen, result->queries));
    spot_json_integer(json, "wait_sum_ns", result->wait_sum_ns);
    spot_json_integer(json, "busy_ns", result->busy_ns);
    spot_json_number(json, "utilisation",
        spot_serve_ratio(result->busy_ns, result->serving_ns[0] + result->serving_ns[1]));
    spot_json_number(
        json, "capacity_qps", spot_gate_capacity(run->scenario, stage_id, &run->options[stage_id]));
    if (run->scenario->outages.kind != SPOT_OUTAGES_NONE ||
        stage->option.scale.kind != SPOT_SCALE_NONE) {
        write_fleet(result, json);
    }
}

static void write_config(const spot_serve_replication_t *run, size_t stage_id, spot_json_t *json)
{
    const spot_stage_option_t *option = &run->options[stage_id];

    spot_json_text(json, "hardware", run->scenario->prices.prices[option->hardware_id].name);
    spot_json_integer(json, "batch", option->batch);
    spot_json_integer(json, "replicas", option->replicas);
    if (option->delay_ns > 0) {
        spot_json_number(json, "delay_ms", (double) option->delay_ns / 1e6);
        spot_json_boolean(json, "release_when_full", option->releases_when_full != 0);
    }
}

/* An object with a member for each stage. */
static void write_stages(const spot_serve_replication_t *run, const char *key,
    void (*write)(const spot_serve_replication_t *, size_t, spot_json_t *), spot_json_t *json)
{
    spot_json_open(json, key, '{');
    for (size_t j = 0; j < run->serve.num_stages; j++) {
        spot_json_open(json, run->serve.stages[j].node->id, '{');
        write(run, j, json);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

static void write_figures(const spot_serve_replication_t *run, spot_json_t *json)
{
    const spot_serve_scenario_t *scenario = run->scenario;
    int64_t max_waiting = 0;

    for (size_t j = 0; j < scenario->pipeline.num_nodes; j++) {
        const int64_t waiting = run->serve.joins[j].max_waiting;

        max_waiting = waiting > max_waiting ? waiting : max_waiting;
    }
    spot_json_integer(json, "queries", (int64_t) run->serve.run.num_queries);
    spot_json_number(json, "rate_qps", run->arrivals.rate_qps);
    spot_json_number(json, "arrival_cv", run->arrivals.cv);
    spot_json_number(json, "arrival_scv", run->arrivals.cv * run->arrivals.cv);
    spot_json_number(
        json, "cost", (double) spot_serve_scenario_total(run->scenario, run->options) / 1e6);
    spot_json_number(json, "cost_total", spot_serve_cost(run));
    spot_json_integer(json, "min_latency_ns", spot_gate_least_latency(scenario, run->options));
    spot_json_integer(json, "t_end_ns", run->serve.end_ns);
    write_latency(run, json);
    write_objectives(run, false, json);
    spot_json_integer(json, "join_max_waiting", max_waiting);
    spot_json_integer(json, "lost", (int64_t) run->serve.num_lost);
    spot_json_integer(
        json, "unfinished", (int64_t) (run->serve.run.num_queries - run->serve.num_left));
    write_stages(run, "nodes", write_stage, json);
    write_stages(run, "config", write_config, json);
    write_objectives(run, true, json);
    spot_json_boolean(json, "feasible", run->gate == SPOT_GATE_FEASIBLE);
}

void spot_serve_json_write(const spot_serve_replication_t *self, spot_json_t *json)
{
    unsigned char flags[SPOT_SERVE_NUM_WARNINGS] = {0};

    spot_json_text(json, "engine", "serve");
    spot_json_text(json, "scenario", self->scenario->name);
    spot_json_text(json, "service", self->scenario->service->name);
    if (self->options != NULL) {
        write_figures(self, json);
    }
    spot_serve_warning_flags(self, flags);
    spot_replication_json_end(json, SPOT_SERVE_NUM_WARNINGS, spot_serve_warnings, flags,
        self->replication.seed, self->replication.replication);
}
