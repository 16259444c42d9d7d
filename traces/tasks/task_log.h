/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event log of a task graph: which task ran where and when, which data moved. Read
 * from a file, or added event by event; then sealed. Times are in ns on the clock of the
 * writing process. docs/tasks.md has the formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
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
