/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a conversion has to tell about its input: what was read, what was repaired or
 * left out, and what stays uncertain. */
#ifndef SPOT_TRACES_CONVERT_REPORT_H
#define SPOT_TRACES_CONVERT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "traces/trace.h"

typedef enum {
    SPOT_REMARK_READ,     /* as it should be */
    SPOT_REMARK_REPAIRED, /* something was changed or left out, unasked */
    SPOT_REMARK_UNCERTAIN /* the file does not say it */
} spot_remark_kind_t;

extern const char *const spot_remark_kind_names[]; /* by kind, NULL-terminated */

typedef struct {
    spot_remark_kind_t kind;
    const char *key; /* for machines, e.g. "rows_back_in_time" */
    int64_t count;   /* of what the key says; 0: not a matter of counting */
    char *text;      /* a sentence */
} spot_remark_t;

typedef struct {
    const char *format; /* the importer's name */
    int64_t num_records;
    size_t num_remarks;
    size_t max_remarks;
    spot_remark_t *remarks; /* [num_remarks] */
} spot_convert_report_t;

void spot_convert_report_init(spot_convert_report_t *self);
void spot_convert_report_free(spot_convert_report_t *self);

/* NO_MEMORY. */
SPOT_MUST_CHECK int spot_convert_report_add(spot_convert_report_t *self,
    spot_remark_kind_t kind, const char *key, int64_t count, const char *format, ...)
    SPOT_PRINTF(5, 6);

/* A few lines, or one JSON object, about the trace that came out and all remarks. */
void spot_convert_report_print(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);
void spot_convert_report_json(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);

#endif
