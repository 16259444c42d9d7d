/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_limit.h"
#include "base/order.h"
#include "base/utf8.h"
#include "sim/tasks/rerun.h"
#include "traces/tasks/task_compare.h"
#include "traces/tasks/task_log_read.h"

typedef spot_rerun_scenario_t scenario_t;

#define MAX_NS ((double) SPOT_RERUN_MAX_NS)
#define MAX_WORKERS 10000

#define TIME_EXPECTED                                                                              \
    "a duration such as 20 ms, or a law in s such as {family: exponential, mu: 0.02}"
#define TIME(key, member, ...)                                                                     \
    {                                                                                              \
        SPOT_FIELDS(ONE_OF, key, scenario_t, member, time_forms, __VA_ARGS__),                     \
            .expected = TIME_EXPECTED, SPOT_DECIDES                                                \
    }
#define CLASSES(key_, member, field, form, text)                                                   \
    {                                                                                              \
        SPOT_ITEMS(DICT, key_, scenario_t, member, num_##member, field, 0, 1e5, "{}", form, text), \
            .key = &class_name, .label = key_ " of "                                               \
    }

static const spot_field_t time_forms[] = {
    {SPOT_RANGE(DURATION_NS, "", spot_rerun_time_t, fixed_ns, 0, MAX_NS, NULL, NULL)},
    {SPOT_VALUE(CUSTOM, "", spot_rerun_time_t, law, NULL, NULL), .bind = spot_law_bind,
        .table = spot_law_table, .expected = TIME_EXPECTED},
    {.name = NULL}};
static const spot_field_t class_name = {.type = SPOT_FIELD_TEXT}; /* first member */
static const spot_field_t class_run = {
    SPOT_FIELDS(ONE_OF, NULL, spot_rerun_class_t, run, time_forms, NULL, NULL),
    .expected = TIME_EXPECTED};
static const spot_field_t class_beta = {
    SPOT_RANGE(NUMBER, NULL, spot_rerun_class_t, beta, -1, 1000, NULL, NULL)};

static const spot_field_t graph_fields[] = {
    {SPOT_VALUE(PATH, "log", scenario_t, log_path, "",
        "event log of a run, as `spotsim tasks` reads it: recorded runs and order")},
    {SPOT_VALUE(PATH, "edges", scenario_t, edges_path, "",
        "file of taskInputs records, where the log has none")},
    {SPOT_VALUE(
         CUSTOM, "tasks", scenario_t, nodes, "", "in place of files, tasks with their inputs"),
        .bind = spot_bind_keep_node, .expected = "a map such as {a: [], b: [a]}"},
    {.name = NULL}};
static const spot_field_t contention_fields[] = {
    {SPOT_CHOICE("scope", scenario_t, scope, spot_task_scope_names, "host", "scope of contention",
         "whose tasks slow each other down: of a host, or of all (machine)"),
        SPOT_DECIDES},
    CLASSES("beta", betas, class_beta, "a map such as {efi: 0.42}",
        "by class: a task takes 1 + beta (k - 1) times as long while k run"),
    {.name = NULL}};
static const spot_field_t delay_fields[] = {
    TIME("decision", delays[SPOT_DELAY_DECISION], "0 s", "decision delay",
        "from a ready task and a free worker on until its inputs are sent"),
    TIME("comm", delays[SPOT_DELAY_COMM], "0 s", "communication delay",
        "then from planned to enqueued"),
    TIME("queue", delays[SPOT_DELAY_QUEUE], "0 s", "queue delay", "from enqueued to started"),
    TIME("local", delays[SPOT_DELAY_LOCAL], "0 s", "local transmit time",
        "a transmit within a host"),
    TIME("remote", delays[SPOT_DELAY_REMOTE], "0 s", "remote transmit time",
        "a transmit from another host"),
    {.name = NULL}};
#define SCALE(key, which, text)                                                                    \
    {                                                                                              \
        SPOT_RANGE(NUMBER, key, scenario_t, scale[which], 0, 1000, "1", text)                      \
    }
static const spot_field_t scale_fields[] = {
    SCALE("decision", SPOT_SCALE_DECISION,
        "from the end of what a task waits for until it is planned"),
    SCALE("comm", SPOT_SCALE_COMM, "then from planned to enqueued"),
    SCALE("queue", SPOT_SCALE_QUEUE, "from enqueued to started"),
    SCALE("run", SPOT_SCALE_RUN, "from started to finished"), {.name = NULL}};
static const spot_field_t spot_fields[] = {
    TIME("life", life, NULL, "life of a host",
        "law of a host's life, or the mean of an exponential one"),
    {SPOT_RANGE(DURATION_NS, "replacement", scenario_t, replacement_ns, 0, MAX_NS, "0 s",
         "replacement time", "time until a new host stands in the place of a lost one"),
        SPOT_DECIDES},
    {.name = NULL}};

static const char *const spot_names[] = {"none", NULL};
static const spot_field_t spot_forms[] = {/* of the scenario itself */
    {SPOT_CHOICE("", scenario_t, no_spot, spot_names, NULL, NULL)},
    {SPOT_GROUP("", spot_fields, NULL, NULL)}, {.name = NULL}};

enum { DEFAULT, RECORDED, CRITICAL };
static const char *const order_names[] = {"default", "recorded", "critical", NULL};
static const char *const replay_names[] = {"no", "log", NULL};

const spot_field_t spot_rerun_fields[] = {SPOT_BENCH_FIELDS,
    {SPOT_GROUP("graph", graph_fields, NULL, "the tasks and which needs which")},
    {SPOT_WITHIN(INTEGER, "workers", scenario_t, num_workers, 1, MAX_WORKERS, "", "workers",
         "workers, each for one task at a time; default: 1"),
        .otherwise = "1", SPOT_DECIDES},
    {SPOT_WITHIN(INTEGER, "hosts", scenario_t, num_hosts, 1, MAX_WORKERS, "", "number of hosts",
         "hosts that share the workers evenly; default: 1"),
        .otherwise = "1", SPOT_DECIDES},
    {SPOT_CHOICE("replay", scenario_t, is_replay, replay_names, "no",
        "log: workers, runs, order and waits as recorded; scale alone changes them")},
    {SPOT_GROUP("scale", scale_fields, "{}", "of a replay: 0.5 halves a stretch")},
    {SPOT_CHOICE("order", scenario_t, order, order_names, "default", "order of ready tasks",
         "which ready task goes first: recorded, the one that was planned first (default "
         "with a log); critical, the one that starts the longest chain of mean runs"),
        SPOT_DECIDES},
    CLASSES("run", runs, class_run, "a map such as {sot: 2 s, efi: 1.5 s}",
        "by class: run time of a task alone; other tasks run as long as recorded"),
    {SPOT_GROUP("contention", contention_fields, "{}", "how tasks slow each other down")},
    {SPOT_GROUP("delays", delay_fields, "{}", "what else takes time")},
    {SPOT_FIELDS(ONE_OF, "spot", scenario_t, outputs, spot_forms, "none",
         "hosts that are preempted: their tasks run again, their data is made again"),
        .expected = "none, or a map such as {life: 1 h, replacement: 1 min}"},
    {SPOT_RANGE(PRICE, "price", scenario_t, price_usd_per_h, 0, 1e6, "0", "price of a host",
         "what a host costs"),
        SPOT_DECIDES},
    {.name = NULL}};

bool spot_rerun_decides(const void *scenario, const spot_node_t *root, const char *key)
{
    static const char delays[] = "delays.";
    const scenario_t *self = scenario;

    (void) root;
    if (strcmp(key, "contention.scope") == 0) {
        return self->num_betas > 0 && self->num_hosts > 1;
    }
    if (strcmp(key, "order") == 0) { /* with a log it is that of the log */
        return !self->is_replay && self->log_path == NULL;
    }
    if (strcmp(key, "workers") == 0 || strcmp(key, "hosts") == 0 ||
        strncmp(key, delays, sizeof(delays) - 1) == 0) {
        return !self->is_replay && (strcmp(key, "delays.remote") != 0 || self->num_hosts > 1);
    }
    return true;
}

/* ---- The graph ---- */

/* Reports "PATH: NAME PROBLEM" if it is wrong. */
static bool report(spot_bind_t *self, bool is_wrong, const spot_node_t *root, const char *path,
    const char *name, const char *problem)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (is_wrong) {
        spot_bind_error(self, spot_node_place(root, path), path, "%s %s",
            spot_utf8_shown(name, shown), problem);
    }
    return is_wrong;
}

