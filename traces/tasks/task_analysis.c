/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "traces/tasks/task_log.h"

/* ---- The graph of a log ---- */

/* A task, by its id. */
typedef struct node {
    const spot_attempt_t *attempt; /* that finished first; NULL: never completed */
    const int32_t *inputs;         /* [num_inputs] that its record lists */
    size_t num_inputs;
    const struct node *longest; /* input at the end of the longest chain, or NULL */
    spot_wide_t up, down;       /* longest chain by run up to it, behind it */
    int32_t num_left;           /* inputs that no order was found for */
    int32_t rank;               /* order of bytes */
    bool is_visited;            /* clocks that disagree could lead in circles */
} node_t;

typedef struct {
    spot_task_graph_t *result;
    const spot_task_log_t *log;
    const spot_attempts_t *transmits;
    int64_t t0;
    size_t num_ids, num_tasks;
    node_t *nodes;             /* [num_ids] */
    int32_t *order;            /* [num_tasks] completed ids, inputs first */
    const node_t **ends;       /* [num_tasks] of workers, by end */
    spot_stretch_t *stretches; /* [transmits] */
} graph_t;

static void task_graph_free(spot_task_graph_t *self)
{
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

static int64_t run_of(const node_t *node)
{
    int64_t run;

    spot_attempt_between(node->attempt, SPOT_TASK_STARTED, SPOT_TASK_FINISHED, &run);
    return run;
}

static int64_t end_of(const node_t *node)
{
    return node->attempt->at[SPOT_TASK_FINISHED];
}

/* ---- Graph: order ---- */

/* Tasks of a cycle: from one that has an input left, back along such inputs, until one
 * comes again. */
static int report_cycle(const graph_t *self, const char *file, spot_diag_t *diag)
{
    char shown[4][SPOT_UTF8_SHOWN_BYTES];
    const char *names[4] = {NULL};
    const node_t *node = self->nodes;

    while (node->num_left == 0) {
        node++;
    }
    for (size_t j = 0; j < self->num_ids + 4; j++) {
        const int32_t *input = node->inputs;

        while (self->nodes[*input].num_left == 0) {
            input++;
        }
        node = &self->nodes[*input]; /* in the end within the cycle */
        names[j % 4] = spot_utf8_shown(self->log->ids.names[*input], shown[j % 4]);
    }
    return spot_diag_error(diag, file, 0, 0,
        "the edges have a cycle: %s needs %s needs %s needs %s, and so on",
        names[self->num_ids % 4], names[(self->num_ids + 1) % 4], names[(self->num_ids + 2) % 4],
        names[(self->num_ids + 3) % 4]);
}

/* Sets order (Kahn, CACM 5(11), 1962). first: [num_ids], next, users: [inputs] lists of
 * the users of each id. */
static int sort_tasks(graph_t *self, int32_t *first, int32_t *next, int32_t *users,
    const char *file, spot_diag_t *diag)
{
    size_t num_found = 0;
    int32_t num_users = 0;

    memset(first, -1, self->num_ids * sizeof(*first));
    for (size_t j = 0; j < self->num_ids; j++) {
        node_t *node = &self->nodes[j];

        for (size_t k = 0; k < node->num_inputs; k++) {
            users[num_users] = (int32_t) j;
            next[num_users] = first[node->inputs[k]];
            first[node->inputs[k]] = num_users++;
        }
        node->num_left = (int32_t) node->num_inputs;
        if (node->num_left == 0) {
            self->order[num_found++] = (int32_t) j;
        }
    }
    for (size_t j = 0; j < num_found; j++) {
        for (int32_t user = first[self->order[j]]; user >= 0; user = next[user]) {
            if (--self->nodes[users[user]].num_left == 0) {
                self->order[num_found++] = users[user];
            }
        }
    }
    if (num_found < self->num_ids) {
        return report_cycle(self, file, diag);
    }
    for (size_t j = 0; j < num_found; j++) {
        if (self->nodes[self->order[j]].attempt != NULL) {
            self->order[self->num_tasks++] = self->order[j];
        }
    }
    return 0;
}

/* ---- Graph: the longest chain, and decisions ---- */

/* Whether a chain up to a task is better than the best so far: longer, or a smaller
 * id. */
static bool is_better(const node_t *node, const node_t *best)
{
    return best == NULL || node->up > best->up || (node->up == best->up && node->rank < best->rank);
}

static void take_task(graph_t *self, node_t *node, double *delays)
{
    spot_task_graph_t *result = self->result;
    int64_t ready = self->t0;

    for (size_t k = 0; k < node->num_inputs; k++) {
        const node_t *input = &self->nodes[node->inputs[k]];

        if (input->attempt == NULL) {
            result->missing_inputs++;
            continue;
        }
        result->edges++;
        ready = end_of(input) > ready ? end_of(input) : ready;
        node->longest = is_better(input, node->longest) ? input : node->longest;
    }
    node->up = run_of(node) + (node->longest == NULL ? 0 : node->longest->up);
    result->work += run_of(node);
    if (spot_attempt_has(node->attempt, SPOT_TASK_PLANNED)) {
        const int64_t planned = node->attempt->at[SPOT_TASK_PLANNED];

        spot_durations_add(&result->decision_delay, delays, planned - ready);
        if (planned > ready) {
            result->ready[result->num_ready++] = (spot_stretch_t){ready, planned};
        }
    }
}

static void find_critical(graph_t *self, double *delays)
{
    spot_task_graph_t *result = self->result;
    const node_t *last = NULL;

    for (size_t j = 0; j < self->num_tasks; j++) {
        node_t *node = &self->nodes[self->order[j]];

        take_task(self, node, delays);
        last = is_better(node, last) ? node : last;
    }
    spot_durations_end(&result->decision_delay, delays);
    result->critical_run = last == NULL ? 0 : last->up;
    for (size_t j = self->num_tasks; j-- > 0;) {
        const node_t *node = &self->nodes[self->order[j]];
        const spot_wide_t from_here = node->down + run_of(node);

        for (size_t k = 0; k < node->num_inputs; k++) {
            node_t *input = &self->nodes[node->inputs[k]];

            input->down = from_here > input->down ? from_here : input->down;
        }
        result->zero_slack += node->up + node->down == result->critical_run;
    }
    result->critical += self->num_ids; /* filled from its end */
    for (; last != NULL; last = last->longest) {
        *--result->critical = (int32_t) (last - self->nodes);
        result->num_critical++;
    }
}

/* ---- Graph: the chain of waits ---- */

/* Of a worker, by end; of equal ends the smaller id comes last. */
static int compare_ends(const void *first, const void *second)
{
    const node_t *a = *(const node_t *const *) first;
    const node_t *b = *(const node_t *const *) second;

    return a->attempt->worker != b->attempt->worker
               ? spot_ns_compare(a->attempt->worker, b->attempt->worker)
           : end_of(a) != end_of(b) ? spot_ns_compare(end_of(a), end_of(b))
                                    : spot_ns_compare(b->rank, a->rank);
}

/* Whether a task ends behind the latest so far, or with it and has a smaller id. */
static bool is_later(const node_t *node, const node_t *latest)
{
    return latest == NULL || end_of(node) > end_of(latest) ||
           (end_of(node) == end_of(latest) && node->rank < latest->rank);
}

/* The task of a worker that ended last up to an instant, or NULL. */
static const node_t *ended_before(const graph_t *self, int32_t worker, int64_t at)
{
    size_t low = 0, high = self->num_tasks;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const node_t *node = self->ends[middle];

        if (node->attempt->worker < worker ||
            (node->attempt->worker == worker && end_of(node) <= at)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && self->ends[low - 1]->attempt->worker == worker &&
           self->ends[low - 1]->is_visited) {
        low--;
    }
    return low > 0 && self->ends[low - 1]->attempt->worker == worker ? self->ends[low - 1] : NULL;
}

/* What the task waited for last: an input or a task of its worker; NULL: nothing. */
static const node_t *waited_for(const graph_t *self, const node_t *node, int64_t started)
{
    const node_t *of_worker = ended_before(self, node->attempt->worker, started);
    const node_t *best = NULL;

    for (size_t j = 0; j < node->num_inputs; j++) {
        const node_t *input = &self->nodes[node->inputs[j]];

        if (input->attempt != NULL && !input->is_visited && end_of(input) <= started &&
            is_later(input, best)) {
            best = input;
        }
    }
    return of_worker != NULL && (best == NULL || end_of(of_worker) > end_of(best)) ? of_worker
                                                                                   : best;
}

static int compare_stretches(const void *first, const void *second)
{
    const spot_stretch_t *a = first, *b = second;

    return spot_ns_compare(a->start, b->start);
}

/* Time of [from, to) in which an input was on the way to the worker of the task. */
static int64_t inputs_within(const graph_t *self, const node_t *node, int64_t from, int64_t to)
{
    const spot_attempts_t *list = self->transmits;
    size_t num = 0;
    int64_t sum = 0, length;

    for (size_t j = 0; list->num_attempts > 0 && j < node->num_inputs; j++) {
        const int32_t id = node->inputs[j], worker = node->attempt->worker;
        const spot_attempt_t *sent = spot_attempts_find(list, id, worker);

        for (; sent != NULL && sent < list->attempts + list->num_attempts && sent->id == id &&
               sent->worker == worker;
             sent++) {
            if (spot_attempt_between(
                    sent, SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED, &length)) {
                self->stretches[num++] = (spot_stretch_t){
                    sent->at[SPOT_TRANSMIT_PLANNED], sent->at[SPOT_TRANSMIT_FINISHED]};
            }
        }
    }
    qsort(self->stretches, num, sizeof(*self->stretches), compare_stretches);
    for (size_t j = 0; j < num; j++) {
        const int64_t end = self->stretches[j].end < to ? self->stretches[j].end : to;

        from = self->stretches[j].start > from ? self->stretches[j].start : from;
        if (end > from) {
            sum += end - from;
            from = end;
        }
    }
    return sum;
}

/* When a stage was, within [low, high]; without it high. */
static int64_t stage_within(const spot_attempt_t *task, int stage, int64_t low, int64_t high)
{
    const int64_t at = task->at[stage];

    return !spot_attempt_has(task, stage) || at > high ? high : at < low ? low : at;
}

/* Adds a task and returns what it waited for. */
static const node_t *add_link(const graph_t *self, spot_task_chain_t *chain, const node_t *node)
{
    const spot_attempt_t *task = node->attempt;
    const int64_t end = end_of(node);
    const int64_t to =
        spot_attempt_has(task, SPOT_TASK_STARTED) ? task->at[SPOT_TASK_STARTED] : end;
    const node_t *before = waited_for(self, node, to);
    const int64_t from = before == NULL ? self->t0 : end_of(before);
    const int64_t enqueued = stage_within(task, SPOT_TASK_ENQUEUED, from, to);
    const int64_t planned = stage_within(task, SPOT_TASK_PLANNED, from, enqueued);
    const int64_t inputs = inputs_within(self, node, from, planned);

    chain->run += end - to;
    chain->queue += to - enqueued;
    chain->comm += enqueued - planned;
    chain->inputs += inputs;
    chain->controller += planned - from - inputs;
    chain->total += end - from;
    chain->tasks++;
    chain->first = (int32_t) (node - self->nodes);
    return before;
}

static void find_chain(graph_t *self)
{
    spot_task_graph_t *result = self->result;
    const node_t *last = NULL;

    for (size_t j = 0; j < self->num_tasks; j++) {
        self->ends[j] = &self->nodes[self->order[j]];
        last = is_later(self->ends[j], last) ? self->ends[j] : last;
    }
    qsort(self->ends, self->num_tasks, sizeof(*self->ends), compare_ends);
    for (size_t j = 0; j < self->num_tasks; j++) {
        node_t *node = &self->nodes[self->order[j]];
        spot_task_chain_t link = {0};

        if (spot_attempt_has(node->attempt, SPOT_TASK_PLANNED)) {
            node->is_visited = true; /* no task waits for itself */
            add_link(self, &link, node);
            node->is_visited = false;
            result->decisions[result->num_decisions++] = (int64_t) link.controller;
        }
    }
    result->chain.first = result->chain.last = last == NULL ? -1 : (int32_t) (last - self->nodes);
    while (last != NULL) {
        self->nodes[last - self->nodes].is_visited = true;
        last = add_link(self, &result->chain, last);
    }
}

/* Sets the inputs, attempts and ranks of nodes. room: [num_ids] */
static int set_nodes(graph_t *self, const spot_attempts_t *tasks, int32_t *room)
{
    const spot_task_log_t *log = self->log;
    const int ret = spot_task_log_rank(log, room);

    for (size_t j = 0; ret == 0 && j < self->num_ids; j++) {
        self->nodes[j].rank = room[j];
    }
    spot_attempts_first_finished(tasks, log, room);
    for (size_t j = 0; j < self->num_ids; j++) {
        self->nodes[j].attempt = room[j] < 0 ? NULL : &tasks->attempts[room[j]];
    }
    for (size_t j = 0; j < log->num_edges; j++) {
        node_t *node = &self->nodes[log->edges[j].id];

        node->inputs = log->inputs + log->edges[j].start;
        node->num_inputs = log->edges[j].end - log->edges[j].start;
    }
    return ret;
}

/* file: of messages. A cycle is BAD_INPUT; NO_MEMORY; free self even then.
 * O(n log n) */
static int task_graph_init(spot_task_graph_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0, const char *file,
    spot_diag_t *diag)
{
    const size_t num_ids = log->ids.num_names;
    graph_t graph = {
        .result = self, .log = log, .transmits = transmits, .t0 = t0, .num_ids = num_ids};
    spot_arena_t arena = {0};
    int32_t *first, *next, *users;
    double *delays;
    int ret;

    memset(self, 0, sizeof(*self));
    self->has_edges = log->num_edges > 0;
    if (!self->has_edges) {
        return 0;
    }
    SPOT_ARENA_ARRAY(&self->arena, self->critical, num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->ready, num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->decisions, num_ids);
    SPOT_ARENA_ARRAY(&arena, graph.nodes, num_ids);
    SPOT_ARENA_ARRAY(&arena, graph.order, num_ids);
    SPOT_ARENA_ARRAY(&arena, graph.ends, num_ids);
    SPOT_ARENA_ARRAY(&arena, graph.stretches, transmits->num_attempts);
    SPOT_ARENA_ARRAY(&arena, first, num_ids);
    SPOT_ARENA_ARRAY(&arena, next, log->num_inputs);
    SPOT_ARENA_ARRAY(&arena, users, log->num_inputs);
    SPOT_ARENA_ARRAY(&arena, delays, num_ids);
    ret = spot_error_first(self->arena.error, arena.error);
    ret = ret == 0 ? set_nodes(&graph, tasks, first) : ret;
    ret = ret == 0 ? sort_tasks(&graph, first, next, users, file, diag) : ret;
    if (ret == 0) {
        self->tasks = (int64_t) graph.num_tasks;
        find_critical(&graph, delays);
        find_chain(&graph);
    }
    spot_arena_free(&arena);
    return ret;
}

/* ---- The analysis ---- */

const spot_task_span_t spot_task_spans[SPOT_NUM_TASK_DURATIONS] = {
    {"total", "planned to finished", SPOT_TASK_PLANNED, SPOT_TASK_FINISHED},
    {"comm", "planned to enqueued", SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED},
    {"queue", "enqueued to started", SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED},
    {"run", "started to finished", SPOT_TASK_STARTED, SPOT_TASK_FINISHED},
    {"on_worker", "enqueued to finished", SPOT_TASK_ENQUEUED, SPOT_TASK_FINISHED},
    {"load", "started to loaded", SPOT_TASK_STARTED, SPOT_TASK_LOADED},
    {"compute", "loaded to finished", SPOT_TASK_LOADED, SPOT_TASK_FINISHED},
};
const spot_task_span_t spot_transmit_spans[SPOT_NUM_TRANSMIT_DURATIONS] = {
    {"total", "planned to finished", SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED},
    {"comm", "planned to started", SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_STARTED},
    {"load_remote", "started to loaded", SPOT_TRANSMIT_STARTED, SPOT_TRANSMIT_LOADED},
    {"transfer_remote", "loaded to finished", SPOT_TRANSMIT_LOADED, SPOT_TRANSMIT_FINISHED},
};

void spot_task_analysis_free(spot_task_analysis_t *self)
{
    spot_attempts_free(&self->tasks);
    spot_attempts_free(&self->transmits);
    spot_worker_times_free(&self->times);
    task_graph_free(&self->graph);
    spot_names_free(&self->classes);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

/* ---- Analysis: clocks ---- */

static void bound_high(spot_clock_offset_t *offset, const spot_attempt_t *attempt, int to)
{
    int64_t length;

    if (spot_attempt_between(attempt, 0, to, &length) && length < offset->high) {
        offset->high = length;
    }
}

/* only: [num ids] set to the attempt of tasks with a single one that finished, or -1. */
static int find_offsets(spot_task_analysis_t *self, const spot_task_log_t *log, int32_t *only)
{
    const spot_attempts_t *tasks = &self->tasks;

    if (SPOT_ARENA_ARRAY(&self->arena, self->offsets, log->num_hosts) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_hosts; j++) {
        self->offsets[j] = (spot_clock_offset_t){INT64_MIN, INT64_MAX, 0};
    }
    memset(only, -1, log->ids.num_names * sizeof(*only));
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];
        const bool is_only = (j == 0 || task[-1].id != task->id) &&
                             (j + 1 == tasks->num_attempts || task[1].id != task->id);

        if (is_only && spot_attempt_has(task, SPOT_TASK_FINISHED)) {
            only[task->id] = (int32_t) j;
        }
        bound_high(&self->offsets[log->workers[task->worker].host_id], task, SPOT_TASK_ENQUEUED);
    }
    for (size_t j = 0; j < self->transmits.num_attempts; j++) {
        const spot_attempt_t *transmit = &self->transmits.attempts[j];

        if (transmit->mode == SPOT_MODE_LOCAL) {
            bound_high(&self->offsets[log->workers[transmit->worker].host_id], transmit,
                SPOT_TRANSMIT_FINISHED);
        }
        if (only[transmit->id] >= 0 && spot_attempt_has(transmit, SPOT_TRANSMIT_PLANNED)) {
            const spot_attempt_t *producer = &tasks->attempts[only[transmit->id]];
            spot_clock_offset_t *offset = &self->offsets[log->workers[producer->worker].host_id];
            const int64_t length =
                producer->at[SPOT_TASK_FINISHED] - transmit->at[SPOT_TRANSMIT_PLANNED];

            offset->low = offset->low > length ? offset->low : length;
        }
    }
    return 0;
}

