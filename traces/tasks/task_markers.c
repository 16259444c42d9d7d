/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_markers.h"

#include <stdlib.h>
#include <string.h>

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
    if (spot_task_log_span(log, &t0, &t1) < 0) {
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
