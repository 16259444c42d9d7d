/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/run.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_limit.h"
#include "base/number.h"
#include "sim/serve/planning.h"
#include "sim/serve/serve.h"

typedef spot_serve_scenario_t scenario_t;

static double serve_series_bytes(const spot_serve_scenario_t *scenario, double num_queries);

/* ---- What a run takes in memory ---- */

/* A run, and its latencies. */
static double run_bytes(const scenario_t *self, double num_queries, bool is_recorded)
{
    return spot_serve_bytes(&self->pipeline, self->options, num_queries, is_recorded) +
           spot_latencies_bytes(num_queries);
}

static int check_queries(
    const scenario_t *self, const spot_node_t *root, double more_bytes, spot_diag_t *diag)
{
    return spot_arrivals_check_memory(
        &self->arrivals, diag, spot_node_get(root, "arrivals"), more_bytes);
}

/* Slots, each with room for a batch where that may be cut. */
static int check_slots(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    spot_memory_need_t need = {.things = "replicas",
        .bytes = spot_serve_bytes(&self->pipeline, self->options, 0, false),
        .is_of_run = true};

    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        need.count += spot_stage_option_slots(&self->options[j]);
    }
    return spot_memory_check(&need, diag, spot_node_place(root, "config"), "config");
}

/* Outages that are drawn while queries arrive: a row each, and two spans of what is paid. */
static int check_outages(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_outage_setting_t *outages = &self->outages;
    const double cycle_ns = (double) (outages->mtbf_ns + outages->recover_ns +
                                      outages->rent.preparation_ns + outages->rent.load_ns);
    const double bytes = sizeof(spot_outage_t) + 2 * sizeof(spot_slot_span_t);
    spot_memory_need_t need = {.things = "outages", .is_of_run = true};

    if (outages->kind != SPOT_OUTAGES_HAZARD) {
        return 0;
    }
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        need.count += spot_stage_option_spot_slots(&self->options[j]);
    }
    need.count *= spot_arrivals_mean_ns(&self->arrivals) / cycle_ns;
    need.bytes = need.count * bytes;
    return spot_memory_check(&need, diag, spot_node_place(root, "preemptions"), "preemptions");
}

int spot_serve_check_planning(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);

    return check_queries(self, root,
        run_bytes(self, num_queries, false) + spot_planning_bytes(self, num_queries), diag);
}

int spot_serve_check_memory(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);
    int ret = check_slots(self, root, diag);

    ret = ret != 0 ? ret : check_outages(self, root, diag);
    if (ret == 0 && self->config_form == 0) {
        return spot_serve_check_planning(self, root, diag);
    }
    return ret != 0 ? ret : check_queries(self, root, run_bytes(self, num_queries, false), diag);
}

int spot_serve_check_recording(const void *scenario, const spot_node_t *root, spot_diag_t *diag)
{
    const scenario_t *self = scenario;
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);

    return check_queries(self, root,
        run_bytes(self, num_queries, true) + serve_series_bytes(self, num_queries), diag);
}

/* NAN where nothing is divided by. */
static inline double serve_ratio(int64_t numerator, int64_t denominator)
{
    return denominator == 0 ? (double) NAN : (double) numerator / (double) denominator;
}

static spot_gate_t serve_verdict(
    const spot_serve_replication_t *self, int64_t slo_ns, int64_t percentile_milli);
static int64_t serve_taken(const spot_serve_stage_t *stage);

/* ---- Metrics ---- */

#define NS_PER_H 3.6e12

/* ---- Sums ---- */

/* What metrics are: of a stage, or of a run with the sums over its stages. */
typedef struct {
    double batches, batches_cut, taken, launches;
    double queue_max, replicas_peak, capacity_qps; /* of one stage */
    double cost, spot_cost;
    double paid_h, serving_h, prepping_h, busy_h, useful_h, wasted_h, idle_h, queued_h;
    /* Of a run only. */
    double latency_p50_ms, latency_p95_ms, latency_p99_ms, latency_p99_9_ms;
    double latency_max_ms, latency_sum_ms;
    double queries, late, on_time, lost, unfinished;
    double rate_qps, arrival_cv, arrival_scv, hours, feasible, nominal_cost_per_hour;
} sums_t;

static double hours(int64_t ns)
{
    return (double) ns / NS_PER_H;
}

static void add_stage(sums_t *self, const spot_serve_replication_t *run, size_t stage_id)
{
    const spot_serve_stage_t *stage = &run->serve.stages[stage_id];
    const spot_stage_result_t *result = &stage->result;
    const double serving_h = hours(result->serving_ns[0]) + hours(result->serving_ns[1]);
    const double busy_h = hours(result->busy_ns - result->overrun_ns);

    self->batches += (double) result->batches;
    self->batches_cut += (double) result->batches_cut;
    self->taken += (double) serve_taken(stage);
    self->launches += (double) result->launches;
    self->queue_max = (double) result->queue_max;
    self->replicas_peak = (double) result->peak_replicas;
    self->capacity_qps = spot_gate_capacity(run->scenario, stage_id, &run->options[stage_id]);
    for (int j = 0; j < 2; j++) {
        const double paid_ns = (double) result->paid_ns[j];
        /* without a price for spot there is no time of spot */
        const double cost = paid_ns > 0 ? stage->price_per_h[j] * paid_ns / NS_PER_H : 0;

        self->cost += cost;
        self->spot_cost += j == 1 ? cost : 0;
        self->paid_h += paid_ns / NS_PER_H;
        self->prepping_h += hours(result->paid_ns[j] - result->serving_ns[j]);
    }
    self->serving_h += serving_h;
    self->busy_h += busy_h;
    self->useful_h += busy_h - hours(result->wasted_ns);
    self->wasted_h += hours(result->wasted_ns);
    self->idle_h += serving_h - busy_h;
    self->queued_h += hours(result->queue_area_ns);
}

