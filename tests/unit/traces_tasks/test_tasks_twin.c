/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A slow twin of the hardest parts: on small random logs it looks at every nanosecond of
 * every worker, walks the chain by looking at all tasks, and counts what runs beside
 * each task. */
#include <math.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/recipe.h"
#include "tests/unit/traces_tasks/tasks_case.h"

enum { SPAN = 60 };
#define NUM_LOGS (2000 / SPOT_FEWER)

/* ---- Random logs ---- */

typedef struct {
    uint64_t dice; /* a counter */
    tasks_case_t run;
} twin_t;

static int64_t draw(twin_t *self, int64_t num)
{
    return (int64_t) (recipe_mix(self->dice++) % (uint64_t) num);
}

static void sort_stamps(int64_t *stamps, size_t num)
{
    for (size_t j = 1; j < num; j++) {
        for (size_t k = j; k > 0 && stamps[k] < stamps[k - 1]; k--) {
            const int64_t stamp = stamps[k];

            stamps[k] = stamps[k - 1];
            stamps[k - 1] = stamp;
        }
    }
}

/* The events of an attempt: mostly in order, mostly all of them. */
static void add_attempt(twin_t *self, bool is_transmit, const char *id, int worker)
{
    const int num_stages = is_transmit ? 4 : 5;
    const bool is_whole = draw(self, 3) > 0;
    char name[8], host[8];
    int64_t stamps[5];

    snprintf(name, sizeof(name), "h%d:w%d", worker % 2, worker);
    snprintf(host, sizeof(host), "h%d", worker % 2);
    for (int j = 0; j < num_stages; j++) {
        stamps[j] = draw(self, SPAN + 1);
    }
    if (draw(self, 5) > 0) {
        sort_stamps(stamps, (size_t) num_stages);
    }
    for (int j = 0; j < num_stages; j++) {
        const spot_task_line_t line = {.id = id,
            .id_bytes = strlen(id),
            .host = j == 0 ? "controller" : host,
            .host_bytes = strlen(j == 0 ? "controller" : host),
            .worker = name,
            .worker_bytes = strlen(name),
            .at = stamps[j],
            .line = self->run.log.num_events + 1,
            .stage = j,
            .mode = is_transmit && j == 3 ? (spot_task_mode_t) (SPOT_MODE_LOCAL + draw(self, 3))
                                          : SPOT_MODE_NONE,
            .is_transmit = is_transmit,
            .is_controller = j == 0};

        if (is_whole || draw(self, 5) > 0) {
            assert_int_equal(spot_task_log_add(&self->run.log, &line), 0);
        }
    }
}

/* Ids a:0, b:1, a:2 and so on, of two classes. Edges lead from smaller ids to larger
 * ones. */
static void make_log(twin_t *self, int num_ids, int num_workers)
{
    spot_task_log_t *log = &self->run.log;
    const spot_task_rules_t rules = {.dup = SPOT_DUP_FIRST};
    char id[8];
    int32_t ids[16], inputs[4];

    memset(&self->run, 0, sizeof(self->run));
    spot_diag_init(&self->run.diag);
    for (int j = 0; j < num_ids; j++) {
        snprintf(id, sizeof(id), "%c:%d", "ab"[j % 2], j);
        for (int64_t k = draw(self, 4) > 0 ? 1 : draw(self, 3); k >= 0; k--) {
            if (k > 0) {
                add_attempt(self, false, id, (int) draw(self, num_workers));
            } else if (draw(self, 2) > 0) {
                add_attempt(self, true, id, (int) draw(self, num_workers));
            }
        }
        assert_int_equal(spot_names_add(&log->ids, id, strlen(id), &ids[j]), 0);
        for (int64_t k = 0; k < 3; k++) {
            inputs[k] = j == 0 ? 0 : ids[draw(self, j)];
        }
        assert_int_equal(
            spot_task_log_add_inputs(log, ids[j], (size_t) (j == 0 ? 0 : draw(self, 4)), inputs),
            0);
    }
    assert_int_equal(spot_task_log_seal(log, SPOT_NAMES_AUTO), 0);
    assert_int_equal(
        spot_task_analysis_init(&self->run.analysis, log, &rules, "log", &self->run.diag), 0);
}

/* ---- Every nanosecond ---- */

static bool is_within(const spot_attempt_t *attempt, int from, int to, int64_t at)
{
    return spot_attempt_has(attempt, from) && spot_attempt_has(attempt, to) &&
           attempt->at[from] <= at && at < attempt->at[to];
}

static bool any_task(const twin_t *self, int32_t worker, int from, int to, int64_t at)
{
    const spot_attempts_t *tasks = &self->run.analysis.tasks;
    bool is_any = false;

    for (size_t j = 0; j < tasks->num_attempts; j++) {
        is_any = is_any || (tasks->attempts[j].worker == worker &&
                               is_within(&tasks->attempts[j], from, to, at));
    }
    return is_any;
}

