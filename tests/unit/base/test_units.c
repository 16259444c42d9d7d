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

static void assert_duration(const char *text, int64_t expected_ms)
{
    const char *problem = NULL;
    int64_t duration_ms = -1;

    if (spot_duration_parse(text, &duration_ms, &problem) != 0) {
        fail_msg("\"%s\": %s", text, problem);
    }
    assert_int_equal(duration_ms, expected_ms);
}

/* Refused with this reason, and nothing is written. */
static void assert_no_duration(const char *text, const char *reason)
{
    const char *problem = NULL;
    int64_t duration_ms = 77;

    assert_int_equal(spot_duration_parse(text, &duration_ms, &problem), SPOT_ERR_BAD_INPUT);
    assert_string_equal(problem, reason);
    assert_int_equal(duration_ms, 77);
}

static void test_every_unit_of_time(void **state)
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
    assert_duration(".5 s", 500);
    assert_duration("-.5h", -30 * SPOT_MS_PER_MIN);
}

/* A duration in full and in short is the same, for any number, singular and plural. */
static void test_units_in_full(void **state)
{
    static const struct {
        const char *word, *unit;
        int64_t times; /* of the unit */
    } words[] = {{"week", "d", 7}, {"day", "d", 1}, {"hour", "h", 1}, {"minute", "min", 1},
        {"second", "s", 1}, {"millisecond", "ms", 1}, {"microsecond", "us", 1},
        {"nanosecond", "ns", 1}};
    static const char *const numbers[] = {"1", "5", "90", "-3", "+2", "0.5", "1.25", "1e1", "0"};
    static const spot_units_t *const kinds[] = {&spot_units_ms, &spot_units_ns};

    (void) state;
    for (size_t k = 0; k < 2; k++) {
        for (size_t j = 0; j < sizeof(words) / sizeof(words[0]) - (k == 0 ? 2 : 0); j++) {
            for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
                spot_amount_t brief, full;
                const char *problem = "";
                char text[64];

                snprintf(text, sizeof(text), "%.9g %s",
                    strtod(numbers[n], NULL) * (double) words[j].times, words[j].unit);
                assert_int_equal(spot_units_parse(kinds[k], text, &brief, &problem), 0);
                for (int form = 0; form < 4; form++) {
                    snprintf(text, sizeof(text), "%s%s%s%s", numbers[n], form % 2 == 0 ? " " : "",
                        words[j].word, form < 2 ? "s" : "");
                    if (spot_units_parse(kinds[k], text, &full, &problem) != 0) {
                        fail_msg("\"%s\": %s", text, problem);
                    }
                    assert_int_equal(full.whole, brief.whole);
                }
            }
        }
    }
    assert_duration("5 hours", 5 * SPOT_MS_PER_H);
    assert_duration("2 weeks", 14 * SPOT_MS_PER_D);
    assert_no_duration("5 hourss", "unknown unit");
    assert_no_duration("5 Hours", "unknown unit, did you mean \"h\"?");
    assert_no_duration("5 hours ", "unknown unit");
    assert_no_duration("2 hours 5 minutes", "unknown unit");
    assert_no_duration("3 nanoseconds", "unknown unit");
    assert_no_duration("5218 weeks", "more than 100 years");
}

static void test_spellings_of_numbers(void **state)
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

static void test_durations_are_rounded_ties_to_even(void **state)
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

