/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sim/serve/run.h"

#define NS_PER_H 3.6e12

/* ---- Sums ---- */

/* What metrics of a stage are, or the sum over all stages. */
typedef struct {
    double batches, batches_cut, taken, launches;
    double queue_max, replicas_peak, capacity_qps; /* of one stage */
    double cost, spot_cost;
    double paid_h, serving_h, prepping_h, busy_h, useful_h, wasted_h, idle_h;
    double queued_h;
} stage_sums_t;

/* What metrics of a run are. */
typedef struct {
    stage_sums_t stages;
    double p50_ms, p95_ms, p99_ms, p99_9_ms, max_ms, latency_sum_ms;
    double queries, late, on_time, lost, unfinished;
    double rate_qps, arrival_cv, arrival_scv, hours, feasible, nominal_cost_per_h;
} run_sums_t;

static double
hours(int64_t ns)
{
    return (double) ns / NS_PER_H;
}

static void
add_stage(stage_sums_t *self, const spot_serve_replication_t *run, size_t stage_id)
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
    self->capacity_qps =
        spot_gate_capacity(run->scenario, stage_id, &run->options[stage_id]);
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
    self->busy_h += hours(result->busy_ns);
    self->useful_h += busy_h - hours(result->wasted_ns);
    self->wasted_h += hours(result->wasted_ns);
    self->idle_h += serving_h - busy_h;
    self->queued_h += hours(result->queue_area_ns);
}

double
spot_serve_cost(const spot_serve_replication_t *self)
{
    stage_sums_t sums = {0};

    for (size_t j = 0; j < self->serve.num_stages; j++) {
        add_stage(&sums, self, j);
    }
    return sums.cost;
}

/* A percentile in 1/1000 %. */
static double
percentile_ms(const spot_serve_replication_t *run, int64_t percentile_milli)
{
    const int64_t ns = spot_latencies_percentile(&run->latencies, percentile_milli);

    return ns == INT64_MAX ? (double) NAN : (double) ns / 1e6;
}

static run_sums_t
sum_run(const spot_serve_replication_t *run)
{
    const spot_serve_t *serve = &run->serve;
    const spot_latencies_t *latencies = &run->latencies;
    const double queries = (double) serve->run.num_queries;
    const double late =
        (double) spot_latencies_late(latencies, run->scenario->slo.latency_ns);
    run_sums_t sums = {.p50_ms = percentile_ms(run, 50000),
        .p95_ms = percentile_ms(run, 95000),
        .p99_ms = percentile_ms(run, 99000),
        .p99_9_ms = percentile_ms(run, 99900),
        .max_ms = percentile_ms(run, 100000),
        .latency_sum_ms = latencies->num_infinite > 0 ? (double) NAN
                                                      : (double) latencies->sum_ns / 1e6,
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
        .nominal_cost_per_h = (double) spot_serve_nominal_cost(run) / 1e6};

    for (size_t j = 0; j < serve->num_stages; j++) {
        add_stage(&sums.stages, run, j);
    }
    return sums;
}

/* ---- The tables ---- */

typedef struct {
    spot_metric_t metric;
    size_t offset; /* of a double in its sums; SIZE_MAX: of derived metrics */
} row_t;

#define ROW(name_, unit_, text, owner, member, ...)                                     \
    {                                                                                   \
        {.name = name_, .unit = unit_, .help = text, __VA_ARGS__},                      \
            offsetof(owner, member)                                                     \
    }
#define LATENCY(name_, member, label_, text)                                            \
    ROW(name_, "ms", text, run_sums_t, member, .label = label_,                         \
        .kind = SPOT_METRIC_TIME, .better = SPOT_BETTER_LOWER)
#define RATIO(name_, unit_, of, per_, label_, better_, text, ...)                       \
    {                                                                                   \
        {.name = name_,                                                                 \
            .unit = unit_,                                                              \
            .help = text,                                                               \
            .label = label_,                                                            \
            .better = SPOT_BETTER_##better_,                                            \
            .numerator = of,                                                            \
            .denominator = per_,                                                        \
            __VA_ARGS__},                                                               \
            SIZE_MAX                                                                    \
    }
#define SHARE(name_, of, per_, label_, better_, text)                                   \
    RATIO(name_, "1", of, per_, label_, better_, text, .kind = SPOT_METRIC_SHARE)