/* A percentile in 1/1000 %. */
static double percentile_ms(const spot_serve_replication_t *run, int64_t percentile_milli)
{
    const int64_t ns = spot_latencies_percentile(&run->latencies, percentile_milli);

    return ns == INT64_MAX ? (double) NAN : (double) ns / 1e6;
}

static sums_t sum_run(const spot_serve_replication_t *run)
{
    const spot_serve_t *serve = &run->serve;
    const spot_latencies_t *latencies = &run->latencies;
    const double queries = (double) serve->run.num_queries;
    const double late = (double) spot_latencies_late(latencies, run->scenario->slo.latency_ns);
    sums_t sums = {.latency_p50_ms = percentile_ms(run, 50000),
        .latency_p95_ms = percentile_ms(run, 95000),
        .latency_p99_ms = percentile_ms(run, 99000),
        .latency_p99_9_ms = percentile_ms(run, 99900),
        .latency_max_ms = percentile_ms(run, 100000),
        .latency_sum_ms =
            latencies->num_infinite > 0 ? (double) NAN : (double) latencies->sum_ns / 1e6,
        .queries = queries,
        .late = late,
        .on_time = queries - late,
        .lost = (double) serve->num_lost,
        .unfinished = queries - (double) serve->num_left,
        .rate_qps = run->arrivals.rate_qps,
        .arrival_cv = run->arrivals.cv,
        .arrival_scv = run->arrivals.cv * run->arrivals.cv,
        .hours = hours(serve->end_ns),
        .feasible = run->gate == SPOT_GATE_FEASIBLE,
        .nominal_cost_per_hour =
            (double) spot_serve_scenario_total(run->scenario, run->options) / 1e6};

    for (size_t j = 0; j < serve->num_stages; j++) {
        add_stage(&sums, run, j);
    }
    return sums;
}

/* What all replicas cost, up to the end of the run. */
static double serve_cost(const spot_serve_replication_t *self)
{
    return sum_run(self).cost;
}

/* ---- The tables ---- */

typedef struct {
    spot_metric_t metric;
    size_t offset; /* of a double in the sums; SIZE_MAX: of derived metrics */
} row_t;

