/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a timeline of a database. No crash; what is accepted keeps its rules, so
 * that it can be written, and what was written is read as the same. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "sim/store/timeline_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static void
check_again(const spot_timeline_t *timeline)
{
    spot_timeline_t second;
    spot_bytes_t once = {0}, twice = {0};
    int ret = spot_timeline_write_bytes(timeline, &once);

    spot_bug_assert(ret != SPOT_ERR_BAD_PARAM);
    spot_timeline_init(&second);
    if (ret == 0) {
        ret = spot_timeline_read_bytes(&second, once.bytes, once.num_bytes);
        spot_bug_assert(ret != SPOT_ERR_BAD_INPUT);
    }
    if (ret == 0 && spot_timeline_write_bytes(&second, &twice) == 0) {
        spot_bug_assert(once.num_bytes == twice.num_bytes);
        spot_bug_assert(memcmp(once.bytes, twice.bytes, once.num_bytes) == 0);
    }
    spot_timeline_free(&second);
    spot_bytes_free(&once);
    spot_bytes_free(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_timeline_t timeline;

    spot_timeline_init(&timeline);
    if (spot_timeline_read_bytes(&timeline, bytes, num_bytes) == 0) {
        check_again(&timeline);
    }
    spot_timeline_free(&timeline);
    return 0;
}
