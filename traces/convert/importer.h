/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an importer is: one file and one const table each. It reads what a cloud or a
 * paper has recorded, row by row, into a trace; what all of them do is here. */
#ifndef SPOT_TRACES_CONVERT_IMPORTER_H
#define SPOT_TRACES_CONVERT_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"
#include "base/diag.h"
#include "traces/convert/convert.h"
#include "traces/convert/input.h"
#include "traces/convert/report.h"
#include "traces/trace.h"
#include "traces/trace_instances.h"

/* One import under way. */
typedef struct {
    const spot_convert_t *task;
    const spot_input_t *inputs; /* [num_inputs of the importer] */
    int64_t unit_ms;            /* of time numbers; 0: the format has its own */
    spot_trace_t *trace;        /* kind, initial, end_ms are the importer's to set */
    spot_trace_instances_t instances;
    spot_convert_report_t *report;
    spot_diag_t *diag;
    int64_t capacity;    /* 0: the largest number */
    double resolution_s; /* > 0: the importer's to set */
    int64_t gcd_ms;      /* of the times noted */
    size_t num_skipped;  /* lines without a record */
    bool is_doubtful;    /* a record was refused: who runs is not known any more */
} spot_import_t;

/* Options that only some importers take. */
enum { SPOT_TAKES_POLL_COPIES = 1, SPOT_TAKES_WINDOW = 2 };

typedef struct {
    const char *name; /* as in --from NAME */
    const char *doc;
    const char *source; /* who writes such files */
    size_t num_inputs;
    int64_t unit_ms; /* of time numbers without --unit; 0: the format has its own */
    unsigned takes;
    bool is_canonical; /* its header is kept as it is */
    /* Whether a file whose first line is that may be one. */
    bool (*sniff)(const char *line);
    /* Fills self->trace; every error is reported. BAD_INPUT, IO, NO_MEMORY. */
    int (*read)(spot_import_t *self);
} spot_importer_t;

extern const spot_importer_t spot_importer_bamboo;
extern const spot_importer_t spot_importer_gcloud;
extern const spot_importer_t spot_importer_lifetimes;
extern const spot_importer_t spot_importer_node_count;
extern const spot_importer_t spot_importer_parcae;
extern const spot_importer_t spot_importer_skypilot;
extern const spot_importer_t spot_importer_spotsim;
extern const spot_importer_t spot_importer_step;

/* Every importer, NULL-terminated. */
extern const spot_importer_t *const spot_importers[];

/* Calls take(state, row) for every row of a file with fields; blank lines and comments
 * are counted. take returns 0, BAD_INPUT where it has reported the row, or what ends
 * the reading. BAD_INPUT if anything was reported, or there is no row. */
SPOT_MUST_CHECK int spot_import_rows(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state);

/* Reports "<field>: expected <expected>, got '<text>'" and that a row has another number
 * of fields. BAD_INPUT. */
SPOT_MUST_CHECK int spot_import_expected(const spot_import_t *self, size_t input_id,
    const spot_csv_row_t *row, size_t field_id, const char *field, const char *expected);
SPOT_MUST_CHECK int spot_import_num_fields(const spot_import_t *self, size_t input_id,
    const spot_csv_row_t *row, size_t num_expected);

/* A count from 0 to INT32_MAX, digits only. */
SPOT_MUST_CHECK int spot_import_count_parse(const char *text, int32_t *count);

/* Notes a time for the resolution by the greatest common divisor. */
void spot_import_note_time(spot_import_t *self, int64_t time_ms);

/* Sets the resolution to the divisor of all times noted. */
void spot_import_take_gcd(spot_import_t *self);

/* Appends an event; is_merged: adds to the last one if that is of the same kind and
 * time. NO_MEMORY. */
SPOT_MUST_CHECK int spot_import_event(spot_import_t *self, int64_t time_ms,
    spot_event_kind_t kind, int32_t count, bool is_merged);

/* An instance comes or goes; its event, or trace->initial, is the caller's to count. At
 * line and column of an input it is reported that it cannot. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_import_instance(spot_import_t *self, size_t input_id,
    size_t line, size_t column, const char *name, size_t num_bytes, bool is_arrival);

/* Sets a header key, in place of a former value. value must not be empty. NO_MEMORY. */
SPOT_MUST_CHECK int spot_import_key(
    spot_import_t *self, const char *key, const char *value);

/* Adds a remark to the report. */
#define SPOT_IMPORT_REMARK(self, kind, key, count, ...)                                 \
    spot_convert_report_add((self)->report, kind, key, (int64_t) (count), __VA_ARGS__)

/* The sample rule: counts at times give the initial number and one event for each
 * difference; the last of several counts at one time wins. */
typedef struct {
    spot_import_t *import;
    size_t num_samples; /* distinct times */
    int64_t time_ms;    /* of the latest sample, which may still be replaced */
    int32_t count;
    int32_t before;       /* the count before it */
    size_t num_same_time; /* samples replaced */
} spot_count_series_t;

void spot_count_series_init(spot_count_series_t *self, spot_import_t *import);
/* time_ms must not decrease. NO_MEMORY. */
SPOT_MUST_CHECK int spot_count_series_add(
    spot_count_series_t *self, int64_t time_ms, int32_t count);
/* The trace ends at end_ms, at or behind the last sample. NO_MEMORY. */
SPOT_MUST_CHECK int spot_count_series_finish(spot_count_series_t *self, int64_t end_ms);

#endif
