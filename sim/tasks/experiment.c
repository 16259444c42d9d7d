/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine "tasks" for the bench: a replication is a run of the graph. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/bench/engine/scenario_file.h"
#include "sim/tasks/rerun.h"
#include "traces/tasks/task_log_read.h"

#define METRIC(name_, unit_, kind_, better_, text, ...)                                            \
    {                                                                                              \
        .name = name_, .unit = unit_, .kind = SPOT_METRIC_##kind_, .help = text,                   \
        .better = SPOT_BETTER_##better_, .label = __VA_ARGS__                                      \
    }
#define PART(name, text) METRIC(name "_fraction", "1", SHARE, NEITHER, text, name)
#define COUNT(name, label, text) METRIC(name, "1", PLAIN, LOWER, text, label, .is_count = true)

enum { CHAIN = SPOT_NUM_IDLE, MAKESPAN = CHAIN + 5, NUM_METRICS = MAKESPAN + 11 };
static const spot_metric_t metrics[] = {
    PART("busy", "share of worker time in runs of tasks"),
    PART("queue", "idle share with a task enqueued"),
    PART("comm", "idle share with a task planned"),
    PART("inputs", "idle share with data on the way"),
    PART("lost", "idle share from runs that were lost until the next task"),
    PART("head", "idle share before the first task"),
    PART("tail", "idle share after the last task"),
    PART("unplanned", "the rest of the idle share"),
    PART("chain_run", "share of runs in the chain that ends last"),
    PART("chain_queue", "share of queueing in it"),
    PART("chain_comm", "share of communication in it"),
    PART("chain_inputs", "share of waits for inputs in it"),
    PART("chain_controller", "share of waits for the controller in it"),
    METRIC("makespan_s", "s", TIME, LOWER, "from the first event to the last one", "makespan",
        .known_if = "finished"),
    METRIC("finished", "1", PROBABILITY, HIGHER, "1: no task was lost too often", "finished"),
    METRIC("chain_s", "s", TIME, LOWER, "from the first event to the last end of a task", "chain"),
    METRIC("work_s", "s", TIME, LOWER, "sum of runs", "work"),
    METRIC("critical_run_s", "s", TIME, LOWER, "longest chain by run", "critical run"),
    METRIC("concurrency", "1", PLAIN, NEITHER, "mean number of tasks that run", "concurrency"),
    METRIC("utilisation", "1", SHARE, HIGHER, "work / worker time of hosts that are paid",
        "utilisation"),
    COUNT("preemptions", NULL, "hosts that went"),
    COUNT("lost_runs", "lost runs", "runs that a preemption cut off"),
    COUNT("reruns", NULL, "runs of done tasks whose data was lost"),
    METRIC("cost_usd", "USD", COST, LOWER, "price of the hosts", "cost"),
};

static const spot_series_column_t span_columns[] = {SPOT_SERIES_COLUMN(INSTANT, "start", ""),
    SPOT_SERIES_COLUMN(INSTANT, "end", ""), SPOT_SERIES_COLUMN(TEXT, "worker", ""),
    SPOT_SERIES_COLUMN(TEXT, "task", ""), SPOT_SERIES_COLUMN(CATEGORY, "class", ""),
    SPOT_SERIES_COLUMN(DURATION, "comm", ""), SPOT_SERIES_COLUMN(DURATION, "queue", "")};
static const spot_series_column_t level_columns[] = {
    SPOT_SERIES_COLUMN(INSTANT, "time", ""), SPOT_SERIES_COLUMN(NUMBER, "running", "tasks")};
static const spot_series_kind_t kinds[] = {
    SPOT_SERIES_KIND("tasks", SPANS, 1000000000, span_columns, "runs of tasks"),
    SPOT_SERIES_KIND("running", LEVELS, 1000000000, level_columns, "tasks that run at once")};

static const char *const parts[] = {"busy_fraction", "queue_fraction", "comm_fraction",
    "inputs_fraction", "lost_fraction", "head_fraction", "tail_fraction", "unplanned_fraction"};
static const spot_outputs_t outputs = {.num_metrics = NUM_METRICS,
    .metrics = metrics,
    .num_parts = SPOT_NUM_IDLE,
    .parts = parts,
    .whole = "worker time",
    .num_series = 2,
    .series = (const spot_series_kind_t *const[]){&kinds[0], &kinds[1]},
    .why_fixed = "no time is drawn",
    .num_replications = 100,
    .min_replications = 16,
    .batch_replications = 4};

