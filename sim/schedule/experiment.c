/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/units.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/run_recorder.h"
#include "sim/schedule/scenario.h"
#include "sim/train/run_views.h"
#include "traces/generate/generator.h"

/* Conditions that make the results doubtful. */
typedef enum {
    SCHEDULE_UNFINISHED,
    SCHEDULE_CLIPPED,
    SCHEDULE_PAST_TRACE_END,
    SCHEDULE_OVERSIZE,
    SCHEDULE_NO_JOBS,
    SCHEDULE_NUM_WARNINGS
} schedule_warning_t;

typedef spot_schedule_scenario_t scenario_t;

/* ---- Metrics ---- */

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

/* Makes the metrics of a bound scenario in its memory. NO_MEMORY. */
static int schedule_metrics_init(spot_schedule_scenario_t *scenario)
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

static const spot_warning_t schedule_warnings[SCHEDULE_NUM_WARNINGS] = {
    [SCHEDULE_UNFINISHED] = {"unfinished_jobs",
        "jobs had not ended when the run ended: times are those of the other jobs, "
        "which may be the short ones"},
    [SCHEDULE_CLIPPED] = {"clipped_nodes",
        "spot nodes could not come or go as the trace said: more than the capacity "
        "came, or more went than there were"},
    [SCHEDULE_PAST_TRACE_END] = {"past_trace_end",
        "the run went on after the end of the trace of a pool with the nodes it left"},
    [SCHEDULE_OVERSIZE] = {"oversize_jobs",
        "jobs that ask for more GPUs than their VC can have were left out"},
    [SCHEDULE_NO_JOBS] = {"no_jobs", "there was no job"},
};

