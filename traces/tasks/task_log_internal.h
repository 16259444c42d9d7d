/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How lines of the formats become events. Internal to traces/tasks. */
#pragma once

#include "base/instream.h"
#include "traces/tasks/task_log.h"

#define SPOT_TASK_CONTROLLER "controller"

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
    SPOT_NUM_TEXT_KEYS, /* of text lines; those below are of JSON lines alone */
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

/* The key of a name, or num_keys: none of the first so many. */
spot_task_key_t spot_task_find_key(
    const char *name, size_t num_bytes, spot_task_key_t num_keys);

typedef enum {
    SPOT_VALUE_ABSENT, /* or null */
    SPOT_VALUE_TEXT,
    SPOT_VALUE_NUMBER, /* its literal */
    SPOT_VALUE_OTHER   /* an object, array, boolean, with its JSON */
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
    size_t before; /* bytes of the file's line before it, if an event of a document */
    bool is_part;  /* text goes on behind the object, whose end then is num_bytes */
    bool is_plain; /* no byte in it is special: neither control nor escape nor UTF-8 */
    spot_task_key_t num_keys; /* that may occur; others are passed over */
    spot_task_value_t values[SPOT_NUM_LINE_KEYS]; /* [num_keys] */
    bool is_microtrace;   /* its action is the kind, its at the duration */
    size_t inputs_column; /* of an item of the inputs that is no id; 0: none */
    size_t num_inputs;
    size_t max_inputs;
    spot_task_value_t *inputs; /* [num_inputs] */
    int error;                 /* NO_MEMORY */
} spot_task_text_t;

typedef enum {
    SPOT_LOG_NONE,
    SPOT_LOG_JSON,    /* A, C */
    SPOT_LOG_TRACE,   /* B */
    SPOT_LOG_MARKERS, /* D */
    SPOT_LOG_BAD
} spot_task_format_t;

/* Why a line is bad; column 0: all of it. */
typedef struct {
    const char *text; /* NULL: it is good */
    size_t column;
} spot_task_fault_t;

spot_task_format_t spot_task_line_format(const char *text);

/* Cuts a JSON object, a trace line or a line of markers into its values. */
spot_task_fault_t spot_task_split_json(spot_task_text_t *line);
spot_task_fault_t spot_task_split_trace(spot_task_text_t *line);

/* An integer within int64, of all bytes; else why it is none. */
const char *spot_task_integer(const char *text, size_t num_bytes, int64_t *value);
