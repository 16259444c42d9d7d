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
    {"transfer_remote", "loaded to finished", SPOT_TRANSMIT_LOADED,
        SPOT_TRANSMIT_FINISHED},
};

void
spot_task_analysis_free(spot_task_analysis_t *self)
{
    spot_attempts_free(&self->tasks);
    spot_attempts_free(&self->transmits);
    spot_worker_times_free(&self->times);
    spot_task_graph_free(&self->graph);
    free(self->sent);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

/* ---- Clocks ---- */

static void
bound_high(spot_clock_offset_t *offset, const spot_attempt_t *attempt, int to)
{
    int64_t length;

    if (spot_attempt_between(attempt, 0, to, &length) &&
        (!offset->has_high || length < offset->high)) {
        offset->high = length;
        offset->has_high = true;
    }
}

/* The only attempt of a task, if it finished; else NULL. */
static const spot_attempt_t *
only_attempt(const spot_attempts_t *tasks, const int32_t *first, int32_t id)
{
    const spot_attempt_t *attempt = first[id] < 0 ? NULL : &tasks->attempts[first[id]];
    const bool has_more = attempt != NULL &&
                          (size_t) first[id] + 1 < tasks->num_attempts &&
                          attempt[1].id == id;

    return attempt == NULL || has_more || !spot_attempt_has(attempt, SPOT_TASK_FINISHED)
               ? NULL
               : attempt;
}

static int
find_offsets(spot_task_analysis_t *self, const spot_task_log_t *log, int32_t *first)
{
    if (SPOT_ARENA_ARRAY(&self->arena, self->offsets, log->num_hosts) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memset(first, -1, log->ids.num_names * sizeof(*first));
    for (size_t j = self->tasks.num_attempts; j-- > 0;) {
        const spot_attempt_t *task = &self->tasks.attempts[j];

        first[task->id] = (int32_t) j;
        bound_high(&self->offsets[log->workers[task->worker].host_id], task,
            SPOT_TASK_ENQUEUED);
    }
    for (size_t j = 0; j < self->transmits.num_attempts; j++) {
        const spot_attempt_t *transmit = &self->transmits.attempts[j];
        const spot_attempt_t *producer = only_attempt(&self->tasks, first, transmit->id);

        if (transmit->mode == SPOT_MODE_LOCAL) {
            bound_high(&self->offsets[log->workers[transmit->worker].host_id], transmit,
                SPOT_TRANSMIT_FINISHED);
        }
        if (producer != NULL && spot_attempt_has(transmit, SPOT_TRANSMIT_PLANNED)) {
            spot_clock_offset_t *offset =
                &self->offsets[log->workers[producer->worker].host_id];
            const int64_t length =
                producer->at[SPOT_TASK_FINISHED] - transmit->at[SPOT_TRANSMIT_PLANNED];

            offset->low = offset->has_low && offset->low > length ? offset->low : length;
            offset->has_low = true;
        }
    }
    return 0;
}

/* Puts the clocks of hosts right; only the source knows when a transmit started. */
static bool
align(spot_task_analysis_t *self, spot_task_log_t *log, const int32_t *first)
{
    bool is_good = true; /* no stamp leaves 64 bits */

    for (size_t j = 0; j < log->num_hosts; j++) {
        spot_clock_offset_t *offset = &self->offsets[j];

        if (offset->has_low && offset->has_high && offset->low > offset->high) {
            continue;
        }
        offset->subtracted = offset->has_low && offset->low > 0     ? offset->low
                             : offset->has_high && offset->high < 0 ? offset->high
                                                                    : 0;
    }
    for (size_t j = 0; is_good && j < log->num_events; j++) {
        spot_task_event_t *event = &log->events[j];
        const spot_attempt_t *source =
            event->is_transmit && event->stage != SPOT_TRANSMIT_FINISHED
                ? only_attempt(&self->tasks, first, event->id)
                : NULL;
        const int32_t worker = source == NULL ? event->worker : source->worker;

        is_good =
            event->is_controller ||
            !__builtin_sub_overflow(event->at,
                self->offsets[log->workers[worker].host_id].subtracted, &event->at);
    }
    return is_good;
}

/* ---- Attempts and their durations ---- */

static int
find_span(spot_task_analysis_t *self, const spot_task_log_t *log, const char *file,
    spot_diag_t *diag)
{
    self->t0 = log->num_events == 0 ? 0 : INT64_MAX;
    self->t1 = log->num_events == 0 ? 0 : INT64_MIN;
    self->task_events = self->transmit_events = 0;
    for (size_t j = 0; j < log->num_events; j++) {
        const spot_task_event_t *event = &log->events[j];

        self->t0 = event->at < self->t0 ? event->at : self->t0;
        self->t1 = event->at > self->t1 ? event->at : self->t1;
        self->task_events += !event->is_transmit;
        self->transmit_events += event->is_transmit;
    }
    /* half of what 64 bits hold: differences of two durations fit too */
    return __builtin_sub_overflow(self->t1, self->t0, &self->makespan) ||
                   self->makespan > INT64_MAX / 2
               ? spot_diag_error(diag, file, 0, 0, "the stamps span more than 146 years")
               : 0;
}

static int
gather(spot_task_analysis_t *self, const spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag)
{
    int ret;

    spot_attempts_free(&self->tasks);
    spot_attempts_free(&self->transmits);
    ret = find_span(self, log, file, diag);
    ret = ret != 0 ? ret
                   : spot_attempts_init(
                         &self->tasks, log, false, rules->dup, false, file, diag);
    return ret != 0 ? ret
                    : spot_attempts_init(&self->transmits, log, true, rules->dup,
                          rules->has_last_line, file, diag);
}

typedef struct {
    int64_t *values;
    double *scratch;
} room_t;

static bool
is_counted(const spot_attempt_t *attempt, bool is_remote_only)
{
    return !is_remote_only || attempt->mode == SPOT_MODE_REMOTE;
}

static void
measure(const spot_attempts_t *list, const spot_task_span_t *span, bool is_remote_only,
    const room_t *room, spot_durations_t *durations)
{
    size_t num = 0;

    for (size_t j = 0; j < list->num_attempts; j++) {
        if (is_counted(&list->attempts[j], is_remote_only) &&
            spot_attempt_between(
                &list->attempts[j], span->from, span->to, &room->values[num])) {
            num++;
        }
    }
    spot_durations_of(durations, room->values, num, room->scratch);
}

/* Negative values among spans of all attempts, whatever their mode. */
static int64_t
count_negative(const spot_attempts_t *list, const spot_task_span_t *spans, size_t num)
{
    int64_t sum = 0, length;

    for (size_t j = 0; j < list->num_attempts; j++) {
        for (size_t k = 0; k < num; k++) {
            sum += spot_attempt_between(
                       &list->attempts[j], spans[k].from, spans[k].to, &length) &&
                   length < 0;
        }
    }
    return sum;
}

static int
measure_all(spot_task_analysis_t *self)
{
    const size_t num = self->tasks.num_attempts > self->transmits.num_attempts
                           ? self->tasks.num_attempts
                           : self->transmits.num_attempts;
    room_t room = {
        malloc((num + 1) * sizeof(int64_t)), malloc((num + 1) * sizeof(double))};
    const int ret = room.values == NULL || room.scratch == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < SPOT_NUM_TASK_DURATIONS; j++) {
        measure(&self->tasks, &spot_task_spans[j], false, &room, &self->task[j]);
    }
    for (size_t j = 0; ret == 0 && j < SPOT_NUM_TRANSMIT_DURATIONS; j++) {
        measure(&self->transmits, &spot_transmit_spans[j], j >= SPOT_TRANSMIT_LOAD,
            &room, &self->transmit[j]);
    }
    free(room.values);
    free(room.scratch);
    self->negative_intervals =
        count_negative(&self->tasks, &spot_task_spans[SPOT_TASK_COMM], 3) +
        count_negative(&self->transmits, &spot_transmit_spans[SPOT_TRANSMIT_COMM], 3);
    return ret;
}

/* ---- Counts and groups ---- */

static void
add_to(spot_task_group_t *group, const spot_attempt_t *task, spot_task_duration_t which)
{
    int64_t length;

    if (spot_attempt_between(
            task, spot_task_spans[which].from, spot_task_spans[which].to, &length)) {
        spot_durations_add(&group->durations, length);
    }
}

/* Classes of tasks in order of bytes. */
static int
find_classes(spot_task_analysis_t *self, const spot_task_log_t *log)
{
    spot_arena_t *arena = &self->arena;
    const size_t num_ids = log->ids.num_names;
    int32_t *place; /* [classes] in that order */
    spot_names_t names;
    int ret = 0;

    spot_names_init(&names);
    SPOT_ARENA_ARRAY(arena, self->class_of, num_ids);
    for (size_t j = 0; arena->error == 0 && ret == 0 && j < self->tasks.num_attempts;
         j++) {
        const int32_t id = self->tasks.attempts[j].id;
        const char *text = log->ids.names[id];

        ret = spot_names_add(
            &names, text, spot_task_class_bytes(text), &self->class_of[id]);
        self->class_of[id]++; /* 0: not a task */
    }
    self->num_classes = names.num_names;
    SPOT_ARENA_ARRAY(arena, self->per_class, self->num_classes);
    SPOT_ARENA_ARRAY(arena, place, self->num_classes);
    for (size_t j = 0; arena->error == 0 && j < self->num_classes; j++) {
        self->per_class[j].name = spot_arena_text(arena, names.names[j]);
    }
    if (arena->error == 0 && ret == 0) {
        spot_task_groups_sort(self->per_class, self->num_classes);
        for (size_t j = 0; j < self->num_classes; j++) {
            const char *name = self->per_class[j].name;

            place[spot_names_find(&names, name, strlen(name))] = (int32_t) j;
        }
        for (size_t j = 0; j < num_ids; j++) {
            self->class_of[j] =
                self->class_of[j] == 0 ? -1 : place[self->class_of[j] - 1];
        }
    }
    spot_names_free(&names);
    return spot_error_first(ret, arena->error);
}

static int
count_tasks(spot_task_analysis_t *self, const spot_task_log_t *log)
{
    const spot_attempts_t *tasks = &self->tasks;
    bool is_completed = false;

    if (SPOT_ARENA_ARRAY(&self->arena, self->per_worker, log->num_workers) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_workers; j++) {
        self->per_worker[j].name = log->workers[j].name;
    }
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];
        const bool is_new = j == 0 || task[-1].id != task->id;
        const bool has_finished = spot_attempt_has(task, SPOT_TASK_FINISHED);

        self->distinct += is_new;
        self->completed += has_finished && (is_new || !is_completed);
        is_completed = has_finished || (!is_new && is_completed);
        self->incomplete += !has_finished;
        self->no_planned += !spot_attempt_has(task, SPOT_TASK_PLANNED);
        add_to(&self->per_worker[task->worker], task, SPOT_TASK_ON_WORKER);
        add_to(&self->per_class[self->class_of[task->id]], task, SPOT_TASK_RUN);
    }
    return 0;
}

