/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded or generated trace: the additions and losses of instances as seen from
 * outside.
 *
 * This module owns the trace in memory (header keys, events, names), its making event by event, the
 * reading of the canonical CSV, version 1 (docs/formats.md has it), the check of instance names
 * that readers and importers share, and the events summed up for statistics. trace_write.h writes
 * the same format.
 *
 * Use: spot_trace_read() a file, look at events, spot_trace_free(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/keys.h"
#include "base/yaml.h"
#include "traces/file_header.h"

/* Capacity of a trace that says "unbounded". */
#define SPOT_UNBOUNDED INT32_MAX

typedef enum {
    SPOT_TRACE_NAMED,       /* every change lists instance names */
    SPOT_TRACE_COUNTS,      /* only the number running is known */
    SPOT_TRACE_AVAILABILITY /* the number that could be obtained; nothing ran */
} spot_trace_kind_t;

extern const char *const spot_trace_kind_names[]; /* by kind, NULL-terminated */

typedef enum {
    SPOT_EVENT_PREEMPT, /* the provider takes instances back */
    SPOT_EVENT_ADD,     /* instances arrive */
    SPOT_EVENT_STOP     /* the user gives instances back */
} spot_event_kind_t;

extern const char *const spot_event_kind_names[]; /* by kind: preempt, add, stop */

/* One row: count instances at one time. */
typedef struct {
    int64_t time_ms; /* >= 0, never decreasing */
    spot_event_kind_t kind;
    int32_t count;           /* >= 1 */
    const int32_t *name_ids; /* [count], or NULL if only numbers are known */
} spot_event_t;

typedef struct {
    spot_keys_t header; /* its keys, without spotsim-trace */
    spot_trace_kind_t kind;
    int32_t capacity;      /* > 0 or SPOT_UNBOUNDED */
    int64_t resolution_ms; /* of the recorder, > 0, rounded up to 1 ms */
    int32_t initial;       /* instances at time 0 */
    int64_t end_ms;        /* > 0, end of the observation */
    int32_t final;         /* instances at the end */
    size_t num_events;
    size_t max_events;
    spot_event_t *events; /* [num_events] rows between init and end, in file order */
    size_t num_names;
    size_t max_names;
    char **names; /* [num_names] distinct, by first appearance; ids are indices of it */
    size_t num_name_ids;
    size_t max_name_ids;
    int32_t *name_ids; /* [num_name_ids] the initial ones, then those of the rows */
} spot_trace_t;

/* The longest name of an instance. */
#define SPOT_NAME_BYTES 63

/* Accepts a zeroed one. */
void spot_trace_free(spot_trace_t *self);

/* The value of a header key, or NULL. O(keys). */
const char *spot_trace_key(const spot_trace_t *self, const char *key);

/* The largest population. O(events). */
int32_t spot_trace_peak(const spot_trace_t *self);

/* Most instances that can run: the capacity; if that is unbounded, the largest
 * population. */
int32_t spot_trace_most(const spot_trace_t *self);

/* Reads a canonical trace file, plain or packed, and reports every error to diag as
 * file:line:column. Times that are no multiple of the resolution give one warning with
 * their number, or with is_strict an error. BAD_INPUT, IO, NO_MEMORY; free self even
 * then. */
SPOT_MUST_CHECK int spot_trace_read(
    spot_trace_t *self, const char *path, bool is_strict, spot_diag_t *diag);

/* The least of what the trace files of a list in a document have at most
 * (spot_trace_most()); 0: of none, or no list. Errors as spot_trace_read(). */
SPOT_MUST_CHECK int spot_trace_least_most(
    const spot_node_t *paths, int64_t *most, spot_diag_t *diag);

/* spot_trace_read() from memory; file is the name in messages. */
SPOT_MUST_CHECK int spot_trace_read_bytes(spot_trace_t *self, const char *file, const char *bytes,
    size_t num_bytes, bool is_strict, spot_diag_t *diag);

/* Checks all invariants of the format and aborts on a violation, which is a bug of the
 * program. O(events + names). */
void spot_trace_verify(const spot_trace_t *self);

/* Prints one line of figures, then one line per event. */
void spot_trace_print_state(const spot_trace_t *self, FILE *out);

/* Whether the bytes can be an instance name: 1 to SPOT_NAME_BYTES bytes without blank,
 * comma, double quote or control byte. */
bool spot_trace_is_name(const char *text, size_t num_bytes);

/* Whether the value is allowed for the key "start": unknown, a date or a date-time. */
#define SPOT_TRACE_START_EXPECTED "unknown, a date or a date-time"
bool spot_trace_start_is(const char *value);

/* Reads seconds: digits, then optionally a point and 1 to 3 decimals. BAD_INPUT for any
 * other text and beyond 100 years. */
SPOT_MUST_CHECK int spot_trace_time_parse(const char *text, int64_t *time_ms);

/* Writes the shortest exact text in seconds, e.g. "2040" or "212.4". time_ms >= 0.
 * Returns the number of bytes. */
#define SPOT_TRACE_TIME_BYTES 24
size_t spot_trace_time_text(int64_t time_ms, char text[SPOT_TRACE_TIME_BYTES]);

/* ---- The events of a trace for statistics ----
 * Rows of one kind at one time are one event, and their sizes add up. */

/* All instances of one kind of change at one time. */
typedef struct {
    int64_t time_ms;
    spot_event_kind_t kind;
    int32_t size;   /* instances, >= 1 */
    int32_t before; /* population just before */
} spot_bulk_t;

typedef struct {
    size_t num_bulks;
    spot_bulk_t *bulks; /* [num_bulks] by time; at one time preempt, stop, add */
} spot_bulks_t;

/* Does not keep trace. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_bulks_init(spot_bulks_t *self, const spot_trace_t *trace);
void spot_bulks_free(spot_bulks_t *self);

/* ---- The names of instances in rows ----
 * The instance names in the rows of a canonical trace file. It knows which of them run,
 * and refuses names that cannot come or go. */

typedef struct {
    bool is_running;
    size_t line; /* of the last row that had the name */
} spot_instance_state_t;

typedef struct {
    spot_trace_t *trace; /* receives the ids; must outlive self */
    const char *file;
    spot_diag_t *diag;
    spot_names_t names;
    size_t max_states;
    spot_instance_state_t *states; /* [names.num_names] */
} spot_trace_instances_t;

void spot_trace_instances_init(
    spot_trace_instances_t *self, spot_trace_t *trace, const char *file, spot_diag_t *diag);
void spot_trace_instances_free(spot_trace_instances_t *self);

/* Makes one instance come or go without a row, and appends its id to those of trace. The
 * name must be valid. Returns 1 and does nothing if the instance already runs, or does
 * not run; NO_MEMORY. O(bytes) expected. */
SPOT_MUST_CHECK int spot_trace_instances_take(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, bool is_arrival);

/* Moves the names to trace and points its events at their ids. Call it after the last
 * row. */
void spot_trace_instances_finish(spot_trace_instances_t *self);

/* ---- Recorder ---- */

/* A recorder that reads the population once a tick, and the events that it sees. An
 * event is seen at the next tick; instances that come and go between two ticks are never
 * seen. */

typedef struct {
    int64_t tick_ms;
    bool is_net;        /* sees only the net change of a tick, else both directions */
    int64_t population; /* at the start of the open tick */
    int64_t tick;       /* number of the open tick, which is seen at tick * tick_ms */
    int64_t preempted;  /* in the open tick, like stopped and added */
    int64_t stopped;
    int64_t added;
} spot_recorder_t;

/* Most events of one tick. */
#define SPOT_RECORDER_EVENTS 3

/* tick_ms > 0; population at time 0. */
void spot_recorder_init(spot_recorder_t *self, int64_t tick_ms, bool is_net, int64_t population);

/* Number of the tick that sees an event at time_ms >= 0: ceil(time / tick - 1e-9). The
 * slack is for multiples of the tick that rounding has moved. */
static inline int64_t spot_tick_seeing(int64_t tick_ms, double time_ms)
{
    const double ticks = time_ms / (double) tick_ms - 1e-9;
    const int64_t whole = (int64_t) ticks;

    return whole + ((double) whole < ticks);
}

/* Takes the next event; times never decrease. If that closes an earlier tick, writes its
 * events (without names; in the order preempt, stop, add) to seen. Returns their
 * number. */
size_t spot_recorder_take(spot_recorder_t *self, double time_ms, spot_event_kind_t kind,
    int64_t count, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* Closes the open tick: writes its events to seen and returns their number. */
size_t spot_recorder_finish(spot_recorder_t *self, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* Records a trace again with another tick. The kind becomes counts (availability stays),
 * the key resolution_s changes, the other keys and the end stay. tick_ms is at least the
 * resolution of the trace. Events seen after the end are lost. NO_MEMORY; free recorded
 * even then. O(events). */
SPOT_MUST_CHECK int spot_recorder_trace(
    const spot_trace_t *trace, int64_t tick_ms, bool is_net, spot_trace_t *recorded);