static bool any_transmit(const twin_t *self, int32_t worker, int64_t at)
{
    const spot_attempts_t *list = &self->run.analysis.transmits;
    bool is_any = false;

    for (size_t j = 0; j < list->num_attempts; j++) {
        is_any = is_any || (list->attempts[j].worker == worker &&
                               is_within(&list->attempts[j], SPOT_TRANSMIT_PLANNED,
                                   SPOT_TRANSMIT_FINISHED, at));
    }
    return is_any;
}

/* Whether a task of the worker started and never finished, and none was planned since.
 */
static bool is_lost(const twin_t *self, int32_t worker, int64_t at)
{
    const spot_attempts_t *tasks = &self->run.analysis.tasks;

    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];
        bool is_over = task->worker != worker || spot_attempt_has(task, 4) ||
                       !spot_attempt_has(task, 2) || at < task->at[2];

        for (size_t k = 0; k < tasks->num_attempts; k++) {
            const spot_attempt_t *next = &tasks->attempts[k];

            is_over = is_over || (next->worker == worker && spot_attempt_has(next, 0) &&
                                     next->at[0] > task->at[2] && next->at[0] <= at);
        }
        if (!is_over) {
            return true;
        }
    }
    return false;
}

static spot_idle_t what_at(const twin_t *self, int32_t worker, int64_t at)
{
    const spot_attempts_t *tasks = &self->run.analysis.tasks;
    bool has_plan = false, is_planned = false, ends_later = false;

    if (any_task(self, worker, 2, 4, at)) {
        return SPOT_IDLE_BUSY;
    }
    if (any_task(self, worker, 1, 2, at)) {
        return SPOT_IDLE_QUEUE;
    }
    if (any_task(self, worker, 0, 1, at)) {
        return SPOT_IDLE_COMM;
    }
    if (any_transmit(self, worker, at)) {
        return SPOT_IDLE_INPUTS;
    }
    if (is_lost(self, worker, at)) {
        return SPOT_IDLE_LOST;
    }
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];

        if (task->worker == worker) {
            has_plan = has_plan || spot_attempt_has(task, 0);
            is_planned = is_planned || (spot_attempt_has(task, 0) && task->at[0] <= at);
            ends_later = ends_later || (spot_attempt_has(task, 4) && task->at[4] > at);
        }
    }
    return has_plan && !is_planned ? SPOT_IDLE_HEAD
           : !ends_later           ? SPOT_IDLE_TAIL
                                   : SPOT_IDLE_UNPLANNED;
}

static void check_workers(const twin_t *self)
{
    const spot_task_analysis_t *analysis = &self->run.analysis;

    for (int32_t j = 0; j < (int32_t) self->run.log.num_workers; j++) {
        const spot_worker_time_t *found = &analysis->times.workers[j];
        spot_worker_time_t expected = {.tasks = 0};

        for (int64_t at = analysis->t0; at < analysis->t1; at++) {
            const spot_idle_t what = what_at(self, j, at);

            expected.split[what]++;
            expected.in_flight += any_transmit(self, j, at);
            expected.hidden += any_transmit(self, j, at) && what == SPOT_IDLE_BUSY;
            for (size_t k = 0, is_done = 0; k < analysis->graph.num_ready && !is_done; k++) {
                is_done = what == SPOT_IDLE_UNPLANNED && analysis->graph.ready[k].start <= at &&
                          at < analysis->graph.ready[k].end;
                expected.unplanned_ready += (int64_t) is_done;
            }
        }
        assert_memory_equal(found->split, expected.split, sizeof(found->split));
        assert_int_equal(found->in_flight, expected.in_flight);
        assert_int_equal(found->hidden, expected.hidden);
        assert_int_equal(found->unplanned_ready, expected.unplanned_ready);
    }
}

/* How many tasks run at an instant on a host, or on all: -1. */
static int64_t num_running(const twin_t *self, int32_t host, int64_t at)
{
    const spot_attempts_t *tasks = &self->run.analysis.tasks;
    int64_t num = 0;

    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];

        num += (host < 0 || self->run.log.workers[task->worker].host_id == host) &&
               is_within(task, SPOT_TASK_STARTED, SPOT_TASK_FINISHED, at);
    }
    return num;
}

static void check_concurrency(const twin_t *self)
{
    const spot_task_analysis_t *analysis = &self->run.analysis;

    for (int32_t j = -1; j < (int32_t) self->run.log.num_hosts; j++) {
        const spot_concurrency_t *found = j < 0 ? &analysis->times.all : &analysis->times.hosts[j];
        int64_t expected[64] = {0};

        for (int64_t at = analysis->t0; at < analysis->t1; at++) {
            expected[num_running(self, j, at)]++;
        }
        for (size_t k = 0; k < 64; k++) {
            assert_int_equal(k < found->num_ns ? found->ns[k] : 0, expected[k]);
        }
    }
}

