/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "sim/train/run_json.h"

/* A run and what its metrics are of: all VCs, or one. */
typedef struct {
    const spot_schedule_t *schedule;
    const spot_job_summary_t *summary;
    const spot_vc_t *vc; /* NULL: all */
} run_t;

typedef double (*formula_t)(const run_t *run, int argument);

/* ---- Formulas ---- */

static double of_summary(const run_t *run, int offset)
{
    double value;

    memcpy(&value, (const char *) run->summary + offset, sizeof(value));
    return value;
}

/* offset: of an int64_t. */
static double count_of_summary(const run_t *run, int offset)
{
    return (double) *(const int64_t *) ((const char *) run->summary + offset);
}

/* offset: of an int64_t of the totals of small jobs. */
static double ended(const run_t *run, int offset)
{
    return count_of_summary(run, offset) +
           count_of_summary(run, offset + (int) sizeof(run->summary->ended[0]));
}

/* Of a kind of paid time. */
static double gpu_s(const run_t *run, int kind)
{
    int64_t half_gpu_s = 0;

    for (int32_t j = 0; j < run->schedule->num_clocks; j++) {
        if (run->vc == NULL || run->vc->vc_id == j) {
            half_gpu_s += run->schedule->vcs[j].ledger[kind];
        }
    }
    return (double) half_gpu_s / 2;
}

static double paid_gpu_s(const run_t *run, int argument)
{
    double sum = 0;

    (void) argument;
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        sum += gpu_s(run, j);
    }
    return sum;
}

static double used_gpu_s(const run_t *run, int argument)
{
    return paid_gpu_s(run, argument) - gpu_s(run, SPOT_GPU_PREPPING) - gpu_s(run, SPOT_GPU_STANDBY);
}

static double gpu_h(const run_t *run, int kind)
{
    return gpu_s(run, kind) / 3600;
}

/* offset: of an int64_t of the VCs. */
static double count_of_vcs(const run_t *run, int offset)
{
    int64_t count = 0;

    for (int32_t j = 0; j < run->schedule->num_vcs; j++) {
        count += *(const int64_t *) ((const char *) &run->schedule->vcs[j] + offset);
    }
    return (double) count;
}

static double last_end_s(const run_t *run, int argument)
{
    (void) argument;
    return run->schedule->last_end_s < 0 ? (double) NAN : (double) run->schedule->last_end_s;
}

static double makespan_s(const run_t *run, int argument)
{
    return last_end_s(run, argument) - (double) run->schedule->scenario->start_s;
}

/* offset: of a double of the run. */
static double of_schedule(const run_t *run, int offset)
{
    double value;

    memcpy(&value, (const char *) run->schedule + offset, sizeof(value));
    return value;
}

static double cost_usd(const run_t *run, int argument)
{
    (void) argument;
    return run->schedule->reserved_usd + run->schedule->spot_usd;
}

/* ---- The table ---- */

typedef struct {
    spot_metric_t metric;
    formula_t formula; /* NULL: of derived metrics only */
    int argument;
} row_t;

#define ROW(name_, unit_, text, formula, argument, ...)                                            \
    {                                                                                              \
        {.name = name_, .unit = unit_, .help = text, __VA_ARGS__}, formula, argument               \
    }
#define SUMMARY(name_, label_, noun_, text, ...)                                                   \
    ROW(#name_, "s", text, of_summary, offsetof(spot_job_summary_t, name_), .label = label_,       \
        .noun = noun_, .kind = SPOT_METRIC_TIME, __VA_ARGS__)
#define TIME(name_, label_, noun_, text)                                                           \
    SUMMARY(name_, label_, noun_, text, .better = SPOT_BETTER_LOWER)
/* The mean over the jobs of all replications. */
#define MEAN(name_, total, label_, noun_, text)                                                    \
    SUMMARY(name_, label_, noun_, text, .better = SPOT_BETTER_LOWER, .numerator = total,           \
        .denominator = "jobs_ended")
#define TOTAL(name_, unit_, text, formula, argument)                                               \
    ROW(name_, unit_, text, formula, argument, .is_total = true)