static void tasks_free(void *scenario)
{
    if (scenario != NULL) {
        spot_rerun_scenario_free(scenario);
        free(scenario);
    }
}

static int tasks_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    spot_rerun_scenario_t *self = *scenario = spot_calloc(1, sizeof(*self));
    int ret = self == NULL ? SPOT_ERR_NO_MEMORY : spot_rerun_scenario_init(self, root, diag);

    (void) like;
    if (ret != 0) {
        return ret;
    }
    self->outputs = outputs;
    self->outputs.cost = self->price_usd_per_h > 0 ? "cost_usd" : NULL;
    self->outputs.is_random = self->life.law.family != NULL;
    for (size_t j = 0; j < SPOT_NUM_DELAYS + self->num_runs; j++) {
        self->outputs.is_random |=
            (j < SPOT_NUM_DELAYS ? self->delays[j] : self->runs[j - SPOT_NUM_DELAYS].run)
                .law.family != NULL;
    }
    self->outputs.is_random &= !self->is_replay;
    return 0;
}

static int tasks_open(void **worker, const void *scenario)
{
    spot_rerun_t *self = *worker = spot_calloc(1, sizeof(*self));

    if (self != NULL) {
        self->scenario = scenario;
    }
    return self == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void tasks_close(void *worker)
{
    if (worker != NULL) {
        spot_rerun_free(worker);
        free(worker);
    }
}

/* ---- What a run yields ---- */

static void measure(const spot_rerun_t *self, double *values)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    const spot_task_analysis_t *analysis = &self->analysis;
    const spot_task_chain_t *chain = &analysis->graph.chain;
    const spot_wide_t links[] = {
        chain->run, chain->queue, chain->comm, chain->inputs, chain->controller};
    const double makespan = (double) analysis->makespan, host_ns = (double) self->host_ns;
    const double num_workers = (double) scenario->num_workers;
    const double work = (double) analysis->graph.work;
    const double last[] = {makespan / 1e9, !self->is_cut_off, (double) chain->total / 1e9,
        work / 1e9, (double) analysis->graph.critical_run / 1e9,
        (double) analysis->task[SPOT_TASK_RUN].sum / makespan,
        work / (host_ns * num_workers / (double) scenario->num_hosts), (double) self->preemptions,
        (double) self->lost_runs, (double) self->reruns,
        host_ns / 3.6e12 * scenario->price_usd_per_h};

    for (size_t j = 0; j < SPOT_NUM_IDLE; j++) {
        /* workers that never had a task are not in the log */
        double sum =
            j != SPOT_IDLE_TAIL ? 0 : (num_workers - (double) self->log.num_workers) * makespan;

        for (size_t k = 0; k < self->log.num_workers; k++) {
            sum += (double) analysis->times.workers[k].split[j];
        }
        values[j] = sum / (makespan * num_workers);
    }
    for (size_t j = 0; j < 5; j++) {
        values[CHAIN + j] = (double) links[j] / (double) chain->total;
    }
    memcpy(values + MAKESPAN, last, sizeof(last));
}

/* Runs as spans, and how many there are at once. */
static int record(const spot_rerun_t *self, spot_recording_t *recording)
{
    const spot_attempts_t *list = &self->analysis.tasks;
    int64_t *ends = spot_calloc(2 * list->num_attempts, sizeof(*ends)), comm, queue;
    size_t num_ends = 0;
    int ret = ends == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < list->num_attempts; j++) {
        const spot_attempt_t *task = &list->attempts[j];
        const char *class = self->analysis.per_class[self->analysis.class_of[task->id]].name;

        if (!spot_attempt_between(task, SPOT_TASK_STARTED, SPOT_TASK_FINISHED, &queue)) {
            continue;
        }
        spot_attempt_between(task, SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, &comm);
        spot_attempt_between(task, SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED, &queue);
        ends[num_ends++] = task->at[SPOT_TASK_STARTED] - self->analysis.t0;
        ends[num_ends++] = task->at[SPOT_TASK_FINISHED] - self->analysis.t0;
        ret = spot_series_add(&recording->series[0],
            (const spot_cell_t[]){{.integer = ends[num_ends - 2]}, {.integer = ends[num_ends - 1]},
                {.text = self->log.workers[task->worker].name},
                {.text = self->log.ids.names[task->id]}, {.text = class}, {.integer = comm},
                {.integer = queue}});
    }
    ret = ret == 0 ? spot_series_add_open(&recording->series[1], num_ends / 2, ends) : ret;
    recording->end_ticks = self->analysis.makespan;
    free(ends);
    return ret;
}

