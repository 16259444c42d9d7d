/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "base/utf8.h"

typedef struct {
    spot_task_graph_t *result;
    const spot_task_log_t *log;
    const spot_attempts_t *tasks, *transmits;
    int64_t t0;
    size_t num_ids;
    spot_arena_t arena;
    int32_t *rank;          /* [num_ids] order of bytes */
    int32_t *best;          /* [num_ids] attempt, -1: never completed */
    int32_t *edges;         /* [num_ids] record, -1: none */
    int32_t *order;         /* [tasks] ids, inputs first */
    spot_wide_t *up, *down; /* [num_ids] longest chain by run up to it, from it on */
    int64_t *ready;         /* [num_ids] */
} graph_t;

void
spot_task_graph_free(spot_task_graph_t *self)
{
    free(self->critical);
    free(self->ready);
    free(self->decisions);
    memset(self, 0, sizeof(*self));
}

void
spot_tasks_first_finished(
    const spot_task_log_t *log, const spot_attempts_t *tasks, int32_t *best)
{
    for (size_t j = 0; j < log->ids.num_names; j++) {
        best[j] = -1;
    }
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];
        int32_t *id = &best[task->id];

        /* attempts of an id are in order of the workers' names */
        if (spot_attempt_has(task, SPOT_TASK_FINISHED) &&
            (*id < 0 || task->at[SPOT_TASK_FINISHED] <
                            tasks->attempts[*id].at[SPOT_TASK_FINISHED])) {
            *id = (int32_t) j;
        }
    }
}

static const spot_attempt_t *
attempt_of(const graph_t *self, int32_t id)
{
    return &self->tasks->attempts[self->best[id]];
}

static int64_t
run_of(const graph_t *self, int32_t id)
{
    int64_t run;

    spot_attempt_between(
        attempt_of(self, id), SPOT_TASK_STARTED, SPOT_TASK_FINISHED, &run);
    return run;
}

static int64_t
end_of(const graph_t *self, int32_t id)
{
    return attempt_of(self, id)->at[SPOT_TASK_FINISHED];
}

/* The inputs that the record of a task lists. */
static size_t
inputs_of(const graph_t *self, int32_t id, const int32_t **inputs)
{
    const spot_task_edges_t *edges =
        self->edges[id] < 0 ? NULL : &self->log->edges[self->edges[id]];

    *inputs = edges == NULL ? NULL : self->log->inputs + edges->start;
    return edges == NULL ? 0 : edges->end - edges->start;
}

/* ---- Order ---- */

/* Tasks of a cycle: from one that has an input left, back along such inputs, until one
 * comes again. num_left: [num_ids] inputs of each that no order was found for. */
static int
report_cycle(const graph_t *self, const int32_t *num_left, int32_t id, const char *file,
    spot_diag_t *diag)
{
    spot_texts_t texts = {0};
    const char *list = "";
    char shown[SPOT_UTF8_SHOWN_BYTES];
    int ret;

    for (size_t j = 0; j < self->num_ids + 4; j++) {
        const int32_t *inputs;
        const size_t num = inputs_of(self, id, &inputs);
        size_t k = 0;

        while (k + 1 < num && num_left[inputs[k]] == 0) {
            k++;
        }
        id = inputs[k];
        if (j >= self->num_ids) { /* by now within the cycle */
            list = spot_texts_join(&texts, list, " needs ",
                spot_texts_add(
                    &texts, "%s", spot_utf8_shown(self->log->ids.names[id], shown)));
        }
    }
    ret =
        spot_diag_error(diag, file, 0, 0, "the edges have a cycle: %s, and so on", list);
    spot_texts_free(&texts);
    return ret;
}

/* Sets order to the completed tasks, inputs first (Kahn, CACM 5(11), 1962), and counts
 * edges. */