/* ---- The chain ---- */

static const spot_attempt_t *first_finished(const tasks_case_t *run, const char *id)
{
    const spot_attempt_t *best = NULL;

    for (size_t j = 0; j < run->analysis.tasks.num_attempts; j++) {
        const spot_attempt_t *task = &run->analysis.tasks.attempts[j];

        if (strcmp(run->log.ids.names[task->id], id) == 0 && spot_attempt_has(task, 4) &&
            (best == NULL || task->at[4] < best->at[4])) {
            best = task;
        }
    }
    return best;
}

static bool is_input(const twin_t *self, int32_t id, int32_t input)
{
    const spot_task_log_t *log = &self->run.log;
    bool is_found = false;

    for (size_t j = 0; j < log->num_edges; j++) {
        for (size_t k = log->edges[j].start; k < log->edges[j].end; k++) {
            is_found = is_found || (log->edges[j].id == id && log->inputs[k] == input);
        }
    }
    return is_found;
}

/* Whether another task is what one waited for rather than the best so far. */
static bool is_later(
    const twin_t *self, int32_t id, const spot_attempt_t *other, const spot_attempt_t *best)
{
    const bool first = best != NULL && is_input(self, id, best->id);
    const bool second = is_input(self, id, other->id);

    if (best == NULL || other->at[4] != best->at[4]) {
        return best == NULL || other->at[4] > best->at[4];
    }
    return first != second
               ? second
               : strcmp(self->run.log.ids.names[other->id], self->run.log.ids.names[best->id]) < 0;
}

static const spot_attempt_t *waited_for(
    const twin_t *self, const spot_attempt_t *task, const bool *is_visited)
{
    const spot_task_log_t *log = &self->run.log;
    const int64_t started = task->at[spot_attempt_has(task, 2) ? 2 : 4];
    const spot_attempt_t *best = NULL;

    for (size_t j = 0; j < log->ids.num_names; j++) {
        const spot_attempt_t *other = first_finished(&self->run, log->ids.names[j]);

        if (other != NULL && !is_visited[j] && other->at[4] <= started &&
            (other->worker == task->worker || is_input(self, task->id, (int32_t) j)) &&
            is_later(self, task->id, other, best)) {
            best = other;
        }
    }
    return best;
}

/* The parts of a link, nanosecond by nanosecond; a stage that is missing is at the next
 * one. */
static void add_link(
    const twin_t *self, spot_task_chain_t *chain, const spot_attempt_t *task, int64_t from)
{
    const spot_attempts_t *transmits = &self->run.analysis.transmits;
    const int64_t to = task->at[spot_attempt_has(task, 2) ? 2 : 4];
    const int64_t enqueued = spot_attempt_has(task, 1) ? task->at[1] : to;
    const int64_t planned = spot_attempt_has(task, 0) ? task->at[0] : enqueued;

    for (int64_t at = from; at < to; at++) {
        bool is_on_way = false;

        for (size_t j = 0; j < transmits->num_attempts; j++) {
            const spot_attempt_t *transmit = &transmits->attempts[j];

            is_on_way = is_on_way || (transmit->worker == task->worker &&
                                         is_input(self, task->id, transmit->id) &&
                                         is_within(transmit, 0, 3, at));
        }
        if (at >= enqueued) {
            chain->queue++;
        } else if (at >= planned) {
            chain->comm++;
        } else if (is_on_way) {
            chain->inputs++;
        } else {
            chain->controller++;
        }
    }
    chain->run += task->at[4] - to;
    chain->tasks++;
    chain->first = task->id;
}

static void check_chain(const twin_t *self)
{
    const spot_task_chain_t *found = &self->run.analysis.graph.chain;
    const spot_task_log_t *log = &self->run.log;
    spot_task_chain_t expected = {.first = -1, .last = -1};
    const spot_attempt_t *task = NULL;
    bool is_visited[16] = {false};
    int64_t last_ns = 0;

    for (size_t j = 0; j < log->ids.num_names; j++) {
        const spot_attempt_t *other = first_finished(&self->run, log->ids.names[j]);

        if (other != NULL && is_later(self, -1, other, task)) {
            task = other;
        }
    }
    if (task != NULL) {
        expected.last = task->id;
        last_ns = task->at[4] - self->run.analysis.t0;
    }
    while (task != NULL) {
        const spot_attempt_t *before;

        is_visited[task->id] = true;
        before = waited_for(self, task, is_visited);
        add_link(self, &expected, task, before == NULL ? self->run.analysis.t0 : before->at[4]);
        task = before;
    }
    assert_int_equal(found->last, expected.last);
    assert_int_equal(found->first, expected.first);
    assert_int_equal(found->tasks, expected.tasks);
    assert_true(found->run == expected.run);
    assert_true(found->queue == expected.queue);
    assert_true(found->comm == expected.comm);
    assert_true(found->inputs == expected.inputs);
    assert_true(found->controller == expected.controller);
    assert_true(found->total == last_ns);
}

