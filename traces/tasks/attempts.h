/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attempts: the events of one task on one worker, or of one transmit to one worker, from
 * one Planned to the next. */
#pragma once

#include "traces/tasks/task_log.h"

typedef struct {
    int32_t id;
    int32_t worker;
    int32_t number; /* of this id on this worker, from 1 */
    uint8_t has;    /* a bit for each stage */
    uint8_t mode;
    int64_t at[SPOT_TASK_MAX_STAGES];
} spot_attempt_t;

typedef enum { SPOT_DUP_FIRST, SPOT_DUP_LAST, SPOT_DUP_ERROR } spot_task_dup_t;

/* A list in order of id, worker, number. */
typedef struct {
    size_t num_attempts;
    size_t max_attempts;
    spot_attempt_t *attempts; /* [num_attempts] */
    size_t num_events;
    int64_t num_duplicates; /* events that an attempt had already */
    int64_t num_conflicts;  /* attempts whose mode depends on the rule */
} spot_attempts_t;

/* Gathers the tasks, or the transmits, of a sealed log. has_last_line: the mode of a
 * transmit is what stands furthest down in the file, else that of its last stage that
 * has one. With DUP_ERROR a repeated event is BAD_INPUT, reported at its line of file.
 * NO_MEMORY. O(events log events of an id) */
SPOT_MUST_CHECK int spot_attempts_init(spot_attempts_t *self, const spot_task_log_t *log,
    bool is_transmits, spot_task_dup_t dup, bool has_last_line, const char *file,
    spot_diag_t *diag);
void spot_attempts_free(spot_attempts_t *self);

/* Least and largest stamp of a log, 0 without any. Returns the time between, or -1: it
 * is beyond 64 bits. */
int64_t spot_task_log_span(const spot_task_log_t *log, int64_t *t0, int64_t *t1);

/* For qsort(): -1, 0, 1. */
static inline int spot_ns_compare(int64_t first, int64_t second)
{
    return (first > second) - (first < second);
}

static inline bool spot_attempt_has(const spot_attempt_t *self, int stage)
{
    return (self->has >> stage & 1) != 0;
}

/* Whether both ends are there; the length of what is between, which may be negative. */
static inline bool spot_attempt_between(
    const spot_attempt_t *self, int from, int to, int64_t *length)
{
    const bool has = spot_attempt_has(self, from) && spot_attempt_has(self, to);

    *length = has ? self->at[to] - self->at[from] : 0;
    return has;
}
