/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a sketch, and as a column summary behind a checksum that is right. No
 * crash; what is refused leaves an empty one, what is accepted is written as it was
 * read, and its quantiles stay between the minimum and the maximum. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/column_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static void
fuzz_sketch(const uint8_t *bytes, size_t num_bytes)
{
    static const double p[] = {0, 0.25, 0.5, 1};
    double quantiles[4];
    spot_quantile_sketch_t sketch = {0};
    spot_bytes_t again = {0};
    const int ret = spot_quantile_sketch_read(&sketch, bytes, num_bytes);

    spot_bug_assert(ret == 0 || sketch.num_values == 0);
    if (ret == 0 && spot_quantile_sketch_write(&sketch, &again) == 0 &&
        spot_quantile_sketch_quantiles(&sketch, 4, p, quantiles) == 0) {
        spot_bug_assert(again.num_bytes == num_bytes);
        spot_bug_assert(memcmp(again.bytes, bytes, num_bytes) == 0);
        for (size_t j = 0; sketch.num_values > 0 && j < 4; j++) {
            spot_bug_assert(
                quantiles[j] >= sketch.minimum && quantiles[j] <= sketch.maximum);
        }
    }
    spot_bytes_free(&again);
    spot_quantile_sketch_free(&sketch);
}

static void
fuzz_summary(const uint8_t *bytes, size_t num_bytes)
{
    spot_column_summary_t summary = {0};
    spot_bytes_t sealed = {0};
    int ret = spot_bytes_reserve(&sealed, num_bytes + 4);

    if (ret == 0) {
        for (size_t j = 0; j < num_bytes; j++) {
            spot_bytes_put_fixed(&sealed, bytes[j], 1);
        }
        spot_bytes_put_fixed(&sealed, crc32_z(0, sealed.bytes, num_bytes), 4);
        ret = spot_column_summary_read(&summary, sealed.bytes, sealed.num_bytes);
        spot_bug_assert(
            ret == 0 || (summary.num_nulls == 0 && summary.moments.num_values == 0));
    }
    spot_bytes_free(&sealed);
    spot_column_summary_free(&summary);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    fuzz_sketch(bytes, num_bytes);
    fuzz_summary(bytes, num_bytes);
    return 0;
}
