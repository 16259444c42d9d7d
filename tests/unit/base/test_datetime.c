/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include "base/datetime.h"
#include "base/units.h"
#include "tests/unit/base/support.h"

static void test_datetime_is(void **state)
{
    static const char *const good[] = {"2021-09-14", "2020-02-29", "2000-02-29", "0000-01-01",
        "9999-12-31", "2021-09-14T17:00:00", "2021-09-14T17:00:00Z", "2021-09-14T23:59:59.5",
        "2019-02-18T08:57:37.265000-08:00", "2019-02-18T08:57:37+05:30"};
    static const char *const bad[] = {"", "2021", "2021-9-14", "2021-09-31", "2021-02-29",
        "1900-02-29", "2021-13-01", "2021-00-10", "2021-01-00", "2021-09-14 17:00:00",
        "2021-09-14T", "2021-09-14T24:00:00", "2021-09-14T17:60:00", "2021-09-14T17:00:60",
        "2021-09-14T17:00", "2021-09-14T17:00:00.", "2021-09-14T17:00:00z",
        "2021-09-14T17:00:00+5:30", "2021-09-14T17:00:00+24:00", "2021-09-14T17:00:00ZZ",
        "2021-09-14Z", " 2021-09-14", "2021-09-14 "};

    (void) state;
    for (size_t j = 0; j < sizeof(good) / sizeof(good[0]); j++) {
        assert_true(spot_datetime_is(good[j]));
    }
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_false(spot_datetime_is(bad[j]));
    }
}

/* Every day of 10,000 years: each follows the one before, and 2000-03-01 is day 11017.
 */
static void test_days(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t expected = -719528; /* 0000-01-01 */
    char text[32];

    (void) state;
    for (int year = 0; year <= 9999; year++) {
        const int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

        for (int month = 1; month <= 12; month++) {
            const int length = lengths[month - 1] + (month == 2 && is_leap);

            for (int day = 1; day <= length; day++) {
                const char *place = text;
                int64_t found;

                snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
                assert_true(spot_date_scan(&place, &found));
                assert_int_equal(found, expected);
                if (year == 2000 && month == 3 && day == 1) {
                    assert_int_equal(found, 11017);
                }
                expected++;
            }
        }
    }
}

static void test_timestamp(void **state)
{
    static const char *const bad[] = {"2021-09-14T17:00:00", "2021-09-14", "2021-09-14T17:00:00.5Z",
        "2021-09-14T17:00:00+00:00", "2021-02-30T17:00:00Z", "2021-09-14T17:00:00Z ",
        "2021-09-14t17:00:00Z", ""};
    int64_t time_s = 0;

    (void) state;
    assert_true(spot_timestamp_parse("1970-01-01T00:00:00Z", &time_s));
    assert_int_equal(time_s, 0);
    assert_true(spot_timestamp_parse("1969-12-31T23:59:59Z", &time_s));
    assert_int_equal(time_s, -1);
    assert_true(spot_timestamp_parse("2021-09-14T17:00:00Z", &time_s));
    assert_int_equal(time_s, 1631638800);
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_false(spot_timestamp_parse(bad[j], &time_s));
    }
}

static void assert_later(const char *text, int64_t shift_ms, const char *expected)
{
    char later[SPOT_DATETIME_BYTES];

    assert_true(spot_datetime_later(text, shift_ms, later));
    assert_string_equal(later, expected);
}

static void test_later(void **state)
{
    char later[SPOT_DATETIME_BYTES];

    (void) state;
    assert_later("2021-09-14T17:00:00Z", 0, "2021-09-14T17:00:00Z");
    assert_later("2020-02-28T23:59:59.9999-08:00", 1, "2020-02-29T00:00:00-08:00");
    assert_later("2020-02-29T00:00:00", SPOT_MS_PER_D, "2020-03-01T00:00:00");
    assert_later("1999-12-31T23:59:59.25", 1750, "2000-01-01T00:00:01");
    assert_later("0000-01-01T00:00:00", 60 * SPOT_MS_PER_D, "0000-03-01T00:00:00");
    assert_later("1970-01-01T00:00:00+01:00", 12345, "1970-01-01T00:00:12.345+01:00");
    assert_false(spot_datetime_later("2021-09-14", 1, later));
    assert_false(spot_datetime_later("unknown", 1, later));
    assert_false(spot_datetime_later("9999-12-31T23:59:59", 1000, later));
}

