/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event log of a task graph: which task ran where and when, which data moved. Read
 * from a file, or added event by event; then sealed. Times are in ns on the clock of the
 * writing process. docs/tasks.md has the formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/keys.h"
#include "base/memory.h"

/* Events of an attempt, in order of its chain. */
enum {
    SPOT_TASK_PLANNED,  /* by the controller, just before it asks a worker */
    SPOT_TASK_ENQUEUED, /* the request has arrived */
    SPOT_TASK_STARTED,
    SPOT_TASK_LOADED, /* its inputs are in memory; few logs have it */
    SPOT_TASK_FINISHED,
    SPOT_TRANSMIT_PLANNED = 0,
    SPOT_TRANSMIT_STARTED,
    SPOT_TRANSMIT_LOADED, /* read from memory at its source */
    SPOT_TRANSMIT_FINISHED,
    SPOT_TASK_MAX_STAGES = 7 /* markers have more, see task_analysis.h */
};

/* The host of the controller's lines. */
#define SPOT_TASK_CONTROLLER "controller"

typedef enum {
    SPOT_MODE_NONE,
    SPOT_MODE_LOCAL, /* same memory: nothing moves */
    SPOT_MODE_REMOTE,
    SPOT_MODE_REDUNDANT, /* the host had the data already */
    SPOT_NUM_MODES
} spot_task_mode_t;
extern const char *const spot_task_mode_names[SPOT_NUM_MODES];

typedef struct {
    int64_t at;
    int32_t id;     /* of the task, or of the task whose data is sent */
    int32_t worker; /* until the log is sealed: place, how the line names it */
    uint32_t line;
    uint8_t is_transmit;
    uint8_t stage;
    uint8_t mode;
    uint8_t is_controller; /* the controller's clock */
} spot_task_event_t;

typedef struct {
    const char *name;
    int32_t host_id;
} spot_task_worker_t;

/* The inputs of a task: inputs[start] up to inputs[end] of the log, each once. */
typedef struct {
    int32_t id;
    size_t start, end;
} spot_task_edges_t;

/* Counters of a controllerReport line. */
enum { SPOT_REPORT_COUNTERS = 6 };

typedef struct {
    int64_t act, wait; /* ns */
    bool has_wait;
    int64_t busy_workers;
    int64_t counters[SPOT_REPORT_COUNTERS];
} spot_task_report_t;

/* A line of markers of another kind: a phase of the controller begins, or how long
 * something took. */
typedef struct {
    int32_t name; /* of words */
    uint32_t line;
    int64_t at; /* or the duration */
} spot_task_mark_t;

typedef enum { SPOT_NAMES_AUTO, SPOT_NAMES_GLOBAL, SPOT_NAMES_LOCAL } spot_task_names_t;

typedef struct {
    bool is_markers;    /* its stages are those of task_analysis.h */
    bool has_planning;  /* its format has a controller; else only what ran is known */
    spot_names_t ids;   /* of tasks */
    spot_names_t words; /* names of workers, hosts, marks */
    size_t num_events, max_events;
    spot_task_event_t *events; /* [num_events] in order of the file */
    size_t num_places, max_places;
    struct spot_task_place *places; /* [num_places] */
    spot_key_table_t place_table;
    size_t num_reports, max_reports;
    spot_task_report_t *reports; /* [num_reports] */
    size_t num_phases, max_phases;
    spot_task_mark_t *phases; /* [num_phases] of the controller */
    size_t num_microtraces, max_microtraces;
    spot_task_mark_t *microtraces; /* [num_microtraces] */
    size_t num_edges, max_edges;
    spot_task_edges_t *edges; /* [num_edges] */
    size_t num_inputs, max_inputs;
    int32_t *inputs; /* [num_inputs] */
    size_t max_listed;
    struct {
        int32_t by, edges_id; /* the last task that lists it; its own inputs; or -1 */
    } * listed;               /* [max_listed] by id */
    int64_t num_lines;
    int64_t num_controller_lines;
    int64_t num_input_records;
    int64_t num_unknown_actions;
    int64_t num_skipped_lines;
    int64_t num_mode_lines[SPOT_NUM_MODES];
    /* Once sealed: */
    size_t num_workers;
    spot_task_worker_t *workers; /* [num_workers] in order of bytes */
    size_t num_hosts;
    const char **hosts;     /* [num_hosts] the same */
    const char *edges_path; /* of messages, borrowed; NULL: edges are of the log itself */
    spot_arena_t arena;
} spot_task_log_t;

/* Takes zeroed memory. */
void spot_task_log_free(spot_task_log_t *self);

/* What a line says of an event. */
typedef struct {
    const char *id, *host, *worker; /* of so many bytes: */
    size_t id_bytes, host_bytes, worker_bytes;
    int64_t at;
    size_t line;
    int stage;
    spot_task_mode_t mode;
    bool is_transmit, is_controller;
} spot_task_line_t;

/* Adds an event; texts are copied. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_log_add(spot_task_log_t *self, const spot_task_line_t *line);

/* Adds the inputs of a task; the same input twice is one. BAD_INPUT: it has some
 * already, NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_log_add_inputs(
    spot_task_log_t *self, int32_t id, size_t num_inputs, const int32_t *inputs);

/* Names workers and hosts once all events are there. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_task_log_seal(spot_task_log_t *self, spot_task_names_t names);

/* Sets rank[num ids] to the place of each id in order of bytes. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_log_rank(const spot_task_log_t *self, int32_t *rank);

/* Bytes of the class in an id: up to the first ( or :. */
size_t spot_task_class_bytes(const char *id);

/* ---- Lines ----
 * A line of a task log cut into its values.
 *
 * This part owns the keys that mean something, the values of a line with their
 * columns, and the two ways to cut it: a JSON object, or a trace line or line of
 * markers. Nothing is copied: values point into the line, which is written over.
 *
 * Use: spot_task_split_json() or spot_task_split_trace() fills values, by the format of
 * the line; then look at values[SPOT_LINE_...]. */

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

/* Cuts a JSON object, a trace line or a line of markers into its values. NULL, or why it
 * is bad, at the column of line; check its error too. */
const char *spot_task_split_json(spot_task_text_t *line);
const char *spot_task_split_trace(spot_task_text_t *line);
