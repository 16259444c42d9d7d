/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event log of one replication: records of a fixed size, in memory. The engine that
 * writes it defines what kinds and values mean. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SPOT_EVENT_VALUES 4

typedef struct {
    int64_t time_ms;
    int64_t values[SPOT_EVENT_VALUES];
    double amount;    /* what the engine adds to a record; 0 */
    int64_t sequence; /* order of adding */
    int32_t kind;
    int32_t text_offset; /* into texts, -1: none */
} spot_log_record_t;

typedef struct {
    size_t num_records;
    size_t max_records;
    spot_log_record_t *records; /* [num_records] */
    size_t num_text_bytes;
    size_t max_text_bytes;
    char *texts;    /* NUL-terminated one after another */
    int has_failed; /* NO_MEMORY: records are missing */
} spot_event_log_t;

void spot_event_log_init(spot_event_log_t *self);
void spot_event_log_free(spot_event_log_t *self);
void spot_event_log_clear(spot_event_log_t *self);

/* Appends a record; text may be NULL. Sets has_failed if memory runs out. O(1). */
void spot_event_log_add(spot_event_log_t *self, int64_t time_ms, int32_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const char *text);

/* Sorts the records by (time, kind, order of adding). O(records log records). */
void spot_event_log_sort(spot_event_log_t *self);

/* The text of a record, or NULL. */
const char *spot_event_log_text(const spot_event_log_t *self, const spot_log_record_t *record);