#define SHARE(name_, of, per_, label_, better_, text)                                              \
    ROW(name_, "1", text, NULL, 0, .label = label_, .kind = SPOT_METRIC_SHARE,                     \
        .better = SPOT_BETTER_##better_, .numerator = of, .denominator = per_)
#define COUNT(name_, unit_, better_, text, formula, ...)                                           \
    ROW(name_, unit_, text, formula, __VA_ARGS__, .better = SPOT_BETTER_##better_)
#define EVENTS(name, unit, better, text, formula, ...)                                             \
    COUNT(name, unit, better, text, formula, __VA_ARGS__, .is_count = true)

static const row_t rows[] = {
    MEAN(avg_jct, "jct_total", "mean JCT", "mean job completion time",
        "mean time from the submit of a job to its end, of jobs that have ended"),
    MEAN(avg_queue, "queue_total", "mean queueing time", "mean queueing time",
        "mean time of a job in the queue"),
    TIME(queue_p50, "median queueing time", NULL, "median of the time in the queue"),
    TIME(queue_p95, "95 % queueing time", NULL,
        "time in the queue that 95 % of the jobs do not exceed"),
    TIME(queue_p999, "99.9 % queueing time", NULL,
        "time in the queue that 99.9 % of the jobs do not exceed"),
    TIME(jct_p50, "median JCT", "median job completion time",
        "median of the time from submit to end"),
    TIME(jct_p95, "95 % JCT", "95 % job completion time",
        "time from submit to end that 95 % of the jobs do not exceed"),
    TIME(jct_p99, "99 % JCT", "99 % job completion time",
        "time from submit to end that 99 % of the jobs do not exceed"),
    TIME(jct_large, "mean JCT of large jobs", NULL,
        "mean time from submit to end of jobs with more GPUs than output.large_over"),
    TIME(jct_small, "mean JCT of small jobs", NULL, "the same of the other jobs"),
    TIME(queue_large, "mean queueing time of large jobs", NULL,
        "mean time in the queue of jobs with more GPUs than output.large_over"),
    TIME(queue_small, "mean queueing time of small jobs", NULL, "the same of the other jobs"),
    COUNT("jobs", "jobs", NEITHER, "jobs of the log", count_of_summary,
        offsetof(spot_job_summary_t, num_jobs)),
    EVENTS("unfinished", "jobs", LOWER, "jobs that have not ended when the run ends",
        count_of_summary, offsetof(spot_job_summary_t, num_unfinished), .count_of = "jobs"),
    EVENTS("preemptions", "jobs", LOWER, "running jobs that the policy stopped", count_of_vcs,
        offsetof(spot_vc_t, preemptions)),
    EVENTS("node_preemptions", "jobs", LOWER, "running jobs that stopped for the loss of a node",
        count_of_vcs, offsetof(spot_vc_t, node_preemptions)),
    EVENTS("resizes", "resizes", NEITHER, "changes of the size of a running job", count_of_vcs,
        offsetof(spot_vc_t, resizes)),
    ROW("makespan", "s", "time from the start of the run to the last end of a job", makespan_s, 0,
        .kind = SPOT_METRIC_TIME, .better = SPOT_BETTER_LOWER),
    COUNT(
        "last_end", "s", NEITHER, "second of the clock at which the last job ends", last_end_s, 0),
    SHARE("utilisation", "used_gpu_s", "paid_gpu_s", "utilisation", HIGHER,
        "share of the paid GPU time in which jobs hold the GPUs"),
    SHARE("useful_fraction", "useful_gpu_s", "paid_gpu_s", "useful", HIGHER,
        "share of the paid GPU time that is work which is kept"),
    SHARE("unsaved_fraction", "unsaved_gpu_s", "paid_gpu_s", "unsaved", NEITHER,
        "share of the paid GPU time that is work which is neither durable nor lost at "
        "the end"),
    SHARE("lost_fraction", "lost_gpu_s", "paid_gpu_s", "lost", LOWER,
        "share of the paid GPU time that is work which was lost with a node"),
    SHARE("overhead_fraction", "overhead_gpu_s", "paid_gpu_s", "overhead", LOWER,
        "share of the paid GPU time in restarts and reconfigurations"),
    SHARE("standby_fraction", "standby_gpu_s", "paid_gpu_s", "standby", LOWER,
        "share of the paid GPU time of GPUs without a job on nodes that are ready"),
    SHARE("prepping_fraction", "prepping_gpu_s", "paid_gpu_s", "prepping", LOWER,
        "share of the paid GPU time of nodes that are being prepared"),
    COUNT("lost_gpu_h", "GPU-h", LOWER, "work that was lost with nodes", gpu_h, SPOT_GPU_LOST),
    ROW("cost_usd", "USD", "price of all nodes, reserved and spot, until the end of the run",
        cost_usd, 0, .label = "cost", .kind = SPOT_METRIC_COST, .better = SPOT_BETTER_LOWER),
    SHARE("spot_cost_share", "spot_usd", "cost_usd", "share of cost on spot", NEITHER,
        "share of the cost that is paid for spot nodes"),
    TOTAL("jobs_ended", "jobs", "jobs that have ended", ended,
        offsetof(spot_job_summary_t, ended[0].num_jobs)),
    TOTAL("jct_total", "s", "times from submit to end of all jobs that have ended", ended,
        offsetof(spot_job_summary_t, ended[0].jct_s)),
    TOTAL("queue_total", "s", "their times in the queue", ended,
        offsetof(spot_job_summary_t, ended[0].queue_s)),
    TOTAL("paid_gpu_s", "GPU-s", "GPU time of all nodes", paid_gpu_s, 0),
    TOTAL("used_gpu_s", "GPU-s", "GPU time in which jobs hold the GPUs", used_gpu_s, 0),
    TOTAL("useful_gpu_s", "GPU-s", "GPU time of kept work", gpu_s, SPOT_GPU_USEFUL),
    TOTAL("unsaved_gpu_s", "GPU-s", "GPU time of unsaved work", gpu_s, SPOT_GPU_UNSAVED),
    TOTAL("lost_gpu_s", "GPU-s", "GPU time of lost work", gpu_s, SPOT_GPU_LOST),
    TOTAL("overhead_gpu_s", "GPU-s", "GPU time of overhead", gpu_s, SPOT_GPU_OVERHEAD),
    TOTAL("standby_gpu_s", "GPU-s", "GPU time on standby", gpu_s, SPOT_GPU_STANDBY),
    TOTAL("prepping_gpu_s", "GPU-s", "GPU time of prepping nodes", gpu_s, SPOT_GPU_PREPPING),
    TOTAL("spot_usd", "USD", "price of the spot nodes", of_schedule,
        offsetof(spot_schedule_t, spot_usd)),
    TOTAL("reserved_usd", "USD", "price of the reserved nodes", of_schedule,
        offsetof(spot_schedule_t, reserved_usd)),
    TOTAL("spot_node_h", "node-h", "hours of spot nodes", of_schedule,
        offsetof(spot_schedule_t, spot_node_h)),
    TOTAL("reserved_node_h", "node-h", "hours of reserved nodes", of_schedule,
        offsetof(spot_schedule_t, reserved_node_h)),
};

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Of each VC: NAME.VC. Listed only if a study names them. */
static const row_t vc_rows[] = {
    TIME(avg_jct, "mean JCT", NULL, "mean time from submit to end"),
    TIME(avg_queue, "mean queueing time", NULL, "mean time in the queue"),
    TIME(queue_p95, "95 % queueing time", NULL,
        "time in the queue that 95 % of the jobs do not exceed"),
    EVENTS("unfinished", "jobs", LOWER, "jobs that have not ended when the run ends",
        count_of_summary, offsetof(spot_job_summary_t, num_unfinished), .count_of = "jobs"),
    SHARE("utilisation", "used_gpu_s", "paid_gpu_s", "utilisation", HIGHER,
        "share of the paid GPU time in which jobs hold the GPUs"),
    TOTAL("paid_gpu_s", "GPU-s", "GPU time of the nodes", paid_gpu_s, 0),
    TOTAL("used_gpu_s", "GPU-s", "GPU time in which jobs hold the GPUs", used_gpu_s, 0),
};

#define NUM_VC_ROWS (sizeof(vc_rows) / sizeof(vc_rows[0]))

static const char *text_of_vc(
    spot_arena_t *memory, const char *name, const char *between, const char *vc)
{
    spot_texts_t texts = {0};
    char *text;

    if (name == NULL) {
        return NULL;
    }
    text = spot_arena_text(memory, spot_texts_add(&texts, "%s%s%s", name, between, vc));
    memory->error = spot_error_first(memory->error, texts.error);
    spot_texts_free(&texts);
    return text;
}

static spot_metric_t metric_of_vc(spot_arena_t *memory, const spot_metric_t *metric, const char *vc)
{
    spot_metric_t own = *metric;

    own.name = text_of_vc(memory, metric->name, ".", vc);
    own.label = text_of_vc(memory, metric->label, " of ", vc);
    own.noun = text_of_vc(memory, metric->noun, " of ", vc);
    own.numerator = text_of_vc(memory, metric->numerator, ".", vc);
    own.denominator = text_of_vc(memory, metric->denominator, ".", vc);
    own.is_total = true;
    return own;
}

int spot_schedule_metrics_init(spot_schedule_scenario_t *scenario)
{
    const size_t num_metrics = NUM_ROWS + scenario->vcs.num_vcs * NUM_VC_ROWS;
    spot_metric_t *metrics, *metric;

    SPOT_ARENA_ARRAY(&scenario->memory, metrics, num_metrics);
    metric = metrics;
    for (size_t j = 0; j < NUM_ROWS && metrics != NULL; j++) {
        *metric++ = rows[j].metric;
    }
    for (size_t k = 0; k < scenario->vcs.num_vcs && metrics != NULL; k++) {
        for (size_t j = 0; j < NUM_VC_ROWS; j++) {
            *metric++ =
                metric_of_vc(&scenario->memory, &vc_rows[j].metric, scenario->vcs.vcs[k].name);
        }
    }
    scenario->outputs.num_metrics = num_metrics;
    scenario->outputs.metrics = metrics;
    return scenario->memory.error;
}

static void yield(const run_t *run, const row_t *table, size_t num_rows, double *values)
{
    for (size_t j = 0; j < num_rows; j++) {
        if (table[j].metric.numerator == NULL) {
            values[j] = table[j].formula(run, table[j].argument);
        }
    }
}

static run_t run_of_all(const spot_schedule_t *schedule, const spot_summaries_t *summaries)
{
    return (run_t){schedule, &summaries->summaries[schedule->num_vcs], NULL};
}

void spot_schedule_yield(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, double *values)
{
    const run_t run = run_of_all(schedule, summaries);

    yield(&run, rows, NUM_ROWS, values);
    for (int32_t k = 0; k < schedule->num_vcs; k++) {
        const run_t of_vc = {schedule, &summaries->summaries[k], &schedule->vcs[k]};

        yield(&of_vc, vc_rows, NUM_VC_ROWS, values + NUM_ROWS + (size_t) k * NUM_VC_ROWS);
    }
}

/* ---- Warnings ---- */

const spot_warning_t spot_schedule_warnings[SPOT_SCHEDULE_NUM_WARNINGS] = {
    [SPOT_SCHEDULE_UNFINISHED] = {"unfinished_jobs",
        "jobs had not ended when the run ended: times are those of the other jobs, "
        "which may be the short ones"},
    [SPOT_SCHEDULE_CLIPPED] = {"clipped_nodes",
        "spot nodes could not come or go as the trace said: more than the capacity "
        "came, or more went than there were"},
    [SPOT_SCHEDULE_PAST_TRACE_END] = {"past_trace_end",
        "the run went on after the end of the trace of a pool with the nodes it left"},
    [SPOT_SCHEDULE_OVERSIZE] = {"oversize_jobs",
        "jobs that ask for more GPUs than their VC can have were left out"},
    [SPOT_SCHEDULE_NO_JOBS] = {"no_jobs", "there was no job"},
};

void spot_schedule_warning_flags(const spot_schedule_t *schedule, unsigned char *flags)
{
    flags[SPOT_SCHEDULE_UNFINISHED] = schedule->num_ended < schedule->num_jobs;
    flags[SPOT_SCHEDULE_CLIPPED] = schedule->num_clipped > 0;
    flags[SPOT_SCHEDULE_PAST_TRACE_END] = schedule->is_past_trace_end;
    flags[SPOT_SCHEDULE_OVERSIZE] = schedule->num_oversize > 0;
    flags[SPOT_SCHEDULE_NO_JOBS] = schedule->num_jobs == 0;
}

/* ---- JSON ---- */

/* Members of an object: metrics under their names, up to NULL. */
static void write_metrics(const run_t *run, const char *const *names, spot_json_t *json)
{
    for (; *names != NULL; names++) {
        const row_t *row = rows;

        while (strcmp(row->metric.name, *names) != 0) {
            row++;
        }
        spot_json_number(json, *names, row->formula(run, row->argument));
    }
}

static void write_ledger(const run_t *run, spot_json_t *json)
{
    spot_json_open(json, "ledger", '{');
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        spot_json_number(json, spot_gpu_time_names[j], gpu_s(run, j));
    }
    spot_json_number(json, "total", paid_gpu_s(run, 0));
    spot_json_close(json, '}');
}

static void write_cost(const run_t *run, spot_json_t *json)
{
    spot_json_open(json, "cost", '{');
    write_metrics(run, (const char *[]){"reserved_usd", "spot_usd", NULL}, json);
    spot_json_number(json, "usd", cost_usd(run, 0));
    write_metrics(run, (const char *[]){"reserved_node_h", "spot_node_h", NULL}, json);
    spot_json_close(json, '}');
}

static void write_counts(const run_t *run, spot_json_t *json)
{
    const spot_job_counts_t *log = &run->schedule->log->counts;

    spot_json_open(json, "counts", '{');
    write_metrics(run, (const char *[]){"node_preemptions", "resizes", NULL}, json);
    spot_json_integer(json, "clipped", run->schedule->num_clipped);
    spot_json_integer(json, "oversize", run->schedule->num_oversize);
    spot_json_integer(json, "rows_read", log->read);
    spot_json_integer(json, "without_gpus", log->without_gpus);
    spot_json_integer(json, "unknown_vc", log->unknown_vc);
    spot_json_integer(json, "dropped_vc", log->dropped_vc);
    spot_json_integer(json, "too_short", log->too_short);
    spot_json_integer(json, "unsorted", log->unsorted);
    spot_json_close(json, '}');
}

static void write_profiling(const spot_schedule_t *schedule, spot_json_t *json)
{
    const spot_profiling_t profiling = spot_schedule_profiling(schedule);

    spot_json_open(json, "profiler", '{');
    spot_json_integer(json, "profiled", profiling.num_profiled);
    spot_json_integer(json, "finished", profiling.num_finished);
    spot_json_number(
        json, "avg_queue", (double) profiling.queue_s / (double) schedule->log->num_jobs);
    spot_json_integer(json, "borrowed", profiling.num_borrowed);
    spot_json_close(json, '}');
}

static void write_vcs(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, spot_json_t *json)
{
    spot_json_open(json, "vcs", '{');
    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        const run_t run = {schedule, &summaries->summaries[j], &schedule->vcs[j]};

        spot_json_open(json, schedule->vcs[j].name, '{');
        write_metrics(&run, (const char *[]){"jobs", "avg_jct", "avg_queue", NULL}, json);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

/* Jobs of the training engine, in its own words. */
static void write_core_jobs(const spot_schedule_t *schedule, spot_json_t *json)
{
    bool is_open = false;

    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_train_result_t *result = spot_schedule_core_result(schedule, j);

        if (result != NULL && !is_open) {
            spot_json_open(json, "core_jobs", '{');
            is_open = true;
        }
        if (result != NULL) {
            spot_json_open(json, schedule->log->jobs[j].id, '{');
            spot_run_json_figures(json, result);
            spot_json_close(json, '}');
        }
    }
    if (is_open) {
        spot_json_close(json, '}');
    }
}

void spot_schedule_json_write(const spot_schedule_t *schedule, const spot_summaries_t *summaries,
    const spot_replication_t *replication, spot_json_t *json)
{
    static const char *const row[] = {"jobs", "unfinished", "avg_jct", "avg_queue", "queue_p50",
        "queue_p95", "queue_p999", "jct_p50", "jct_p95", "jct_p99", "jct_large", "jct_small",
        "queue_large", "queue_small", "preemptions", "last_end", NULL};
    const run_t run = run_of_all(schedule, summaries);
    unsigned char flags[SPOT_SCHEDULE_NUM_WARNINGS];

    spot_json_text(json, "engine", "schedule");
    spot_json_text(json, "scenario", schedule->scenario->name);
    spot_json_text(json, "policy", spot_policies[schedule->scenario->policy_id]->name);
    write_metrics(&run, row, json);
    write_ledger(&run, json);
    write_cost(&run, json);
    write_counts(&run, json);
    if (schedule->profiler.vc != NULL) {
        write_profiling(schedule, json);
    }
    write_vcs(schedule, summaries, json);
    write_core_jobs(schedule, json);
    spot_schedule_warning_flags(schedule, flags);
    spot_replication_json_end(json, SPOT_SCHEDULE_NUM_WARNINGS, spot_schedule_warnings, flags,
        replication->seed, replication->replication);
}
