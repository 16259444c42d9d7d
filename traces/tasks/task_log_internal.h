/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How lines of the formats, and documents, become events. Internal to traces/tasks. */
#pragma once

#include "base/inputs.h"
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

/* The key of a name, or num_keys: none of the first so many. */
spot_task_key_t spot_task_find_key(const char *name, size_t num_bytes, spot_task_key_t num_keys);

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

/* ---- Documents of other programs, see import_document.c ---- */

typedef struct spot_task_import spot_task_import_t;

/* Begins to read if the first bytes of a file are those of a document, and cuts them;
 * else self stays NULL. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_import_open(
    spot_task_import_t **self, spot_task_log_t *log, char *bytes, size_t num_bytes);

/* Turns the next bytes into lines, of one event or record each. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_import_cut(spot_task_import_t *self, char *bytes, size_t num_bytes);

/* Sets where in the file the next line that is not empty was. */
void spot_task_import_place(spot_task_import_t *self, spot_task_text_t *line);

/* Takes the values of a line. NULL, or why they are bad; check the error of line too. */
const char *spot_task_import_take(spot_task_import_t *self, spot_task_text_t *line);

/* Names workers and hosts, reports what is not known, and frees self. ret: how the
 * reading ended. The same, BAD_INPUT, NO_MEMORY. */
int spot_task_import_close(spot_task_import_t *self, int ret, const char *file, spot_diag_t *diag);
