/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications until a mean is known: the rules of the rounds, and that threads, shards
 * and interruptions do not show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/race.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/toy_study.h"

#define BATCH_ROWS 64 /* of the study */

#define STUDY(until, more)                                                                         \
    "study: toy\nscenario: {shift: 0}\nsweep: {shift: [0, 1, 5]}\n"                                \
    "replications: {until: {" until "}" more "}\nmetrics: [normal]\n"

static spot_completeness_t completeness_of(const spot_store_t *store)
{
    spot_summary_t *summaries;
    spot_completeness_t result;

    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_int_equal(spot_store_completeness(store, summaries, &result), 0);
    free(summaries);
    return result;
}

/* Runs a study of one metric; returns what each point got and whether it will do. */
static spot_completeness_t run_text(const char *text, int64_t num_rows[3])
{
    spot_completeness_t result;
    spot_study_t study;
    spot_store_t *store;

    read_toy_study(&study, text);
    store = run_toy_study(&study, 2);
    for (size_t j = 0; j < 3; j++) {
        num_rows[j] = store->num_rows(store, j);
    }
    result = completeness_of(store);
    store->close(store);
    spot_study_free(&study);
    return result;
}

/* Normal with standard deviation 2: (1.96 * 2 / 0.05)^2 = 6147 are needed, and no round
 * is so long that many more are run. */
static void test_it_stops_when_it_is_known(void **state)
{
    int64_t num_rows[3];
    spot_completeness_t result;

    (void) state;
    result = run_text(STUDY("metric: normal, half_width: 0.05", ""), num_rows);
    for (size_t j = 0; j < 3; j++) {
        assert_true(num_rows[j] > 5500 && num_rows[j] < 7000);
        assert_int_equal(num_rows[j] % BATCH_ROWS, 0);
        assert_int_equal(num_rows[j], num_rows[0]); /* the shift has no spread */
    }
    assert_int_equal(result.num_unfinished, 0);
    assert_int_equal(result.num_imprecise, 0);
}

/* 1.96 * 2 / (0.005 * mean): fewer for a larger mean. */
static void test_relative_to_the_mean(void **state)
{
    int64_t num_rows[3];

    (void) state;
    run_text(STUDY("metric: normal, relative_half_width: 0.005", ""), num_rows);
    assert_true(num_rows[0] > 5500 && num_rows[0] < 7000);
    assert_true(num_rows[1] > 4500 && num_rows[1] < 5800);
    assert_true(num_rows[2] > 2500 && num_rows[2] < 3100);
}

static void test_minimum_and_maximum(void **state)
{
    int64_t num_rows[3];
    spot_completeness_t result;

    (void) state;
    result = run_text(STUDY("metric: normal, half_width: 5", ", min: 128, max: 5000"), num_rows);
    assert_int_equal(num_rows[0], 128);
    assert_int_equal(result.num_unfinished, 0);
    result = run_text(STUDY("metric: normal, half_width: 1e-3", ", min: 64, max: 501"), num_rows);
    assert_int_equal(num_rows[0], 501);
    assert_int_equal(num_rows[2], 501);
    assert_int_equal(result.num_unfinished, 0);
    assert_int_equal(result.num_imprecise, 3);
}

/* Reads a study that is content with its minimum, and runs it. warning: all that is said
 * of it behind the file's name, or "". */
static void check_minimum(const char *text, const char *warning, int64_t min)
{
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;
    char *report;

    assert_int_equal(try_toy_study(&study, text, &diag), 0);
    report = diagnostics(&diag);
    if (warning[0] == '\0') {
        assert_string_equal(report, "");
    } else {
        assert_int_equal(diag.num_items, 1);
        assert_int_equal(diag.num_warnings, 1);
        assert_non_null(strstr(report, warning));
    }
    assert_int_equal(study.head.min_replications, min);
    store = run_toy_study(&study, 2);
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(store->num_rows(store, j), min);
    }
    store->close(store);
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

#define WIDE(more) STUDY("metric: normal, half_width: 50", more)

/* The minimum takes whole batches, which is said of one that somebody asked for; the
 * maximum is exact. */
static void test_whole_minimum(void **state)
{
    (void) state;
    check_minimum(WIDE(""), "", 256);
    check_minimum(WIDE(", min: 64"), "", 64);
    check_minimum(WIDE(", min: 192, max: 193"), "", 192);
    check_minimum(WIDE(", min: 65"),
        "yaml:4:62: replications.min: 65 is not a multiple of 64, the "
        "replications of a batch: each point gets at least 128",
        128);
    check_minimum(WIDE(", min: 2"), "replications.min: 2 is not a multiple of 64", 64);
    check_minimum(WIDE(", min: 100, max: 110"), "each point gets at least 110", 110);
    check_minimum(WIDE(", min: 110, max: 110"), "", 110);
}