static int
count_transmits(spot_task_analysis_t *self)
{
    const spot_attempts_t *list = &self->transmits;
    size_t max_sent = 0, num_of_id = 0;
    int64_t length;

    for (size_t j = 0; j < list->num_attempts; j++) {
        const spot_attempt_t *attempt = &list->attempts[j];

        self->transmits_unfinished += !spot_attempt_has(attempt, SPOT_TRANSMIT_FINISHED);
        self->no_planned += !spot_attempt_has(attempt, SPOT_TRANSMIT_PLANNED);
        self->transmits_without_mode += attempt->mode == SPOT_MODE_NONE;
        self->mode_conflicts += attempt->has_conflict;
        self->mode_counts[attempt->mode]++;
        spot_attempt_between(
            attempt, SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED, &length);
        self->mode_totals[attempt->mode] += length;
        num_of_id++;
        if (j + 1 == list->num_attempts || attempt[1].id != attempt->id) {
            const size_t num = self->num_sent;

            if (num_of_id >= num) {
                if (spot_array_reserve(&self->sent, &max_sent, num_of_id + 1,
                        sizeof(*self->sent)) != 0) {
                    return SPOT_ERR_NO_MEMORY;
                }
                memset(self->sent + num, 0, (num_of_id + 1 - num) * sizeof(*self->sent));
                self->num_sent = num_of_id + 1;
            }
            self->sent[num_of_id]++;
            self->datasets++;
            num_of_id = 0;
        }
    }
    return 0;
}

