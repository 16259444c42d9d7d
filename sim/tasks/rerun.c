/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/tasks/rerun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory_limit.h"
#include "base/utf8.h"
#include "traces/tasks/task_compare.h"
#include "traces/tasks/task_log_read.h"

typedef spot_rerun_scenario_t scenario_t;

/* ---- Replay ---- */

/* A recorded run again: each task on its worker and in its order, as long after what it
 * waited for as it was recorded, with stretches that may be longer or shorter. */

typedef struct {
    const spot_rerun_scenario_t *scenario;
    const spot_attempt_t *attempts;         /* one for each task */
    int64_t (*times)[SPOT_TASK_MAX_STAGES]; /* [attempts] when it happens now */
    int32_t *before; /* [attempts] the one that started before it on its worker, or -1 */
} replay_t;

/* Takes the task of an attempt, if it ended by an instant, into what another one waits
 * for: recorded and now. */
static void wait_for(
    const replay_t *self, int32_t attempt_id, int64_t started, int64_t *recorded, int64_t *now)
{
    const int64_t end = self->attempts[attempt_id].at[SPOT_TASK_FINISHED];
    const int64_t new_end = self->times[attempt_id][SPOT_TASK_FINISHED];

    if (end <= started) {
        *recorded = end > *recorded ? end : *recorded;
        *now = new_end > *now ? new_end : *now;
    }
}

static int64_t scaled(int64_t length, double factor)
{
    return factor == 1 ? length : llround((double) length * factor);
}

/* A stretch begins where the one before it ends, and not before what the task waits for
 * has ended: what happened earlier goes along with it. */
static void replay_task(const replay_t *self, int32_t attempt_id)
{
    static const int delays[] = {[SPOT_TASK_PLANNED] = SPOT_SCALE_DECISION,
        [SPOT_TASK_ENQUEUED] = SPOT_SCALE_COMM,
        [SPOT_TASK_STARTED] = SPOT_SCALE_QUEUE,
        [SPOT_TASK_LOADED] = SPOT_SCALE_RUN,
        [SPOT_TASK_FINISHED] = SPOT_SCALE_RUN};
    const spot_attempt_t *attempt = &self->attempts[attempt_id];
    const spot_rerun_task_t *task = &self->scenario->tasks[attempt->id];
    const int64_t started = attempt->at[SPOT_TASK_STARTED];
    int64_t recorded = self->scenario->analysis.t0, now = recorded;
    int32_t before = self->before[attempt_id];

    for (size_t k = 0; k < task->num_inputs; k++) {
        wait_for(self, self->scenario->best[task->inputs[k]], started, &recorded, &now);
    }
    while (before >= 0 && self->attempts[before].at[SPOT_TASK_FINISHED] > started) {
        before = self->before[before];
    }
    if (before >= 0) {
        wait_for(self, before, started, &recorded, &now);
    }
    for (int stage = SPOT_TASK_PLANNED; stage <= SPOT_TASK_FINISHED; stage++) {
        if (spot_attempt_has(attempt, stage)) {
            const int64_t at = attempt->at[stage], from = recorded;

            recorded = at > from ? at : from;
            now += scaled(recorded - from, self->scenario->scale[delays[stage]]);
            self->times[attempt_id][stage] = now + (at - recorded);
        }
    }
}

/* Transmits go along with the end of the task whose data they send. */
static int64_t time_of(const replay_t *self, const spot_task_event_t *event)
{
    const int32_t attempt_id = self->scenario->best[event->id];

    if (attempt_id < 0) {
        return event->at;
    }
    return event->is_transmit ? event->at + self->times[attempt_id][SPOT_TASK_FINISHED] -
                                    self->attempts[attempt_id].at[SPOT_TASK_FINISHED]
                              : self->times[attempt_id][event->stage];
}

/* Sets events[num_events of the log] to those of the log at their times of a replay.
 * NO_MEMORY. */