/* Against the C library, day by day over 200 years. */
static void test_later_as_gmtime(void **state)
{
    char later[SPOT_DATETIME_BYTES], expected[SPOT_DATETIME_BYTES];

    (void) state;
    for (int64_t day = 0; day < 73000; day++) {
        const time_t time_s = (time_t) (86400 * day + 3661);
        struct tm parts;

        assert_non_null(gmtime_r(&time_s, &parts));
        assert_true(strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%SZ", &parts) > 0);
        assert_true(
            spot_datetime_later("1970-01-01T00:00:00Z", SPOT_MS_PER_S * (int64_t) time_s, later));
        assert_string_equal(later, expected);
    }
}

static void test_http_date(void **state)
{
    static const char *const bad[] = {"", "Mon, 19 Sep 2016 18:29:47", "2016-09-19T18:29:47Z",
        "Tue, 19 Sep 2016 18:29:47 GMT", "Mon, 19 Sept 2016 18:29:47 GMT",
        "Mon, 19 sep 2016 18:29:47 GMT", "Mon, 19 Nov 2016 18:29:47 GMT",
        "Mon, 19 Sep 2016 24:29:47 GMT", "Mon, 9 Sep 2016 18:29:47 GMT ",
        "Fri, 30 Feb 2024 10:00:00 GMT", "Mon, 19 Sep 2016 18:29:47 UTC",
        "Mon, 19 Sep 2016T18:29:47 GMT", "Mon, 19xSep 2016 18:29:47 GMT",
        "Mon, 19 Sep x016 18:29:47 GMT", "Wed, 31 Dec 1969 23:59:59 GMT"};
    int64_t time_ms = -1;

    (void) state;
    assert_true(spot_http_date_parse("Thu, 01 Jan 1970 00:00:00 GMT", &time_ms));
    assert_int_equal(time_ms, 0);
    assert_true(spot_http_date_parse("Mon, 19 Sep 2016 18:29:47 GMT", &time_ms));
    assert_int_equal(time_ms, 1474309787000);
    assert_true(spot_http_date_parse("Thu, 29 Feb 2024 23:59:59 GMT", &time_ms));
    assert_int_equal(time_ms, 1709251199000);
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        if (spot_http_date_parse(bad[j], &time_ms)) {
            fail_msg("taken: %s", bad[j]);
        }
    }
}

/* Every day of two centuries, as the C library writes it. */
static void test_http_date_as_gmtime(void **state)
{
    char text[SPOT_DATETIME_BYTES];

    (void) state;
    for (int64_t day = 0; day < 73000; day++) {
        const time_t time_s = (time_t) (86400 * day + 3661);
        struct tm parts;
        int64_t time_ms;

        assert_non_null(gmtime_r(&time_s, &parts));
        assert_true(strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0);
        assert_true(spot_http_date_parse(text, &time_ms));
        assert_int_equal(time_ms, SPOT_MS_PER_S * (int64_t) time_s);
    }
}