static void schedule_warning_flags(const spot_schedule_t *schedule, unsigned char *flags)
{
    flags[SCHEDULE_UNFINISHED] = schedule->num_ended < schedule->num_jobs;
    flags[SCHEDULE_CLIPPED] = schedule->num_clipped > 0;
    flags[SCHEDULE_PAST_TRACE_END] = schedule->is_past_trace_end;
    flags[SCHEDULE_OVERSIZE] = schedule->num_oversize > 0;
    flags[SCHEDULE_NO_JOBS] = schedule->num_jobs == 0;
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

/* The summary row, the ledger, the cost and the counts of a replication as one JSON
 * object. */
static void schedule_json_write(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, spot_json_t *json)
{
    static const char *const row[] = {"jobs", "unfinished", "avg_jct", "avg_queue", "queue_p50",
        "queue_p95", "queue_p999", "jct_p50", "jct_p95", "jct_p99", "jct_large", "jct_small",
        "queue_large", "queue_small", "preemptions", "last_end", NULL};
    const run_t run = run_of_all(schedule, summaries);

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
}

/* ---- What a run takes in memory ---- */

/* What a scenario takes in memory by the numbers that it names: jobs, nodes, lines of progress and
 * samples. Each is refused where it stands, before anything starts, if it takes more than
 * spot_memory_limit(). */

static double num_jobs_of(const scenario_t *self)
{
    return self->log == NULL ? spot_job_law_mean_jobs(&self->jobs.law)
                             : (double) self->log->num_jobs;
}

/* The key that says how many jobs there are. */
static const char *key_of_jobs(const scenario_t *self)
{
    return self->log != NULL             ? "jobs.file"
           : self->jobs.law.num_jobs > 0 ? "jobs.generate.jobs"
                                         : "jobs.generate.per_hour";
}

/* Of a run: the jobs of the VCs, which are in a list of arrivals too, an id each, and in blocks of
 * the queue, which may be half full; values for the quantiles; and the log, where each replication
 * draws one or moves its submits. */
static double job_bytes(const scenario_t *self, double num_jobs)
{
    const spot_schedule_t *schedule = NULL;
    const spot_vc_t *vc = NULL;
    const spot_summaries_t *summaries = NULL;
    double bytes =
        spot_array_bytes(num_jobs, sizeof(*vc->jobs)) +
        spot_array_bytes(num_jobs, sizeof(*vc->arrivals)) +
        spot_array_bytes(2 * num_jobs / SPOT_QUEUE_BLOCK_JOBS, sizeof(spot_queue_block_t)) +
        spot_array_bytes(num_jobs, sizeof(*schedule->job_ids)) +
        spot_array_bytes(num_jobs, sizeof(*summaries->values)) +
        spot_array_bytes(num_jobs, sizeof(*summaries->queues));

    if (self->log == NULL) {
        bytes += spot_job_law_bytes(num_jobs);
    }
    if (self->jobs.jitter_s > 0) {
        bytes += spot_array_bytes(num_jobs, sizeof(*schedule->order)) +
                 spot_array_bytes(num_jobs, sizeof(*schedule->scratch)) +
                 spot_array_bytes(num_jobs + 1, sizeof(*schedule->submit_s));
    }
    return bytes;
}

static int check_jobs(
    const scenario_t *self, const spot_node_t *root, double more_bytes, spot_diag_t *diag)
{
    const double num_jobs = num_jobs_of(self);
    const char *key = key_of_jobs(self);
    const spot_memory_need_t need = {
        num_jobs, "jobs", job_bytes(self, num_jobs) + more_bytes, true};

    return spot_memory_check(&need, diag, spot_node_place(root, key), key);
}

static int check_nodes(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_gpu_nodes_t *nodes = NULL;
    const size_t node_bytes = sizeof(*nodes->nodes) + sizeof(*nodes->list) + sizeof(*nodes->order);
    spot_memory_need_t need = {.things = "nodes", .is_of_run = true};

    for (size_t j = 0; j < self->vcs.num_vcs; j++) {
        need.count += self->vcs.vcs[j].num_nodes;
        need.bytes += spot_array_bytes(self->vcs.vcs[j].num_nodes, node_bytes);
    }
    return spot_memory_check(&need, diag, spot_node_place(root, "cluster.vcs"), "cluster.vcs");
}

/* From the start of the run to the last submit at least, in s. */
static double span_s(const scenario_t *self)
{
    const spot_job_law_t *law = &self->jobs.law;
    double until_s = 0;

    if (self->log != NULL && self->log->num_jobs > 0) {
        until_s = (double) (self->log->jobs[self->log->num_jobs - 1].submit_s - self->start_s);
    } else if (self->log == NULL) {
        until_s = 3600 * spot_job_law_mean_jobs(law) / law->per_hour;
    }
    return self->horizon_s > 0 ? fmin(until_s, (double) self->horizon_s) : until_s;
}

/* Moments at equal intervals of each VC; 0 s: none. */
static double num_moments(const scenario_t *self, int64_t interval_s)
{
    return interval_s > 0 ? (1 + span_s(self) / (double) interval_s) * (double) self->vcs.num_vcs
                          : 0;
}

static int check_progress(
    const scenario_t *self, const spot_node_t *root, bool is_recorded, spot_diag_t *diag)
{
    const double num_lines = num_moments(self, self->progress_s);
    const spot_memory_need_t need = {num_lines, "lines of progress",
        spot_array_bytes(num_lines, sizeof(spot_vc_progress_t)) +
            (is_recorded ? spot_series_bytes(&spot_schedule_tables[SPOT_TABLE_PROGRESS], num_lines)
                         : 0),
        true};

    return spot_memory_check(
        &need, diag, spot_node_place(root, "output.progress"), "output.progress");
}

/* Checks a run, of which a thread that runs replications has one; root: the document of the
 * scenario. BAD_INPUT with the reasons in diag. */
static int schedule_check_memory(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    int ret = check_nodes(self, root, diag);

    ret = ret != 0 ? ret : check_progress(self, root, false, diag);
    return ret != 0 ? ret : check_jobs(self, root, 0, diag);
}

/* The samples of each VC, and those of all. */
static int check_samples(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_rows = num_moments(self, self->sample_s);
    const double num_all = num_rows / (double) self->vcs.num_vcs;
    const spot_series_kind_t *kind = self->outputs.series[SPOT_TABLE_SAMPLES_ALL];
    const spot_memory_need_t need = {num_rows, "samples of VCs",
        spot_series_bytes(kind, num_rows) + spot_series_bytes(kind, num_all) +
            spot_array_bytes(num_all, sizeof(spot_vc_sample_t)),
        true};

    return spot_memory_check(
        &need, diag, spot_node_place(root, "output.samples"), "output.samples");
}

/* Rows for each job: what it is and when it ran, and the nodes of its run at least. */
static double table_bytes(double num_jobs)
{
    static const int tables[] = {SPOT_TABLE_JOBS, SPOT_TABLE_JOB_DETAILS, SPOT_TABLE_NODES};
    double bytes = 0;

    for (size_t j = 0; j < sizeof(tables) / sizeof(tables[0]); j++) {
        bytes += spot_series_bytes(&spot_schedule_tables[tables[j]], num_jobs);
    }
    return bytes;
}

/* The same of a run whose series are kept. The kinds of the series must be there. */
static int schedule_check_recording(
    const void *scenario, const spot_node_t *root, spot_diag_t *diag)
{
    const scenario_t *self = scenario;
    int ret = check_progress(self, root, true, diag);

    ret = ret != 0 ? ret : check_samples(self, root, diag);
    return ret != 0 ? ret : check_jobs(self, root, table_bytes(num_jobs_of(self)), diag);
}

/* ---- Advice ---- */

/* What may be chosen for a cluster: the number of its nodes, how many of them are
 * reserved and how many on spot, and the policy. */

/* Late runs go on up to so many deadlines. Without one, jobs are to be done in so many
 * times what they run alone. */
enum { HORIZON_DEADLINES = 3, SLOWDOWN = 2 };

/* The least part of the nodes that there may be, and the parts of these on spot. */
enum { SIZE_PARTS = 8, LEAST_PARTS = 4, SHARE_PARTS = 4 };

typedef struct {
    const spot_schedule_scenario_t *scenario;
    const spot_job_log_t *log; /* that of the scenario, or one that its law draws */
    spot_alternatives_t *all;
    int64_t num_nodes;      /* of the scenario */
    int64_t peak;           /* most nodes that all recordings had; 0: no recordings */
    int64_t largest_gpus;   /* of a job */
    double mean_duration_s; /* of a job */
} proposal_t;

static int schedule_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_node_t *pools = spot_node_get(scenario->root, "pools");
    const spot_node_t *place = pools == NULL ? scenario->root : pools;
    const size_t num_pools = pools == NULL ? 0 : pools->num_children;
    char horizon[SPOT_DURATION_TEXT_BYTES];
    int ret = 0;

    if (question->recovery != NULL) {
        return spot_diag_error(diag, place->file, 0, 0,
            "--recovery is for a training job: a cluster has no recovery systems");
    }
    if (question->num_steps > 0 || question->is_running) {
        return spot_diag_error(diag, place->file, 0, 0,
            "--steps and --now are for a training job: expected --finish-by, or "
            "nothing");
    }
    if (num_pools > 1 || spot_node_at(scenario->root, "pools[0].vc") != NULL ||
        (num_pools == 0 && question->num_traces > 0)) {
        return spot_diag_error(diag, place->file, place->line, place->column,
            "pools: expected one item without vc, which says how the spot nodes of "
            "every VC come and go and what they cost");
    }
    spot_node_drop(scenario->root, "horizon");
    if (question->finish_by_ms > 0) {
        spot_duration_text(HORIZON_DEADLINES * question->finish_by_ms, horizon);
        ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    }
    return ret == 0 && num_pools > 0
               ? spot_advice_replay(question, "pools[0].trace", scenario, diag)
               : ret;
}