static void test_what_is_no_duration(void **state)
{
    static const char no_number[] = "it does not start with a number";

    (void) state;
    assert_no_duration("", no_number);
    assert_no_duration(" 88 s", no_number);
    assert_no_duration("nan s", no_number);
    assert_no_duration("inf s", no_number);
    assert_no_duration("-", no_number);
    assert_no_duration("s", no_number);
    assert_no_duration(". s", no_number);
    assert_no_duration("5. s", no_number);
    assert_no_duration("--5 s", no_number);
    assert_no_duration("88", "the unit is missing");
    assert_no_duration("-1.5", "the unit is missing");
    assert_no_duration("88 ", "unknown unit");
    assert_no_duration("88 sec", "unknown unit, did you mean \"s\"?");
    assert_no_duration("88 S", "unknown unit, did you mean \"s\"?");
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

static void test_a_hundred_years_is_the_limit(void **state)
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

static void test_seconds_with_decimals(void **state)
{
    int64_t duration_ms = 77;

    (void) state;
    assert_int_equal(spot_duration_from_s(0.0625, &duration_ms), 0);
    assert_int_equal(duration_ms, 62);
    assert_int_equal(spot_duration_from_s(-0.1875, &duration_ms), 0);
    assert_int_equal(duration_ms, -188);
    assert_int_equal(spot_duration_from_s(36525 * 86400.0, &duration_ms), 0);
    assert_int_equal(duration_ms, SPOT_MAX_DURATION_MS);
    assert_int_equal(spot_duration_from_s(36525 * 86400.0 + 1, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_duration_from_s((double) NAN, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_duration_from_s(HUGE_VAL, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_duration_from_s(-HUGE_VAL, &duration_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(duration_ms, SPOT_MAX_DURATION_MS);
}

static void assert_price(const char *text, double expected_usd_per_h)
{
    const char *problem = NULL;
    double price_usd_per_h = -1;

    assert_int_equal(spot_price_parse(text, &price_usd_per_h, &problem), 0);
    assert_true(fabs(price_usd_per_h - expected_usd_per_h) <= 1e-15 * expected_usd_per_h);
}

static void assert_no_price(const char *text, const char *reason)
{
    const char *problem = NULL;
    double price_usd_per_h = 77;

    assert_int_equal(spot_price_parse(text, &price_usd_per_h, &problem), SPOT_ERR_BAD_INPUT);
    assert_string_equal(problem, reason);
}

/* Every duration that is read goes to seconds and back without a change. */
static void test_durations_in_seconds(void **state)
{
    static const int64_t durations_ms[] = {
        0, 1, 999, 1000, 1001, -1500, 88000, SPOT_MS_PER_D + 7, SPOT_MAX_DURATION_MS};

    (void) state;
    assert_true(spot_duration_s(1500) == 1.5);
    assert_true(spot_duration_s(-250) == -0.25);
    for (size_t j = 0; j < sizeof(durations_ms) / sizeof(durations_ms[0]); j++) {
        int64_t duration_ms;

        assert_int_equal(spot_duration_from_s(spot_duration_s(durations_ms[j]), &duration_ms), 0);
        assert_int_equal(duration_ms, durations_ms[j]);
    }
}

static void test_prices(void **state)
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
    assert_no_price("0.91 usd/h", "unknown unit, did you mean \"USD/h\"?");
    assert_no_price("0.91 USD", "unknown unit, did you mean \"USD/h\"?");
    assert_no_price("1e400", "the number is too large");
    assert_no_price("1e306 USD/s", "the number is too large");
}

static void assert_amount(const spot_units_t *units, const char *text, int64_t expected)
{
    const char *problem = NULL;
    spot_amount_t amount = {.whole = -1};

    if (spot_units_parse(units, text, &amount, &problem) != 0) {
        fail_msg("\"%s\": %s", text, problem);
    }
    assert_int_equal(amount.whole, expected);
}

static void assert_rate(const char *text, double expected)
{
    const char *problem = NULL;
    spot_amount_t amount = {.real = -1};

    assert_int_equal(spot_units_parse(&spot_units_bytes_per_s, text, &amount, &problem), 0);
    assert_true(amount.real == expected);
}

static void assert_no_amount(const spot_units_t *units, const char *text, const char *reason)
{
    const char *problem = NULL;
    spot_amount_t amount = {.whole = 77};

    assert_int_equal(spot_units_parse(units, text, &amount, &problem), SPOT_ERR_BAD_INPUT);
    assert_string_equal(problem, reason);
    assert_int_equal(amount.whole, 77);
}

static void test_nanoseconds(void **state)
{
    static const char too_long[] = "more than 100 years";

    (void) state;
    assert_amount(&spot_units_ns, "1 ns", 1);
    assert_amount(&spot_units_ns, "1.5 us", 1500);
    assert_amount(&spot_units_ns, "0.047 ms", 47000);
    assert_amount(&spot_units_ns, "-20ms", -20000000);
    assert_amount(&spot_units_ns, "1 h", INT64_C(3600000000000));
    assert_amount(&spot_units_ns, "0.5 ns", 0);
    assert_amount(&spot_units_ns, "1.5 ns", 2);
    assert_amount(&spot_units_ns, "1000000000000000001 ns", INT64_C(1000000000000000001));
    assert_amount(&spot_units_ns, "36525 d", INT64_C(3155760000000000000));
    assert_no_amount(&spot_units_ns, "36525.1 d", too_long);
    assert_no_amount(&spot_units_ns, "99999999999999999999 ns", too_long);
    assert_no_amount(&spot_units_ns, "1e200 d", too_long);
    assert_no_amount(&spot_units_ns, "5", "the unit is missing");
    assert_no_amount(&spot_units_ns, "5 \xc2\xb5s", "unknown unit");
    assert_no_duration("5 us", "unknown unit"); /* less than a tick of that engine */
}

static void test_bytes(void **state)
{
    static const char too_many[] = "more than 9000000 TB";

    (void) state;
    assert_amount(&spot_units_bytes, "0 B", 0);
    assert_amount(&spot_units_bytes, "220 kB", 220000);
    assert_amount(&spot_units_bytes, "1.5 GiB", INT64_C(1610612736));
    assert_amount(&spot_units_bytes, "24576MiB", INT64_C(25769803776));
    assert_amount(&spot_units_bytes, "2 TB", INT64_C(2000000000000));
    assert_amount(&spot_units_bytes, "3 TiB", INT64_C(3298534883328));
    assert_amount(&spot_units_bytes, "9007199254740993 B", INT64_C(9007199254740993));
    assert_amount(&spot_units_bytes, "9000000 TB", INT64_C(9000000000000000000));
    assert_amount(&spot_units_bytes, "1e3 KiB", 1024000);
    assert_no_amount(&spot_units_bytes, "9000001 TB", too_many);
    assert_no_amount(&spot_units_bytes, "9223372036854775808 B", too_many);
    assert_no_amount(&spot_units_bytes, "-1e19 B", too_many);
    assert_no_amount(&spot_units_bytes, "1024", "the unit is missing");
    assert_no_amount(&spot_units_bytes, "1 KB", "unknown unit, did you mean \"kB\"?");
    assert_no_amount(&spot_units_bytes, "1 Gbit", "unknown unit");
    assert_no_amount(&spot_units_bytes, "big", "it does not start with a number");
}

static void test_rates(void **state)
{
    (void) state;
    assert_rate("10 Gbit/s", 1.25e9);
    assert_rate("1.25 GB/s", 1.25e9);
    assert_rate("100 Mbit/s", 1.25e7);
    assert_rate("2 MiB/s", 2097152);
    assert_rate("12 bit/s", 1.5);
    assert_rate("0.5 B/s", 0.5);
    assert_no_amount(&spot_units_bytes_per_s, "10", "the unit is missing");
    assert_no_amount(&spot_units_bytes_per_s, "10 Gbps", "unknown unit");
    assert_no_amount(&spot_units_bytes_per_s, "10 GB", "unknown unit");
    assert_no_amount(&spot_units_bytes_per_s, "1e308 GB/s", "the number is too large");
}

static void test_texts_use_the_largest_exact_unit(void **state)
{
    static const struct {
        const spot_units_t *units;
        const char *text, *expected;
    } cases[] = {
        {&spot_units_ns, "0 ns", "0 s"},
        {&spot_units_ns, "1500 us", "1500 us"},
        {&spot_units_ns, "90 min", "90 min"},
        {&spot_units_ns, "1.0000001 s", "1000000100 ns"},
        {&spot_units_bytes, "0 TB", "0 B"},
        {&spot_units_bytes, "24576 MiB", "24 GiB"},
        {&spot_units_bytes, "1000 MiB", "1000 MiB"},
        {&spot_units_bytes, "1000 GB", "1 TB"},
        {&spot_units_bytes, "1.5 kB", "1500 B"},
        {&spot_units_bytes, "-2048 B", "-2 KiB"},
        {&spot_units_bytes_per_s, "1.25 GB/s", "10 Gbit/s"},
        {&spot_units_bytes_per_s, "1 GB/s", "1 GB/s"},
        {&spot_units_bytes_per_s, "0.3 B/s", "0.3 B/s"},
        {&spot_units_bytes_per_s, "1e300 B/s", "1e+300 B/s"},
        {&spot_units_usd_per_h, "22.8 USD/d", "0.95 USD/h"},
        {&spot_units_usd_per_h, "2", "2 USD/h"},
    };
    char text[SPOT_AMOUNT_TEXT_BYTES];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const char *problem;
        spot_amount_t amount;

        assert_int_equal(spot_units_parse(cases[j].units, cases[j].text, &amount, &problem), 0);
        spot_units_text(cases[j].units, amount, text);
        assert_string_equal(text, cases[j].expected);
    }
}

/* Every kind, all lengths: a text reads back as the same amount to the last bit. */
static void test_texts_read_back(void **state)
{
    static const spot_units_t *const kinds[] = {
        &spot_units_ns, &spot_units_bytes, &spot_units_bytes_per_s, &spot_units_usd_per_h};
    static const int64_t factors[] = {1, 125, 1024, 1000, 1000000, INT64_C(1) << 30};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 1);
    for (int j = 0; j < 40000; j++) {
        const int kind = j % 4;
        const int64_t factor = factors[spot_rng_below(&rng, 6)];
        const uint64_t limit = UINT64_C(1) << spot_rng_below(&rng, 62);
        const int64_t most = INT64_C(3000000000000000000) / factor;
        const int64_t whole = (int64_t) spot_rng_below(&rng, limit) % most * factor;
        const spot_amount_t amount =
            kind < 2 ? (spot_amount_t){.whole = j % 8 < 4 ? whole : -whole}
                     : (spot_amount_t){.real = (double) whole / (j % 16 < 8 ? 1 : 7)};
        char text[SPOT_AMOUNT_TEXT_BYTES];
        const char *problem;
        spot_amount_t again;

        spot_units_text(kinds[kind], amount, text);
        assert_int_equal(spot_units_parse(kinds[kind], text, &again, &problem), 0);
        assert_memory_equal(&again, &amount, sizeof(amount));
    }
}

static void test_duration_texts_are_the_ones_people_write(void **state)
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
static void test_duration_texts_read_back(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_of_time),
        cmocka_unit_test(test_units_in_full),
        cmocka_unit_test(test_spellings_of_numbers),
        cmocka_unit_test(test_durations_are_rounded_ties_to_even),
        cmocka_unit_test(test_what_is_no_duration),
        cmocka_unit_test(test_a_hundred_years_is_the_limit),
        cmocka_unit_test(test_seconds_with_decimals),
        cmocka_unit_test(test_durations_in_seconds),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_nanoseconds),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_texts_use_the_largest_exact_unit),
        cmocka_unit_test(test_texts_read_back),
        cmocka_unit_test(test_duration_texts_are_the_ones_people_write),
        cmocka_unit_test(test_duration_texts_read_back),
    };

    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
