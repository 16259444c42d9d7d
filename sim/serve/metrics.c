/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/texts.h"
#include "sim/serve/run.h"

/* What a metric is of: a run, or one of its stages. */
typedef struct {
    const spot_serve_replication_t *run;
    int32_t stage_id; /* -1: all stages together */
} view_t;

typedef double (*formula_t)(const view_t *view, int argument);

#define NS_PER_H 3.6e12

static double
in_ms(int64_t ns)
{
    return ns == INT64_MAX ? (double) NAN : (double) ns / 1e6;
}

/* ---- Formulas ---- */

/* A percentile in 1/1000 %. */
static double
percentile_ms(const view_t *view, int percentile_milli)
{
    return in_ms(spot_latencies_percentile(&view->run->latencies, percentile_milli));
}

static double
latency_sum_ms(const view_t *view, int argument)
{
    (void) argument;
    return view->run->latencies.num_infinite > 0
               ? (double) NAN
               : (double) view->run->latencies.sum_ns / 1e6;
}

typedef enum {
    QUERIES,
    LATE,
    ON_TIME,
    LOST,
    UNFINISHED,
    RATE,
    ARRIVAL_CV,
    HOURS,
    FEASIBLE,
    COST,
    SPOT_COST,
    NOMINAL_COST
} of_run_t;

static double
cost_of(const view_t *view, int market)
{
    const spot_serve_t *serve = &view->run->serve;
    double cost = 0;

    for (size_t j = 0; j < serve->num_stages; j++) {
        const spot_serve_stage_t *stage = &serve->stages[j];

        if (stage->result.paid_ns[market] > 0) {
            cost += stage->price_per_h[market] * (double) stage->result.paid_ns[market] /
                    NS_PER_H;
        }
    }
    return cost;
}

double
spot_serve_cost(const spot_serve_replication_t *self)
{
    const view_t view = {self, -1};

    return cost_of(&view, 0) + cost_of(&view, 1);
}

static double
nominal_cost(const view_t *view)
{
    int64_t cost_micro = 0;

    for (size_t j = 0; j < view->run->serve.num_stages; j++) {
        cost_micro +=
            spot_serve_scenario_cost(view->run->scenario, &view->run->options[j]);
    }
    return (double) cost_micro / 1e6;
}

static double
of_run(const view_t *view, int what)
{
    const spot_serve_replication_t *run = view->run;
    const double late =
        (double) spot_latencies_late(&run->latencies, run->scenario->slo.latency_ns);

    switch ((of_run_t) what) {
        case QUERIES:
            return (double) run->serve.run.num_queries;
        case LATE:
            return late;
        case ON_TIME:
            return (double) run->serve.run.num_queries - late;
        case LOST:
            return (double) run->serve.num_lost;
        case UNFINISHED:
            return (double) (run->serve.run.num_queries - run->serve.num_left);
        case RATE:
            return run->arrivals.rate_qps;
        case ARRIVAL_CV:
            return run->arrivals.cv;
        case HOURS:
            return (double) run->serve.end_ns / NS_PER_H;
        case FEASIBLE:
            return run->gate == SPOT_GATE_FEASIBLE;
        case COST:
            return spot_serve_cost(run);
        case SPOT_COST:
            return cost_of(view, 1);
        case NOMINAL_COST:
            return nominal_cost(view);
    }
    return (double) NAN;
}

/* A sum over the stages of the view of a member of their results, an int64_t. */
static double
sum_of(const view_t *view, int offset)
{
    const spot_serve_t *serve = &view->run->serve;
    double sum = 0;

    for (size_t j = 0; j < serve->num_stages; j++) {
        int64_t value;

        memcpy(&value, (const char *) &serve->stages[j].result + offset, sizeof(value));
        sum += view->stage_id < 0 || (size_t) view->stage_id == j ? (double) value : 0;
    }
    return sum;
}

static double
sum_of_h(const view_t *view, int offset)
{
    return sum_of(view, offset) / NS_PER_H;
}

#define RESULT(member) (int) offsetof(spot_stage_result_t, member)

typedef enum { PAID, SERVING, PREPPING, USEFUL, IDLE } paid_t;

/* Hours of replicas by what they do. */
static double
paid_h(const view_t *view, int what)
{
    const double paid =
        sum_of(view, RESULT(paid_ns[0])) + sum_of(view, RESULT(paid_ns[1]));
    const double serving =
        sum_of(view, RESULT(serving_ns[0])) + sum_of(view, RESULT(serving_ns[1]));
    const double busy = sum_of(view, RESULT(busy_ns)) - sum_of(view, RESULT(overrun_ns));

    switch ((paid_t) what) {
        case PAID:
            return paid / NS_PER_H;
        case SERVING:
            return serving / NS_PER_H;
        case PREPPING:
            return (paid - serving) / NS_PER_H;
        case USEFUL:
            return (busy - sum_of(view, RESULT(wasted_ns))) / NS_PER_H;
        case IDLE:
            return (serving - busy) / NS_PER_H;
    }
    return (double) NAN;
}

