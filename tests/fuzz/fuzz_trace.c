/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a trace file: no crash, a refusal says why, and what is accepted holds
 * all invariants. */
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_diag_t diag;
    spot_trace_t trace;
    int ret;

    spot_diag_init(&diag);
    ret = spot_trace_read_bytes(&trace, "fuzz", (const char *) bytes, num_bytes, false, &diag);
    if (ret == 0) {
        spot_trace_verify(&trace);
    }
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return 0;
}
