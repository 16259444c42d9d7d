/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small traces for tests, from the rows of their text or from a file. */
#pragma once

#include <string.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/trace.h"

#define DATA_FOLDER SHARED_DATA "traces/"

/* keys: "counts", "4", "60", "unknown" for kind, capacity, resolution, start; rows
 * behind the row of columns. */
static inline void trace_of(spot_trace_t *trace, const char *kind, const char *capacity,
    const char *resolution_s, const char *start, const char *rows)
{
    char text[8192];
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_true((size_t) snprintf(text, sizeof(text),
                    "# spotsim-trace: 1\n# name: small\n# start: %s\n"
                    "# resolution_s: %s\n# kind: %s\n# capacity: %s\n"
                    "time_s,event,count,instances\n%s",
                    start, resolution_s, kind, capacity, rows) < sizeof(text));
    if (spot_trace_read_bytes(trace, "small", text, strlen(text), false, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
}

/* kind counts, capacity 4, resolution 1 s. */
static inline void counts_of(spot_trace_t *trace, const char *rows)
{
    trace_of(trace, "counts", "4", "1", "unknown", rows);
}

/* A file of the recorded data; without it the test is skipped. */
static inline void read_recorded(spot_trace_t *trace, const char *name)
{
    char path[PATH_BYTES];
    spot_diag_t diag;

    snprintf(path, sizeof(path), "%s%s.csv", DATA_FOLDER, name);
    need_data(path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read(trace, path, false, &diag), 0);
    spot_diag_free(&diag);
}