static void test_moment(void **state)
{
    static const char *const good[] = {"2026-06-07T12:00:00Z", "2026-06-07 12:00:00Z",
        "2026-06-07T12:00Z", "2026-06-07 12:00 Z", "2026-06-07 14:00 +02:00", "2026-06-07 14:00+02",
        "2026-06-07 07:00:00.000 -0500", "2026-06-07 12:00 UTC", "2026-06-07T12:00:00 GMT",
        "2026-06-07T12:00:00z", "2026-06-07 12:00 z", "2026-06-08 02:00 +14:00",
        "2026-06-07 00:00:00 -12:00", "2026-06-06T24:00-12:00", "2026-06-07T24:00:00+12"};
    static const char *const bad[] = {"2026-06-07", "2026-06-07 12", "2026-06-07 12:00 CET",
        "2026-06-07 12:00  Z", "2026-06-31 12:00 Z", "2026-06-07 24:01 Z", "2026-06-07 24:00:01 Z",
        "2026-06-07 24:00:00.5 Z", "2026-06-07 12:00 +14:01", "2026-06-07 12:00 -12:01",
        "2026-06-07 12:00 -15:00", "2026-06-07 12:00 ", "2026-06-07 12:00:0",
        "2026-06-07 12:00:00 Z and more of it, far too long for a time", "tomorrow", ""};
    int64_t time_ms, expected_ms;
    bool has_zone;

    (void) state;
    assert_true(spot_instant_parse(good[0], &expected_ms, &has_zone));
    for (size_t j = 0; j < sizeof(good) / sizeof(good[0]); j++) {
        if (!spot_moment_parse(good[j], &time_ms, &has_zone)) {
            fail_msg("refused: %s", good[j]);
        }
        assert_int_equal(time_ms, expected_ms);
        assert_true(has_zone);
    }
    assert_true(spot_moment_parse("2026-06-07 12:00", &time_ms, &has_zone));
    assert_int_equal(time_ms, expected_ms);
    assert_false(has_zone);
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        if (spot_moment_parse(bad[j], &time_ms, &has_zone)) {
            fail_msg("taken: %s", bad[j]);
        }
    }
}

static void test_local(void **state)
{
    (void) state;
    assert_true(spot_instant_is_local("2026-06-07T12:00:00+02:00"));
    assert_true(spot_instant_is_local("2026-06-07 00:00:00-00:01"));
    assert_false(spot_instant_is_local("2026-06-07 12:00:00 -0500")); /* a moment, no instant */
    assert_true(spot_instant_is_local("2026-06-07 12:00:00.999-0500"));
    assert_false(spot_instant_is_local("2026-06-07T12:00:00.999Z"));
    assert_false(spot_instant_is_local("2026-06-07T12:00:00+00:00"));
    assert_false(spot_instant_is_local("2026-06-07T12:00:00"));
    assert_false(spot_instant_is_local("tomorrow"));
}

static void test_starts(void **state)
{
    static const struct {
        const char *first, *second;
        int64_t shift_ms, apart_ms; /* 0: they may be the same */
    } cases[] = {
        {"2026-06-01T05:00:00Z", "2026-06-01T00:00:00Z", 0, 18000000},
        {"2026-05-31T19:00:00Z", "2026-06-01T00:00:00Z", 0, -18000000},
        {"2026-06-01T05:00:00Z", "2026-06-01T00:00:00Z", 18000000, 0},
        {"2026-06-01T02:00:00+02:00", "2026-06-01T00:00:00Z", 0, 0},
        {"2026-06-01T00:00:00Z", "unknown", 0, 0},
        {"", "2026-06-01T00:00:00Z", 0, 0},
        {"2026-06-01T20:00:00Z", "2026-06-01", 0, 0}, /* known to a day, somewhere on earth */
        {"2026-06-01T13:00:00Z", "2026-06-01T00:00:00", 0, 1}, /* zones end at -12:00 */
        {"2026-06-01T11:00:00Z", "2026-06-01T00:00:00", 0, 0},
        {"2026-06-09T00:00:00Z", "2026-06-01", 0, 1},
        {"2026-05-01", "2026-06-01", 0, 1},
    };
    int64_t apart_ms;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const bool differs =
            spot_starts_differ(cases[j].first, cases[j].second, cases[j].shift_ms, &apart_ms);

        if (differs != (cases[j].apart_ms != 0)) {
            fail_msg("%s and %s", cases[j].first, cases[j].second);
        }
        if (differs && llabs(cases[j].apart_ms) > 1) {
            assert_int_equal(apart_ms, cases[j].apart_ms);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moment),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_datetime_is),
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_timestamp),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_later_as_gmtime),
        cmocka_unit_test(test_http_date),
        cmocka_unit_test(test_http_date_as_gmtime),
    };

    return cmocka_run_group_tests_name("datetime", tests, NULL, NULL);
}
