/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_markers.h"

#include <stdlib.h>
#include <string.h>

const spot_task_span_t spot_marked_task_spans[SPOT_MARKED_TASK_SPANS] = {
    {"total_e2e", "planned to completed", 0, 6},
    {"total_worker", "enqueued to published", 1, 5},
    {"comm2worker", "planned to enqueued", 0, 1},
    {"task_procstart", "enqueued to started", 1, 2},
    {"task_load", "started to loaded", 2, 3},
    {"task_callablerun", "loaded to computed", 3, 4},
    {"task_publish", "computed to published", 4, 5},
    {"comm2ctrl", "published to completed", 5, 6},
};
const spot_task_span_t spot_marked_transmit_spans[SPOT_MARKED_TRANSMIT_SPANS] = {
    {"total", "planned to completed", 0, 5},
    {"comm2source", "planned to started", 0, 1},
    {"loadDelay", "started to loaded", 1, 2},
    {"comm2target", "loaded to received", 2, 3},
    {"unloadDelay", "received to unloaded", 3, 4},
    {"comm2ctrl", "unloaded to completed", 4, 5},
};

void
spot_task_markers_free(spot_task_markers_t *self)
{
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

static void
add_spans(const spot_attempt_t *attempt, size_t num, const spot_task_span_t *spans,
    spot_durations_t *sums)
{
    int64_t length;

    for (size_t j = 0; j < num; j++) {
        if (spot_attempt_between(attempt, spans[j].from, spans[j].to, &length)) {
            spot_durations_add(&sums[j], length);
        }
    }
}

/* Sums of marks by name, in order of bytes. */
static int
group(spot_task_markers_t *self, const spot_task_log_t *log, size_t num,
    const spot_task_mark_t *marks, size_t *num_groups, spot_task_group_t **groups)
{
    const size_t num_words = log->words.num_names;

    if (SPOT_ARENA_ARRAY(&self->arena, *groups, num_words) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num; j++) {
        spot_durations_add(&(*groups)[marks[j].name].durations, marks[j].at);
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

static int
compare_marks(const void *first, const void *second)
{
    const spot_task_mark_t *a = first, *b = second;

    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Marks of the controller -> how long its phases last. */
static int
group_phases(spot_task_markers_t *self, const spot_task_log_t *log)
{
    const size_t num = log->num_phases;
    spot_task_mark_t *phases = spot_calloc(num, sizeof(*phases));
    int ret = phases == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0) {
        if (num > 0) {
            memcpy(phases, log->phases, num * sizeof(*phases));
        }
        qsort(phases, num, sizeof(*phases), compare_marks);
        for (size_t j = 0; j < num; j++) {
            phases[j].at = j + 1 < num ? phases[j + 1].at - phases[j].at : 0;
        }
        ret = group(self, log, num, phases, &self->num_phases, &self->phases);
    }
    free(phases);
    return ret;
}

/* A mode that no line of an attempt has is that of the attempt of its key before it, or
 * else of the next one that has a mode. */
static void
fill_modes(spot_attempts_t *list)
{
    for (int step = 1; step >= -1; step -= 2) {
        for (size_t j = 1; j < list->num_attempts; j++) {
            spot_attempt_t *attempt =
                &list->attempts[step > 0 ? j : list->num_attempts - 1 - j];
            const spot_attempt_t *other = attempt - step;

            if (attempt->mode == SPOT_MODE_NONE && other->id == attempt->id &&
                other->worker == attempt->worker) {
                attempt->mode = other->mode;
            }
        }
    }
}

/* Whether stamps are so near to each other that no duration is beyond 64 bits. */
static bool
is_near(const spot_task_log_t *log)
{
    int64_t low = INT64_MAX, high = INT64_MIN, span;

    for (size_t j = 0; j < log->num_events + log->num_phases; j++) {
        const int64_t at = j < log->num_events ? log->events[j].at
                                               : log->phases[j - log->num_events].at;

        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return high < low || !__builtin_sub_overflow(high, low, &span);
}

int
spot_task_markers_init(spot_task_markers_t *self, const spot_task_log_t *log,
    spot_task_dup_t dup, const char *file, spot_diag_t *diag)
{
    spot_attempts_t list;
    int ret;

    memset(self, 0, sizeof(*self));
    if (!is_near(log)) {
        return spot_diag_error(diag, file, 0, 0, "the stamps span more than 292 years");
    }
    ret = spot_attempts_init(&list, log, false, dup, false, file, diag);
    for (size_t j = 0; ret == 0 && j < list.num_attempts; j++) {
        add_spans(&list.attempts[j], SPOT_MARKED_TASK_SPANS, spot_marked_task_spans,
            self->task);
    }
    spot_attempts_free(&list);
    ret = ret != 0 ? ret : spot_attempts_init(&list, log, true, dup, false, file, diag);
    if (ret == 0) {
        fill_modes(&list);
    }
    for (size_t j = 0; ret == 0 && j < list.num_attempts; j++) {
        self->attempts++;
        self->mode_counts[list.attempts[j].mode]++;
        add_spans(&list.attempts[j], SPOT_MARKED_TRANSMIT_SPANS,
            spot_marked_transmit_spans, self->transmit);
    }
    spot_attempts_free(&list);
    ret = ret != 0 ? ret
                   : group(self, log, log->num_microtraces, log->microtraces,
                         &self->num_microtraces, &self->microtraces);
    return ret != 0 ? ret : group_phases(self, log);
}

static void
put_spans(spot_json_t *json, size_t num, const spot_task_span_t *spans,
    const spot_durations_t *sums)
{
    for (size_t j = 0; j < num; j++) {
        spot_durations_max_json(json, spans[j].name, &sums[j]);
    }
}

void
spot_task_markers_json(const spot_task_markers_t *self, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    spot_json_open(json, "microtraces", '{');
    for (size_t j = 0; j < self->num_microtraces; j++) {
        spot_durations_mean_json(
            json, self->microtraces[j].name, &self->microtraces[j].durations);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "tasks", '{');
    put_spans(json, SPOT_MARKED_TASK_SPANS, spot_marked_task_spans, self->task);
    spot_json_close(json, '}');
    spot_json_open(json, "transmits", '{');
    spot_json_integer(json, "attempts", self->attempts);
    spot_json_open(json, "mode_counts", '{');
    for (size_t mode = SPOT_MODE_LOCAL; mode < SPOT_NUM_MODES; mode++) {
        if (self->mode_counts[mode] > 0) {
            spot_json_integer(json, spot_task_mode_names[mode], self->mode_counts[mode]);
        }
    }
    spot_json_close(json, '}');
    put_spans(
        json, SPOT_MARKED_TRANSMIT_SPANS, spot_marked_transmit_spans, self->transmit);
    spot_json_close(json, '}');
    spot_json_open(json, "controller", '{');
    for (size_t j = 0; j < self->num_phases; j++) {
        spot_json_open(json, self->phases[j].name, '{');
        spot_json_integer(json, "count", self->phases[j].durations.count);
        spot_json_wide(json, "sum", self->phases[j].durations.sum);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}
