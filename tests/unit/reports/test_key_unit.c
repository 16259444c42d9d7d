/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/table.h"
#include "reports/words.h"

static void test_units(void **state)
{
    static const struct {
        const char *path, *text, *unit;
        size_t num_bytes;
    } cases[] = {
        {"job.reload", "47 s", "s", 2},
        {"horizon", "355 min", "min", 3},
        {"fleet.price.spot", "0.91", "USD/h", 4},
        {"fleet.price", "1", "USD/h", 1},
        {"trace.addition.per_minute", "0.14", "1/min", 4},
        {"recovery.net_bytes_per_s", "1e+09", "bytes/s", 5},
        {"recovery.state_bytes", "1e11", "bytes", 4},
        {"trace.service_usd_per_h", "2", "USD/h", 1},
        {"gaps_s", "1.5", "s", 3},
        {"s", "1", "s", 1},
        {"job.samples", "64", "", 2},
        {"job.checkpoint.every", "back-to-back", "", 12},
        {"fleet.price.spot", "prices.csv", "", 10},
        {"a", "{system: b}", "", 11},
        {"a", "1 [x]", "", 5},
        {"a", "1 very-long-word", "", 16},
        {"a_s", "", "", 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        size_t num_bytes = 99;

        assert_string_equal(
            spot_key_unit(NULL, cases[j].path, cases[j].text, &num_bytes), cases[j].unit);
        assert_int_equal(num_bytes, cases[j].num_bytes);
    }
}

static void test_intervals(void **state)
{
    (void) state;
    assert_int_equal(spot_decimals_for(117), 0);    /* 3313 ±117 */
    assert_int_equal(spot_decimals_for(0.0123), 3); /* 0.123 ±0.012 */
    assert_int_equal(spot_decimals_for(1e308), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