/* A metric that is the member of the sums with its name. */
#define ROW(member, unit_, ...)                                                                    \
    {                                                                                              \
        {.name = #member, .unit = unit_, .help = __VA_ARGS__}, offsetof(sums_t, member)            \
    }
#define COUNT(member, unit, better_, ...)                                                          \
    ROW(member, unit, __VA_ARGS__, .better = SPOT_BETTER_##better_)
#define EVENTS(member, unit, better, ...) COUNT(member, unit, better, __VA_ARGS__, .is_count = true)
#define TOTAL(member, unit, ...) ROW(member, unit, __VA_ARGS__, .is_total = true)
#define TOTAL_OF_QUERIES(member, text)                                                             \
    TOTAL(member, "queries", text, .is_count = true, .count_of = "queries")
#define LATENCY(member, label_, text)                                                              \
    ROW(member, "ms", text, .label = label_, .kind = SPOT_METRIC_TIME, .better = SPOT_BETTER_LOWER)
#define RATIO(name_, unit_, of, per_, kind_, label_, better_, ...)                                 \
    {                                                                                              \
        {.name = name_,                                                                            \
            .unit = unit_,                                                                         \
            .label = label_,                                                                       \
            .kind = SPOT_METRIC_##kind_,                                                           \
            .better = SPOT_BETTER_##better_,                                                       \
            .numerator = of,                                                                       \
            .denominator = per_,                                                                   \
            .help = __VA_ARGS__},                                                                  \
            SIZE_MAX                                                                               \
    }
#define SHARE(name, of, per, ...) RATIO(name, "1", of, per, SHARE, __VA_ARGS__)
#define OF_PAID(part, better, text)                                                                \
    SHARE(#part "_fraction", #part "_h", "paid_h", #part, better,                                  \
        "share of the paid replica time " text)

static const row_t metric_rows[] = {
    RATIO("latency_mean_ms", "ms", "latency_sum_ms", "queries", TIME, "mean latency", LOWER,
        "mean time from source to sink"),
    LATENCY(latency_p50_ms, "median latency", "latency that half of the queries do not exceed"),
    LATENCY(latency_p95_ms, "95 % latency", "latency that 95 % of the queries do not exceed"),
    LATENCY(latency_p99_ms, "99 % latency", "latency that 99 % of the queries do not exceed"),
    LATENCY(latency_p99_9_ms, "99.9 % latency", "latency that 99.9 % of the queries do not exceed"),
    LATENCY(latency_max_ms, "longest latency", "longest latency of a query"),
    SHARE("late_fraction", "late", "queries", "late", LOWER,
        "share of the queries above the latency objective; lost and unfinished ones "
        "count"),
    SHARE("on_time_fraction", "on_time", "queries", "queries on time", HIGHER,
        "share of the queries that are not late"),
    SHARE("lost_fraction", "lost", "queries", "lost", LOWER,
        "share of the queries that were lost with a replica"),
    ROW(feasible, "1", "1: the configuration meets its objective", .label = "objective met",
        .kind = SPOT_METRIC_PROBABILITY, .better = SPOT_BETTER_HIGHER),
    RATIO("cost_per_hour", "1", "cost", "hours", COST, "cost per hour", LOWER,
        "cost of the replicas per hour of the run, in the currency of the prices"),
    RATIO("cost_per_1000_on_time", "1", "cost", "on_time", COST, "cost per 1,000 on time", LOWER,
        "cost of the replicas per 1,000 queries that are not late", .per = 1000),
    SHARE("spot_cost_share", "spot_cost", "cost", "share of cost on spot", NEITHER,
        "share of the cost that is paid for spot replicas"),
    COUNT(queries, "queries", NEITHER, "queries that came"),
    COUNT(rate_qps, "1/s", NEITHER, "queries per second"),
    COUNT(arrival_cv, "1", NEITHER, "coefficient of variation of the times between queries"),
    COUNT(arrival_scv, "1", NEITHER, "square of arrival_cv"),
    EVENTS(
        unfinished, "queries", LOWER, "queries that never reached the sink", .count_of = "queries"),
    OF_PAID(useful, HIGHER, "in batches that returned"),
    OF_PAID(wasted, LOWER, "in batches that were cut"),
    OF_PAID(idle, LOWER, "in which replicas serve without a batch"),
    OF_PAID(prepping, LOWER, "before replicas serve"),
    EVENTS(batches_cut, "batches", LOWER, "batches that ended with their replica"),
    EVENTS(launches, "replicas", NEITHER, "replicas that a fallback or an autoscaler launched"),
    TOTAL(latency_sum_ms, "ms", "latencies of all queries"),
    TOTAL_OF_QUERIES(late, "queries above the objective"),
    TOTAL(on_time, "queries", "the other queries"),
    TOTAL_OF_QUERIES(lost, "queries lost with a replica"),
    TOTAL(hours, "h", "time until the last query left"),
    TOTAL(cost, "1", "cost of all replicas"),
    TOTAL(spot_cost, "1", "cost of spot replicas"),
    TOTAL(nominal_cost_per_hour, "1", "price of the configuration per hour"),
    TOTAL(paid_h, "h", "paid replica time"),
    TOTAL(useful_h, "h", "replica time in batches that returned"),
    TOTAL(wasted_h, "h", "replica time in batches that were cut"),
    TOTAL(idle_h, "h", "replica time without a batch"),
    TOTAL(prepping_h, "h", "paid replica time before serving"),
};

#define NUM_ROWS (sizeof(metric_rows) / sizeof(metric_rows[0]))

/* Of each stage: NAME.STAGE. */
static const row_t stage_rows[] = {
    SHARE("utilisation", "busy_h", "serving_h", "utilisation", NEITHER,
        "share of the serving time in which replicas run batches"),
    RATIO("queue_mean", "queries", "queued_h", "hours", PLAIN, "mean queue", LOWER,
        "mean number of queries that wait"),
    COUNT(queue_max, "queries", LOWER, "most queries that wait at a time"),
    RATIO("mean_batch", "queries", "taken", "batches", PLAIN, "mean batch", NEITHER,
        "mean size of the batches"),
    RATIO("replicas_mean", "replicas", "serving_h", "hours", PLAIN, "mean replicas", NEITHER,
        "mean number of replicas that serve"),
    COUNT(replicas_peak, "replicas", NEITHER, "most replicas that serve at a time"),
    TOTAL(capacity_qps, "1/s", "queries per second in full batches"),
    TOTAL(batches, "batches", "batches, those that were cut included"),
    TOTAL(taken, "queries", "queries in batches"),
    TOTAL(busy_h, "h", "replica time in batches"),
    TOTAL(serving_h, "h", "replica time in which replicas serve"),
    TOTAL(queued_h, "h", "waiting time of all queries"),
};

#define NUM_STAGE_ROWS (sizeof(stage_rows) / sizeof(stage_rows[0]))

/* "utilisation.Detect"; what is of the run keeps its name. */
static const char *text_of_stage(
    spot_arena_t *memory, const char *name, const char *between, const char *stage)
{
    char text[64 + SPOT_PIPELINE_MAX_ID_BYTES];

    if (name == NULL || strcmp(name, "hours") == 0) {
        return name;
    }
    snprintf(text, sizeof(text), "%s%s%s", name, between, stage);
    return spot_arena_text(memory, text);
}

int spot_serve_metrics_init(spot_serve_scenario_t *scenario)
{
    const size_t num_stages = scenario->pipeline.num_stages;
    spot_arena_t *memory = &scenario->memory;
    spot_metric_t *metrics, *metric;

    scenario->outputs.num_metrics = NUM_ROWS + num_stages * NUM_STAGE_ROWS;
    SPOT_ARENA_ARRAY(memory, metrics, scenario->outputs.num_metrics);
    metric = metrics;
    for (size_t j = 0; j < NUM_ROWS && metrics != NULL; j++) {
        *metric++ = metric_rows[j].metric;
    }
    for (size_t k = 0; k < num_stages && metrics != NULL; k++) {
        const char *id = spot_serve_pipeline_stage_node(&scenario->pipeline, k)->id;

        for (size_t j = 0; j < NUM_STAGE_ROWS; j++, metric++) {
            *metric = stage_rows[j].metric;
            metric->name = text_of_stage(memory, metric->name, ".", id);
            metric->label = text_of_stage(memory, metric->label, " of ", id);
            metric->numerator = text_of_stage(memory, metric->numerator, ".", id);
            metric->denominator = text_of_stage(memory, metric->denominator, ".", id);
        }
    }
    scenario->outputs.metrics = metrics;
    return memory->error;
}

/* Sets the values of metric_rows that are not derived. Returns the end of values. */
static double *yield(const row_t *row, size_t num_rows, const sums_t *sums, double *values)
{
    for (size_t j = 0; j < num_rows; j++, row++, values++) {
        if (row->offset != SIZE_MAX) {
            memcpy(values, (const char *) sums + row->offset, sizeof(*values));
        }
    }
    return values;
}

void spot_serve_yield(const spot_serve_replication_t *self, double *values)
{
    const spot_outputs_t *outputs = &self->scenario->outputs;
    sums_t sums;

    if (self->options == NULL) {
        for (size_t j = 0; j < outputs->num_metrics; j++) {
            values[j] = outputs->metrics[j].numerator == NULL ? (double) NAN : values[j];
        }
        return;
    }
    sums = sum_run(self);
    values = yield(metric_rows, NUM_ROWS, &sums, values);
    for (size_t j = 0; j < self->serve.num_stages; j++) {
        sums = (sums_t){0};
        add_stage(&sums, self, j);
        values = yield(stage_rows, NUM_STAGE_ROWS, &sums, values);
    }
}

/* ---- Warnings ---- */

const spot_warning_t spot_serve_warnings[SPOT_SERVE_NUM_WARNINGS] = {
    [SPOT_SERVE_WARN_NOTEBOOK] = {"notebook_service",
        "service: notebook takes the time of one query for that of a whole batch: a "
        "batch of n is n times too fast"},
    [SPOT_SERVE_WARN_OVERLOAD] = {"overload",
        "more queries come than the configuration can do: queues grow as long as "
        "queries come, and latencies say how long that was"},
    [SPOT_SERVE_WARN_LOST] = {"lost_queries",
        "queries were lost: their latency counts as infinite"},
    [SPOT_SERVE_WARN_UNFINISHED] = {"unfinished_queries",
        "queries never finished: their latency counts as infinite"},
    [SPOT_SERVE_WARN_NO_PLAN] = {"no_plan", "the planner found no configuration"},
};

void spot_serve_warning_flags(const spot_serve_replication_t *self, unsigned char *flags)
{
    const spot_serve_t *serve = &self->serve;

    flags[SPOT_SERVE_WARN_NOTEBOOK] = self->scenario->service->warning != NULL;
    flags[SPOT_SERVE_WARN_NO_PLAN] = self->options == NULL;
    if (self->options != NULL) {
        flags[SPOT_SERVE_WARN_OVERLOAD] = self->gate == SPOT_GATE_THROUGHPUT;
        flags[SPOT_SERVE_WARN_LOST] = serve->num_lost > 0;
        flags[SPOT_SERVE_WARN_UNFINISHED] = serve->num_left < serve->run.num_queries;
    }
}

/* ---- JSON ---- */

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
            spot_json_text(json, key, spot_gate_names[serve_verdict(run, slo_ns, milli[k])]);
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
    spot_json_number(json, "mean_batch", serve_ratio(serve_taken(stage), result->batches));
    spot_json_integer(json, "queue_max", result->queue_max);
    spot_json_integer(json, "queue_area_ns", result->queue_area_ns);
    spot_json_number(json, "queue_mean", serve_ratio(result->queue_area_ns, run->serve.end_ns));
    spot_json_number(json, "queue_seen_mean", serve_ratio(result->seen, result->queries));
    spot_json_integer(json, "wait_sum_ns", result->wait_sum_ns);
    spot_json_integer(json, "busy_ns", result->busy_ns);
    spot_json_number(json, "utilisation",
        serve_ratio(result->busy_ns, result->serving_ns[0] + result->serving_ns[1]));
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
    spot_json_number(json, "cost_total", serve_cost(run));
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
    spot_json_text(json, "engine", "serve");
    spot_json_text(json, "scenario", self->scenario->name);
    spot_json_text(json, "service", self->scenario->service->name);
    if (self->options != NULL) {
        write_figures(self, json);
    }
}

/* ---- Series ---- */

#define NS_PER_S 1000000000
#define MAX_CDF_ROWS 2000
#define NUM_SAMPLES 500
#define MAX_SAMPLES 20000

/* ---- Kinds ---- */

typedef enum {
    STAGES,
    CDF,
    LATENCIES,
    QUEUE,
    FLEET,
    REPLICAS,
    COST,
    QUEUES,
    LINEAGE,
    NUM_KINDS
} kind_id_t;

#define COLUMN SPOT_SERIES_COLUMN
/* The head of a file has its name alone. */
#define BARE(...) COLUMN(__VA_ARGS__, .is_bare = true)

static const spot_series_column_t stage_columns[] = {BARE(TEXT, "stage", ""),
    BARE(TEXT, "hardware", ""), BARE(COUNT, "batch", "1", .label = "batch limit"),
    BARE(COUNT, "replicas", "1"), BARE(TEXT, "market", ""),
    BARE(NUMBER, "capacity_qps", "1/s", .label = "capacity", .num_decimals = 1),
    BARE(NUMBER, "utilisation", "1", .num_decimals = 3),
    BARE(NUMBER, "mean_batch", "1", .label = "mean batch", .num_decimals = 2),
    BARE(NUMBER, "queue_mean", "1", .label = "mean queue", .num_decimals = 2),
    BARE(COUNT, "queue_max", "1", .label = "longest queue"),
    BARE(NUMBER, "wait_mean_ms", "ms", .label = "mean wait", .num_decimals = 3),
    BARE(NUMBER, "replicas_mean", "1", .label = "mean replicas", .num_decimals = 2),
    BARE(COUNT, "replicas_peak", "1", .label = "most replicas")};

static const spot_series_column_t cdf_columns[] = {
    BARE(NUMBER, "latency_ms", "ms"), BARE(NUMBER, "fraction", "1")};

static const spot_series_column_t latency_columns[] = {COLUMN(DURATION, "latency", ""),
    COLUMN(NUMBER, "fraction", "1", .label = "share of the queries")};

static const spot_series_column_t fleet_columns[] = {COLUMN(INSTANT, "time", ""),
    COLUMN(NUMBER, "on_demand", "replicas", .label = "on-demand"),
    COLUMN(NUMBER, "spot", "replicas"), COLUMN(NUMBER, "prepping", "replicas")};

static const spot_series_column_t cost_columns[] = {
    COLUMN(INSTANT, "time", ""), COLUMN(NUMBER, "cost", "1")};

static const spot_series_column_t queue_columns[] = {
    BARE(COUNT, "time_ns", "1"), BARE(TEXT, "node", ""), BARE(COUNT, "queue", "1")};

#define KIND(id, name_, shape_, columns_, text)                                                    \
    [id] = SPOT_SERIES_KIND(name_, shape_, NS_PER_S, columns_, text)

/* The columns of some depend on the stages. */
static const spot_series_kind_t kinds[NUM_KINDS] = {
    KIND(STAGES, "stages", SHOWN_TABLE, stage_columns, "the stages"),
    KIND(CDF, "cdf", TABLE, cdf_columns,
        "share of the queries whose latency is at most so long; lost and unfinished "
        "ones never are"),
    KIND(LATENCIES, "latency", CDF, latency_columns,
        "share of the queries whose latency is at most so long"),
    KIND(QUEUE, "queue", LEVELS, fleet_columns, "queries that wait, at each sample"),
    KIND(FLEET, "fleet", LEVELS, fleet_columns,
        "replicas by market, and those that are prepping, at each sample"),
    KIND(REPLICAS, "replicas", LEVELS, fleet_columns, "replicas that serve, at each sample"),
    KIND(COST, "cost", CURVE, cost_columns, "cost of the replicas so far"),
    KIND(QUEUES, "queues", LONG_TABLE, queue_columns,
        "length of each queue, a row for each instant at whose end it differs"),
    KIND(LINEAGE, "lineage", LONG_TABLE, queue_columns,
        "when each query came to each node and left it; in ns"),
};

/* What the lineage has of each stage; the last two where batches may be cut. */
static const char *const stamp_names[] = {
    "_enqueue_ns", "_dequeue_ns", "_done_ns", "_batch", "_replica", "_first_dequeue_ns", "_tries"};

#define MAX_STAMPS (sizeof(stamp_names) / sizeof(stamp_names[0]))

static size_t num_stamps(const spot_serve_scenario_t *scenario)
{
    return scenario->outages.kind != SPOT_OUTAGES_NONE ? MAX_STAMPS : MAX_STAMPS - 2;
}

/* Adds a column to the kind that is last in the memory of columns. */
static void add_column(spot_serve_scenario_t *scenario, spot_series_kind_t *kind,
    spot_series_column_t *columns, const char *id, const char *suffix, const char *unit)
{
    char name[32 + SPOT_PIPELINE_MAX_ID_BYTES];

    snprintf(name, sizeof(name), "%s%s", id, suffix);
    columns[kind->num_columns++] =
        (spot_series_column_t){.name = spot_arena_text(&scenario->memory, name),
            .unit = unit,
            .kind = SPOT_COLUMN_NUMBER,
            .is_bare = suffix[0] != '\0'};
}

static void make_lineage(
    spot_serve_scenario_t *scenario, spot_series_kind_t *kind, spot_series_column_t *columns)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;

    kind->columns = columns;
    kind->num_columns = 0;
    add_column(scenario, kind, columns, "", "id", "1");
    add_column(scenario, kind, columns, "", "source_ns", "1");
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        const char *id = spot_serve_pipeline_stage_node(pipeline, j)->id;

        for (size_t k = 0; k < num_stamps(scenario); k++) {
            add_column(scenario, kind, columns, id, stamp_names[k], "1");
        }
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        if (pipeline->nodes[j].stage_id < 0) {
            add_column(scenario, kind, columns, pipeline->nodes[j].id, "_ns", "1");
        }
    }
    add_column(scenario, kind, columns, "", "sink_ns", "1");
}