/* ---- Alternatives ---- */

/* Adds so many nodes, which the VCs share as they do in the scenario. */
static void add_choice(proposal_t *self, int64_t size, double share, const char *policy)
{
    const spot_schedule_scenario_t *own = self->scenario;
    spot_texts_t *texts = &self->all->texts;
    const char *vcs = "", *words;
    int64_t num_before = 0, num_given = 0, num_spot = 0;
    bool has_room = true;

    for (size_t j = 0; j < own->vcs.num_vcs; j++) {
        int64_t num_nodes, num_gpus;

        num_before += own->vcs.vcs[j].num_nodes;
        num_nodes = num_before * size / self->num_nodes - num_given;
        num_given += num_nodes;
        num_spot += (int64_t) floor(share * (double) num_nodes + 0.5);
        num_gpus = num_nodes * own->gpus_per_node;
        has_room = has_room && num_gpus > 0 &&
                   (num_gpus >= self->largest_gpus || num_gpus >= own->capacity[j]);
        vcs = spot_texts_join(texts, vcs, ", ",
            spot_texts_add(texts, "\"%s\": %" PRId64, own->vcs.vcs[j].name, num_nodes));
    }
    words = spot_texts_add(texts, "%" PRId64 " reserved and %" PRId64 " spot nodes, policy %s",
        size - num_spot, num_spot, policy);
    for (size_t j = 0; j < self->all->num_items; j++) {
        has_room = has_room && strcmp(self->all->items[j].words, words) != 0; /* rounded alike */
    }
    if (has_room && (num_spot > 0 || share == 0)) {
        (void) SPOT_ARRAY_PUSH(self->all, items,
            (spot_alternative_t){.point = spot_texts_add(texts,
                                     "{cluster.vcs: {%s}, cluster.spot_share: %.9g, policy: %s}",
                                     vcs, share, policy),
                .words = words,
                .kind = num_spot == 0      ? "reserved"
                        : num_spot == size ? "spot"
                                           : "mixed",
                .assumed = spot_advice_beyond(texts, self->peak, num_spot),
                .size = size});
    }
}