/* Puts the clocks of hosts right; only the source knows when a transmit started. Whether
 * no stamp leaves 64 bits. */
static bool align(spot_task_analysis_t *self, spot_task_log_t *log, const int32_t *only)
{
    bool is_good = true;

    for (size_t j = 0; j < log->num_hosts; j++) {
        spot_clock_offset_t *offset = &self->offsets[j];

        offset->subtracted = offset->low > offset->high ? 0
                             : offset->low > 0          ? offset->low
                             : offset->high < 0         ? offset->high
                                                        : 0;
    }
    for (size_t j = 0; is_good && j < log->num_events; j++) {
        spot_task_event_t *event = &log->events[j];
        const bool is_of_source =
            event->is_transmit && event->stage != SPOT_TRANSMIT_FINISHED && only[event->id] >= 0;
        const int32_t worker =
            is_of_source ? self->tasks.attempts[only[event->id]].worker : event->worker;

        is_good = event->is_controller ||
                  !__builtin_sub_overflow(event->at,
                      self->offsets[log->workers[worker].host_id].subtracted, &event->at);
    }
    return is_good;
}

/* ---- Analysis: attempts and their durations ---- */

/* Least and largest stamp of a log, 0 without any. Returns the time between, or -1: it
 * is beyond 64 bits. */