/* An instant and a level for each stage. */
static void make_levels(spot_serve_scenario_t *scenario, spot_series_kind_t *kind,
    spot_series_column_t *columns, const char *unit)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;

    kind->columns = columns;
    kind->num_columns = 1;
    columns[0] = fleet_columns[0];
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        add_column(
            scenario, kind, columns, spot_serve_pipeline_stage_node(pipeline, j)->id, "", unit);
    }
}

/* The objective in the picture of the latencies. */
static void make_rules(
    spot_arena_t *memory, const spot_objective_t *slo, spot_series_rule_t rules[2])
{
    char text[64];

    snprintf(text, sizeof(text), "objective %g ms", (double) slo->latency_ns / 1e6);
    rules[0] = (spot_series_rule_t){0, (double) slo->latency_ns, spot_arena_text(memory, text)};
    snprintf(text, sizeof(text), "P %g", slo->percentile);
    rules[1] = (spot_series_rule_t){1, slo->percentile / 100, spot_arena_text(memory, text)};
}

int spot_serve_series_init(spot_serve_scenario_t *scenario)
{
    const size_t num_levels = 1 + scenario->pipeline.num_stages;
    spot_arena_t *memory = &scenario->memory;
    const spot_series_kind_t **list;
    spot_series_column_t *columns;
    spot_series_rule_t *rules;
    spot_series_kind_t *own;

    SPOT_ARENA_ARRAY(memory, list, NUM_KINDS);
    SPOT_ARENA_ARRAY(memory, own, NUM_KINDS);
    SPOT_ARENA_ARRAY(memory, rules, 2);
    SPOT_ARENA_ARRAY(
        memory, columns, 2 * num_levels + 3 + MAX_STAMPS * scenario->pipeline.num_nodes);
    if (memory->error != 0) {
        return memory->error;
    }
    for (size_t j = 0; j < NUM_KINDS; j++) {
        own[j] = kinds[j];
        list[j] = &own[j];
    }
    make_levels(scenario, &own[QUEUE], columns, "queries");
    make_levels(scenario, &own[REPLICAS], columns + num_levels, "serving replicas");
    make_lineage(scenario, &own[LINEAGE], columns + 2 * num_levels);
    make_rules(memory, &scenario->slo, rules);
    own[LATENCIES].num_rules = 2;
    own[LATENCIES].rules = rules;
    scenario->outputs.num_series = NUM_KINDS;
    scenario->outputs.series = list;
    return memory->error;
}

