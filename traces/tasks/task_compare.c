/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/provenance.h"
#include "base/stats.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_task.h"
#include "traces/tasks/task_times.h"

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
            spot_attempts_first_finished(
                &compare.runs[j]->analysis->tasks, compare.runs[j]->log, compare.best[j]);
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

/* ---- Laws of a run ---- */

#define S_PER_NS 1e-9
#define LEAST_VALUES 5
#define MAX_SHIFT 0.05 /* share by which a law may move the mean */

typedef struct {
    FILE *out;
    const char *model_path;
    spot_maximiser_t maximiser;
    size_t num_values, max_values;
    double *values; /* [num_values] of a sample, in s */
    int error;
} fit_t;

static void put_name(const fit_t *self, const char *before, const char *name)
{
    fputs(before, self->out);
    spot_json_quote(self->out, name, true);
}

static void put_path(fit_t *self, const char *before, const char *path)
{
    char *seen = spot_fit_path_from_model(path, self->model_path);

    put_name(self, before, seen == NULL ? path : seen);
    self->error = seen == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    free(seen);
}

/* The best law of the sample by AIC of those that keep the mean, on which the makespan
 * depends. NULL: few values, or all are equal. */
static const spot_fit_t *choose(fit_t *self, spot_fit_ranking_t *ranking)
{
    const spot_fit_t *best = NULL;
    spot_fit_durations_t sample;

    if (spot_fit_durations_init(&sample, self->values, NULL, self->num_values, 0, S_PER_NS) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else if (self->error == 0 && self->num_values >= LEAST_VALUES && !sample.is_one_value) {
        spot_fit_rank(ranking, &self->maximiser, &sample, NULL, (double) NAN);
        best = ranking->best_mean_id < 0 ? NULL : &ranking->fits[ranking->best_mean_id];
        for (size_t j = ranking->num_fits; j-- > 0;) {
            const spot_fit_t *fit = &ranking->fits[j];

            best = fit->converged && fabs(fit->mean_ratio - 1) <= MAX_SHIFT ? fit : best;
        }
    }
    spot_fit_durations_free(&sample);
    return best;
}

/* Writes the law of the sample, which starts anew. */
static void put_law(fit_t *self, const char *name)
{
    const size_t num = self->num_values;
    const double mean_s = num == 0 ? 0 : spot_moments_of(self->values, num).mean;
    spot_fit_ranking_t ranking;
    const spot_fit_t *fit = mean_s > 0 ? choose(self, &ranking) : NULL;

    put_name(self,
        mean_s <= 0     ? "  # nothing above 0: "
        : *name == '\0' ? "  # as recorded, a key needs a name: "
                        : "  ",
        name);
    if (fit != NULL) {
        fputs(": ", self->out);
        spot_law_write(self->out, "family", &fit->law);
        fprintf(self->out, ", # KS distance %.3f, ", fit->ks);
    } else if (mean_s > 0) {
        fprintf(self->out, ": %.9f s, # without spread, ", mean_s);
    }
    if (mean_s > 0) {
        spot_sort(self->values, num);
        fprintf(self->out, "n %zu, mean %.4g s, p50 %.4g s, p90 %.4g s", num, mean_s,
            spot_quantile(self->values, num, 0.5), spot_quantile(self->values, num, 0.9));
    }
    fputc('\n', self->out);
    self->num_values = 0;
}

/* Writes the law of the attempts of a class or, without classes, of a mode. */
static void put_attempts(fit_t *self, const char *name, const spot_attempts_t *attempts,
    const spot_task_span_t *span, const int32_t *class_of, size_t which)
{
    int64_t ns;

    for (size_t j = 0; j < attempts->num_attempts; j++) {
        const spot_attempt_t *task = &attempts->attempts[j];

        if ((size_t) (class_of == NULL ? task->mode : class_of[task->id]) == which &&
            spot_attempt_between(task, span->from, span->to, &ns) && ns >= 0) {
            SPOT_ARRAY_PUSH(self, values, (double) ns * S_PER_NS);
        }
    }
    put_law(self, name);
}

static void put_contention(const fit_t *self, const spot_task_comparison_t *comparison)
{
    fprintf(self->out, "contention:\n  scope: %s\n  beta: {\n",
        spot_task_scope_names[comparison->scope]);
    for (size_t j = 0; j < comparison->num_classes; j++) {
        const spot_task_class_pair_t *class = &comparison->classes[j];
        const bool has_beta = isfinite(class->beta) && *class->name != '\0';

        put_name(self, has_beta ? "    " : "    # not identifiable: ", class->name);
        fprintf(self->out, ": %.6g, # n %lld\n", has_beta ? class->beta : 0,
            (long long) class->num_runs);
    }
    fputs("    }\n", self->out);
}

static void put_delays(fit_t *self, const spot_task_analysis_t *run)
{
    const spot_task_span_t *sent = &spot_transmit_spans[SPOT_TRANSMIT_TOTAL];

    fputs("delays: {\n", self->out);
    for (size_t j = 0; j < run->graph.num_decisions; j++) {
        SPOT_ARRAY_PUSH(self, values, (double) run->graph.decisions[j] * S_PER_NS);
    }
    put_law(self, "decision");
    put_attempts(self, "comm", &run->tasks, &spot_task_spans[SPOT_TASK_COMM], NULL, 0);
    put_attempts(self, "queue", &run->tasks, &spot_task_spans[SPOT_TASK_QUEUE], NULL, 0);
    put_attempts(self, "local", &run->transmits, sent, NULL, SPOT_MODE_LOCAL);
    put_attempts(self, "remote", &run->transmits, sent, NULL, SPOT_MODE_REMOTE);
    fputs("  }\n", self->out);
}

int spot_task_fit(const spot_task_run_t *run, const char *edges_path, const spot_task_run_t *solo,
    const spot_task_comparison_t *comparison, const char *model_path, FILE *out, spot_diag_t *diag)
{
    const spot_task_analysis_t *from = (comparison == NULL ? run : solo)->analysis;
    const size_t num_workers = run->log->num_workers;
    fit_t self = {.out = out, .model_path = model_path};

    if (run->analysis->task[SPOT_TASK_RUN].count == 0) {
        return spot_diag_error(diag, run->file, 0, 0, "no task ran to its end");
    }
    if (run->log->num_edges == 0 && edges_path == NULL) {
        spot_diag_warn(
            diag, run->file, 0, 0, "no taskInputs: the model runs once its graph has edges");
    }
    if (comparison == NULL && num_workers > 1) {
        spot_diag_warn(diag, run->file, 0, 0,
            "laws of run hold the contention of %zu workers: expected --solo", num_workers);
    }
    self.error = spot_maximiser_init(&self.maximiser);
    fprintf(out,
        "# Fitted by spotsim %s to %lld tasks; %lld attempts without an end are left "
        "out.\nscenario: tasks\nengine: tasks\n",
        spot_build_info.version, (long long) run->analysis->distinct,
        (long long) run->analysis->incomplete);
    put_path(&self, "graph: {log: ", run->file);
    if (edges_path != NULL) {
        put_path(&self, ", edges: ", edges_path);
    }
    fprintf(out, "}\nworkers: %zu\nhosts: %zu\nrun: { # others as recorded\n", num_workers,
        run->log->num_hosts);
    for (size_t j = 0; j < from->num_classes; j++) {
        if (comparison == NULL || comparison->classes[j].num_runs > 0) {
            put_attempts(&self, from->per_class[j].name, &from->tasks,
                &spot_task_spans[SPOT_TASK_RUN], from->class_of, j);
        }
    }
    fputs("  }\n", out);
    if (comparison != NULL) {
        put_contention(&self, comparison);
    }
    put_delays(&self, run->analysis);
    free(self.values);
    spot_maximiser_free(&self.maximiser);
    return self.error;
}