static int64_t task_log_span(const spot_task_log_t *log, int64_t *t0, int64_t *t1)
{
    const size_t num = log->num_events + log->num_phases;
    int64_t span;

    *t0 = num == 0 ? 0 : INT64_MAX;
    *t1 = num == 0 ? 0 : INT64_MIN;
    for (size_t j = 0; j < num; j++) {
        const int64_t at =
            j < log->num_events ? log->events[j].at : log->phases[j - log->num_events].at;

        *t0 = at < *t0 ? at : *t0;
        *t1 = at > *t1 ? at : *t1;
    }
    return __builtin_sub_overflow(*t1, *t0, &span) ? -1 : span;
}

static int gather(spot_task_analysis_t *self, const spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag)
{
    int ret;

    spot_attempts_free(&self->tasks);
    spot_attempts_free(&self->transmits);
    self->makespan = task_log_span(log, &self->t0, &self->t1);
    /* half of what 64 bits hold: differences of two durations fit too */
    if (self->makespan < 0 || self->makespan > INT64_MAX / 2) {
        return spot_diag_error(diag, file, 0, 0, "the stamps span more than 146 years");
    }
    ret = spot_attempts_init(&self->tasks, log, false, rules->dup, false, file, diag);
    return ret != 0 ? ret
                    : spot_attempts_init(&self->transmits, log, true, rules->dup,
                          rules->has_last_line, file, diag);
}