/* Turns graph.tasks into records of a log. */
static int add_nodes(scenario_t *self, spot_bind_t *bind)
{
    const spot_node_t *nodes = self->nodes;
    int32_t id, *inputs;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < nodes->num_children; j++) {
        const char *name = nodes->keys[j]->text;

        ret = spot_names_add(&self->log.ids, name, strlen(name), &id);
    }
    for (size_t j = 0; ret == 0 && j < nodes->num_children; j++) {
        const spot_node_t *list = nodes->children[j];

        if (report(bind, list->kind != SPOT_NODE_LIST, list, "graph.tasks", nodes->keys[j]->text,
                "needs a list of tasks, such as []")) {
            return SPOT_ERR_BAD_INPUT;
        }
        if (SPOT_ARENA_ARRAY(&self->arena, inputs, list->num_children) == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        for (size_t k = 0; k < list->num_children; k++) {
            const char *name = list->children[k]->text;

            inputs[k] = name == NULL ? -1 : spot_names_find(&self->log.ids, name, strlen(name));
            if (report(bind, inputs[k] < 0, list, "graph.tasks", name == NULL ? "an input" : name,
                    "is not a task")) {
                return SPOT_ERR_BAD_INPUT;
            }
        }
        ret = spot_task_log_add_inputs(&self->log, (int32_t) j, list->num_children, inputs);
    }
    return ret;
}

