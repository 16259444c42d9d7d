/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const spot_task_scope_names[] = {"host", "machine", NULL};

typedef struct {
    spot_task_comparison_t *result;
    const spot_task_run_t *runs[2];
    int32_t *best[2];          /* [ids of the log] attempt that finished first */
    int32_t *partner;          /* [ids of the second log] of the first one, or -1 */
    int32_t *rank;             /* [ids of the first log] */
    spot_concurrency_t *spent; /* [num_classes] time with k running */
    spot_arena_t arena;
} compare_t;

void spot_task_comparison_free(spot_task_comparison_t *self)
{
    free(self->pairs);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

static bool span_of(
    const compare_t *self, int which, int32_t id, spot_task_duration_t duration, int64_t *length)
{
    const spot_attempt_t *attempt =
        &self->runs[which]->analysis->tasks.attempts[self->best[which][id]];

    return spot_attempt_between(
        attempt, spot_task_spans[duration].from, spot_task_spans[duration].to, length);
}

/* ---- Pairs ---- */

static int take_pair(compare_t *self, int32_t first_id, int32_t second_id)
{
    spot_task_comparison_t *result = self->result;
    spot_task_class_pair_t *class = &result->classes[self->runs[0]->analysis->class_of[first_id]];
    spot_task_pair_t pair = {.id = first_id, .rank = self->rank[first_id]};
    int64_t runs[2];

    if (span_of(self, 0, first_id, SPOT_TASK_RUN, &runs[0]) &&
        span_of(self, 1, second_id, SPOT_TASK_RUN, &runs[1])) {
        class->num_runs++;
        class->solo += runs[0];
        class->run += runs[1];
        result->lost += (spot_wide_t) runs[1] - runs[0];
        self->partner[second_id] = first_id;
    }
    if (!span_of(self, 0, first_id, SPOT_TASK_TOTAL, &pair.first) ||
        !span_of(self, 1, second_id, SPOT_TASK_TOTAL, &pair.second)) {
        return 0;
    }
    pair.relative = spot_wide_ratio(pair.second - pair.first, pair.second);
    class->count++;
    class->first += pair.first;
    class->second += pair.second;
    result->sum_first += pair.first;
    result->sum_second += pair.second;
    return SPOT_ARRAY_APPEND(result, pairs, pair);
}

static int find_pairs(compare_t *self, spot_diag_t *diag)
{
    const spot_names_t *first = &self->runs[0]->log->ids;
    const spot_names_t *second = &self->runs[1]->log->ids;
    int64_t num_common = 0, num_second = 0;
    int ret = 0;

    for (size_t j = 0; j < second->num_names; j++) {
        num_second += self->best[1][j] >= 0;
        self->partner[j] = -1;
    }
    for (size_t j = 0; ret == 0 && j < first->num_names; j++) {
        const char *id = first->names[j];
        const int32_t other = self->best[0][j] < 0 ? -1 : spot_names_find(second, id, strlen(id));

        self->result->rows += self->best[0][j] >= 0;
        if (other >= 0 && self->best[1][other] >= 0) {
            num_common++;
            ret = take_pair(self, (int32_t) j, other);
        }
    }
    self->result->without_pair = self->result->rows - num_common;
    self->result->only_in_second = num_second - num_common;
    if (ret == 0 && num_common == 0) {
        return spot_diag_error(diag, self->runs[1]->file, 0, 0,
            "no completed task is one of %s, so nothing can be compared", self->runs[0]->file);
    }
    return ret;
}

/* Ascending; without a relative difference last. */
static int compare_relative(const void *first, const void *second)
{
    const spot_task_pair_t *a = first, *b = second;

    if (isnan(a->relative) != isnan(b->relative)) {
        return isnan(a->relative) ? 1 : -1;
    }
    return a->relative < b->relative   ? -1
           : a->relative > b->relative ? 1
                                       : spot_ns_compare(a->rank, b->rank);
}

static int compare_difference(const void *first, const void *second)
{
    const spot_task_pair_t *a = first, *b = second;
    const int64_t by_a = a->second - a->first, by_b = b->second - b->first;

    return by_a != by_b ? spot_ns_compare(by_b, by_a) : spot_ns_compare(a->rank, b->rank);
}

static void sort_pairs(spot_task_comparison_t *self)
{
    const size_t num = self->num_pairs;

    if (num > 0) {
        qsort(self->pairs, num, sizeof(*self->pairs), compare_difference);
        self->num_top = num < SPOT_TASK_TOP ? num : SPOT_TASK_TOP;
        memcpy(self->top, self->pairs, self->num_top * sizeof(*self->top));
        qsort(self->pairs, num, sizeof(*self->pairs), compare_relative);
    }
}

/* ---- Contention ---- */

/* From an instant on so many tasks run in a scope. */
typedef struct {
    int32_t scope, num_running;
    int64_t at;
    const spot_attempt_t *started; /* then, for a while; NULL: one ended */
} step_t;

static int compare_steps(const void *first, const void *second)
{
    const step_t *a = first, *b = second;

    return a->scope != b->scope ? spot_ns_compare(a->scope, b->scope)
                                : spot_ns_compare(a->at, b->at);
}

/* Adds the time of each task with a partner by how many ran with it: from its start to
 * its own end, which is one of the steps. O(n log n + n k) */
static int find_spent(compare_t *self)
{
    const spot_task_analysis_t *second = self->runs[1]->analysis;
    const spot_attempt_t *tasks = second->tasks.attempts;
    step_t *steps = spot_arena_take(&self->arena, 2 * second->tasks.num_attempts, sizeof(*steps));
    size_t num = 0;
    int64_t length;
    int ret = steps == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < second->tasks.num_attempts; j++) {
        const spot_attempt_t *task = &tasks[j];
        const int32_t scope = self->result->scope == SPOT_SCOPE_HOST
                                  ? self->runs[1]->log->workers[task->worker].host_id
                                  : 0;

        if (spot_attempt_between(task, SPOT_TASK_STARTED, SPOT_TASK_FINISHED, &length) &&
            length > 0) {
            steps[num++] = (step_t){scope, 1, task->at[SPOT_TASK_STARTED], task};
            steps[num++] = (step_t){scope, -1, task->at[SPOT_TASK_FINISHED], NULL};
        }
    }
    if (num > 0) {
        qsort(steps, num, sizeof(*steps), compare_steps);
    }
    for (size_t j = 1; j < num; j++) {
        steps[j].num_running += steps[j].scope == steps[j - 1].scope ? steps[j - 1].num_running : 0;
    }
    for (size_t j = 0; ret == 0 && j < num; j++) {
        const spot_attempt_t *task = steps[j].started;
        const int32_t partner =
            task != NULL && self->best[1][task->id] == task - tasks ? self->partner[task->id] : -1;

        for (size_t k = j; ret == 0 && partner >= 0 && steps[k].at < task->at[SPOT_TASK_FINISHED];
             k++) {
            ret = spot_concurrency_add(&self->spent[self->runs[0]->analysis->class_of[partner]],
                (size_t) steps[k].num_running, steps[k + 1].at - steps[k].at);
        }
    }
    return ret;
}