static int rerun_replay(const spot_rerun_scenario_t *scenario, spot_task_event_t *events)
{
    const spot_attempts_t *tasks = &scenario->analysis.tasks;
    const size_t num = tasks->num_attempts;
    replay_t self = {.scenario = scenario, .attempts = tasks->attempts};
    spot_arena_t arena = {0};
    int64_t *started;
    int32_t *order, *last;
    int ret = 0;

    SPOT_ARENA_ARRAY(&arena, self.times, num);
    SPOT_ARENA_ARRAY(&arena, self.before, num);
    SPOT_ARENA_ARRAY(&arena, started, num);
    SPOT_ARENA_ARRAY(&arena, order, 2 * num);
    SPOT_ARENA_ARRAY(&arena, last, scenario->log.num_workers);
    if (arena.error == 0) {
        for (size_t j = 0; j < num; j++) {
            started[j] = self.attempts[j].at[SPOT_TASK_STARTED];
        }
        for (size_t j = 0; j < scenario->log.num_workers; j++) {
            last[j] = -1;
        }
        ret = spot_order_integers(started, num, order, order + num);
        for (size_t j = 0; ret == 0 && j < num; j++) {
            const int32_t worker = self.attempts[order[j]].worker;

            self.before[order[j]] = last[worker];
            last[worker] = order[j];
            replay_task(&self, order[j]);
        }
        for (size_t j = 0; j < scenario->log.num_events; j++) {
            events[j] = scenario->log.events[j];
            events[j].at = time_of(&self, &events[j]);
        }
    }
    ret = spot_error_first(arena.error, ret);
    spot_arena_free(&arena);
    return ret;
}

/* ---- Keys ---- */

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

/* The names of items, in their order. NO_MEMORY; free self even then. */
static int name_classes(spot_names_t *self, size_t num, const spot_rerun_class_t *items)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < num && ret == 0; j++) {
        int32_t class_id;

        ret = spot_names_add(self, items[j].name, strlen(items[j].name), &class_id);
    }
    return ret;
}