/* ---- Contention ---- */

/* Time that tasks of a class with partners spent with k running, and their solo time. */
static void count_beside(const twin_t *first, const twin_t *second, char class_name,
    spot_task_scope_t scope, double spent[64], double *solo)
{
    const spot_task_log_t *log = &second->run.log;

    *solo = 0;
    for (size_t j = 0; j < log->ids.num_names; j++) {
        const char *id = log->ids.names[j];
        const spot_attempt_t *alone = first_finished(&first->run, id);
        const spot_attempt_t *task = first_finished(&second->run, id);

        if (id[0] != class_name || alone == NULL || task == NULL || !spot_attempt_has(alone, 2) ||
            !spot_attempt_has(task, 2)) {
            continue;
        }
        *solo += (double) (alone->at[4] - alone->at[2]);
        for (int64_t at = task->at[2]; at < task->at[4]; at++) {
            spent[num_running(
                second, scope == SPOT_SCOPE_HOST ? log->workers[task->worker].host_id : -1, at)]++;
        }
    }
}

static double excess(const double spent[64], double beta, double solo)
{
    double sum = -solo;

    for (int k = 1; k < 64; k++) {
        sum += spent[k] > 0 ? spent[k] / (1 + beta * (k - 1)) : 0;
    }
    return sum;
}

/* A beta solves the equation of its class; where there is none, no beta would. */
static int check_beta(const spot_task_class_pair_t *class, const double spent[64], double solo)
{
    int most = 0;
    double sum = 0, weighted = 0;

    for (int k = 1; k < 64; k++) {
        most = spent[k] > 0 ? k : most;
        sum += spent[k];
        weighted += k * spent[k];
    }
    assert_true((double) class->solo == solo);
    if (sum > 0) {
        assert_true(fabs(class->mean_concurrency - weighted / sum) < 1e-12 * weighted);
    }
    if (!isnan(class->beta)) {
        assert_true(class->beta >= -0.9 / (most - 1));
        assert_true(fabs(excess(spent, class->beta, solo)) < 1e-6 * (1 + fabs(solo)));
        return 1;
    }
    assert_true(
        most < 2 || excess(spent, -0.9 / (most - 1), solo) < 1e-6 || spent[1] - solo > -1e-6);
    return 0;
}

static int check_contention(const twin_t *first, const twin_t *second, spot_task_scope_t scope)
{
    const spot_task_run_t runs[] = {{"first", &first->run.log, &first->run.analysis},
        {"second", &second->run.log, &second->run.analysis}};
    spot_task_comparison_t result;
    spot_diag_t diag;
    int num_found = 0;

    spot_diag_init(&diag);
    if (spot_task_comparison_init(&result, &runs[0], &runs[1], scope, &diag) == 0) {
        for (size_t j = 0; j < result.num_classes; j++) {
            double spent[64] = {0}, solo;

            count_beside(first, second, result.classes[j].name[0], scope, spent, &solo);
            num_found += check_beta(&result.classes[j], spent, solo);
        }
    }
    spot_task_comparison_free(&result);
    spot_diag_free(&diag);
    return num_found;
}

/* ---- Tests ---- */

static void test_times(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < NUM_LOGS; j++) {
        twin_t self = {.dice = j << 20};
        const int num_ids = 1 + (int) draw(&self, 8);

        make_log(&self, num_ids, 1 + (int) draw(&self, 4));
        check_workers(&self);
        check_concurrency(&self);
        check_chain(&self);
        tasks_case_free(&self.run);
    }
}

static void test_contention(void **state)
{
    int num_found = 0;

    (void) state;
    for (uint64_t j = 0; j < NUM_LOGS; j++) {
        twin_t first = {.dice = (2 * j) << 20}, second = {.dice = (2 * j + 1) << 20};

        make_log(&first, 8, 1);
        make_log(&second, 8, 1 + (int) draw(&second, 4));
        num_found +=
            check_contention(&first, &second, j % 2 == 0 ? SPOT_SCOPE_HOST : SPOT_SCOPE_MACHINE);
        tasks_case_free(&first.run);
        tasks_case_free(&second.run);
    }
    assert_true(num_found > NUM_LOGS / 2); /* most can be solved */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times), cmocka_unit_test(test_contention)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
