/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"

static void
assert_duration(const char *text, int64_t expected_ms)
{
    const char *problem = NULL;
    int64_t duration_ms = -1;

    if (spot_duration_parse(text, &duration_ms, &problem) != 0) {
        fail_msg("\"%s\": %s", text, problem);
    }
    assert_int_equal(duration_ms, expected_ms);
}

/* Refused with this reason, and nothing is written. */
static void
assert_no_duration(const char *text, const char *reason)
{
    const char *problem = NULL;
    int64_t duration_ms = 77;

    assert_int_equal(
        spot_duration_parse(text, &duration_ms, &problem), SPOT_ERR_BAD_INPUT);
    assert_string_equal(problem, reason);
    assert_int_equal(duration_ms, 77);
}

static void
test_every_unit_of_time(void **state)
{
    (void) state;
    assert_duration("250 ms", 250);
    assert_duration("88 s", 88000);
    assert_duration("355 min", 355 * SPOT_MS_PER_MIN);
    assert_duration("1.5 h", 90 * SPOT_MS_PER_MIN);
    assert_duration("2 d", 2 * SPOT_MS_PER_D);
    assert_duration("0 s", 0);
    assert_duration("-5 s", -5000);
    assert_duration("+5 s", 5000);
    assert_duration("-0 s", 0);
}

static void
test_spellings_of_numbers(void **state)
{
    (void) state;
    assert_duration("355min", 355 * SPOT_MS_PER_MIN);
    assert_duration("88  s", 88000);
    assert_duration("1e3 s", 1000000);
    assert_duration("1E+3 s", 1000000);
    assert_duration("25e-1 s", 2500);
    assert_duration("007 s", 7000);
    assert_duration("1e-400 s", 0);
}

static void
test_durations_are_rounded_ties_to_even(void **state)
{
    (void) state;
    assert_duration("0.4 ms", 0);
    assert_duration("0.5 ms", 0);
    assert_duration("0.6 ms", 1);
    assert_duration("1.5 ms", 2);
    assert_duration("2.5 ms", 2);
    assert_duration("3.5 ms", 4);
    assert_duration("-0.5 ms", 0);
    assert_duration("-1.5 ms", -2);
    assert_duration("-2.5 ms", -2);
    assert_duration("0.0625 s", 62);
    assert_duration("0.1875 s", 188);
    assert_duration("0.1 s", 100);
    assert_duration("0.3 min", 18000);
    assert_duration("1.1 h", 3960000);
    assert_duration("0.7 d", 60480000);
    assert_duration("1234567.891 s", 1234567891);
}

static void
test_what_is_no_duration(void **state)
{
    static const char no_number[] = "it does not start with a number";

    (void) state;
    assert_no_duration("", no_number);
    assert_no_duration(" 88 s", no_number);
    assert_no_duration("nan s", no_number);
    assert_no_duration("inf s", no_number);
    assert_no_duration("-", no_number);
    assert_no_duration("s", no_number);
    assert_no_duration(".5 s", no_number);
    assert_no_duration("5. s", no_number);
    assert_no_duration("--5 s", no_number);
    assert_no_duration("88", "the unit is missing");
    assert_no_duration("-1.5", "the unit is missing");
    assert_no_duration("88 ", "unknown unit");
    assert_no_duration("88 sec", "unknown unit");
    assert_no_duration("88 S", "unknown unit");
    assert_no_duration("88 s ", "unknown unit");
    assert_no_duration("88\ts", "unknown unit");
    assert_no_duration("1,5 h", "unknown unit");
    assert_no_duration("0x10 s", "unknown unit");
    assert_no_duration("1e s", "unknown unit");
    assert_no_duration("1 h 30 min", "unknown unit");
    assert_no_duration("88 USD/h", "unknown unit");
    assert_no_duration("1e400 s", "the number is too large");
    assert_no_duration("1e305 d", "the number is too large");
}

static void
test_a_hundred_years_is_the_limit(void **state)
{
    (void) state;
    assert_duration("36525 d", SPOT_MAX_DURATION_MS);
    assert_duration("-36525 d", -SPOT_MAX_DURATION_MS);
    assert_duration("3155760000000 ms", SPOT_MAX_DURATION_MS);
    assert_no_duration("3155760000001 ms", "more than 100 years");
    assert_no_duration("-3155760000001 ms", "more than 100 years");
    assert_no_duration("36525.001 d", "more than 100 years");
    assert_no_duration("1e300 s", "more than 100 years");
}