/* ---- Rows ---- */

/* Series that are being filled. */
typedef struct {
    const spot_serve_replication_t *run;
    spot_series_t *series;
    int64_t step_ns; /* between samples */
    size_t num_samples, num_levels;
    double *changes;    /* [num_samples][num_levels] since the sample before */
    spot_cell_t *cells; /* [columns of the lineage] */
    int32_t *lengths;   /* [num_stages][2] of queues: now, and at the end of the instant
                           before */
    int error;
} filler_t;

/* Levels: [num_stages] queues, replicas by what they are, [num_stages] replicas that
 * serve, and the cost as slope time + offset. */
enum { FLEET_LEVELS = 3, COST_LEVELS = 2 };

static void add_row(filler_t *self, kind_id_t kind_id, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(&self->series[kind_id], cells);
    }
}

/* Changes a level from a time on. */
static void change(filler_t *self, size_t level, int64_t time_ns, double by)
{
    const int64_t sample_id = time_ns <= 0 ? 0 : (time_ns - 1) / self->step_ns + 1;

    if (sample_id < (int64_t) self->num_samples) {
        self->changes[(size_t) sample_id * self->num_levels + level] += by;
    }
}

static void fill_stages(filler_t *self)
{
    static const char *const markets[] = {"on-demand", "spot", "hedge"};
    const spot_serve_replication_t *run = self->run;

    for (size_t j = 0; j < run->serve.num_stages; j++) {
        const spot_serve_stage_t *stage = &run->serve.stages[j];
        const spot_stage_result_t *result = &stage->result;
        const int64_t serving_ns = result->serving_ns[0] + result->serving_ns[1];

        add_row(self, STAGES,
            (const spot_cell_t[]){{.text = stage->node->id},
                {.text = run->scenario->prices.prices[stage->option.hardware_id].name},
                {.integer = stage->option.batch}, {.integer = stage->option.replicas},
                {.text = markets[stage->option.market]},
                {.number = spot_gate_capacity(run->scenario, j, &run->options[j])},
                {.number = serve_ratio(result->busy_ns - result->overrun_ns, serving_ns)},
                {.number = serve_ratio(serve_taken(stage), result->batches)},
                {.number = serve_ratio(result->queue_area_ns, run->serve.end_ns)},
                {.integer = result->queue_max},
                {.number = serve_ratio(result->wait_sum_ns, result->queries) / 1e6},
                {.number = serve_ratio(serving_ns, run->serve.end_ns)},
                {.integer = result->peak_replicas}});
    }
}

