/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of a task log cut into its values.
 *
 * This module owns the keys that mean something, the values of a line with their
 * columns, and the two ways to cut it: a JSON object, or a trace line or line of
 * markers. Nothing is copied: values point into the line, which is written over.
 *
 * Use: spot_task_line_format() says which it is; spot_task_split_json() or
 * spot_task_split_trace() fills values; then look at values[SPOT_LINE_...]. */
#pragma once

#include "traces/tasks/task_log.h"

/* Keys of lines that mean something. */
typedef enum {
    SPOT_LINE_ACTION,
    SPOT_LINE_AT,
    SPOT_LINE_HOST,
    SPOT_LINE_WORKER,
    SPOT_LINE_TASK,
    SPOT_LINE_DATASET,
    SPOT_LINE_MODE,
    SPOT_LINE_SOURCE,
    SPOT_LINE_TARGET,
    SPOT_NUM_TEXT_KEYS,                    /* of text lines; those below are of JSON lines alone */
    SPOT_LINE_INPUTS = SPOT_NUM_TEXT_KEYS, /* see inputs */
    SPOT_LINE_ACT_DURATION,
    SPOT_LINE_WAIT_DURATION,
    SPOT_LINE_BUSY_WORKERS,
    SPOT_LINE_COUNTERS,
    SPOT_LINE_PHASE = SPOT_LINE_COUNTERS + SPOT_REPORT_COUNTERS, /* of documents */
    SPOT_LINE_NAME,
    SPOT_LINE_CATEGORY,
    SPOT_LINE_PID,
    SPOT_LINE_TID,
    SPOT_LINE_TS,
    SPOT_LINE_DUR,
    SPOT_LINE_ARGS,
    SPOT_LINE_TASK_ID,
    SPOT_LINE_FUNCTION,
    SPOT_LINE_KEY,
    SPOT_LINE_THREAD,
    SPOT_LINE_STATUS,
    SPOT_LINE_STRETCHES,
    SPOT_LINE_START,
    SPOT_LINE_STOP,
    SPOT_NUM_LINE_KEYS
} spot_task_key_t;
extern const char *const spot_task_key_names[SPOT_NUM_LINE_KEYS];

typedef enum {
    SPOT_VALUE_ABSENT, /* or null */
    SPOT_VALUE_TEXT,
    SPOT_VALUE_NUMBER, /* its literal */
    SPOT_VALUE_OTHER   /* a boolean; an object or array, with its JSON: not of inputs */
} spot_task_value_kind_t;

typedef struct {
    spot_task_value_kind_t kind;
    const char *text; /* [num_bytes] in the line */
    size_t num_bytes;
    size_t column; /* 1-based, of the value */
} spot_task_value_t;

/* A line cut into its values. */
typedef struct {
    char *text; /* [num_bytes], written over */
    size_t num_bytes;
    size_t number;
    size_t before;            /* bytes of the file's line before it, if an event of a document */
    bool is_part;             /* text goes on behind the object, whose end then is num_bytes */
    bool is_plain;            /* no byte in it is special: neither control nor escape nor UTF-8 */
    const char *pieces;       /* where those of a trace line begin */
    bool is_microtrace;       /* its action is the kind, its at the duration */
    spot_task_key_t num_keys; /* that may occur; others are passed over */
    spot_task_value_t values[SPOT_NUM_LINE_KEYS]; /* [num_keys] */
    size_t num_inputs, max_inputs;
    spot_task_value_t *inputs; /* [num_inputs] items of the list, whatever they are */
    size_t column;             /* of what is bad; 0: all of it */
    int error;                 /* NO_MEMORY */
} spot_task_text_t;

typedef enum {
    SPOT_LOG_NONE,
    SPOT_LOG_JSON,    /* A, C */
    SPOT_LOG_TRACE,   /* B */
    SPOT_LOG_MARKERS, /* D */
    SPOT_LOG_BAD
} spot_task_format_t;

/* The format of a line, whose pieces are found. */
spot_task_format_t spot_task_line_format(spot_task_text_t *line);

/* Cuts a JSON object, a trace line or a line of markers into its values. NULL, or why it
 * is bad, at the column of line; check its error too. */
const char *spot_task_split_json(spot_task_text_t *line);
const char *spot_task_split_trace(spot_task_text_t *line);

/* Whether it is a text or a number; and this one. */
bool spot_task_is_there(const spot_task_value_t *value);
bool spot_task_is_text(const spot_task_value_t *value, const char *text);

/* A decimal number times 10^power as an integer, rounded. False: beyond 64 bits. */
bool spot_task_decimal(const char *text, int power, int64_t *value);

/* Reads an integer within int64, of all bytes; else returns why it is none. */
const char *spot_task_integer(const spot_task_value_t *value, int64_t *number);