static int read_graph(scenario_t *self, const spot_node_t *root, spot_bind_t *bind)
{
    const bool has_log = self->log_path != NULL, has_nodes = self->nodes != NULL;
    const char *path = has_log ? self->log_path : self->edges_path;
    const spot_task_reading_t reading = {.edges_path = has_log ? self->edges_path : NULL};
    int ret;

    if (report(bind, (path != NULL) == has_nodes, root, "graph", "expected",
            "a log, edges or tasks")) {
        return SPOT_ERR_BAD_INPUT;
    }
    ret = has_nodes ? add_nodes(self, bind)
                    : spot_task_log_read(&self->log, path, &reading, bind->diag);
    path = has_nodes ? "graph.tasks" : path;
    if (ret == 0 && report(bind, has_nodes && self->nodes->num_children == 0, root, "graph", path,
                        "is no map of tasks, such as {a: [], b: [a]}")) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0 && report(bind, self->log.num_edges == 0 || self->log.is_markers, root, "graph",
                        path, "has no taskInputs")) {
        return SPOT_ERR_BAD_INPUT;
    }
    return ret != 0 ? ret
                    : spot_task_analysis_init(&self->analysis, &self->log,
                          &(const spot_task_rules_t){.aligns = false}, path, bind->diag);
}

/* ---- What tasks take ---- */

/* The item for the class of a task, or NULL. */
static const spot_rerun_class_t *find_class(size_t num, spot_rerun_class_t *items, const char *id)
{
    const size_t num_bytes = spot_task_class_bytes(id);

    for (size_t j = 0; j < num; j++) {
        if (strncmp(items[j].name, id, num_bytes) == 0 && items[j].name[num_bytes] == '\0') {
            items[j].num_tasks++;
            return &items[j];
        }
    }
    return NULL;
}

