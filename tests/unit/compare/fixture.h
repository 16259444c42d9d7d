/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces and models from short texts. Include after cmocka.h. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "traces/trace.h"

/* rows: the lines behind the column row, e.g. "0,init,2,\n60,end,2,\n". */
static inline void make_trace(spot_trace_t *trace, const char *name, int resolution_s,
    const char *kind, const char *capacity, const char *rows)
{
    static char text[1 << 20];
    spot_diag_t diag;
    int num_bytes;

    num_bytes = snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: %s\n# start: unknown\n# resolution_s: %d\n"
        "# kind: %s\n# capacity: %s\ntime_s,event,count,instances\n%s",
        name, resolution_s, kind, capacity, rows);
    assert_true(num_bytes < (int) sizeof(text));
    spot_diag_init(&diag);
    if (spot_trace_read_bytes(trace, "trace", text, (size_t) num_bytes, false, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
}
