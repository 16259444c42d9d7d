/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts recordings of clouds and papers to the canonical trace file.
 *
 * This module owns the options of a conversion, its report, the list of importers and
 * the helpers that they share. An importer reads one format, row by row, into a trace:
 * one file and one const table each; those of logs of instances share
 * logs/instance_log.h.
 *
 * Use: fill a spot_convert_t and call spot_convert(); print the report with
 * spot_convert_report_print(). A new importer fills in a spot_importer_t and joins
 * spot_importers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/records/records.h"
#include "traces/trace.h"

typedef enum {
    SPOT_REMARK_READ,     /* nothing was wrong */
    SPOT_REMARK_REPAIRED, /* the converter changed or left out something */
    SPOT_REMARK_UNCERTAIN /* the file does not say it */
} spot_remark_kind_t;

typedef struct {
    spot_remark_kind_t kind;
    const char *key; /* for machines, e.g. "rows_back_in_time" */
    int64_t count;   /* of the things that key names; 0: the remark counts nothing */
    char *text;      /* a sentence */
} spot_remark_t;

typedef struct {
    const char *format; /* the importer's name */
    int64_t num_records;
    size_t num_remarks;
    size_t max_remarks;
    spot_remark_t *remarks; /* [num_remarks] */
} spot_convert_report_t;

void spot_convert_report_free(spot_convert_report_t *self);

/* Appends a remark with the formatted sentence; key must outlive self. NO_MEMORY. */
SPOT_MUST_CHECK int spot_convert_report_add(spot_convert_report_t *self, spot_remark_kind_t kind,
    const char *key, int64_t count, const char *format, ...) SPOT_PRINTF(5, 6);

/* Print the resulting trace and all remarks, as a few lines or as one JSON object. */
void spot_convert_report_print(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);
void spot_convert_report_json(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);

/* What a loss is whose cause a log does not say. */
typedef enum { SPOT_UNKNOWN_STOP, SPOT_UNKNOWN_PREEMPT } spot_convert_unknown_t;

/* Options of a conversion. With kind and window_ms -1 and the rest zero, everything is
 * taken from the input. */
typedef struct {
    const char *format;      /* name of the importer; NULL: by the first line */
    const char *name;        /* NULL: from the file's name */
    const char *start;       /* NULL: the input's, or unknown */
    int64_t resolution_ms;   /* 0: the importer's */
    int64_t capacity;        /* 0: the input's, or the largest population; SPOT_UNBOUNDED */
    int kind;                /* spot_trace_kind_t; -1: the importer's */
    int64_t unit_ms;         /* one unit of the times; 0: the importer's */
    int64_t num_poll_copies; /* most lines of one poll, copies included; 0: no copies */
    int64_t window_ms;       /* a termination moves to the first row within; -1: not given */
    const char *now;         /* end of the observation, and of the ages in it; NULL: the last
                                record */
    const char *now_option;  /* that gave it, without dashes; NULL: until */
    int unknown;             /* spot_convert_unknown_t of a loss whose cause is unknown */
    int64_t notice_ms;       /* a notice without a loss is a loss so much later; 0: none */
    int64_t initial;         /* instances when the log starts; 0: those that it names */
    const char *only;        /* pattern of the names of instances; NULL: all */
    const char *columns;     /* of a mapping: "time=Timestamp,instance=node"; NULL: none */
    const char *events;      /* the same: "launched=add,spot=preempt" */
    size_t num_sets;
    const char *const *sets; /* [num_sets] "key=value" of further header keys */
    bool is_strict;          /* a repair is an error */
} spot_convert_t;

/* The option that said until when a log was watched, or could. */
const char *spot_convert_until(const spot_convert_t *task);

/* Converts inputs to a trace that passes spot_trace_verify(), and fills report with the
 * remarks. BAD_INPUT with every reason in diag, IO, NO_MEMORY. Free trace and report
 * even then. */
SPOT_MUST_CHECK int spot_convert(const spot_convert_t *task, size_t num_inputs,
    const spot_record_input_t *inputs, spot_trace_t *trace, spot_convert_report_t *report,
    spot_diag_t *diag);

/* ---- The table of an importer, and helpers of all ----
 * An importer reads one format of recordings, row by row, into a trace: one file and one
 * const table each. This header declares the table and the helpers of all importers. */