/* That of the scenario, and others that know no durations but estimated ones, which they
 * learn without a file. Two need elastic jobs to differ from fifo. */
static bool is_offered(const proposal_t *self, const spot_policy_t *policy)
{
    const spot_schedule_scenario_t *own = self->scenario;

    return policy == spot_policies[own->policy_id] || policy == &spot_policy_fifo ||
           policy == &spot_policy_tiresias ||
           (policy == &spot_policy_qssf && own->qssf.source > SPOT_ESTIMATE_TABLE) ||
           ((policy == &spot_policy_efs || policy == &spot_policy_gain) &&
               self->log->num_scalings > 0);
}

static void add_choices(proposal_t *self, int64_t max_fleet)
{
    const int most = self->scenario->pools.num_settings == 0 ? 0 : SHARE_PARTS;
    int64_t before = 0;

    for (int64_t j = LEAST_PARTS; j <= SIZE_PARTS; j++) {
        const int64_t size = (max_fleet * j + SIZE_PARTS / 2) / SIZE_PARTS;

        for (size_t p = 0; spot_policies[p] != NULL && size > before; p++) {
            for (int k = 0; k <= most && is_offered(self, spot_policies[p]); k++) {
                add_choice(self, size, (double) k / SHARE_PARTS, spot_policies[p]->name);
            }
        }
        before = size;
    }
}