/* Work that the time spent makes at a beta, minus the solo time. */
static double excess(const spot_concurrency_t *spent, double beta, double solo)
{
    double sum = -solo;

    for (size_t k = 1; k < spent->num_ns; k++) {
        sum += (double) spent->ns[k] / (1 + beta * (double) (k - 1));
    }
    return sum;
}

/* Bisection; NAN: nothing ran beside the class, or no beta explains the solo time. */
static double solve(const spot_concurrency_t *spent, double solo)
{
    double low, high = 1;

    if (spent->num_ns < 3) {
        return (double) NAN;
    }
    if (excess(spent, 0, solo) == 0) {
        return 0; /* exactly, not within rounding */
    }
    low = -0.9 / (double) (spent->num_ns - 2);
    while (excess(spent, high, solo) > 0 && high < 1e12) {
        high *= 2;
    }
    if (excess(spent, low, solo) < 0 || excess(spent, high, solo) > 0) {
        return (double) NAN;
    }
    for (int j = 0; j < 200; j++) {
        const double middle = low + (high - low) / 2;

        *(excess(spent, middle, solo) > 0 ? &low : &high) = middle;
    }
    return low + (high - low) / 2;
}

static int estimate(compare_t *self)
{
    spot_task_comparison_t *result = self->result;
    int ret = find_spent(self);

    for (size_t j = 0; ret == 0 && j < result->num_classes; j++) {
        const spot_concurrency_t *spent = &self->spent[j];
        double weighted = 0, whole = 0;

        for (size_t k = 1; k < spent->num_ns; k++) {
            weighted += (double) k * (double) spent->ns[k];
            whole += (double) spent->ns[k];
        }
        result->classes[j].mean_concurrency = weighted / whole;
        result->classes[j].beta = solve(spent, (double) result->classes[j].solo);
    }
    for (size_t j = 0; j < result->num_classes; j++) {
        free(self->spent[j].ns);
    }
    return ret;
}