/* All different latencies; where they are many, those at 2,000 equal steps. */
static void fill_cdf(filler_t *self)
{
    const int64_t *sorted = self->run->latencies.sorted_ns;
    const size_t num = self->run->latencies.num_queries;
    const size_t num_finite = num - self->run->latencies.num_infinite;
    size_t num_different = 0;

    for (size_t j = 0; j < num_finite; j++) {
        num_different += j == 0 || sorted[j] != sorted[j - 1];
    }
    for (size_t j = 0; j < num_finite; j++) {
        const bool is_last = j + 1 == num_finite || sorted[j + 1] != sorted[j];
        const bool is_step = (j + 1) * MAX_CDF_ROWS / num > j * MAX_CDF_ROWS / num;
        const double share = (double) (j + 1) / (double) num;

        if (num_different <= MAX_CDF_ROWS ? is_last : is_step) {
            add_row(self, CDF,
                (const spot_cell_t[]){{.number = (double) sorted[j] / 1e6}, {.number = share}});
            add_row(
                self, LATENCIES, (const spot_cell_t[]){{.integer = sorted[j]}, {.number = share}});
        }
    }
}

static double stamp(const int64_t *stamps, size_t id)
{
    return stamps[id] < 0 ? (double) NAN : (double) stamps[id];
}