/* An instance that comes, until all records of its time are read. */
typedef struct {
    char name[SPOT_NAME_BYTES + 1];
    size_t line;
    size_t column;
} spot_import_arrival_t;

/* One import under way. */
typedef struct {
    const spot_convert_t *task;
    size_t num_inputs;
    const spot_record_input_t *inputs; /* [num_inputs] */
    int64_t unit_ms;                   /* one unit of the times; 0: the format has its own */
    spot_trace_t *trace;               /* the importer sets kind, initial and end_ms */
    spot_trace_instances_t instances;
    spot_convert_report_t *report;
    spot_diag_t *diag;
    int64_t capacity;    /* 0: the largest population */
    double resolution_s; /* > 0, set by the importer */
    int64_t gcd_ms;      /* greatest common divisor of the times noted */
    size_t num_skipped;  /* blank lines and comments */
    size_t num_coloured; /* lines with colours of a terminal */
    bool is_doubtful;    /* a record was refused: the instances running are unknown */
    size_t num_arrivals;
    size_t max_arrivals;
    spot_import_arrival_t *arrivals; /* [num_arrivals] of the time under way */
    size_t num_lifeless;             /* instances that came and went at one time */
    int error;                       /* NO_MEMORY: a key, a remark or an event is missing */
} spot_import_t;

/* Options that only some importers accept. */
enum {
    SPOT_TAKES_POLL_COPIES = 1,
    SPOT_TAKES_WINDOW = 2,
    SPOT_TAKES_LOG = 4,    /* --until, --notice and others: see logs/instance_log.h */
    SPOT_TAKES_MAPPING = 8 /* --columns, --events */
};

/* The begin of the first file, enough to recognise its format. */
typedef struct {
    const char *line; /* the first one that is not blank, without blanks before it, cut
                         after SPOT_RECORD_LINE_BYTES - 1 bytes */
    const char *text; /* up to SPOT_RECORD_HEAD_BYTES - 1 bytes of the file, the first
                         NUL ends it */
    const spot_convert_t *task;
} spot_convert_head_t;

typedef struct {
    const char *name; /* as in --from NAME */
    const char *doc;
    const char *source; /* project or paper that such files come from */
    size_t num_inputs;  /* 0: one or more */
    int64_t unit_ms;    /* one unit of the times without --unit; 0: the format's own */
    unsigned takes;     /* SPOT_TAKES_*, or-ed */
    bool is_canonical;  /* the header of the input is kept unchanged */
    /* Whether a file that begins like this may have the format. */
    bool (*sniff)(const spot_convert_head_t *head);
    /* Fills self->trace and reports every error. BAD_INPUT, IO, NO_MEMORY. */
    int (*read)(spot_import_t *self);
} spot_importer_t;

extern const spot_importer_t spot_importer_autoscaler;
extern const spot_importer_t spot_importer_azure_events;
extern const spot_importer_t spot_importer_bamboo;
extern const spot_importer_t spot_importer_ec2;
extern const spot_importer_t spot_importer_eventbridge;
extern const spot_importer_t spot_importer_gcloud;
extern const spot_importer_t spot_importer_gcloud_operations;
extern const spot_importer_t spot_importer_kubernetes;
extern const spot_importer_t spot_importer_lifetimes;
extern const spot_importer_t spot_importer_mapping;
extern const spot_importer_t spot_importer_node_count;
extern const spot_importer_t spot_importer_parcae;
extern const spot_importer_t spot_importer_prometheus;
extern const spot_importer_t spot_importer_skyjobs;
extern const spot_importer_t spot_importer_skypilot;
extern const spot_importer_t spot_importer_slurm;
extern const spot_importer_t spot_importer_spotsim;
extern const spot_importer_t spot_importer_step;

/* What to say of a file that no format fits. */
#define SPOT_CONVERT_EXPECTED                                                                      \
    "expected --from with one of the formats that `spotsim trace convert --help` "                 \
    "lists, or --columns"

/* Every importer, NULL-terminated. */
extern const spot_importer_t *const spot_importers[];

/* Calls take(state, row) for every row with fields; counts blank lines and comments in
 * num_skipped. take returns 0, BAD_INPUT after it has reported the row (reading goes
 * on), or another error, which ends the reading and is returned. BAD_INPUT also if any
 * row was reported or the file has no row; IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_import_rows(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state);

/* The same for lines as they are, whose fields are not split: only text and num_bytes of
 * the row count, and a # is no comment. Blank lines are counted in num_skipped. */