#define COUNT(name_, unit_, better_, owner, member, text)                               \
    ROW(name_, unit_, text, owner, member, .better = SPOT_BETTER_##better_)
#define TOTAL(name_, unit_, owner, member, text)                                        \
    ROW(name_, unit_, text, owner, member, .is_total = true)

static const row_t rows[] = {
    RATIO("latency_mean_ms", "ms", "latency_sum_ms", "queries", "mean latency", LOWER,
        "mean time from source to sink", .kind = SPOT_METRIC_TIME),
    LATENCY("latency_p50_ms", p50_ms, "median latency",
        "latency that half of the queries do not exceed"),
    LATENCY("latency_p95_ms", p95_ms, "95 % latency",
        "latency that 95 % of the queries do not exceed"),
    LATENCY("latency_p99_ms", p99_ms, "99 % latency",
        "latency that 99 % of the queries do not exceed"),
    LATENCY("latency_p99_9_ms", p99_9_ms, "99.9 % latency",
        "latency that 99.9 % of the queries do not exceed"),
    LATENCY("latency_max_ms", max_ms, "longest latency", "longest latency of a query"),
    SHARE("late_fraction", "late", "queries", "late", LOWER,
        "share of the queries above the latency objective; lost and unfinished ones "
        "count"),
    SHARE("on_time_fraction", "on_time", "queries", "queries on time", HIGHER,
        "share of the queries that are not late"),
    SHARE("lost_fraction", "lost", "queries", "lost", LOWER,
        "share of the queries that were lost with a replica"),
    ROW("feasible", "1", "1: the configuration meets its objective", run_sums_t,
        feasible, .label = "objective met", .kind = SPOT_METRIC_PROBABILITY,
        .better = SPOT_BETTER_HIGHER),
    RATIO("cost_per_hour", "1", "cost", "hours", "cost per hour", LOWER,
        "cost of the replicas per hour of the run, in the currency of the prices",
        .kind = SPOT_METRIC_COST),
    RATIO("cost_per_1000_on_time", "1", "cost", "on_time", "cost per 1,000 on time",
        LOWER, "cost of the replicas per 1,000 queries that are not late",
        .kind = SPOT_METRIC_COST, .per = 1000),
    SHARE("spot_cost_share", "spot_cost", "cost", "share of cost on spot", NEITHER,
        "share of the cost that is paid for spot replicas"),
    COUNT("queries", "queries", NEITHER, run_sums_t, queries, "queries that came"),
    COUNT("rate_qps", "1/s", NEITHER, run_sums_t, rate_qps, "queries per second"),
    COUNT("arrival_cv", "1", NEITHER, run_sums_t, arrival_cv,
        "coefficient of variation of the times between queries"),
    COUNT("arrival_scv", "1", NEITHER, run_sums_t, arrival_scv, "square of arrival_cv"),
    COUNT("unfinished", "queries", LOWER, run_sums_t, unfinished,
        "queries that never reached the sink"),
    SHARE("useful_fraction", "useful_h", "paid_h", "useful", HIGHER,
        "share of the paid replica time in batches that returned"),
    SHARE("wasted_fraction", "wasted_h", "paid_h", "wasted", LOWER,
        "share of the paid replica time in batches that were cut"),
    SHARE("idle_fraction", "idle_h", "paid_h", "idle", LOWER,
        "share of the paid replica time in which replicas serve without a batch"),
    SHARE("prepping_fraction", "prepping_h", "paid_h", "prepping", LOWER,
        "share of the paid replica time before replicas serve"),
    COUNT("batches_cut", "batches", LOWER, run_sums_t, stages.batches_cut,
        "batches that ended with their replica"),
    COUNT("launches", "replicas", NEITHER, run_sums_t, stages.launches,
        "replicas that a fallback or an autoscaler launched"),
    TOTAL(
        "latency_sum_ms", "ms", run_sums_t, latency_sum_ms, "latencies of all queries"),
    TOTAL("late", "queries", run_sums_t, late, "queries above the objective"),
    TOTAL("on_time", "queries", run_sums_t, on_time, "the other queries"),
    TOTAL("lost", "queries", run_sums_t, lost, "queries lost with a replica"),
    TOTAL("hours", "h", run_sums_t, hours, "time until the last query left"),
    TOTAL("cost", "1", run_sums_t, stages.cost, "cost of all replicas"),
    TOTAL("spot_cost", "1", run_sums_t, stages.spot_cost, "cost of spot replicas"),
    TOTAL("nominal_cost_per_hour", "1", run_sums_t, nominal_cost_per_h,
        "price of the configuration per hour"),
    TOTAL("paid_h", "h", run_sums_t, stages.paid_h, "paid replica time"),
    TOTAL("useful_h", "h", run_sums_t, stages.useful_h,
        "replica time in batches that returned"),
    TOTAL("wasted_h", "h", run_sums_t, stages.wasted_h,
        "replica time in batches that were cut"),
    TOTAL("idle_h", "h", run_sums_t, stages.idle_h, "replica time without a batch"),
    TOTAL("prepping_h", "h", run_sums_t, stages.prepping_h,
        "paid replica time before serving"),
};

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Of each stage: NAME.STAGE. */
static const row_t stage_rows[] = {
    SHARE("utilisation", "busy_h", "serving_h", "utilisation", NEITHER,
        "share of the serving time in which replicas run batches"),
    RATIO("queue_mean", "queries", "queued_h", "hours", "mean queue", LOWER,
        "mean number of queries that wait", .kind = SPOT_METRIC_PLAIN),
    COUNT("queue_max", "queries", LOWER, stage_sums_t, queue_max,
        "most queries that wait at a time"),
    RATIO("mean_batch", "queries", "taken", "batches", "mean batch", NEITHER,
        "mean size of the batches", .kind = SPOT_METRIC_PLAIN),
    RATIO("replicas_mean", "replicas", "serving_h", "hours", "mean replicas", NEITHER,
        "mean number of replicas that serve", .kind = SPOT_METRIC_PLAIN),
    COUNT("replicas_peak", "replicas", NEITHER, stage_sums_t, replicas_peak,
        "most replicas that serve at a time"),
    TOTAL("capacity_qps", "1/s", stage_sums_t, capacity_qps,
        "queries per second in full batches"),
    TOTAL("batches", "batches", stage_sums_t, batches,
        "batches, those that were cut included"),
    TOTAL("taken", "queries", stage_sums_t, taken, "queries in batches"),
    TOTAL("busy_h", "h", stage_sums_t, busy_h, "replica time in batches"),
    TOTAL("serving_h", "h", stage_sums_t, serving_h,
        "replica time in which replicas serve"),
    TOTAL("queued_h", "h", stage_sums_t, queued_h, "waiting time of all queries"),
};

#define NUM_STAGE_ROWS (sizeof(stage_rows) / sizeof(stage_rows[0]))

/* "utilisation.Detect"; what is of the run keeps its name. */
static const char *
text_of_stage(
    spot_arena_t *memory, const char *name, const char *between, const char *stage)
{
    char text[64 + SPOT_PIPELINE_MAX_ID_BYTES];

    if (name == NULL || strcmp(name, "hours") == 0) {
        return name;
    }
    snprintf(text, sizeof(text), "%s%s%s", name, between, stage);
    return spot_arena_text(memory, text);
}

int
spot_serve_metrics_init(spot_serve_scenario_t *scenario)
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

/* The values of rows that are not derived; sums NULL: null. Returns the end of
 * values. */
static double *
yield(const row_t *row, size_t num_rows, const void *sums, double *values)
{
    for (size_t j = 0; j < num_rows; j++, row++, values++) {
        if (row->offset != SIZE_MAX) {
            *values = sums == NULL
                          ? (double) NAN
                          : *(const double *) (const void *) ((const char *) sums +
                                                              row->offset);
        }
    }
    return values;
}

void
spot_serve_yield(const spot_serve_replication_t *self, double *values)
{
    const bool has_run = self->options != NULL;
    const run_sums_t sums = has_run ? sum_run(self) : (run_sums_t){0};

    values = yield(rows, NUM_ROWS, has_run ? &sums : NULL, values);
    for (size_t j = 0; j < self->scenario->pipeline.num_stages; j++) {
        stage_sums_t of_stage = {0};

        if (has_run) {
            add_stage(&of_stage, self, j);
        }
        values = yield(stage_rows, NUM_STAGE_ROWS, has_run ? &of_stage : NULL, values);
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

void
spot_serve_warning_flags(const spot_serve_replication_t *self, unsigned char *flags)
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