/* The first num of the stamps of a query. Where no batch is cut it is taken once.
 * Returns the end of the cells. */
static spot_cell_t *add_stamps(
    const spot_serve_stage_t *stage, size_t id, size_t num, spot_cell_t *cells)
{
    const spot_stage_stamps_t *stamps = &stage->stamps;
    const bool is_taken = stamps->dequeue_ns[id] >= 0;
    const double values[MAX_STAMPS] = {stamp(stamps->enqueue_ns, id), stamp(stamps->dequeue_ns, id),
        stamp(stamps->done_ns, id), is_taken ? stamps->batch[id] : (double) NAN,
        is_taken ? stamps->replica[id] : (double) NAN,
        stamp(stage->can_be_cut ? stamps->first_dequeue_ns : stamps->dequeue_ns, id),
        stamps->enqueue_ns[id] < 0 ? (double) NAN
        : stage->can_be_cut        ? stamps->tries[id]
                                   : is_taken};

    for (size_t j = 0; j < num; j++) {
        (cells++)->number = values[j];
    }
    return cells;
}

static void fill_lineage(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    const spot_serve_pipeline_t *pipeline = serve->run.pipeline;

    for (size_t id = 0; id < serve->run.num_queries; id++) {
        spot_cell_t *cell = self->cells;

        (cell++)->number = (double) id;
        (cell++)->number = (double) serve->run.source_ns[id];
        for (size_t j = 0; j < serve->num_stages; j++) {
            cell = add_stamps(&serve->stages[j], id, num_stamps(self->run->scenario), cell);
        }
        for (size_t j = 0; j < pipeline->num_nodes; j++) {
            if (pipeline->nodes[j].stage_id < 0) {
                (cell++)->number = stamp(serve->joins[j].join_ns, id);
            }
        }
        cell->number = stamp(serve->sink_ns, id);
        add_row(self, LINEAGE, self->cells);
    }
}

/* The length of a queue at the end of each instant at which it differs from before. */
static void fill_queues(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const int64_t time_ns = record->time_ns;

        if (record->kind == SPOT_SERVE_QUEUE) {
            self->lengths[2 * record->stage_id] = record->value;
        }
        if (j + 1 < serve->num_records && serve->records[j + 1].time_ns == time_ns) {
            continue;
        }
        for (size_t k = 0; k < serve->num_stages; k++) {
            const char *name = serve->stages[k].node->id;
            int32_t *length = &self->lengths[2 * k];

            if (length[0] != length[1]) {
                add_row(self, QUEUES,
                    (const spot_cell_t[]){
                        {.integer = time_ns}, {.text = name}, {.integer = length[0]}});
                change(self, k, time_ns, length[0] - length[1]);
                length[1] = length[0];
            }
        }
    }
}

/* ---- Samples ---- */

static void change_span(filler_t *self, size_t stage_id, const spot_slot_span_t *span)
{
    const spot_serve_stage_t *stage = &self->run->serve.stages[stage_id];
    const double per_ns = stage->price_per_h[span->is_spot] / 3.6e12;
    const size_t fleet = self->run->serve.num_stages;
    const size_t cost = self->num_levels - COST_LEVELS;
    const int64_t at_ns[2] = {span->from_ns, span->to_ns};

    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? 1 : -1;

        change(self, fleet + (span->is_serving ? span->is_spot : 2U), at_ns[k], sign);
        if (span->is_serving) {
            change(self, fleet + FLEET_LEVELS + stage_id, at_ns[k], sign);
        }
        change(self, cost, at_ns[k], sign * per_ns);
        change(self, cost + 1, at_ns[k], -sign * per_ns * (double) at_ns[k]);
    }
}

/* Of a perfect autoscaler each batch is a replica. */
static void change_replicas(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;

    for (size_t j = 0; j < serve->num_stages; j++) {
        for (size_t k = 0; k < serve->stages[j].num_spans; k++) {
            change_span(self, j, &serve->stages[j].spans[k]);
        }
    }
    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const spot_serve_stage_t *stage = &serve->stages[record->stage_id];

        if (record->kind == SPOT_SERVE_TAKE && stage->option.scale.kind == SPOT_SCALE_IDEAL) {
            const spot_slot_span_t span = {.from_ns = record->time_ns,
                .to_ns = record->time_ns + stage->time->busy_ns[record->value],
                .is_spot = stage->option.market == SPOT_MARKET_SPOT,
                .is_serving = true};

            change_span(self, (size_t) record->stage_id, &span);
        }
    }
}