static double
taken(const view_t *view, int argument)
{
    const spot_serve_stage_t *stage = &view->run->serve.stages[view->stage_id];
    double sum = 0;

    (void) argument;
    for (int64_t n = 1; n <= stage->option.batch; n++) {
        sum += (double) (n * stage->histogram[n]);
    }
    return sum;
}

static double
capacity(const view_t *view, int argument)
{
    (void) argument;
    return spot_gate_capacity(view->run->scenario, (size_t) view->stage_id,
        &view->run->options[view->stage_id]);
}

/* ---- The tables ---- */

typedef struct {
    spot_metric_t metric;
    formula_t formula; /* NULL: of derived metrics */
    int argument;
} row_t;

#define ROW(name_, unit_, text, formula, argument, ...)                                 \
    {                                                                                   \
        {.name = name_, .unit = unit_, .help = text, __VA_ARGS__}, formula, argument    \
    }
#define LATENCY(name_, percentile_milli, label_, text)                                  \
    ROW(name_, "ms", text, percentile_ms, percentile_milli, .label = label_,            \
        .kind = SPOT_METRIC_TIME, .better = SPOT_BETTER_LOWER)
#define SHARE(name_, of, per_, label_, better_, text)                                   \
    ROW(name_, "1", text, NULL, 0, .label = label_, .kind = SPOT_METRIC_SHARE,          \
        .better = SPOT_BETTER_##better_, .numerator = of, .denominator = per_)
#define RATIO(name_, unit_, of, per_, label_, better_, text, ...)                       \
    ROW(name_, unit_, text, NULL, 0, .label = label_, .better = SPOT_BETTER_##better_,  \
        .numerator = of, .denominator = per_, __VA_ARGS__)
#define COUNT(name_, unit_, better_, text, formula, argument)                           \
    ROW(name_, unit_, text, formula, argument, .better = SPOT_BETTER_##better_)
#define TOTAL(name_, unit_, text, formula, argument)                                    \
    ROW(name_, unit_, text, formula, argument, .is_total = true)

static const row_t rows[] = {
    RATIO("latency_mean_ms", "ms", "latency_sum_ms", "queries", "mean latency", LOWER,
        "mean time from source to sink", .kind = SPOT_METRIC_TIME),
    LATENCY("latency_p50_ms", 50000, "median latency",
        "latency that half of the queries do not exceed"),
    LATENCY("latency_p95_ms", 95000, "95 % latency",
        "latency that 95 % of the queries do not exceed"),
    LATENCY("latency_p99_ms", 99000, "99 % latency",
        "latency that 99 % of the queries do not exceed"),
    LATENCY("latency_p99_9_ms", 99900, "99.9 % latency",
        "latency that 99.9 % of the queries do not exceed"),
    LATENCY("latency_max_ms", 100000, "longest latency", "longest latency of a query"),
    SHARE("late_fraction", "late", "queries", "late", LOWER,
        "share of the queries above the latency objective; lost and unfinished ones "
        "count"),
    SHARE("lost_fraction", "lost", "queries", "lost", LOWER,
        "share of the queries that were lost with a replica"),
    ROW("feasible", "1", "1: the configuration meets its objective", of_run, FEASIBLE,
        .label = "objective met", .kind = SPOT_METRIC_PROBABILITY,
        .better = SPOT_BETTER_HIGHER),
    RATIO("cost_per_hour", "1/h", "cost", "hours", "cost per hour", LOWER,
        "cost of the replicas per hour of the run, in the currency of the prices",
        .kind = SPOT_METRIC_COST),
    RATIO("cost_per_1000_on_time", "1", "cost", "on_time", "cost per 1,000 on time",
        LOWER, "cost of the replicas per 1,000 queries that are not late",
        .kind = SPOT_METRIC_COST, .per = 1000),
    SHARE("spot_cost_share", "spot_cost", "cost", "share of cost on spot", NEITHER,
        "share of the cost that is paid for spot replicas"),
    COUNT("queries", "queries", NEITHER, "queries that came", of_run, QUERIES),
    COUNT("rate_qps", "1/s", NEITHER, "queries per second", of_run, RATE),
    COUNT("arrival_cv", "1", NEITHER,
        "coefficient of variation of the times between queries", of_run, ARRIVAL_CV),
    COUNT("unfinished", "queries", LOWER, "queries that never reached the sink", of_run,
        UNFINISHED),
    SHARE("useful_fraction", "useful_h", "paid_h", "useful", HIGHER,
        "share of the paid replica time in batches that returned"),
    SHARE("wasted_fraction", "wasted_h", "paid_h", "wasted", LOWER,
        "share of the paid replica time in batches that were cut"),
    SHARE("idle_fraction", "idle_h", "paid_h", "idle", LOWER,
        "share of the paid replica time in which replicas serve without a batch"),
    SHARE("prepping_fraction", "prepping_h", "paid_h", "prepping", LOWER,
        "share of the paid replica time before replicas serve"),
    COUNT("batches_cut", "batches", LOWER, "batches that ended with their replica",
        sum_of, RESULT(batches_cut)),
    COUNT("launches", "replicas", NEITHER,
        "replicas that a fallback or an autoscaler launched", sum_of, RESULT(launches)),
    TOTAL("latency_sum_ms", "ms", "latencies of all queries", latency_sum_ms, 0),
    TOTAL("late", "queries", "queries above the objective", of_run, LATE),
    TOTAL("on_time", "queries", "the other queries", of_run, ON_TIME),
    TOTAL("lost", "queries", "queries lost with a replica", of_run, LOST),
    TOTAL("hours", "h", "time until the last query left", of_run, HOURS),
    TOTAL("cost", "1", "cost of all replicas", of_run, COST),
    TOTAL("spot_cost", "1", "cost of spot replicas", of_run, SPOT_COST),
    TOTAL("nominal_cost_per_hour", "1/h", "price of the configuration per hour", of_run,
        NOMINAL_COST),
    TOTAL("paid_h", "h", "paid replica time", paid_h, PAID),
    TOTAL("useful_h", "h", "replica time in batches that returned", paid_h, USEFUL),
    TOTAL("wasted_h", "h", "replica time in batches that were cut", sum_of_h,
        RESULT(wasted_ns)),
    TOTAL("idle_h", "h", "replica time without a batch", paid_h, IDLE),
    TOTAL("prepping_h", "h", "paid replica time before serving", paid_h, PREPPING),
};

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Of each stage: NAME.STAGE. */
static const row_t stage_rows[] = {
    SHARE("utilisation", "busy_h", "serving_h", "utilisation", NEITHER,
        "share of the serving time in which replicas run batches"),
    RATIO("queue_mean", "queries", "queued_h", "hours", "mean queue", LOWER,
        "mean number of queries that wait", .kind = SPOT_METRIC_PLAIN),
    COUNT("queue_max", "queries", LOWER, "most queries that wait at a time", sum_of,
        RESULT(queue_max)),
    RATIO("mean_batch", "queries", "taken", "batches", "mean batch", NEITHER,
        "mean size of the batches", .kind = SPOT_METRIC_PLAIN),
    RATIO("replicas_mean", "replicas", "serving_h", "hours", "mean replicas", NEITHER,
        "mean number of replicas that serve", .kind = SPOT_METRIC_PLAIN),
    COUNT("replicas_peak", "replicas", NEITHER, "most replicas that serve at a time",
        sum_of, RESULT(peak_replicas)),
    TOTAL("capacity_qps", "1/s", "queries per second in full batches", capacity, 0),
    TOTAL("batches", "batches", "batches, those that were cut included", sum_of,
        RESULT(batches)),
    TOTAL("taken", "queries", "queries in batches", taken, 0),
    TOTAL("busy_h", "h", "replica time in batches", sum_of_h, RESULT(busy_ns)),
    TOTAL("serving_h", "h", "replica time in which replicas serve", paid_h, SERVING),
    TOTAL(
        "queued_h", "h", "waiting time of all queries", sum_of_h, RESULT(queue_area_ns)),
};

#define NUM_STAGE_ROWS (sizeof(stage_rows) / sizeof(stage_rows[0]))

static const char *
text_of_stage(
    spot_arena_t *memory, const char *name, const char *between, const char *stage)
{
    spot_texts_t texts = {0};
    char *text;

    if (name == NULL || strcmp(name, "hours") == 0) {
        return name; /* of the run */
    }
    text =
        spot_arena_text(memory, spot_texts_add(&texts, "%s%s%s", name, between, stage));
    memory->error = spot_error_first(memory->error, texts.error);
    spot_texts_free(&texts);
    return text;
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
        const char *id = spot_pipeline_stage_node(&scenario->pipeline, k)->id;

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

void
spot_serve_yield(const spot_serve_replication_t *self, double *values)
{
    const size_t num_stages = self->scenario->pipeline.num_stages;
    view_t view = {self, -1};

    for (size_t j = 0; j < NUM_ROWS + num_stages * NUM_STAGE_ROWS; j++) {
        const size_t place = j < NUM_ROWS ? 0 : j - NUM_ROWS;
        const row_t *row = j < NUM_ROWS ? &rows[j] : &stage_rows[place % NUM_STAGE_ROWS];

        view.stage_id = j < NUM_ROWS ? -1 : (int32_t) (place / NUM_STAGE_ROWS);
        if (row->formula != NULL) {
            values[j] = self->options == NULL ? (double) NAN
                                              : row->formula(&view, row->argument);
        }
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
