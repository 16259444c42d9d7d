/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/base/support.h"
#include "traces/generate/generator.h"

#define HEAD                                                                                       \
    "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 1\n"                         \
    "# kind: named\n# capacity: 9\n"
#define ROWS "time_s,event,count,instances\n0,init,4,a/i1 b/i1 ab/i1 i1\n9,end,4,\n"

static int read_prices(const char *keys, spot_trace_t *trace, spot_price_steps_t *price,
    spot_zones_t *zones, spot_diag_t *diag)
{
    char text[4096];

    snprintf(text, sizeof(text), HEAD "%s" ROWS, keys);
    spot_diag_init(diag);
    assert_int_equal(spot_trace_read_bytes(trace, "t.csv", text, strlen(text), true, diag), 0);
    return spot_price_header_read(trace, "t.csv", price, zones, diag);
}

static void test_reading(void **state)
{
    static const int32_t expected[] = {1, 0, -1, -1};
    spot_price_steps_t price = {0};
    spot_zones_t zones;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        read_prices("# price_usd_per_h.b: 0 2\n# price_usd_per_h: 0 0.91; 21600.5 1.2\n"
                    "# price_usd_per_hour: x\n# price_usd_per_h.a: 0 3; 1 0\n",
            &trace, &price, &zones, &diag),
        0);
    assert_int_equal(price.num_steps, 2);
    assert_int_equal(price.steps[1].start_ms, 21600500);
    assert_true(price.steps[1].usd_per_h == 1.2);
    assert_int_equal(zones.num_zones, 2);
    assert_string_equal(zones.zones[0].name, "b");
    assert_true(zones.zones[0].price.steps[0].usd_per_h == 2);
    assert_int_equal(zones.zones[1].price.num_steps, 2);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(zones.zone_of_name[j], expected[j]);
    }
    assert_report(&diag, "");
    spot_price_steps_free(&price);
    spot_zones_free(&zones);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

/* A price that is there already wins over all that the file says. */
static void test_given_price_wins(void **state)
{
    spot_price_steps_t price = {0};
    spot_zones_t zones;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(spot_price_steps_add(&price, 0, 5), 0);
    assert_int_equal(read_prices("# price_usd_per_h.b: 0 2\n# price_usd_per_h: 0 1\n", &trace,
                         &price, &zones, &diag),
        0);
    assert_int_equal(price.num_steps, 1);
    assert_true(price.steps[0].usd_per_h == 5);
    assert_int_equal(zones.num_zones, 0);
    spot_price_steps_free(&price);
    spot_zones_free(&zones);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

static void test_faulty_values(void **state)
{
    static const char *const values[] = {"0.91", "1 0.91", "0 0.91;60 1", "0 0.91; 0 1",
        "0 0.91; 60", "0 -1", "0 x", "0 1e7", "0  1", "0 nan", "0 1;"};
    char keys[128], report[512];
    spot_zones_t zones;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
        spot_price_steps_t price = {0};

        snprintf(keys, sizeof(keys), "# price_usd_per_h: %s\n", values[j]);
        snprintf(report, sizeof(report),
            "t.csv:7:20: price_usd_per_h: expected prices from increasing seconds on "
            "such "
            "as '0 0.91; 21600 1.2', got '%s'\n",
            values[j]);
        assert_int_equal(read_prices(keys, &trace, &price, &zones, &diag), SPOT_ERR_BAD_INPUT);
        assert_report(&diag, report);
        spot_price_steps_free(&price);
        spot_zones_free(&zones);
        spot_trace_free(&trace);
        spot_diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_given_price_wins),
        cmocka_unit_test(test_faulty_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