static int
measure_rounds(spot_task_rounds_t *self, const spot_task_log_t *log)
{
    room_t act = {malloc((log->num_reports + 1) * sizeof(int64_t)),
        malloc((log->num_reports + 1) * sizeof(double))};
    int64_t *waits = malloc((log->num_reports + 1) * sizeof(*waits));
    const int ret = act.values == NULL || act.scratch == NULL || waits == NULL
                        ? SPOT_ERR_NO_MEMORY
                        : 0;
    size_t num_waits = 0;

    for (size_t j = 0; ret == 0 && j < log->num_reports; j++) {
        const spot_task_report_t *report = &log->reports[j];

        act.values[j] = report->act;
        self->without_wait += !report->has_wait;
        if (report->has_wait) {
            waits[num_waits++] = report->wait;
            self->busy_during_wait += (spot_wide_t) report->busy_workers * report->wait;
        }
        for (size_t k = 0; k < SPOT_REPORT_COUNTERS; k++) {
            self->counters[k] += report->counters[k];
        }
    }
    if (ret == 0) {
        spot_durations_of(&self->act, act.values, log->num_reports, act.scratch);
        spot_durations_of(&self->wait, waits, num_waits, act.scratch);
    }
    free(act.values);
    free(act.scratch);
    free(waits);
    return ret;
}