/* Without a deadline jobs may take twice their duration in the mean, of the log that there is. */
static void set_goal(proposal_t *self, const spot_advice_question_t *question)
{
    spot_texts_t *texts = &self->all->texts;
    const int64_t jct_min = (int64_t) ceil(SLOWDOWN * self->mean_duration_s / 60);
    const bool is_by = question->finish_by_ms > 0;
    const int64_t goal_ms = is_by ? question->finish_by_ms : jct_min * 60 * SPOT_MS_PER_S;
    char text[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(goal_ms, text);
    self->all->goal = spot_texts_add(
        texts, "probability(unfinished <= 0 and %s <= %s)", is_by ? "makespan" : "avg_jct", text);
    if (is_by) {
        self->all->goal_words = spot_texts_add(
            texts, "to end all jobs %s", spot_advice_by(texts, question, goal_ms, false));
        return;
    }
    self->all->goal_words = spot_texts_add(texts, "to keep the mean job completion time within %s",
        spot_advice_duration(texts, goal_ms));
    self->all->goal_from =
        spot_texts_add(texts, "No --finish-by: %s is twice the mean duration of %zu jobs of %s.",
            spot_advice_duration(texts, goal_ms), self->log->num_jobs,
            self->scenario->log != NULL ? "the log" : "one drawn log");
}

/* Looks at the recordings of the pools' trace. The scenario may have no spot node, and so
 * no pool, before alternatives are chosen. */
static int doubt_lossless(spot_alternatives_t *all, const spot_node_t *node,
    const spot_schedule_scenario_t *scenario, const spot_diag_t *diag)
{
    const spot_trace_setting_t setting = {.tick_ms = SPOT_MS_PER_S, .capacity = 1, .initial = 1};
    spot_trace_model_t trace = {.generator = NULL};
    spot_diag_t quiet; /* it is bound with its own values later */
    spot_bind_t bind = {.diag = &quiet};
    int ret;

    if (scenario->pools.num_settings == 0) {
        return 0;
    }
    spot_diag_init_like(&quiet, diag);
    ret = spot_trace_model_bind(&trace, &bind, node, &setting, NULL);
    if (ret == 0) {
        const spot_model_common_t *played = spot_trace_model_common(&trace);

        spot_advice_doubt_lossless(
            all, played->num_played, spot_recorded_trace_num_lossless(played));
    }
    spot_trace_model_free(&trace);
    spot_diag_free(&quiet);
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
}

static int schedule_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *all, spot_diag_t *diag)
{
    const spot_schedule_scenario_t *own = scenario;
    spot_job_log_t drawn = {.num_jobs = 0};
    proposal_t self = {.scenario = own, .log = own->log == NULL ? &drawn : own->log, .all = all};
    int ret = spot_trace_least_most(
        spot_node_get(spot_node_place(root, "pools[0].trace"), "recordings"), &self.peak, diag);

    if (ret == 0 && own->log == NULL) {
        ret = spot_job_law_draw(&own->jobs.law, &drawn, 1, 0);
    }
    for (size_t j = 0; j < self.log->num_jobs; j++) {
        const spot_job_row_t *job = &self.log->jobs[j];

        self.mean_duration_s += (double) job->duration_s / (double) self.log->num_jobs;
        self.largest_gpus = job->gpu_num > self.largest_gpus ? job->gpu_num : self.largest_gpus;
    }
    for (size_t j = 0; j < own->vcs.num_vcs; j++) {
        self.num_nodes += own->vcs.vcs[j].num_nodes;
    }
    all->run_work = (double) self.log->num_jobs;
    if (ret == 0 && self.num_nodes > 0) {
        set_goal(&self, question);
        add_choices(&self, question->max_fleet > 0 ? question->max_fleet : self.num_nodes);
    }
    if (ret == 0 && all->num_items == 0) {
        ret = spot_diag_error(
            diag, root->file, 0, 0, "no cluster of so few nodes has room for the jobs");
    }
    if (own->pools.num_settings == 0) {
        (void) SPOT_ARRAY_PUSH(all, left_out, "spot nodes: pools does not say what they cost");
    }
    (void) SPOT_ARRAY_PUSH(all, left_out,
        "other policies: they know true durations, need estimates or learned files, or "
        "need elastic jobs");
    if (ret == 0) {
        ret = doubt_lossless(all, spot_node_place(root, "pools[0].trace"), own, diag);
    }
    spot_job_log_free(&drawn);
    return ret;
}

static const spot_advice_doubt_t doubts[] = {
    {"preemptions", "times as frequent", 8, .numbers = "pools[0].trace.frequency"},
    {"spot price", "times as high", 8, .numbers = "pools[0].price.spot", .is_price = true},
    {"jobs", "times as many an hour", 4, .numbers = "jobs.generate.per_hour"},
    {.noun = NULL},
};

/* What `spotsim advise` may choose. advice.c */
static const spot_advice_t schedule_advice = {.cost = "cost_usd",
    .mean_runs = 666, /* there are few alternatives */
    .factor_runs = 512,
    .doubts = doubts,
    .pose = schedule_pose,
    .propose = schedule_propose};

/* ---- Scenarios ---- */

static void schedule_free(void *scenario)
{
    if (scenario != NULL) {
        spot_schedule_scenario_free(scenario);
        free(scenario);
    }
}

/* From below; bars have the same from the left. */
static const char *const parts[] = {"prepping_fraction", "standby_fraction", "useful_fraction",
    "lost_fraction", "unsaved_fraction", "overhead_fraction"};
static const char *const bars[] = {"useful_fraction", "unsaved_fraction", "lost_fraction",
    "overhead_fraction", "standby_fraction", "prepping_fraction"};