/* Returns how many are negative, whatever the mode. */
static int64_t measure(const spot_attempts_t *list, const spot_task_span_t *span,
    bool is_remote_only, double *values, spot_durations_t *durations)
{
    int64_t length, num_negative = 0;

    for (size_t j = 0; j < list->num_attempts; j++) {
        const spot_attempt_t *attempt = &list->attempts[j];

        if (spot_attempt_between(attempt, span->from, span->to, &length)) {
            num_negative += length < 0;
            if (!is_remote_only || attempt->mode == SPOT_MODE_REMOTE) {
                spot_durations_add(durations, values, length);
            }
        }
    }
    spot_durations_end(durations, values);
    return num_negative;
}

/* values: [2 reports] */
static void measure_rounds(spot_task_rounds_t *self, const spot_task_log_t *log, double *values)
{
    for (size_t j = 0; j < log->num_reports; j++) {
        const spot_task_report_t *report = &log->reports[j];

        spot_durations_add(&self->act, values, report->act);
        for (size_t k = 0; k < SPOT_REPORT_COUNTERS; k++) {
            self->counters[k] += report->counters[k];
        }
        if (report->has_wait) {
            spot_durations_add(&self->wait, values + log->num_reports, report->wait);
            self->busy_during_wait += (spot_wide_t) report->busy_workers * report->wait;
        }
    }
    spot_durations_end(&self->act, values);
    spot_durations_end(&self->wait, values + log->num_reports);
    self->without_wait = self->act.count - self->wait.count;
}

static int measure_all(spot_task_analysis_t *self, const spot_task_log_t *log)
{
    double *values = malloc(
        (self->tasks.num_attempts + self->transmits.num_attempts + 2 * log->num_reports + 1) *
        sizeof(*values));

    if (values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < SPOT_NUM_TASK_DURATIONS; j++) {
        const int64_t num_negative =
            measure(&self->tasks, &spot_task_spans[j], false, values, &self->task[j]);

        self->negative_intervals += j >= SPOT_TASK_COMM && j <= SPOT_TASK_RUN ? num_negative : 0;
    }
    for (size_t j = 0; j < SPOT_NUM_TRANSMIT_DURATIONS; j++) {
        const int64_t num_negative = measure(&self->transmits, &spot_transmit_spans[j],
            j >= SPOT_TRANSMIT_LOAD, values, &self->transmit[j]);

        self->negative_intervals += j >= SPOT_TRANSMIT_COMM ? num_negative : 0;
    }
    measure_rounds(&self->rounds, log, values);
    free(values);
    return 0;
}

/* ---- Analysis: counts and groups ---- */

static void add_to(spot_task_group_t *group, const spot_attempt_t *task, spot_task_duration_t which)
{
    int64_t length;

    if (spot_attempt_between(
            task, spot_task_spans[which].from, spot_task_spans[which].to, &length)) {
        spot_durations_add(&group->durations, NULL, length);
    }
}