static int
analyse(spot_task_analysis_t *self, spot_task_log_t *log, const spot_task_rules_t *rules,
    int32_t *first, const char *file, spot_diag_t *diag)
{
    int ret = gather(self, log, rules, file, diag);

    ret = ret == 0 ? find_offsets(self, log, first) : ret;
    if (ret == 0 && rules->aligns) {
        ret = align(self, log, first) ? gather(self, log, rules, file, diag)
                                      : spot_diag_error(diag, file, 0, 0,
                                            "an aligned stamp is beyond 64 bits");
    }
    ret = ret == 0 ? find_classes(self, log) : ret;
    ret = ret == 0 ? count_tasks(self, log) : ret;
    ret = ret == 0 ? count_transmits(self) : ret;
    ret = ret == 0 ? measure_all(self) : ret;
    ret = ret == 0 ? measure_rounds(&self->rounds, log) : ret;
    ret = ret != 0
              ? ret
              : spot_task_graph_init(&self->graph, log, &self->tasks, &self->transmits,
                    self->t0, log->edges_path == NULL ? file : log->edges_path, diag);
    ret = ret != 0
              ? ret
              : spot_worker_times_init(&self->times, log, &self->tasks, &self->transmits,
                    self->t0, self->t1, self->graph.num_ready, self->graph.ready);
    for (size_t j = 0; ret == 0 && j < log->num_workers; j++) {
        self->overlapping_tasks += self->times.workers[j].has_overlap;
    }
    return ret;
}

int
spot_task_analysis_init(spot_task_analysis_t *self, spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag)
{
    int32_t *first = malloc((log->ids.num_names + 1) * sizeof(*first));
    int ret;

    memset(self, 0, sizeof(*self));
    ret = first == NULL ? SPOT_ERR_NO_MEMORY
                        : analyse(self, log, rules, first, file, diag);
    free(first);
    return ret;
}

void
spot_task_analysis_warn(const spot_task_analysis_t *self, const spot_task_log_t *log,
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
        {self->negative_intervals,
            "negative_intervals: stamps are out of order, see clock_offset"},
        {self->overlapping_tasks,
            "overlapping_tasks: workers ran tasks at the same time"}};

    for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
        if (counts[j].num > 0) {
            spot_diag_warn(
                diag, file, 0, 0, "%lld %s", (long long) counts[j].num, counts[j].text);
        }
    }
    for (size_t j = 0; j < log->num_hosts; j++) {
        const spot_clock_offset_t *offset = &self->offsets[j];

        if (offset->has_low && offset->has_high && offset->low > offset->high) {
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
