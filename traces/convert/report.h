/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a conversion: what was read, what was repaired or left out, and what
 * stays uncertain. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "traces/trace.h"

typedef enum {
    SPOT_REMARK_READ,     /* nothing was wrong */
    SPOT_REMARK_REPAIRED, /* the converter changed or left out something */
    SPOT_REMARK_UNCERTAIN /* the file does not say it */
} spot_remark_kind_t;

extern const char *const spot_remark_kind_names[]; /* by kind, NULL-terminated */

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

void spot_convert_report_init(spot_convert_report_t *self);
void spot_convert_report_free(spot_convert_report_t *self);

/* Appends a remark with the formatted sentence; key must outlive self. NO_MEMORY. */
SPOT_MUST_CHECK int spot_convert_report_add(spot_convert_report_t *self, spot_remark_kind_t kind,
    const char *key, int64_t count, const char *format, ...) SPOT_PRINTF(5, 6);

/* Print the resulting trace and all remarks, as a few lines or as one JSON object. */
void spot_convert_report_print(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);
void spot_convert_report_json(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out);
