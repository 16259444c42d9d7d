/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "tests/unit/base/support.h"

/* Parts come as often as their weights say; parts of weight 0 never. */
static void test_draws(void **state)
{
    static const double weights[] = {0, 3, 0, 1, 4, 0};
    enum { NUM_PARTS = sizeof(weights) / sizeof(weights[0]), NUM_DRAWS = 40000 };
    int counts[NUM_PARTS] = {0};
    spot_parts_t parts = {0};
    spot_rng_t rng;

    (void) state;
    assert_true(spot_parts_sum(&parts) == 0);
    for (size_t j = 0; j < NUM_PARTS; j++) {
        assert_int_equal(spot_parts_add(&parts, weights[j]), 0);
    }
    assert_true(spot_parts_sum(&parts) == 8);
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_JOB_SIZE, 0);
    for (int j = 0; j < NUM_DRAWS; j++) {
        counts[spot_parts_draw(&parts, &rng)]++;
    }
    for (size_t j = 0; j < NUM_PARTS; j++) {
        const double p = weights[j] / 8;
        const double std = sqrt(NUM_DRAWS * p * (1 - p));

        assert_true(fabs(counts[j] - NUM_DRAWS * p) <= 4.5 * std);
    }
    free(parts.until);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
