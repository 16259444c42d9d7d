/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log of any format that 'spotsim trace convert' recognises, as a trace. */
#pragma once

#include "traces/convert/convert.h"
#include "traces/describe/describe.h"

/* Zero it to start. */
typedef struct {
    spot_trace_t trace;
    spot_convert_report_t report;
    spot_describe_t figures;
} spot_taken_log_t;

/* Converts a log as task says (NULL: by its content), and writes the trace to a file
 * unless written is NULL. BAD_INPUT with the reasons in diag, IO, NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_taken_log_read(spot_taken_log_t *self, const char *path,
    const spot_convert_t *task, const char *written, spot_diag_t *diag);
void spot_taken_log_free(spot_taken_log_t *self);
