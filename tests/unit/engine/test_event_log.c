/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/engine/series.h"

static void add(
    spot_event_log_t *log, int64_t time_ms, int32_t kind, int64_t value, const char *text)
{
    const int64_t values[SPOT_EVENT_VALUES] = {value, -value, 0, INT64_MAX};

    spot_event_log_add(log, time_ms, kind, values, text);
}

static void test_records_and_texts(void **state)
{
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    add(&log, 5, 1, 7, "a b");
    add(&log, 6, 2, 8, NULL);
    add(&log, 7, 3, 9, "");
    assert_int_equal(log.num_records, 3);
    assert_int_equal(log.has_failed, 0);
    assert_int_equal(log.records[0].time_ms, 5);
    assert_int_equal(log.records[0].kind, 1);
    assert_int_equal(log.records[0].values[0], 7);
    assert_int_equal(log.records[0].values[1], -7);
    assert_int_equal(log.records[0].values[3], INT64_MAX);
    assert_string_equal(spot_event_log_text(&log, &log.records[0]), "a b");
    assert_null(spot_event_log_text(&log, &log.records[1]));
    assert_string_equal(spot_event_log_text(&log, &log.records[2]), "");
    spot_event_log_clear(&log);
    assert_int_equal(log.num_records, 0);
    assert_int_equal(log.num_text_bytes, 0);
    spot_event_log_free(&log);
    spot_event_log_free(&log);
}

/* Many records with many ties: the order is (time, kind, order of adding), and each
 * record keeps its text. */
static void test_sort(void **state)
{
    spot_event_log_t log;
    spot_rng_t rng;

    (void) state;
    spot_event_log_init(&log);
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_TYPE, 0);
    for (int64_t j = 0; j < 5000; j++) {
        const int64_t time_ms = (int64_t) spot_rng_below(&rng, 40) - 5;
        char text[24];

        snprintf(text, sizeof(text), "%lld", (long long) j);
        add(&log, time_ms, (int32_t) spot_rng_below(&rng, 4), j, text);
    }
    spot_event_log_sort(&log);
    for (size_t j = 0; j < log.num_records; j++) {
        const spot_log_record_t *record = &log.records[j];
        char text[24];

        snprintf(text, sizeof(text), "%lld", (long long) record->values[0]);
        assert_string_equal(spot_event_log_text(&log, record), text);
        if (j > 0 && record->time_ms == record[-1].time_ms) {
            assert_true(record->kind >= record[-1].kind);
            assert_true(record->kind > record[-1].kind || record->values[0] > record[-1].values[0]);
        } else if (j > 0) {
            assert_true(record->time_ms > record[-1].time_ms);
        }
    }
    spot_event_log_free(&log);
}

static void test_empty_log(void **state)
{
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    spot_event_log_sort(&log);
    spot_event_log_clear(&log);
    assert_int_equal(log.num_records, 0);
    spot_event_log_free(&log);
}

/* A log that was used before holds nothing of it. */
static void test_clear(void **state)
{
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    for (int32_t j = 0; j < 100; j++) {
        add(&log, j, j, j, "something else");
    }
    spot_event_log_clear(&log);
    add(&log, 1, 1, 1, "first");
    add(&log, 5, 2, 3, NULL);
    assert_int_equal(log.num_records, 2);
    assert_int_equal(log.records[0].sequence, 1);
    assert_int_equal(log.num_text_bytes, sizeof("first"));
    assert_string_equal(spot_event_log_text(&log, &log.records[0]), "first");
    assert_null(spot_event_log_text(&log, &log.records[1]));
    spot_event_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_and_texts),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_empty_log),
        cmocka_unit_test(test_clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