/* A metric without spread is known at once; one that is never there never. */
static void test_constants_and_nulls(void **state)
{
    int64_t num_rows[3];
    spot_completeness_t result;

    (void) state;
    result = run_text(STUDY("metric: constant, half_width: 1e-9", ""), num_rows);
    assert_int_equal(num_rows[0], 256);
    assert_int_equal(result.num_unfinished, 0);
    result = run_text(STUDY("metric: never, half_width: 1", ", max: 3000"), num_rows);
    assert_int_equal(num_rows[1], 3000);
    assert_int_equal(result.num_imprecise, 3);
    run_text(STUDY("metric: seldom, half_width: 0.1", ""), num_rows); /* every second */
    assert_true(num_rows[0] > 2 * 1350 && num_rows[0] < 2 * 1750);
}

/* ---- What does not show ---- */

#define LONG STUDY("metric: exponential, half_width: 0.02", ", min: 64")

static void check_threads(const char *text)
{
    spot_study_t study;
    spot_store_t *one, *many;

    read_toy_study(&study, text);
    one = run_toy_study(&study, 1);
    many = run_toy_study(&study, 5);
    assert_same_rows(many, one);
    many->close(many);
    one->close(one);
    spot_study_free(&study);
}

static void test_threads_do_not_show(void **state)
{
    (void) state;
    check_threads(LONG);
}

static void check_shards(const char *text)
{
    spot_study_t study;
    spot_store_t *one, *parts;

    read_toy_study(&study, text);
    one = run_toy_study(&study, 1);
    assert_int_equal(spot_store_open_memory(&parts, &study.head), 0);
    for (int64_t j = 0; j < 4; j++) { /* one of them gets no point */
        const spot_study_run_t run = {.num_threads = 2, .shard_id = j, .num_shards = 4};

        assert_int_equal(completeness_of(parts).num_unfinished, j < 3 ? 3 - j : 0);
        assert_int_equal(spot_study_run(&study, parts, &run, NULL), 0);
    }
    assert_same_rows(parts, one);
    parts->close(parts);
    one->close(one);
    spot_study_free(&study);
}

static void test_shards_do_not_show(void **state)
{
    (void) state;
    check_shards(LONG);
}

/* Stops at every so many batches. */
static void check_interruptions(const char *text, int64_t num_batches, int min_stops)
{
    spot_study_t study;
    spot_store_t *one, *store;
    int64_t before = -1, now = 0;
    int ret = SPOT_ERR_INTERRUPTED, num_stops = 0;

    read_toy_study(&study, text);
    one = run_toy_study(&study, 1);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    while (ret == SPOT_ERR_INTERRUPTED && num_stops < 10000) {
        ret = run_part_of_toy_study(&study, store, num_batches * ++num_stops);
        before = now;
        now = completeness_of(store).num_rows;
    }
    assert_int_equal(ret, 0);
    assert_true(num_stops > min_stops && now >= before);
    assert_same_rows(store, one);
    store->close(store);
    one->close(one);
    spot_study_free(&study);
}

/* Also rows behind those of a round, which only an interrupted study has, change nothing
 * in what the next round is. */
static void test_interruptions_do_not_show(void **state)
{
    (void) state;
    check_interruptions(LONG, 7, 20);
}

/* ---- Bad input ---- */

static void assert_refused(const char *text, const char *message)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;

    assert_int_equal(try_toy_study(&study, text, &diag), SPOT_ERR_BAD_INPUT);
    report = diagnostics(&diag);
    if (strstr(report, message) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", message, report);
    }
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

static void test_bad_input(void **state)
{
    (void) state;
    assert_refused(STUDY("metric: normla, half_width: 1", ""),
        "yaml:4:32: replications.until.metric: unknown metric \"normla\", did you mean "
        "\"normal\"?");
    assert_refused(
        STUDY("half_width: 1", ""), "yaml:4:23: missing key \"replications.until.metric\"");
    assert_refused(STUDY("metric: normal, half_width: -1", ""), "half_width");
    assert_refused(STUDY("metric: normal, half_width: 1, confidence: 1", ""),
        "replications.until.confidence: ");
    assert_refused("study: toy\nscenario: {}\nreplications: {min: 5}\n",
        "yaml:3:21: replications.min: is used with until or optimise only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_stops_when_it_is_known),
        cmocka_unit_test(test_relative_to_the_mean),
        cmocka_unit_test(test_minimum_and_maximum),
        cmocka_unit_test(test_whole_minimum),
        cmocka_unit_test(test_constants_and_nulls),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_shards_do_not_show),
        cmocka_unit_test(test_interruptions_do_not_show),
        cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