int spot_task_comparison_init(spot_task_comparison_t *self, const spot_task_run_t *first,
    const spot_task_run_t *second, spot_task_scope_t scope, spot_diag_t *diag)
{
    compare_t compare = {.result = self, .runs = {first, second}};
    const spot_task_analysis_t *solo = first->analysis;
    int ret;

    memset(self, 0, sizeof(*self));
    self->scope = scope;
    for (int j = 0; j < 2; j++) {
        SPOT_ARENA_ARRAY(&compare.arena, compare.best[j], compare.runs[j]->log->ids.num_names);
    }
    SPOT_ARENA_ARRAY(&compare.arena, compare.partner, second->log->ids.num_names);
    SPOT_ARENA_ARRAY(&compare.arena, compare.rank, first->log->ids.num_names);
    SPOT_ARENA_ARRAY(&compare.arena, compare.spent, solo->num_classes);
    SPOT_ARENA_ARRAY(&self->arena, self->classes, solo->num_classes);
    ret = spot_error_first(compare.arena.error, self->arena.error);
    ret = ret == 0 ? spot_task_log_rank(first->log, compare.rank) : ret;
    if (ret == 0) {
        for (int j = 0; j < 2; j++) {
            spot_tasks_first_finished(
                compare.runs[j]->log, &compare.runs[j]->analysis->tasks, compare.best[j]);
        }
        self->num_classes = solo->num_classes;
        for (size_t j = 0; j < solo->num_classes; j++) {
            self->classes[j].name = solo->per_class[j].name;
        }
        ret = find_pairs(&compare, diag);
    }
    if (ret == 0) {
        sort_pairs(self);
        ret = estimate(&compare);
        if (ret == SPOT_ERR_BAD_INPUT) {
            spot_diag_error(
                diag, second->file, 0, 0, "its tasks run for more nanoseconds than 64 bits hold");
        }
    }
    if (ret == 0 && first->log->num_workers > 1) {
        spot_diag_warn(diag, first->file, 0, 0,
            "contention needs a solo run first, and this log has %zu workers",
            first->log->num_workers);
    }
    spot_arena_free(&compare.arena);
    return ret;
}

/* ---- JSON ---- */

static void put_pairs(spot_json_t *json, const char *key, size_t num, const spot_task_pair_t *pairs,
    const spot_task_log_t *log)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < num; j++) {
        spot_json_open(json, NULL, '[');
        spot_json_text(json, NULL, log->ids.names[pairs[j].id]);
        spot_json_wide(json, NULL, pairs[j].first);
        spot_json_wide(json, NULL, pairs[j].second);
        spot_json_wide(json, NULL, pairs[j].second - pairs[j].first);
        spot_json_number(json, NULL, pairs[j].relative);
        spot_json_close(json, ']');
    }
    spot_json_close(json, ']');
}

void spot_task_comparison_json(
    const spot_task_comparison_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    spot_json_integer(json, "rows", self->rows);
    spot_json_integer(json, "without_pair", self->without_pair);
    spot_json_integer(json, "only_in_second", self->only_in_second);
    spot_json_wide(json, "sum_first", self->sum_first);
    spot_json_wide(json, "sum_second", self->sum_second);
    put_pairs(json, "by_relative", self->num_pairs, self->pairs, log);
    put_pairs(json, "top_difference", self->num_top, self->top, log);
    spot_json_open(json, "per_class", '{');
    for (size_t j = 0; j < self->num_classes; j++) {
        const spot_task_class_pair_t *class = &self->classes[j];

        if (class->count > 0) {
            spot_json_open(json, class->name, '{');
            spot_json_integer(json, "count", class->count);
            spot_json_wide(json, "first", class->first);
            spot_json_wide(json, "second", class->second);
            spot_json_number(json, "ratio", spot_wide_ratio(class->second, class->first));
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, '}');
    spot_json_open(json, "contention", '{');
    spot_json_text(json, "scope", spot_task_scope_names[self->scope]);
    spot_json_wide(json, "lost", self->lost);
    spot_json_open(json, "classes", '{');
    for (size_t j = 0; j < self->num_classes; j++) {
        const spot_task_class_pair_t *class = &self->classes[j];

        if (class->num_runs > 0) {
            spot_json_open(json, class->name, '{');
            spot_json_integer(json, "count", class->num_runs);
            spot_json_wide(json, "solo", class->solo);
            spot_json_wide(json, "run", class->run);
            spot_json_number(json, "ratio", spot_wide_ratio(class->run, class->solo));
            spot_json_number(json, "mean_concurrency", class->mean_concurrency);
            spot_json_number(json, "beta", class->beta);
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}