static int tasks_run(void *worker, const spot_replication_t *replication, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    spot_rerun_t *self = worker;
    int ret = spot_rerun_run(self, replication);

    (void) warnings; /* there are none */
    if (ret == 0) {
        measure(self, values);
    }
    return ret == 0 && recording != NULL ? record(self, recording) : ret;
}

static void write_edges(
    const spot_task_log_t *log, const spot_task_edges_t *edges, spot_json_t *json)
{
    spot_json_text(json, "action", "taskInputs");
    spot_json_text(json, "task", log->ids.names[edges->id]);
    spot_json_open(json, "inputs", '[');
    for (size_t k = edges->start; k < edges->end; k++) {
        spot_json_text(json, NULL, log->ids.names[log->inputs[k]]);
    }
    spot_json_close(json, ']');
}

static void write_task_event(
    const spot_task_log_t *log, const spot_task_event_t *event, spot_json_t *json)
{
    const spot_task_worker_t *place = &log->workers[event->worker];

    spot_json_text(json, "action", spot_task_action_name(event->is_transmit, event->stage));
    spot_json_integer(json, "at", event->at);
    spot_json_text(
        json, "host", event->is_controller ? SPOT_TASK_CONTROLLER : log->hosts[place->host_id]);
    spot_json_text(json, "worker", place->name);
    spot_json_text(json, event->is_transmit ? "dataset" : "task", log->ids.names[event->id]);
    if (event->mode != SPOT_MODE_NONE) {
        spot_json_text(json, "mode", spot_task_mode_names[event->mode]);
    }
}

/* The log of the run, as lines that `spotsim tasks` reads. */
static void tasks_events(const void *worker, FILE *out)
{
    const spot_task_log_t *log = &((const spot_rerun_t *) worker)->log;
    const size_t num_edges = log->num_edges;
    spot_json_t json;

    for (size_t j = 0; j < num_edges + log->num_events; j++) {
        spot_json_init(&json, out, 0);
        spot_json_open(&json, NULL, '{');
        if (j < num_edges) {
            write_edges(log, &log->edges[j], &json);
        } else {
            write_task_event(log, &log->events[j - num_edges], &json);
        }
        spot_json_close(&json, '}');
    }
}

static const char *tasks_failure(const void *worker)
{
    return ((const spot_rerun_t *) worker)->is_cut_off
               ? "a task was preempted too often, or the run took too long"
               : NULL;
}

static const spot_run_view_t view = {.events = tasks_events, .failure = tasks_failure};

static const char example[] = "scenario: small\n"
                              "engine: tasks\n"
                              "graph: {tasks: {read: [], left: [read], right: [read], "
                              "sum: [left, right]}}\n"
                              "workers: 2\n"
                              "hosts: 1\n"
                              "price: 0\n"
                              "order: default\n"
                              "run: {read: 2 s, left: {family: exponential, mu: 3}, "
                              "right: 4 s, sum: 1 s}\n"
                              "delays: {decision: 0 s, comm: 1 ms, queue: 10 ms, local: 0 s}\n";

static const struct spot_verb *const verbs[] = {&spot_verb_tasks, &spot_verb_tasks_fit, NULL};

const spot_experiment_t spot_rerun_experiment = {
    .name = "tasks",
    .summary = "A task graph that runs again, with other workers",
    .doc = "Tasks of a graph run on the workers of hosts: those of a recorded log or of "
           "laws, with delays, contention and preemptions. A replication is a run; it is "
           "analysed as the log of a run is.",
    .example = example,
    .fields = spot_rerun_fields,
    .bind = tasks_bind,
    .free = tasks_free,
    .outputs = spot_plain_outputs,
    .decides = spot_rerun_decides,
    .open = tasks_open,
    .close = tasks_close,
    .run = tasks_run,
    .view = &view,
    .verbs = verbs,
};