/* A run knows of the data of each task when each worker and host has it. */
static int check_memory(
    const spot_rerun_scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_places = (double) (self->num_workers + self->num_hosts);
    const spot_memory_need_t need = {(double) self->num_ids * num_places,
        "times of data (tasks x workers and hosts)",
        (double) self->num_ids * num_places * sizeof(int64_t), true};

    return spot_memory_check(&need, diag, spot_node_place(root, "workers"), "workers");
}

/* Inputs of tasks, and what they take. */
static int settle_tasks(scenario_t *self, const spot_node_t *root, spot_bind_t *bind)
{
    const spot_task_log_t *log = &self->log;
    const spot_attempts_t *attempts = &self->analysis.tasks;

    for (size_t j = 0; j < attempts->num_attempts; j++) {
        self->tasks[attempts->attempts[j].id].is_task = true;
    }
    for (size_t j = 0; j < log->num_edges; j++) {
        spot_rerun_task_t *task = &self->tasks[log->edges[j].id];

        task->is_task = true;
        task->inputs = log->inputs + log->edges[j].start;
        task->num_inputs = log->edges[j].end - log->edges[j].start;
        for (size_t k = 0; k < task->num_inputs; k++) {
            self->tasks[task->inputs[k]].is_task = true;
        }
    }
    for (size_t j = 0; j < self->num_ids; j++) {
        spot_rerun_task_t *task = &self->tasks[j];

        if (!task->is_task) {
            continue;
        }
        const char *id = log->ids.names[j];
        const spot_rerun_class_t *run = find_class(self->num_runs, self->runs, id);
        const spot_rerun_class_t *beta = find_class(self->num_betas, self->betas, id);
        const bool has_run =
            self->best[j] >= 0 && spot_attempt_between(&attempts->attempts[self->best[j]],
                                      SPOT_TASK_STARTED, SPOT_TASK_FINISHED, &task->recorded_ns);

        if (report(bind, !has_run && (run == NULL || self->is_replay), root,
                self->is_replay ? "replay" : "run", id, "has no recorded run")) {
            return SPOT_ERR_BAD_INPUT;
        }
        task->run = run == NULL ? NULL : &run->run;
        task->beta = beta == NULL ? 0 : beta->beta;
        self->num_tasks++;
    }
    return 0;
}

static double mean_ns(const spot_rerun_task_t *task)
{
    const spot_law_t *law = task->run == NULL ? NULL : &task->run->law;

    return law == NULL           ? (double) task->recorded_ns
           : law->family == NULL ? (double) task->run->fixed_ns
                                 : 1e9 * law->family->moment(law->parameters, 1);
}

/* Order: by when tasks were planned, or by the longest chain of mean runs that starts
 * with each; ties by bytes of ids. */
static int order_tasks(scenario_t *self)
{
    const size_t num = self->num_ids;
    int32_t *rank, *order;
    int64_t *keys; /* by rank */
    double *chain_ns;
    size_t *num_users, num_found = 0;
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, rank, num);
    SPOT_ARENA_ARRAY(&self->arena, num_users, num);
    SPOT_ARENA_ARRAY(&self->arena, keys, num);
    SPOT_ARENA_ARRAY(&self->arena, chain_ns, num);
    SPOT_ARENA_ARRAY(&self->arena, order, 3 * num);
    if (self->arena.error != 0 || spot_task_log_rank(&self->log, rank) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num; j++) {
        for (size_t k = 0; k < self->tasks[j].num_inputs; k++) {
            num_users[self->tasks[j].inputs[k]]++;
        }
    }
    for (size_t j = 0; j < num; j++) {
        if (num_users[j] == 0) {
            order[num_found++] = (int32_t) j;
        }
    }
    for (size_t j = 0; j < num_found; j++) { /* all: the analysis has found no cycle */
        const spot_rerun_task_t *task = &self->tasks[order[j]];
        const double from_ns = chain_ns[order[j]] + mean_ns(task);

        for (size_t k = 0; k < task->num_inputs; k++) {
            const int32_t input = task->inputs[k];

            chain_ns[input] = fmax(chain_ns[input], from_ns);
            if (--num_users[input] == 0) {
                order[num_found++] = input;
            }
        }
    }
    for (size_t j = 0; j < num; j++) {
        const spot_attempt_t *attempt =
            self->best[j] < 0 ? NULL : &self->analysis.tasks.attempts[self->best[j]];

        keys[rank[j]] = self->order == CRITICAL
                            ? -(int64_t) fmin(chain_ns[j] + mean_ns(&self->tasks[j]), 4e18)
                        : attempt != NULL && spot_attempt_has(attempt, SPOT_TASK_PLANNED)
                            ? attempt->at[SPOT_TASK_PLANNED]
                            : self->analysis.t1;
        order[2 * num + (size_t) rank[j]] = (int32_t) j;
    }
    ret = spot_order_integers(keys, num, order, order + num);
    self->order_of_tasks = order;
    for (size_t j = 0; ret == 0 && j < num; j++) {
        order[j] = order[2 * num + (size_t) order[j]];
    }
    return ret;
}

