/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

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

void spot_task_graph_free(spot_task_graph_t *self)
{
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

void spot_tasks_first_finished(
    const spot_task_log_t *log, const spot_attempts_t *tasks, int32_t *best)
{
    memset(best, -1, log->ids.num_names * sizeof(*best));
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];
        int32_t *id = &best[task->id];

        /* attempts of an id are in order of the workers' names */
        if (spot_attempt_has(task, SPOT_TASK_FINISHED) &&
            (*id < 0 ||
                task->at[SPOT_TASK_FINISHED] < tasks->attempts[*id].at[SPOT_TASK_FINISHED])) {
            *id = (int32_t) j;
        }
    }
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

/* ---- Order ---- */

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

/* ---- The longest chain, and decisions ---- */

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

/* ---- The chain of waits ---- */

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

/* Of attempts by id, worker, number. */
static int compare_attempts(const void *first, const void *second)
{
    const spot_attempt_t *a = first, *b = second;

    return a->id != b->id           ? spot_ns_compare(a->id, b->id)
           : a->worker != b->worker ? spot_ns_compare(a->worker, b->worker)
                                    : spot_ns_compare(a->number, b->number);
}

/* Time of [from, to) in which an input was on the way to the worker of the task. */
static int64_t inputs_within(const graph_t *self, const node_t *node, int64_t from, int64_t to)
{
    const spot_attempts_t *list = self->transmits;
    size_t num = 0;
    int64_t sum = 0, length;

    for (size_t j = 0; list->num_attempts > 0 && j < node->num_inputs; j++) {
        const spot_attempt_t first = {
            .id = node->inputs[j], .worker = node->attempt->worker, .number = 1};
        const spot_attempt_t *sent =
            bsearch(&first, list->attempts, list->num_attempts, sizeof(first), compare_attempts);

        for (; sent != NULL && sent < list->attempts + list->num_attempts && sent->id == first.id &&
               sent->worker == first.worker;
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
    spot_tasks_first_finished(log, tasks, room);
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

int spot_task_graph_init(spot_task_graph_t *self, const spot_task_log_t *log,
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
