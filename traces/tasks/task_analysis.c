/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    spot_task_graph_free(&self->graph);
    spot_names_free(&self->classes);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

/* ---- Clocks ---- */

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

/* ---- Attempts and their durations ---- */

static int gather(spot_task_analysis_t *self, const spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag)
{
    int ret;

    spot_attempts_free(&self->tasks);
    spot_attempts_free(&self->transmits);
    self->makespan = spot_task_log_span(log, &self->t0, &self->t1);
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

/* ---- Counts and groups ---- */

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
                   : spot_task_graph_init(&self->graph, log, &self->tasks, &self->transmits,
                         self->t0, log->edges_path == NULL ? file : log->edges_path, diag);
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