static int
sort_tasks(graph_t *self, const char *file, spot_diag_t *diag)
{
    int32_t *num_left, *first_user, *next_user, *users, *all;
    size_t num_found = 0, num_done = 0, num_users = 0;

    SPOT_ARENA_ARRAY(&self->arena, self->order, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, all, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, num_left, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, first_user, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, next_user, self->log->num_inputs);
    SPOT_ARENA_ARRAY(&self->arena, users, self->log->num_inputs);
    if (self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    memset(first_user, -1, self->num_ids * sizeof(*first_user));
    for (int32_t id = 0; id < (int32_t) self->num_ids; id++) {
        const int32_t *inputs;
        const size_t num = inputs_of(self, id, &inputs);

        for (size_t k = 0; k < num; k++) {
            const bool has_input = self->best[inputs[k]] >= 0;

            self->result->missing_inputs += self->best[id] >= 0 && !has_input;
            self->result->edges += self->best[id] >= 0 && has_input;
            users[num_users] = id;
            next_user[num_users] = first_user[inputs[k]];
            first_user[inputs[k]] = (int32_t) num_users++;
        }
        num_left[id] = (int32_t) num;
        if (num == 0) {
            all[num_found++] = id;
        }
    }
    while (num_done < num_found) {
        const int32_t id = all[num_done++];

        if (self->best[id] >= 0) {
            self->order[self->result->tasks++] = id;
        }
        for (int32_t user = first_user[id]; user >= 0; user = next_user[user]) {
            if (--num_left[users[user]] == 0) {
                all[num_found++] = users[user];
            }
        }
    }
    for (int32_t id = 0; num_done < self->num_ids && id < (int32_t) self->num_ids;
         id++) {
        if (num_left[id] > 0) {
            return report_cycle(self, num_left, id, file, diag);
        }
    }
    return 0;
}

/* ---- The longest chain ---- */

/* Whether a chain through id is better than the best so far: longer, or a smaller id. */
static bool
is_better(const graph_t *self, int32_t id, int32_t best)
{
    return best < 0 || self->up[id] > self->up[best] ||
           (self->up[id] == self->up[best] && self->rank[id] < self->rank[best]);
}

/* The completed input at the end of the longest chain, or -1. */
static int32_t
longest_input(const graph_t *self, int32_t id)
{
    const int32_t *inputs;
    const size_t num = inputs_of(self, id, &inputs);
    int32_t best = -1;

    for (size_t j = 0; j < num; j++) {
        if (self->best[inputs[j]] >= 0 && is_better(self, inputs[j], best)) {
            best = inputs[j];
        }
    }
    return best;
}

static int
find_critical(graph_t *self)
{
    spot_task_graph_t *result = self->result;
    const size_t num_tasks = (size_t) result->tasks;
    const int32_t *inputs;
    int32_t last = -1;
    size_t num = 0;

    SPOT_ARENA_ARRAY(&self->arena, self->up, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->down, self->num_ids);
    if (self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_tasks; j++) {
        const int32_t id = self->order[j], input = longest_input(self, id);
        const int64_t run = run_of(self, id);

        self->up[id] = run + (input < 0 ? 0 : self->up[input]);
        result->work += run;
        last = is_better(self, id, last) ? id : last;
    }
    result->critical_run = last < 0 ? 0 : self->up[last];
    for (size_t j = num_tasks; j-- > 0;) {
        const int32_t id = self->order[j];
        const spot_wide_t from_here = self->down[id] + run_of(self, id);
        const size_t num_inputs = inputs_of(self, id, &inputs);

        /* down: the longest chain behind it */
        for (size_t k = 0; k < num_inputs; k++) {
            if (from_here > self->down[inputs[k]]) {
                self->down[inputs[k]] = from_here;
            }
        }
        result->zero_slack += self->up[id] + self->down[id] == result->critical_run;
    }
    for (int32_t id = last; id >= 0; id = longest_input(self, id)) {
        num++;
    }
    result->critical = malloc((num + 1) * sizeof(*result->critical));
    if (result->critical == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    result->num_critical = num;
    for (int32_t id = last; id >= 0; id = longest_input(self, id)) {
        result->critical[--num] = id;
    }
    return 0;
}

/* ---- Decisions ---- */

static int
find_delays(graph_t *self)
{
    spot_task_graph_t *result = self->result;
    double *delays;

    SPOT_ARENA_ARRAY(&self->arena, delays, (size_t) result->tasks);
    result->ready = malloc(((size_t) result->tasks + 1) * sizeof(*result->ready));
    result->decisions =
        malloc(((size_t) result->tasks + 1) * sizeof(*result->decisions));
    if (self->arena.error != 0 || result->ready == NULL || result->decisions == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < (size_t) result->tasks; j++) {
        const int32_t id = self->order[j], *inputs;
        const spot_attempt_t *attempt = attempt_of(self, id);
        const size_t num_inputs = inputs_of(self, id, &inputs);
        int64_t ready = self->t0;

        for (size_t k = 0; k < num_inputs; k++) {
            if (self->best[inputs[k]] >= 0 && end_of(self, inputs[k]) > ready) {
                ready = end_of(self, inputs[k]);
            }
        }
        if (spot_attempt_has(attempt, SPOT_TASK_PLANNED)) {
            const int64_t planned = attempt->at[SPOT_TASK_PLANNED];

            spot_durations_add(&result->decision_delay, delays, planned - ready);
            if (planned > ready) {
                result->ready[result->num_ready++] = (spot_stretch_t){ready, planned};
            }
        }
    }
    spot_durations_end(&result->decision_delay, delays);
    return 0;
}

/* ---- The chain of waits ---- */

typedef struct {
    int32_t worker, rank, id;
    int64_t end;
} end_t;

/* Of a worker, by end; of equal ends the smaller id comes last. */
static int
compare_ends(const void *first, const void *second)
{
    const end_t *a = first, *b = second;

    if (a->worker != b->worker) {
        return a->worker < b->worker ? -1 : 1;
    }
    if (a->end != b->end) {
        return a->end < b->end ? -1 : 1;
    }
    return a->rank > b->rank ? -1 : a->rank < b->rank;
}

static int
compare_stretches(const void *first, const void *second)
{
    const spot_stretch_t *a = first, *b = second;

    return a->start < b->start ? -1 : a->start > b->start;
}

typedef struct {
    graph_t *graph;
    size_t num_ends;
    end_t *ends;
    bool *is_visited;          /* [num_ids] clocks that disagree could lead in circles */
    spot_stretch_t *stretches; /* [inputs] */
} chain_t;

/* The first of the sorted ends that is behind a place; 0 up to num_ends. */
static size_t
ends_before(const chain_t *self, int32_t worker, int64_t at)
{
    size_t low = 0, high = self->num_ends;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const end_t *end = &self->ends[middle];

        if (end->worker < worker || (end->worker == worker && end->end <= at)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What the task waited for last: an input or a task of its worker; -1: nothing. */
static int32_t
waited_for(const chain_t *self, int32_t id, int64_t started)
{
    const graph_t *graph = self->graph;
    const int32_t worker = attempt_of(graph, id)->worker, *inputs;
    const size_t num = inputs_of(graph, id, &inputs);
    size_t place = ends_before(self, worker, started);
    int32_t best = -1;

    for (size_t j = 0; j < num; j++) {
        const int32_t input = inputs[j];

        if (graph->best[input] < 0 || self->is_visited[input] ||
            end_of(graph, input) > started) {
            continue;
        }
        if (best < 0 || end_of(graph, input) > end_of(graph, best) ||
            (end_of(graph, input) == end_of(graph, best) &&
                graph->rank[input] < graph->rank[best])) {
            best = input;
        }
    }
    while (place > 0 && self->ends[place - 1].worker == worker &&
           self->is_visited[self->ends[place - 1].id]) {
        place--;
    }
    if (place > 0 && self->ends[place - 1].worker == worker &&
        (best < 0 || self->ends[place - 1].end > end_of(graph, best))) {
        best = self->ends[place - 1].id;
    }
    return best;
}

/* The first transmit of a dataset to a worker or to one behind it. */
static size_t
find_transmit(const spot_attempts_t *transmits, int32_t id, int32_t worker)
{
    size_t low = 0, high = transmits->num_attempts;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const spot_attempt_t *attempt = &transmits->attempts[middle];

        if (attempt->id < id || (attempt->id == id && attempt->worker < worker)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Time of [from, to) in which an input was on the way to the worker of the task. */
static int64_t
inputs_within(const chain_t *self, int32_t id, int64_t from, int64_t to)
{
    const spot_attempts_t *transmits = self->graph->transmits;
    const int32_t worker = attempt_of(self->graph, id)->worker, *inputs;
    const size_t num_inputs = inputs_of(self->graph, id, &inputs);
    size_t num = 0;
    int64_t sum = 0;

    for (size_t j = 0; j < num_inputs; j++) {
        for (size_t k = find_transmit(transmits, inputs[j], worker);
             k < transmits->num_attempts && transmits->attempts[k].id == inputs[j] &&
             transmits->attempts[k].worker == worker;
             k++) {
            const spot_attempt_t *attempt = &transmits->attempts[k];
            int64_t length;

            if (spot_attempt_between(
                    attempt, SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED, &length)) {
                self->stretches[num++] =
                    (spot_stretch_t){attempt->at[SPOT_TRANSMIT_PLANNED],
                        attempt->at[SPOT_TRANSMIT_FINISHED]};
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

static int64_t
within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Adds a task and returns what it waited for. */
static int32_t
add_link(const chain_t *self, spot_task_chain_t *chain, int32_t id)
{
    const spot_attempt_t *task = attempt_of(self->graph, id);
    const int64_t end = task->at[SPOT_TASK_FINISHED];
    const int64_t to =
        spot_attempt_has(task, SPOT_TASK_STARTED) ? task->at[SPOT_TASK_STARTED] : end;
    const int32_t before = waited_for(self, id, to);
    const int64_t from = before < 0 ? self->graph->t0 : end_of(self->graph, before);
    const int64_t enqueued = spot_attempt_has(task, SPOT_TASK_ENQUEUED)
                                 ? within(task->at[SPOT_TASK_ENQUEUED], from, to)
                                 : to;
    const int64_t planned = spot_attempt_has(task, SPOT_TASK_PLANNED)
                                ? within(task->at[SPOT_TASK_PLANNED], from, enqueued)
                                : enqueued;
    const int64_t inputs = inputs_within(self, id, from, planned);

    chain->run += end - to;
    chain->queue += to - enqueued;
    chain->comm += enqueued - planned;
    chain->inputs += inputs;
    chain->controller += planned - from - inputs;
    chain->tasks++;
    chain->first = id;
    return before;
}

static int
find_chain(graph_t *graph)
{
    chain_t self = {.graph = graph};
    spot_task_chain_t *chain = &graph->result->chain;
    int32_t id = -1;

    SPOT_ARENA_ARRAY(&graph->arena, self.ends, (size_t) graph->result->tasks);
    SPOT_ARENA_ARRAY(&graph->arena, self.is_visited, graph->num_ids);
    SPOT_ARENA_ARRAY(&graph->arena, self.stretches, graph->transmits->num_attempts);
    if (graph->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < (size_t) graph->result->tasks; j++) {
        const int32_t task = graph->order[j];
        const int64_t end = end_of(graph, task);

        self.ends[self.num_ends++] =
            (end_t){attempt_of(graph, task)->worker, graph->rank[task], task, end};
        if (id < 0 || end > end_of(graph, id) ||
            (end == end_of(graph, id) && graph->rank[task] < graph->rank[id])) {
            id = task;
        }
    }
    qsort(self.ends, self.num_ends, sizeof(*self.ends), compare_ends);
    for (size_t j = 0; j < (size_t) graph->result->tasks; j++) {
        const int32_t task = graph->order[j];
        spot_task_chain_t link = {0};

        self.is_visited[task] = true; /* no task waits for itself */
        add_link(&self, &link, task);
        self.is_visited[task] = false;
        if (spot_attempt_has(attempt_of(graph, task), SPOT_TASK_PLANNED)) {
            graph->result->decisions[graph->result->num_decisions++] =
                (int64_t) link.controller;
        }
    }
    chain->first = chain->last = id;
    while (id >= 0) {
        self.is_visited[id] = true;
        id = add_link(&self, chain, id);
    }
    chain->total =
        chain->run + chain->queue + chain->comm + chain->inputs + chain->controller;
    return 0;
}

int
spot_task_graph_init(spot_task_graph_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0,
    const char *file, spot_diag_t *diag)
{
    graph_t graph = {.result = self,
        .log = log,
        .tasks = tasks,
        .transmits = transmits,
        .t0 = t0,
        .num_ids = log->ids.num_names};
    int ret;

    memset(self, 0, sizeof(*self));
    self->has_edges = log->num_edges > 0;
    if (!self->has_edges) {
        return 0;
    }
    SPOT_ARENA_ARRAY(&graph.arena, graph.rank, graph.num_ids);
    SPOT_ARENA_ARRAY(&graph.arena, graph.best, graph.num_ids);
    SPOT_ARENA_ARRAY(&graph.arena, graph.edges, graph.num_ids);
    ret = graph.arena.error != 0 ? SPOT_ERR_NO_MEMORY
                                 : spot_task_log_rank(log, graph.rank);
    if (ret == 0) {
        memset(graph.edges, -1, graph.num_ids * sizeof(*graph.edges));
        for (size_t j = 0; j < log->num_edges; j++) {
            graph.edges[log->edges[j].id] = (int32_t) j;
        }
        spot_tasks_first_finished(log, tasks, graph.best);
        ret = sort_tasks(&graph, file, diag);
    }
    ret = ret == 0 ? find_critical(&graph) : ret;
    ret = ret == 0 ? find_delays(&graph) : ret;
    ret = ret == 0 ? find_chain(&graph) : ret;
    spot_arena_free(&graph.arena);
    return ret;
}
