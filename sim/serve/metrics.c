/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sim/serve/run.h"

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
    self->taken += (double) spot_serve_taken(stage);
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

double spot_serve_cost(const spot_serve_replication_t *self)
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

static const row_t rows[] = {
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

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

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
        *metric++ = rows[j].metric;
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

/* Sets the values of rows that are not derived. Returns the end of values. */
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
    values = yield(rows, NUM_ROWS, &sums, values);
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