SPOT_MUST_CHECK int spot_import_lines(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state);

/* Reports "<field>: expected <expected>, got '<text>'". Returns BAD_INPUT. */
SPOT_MUST_CHECK int spot_import_expected(const spot_import_t *self, size_t input_id,
    const spot_csv_row_t *row, size_t field_id, const char *field, const char *expected);

/* Checks the number of fields of a row. BAD_INPUT, reported, if it is another one. */
SPOT_MUST_CHECK int spot_import_num_fields(
    const spot_import_t *self, size_t input_id, const spot_csv_row_t *row, size_t num_expected);

/* Reads a count from 0 to INT32_MAX that has digits only. BAD_INPUT. */
SPOT_MUST_CHECK int spot_import_count_parse(const char *text, int32_t *count);

/* Reads a time from 0 in units of the input; false: it is none. */
bool spot_import_time_parse(const spot_import_t *self, const char *text, int64_t *time_ms);

/* Takes time_ms into self->gcd_ms. */
void spot_import_note_time(spot_import_t *self, int64_t time_ms);

/* Sets the resolution to the greatest common divisor of all times noted. */
void spot_import_take_gcd(spot_import_t *self);

/* Appends an event; with is_merged, adds count to the last event if its kind and time
 * are the same. Without memory this and the functions below set self->error, which ends
 * the conversion once the importer has read its input. */
void spot_import_event(
    spot_import_t *self, int64_t time_ms, spot_event_kind_t kind, int32_t count, bool is_merged);

/* Records that an instance comes or goes; the caller counts it in an event or in
 * trace->initial. BAD_INPUT if the name is bad, or it runs already, or it does not run:
 * reported at line and column of the only input, unless an earlier refusal may be the
 * cause. NO_MEMORY. */
SPOT_MUST_CHECK int spot_import_instance(spot_import_t *self, size_t line, size_t column,
    const char *name, size_t num_bytes, bool is_arrival);

/* For formats whose records of one time come in any order, while a trace has the losses
 * of a time before its additions. spot_import_arrive() holds an instance back until
 * spot_import_arrivals() makes all of them come at time_ms, as one event or as initial
 * instances. spot_import_leave() makes an instance that runs go at once; one that is
 * held back never came: both are left out, and counted in num_lifeless. Errors as
 * spot_import_instance(), of a held instance when it comes. leave: O(arrivals) for an
 * instance that does not run. */
SPOT_MUST_CHECK int spot_import_arrive(
    spot_import_t *self, size_t line, size_t column, const char *name, size_t num_bytes);
SPOT_MUST_CHECK int spot_import_leave(spot_import_t *self, int64_t time_ms, spot_event_kind_t kind,
    size_t line, size_t column, const char *name, size_t num_bytes);
SPOT_MUST_CHECK int spot_import_arrivals(spot_import_t *self, int64_t time_ms, bool is_initial);

/* Sets a header key or replaces its value. value must not be empty. */
void spot_import_key(spot_import_t *self, const char *key, const char *value);
void spot_import_key_bytes(
    spot_import_t *self, const char *key, const char *value, size_t num_bytes);

/* Adds a remark to the report. */
#define SPOT_IMPORT_REMARK(self, kind, key, count, ...)                                            \
    spot_import_note_error((self),                                                                 \
        spot_convert_report_add((self)->report, kind, key, (int64_t) (count), __VA_ARGS__))
void spot_import_note_error(spot_import_t *self, int error);

/* Turns counts at times into a trace: the first count is the initial number, each
 * difference is one event, and the last of several counts at one time wins. Zero it but
 * for import to start. */
typedef struct {
    spot_import_t *import;
    size_t num_samples;   /* distinct times */
    int64_t time_ms;      /* of the latest sample, which may still be replaced */
    int32_t count;        /* of the latest sample */
    int32_t before;       /* count of the sample before it */
    size_t num_same_time; /* samples replaced */
} spot_count_series_t;

/* time_ms must not decrease. */
void spot_count_series_add(spot_count_series_t *self, int64_t time_ms, int32_t count);
/* Ends the trace at end_ms, at or after the last sample. */
void spot_count_series_finish(spot_count_series_t *self, int64_t end_ms);