/* The item for the class of a task, which counts it, or NULL. O(1). */
static const spot_rerun_class_t *find_class(
    const spot_names_t *names, spot_rerun_class_t *items, const char *id)
{
    const int32_t class_id = spot_names_find(names, id, spot_task_class_bytes(id));

    if (class_id < 0) {
        return NULL;
    }
    items[class_id].num_tasks++;
    return &items[class_id];
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

/* Inputs of tasks, and what they take, by the names of runs and betas. */
static int settle_tasks(scenario_t *self, const spot_names_t *runs, const spot_names_t *betas,
    const spot_node_t *root, spot_bind_t *bind)
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
        const spot_rerun_class_t *run = find_class(runs, self->runs, id);
        const spot_rerun_class_t *beta = find_class(betas, self->betas, id);
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
    spot_names_t runs, betas;
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
    spot_attempts_first_finished(&self->analysis.tasks, &self->log, self->best);
    ret = name_classes(&runs, self->num_runs, self->runs);
    ret = spot_error_first(ret, name_classes(&betas, self->num_betas, self->betas));
    ret = ret == 0 ? settle_tasks(self, &runs, &betas, root, bind) : ret;
    spot_names_free(&runs);
    spot_names_free(&betas);
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

/* ---- A run ---- */

/* A run of a task graph, instant by instant, written as a log. */

#define MAX_TRIES 1000
#define FAR_NS 1000000000000000000 /* 31 years: a run that takes longer is given up */

typedef struct task {
    enum { DONE, PENDING, ASSIGNED } state;
    bool was_done;
    size_t place; /* in order */
    uint64_t tries;
    size_t num_hosts;            /* that have its data, or get it */
    struct task *waiting, *next; /* tasks that wait for it; in the list of its input */
} task_t;

typedef struct {
    int32_t task; /* -1: none */
    bool is_running;
    size_t first_event;    /* of its task */
    double left, slowness; /* of its run, ns; INFINITY: it starts */
    int64_t since;
} worker_t;

typedef struct {
    bool is_up;
    int64_t since, num_running; /* when it came; tasks in its scope */
    uint64_t num_lives;
} host_t;

typedef struct {
    const spot_rerun_scenario_t *scenario;
    const spot_replication_t *replication;
    spot_rerun_t *result;
    size_t num_ids, num_workers, num_hosts;
    size_t num_left; /* tasks never done */
    int64_t now;
    task_t *tasks;        /* [num_ids] */
    char *is_open;        /* [num_ids] by place: 1: pending, may be ready */
    worker_t *workers;    /* [num_workers] */
    host_t *hosts;        /* [num_hosts] */
    int64_t *due;         /* [num_workers + num_hosts] */
    int64_t *sent, *held; /* [num_ids][num_workers], [num_hosts]: when it has the data */
    size_t num_events, max_events;
    spot_task_event_t *events; /* [num_events] after the end: that do not happen */
    int error;
    spot_rng_t rng;
    spot_arena_t arena;
} run_t;

static size_t host_of(const run_t *self, size_t worker)
{
    return worker * self->num_hosts / self->num_workers;
}

/* Whose running tasks are counted for a worker's. */
static host_t *scope_of(const run_t *self, size_t worker)
{
    return &self->hosts[self->scenario->scope == SPOT_SCOPE_HOST ? host_of(self, worker) : 0];
}

static void note(run_t *self, int64_t at, size_t worker, int32_t id, bool is_transmit, int stage,
    spot_task_mode_t mode)
{
    SPOT_ARRAY_PUSH(self, events,
        (spot_task_event_t){at, id, (int32_t) worker, 0, is_transmit, (uint8_t) stage,
            (uint8_t) mode, stage == SPOT_TASK_PLANNED});
}

/* A time after an instant, from the stream of a purpose and an entity. */
static int64_t after(
    run_t *self, int64_t at, const spot_rerun_time_t *time, int purpose, uint64_t entity)
{
    const spot_law_t *law = &time->law;

    if (law->family == NULL || at > FAR_NS) {
        return at + (at > FAR_NS ? 0 : time->fixed_ns);
    }
    spot_replication_seek(self->replication, &self->rng, (spot_stream_t) purpose, entity);
    return at + llround(fmin(1e9 * law->family->draw(law->parameters, &self->rng),
                    (double) SPOT_RERUN_MAX_NS));
}

/* ---- Tasks and workers ---- */

static void set_pending(run_t *self, task_t *task)
{
    task->state = PENDING;
    self->is_open[task->place] = 1;
}

/* The first pending task in order whose inputs are there, or -1. Inputs whose data is
 * lost are pending again. A task that lacks an input is not looked at until that comes.
 */
static int32_t first_ready(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    char *open;

    while ((open = memchr(self->is_open, 1, self->num_ids)) != NULL) {
        const int32_t id = scenario->order_of_tasks[open - self->is_open];
        const spot_rerun_task_t *shape = &scenario->tasks[id];
        task_t *task = &self->tasks[id], *missing = NULL;

        *open = task->state == PENDING;
        for (size_t k = 0; k < shape->num_inputs && *open; k++) {
            task_t *input = &self->tasks[shape->inputs[k]];

            missing = input->num_hosts == 0 ? input : missing;
            if (input->num_hosts == 0 && input->state == DONE) {
                set_pending(self, input);
            }
        }
        if (missing != NULL) {
            *open = 0;
            task->next = missing->waiting;
            missing->waiting = task;
        } else if (*open) {
            return id;
        }
    }
    return -1;
}

/* The free worker whose host has most of the inputs, the lowest one; num_workers: none
 * is free. */
static size_t best_worker(const run_t *self, const spot_rerun_task_t *task)
{
    size_t best = self->num_workers, most = 0;

    for (size_t j = 0; j < self->num_workers; j++) {
        const size_t host = host_of(self, j);
        size_t num = 1; /* and 1 for the worker itself */

        if (self->workers[j].task >= 0 || !self->hosts[host].is_up) {
            continue;
        }
        for (size_t k = 0; k < task->num_inputs; k++) {
            num += self->held[(size_t) task->inputs[k] * self->num_hosts + host] <= self->now;
        }
        best = num > most ? j : best;
        most = num > most ? num : most;
    }
    return best;
}

/* A worker has data from an instant on. */
static void hold(run_t *self, int32_t id, size_t worker, int64_t at)
{
    int64_t *held = &self->held[(size_t) id * self->num_hosts + host_of(self, worker)];
    task_t *task = &self->tasks[id];

    for (; task->waiting != NULL; task->waiting = task->waiting->next) {
        self->is_open[task->waiting->place] = 1;
    }
    task->num_hosts += *held == INT64_MAX;
    *held = at < *held ? at : *held;
    self->sent[(size_t) id * self->num_workers + worker] = at;
}

/* A worker gets a task. What happens until it starts is known now. */
static void assign(run_t *self, int32_t id, size_t worker)
{
    const spot_rerun_task_t *task = &self->scenario->tasks[id];
    const uint64_t n = self->num_ids, entity = n * (n * ++self->tasks[id].tries + (uint64_t) id);
    int64_t at = after(self, self->now, self->scenario->delays, SPOT_STREAM_TASK_DELAY, entity);

    self->tasks[id].state = ASSIGNED;
    self->workers[worker] = (worker_t){.task = id, .first_event = self->num_events};
    for (size_t j = 0; j < task->num_inputs; j++) {
        const int32_t input = task->inputs[j];
        const bool is_local =
            self->held[(size_t) input * self->num_hosts + host_of(self, worker)] <= at;
        const spot_task_mode_t mode = is_local ? SPOT_MODE_LOCAL : SPOT_MODE_REMOTE;
        const int delay = is_local ? SPOT_DELAY_LOCAL : SPOT_DELAY_REMOTE;

        if (self->sent[(size_t) input * self->num_workers + worker] < INT64_MAX) {
            continue;
        }
        note(self, at, worker, input, true, SPOT_TRANSMIT_PLANNED, SPOT_MODE_NONE);
        for (int k = SPOT_TRANSMIT_STARTED; k <= SPOT_TRANSMIT_LOADED && !is_local; k++) {
            note(self, at, worker, input, true, k, mode);
        }
        at = after(self, at, &self->scenario->delays[delay], SPOT_STREAM_TASK_DELAY + delay,
            entity + (uint64_t) input);
        note(self, at, worker, input, true, SPOT_TRANSMIT_FINISHED, mode);
        hold(self, input, worker, at);
    }
    note(self, at, worker, id, false, SPOT_TASK_PLANNED, SPOT_MODE_NONE);
    for (int k = SPOT_DELAY_COMM; k <= SPOT_DELAY_QUEUE; k++) {
        at = after(self, at, &self->scenario->delays[k], SPOT_STREAM_TASK_DELAY + k, entity);
        note(self, at, worker, id, false, k, SPOT_MODE_NONE);
    }
    self->due[worker] = at;
}

/* Contention: running tasks go on at the pace of how many run now. */
static void set_pace(run_t *self)
{
    for (size_t j = 0; j < self->num_workers; j++) {
        worker_t *worker = &self->workers[j];
        const int64_t num_beside = scope_of(self, j)->num_running - 1;
        const double beta = worker->is_running ? self->scenario->tasks[worker->task].beta : 0;
        const double slowness = fmax(0.01, 1 + beta * (double) num_beside);

        if (worker->is_running && slowness != worker->slowness) {
            worker->left -= (double) (self->now - worker->since) / worker->slowness;
            worker->slowness = slowness;
            worker->since = self->now;
            self->due[j] = self->now + llround(fmin(fmax(0, worker->left) * slowness, FAR_NS));
        }
    }
}

/* ---- What happens ---- */

/* A task starts or ends. */
static void step_worker(run_t *self, size_t worker_id)
{
    worker_t *worker = &self->workers[worker_id];
    const int32_t id = worker->task;
    const spot_rerun_task_t *shape = &self->scenario->tasks[id];
    task_t *task = &self->tasks[id];

    self->due[worker_id] = INT64_MAX;
    if (!worker->is_running) {
        worker->is_running = true;
        scope_of(self, worker_id)->num_running++;
        worker->slowness = (double) INFINITY;
        worker->left =
            (double) (shape->run == NULL ? shape->recorded_ns
                                         : after(self, 0, shape->run, SPOT_STREAM_TASK_RUN,
                                               task->tries * self->num_ids + (uint64_t) id));
        return;
    }
    note(self, self->now, worker_id, id, false, SPOT_TASK_FINISHED, SPOT_MODE_NONE);
    hold(self, id, worker_id, self->now);
    self->result->reruns += task->was_done;
    self->num_left -= !task->was_done;
    task->was_done = true;
    task->state = DONE;
    scope_of(self, worker_id)->num_running--;
    *worker = (worker_t){.task = -1};
}

/* A worker goes: its task runs again, and what has not happened does not. */
static void lose_worker(run_t *self, size_t worker_id)
{
    const worker_t *worker = &self->workers[worker_id];

    for (size_t j = 0; j < self->num_ids; j++) {
        self->sent[j * self->num_workers + worker_id] = INT64_MAX;
    }
    if (worker->task < 0) {
        return;
    }
    for (size_t j = worker->first_event; j < self->num_events; j++) {
        if (self->events[j].worker == (int32_t) worker_id && self->events[j].at > self->now) {
            self->events[j].at = INT64_MAX;
        }
    }
    set_pending(self, &self->tasks[worker->task]);
    self->result->lost_runs += worker->is_running;
    scope_of(self, worker_id)->num_running -= worker->is_running;
    self->result->is_cut_off |= self->tasks[worker->task].tries >= MAX_TRIES;
    self->due[worker_id] = INT64_MAX;
    self->workers[worker_id] = (worker_t){.task = -1};
}

/* A host comes, or is preempted with all its data. */
static void step_host(run_t *self, size_t host_id)
{
    host_t *host = &self->hosts[host_id];
    const spot_rerun_scenario_t *scenario = self->scenario;
    int64_t *due = &self->due[self->num_workers + host_id];

    host->is_up = !host->is_up;
    if (host->is_up) {
        host->since = self->now;
        *due = scenario->life.law.family == NULL
                   ? INT64_MAX
                   : after(self, self->now, &scenario->life, SPOT_STREAM_LIFETIME,
                         host->num_lives++ * self->num_hosts + host_id);
        return;
    }
    *due = self->now + scenario->replacement_ns;
    self->result->preemptions++;
    self->result->host_ns += self->now - host->since;
    memset(self->is_open, 1, self->num_ids); /* any may lack an input now */
    for (size_t j = 0; j < self->num_ids; j++) {
        int64_t *held = &self->held[j * self->num_hosts + host_id];

        self->tasks[j].waiting = NULL;
        self->tasks[j].num_hosts -= *held < INT64_MAX;
        *held = INT64_MAX;
    }
    for (size_t j = 0; j < self->num_workers; j++) {
        if (host_of(self, j) == host_id) {
            lose_worker(self, j);
        }
    }
}

/* All that happens at the next instant; ends before hosts that go. */
static void step(run_t *self)
{
    const size_t num = self->num_workers, num_due = num + self->num_hosts;

    self->now = INT64_MAX;
    for (size_t j = 0; j < num_due; j++) {
        self->now = self->due[j] < self->now ? self->due[j] : self->now;
    }
    for (size_t j = 0; j < num_due; j++) {
        if (self->due[j] == self->now) {
            j < num ? step_worker(self, j) : step_host(self, j - num);
        }
    }
}

static int simulate(run_t *self)
{
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    const size_t num_times = num + num_hosts + self->num_ids * (num + num_hosts);

    SPOT_ARENA_ARRAY(&self->arena, self->tasks, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->is_open, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->workers, num);
    SPOT_ARENA_ARRAY(&self->arena, self->hosts, num_hosts);
    if (SPOT_ARENA_ARRAY(&self->arena, self->due, num_times) == NULL || self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->sent = self->due + num + num_hosts;
    self->held = self->sent + self->num_ids * num;
    for (size_t j = 0; j < num_times; j++) {
        self->due[j] = INT64_MAX;
    }
    for (size_t j = 0; j < num; j++) {
        self->workers[j].task = -1;
    }
    for (size_t j = 0; j < num_hosts; j++) {
        step_host(self, j);
    }
    for (size_t j = 0; j < self->num_ids; j++) {
        const int32_t id = self->scenario->order_of_tasks[j];

        self->tasks[id].place = j;
        if (self->scenario->tasks[id].is_task) {
            set_pending(self, &self->tasks[id]);
        }
    }
    while (self->error == 0 && self->num_left > 0 && !self->result->is_cut_off) {
        for (size_t worker = 0; worker < num;) {
            const int32_t id = first_ready(self);

            worker = id < 0 ? num : best_worker(self, &self->scenario->tasks[id]);
            if (worker < num) {
                assign(self, id, worker);
            }
        }
        set_pace(self);
        step(self);
        self->result->is_cut_off |= self->now > FAR_NS;
        if (spot_replication_is_stopped(self->replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
    }
    for (size_t j = 0; j < num_hosts; j++) {
        self->result->host_ns += self->hosts[j].is_up ? self->now - self->hosts[j].since : 0;
    }
    return self->error;
}

static int replay(run_t *self)
{
    const spot_task_log_t *log = &self->scenario->log;
    const int ret = SPOT_ARRAY_ROOM(self, events, log->num_events);

    self->now = INT64_MAX;
    self->num_events = log->num_events;
    return ret == 0 ? rerun_replay(self->scenario, self->events) : ret;
}

/* ---- The log ---- */

static int write_log(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    const spot_task_log_t *from = &scenario->log;
    const bool is_replay = scenario->is_replay;
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    spot_task_log_t *log = &self->result->log;
    char host_name[32], name[64];
    int ret = 0;

    log->has_planning = true;
    for (int32_t j = 0; ret == 0 && j < (int32_t) self->num_ids; j++) {
        ret = spot_names_add(
            &log->ids, from->ids.names[j], strlen(from->ids.names[j]), &(int32_t){j});
    }
    for (size_t j = 0; ret == 0 && j < from->num_edges; j++) {
        const spot_task_edges_t *edges = &from->edges[j];

        ret = spot_task_log_add_inputs(
            log, edges->id, edges->end - edges->start, from->inputs + edges->start);
    }
    for (size_t j = 0; ret == 0 && j < self->num_events; j++) {
        const spot_task_event_t *event = &self->events[j];
        const size_t worker = (size_t) event->worker, host = host_of(self, worker);
        const char *id = from->ids.names[event->id], *by = name, *place = host_name;

        if (is_replay) {
            by = from->workers[worker].name;
            place = from->hosts[from->workers[worker].host_id];
        } else {
            snprintf(host_name, sizeof(host_name), "h%zu", host);
            snprintf(name, sizeof(name), "h%zu:worker%zu", host,
                worker - (host * num + num_hosts - 1) / num_hosts);
        }
        place = event->is_controller ? SPOT_TASK_CONTROLLER : place;
        ret = event->at > self->now
                  ? 0
                  : spot_task_log_add(
                        log, &(spot_task_line_t){id, place, by, strlen(id), strlen(place),
                                 strlen(by), event->at, j + 1, event->stage, event->mode,
                                 event->is_transmit, event->is_controller});
    }
    return ret == 0 ? spot_task_log_seal(log, SPOT_NAMES_GLOBAL) : ret;
}

int spot_rerun_run(spot_rerun_t *self, const spot_replication_t *replication)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    run_t run = {.scenario = scenario,
        .replication = replication,
        .result = self,
        .num_ids = scenario->num_ids,
        .num_workers = (size_t) scenario->num_workers,
        .num_hosts = (size_t) scenario->num_hosts,
        .num_left = scenario->num_tasks};
    spot_diag_t diag;
    int ret;

    spot_rerun_free(self);
    self->scenario = scenario;
    ret = scenario->is_replay ? replay(&run) : simulate(&run);
    ret = ret == 0 ? write_log(&run) : ret;
    spot_diag_init(&diag);
    ret = ret == 0 ? spot_task_analysis_init(&self->analysis, &self->log,
                         &(const spot_task_rules_t){.aligns = false}, "run", &diag)
                   : ret;
    self->host_ns += scenario->is_replay ? scenario->num_hosts * self->analysis.makespan : 0;
    spot_diag_free(&diag);
    spot_arena_free(&run.arena);
    free(run.events);
    return ret;
}

void spot_rerun_free(spot_rerun_t *self)
{
    spot_task_log_free(&self->log);
    spot_task_analysis_free(&self->analysis);
    memset(self, 0, sizeof(*self));
}