_Static_assert(
    sizeof(parts) / sizeof(parts[0]) == SPOT_NUM_GPU_TIMES, "a metric for each kind of time");

/* The last ones need spot nodes, and the cost a price. */
static const char *const compared[] = {"avg_jct", "avg_queue", "queue_p95", "jct_p99", "unfinished",
    "preemptions", "utilisation", "cost_usd", "node_preemptions", "lost_gpu_h", "spot_cost_share"};

#define NUM_COMPARED (sizeof(compared) / sizeof(compared[0]))
#define NUM_OF_SPOT_NODES 3U

static const spot_outputs_t common_outputs = {.num_parts = SPOT_NUM_GPU_TIMES,
    .parts = parts,
    .bars = bars,
    .whole = "paid GPU time",
    .cost = "cost_usd",
    .gain = "utilisation",
    .num_compared = NUM_COMPARED,
    .compared = compared,
    .why_fixed = "one log and nothing left to chance: differences below 2 % of the JCT or "
                 "20 % of the queueing time may be noise, and jobs.jitter shows how much",
    .num_replications = 30,
    .min_replications = 16,
    .batch_replications = 1};

/* What only spot nodes make. */
#define OF_SPOT_NODES "node_preemptions", "lost_gpu_h", "lost_gpu_s", "spot_usd", "spot_node_h"

/* By whether there are spot nodes, and whether the policy stops jobs and changes their size. */
static const char *const nevers[2][2][2][8] = {
    {{{OF_SPOT_NODES, "preemptions", "resizes"}, {OF_SPOT_NODES, "preemptions"}},
        {{OF_SPOT_NODES, "resizes"}, {OF_SPOT_NODES}}},
    {{{"preemptions", "resizes"}, {"preemptions"}}, {{"resizes"}, {NULL}}},
};
static const char *const jobs_of_log[] = {"jobs", NULL};

/* Sets what the rules of the scenario make 0, and the same. */
static void find_ruled(spot_schedule_scenario_t *self)
{
    const spot_policy_t *policy = spot_policies[self->policy_id];
    bool has_spot = false;

    for (int32_t j = 0; j < (int32_t) self->vcs.num_vcs; j++) {
        has_spot = has_spot || spot_pool_plans_most(&self->pools, j) > 0;
    }
    self->outputs.never = nevers[has_spot][!policy->never_stops][!policy->never_resizes];
    self->outputs.ruled = self->log == NULL ? NULL : jobs_of_log;
}

static int schedule_bind(
    void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    spot_schedule_scenario_t *self = *scenario = spot_calloc(1, sizeof(*self));
    int ret =
        self == NULL ? SPOT_ERR_NO_MEMORY : spot_schedule_scenario_init(self, root, like, diag);

    ret = ret != 0 ? ret : schedule_check_memory(self, root, diag);
    if (ret != 0) {
        return ret;
    }
    self->outputs = common_outputs;
    self->outputs.is_random = spot_schedule_scenario_is_random(self);
    if (self->pools.num_settings == 0) {
        self->outputs.num_compared -=
            self->price_usd_per_h > 0 ? NUM_OF_SPOT_NODES : NUM_OF_SPOT_NODES + 1;
    }
    find_ruled(self);
    ret = schedule_metrics_init(self);
    return ret != 0 ? ret : spot_run_recorder_kinds_init(self);
}

static const spot_outputs_t *schedule_outputs(const void *scenario)
{
    return &((const spot_schedule_scenario_t *) scenario)->outputs;
}

/* ---- Workers ---- */

typedef struct {
    spot_schedule_t schedule;
    spot_summaries_t summaries;
    spot_run_recorder_t recorder;
} worker_t;

static int schedule_open(void **worker, const void *scenario)
{
    worker_t *self = *worker = spot_calloc(1, sizeof(*self));

    return self == NULL ? SPOT_ERR_NO_MEMORY : spot_schedule_init(&self->schedule, scenario);
}

static void schedule_close(void *worker)
{
    worker_t *self = worker;

    if (self != NULL) {
        spot_schedule_free(&self->schedule);
        spot_summaries_free(&self->summaries);
        spot_run_recorder_free(&self->recorder);
        free(self);
    }
}

