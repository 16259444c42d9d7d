/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converting recordings of clouds and papers to the canonical trace file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"
#include "traces/convert/report.h"
#include "traces/records/record_input.h"
#include "traces/trace.h"

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