static void
test_seconds_with_decimals(void **state)
{
    int64_t duration_ms = 77;

    (void) state;
    assert_int_equal(spot_duration_from_s(0.0625, &duration_ms), 0);
    assert_int_equal(duration_ms, 62);
    assert_int_equal(spot_duration_from_s(-0.1875, &duration_ms), 0);
    assert_int_equal(duration_ms, -188);
    assert_int_equal(spot_duration_from_s(36525 * 86400.0, &duration_ms), 0);
    assert_int_equal(duration_ms, SPOT_MAX_DURATION_MS);
    assert_int_equal(
        spot_duration_from_s(36525 * 86400.0 + 1, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        spot_duration_from_s((double) NAN, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_duration_from_s(HUGE_VAL, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_duration_from_s(-HUGE_VAL, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(duration_ms, SPOT_MAX_DURATION_MS);
}

static void
assert_price(const char *text, double expected_usd_per_h)
{
    const char *problem = NULL;
    double price_usd_per_h = -1;

    assert_int_equal(spot_price_parse(text, &price_usd_per_h, &problem), 0);
    assert_true(
        fabs(price_usd_per_h - expected_usd_per_h) <= 1e-15 * expected_usd_per_h);
}

static void
assert_no_price(const char *text, const char *reason)
{
    const char *problem = NULL;
    double price_usd_per_h = 77;

    assert_int_equal(
        spot_price_parse(text, &price_usd_per_h, &problem), SPOT_ERR_BAD_INPUT);
    assert_string_equal(problem, reason);
}

/* Every duration that is read goes to seconds and back without a change. */
static void
test_durations_in_seconds(void **state)
{
    static const int64_t durations_ms[] = {
        0, 1, 999, 1000, 1001, -1500, 88000, SPOT_MS_PER_D + 7, SPOT_MAX_DURATION_MS};

    (void) state;
    assert_true(spot_duration_s(1500) == 1.5);
    assert_true(spot_duration_s(-250) == -0.25);
    for (size_t j = 0; j < sizeof(durations_ms) / sizeof(durations_ms[0]); j++) {
        int64_t duration_ms;

        assert_int_equal(
            spot_duration_from_s(spot_duration_s(durations_ms[j]), &duration_ms), 0);
        assert_int_equal(duration_ms, durations_ms[j]);
    }
}

static void
test_prices(void **state)
{
    (void) state;
    assert_price("0.91", 0.91);
    assert_price("0.91 USD/h", 0.91);
    assert_price("0.015 USD/min", 0.9);
    assert_price("0.0005 USD/s", 1.8);
    assert_price("24 USD/d", 1);
    assert_price("3.06USD/h", 3.06);
    assert_price("0", 0);
    assert_no_price("", "it does not start with a number");
    assert_no_price("USD/h", "it does not start with a number");
    assert_no_price("$0.91", "it does not start with a number");
    assert_no_price("0.91 ", "unknown unit");
    assert_no_price("0.91 EUR/h", "unknown unit");
    assert_no_price("0.91 usd/h", "unknown unit");
    assert_no_price("0.91 USD", "unknown unit");
    assert_no_price("1e400", "the number is too large");
    assert_no_price("1e306 USD/s", "the number is too large");
}

static void
test_strict_numbers(void **state)
{
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "0x10", "1e", "1e+", "e5",
        ".5", "5.", "nan", "inf", "-inf", "1e309", "-1e309", "1_000", "+-1", "1.5.2",
        "1f"};
    double value = 77;

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_int_equal(spot_number_parse(bad[j], &value), SPOT_ERR_BAD_INPUT);
    }
    assert_true(value == 77);
    assert_int_equal(spot_number_parse("-12.5e-1", &value), 0);
    assert_true(value == -1.25);
    assert_int_equal(spot_number_parse("1.7976931348623157e308", &value), 0);
    assert_true(value == 1.7976931348623157e308);
    assert_int_equal(spot_number_parse("5e-324", &value), 0);
    assert_true(value == 0x1p-1074);
    assert_int_equal(spot_number_parse("010", &value), 0);
    assert_true(value == 10);
}

static void
test_strict_integers(void **state)
{
    static const char *const bad[] = {"", "-", "1.0", "1e3", "007", "-01", "0x10", " 1",
        "1 ", "12abc", "9223372036854775808", "-9223372036854775809", "--1", "1,000"};
    int64_t value = 77;

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_int_equal(spot_integer_parse(bad[j], &value), SPOT_ERR_BAD_INPUT);
    }
    assert_int_equal(value, 77);
    assert_int_equal(spot_integer_parse("9223372036854775807", &value), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(spot_integer_parse("-9223372036854775808", &value), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(spot_integer_parse("+64", &value), 0);
    assert_int_equal(value, 64);
    assert_int_equal(spot_integer_parse("0", &value), 0);
    assert_int_equal(value, 0);
}

static void
test_duration_texts_are_the_ones_people_write(void **state)
{
    static const struct {
        int64_t duration_ms;
        const char *expected;
    } cases[] = {
        {0, "0 s"},
        {1, "1 ms"},
        {250, "250 ms"},
        {1000, "1 s"},
        {1500, "1500 ms"},
        {60000, "60 s"},
        {88000, "88 s"},
        {540000, "540 s"},
        {600000, "10 min"},
        {3600000, "60 min"},
        {5400000, "90 min"},
        {7200000, "2 h"},
        {86400000, "24 h"},
        {172800000, "2 d"},
        {-5000, "-5 s"},
        {-7200000, "-2 h"},
        {SPOT_MAX_DURATION_MS, "36525 d"},
    };
    char text[SPOT_DURATION_TEXT_BYTES];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_duration_text(cases[j].duration_ms, text);
        assert_string_equal(text, cases[j].expected);
    }
}

/* Of all lengths and mostly with a round unit, so that every branch is met. */
static void
test_duration_texts_read_back(void **state)
{
    static const int64_t units_ms[] = {
        1, SPOT_MS_PER_S, SPOT_MS_PER_MIN, SPOT_MS_PER_H, SPOT_MS_PER_D};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 20000; j++) {
        const int64_t unit_ms = units_ms[spot_rng_below(&rng, 5)];
        const uint64_t limit = UINT64_C(1) << spot_rng_below(&rng, 42);
        const int64_t number = (int64_t) spot_rng_below(&rng, limit);
        const int64_t duration_ms = number % (SPOT_MAX_DURATION_MS / unit_ms) * unit_ms;
        char text[SPOT_DURATION_TEXT_BYTES];

        spot_duration_text(duration_ms, text);
        assert_duration(text, duration_ms);
        spot_duration_text(-duration_ms, text);
        assert_duration(text, -duration_ms);
    }
}

static void
assert_number_text(double value, const char *expected)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(value, text);
    assert_string_equal(text, expected);
}

static void
test_number_texts_are_short(void **state)
{
    (void) state;
    assert_number_text(0, "0");
    assert_number_text(-0.0, "-0");
    assert_number_text(0.1, "0.1");
    assert_number_text(0.1 + 0.2, "0.30000000000000004");
    assert_number_text(1.0 / 3, "0.3333333333333333");
    assert_number_text(0.16338, "0.16338");
    assert_number_text(1e6, "1000000");
    assert_number_text(1e22, "1e+22");
    assert_number_text(1.7976931348623157e308, "1.7976931348623157e+308");
}

/* Every finite double: random bits, so that all exponents are met. */
static void
test_number_texts_read_back_bit_by_bit(void **state)
{
    spot_rng_t rng;
    int num_finite = 0;

    (void) state;
    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 100000; j++) {
        const uint64_t bits = spot_rng_bits(&rng);
        char text[SPOT_NUMBER_TEXT_BYTES];
        double value, back = 0;

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value)) {
            continue;
        }
        num_finite++;
        spot_number_text(value, text);
        assert_int_equal(spot_number_parse(text, &back), 0);
        assert_memory_equal(&back, &value, sizeof(value));
    }
    assert_true(num_finite > 99000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_of_time),
        cmocka_unit_test(test_spellings_of_numbers),
        cmocka_unit_test(test_durations_are_rounded_ties_to_even),
        cmocka_unit_test(test_what_is_no_duration),
        cmocka_unit_test(test_a_hundred_years_is_the_limit),
        cmocka_unit_test(test_seconds_with_decimals),
        cmocka_unit_test(test_durations_in_seconds),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_strict_numbers),
        cmocka_unit_test(test_strict_integers),
        cmocka_unit_test(test_duration_texts_are_the_ones_people_write),
        cmocka_unit_test(test_duration_texts_read_back),
        cmocka_unit_test(test_number_texts_are_short),
        cmocka_unit_test(test_number_texts_read_back_bit_by_bit),
    };

    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