static void add_levels(filler_t *self, kind_id_t kind_id, int64_t time_ns, const double *levels)
{
    self->cells[0].integer = time_ns;
    for (size_t j = 1; j < self->series[kind_id].kind->num_columns; j++) {
        self->cells[j].number = levels[j - 1];
    }
    add_row(self, kind_id, self->cells);
}

/* The curve of the cost has a last row at the end of the run. */
static void add_samples(filler_t *self)
{
    const size_t num_stages = self->run->serve.num_stages;
    const int64_t end_ns = self->run->serve.end_ns;
    const double whole = serve_cost(self->run);

    for (size_t j = 0; j < self->num_samples; j++) {
        const int64_t time_ns = (int64_t) j * self->step_ns;
        double *levels = self->changes + j * self->num_levels;
        double *cost = levels + self->num_levels - COST_LEVELS, now;

        for (size_t k = 0; k < self->num_levels && j > 0; k++) {
            levels[k] += (levels - self->num_levels)[k];
        }
        now = cost[0] * (double) time_ns + cost[1];
        add_levels(self, QUEUE, time_ns, levels);
        add_levels(self, FLEET, time_ns, levels + num_stages);
        add_levels(self, REPLICAS, time_ns, levels + num_stages + FLEET_LEVELS);
        add_levels(self, COST, time_ns, &now);
    }
    if ((int64_t) (self->num_samples - 1) * self->step_ns < end_ns) {
        add_levels(self, COST, end_ns, &whole);
    }
}

/* The bytes of the series that have rows for each query, where no batch is cut. */
static double serve_series_bytes(const spot_serve_scenario_t *scenario, double num_queries)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;
    const spot_series_kind_t *const *all = scenario->outputs.series;
    const double num_changes = 2 * num_queries * (double) pipeline->num_stages;
    double id_bytes = 0;

    for (size_t j = 0; j < pipeline->num_stages; j++) {
        id_bytes += 2 * num_queries *
                    (double) (strlen(spot_serve_pipeline_stage_node(pipeline, j)->id) + 1);
    }
    return spot_series_bytes(all[LINEAGE], num_queries) +
           spot_series_bytes(all[QUEUES], num_changes) + spot_array_bytes(id_bytes, 1);
}

int spot_serve_series_fill(const spot_serve_replication_t *self, spot_recording_t *recording)
{
    const int64_t end_ns = self->options == NULL ? 0 : self->serve.end_ns;
    const size_t num_stages = self->serve.num_stages;
    filler_t filler = {.run = self,
        .series = recording->series,
        .step_ns = self->scenario->sample_ns,
        .num_levels = 2 * num_stages + FLEET_LEVELS + COST_LEVELS};
    spot_arena_t memory = {0};
    int64_t least_ns;

    recording->end_ticks = end_ns;
    if (self->options == NULL) {
        return 0;
    }
    least_ns = end_ns / (filler.step_ns == 0 ? NUM_SAMPLES : MAX_SAMPLES) + 1;
    filler.step_ns = filler.step_ns < least_ns ? least_ns : filler.step_ns;
    filler.num_samples = (size_t) (end_ns / filler.step_ns) + 1;
    SPOT_ARENA_ARRAY(&memory, filler.changes, filler.num_samples * filler.num_levels);
    SPOT_ARENA_ARRAY(&memory, filler.cells, recording->series[LINEAGE].kind->num_columns);
    SPOT_ARENA_ARRAY(&memory, filler.lengths, 2 * num_stages);
    if (memory.error == 0) {
        fill_stages(&filler);
        fill_cdf(&filler);
        fill_queues(&filler);
        change_replicas(&filler);
        add_samples(&filler);
        fill_lineage(&filler);
    }
    filler.error = spot_error_first(memory.error, filler.error);
    spot_arena_free(&memory);
    return filler.error;
}

void spot_serve_events_write(const spot_serve_replication_t *self, FILE *out)
{
    const spot_serve_t *serve = &self->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const spot_serve_stage_t *stage = &serve->stages[record->stage_id];
        spot_json_t json;

        if (record->kind == SPOT_SERVE_QUEUE) {
            continue;
        }
        spot_json_init(&json, out, 0);
        spot_json_open(&json, NULL, '{');
        spot_json_integer(&json, "time_ns", record->time_ns);
        spot_json_text(&json, "event", spot_serve_happening_names[record->kind]);
        spot_json_text(&json, "node", stage->node->id);
        spot_json_integer(&json, "slot", record->slot);
        if (record->kind <= SPOT_SERVE_RETURN) {
            spot_json_integer(&json, "queries", record->value);
        }
        spot_json_close(&json, '}');
        fputc('\n', out);
    }
}

/* ---- Run ---- */

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

/* The first gate that fails at an objective, of a replication with a configuration. */
static spot_gate_t serve_verdict(
    const spot_serve_replication_t *self, int64_t slo_ns, int64_t percentile_milli)
{
    return spot_gate_verdict(self->scenario, self->options, self->arrivals.rate_qps, slo_ns,
        spot_latencies_percentile(&self->latencies, percentile_milli));
}

/* Queries in all batches of a stage. */
static int64_t serve_taken(const spot_serve_stage_t *stage)
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
        self->gate = serve_verdict(self, scenario->slo.latency_ns, scenario->slo.percentile_milli);
        describe_failure(self);
    }
    return ret;
}