static int schedule_run(void *worker, const spot_replication_t *replication, double *metrics,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    int ret;

    ret = spot_run_recorder_start(&self->recorder, &self->schedule, recording);
    ret = ret != 0 ? ret : spot_schedule_run(&self->schedule, replication);
    ret = ret != 0 ? ret : spot_schedule_summarise(&self->summaries, &self->schedule);
    if (ret == 0) {
        spot_schedule_yield(&self->schedule, &self->summaries, metrics);
        schedule_warning_flags(&self->schedule, warnings);
        ret = spot_run_recorder_finish(&self->recorder, &self->summaries);
    }
    return ret;
}

/* ---- What `spotsim run` prints ---- */

static void view_json(const spot_run_result_t *result, spot_json_t *json)
{
    const worker_t *self = result->worker;

    schedule_json_write(&self->schedule, &self->summaries, json);
}

static void view_progress(const void *worker, FILE *out)
{
    const worker_t *self = worker;

    spot_run_recorder_progress_write(&self->recorder, &self->summaries, out);
}

static const char *view_failure(const void *worker)
{
    return ((const worker_t *) worker)->schedule.unfinished_text;
}

static const spot_run_view_t view = {
    .json = view_json, .failure = view_failure, .progress = view_progress};

static spot_rival_t policy_rival(size_t j)
{
    const spot_policy_t *policy = spot_policies[j];

    spot_rival_t rival = {0};

    if (policy != NULL) {
        rival = (spot_rival_t){policy->name, policy->doc, policy->source};
    }
    return rival;
}

static const spot_rivals_t rivals[] = {
    {"policy", "policy", "fifo,tiresias", policy_rival},
    {.key = NULL},
};

static const spot_colour_t colours[] = {
    {"useful", "#5fb89a"},
    {"unsaved", "#b5dccd"},
    {"lost", "#d55e00"},
    {"overhead", "#e8a735"},
    {"standby", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"queued", "#d55e00"},
    {"running", "#5fb89a"},
    {"used", "#5fb89a"},
    {"idle", "#bcc3cb"},
    {NULL, NULL},
};

static const char example[] = "scenario: small\n"
                              "engine: schedule\n"
                              "jobs:\n"
                              "  generate: {per_hour: 20, horizon: 12 h, sizes: {1: 3, 4: 1},\n"
                              "             duration: {family: exponential, mu: 3600},\n"
                              "             restart: 40 s, checkpoint: {every: 0 s}}\n"
                              "cluster: {vcs: {main: 4}, price: 20 USD/h, gpus_per_node: 8,\n"
                              "          placer: consolidate}\n"
                              "policy: sjf\n"
                              "tiresias: {interval: 60 s, thresholds: [18000]}\n";

static const struct spot_verb *const verbs[] = {&spot_verb_schedule_import,
    &spot_verb_schedule_assign, &spot_verb_schedule_check, &spot_verb_schedule_estimate,
    &spot_verb_schedule_forecast, &spot_verb_schedule_pack_train, &spot_verb_schedule_generate,
    &spot_verb_schedule_fit, NULL};

const spot_experiment_t spot_schedule_experiment = {
    .name = "schedule",
    .summary = "Many training jobs on one cluster, with one policy",
    .doc = "A log of jobs, virtual clusters (VCs) of nodes that are reserved or come and "
           "go, and a policy that decides which job starts next. CPUs, host memory and "
           "networks are not modelled: a job on several nodes is as fast as on one.",
    .example = example,
    .fields = spot_schedule_fields,
    .num_warnings = SCHEDULE_NUM_WARNINGS,
    .warnings = schedule_warnings,
    .colours = colours,
    .rivals = rivals,
    .bind = schedule_bind,
    .free = schedule_free,
    .outputs = schedule_outputs,
    .decides = spot_schedule_decides,
    .assume = spot_schedule_assume,
    .open = schedule_open,
    .close = schedule_close,
    .run = schedule_run,
    .check_recording = schedule_check_recording,
    .view = &view,
    .advice = &schedule_advice,
    .verbs = verbs,
};