/* Classes of tasks in order of bytes. */
static int find_classes(spot_task_analysis_t *self, const spot_task_log_t *log)
{
    spot_names_t *names = &self->classes;
    const size_t num_ids = log->ids.num_names;
    int32_t *place; /* [1 + classes] in that order; the first is that of no class */

    SPOT_ARENA_ARRAY(&self->arena, self->class_of, num_ids);
    for (size_t j = 0; self->class_of != NULL && j < self->tasks.num_attempts; j++) {
        const int32_t id = self->tasks.attempts[j].id;
        const char *text = log->ids.names[id];

        if (spot_names_add(names, text, spot_task_class_bytes(text), &self->class_of[id]) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        self->class_of[id]++;
    }
    self->num_classes = names->num_names;
    SPOT_ARENA_ARRAY(&self->arena, self->per_class, self->num_classes);
    SPOT_ARENA_ARRAY(&self->arena, place, 1 + self->num_classes);
    if (self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_classes; j++) {
        self->per_class[j].name = names->names[j];
    }
    spot_task_groups_sort(self->per_class, self->num_classes);
    place[0] = -1;
    for (size_t j = 0; j < self->num_classes; j++) {
        const char *name = self->per_class[j].name;

        place[1 + spot_names_find(names, name, strlen(name))] = (int32_t) j;
    }
    for (size_t j = 0; j < num_ids; j++) {
        self->class_of[j] = place[self->class_of[j]];
    }
    return 0;
}

static int count_tasks(spot_task_analysis_t *self, const spot_task_log_t *log)
{
    bool is_completed = false;

    if (SPOT_ARENA_ARRAY(&self->arena, self->per_worker, log->num_workers) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_workers; j++) {
        self->per_worker[j].name = log->workers[j].name;
    }
    for (size_t j = 0; j < self->tasks.num_attempts; j++) {
        const spot_attempt_t *task = &self->tasks.attempts[j];
        const bool is_new = j == 0 || task[-1].id != task->id;
        const bool has_finished = spot_attempt_has(task, SPOT_TASK_FINISHED);

        self->distinct += is_new;
        is_completed = is_completed && !is_new;
        self->completed += has_finished && !is_completed;
        is_completed = is_completed || has_finished;
        self->incomplete += !has_finished;
        self->no_planned += !spot_attempt_has(task, SPOT_TASK_PLANNED);
        add_to(&self->per_worker[task->worker], task, SPOT_TASK_ON_WORKER);
        add_to(&self->per_class[self->class_of[task->id]], task, SPOT_TASK_RUN);
    }
    return 0;
}

static int count_transmits(spot_task_analysis_t *self)
{
    const spot_attempts_t *list = &self->transmits;
    size_t num = 0;
    int64_t length;

    if (SPOT_ARENA_ARRAY(&self->arena, self->sent, list->num_attempts + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->mode_conflicts = list->num_conflicts;
    for (size_t j = 0; j < list->num_attempts; j++) {
        const spot_attempt_t *attempt = &list->attempts[j];

        self->transmits_unfinished += !spot_attempt_has(attempt, SPOT_TRANSMIT_FINISHED);
        self->no_planned += !spot_attempt_has(attempt, SPOT_TRANSMIT_PLANNED);
        self->mode_counts[attempt->mode]++;
        spot_attempt_between(attempt, SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED, &length);
        self->mode_totals[attempt->mode] += length;
        num++;
        if (j + 1 == list->num_attempts || attempt[1].id != attempt->id) {
            self->num_sent = num >= self->num_sent ? num + 1 : self->num_sent;
            self->sent[num]++;
            self->datasets++;
            num = 0;
        }
    }
    return 0;
}

int spot_task_analysis_init(spot_task_analysis_t *self, spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag)
{
    int32_t *only;
    int ret;

    memset(self, 0, sizeof(*self));
    if (SPOT_ARENA_ARRAY(&self->arena, only, log->ids.num_names) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = gather(self, log, rules, file, diag);
    ret = ret == 0 ? find_offsets(self, log, only) : ret;
    if (ret == 0 && rules->aligns) {
        ret = align(self, log, only)
                  ? gather(self, log, rules, file, diag)
                  : spot_diag_error(diag, file, 0, 0, "an aligned stamp is beyond 64 bits");
    }
    ret = ret == 0 ? find_classes(self, log) : ret;
    ret = ret == 0 ? count_tasks(self, log) : ret;
    ret = ret == 0 ? count_transmits(self) : ret;
    ret = ret == 0 ? measure_all(self, log) : ret;
    ret = ret != 0 ? ret
                   : task_graph_init(&self->graph, log, &self->tasks, &self->transmits, self->t0,
                         log->edges_path == NULL ? file : log->edges_path, diag);
    ret = ret != 0 ? ret
                   : spot_worker_times_init(&self->times, log, &self->tasks, &self->transmits,
                         self->t0, self->t1, self->graph.num_ready, self->graph.ready);
    for (size_t j = 0; ret == 0 && j < log->num_workers; j++) {
        self->overlapping_tasks += self->times.workers[j].has_overlap;
    }
    return ret;
}

void spot_task_analysis_warn(const spot_task_analysis_t *self, const spot_task_log_t *log,
    const char *file, spot_diag_t *diag)
{
    const struct {
        int64_t num;
        const char *text;
    } counts[] = {{self->tasks.num_duplicates + self->transmits.num_duplicates,
                      "duplicate_events: actions come again in one attempt, see --dup"},
        {self->mode_conflicts,
            "mode_conflicts: modes of transmits depend on the rule, see --mode-rule"},
        {log->has_planning ? self->no_planned : 0,
            "no_planned: attempts have no Planned, so that their total and comm are "
            "missing"},
        {self->negative_intervals, "negative_intervals: stamps are out of order, see clock_offset"},
        {self->overlapping_tasks, "overlapping_tasks: workers ran tasks at the same time"}};

    for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
        if (counts[j].num > 0) {
            spot_diag_warn(diag, file, 0, 0, "%lld %s", (long long) counts[j].num, counts[j].text);
        }
    }
    for (size_t j = 0; j < log->num_hosts; j++) {
        const spot_clock_offset_t *offset = &self->offsets[j];

        if (offset->low > offset->high) {
            spot_diag_warn(diag, file, 0, 0,
                "the clock of host %s cannot be right: it is at least %lld and at most "
                "%lld ns ahead of the controller's; it drifts, or stamps are wrong",
                log->hosts[j], (long long) offset->low, (long long) offset->high);
        }
        if (offset->subtracted != 0) {
            spot_diag_warn(diag, file, 0, 0,
                "%lld ns were subtracted from the stamps of host %s (--align)",
                (long long) offset->subtracted, log->hosts[j]);
        }
    }
}

/* ---- The analysis as JSON ---- */

static void put_log(const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, "log", '{');
    spot_json_integer(json, "lines", log->num_lines);
    spot_json_integer(json, "task_events", (int64_t) self->tasks.num_events);
    spot_json_integer(json, "transmit_events", (int64_t) self->transmits.num_events);
    spot_json_integer(json, "controller_lines", log->num_controller_lines);
    spot_json_integer(json, "input_records", log->num_input_records);
    spot_json_integer(json, "unknown_actions", log->num_unknown_actions);
    spot_json_integer(json, "workers", (int64_t) log->num_workers);
    spot_json_integer(json, "hosts", (int64_t) log->num_hosts);
    spot_json_optional(json, "t0", log->num_events > 0, self->t0);
    spot_json_optional(json, "t1", log->num_events > 0, self->t1);
    spot_json_wide(json, "makespan", self->makespan);
    if (log->num_skipped_lines > 0) {
        spot_json_integer(json, "skipped_lines", log->num_skipped_lines);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "checks", '{');
    spot_json_integer(
        json, "duplicate_events", self->tasks.num_duplicates + self->transmits.num_duplicates);
    spot_json_integer(json, "mode_conflicts", self->mode_conflicts);
    spot_json_integer(json, "no_planned", self->no_planned);
    spot_json_integer(json, "negative_intervals", self->negative_intervals);
    spot_json_integer(json, "overlapping_tasks", self->overlapping_tasks);
    spot_json_close(json, '}');
}

static void put_tasks(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const int64_t attempts = (int64_t) self->tasks.num_attempts;

    spot_json_open(json, "tasks", '{');
    spot_json_integer(json, "attempts", attempts);
    spot_json_integer(json, "distinct", self->distinct);
    spot_json_integer(json, "completed", self->completed);
    spot_json_integer(json, "incomplete_attempts", self->incomplete);
    spot_json_integer(json, "retries", attempts - self->distinct);
    for (size_t j = 0; j < SPOT_NUM_TASK_DURATIONS; j++) {
        spot_durations_json(json, spot_task_spans[j].name, &self->task[j], SPOT_DURATIONS_ALL);
    }
    spot_task_groups_json(
        json, "per_worker", log->num_workers, self->per_worker, SPOT_DURATIONS_MEAN);
    spot_task_groups_json(
        json, "per_class", self->num_classes, self->per_class, SPOT_DURATIONS_MEAN);
    spot_json_close(json, '}');
}

static void put_by_number(
    spot_json_t *json, const char *key, bool is_time, size_t num, const int64_t *values)
{
    char name[24];

    spot_json_open(json, key, '{');
    for (size_t j = 0; j < num; j++) {
        if (values[j] != 0) {
            snprintf(name, sizeof(name), "%zu", j);
            if (is_time) {
                spot_json_wide(json, name, values[j]);
            } else {
                spot_json_integer(json, name, values[j]);
            }
        }
    }
    spot_json_close(json, '}');
}

/* A number of each mode that occurs. totals: NULL puts the counts. */
static void put_modes(
    spot_json_t *json, const char *key, const int64_t *counts, const spot_wide_t *totals)
{
    spot_json_open(json, key, '{');
    for (size_t mode = SPOT_MODE_LOCAL; mode < SPOT_NUM_MODES; mode++) {
        if (counts[mode] > 0 && totals != NULL) {
            spot_json_wide(json, spot_task_mode_names[mode], totals[mode]);
        } else if (counts[mode] > 0) {
            spot_json_integer(json, spot_task_mode_names[mode], counts[mode]);
        }
    }
    spot_json_close(json, '}');
}

static void put_transmits(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, "transmits", '{');
    spot_json_integer(json, "attempts", (int64_t) self->transmits.num_attempts);
    spot_json_integer(json, "unfinished", self->transmits_unfinished);
    spot_json_integer(json, "without_mode", self->mode_counts[SPOT_MODE_NONE]);
    put_modes(json, "mode_counts", self->mode_counts, NULL);
    put_modes(json, "raw_mode_lines", log->num_mode_lines, NULL);
    for (size_t j = 0; j < SPOT_NUM_TRANSMIT_DURATIONS; j++) {
        spot_durations_json(
            json, spot_transmit_spans[j].name, &self->transmit[j], SPOT_DURATIONS_ALL);
        if (j == SPOT_TRANSMIT_TOTAL) {
            put_modes(json, "total_per_mode", self->mode_counts, self->mode_totals);
        }
    }
    spot_json_integer(json, "datasets", self->datasets);
    put_by_number(json, "per_dataset_histogram", false, self->num_sent, self->sent);
    spot_json_close(json, '}');
}

static void put_workers(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_wide_t sums[SPOT_NUM_IDLE] = {0};

    spot_json_open(json, "workers", '{');
    for (size_t j = 0; j < log->num_workers; j++) {
        const spot_worker_time_t *time = &self->times.workers[j];
        const int64_t busy = time->split[SPOT_IDLE_BUSY];

        spot_json_open(json, log->workers[j].name, '{');
        spot_json_text(json, "host", log->hosts[log->workers[j].host_id]);
        spot_json_integer(json, "tasks", time->tasks);
        spot_json_wide(json, "busy", busy);
        spot_json_wide(json, "idle", self->makespan - busy);
        spot_json_number(json, "utilisation", spot_wide_ratio(busy, self->makespan));
        spot_json_integer(json, "gaps", time->gaps);
        spot_json_wide(json, "gap_max", time->gap_max);
        spot_json_open(json, "idle_split", '{');
        for (size_t k = SPOT_IDLE_QUEUE; k < SPOT_NUM_IDLE; k++) {
            spot_json_integer(json, spot_idle_names[k], time->split[k]);
        }
        spot_json_close(json, '}');
        spot_json_wide(json, "transmit_in_flight", time->in_flight);
        spot_json_wide(json, "transmit_hidden", time->hidden);
        spot_json_wide(json, "transmit_exposed", time->in_flight - time->hidden);
        spot_json_close(json, '}');
        for (size_t k = 0; k < SPOT_NUM_IDLE; k++) {
            sums[k] += time->split[k];
        }
    }
    spot_json_close(json, '}');
    spot_json_open(json, "balance", '{');
    if (log->num_workers > 0) {
        spot_json_wide(json, "worker_time", (spot_wide_t) log->num_workers * self->makespan);
    }
    for (size_t k = 0; k < SPOT_NUM_IDLE && log->num_workers > 0; k++) {
        spot_json_wide(json, spot_idle_names[k], sums[k]);
    }
    spot_json_close(json, '}');
}

static void put_times(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_worker_times_t *times = &self->times;

    spot_json_open(json, "concurrency", '{');
    put_by_number(json, "all", true, times->all.num_ns, times->all.ns);
    spot_json_open(json, "hosts", '{');
    for (size_t j = 0; j < log->num_hosts; j++) {
        put_by_number(json, log->hosts[j], true, times->hosts[j].num_ns, times->hosts[j].ns);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
    spot_json_open(json, "overlap", '{');
    spot_json_wide(json, "task_any", times->task_any);
    spot_json_wide(json, "transmit_any", times->transmit_any);
    spot_json_wide(json, "both", times->both);
    spot_json_close(json, '}');
    spot_json_open(json, "head_of_line", '{');
    spot_json_wide(json, "window", times->window);
    spot_json_wide(json, "comm_sum", times->comm_sum);
    spot_json_wide(json, "matched_sum", times->matched_sum);
    spot_json_number(json, "share", spot_wide_ratio(times->matched_sum, times->comm_sum));
    spot_json_number(json, "chance",
        spot_wide_ratio(times->covered, (spot_wide_t) log->num_hosts * self->makespan));
    spot_json_close(json, '}');
    spot_json_open(json, "clock_offset", '{');
    for (size_t j = 0; j < log->num_hosts; j++) {
        const spot_clock_offset_t *offset = &self->offsets[j];

        spot_json_open(json, log->hosts[j], '{');
        spot_json_optional(json, "low", offset->low > INT64_MIN, offset->low);
        spot_json_optional(json, "high", offset->high < INT64_MAX, offset->high);
        if (offset->subtracted != 0) {
            spot_json_wide(json, "subtracted", offset->subtracted);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

static void put_controller(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_task_rounds_t *rounds = &self->rounds;

    spot_json_open(json, "controller", '{');
    if (log->num_reports > 0) {
        spot_json_integer(json, "iterations", (int64_t) log->num_reports);
        spot_durations_json(json, "act", &rounds->act, SPOT_DURATIONS_ALL);
        spot_durations_json(json, "wait", &rounds->wait, SPOT_DURATIONS_ALL);
        spot_json_integer(json, "without_wait", rounds->without_wait);
        for (size_t j = 0; j < SPOT_REPORT_COUNTERS; j++) {
            spot_json_integer(
                json, spot_task_key_names[SPOT_LINE_COUNTERS + j], (int64_t) rounds->counters[j]);
        }
        spot_json_wide(json, "busy_during_wait", rounds->busy_during_wait);
        spot_json_number(json, "mean_busy_during_wait",
            spot_wide_ratio(rounds->busy_during_wait, rounds->wait.sum));
    }
    spot_json_close(json, '}');
}

static void put_graph(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_task_graph_t *graph = &self->graph;
    const spot_task_chain_t *chain = &graph->chain;
    spot_wide_t ready = 0, unplanned = 0;

    spot_json_open(json, "graph", '{');
    for (size_t j = 0; j < log->num_workers; j++) {
        ready += self->times.workers[j].unplanned_ready;
        unplanned += self->times.workers[j].split[SPOT_IDLE_UNPLANNED];
    }
    if (graph->has_edges) {
        spot_json_integer(json, "tasks", graph->tasks);
        spot_json_integer(json, "edges", graph->edges);
        spot_json_integer(json, "missing_inputs", graph->missing_inputs);
        spot_json_wide(json, "critical_run", graph->critical_run);
        spot_json_open(json, "critical_tasks", '[');
        for (size_t j = 0; j < graph->num_critical; j++) {
            spot_json_text(json, NULL, log->ids.names[graph->critical[j]]);
        }
        spot_json_close(json, ']');
        spot_json_wide(json, "work", graph->work);
        spot_json_number(json, "parallelism", spot_wide_ratio(graph->work, graph->critical_run));
        spot_json_integer(json, "zero_slack", graph->zero_slack);
        spot_durations_json(json, "decision_delay", &graph->decision_delay, SPOT_DURATIONS_ALL);
        spot_json_wide(json, "unplanned_ready", ready);
        spot_json_wide(json, "unplanned_starved", unplanned - ready);
        spot_json_open(json, "chain", '{');
        spot_json_integer(json, "tasks", chain->tasks);
        spot_json_text(json, "first", chain->first < 0 ? NULL : log->ids.names[chain->first]);
        spot_json_text(json, "last", chain->last < 0 ? NULL : log->ids.names[chain->last]);
        spot_json_wide(json, "run", chain->run);
        spot_json_wide(json, "queue", chain->queue);
        spot_json_wide(json, "comm", chain->comm);
        spot_json_wide(json, "inputs", chain->inputs);
        spot_json_wide(json, "controller", chain->controller);
        spot_json_wide(json, "total", chain->total);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

void spot_task_analysis_json(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    put_log(self, log, json);
    put_tasks(self, log, json);
    put_transmits(self, log, json);
    put_workers(self, log, json);
    put_times(self, log, json);
    put_controller(self, log, json);
    put_graph(self, log, json);
    spot_json_close(json, '}');
}

/* ---- Logs of markers ---- */

static const spot_task_span_t task_spans[SPOT_MARKED_TASK_SPANS] = {
    {"total_e2e", "planned to completed", 0, 6},
    {"total_worker", "enqueued to published", 1, 5},
    {"comm2worker", "planned to enqueued", 0, 1},
    {"task_procstart", "enqueued to started", 1, 2},
    {"task_load", "started to loaded", 2, 3},
    {"task_callablerun", "loaded to computed", 3, 4},
    {"task_publish", "computed to published", 4, 5},
    {"comm2ctrl", "published to completed", 5, 6},
};
static const spot_task_span_t transmit_spans[SPOT_MARKED_TRANSMIT_SPANS] = {
    {"total", "planned to completed", 0, 5},
    {"comm2source", "planned to started", 0, 1},
    {"loadDelay", "started to loaded", 1, 2},
    {"comm2target", "loaded to received", 2, 3},
    {"unloadDelay", "received to unloaded", 3, 4},
    {"comm2ctrl", "unloaded to completed", 4, 5},
};

void spot_task_markers_free(spot_task_markers_t *self)
{
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

/* Adds the spans of all attempts to groups of their names. */
static void add_spans(const spot_attempts_t *list, size_t num, const spot_task_span_t *spans,
    spot_task_group_t *groups)
{
    int64_t length;

    for (size_t j = 0; j < num; j++) {
        groups[j].name = spans[j].name;
        for (size_t k = 0; k < list->num_attempts; k++) {
            if (spot_attempt_between(&list->attempts[k], spans[j].from, spans[j].to, &length)) {
                spot_durations_add(&groups[j].durations, NULL, length);
            }
        }
    }
}

/* Sums of marks by name, in order of bytes. */
static int group(spot_task_markers_t *self, const spot_task_log_t *log, size_t num,
    const spot_task_mark_t *marks, size_t *num_groups, spot_task_group_t **groups)
{
    const size_t num_words = log->words.num_names;

    if (SPOT_ARENA_ARRAY(&self->arena, *groups, num_words) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num; j++) {
        spot_durations_add(&(*groups)[marks[j].name].durations, NULL, marks[j].at);
    }
    for (size_t j = 0; j < num_words; j++) {
        if ((*groups)[j].durations.count > 0) {
            (*groups)[*num_groups] = (*groups)[j];
            (*groups)[(*num_groups)++].name = log->words.names[j];
        }
    }
    spot_task_groups_sort(*groups, *num_groups);
    return 0;
}

static int compare_marks(const void *first, const void *second)
{
    const spot_task_mark_t *a = first, *b = second;

    return a->at != b->at ? spot_ns_compare(a->at, b->at) : spot_ns_compare(a->line, b->line);
}

/* Marks of the controller -> how long its phases last. */
static int group_phases(spot_task_markers_t *self, const spot_task_log_t *log)
{
    const size_t num = log->num_phases;
    spot_task_mark_t *phases;

    if (SPOT_ARENA_ARRAY(&self->arena, phases, num) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num; j++) {
        phases[j] = log->phases[j];
    }
    qsort(phases, num, sizeof(*phases), compare_marks);
    for (size_t j = 0; j < num; j++) {
        phases[j].at = j + 1 < num ? phases[j + 1].at - phases[j].at : 0;
    }
    return group(self, log, num, phases, &self->num_phases, &self->phases);
}

/* A mode that no line of an attempt has is that of the attempt of its key before it, or
 * else of the next one that has a mode. */
static void fill_modes(spot_attempts_t *list)
{
    for (int step = 1; step >= -1; step -= 2) {
        for (size_t j = 1; j < list->num_attempts; j++) {
            spot_attempt_t *attempt = &list->attempts[step > 0 ? j : list->num_attempts - 1 - j];
            const spot_attempt_t *other = attempt - step;

            if (attempt->mode == SPOT_MODE_NONE && other->id == attempt->id &&
                other->worker == attempt->worker) {
                attempt->mode = other->mode;
            }
        }
    }
}

int spot_task_markers_init(spot_task_markers_t *self, const spot_task_log_t *log,
    spot_task_dup_t dup, const char *file, spot_diag_t *diag)
{
    spot_attempts_t tasks = {0}, transmits = {0};
    int64_t t0, t1;
    int ret;

    memset(self, 0, sizeof(*self));
    if (task_log_span(log, &t0, &t1) < 0) {
        return spot_diag_error(diag, file, 0, 0, "the stamps span more than 292 years");
    }
    ret = spot_attempts_init(&tasks, log, false, dup, false, file, diag);
    ret = ret == 0 ? spot_attempts_init(&transmits, log, true, dup, false, file, diag) : ret;
    if (ret == 0) {
        add_spans(&tasks, SPOT_MARKED_TASK_SPANS, task_spans, self->task);
        add_spans(&transmits, SPOT_MARKED_TRANSMIT_SPANS, transmit_spans, self->transmit);
        fill_modes(&transmits);
        self->attempts = (int64_t) transmits.num_attempts;
    }
    for (size_t j = 0; ret == 0 && j < transmits.num_attempts; j++) {
        self->mode_counts[transmits.attempts[j].mode]++;
    }
    spot_attempts_free(&tasks);
    spot_attempts_free(&transmits);
    ret = ret == 0 ? group(self, log, log->num_microtraces, log->microtraces,
                         &self->num_microtraces, &self->microtraces)
                   : ret;
    return ret == 0 ? group_phases(self, log) : ret;
}

void spot_task_markers_json(const spot_task_markers_t *self, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    spot_task_groups_json(
        json, "microtraces", self->num_microtraces, self->microtraces, SPOT_DURATIONS_MEAN);
    spot_task_groups_json(json, "tasks", SPOT_MARKED_TASK_SPANS, self->task, SPOT_DURATIONS_MAX);
    spot_json_open(json, "transmits", '{');
    spot_json_integer(json, "attempts", self->attempts);
    spot_json_open(json, "mode_counts", '{');
    for (size_t mode = SPOT_MODE_LOCAL; mode < SPOT_NUM_MODES; mode++) {
        if (self->mode_counts[mode] > 0) {
            spot_json_integer(json, spot_task_mode_names[mode], self->mode_counts[mode]);
        }
    }
    spot_json_close(json, '}');
    for (size_t j = 0; j < SPOT_MARKED_TRANSMIT_SPANS; j++) {
        spot_durations_json(
            json, self->transmit[j].name, &self->transmit[j].durations, SPOT_DURATIONS_MAX);
    }
    spot_json_close(json, '}');
    spot_task_groups_json(json, "controller", self->num_phases, self->phases, SPOT_DURATIONS_SUM);
    spot_json_close(json, '}');
}
