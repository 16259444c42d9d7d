/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/attempts.h"

#include <stdlib.h>
#include <string.h>

void spot_attempts_free(spot_attempts_t *self)
{
    free(self->attempts);
    memset(self, 0, sizeof(*self));
}

/* Order of the events of an id: worker, time, stage, line. */
static int compare(const void *first, const void *second)
{
    const spot_task_event_t *a = first, *b = second;

    return a->worker != b->worker ? spot_ns_compare(a->worker, b->worker)
           : a->at != b->at       ? spot_ns_compare(a->at, b->at)
           : a->stage != b->stage ? spot_ns_compare(a->stage, b->stage)
                                  : spot_ns_compare(a->line, b->line);
}

static void sort(spot_task_event_t *events, size_t num)
{
    if (num > 24) {
        qsort(events, num, sizeof(*events), compare);
        return;
    }
    for (size_t j = 1; j < num; j++) {
        const spot_task_event_t event = events[j];
        size_t k = j;

        for (; k > 0 && compare(&events[k - 1], &event) > 0; k--) {
            events[k] = events[k - 1];
        }
        events[k] = event;
    }
}

/* Events by id: a counting sort. starts: [num ids + 2]. */
static spot_task_event_t *gather(const spot_task_log_t *log, bool is_transmits, size_t *starts)
{
    spot_task_event_t *events;

    for (size_t j = 0; j < log->num_events; j++) {
        starts[log->events[j].id + 2] += log->events[j].is_transmit == is_transmits;
    }
    for (size_t j = 2; j < log->ids.num_names + 2; j++) {
        starts[j] += starts[j - 1];
    }
    events = malloc((starts[log->ids.num_names + 1] + 1) * sizeof(*events));
    for (size_t j = 0; events != NULL && j < log->num_events; j++) {
        if (log->events[j].is_transmit == is_transmits) {
            events[starts[log->events[j].id + 1]++] = log->events[j];
        }
    }
    return events;
}

typedef struct {
    spot_attempts_t *list;
    const spot_task_log_t *log;
    spot_task_dup_t dup;
    const char *file;
    spot_diag_t *diag;
    spot_attempt_t open;
    uint32_t last_line; /* with a mode, of the open attempt */
    uint8_t last_mode;  /* of that line */
    uint8_t modes[SPOT_TASK_MAX_STAGES];
    bool is_transmits, has_last_line;
} maker_t;

static int close_attempt(maker_t *self)
{
    spot_attempt_t *attempt = &self->open;
    uint8_t chain_mode = SPOT_MODE_NONE;

    if (attempt->has == 0) {
        return 0;
    }
    for (int stage = SPOT_TASK_MAX_STAGES - 1; stage > 0 && chain_mode == SPOT_MODE_NONE; stage--) {
        chain_mode = self->modes[stage];
    }
    attempt->mode = self->has_last_line ? self->last_mode : chain_mode;
    self->list->num_conflicts += self->last_mode != chain_mode;
    if (self->is_transmits && !self->log->is_markers && attempt->mode == SPOT_MODE_LOCAL) {
        const unsigned both = 1U << SPOT_TRANSMIT_STARTED | 1U << SPOT_TRANSMIT_LOADED;

        /* nothing moves: it is there when it has finished, whatever the log says */
        attempt->at[SPOT_TRANSMIT_STARTED] = attempt->at[SPOT_TRANSMIT_LOADED] =
            attempt->at[SPOT_TRANSMIT_FINISHED];
        attempt->has =
            (uint8_t) (spot_attempt_has(attempt, SPOT_TRANSMIT_FINISHED) ? attempt->has | both
                                                                         : attempt->has & ~both);
    }
    return SPOT_ARRAY_APPEND(self->list, attempts, *attempt);
}

static int take_event(maker_t *self, const spot_task_event_t *event)
{
    spot_attempt_t *attempt = &self->open;
    const bool is_repeated = spot_attempt_has(attempt, event->stage);

    if (is_repeated && self->dup == SPOT_DUP_ERROR) {
        return spot_diag_error(self->diag, self->file, event->line, 0,
            "the action comes a second time in one attempt");
    }
    self->list->num_duplicates += is_repeated;
    if (!is_repeated || self->dup == SPOT_DUP_LAST) {
        attempt->at[event->stage] = event->at;
        attempt->has |= (uint8_t) (1U << event->stage);
        self->modes[event->stage] = event->mode;
    }
    if (event->mode != SPOT_MODE_NONE && event->line >= self->last_line) {
        self->last_mode = event->mode;
        self->last_line = event->line;
    }
    return 0;
}

/* The attempts of one id: Planned opens one, or Started where nothing is planned. */
static int take_events(maker_t *self, const spot_task_event_t *events, size_t num)
{
    const int first = self->log->has_planning ? 0 : SPOT_TASK_STARTED;
    int ret = 0;

    self->open.has = 0;
    for (size_t j = 0; ret == 0 && j < num; j++) {
        const spot_task_event_t *event = &events[j];
        const bool is_next = j > 0 && event->worker == events[j - 1].worker;

        if (!is_next || (event->stage == first && spot_attempt_has(&self->open, first))) {
            const int32_t number = is_next ? self->open.number + 1 : 1;

            ret = close_attempt(self);
            self->open =
                (spot_attempt_t){.id = event->id, .worker = event->worker, .number = number};
            memset(self->modes, 0, sizeof(self->modes));
            self->last_line = self->last_mode = 0;
        }
        ret = ret == 0 ? take_event(self, event) : ret;
    }
    return ret == 0 ? close_attempt(self) : ret;
}

int spot_attempts_init(spot_attempts_t *self, const spot_task_log_t *log, bool is_transmits,
    spot_task_dup_t dup, bool has_last_line, const char *file, spot_diag_t *diag)
{
    maker_t maker = {.list = self,
        .log = log,
        .dup = dup,
        .file = file,
        .diag = diag,
        .is_transmits = is_transmits,
        .has_last_line = has_last_line};
    size_t *starts = spot_calloc(log->ids.num_names + 2, sizeof(*starts));
    spot_task_event_t *events = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    if (starts != NULL) {
        events = gather(log, is_transmits, starts);
        self->num_events = starts[log->ids.num_names];
    }
    ret = events == NULL ? SPOT_ERR_NO_MEMORY : 0;
    for (size_t j = 0; ret == 0 && j < log->ids.num_names; j++) {
        sort(events + starts[j], starts[j + 1] - starts[j]);
        ret = take_events(&maker, events + starts[j], starts[j + 1] - starts[j]);
    }
    free(events);
    free(starts);
    return ret;
}

int64_t spot_task_log_span(const spot_task_log_t *log, int64_t *t0, int64_t *t1)
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