/* What is not given; and whether the rest is possible. */
static int settle(scenario_t *self, const spot_node_t *root, spot_bind_t *bind)
{
    int ret;

    for (size_t j = 0; j < 2; j++) {
        int64_t *given = j == 0 ? &self->num_workers : &self->num_hosts;
        const size_t recorded = j == 0 ? self->log.num_workers : self->log.num_hosts;
        const int64_t value = self->is_replay ? (int64_t) recorded : 1;

        *given = *given == 0 ? value : *given;
        report(bind, self->is_replay && *given != value, root, j == 0 ? "workers" : "hosts",
            "of a replay", "are those of the log");
    }
    report(bind, !self->is_replay && self->num_hosts > self->num_workers, root, "hosts", "there",
        "are more hosts than workers");
    if (self->order == DEFAULT) {
        self->order = self->analysis.completed > 0 ? RECORDED : CRITICAL;
    }
    self->num_ids = self->log.ids.num_names;
    SPOT_ARENA_ARRAY(&self->arena, self->tasks, self->num_ids);
    if (SPOT_ARENA_ARRAY(&self->arena, self->best, self->num_ids) == NULL ||
        self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_tasks_first_finished(&self->log, &self->analysis.tasks, self->best);
    ret = settle_tasks(self, root, bind);
    report(bind, self->is_replay && self->analysis.tasks.num_attempts > self->num_tasks, root,
        "replay", "the log", "has several attempts of a task: one is needed");
    for (size_t j = 0; ret == 0 && j < self->num_runs + self->num_betas; j++) {
        const bool is_run = j < self->num_runs;
        const spot_rerun_class_t *class =
            is_run ? &self->runs[j] : &self->betas[j - self->num_runs];

        report(bind, class->num_tasks == 0, root, is_run ? "run" : "contention.beta", class->name,
            "is not the class of a task");
    }
    ret = ret == 0 && bind->diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : ret;
    if (ret == 0 && !self->is_replay) {
        ret = check_memory(self, root, bind->diag);
    }
    return ret == 0 ? order_tasks(self) : ret;
}

int spot_rerun_scenario_init(
    spot_rerun_scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    spot_bind_t bind = {.diag = diag};
    int ret = spot_bind_document(spot_rerun_fields, root, diag, self);

    if (self->life.fixed_ns > 0) {
        self->life.law.family = &spot_family_exponential;
        self->life.law.parameters[0] = (double) self->life.fixed_ns / 1e9;
    }
    ret = ret == 0 ? read_graph(self, root, &bind) : ret;
    return ret == 0 ? settle(self, root, &bind) : ret;
}

void spot_rerun_scenario_free(spot_rerun_scenario_t *self)
{
    for (size_t j = 0; j < self->num_runs; j++) {
        free(self->runs[j].name);
    }
    for (size_t j = 0; j < self->num_betas; j++) {
        free(self->betas[j].name);
    }
    free(self->runs);
    free(self->betas);
    free(self->log_path);
    free(self->edges_path);
    spot_task_log_free(&self->log);
    spot_task_analysis_free(&self->analysis);
    spot_arena_free(&self->arena);
}
