/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies that look for their best point: what they find, that threads and interruptions
 * do not show, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/race.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/toy_study.h"

#define STUDY(goal, over, more, replications)                                                      \
    "study: toy\nscenario: {shift: 0}\n"                                                           \
    "optimise: {" goal ", over: {" over "}" more "}\n"                                             \
    "replications: {" replications "}\nmetrics: [constant]\n"

static spot_race_answer_t answer_of(spot_study_t *study, const char *text, spot_store_t **store)
{
    spot_race_answer_t answer;

    read_toy_study(study, text);
    *store = run_toy_study(study, 2);
    assert_int_equal(spot_race_answer_init(&answer, *store), 0);
    assert_true(answer.race.is_over);
    return answer;
}

static void finish(spot_study_t *study, spot_store_t *store, spot_race_answer_t *answer)
{
    spot_race_answer_free(answer);
    store->close(store);
    spot_study_free(study);
}

static const char *best_text(const spot_race_answer_t *answer, size_t axis_id)
{
    const spot_study_head_t *head = answer->race.head;

    return head->axes[axis_id].texts[spot_study_value_id(head, answer->race.best_id, axis_id)];
}

/* Points of one stream meet the same events: their differences are known at once.
 * Others need the more replications, the nearer they are. */
static void test_it_finds_the_best(void **state)
{
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    answer = answer_of(
        &study, STUDY("minimise: normal", "shift: [3, 1, 0, 0.01, 2]", "", "max: 5000"), &store);
    assert_string_equal(best_text(&answer, 0), "0");
    assert_int_equal(answer.race.num_racing, 1);
    assert_int_equal(answer.num_runs, 5 * 256);
    finish(&study, store, &answer);

    answer = answer_of(&study,
        STUDY("maximise: normal", "stream: [1, 2], shift: [0, -5, -0.3]", "", "max: 5000"), &store);
    assert_string_equal(best_text(&answer, 1), "0");
    assert_int_equal(answer.num_points[SPOT_FATE_DOMINATED], 4);
    for (size_t j = 0; j < 6; j++) {
        const int64_t num_rows = store->num_rows(store, j);

        assert_int_equal(num_rows, answer.race.runners[j].num_rows);
        assert_true(j % 3 != 1 || num_rows == 256);
        assert_true(j % 3 != 0 || num_rows == 5000); /* of one mean */
    }
    assert_true(store->num_rows(store, 2) > 256 || store->num_rows(store, 5) > 256);
    finish(&study, store, &answer);
}

/* Metrics that are not listed are shown as well, behind those that are. */
static void test_constraints(void **state)
{
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    answer = answer_of(&study,
        STUDY("minimise: normal", "shift: [0, 1, 2, 3]",
            ", subject_to: [\"rare >= 1.1\", exponential < 3.5]", "max: 5000"),
        &store);
    assert_int_equal(study.head.num_listed, 4);
    assert_int_equal(study.head.num_metrics, 4);
    assert_string_equal(best_text(&answer, 0), "1");
    assert_int_equal(answer.race.runners[0].fate, SPOT_FATE_INFEASIBLE);
    assert_int_equal(answer.race.runners[3].fate, SPOT_FATE_INFEASIBLE);
    finish(&study, store, &answer);

    answer = answer_of(&study,
        STUDY("minimise: normal", "shift: [0, 1]", ", subject_to: [rare < 0]", "max: 500"), &store);
    assert_false(answer.race.has_best);
    assert_int_equal(answer.num_points[SPOT_FATE_INFEASIBLE], 2);
    finish(&study, store, &answer);
}

static void test_undefined(void **state)
{
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    answer = answer_of(&study, STUDY("minimise: seldom", "shift: [0, 1]", "", "max: 500"), &store);
    assert_int_equal(answer.num_points[SPOT_FATE_UNDEFINED], 2);
    finish(&study, store, &answer);
    answer = answer_of(&study,
        STUDY("minimise: normal", "shift: [0, 1]", ", subject_to: [never < 1]", "max: 500"),
        &store);
    assert_int_equal(answer.num_points[SPOT_FATE_UNDEFINED], 2);
    finish(&study, store, &answer);
}

/* Without pairing, 0.01 is within the noise of 5000 replications. */
static void test_maximum_and_indifference(void **state)
{
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    answer = answer_of(&study,
        STUDY("minimise: normal", "stream: [1, 2, 3]", ", indifference: 0", "min: 128, max: 5001"),
        &store);
    assert_int_equal(answer.race.num_rows, 5001);
    assert_int_equal(answer.race.num_racing, 3);
    assert_false(spot_race_is_decided(&answer.race));
    finish(&study, store, &answer);

    answer = answer_of(&study,
        STUDY("minimise: normal", "stream: [1, 2, 3]", ", indifference: 0.05, confidence: 0.9",
            "max: 5001"),
        &store);
    assert_true(answer.race.num_rows < 5001);
    assert_int_equal(answer.race.num_racing, 3);
    assert_true(answer.regret <= 0.05 * 10.1);
    finish(&study, store, &answer);
}

/* The first round is of whole batches, which is said of a minimum that is none. */
static void test_whole_minimum(void **state)
{
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;
    char *report;

    (void) state;
    assert_int_equal(
        try_toy_study(&study, STUDY("minimise: normal", "shift: [0, 1]", "", "min: 130"), &diag),
        0);
    report = diagnostics(&diag);
    assert_int_equal(diag.num_items, 1);
    assert_int_equal(diag.num_warnings, 1);
    assert_non_null(strstr(report, "yaml:4:21: replications.min: 130 is not a multiple of 64, the "
                                   "replications of a batch: each point gets at least 192"));
    free(report);
    spot_diag_free(&diag);
    store = run_toy_study(&study, 2);
    assert_int_equal(spot_race_answer_init(&answer, store), 0);
    assert_int_equal(answer.num_runs, 2 * 192);
    finish(&study, store, &answer);
}

/* ---- What does not show ---- */

#define LONG                                                                                       \
    STUDY("minimise: exponential", "stream: [0, 1, 2], shift: [0.1, 0.3, 0], spread: [1, 4]",      \
        ", subject_to: [normal < 10.25 s]", "min: 64, max: 2000")

static void test_threads_do_not_show(void **state)
{
    spot_study_t study;
    spot_store_t *one, *many;

    (void) state;
    read_toy_study(&study, LONG);
    one = run_toy_study(&study, 1);
    many = run_toy_study(&study, 5);
    assert_same_rows(many, one);
    many->close(many);
    one->close(one);
    spot_study_free(&study);
}

static size_t num_unfinished(const spot_store_t *store)
{
    spot_summary_t *summaries;
    spot_completeness_t completeness;

    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_int_equal(spot_store_completeness(store, summaries, &completeness), 0);
    free(summaries);
    return completeness.num_unfinished;
}

static void test_interruptions_do_not_show(void **state)
{
    spot_study_t study;
    spot_store_t *one, *store;
    int ret = SPOT_ERR_INTERRUPTED, num_stops = 0;

    (void) state;
    read_toy_study(&study, LONG);
    one = run_toy_study(&study, 1);
    assert_int_equal(num_unfinished(one), 0);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    while (ret == SPOT_ERR_INTERRUPTED && num_stops < 10000) {
        assert_true(num_unfinished(store) > 0);
        ret = run_part_of_toy_study(&study, store, 7 * ++num_stops);
    }
    assert_int_equal(ret, 0);
    assert_true(num_stops > 10);
    assert_int_equal(num_unfinished(store), 0);
    assert_same_rows(store, one);
    store->close(store);
    one->close(one);
    spot_study_free(&study);
}

/* A part of the points cannot race. */
static void test_shards_are_refused(void **state)
{
    const spot_study_run_t run = {.num_threads = 1, .shard_id = 1, .num_shards = 2};
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;
    char *report;

    (void) state;
    read_toy_study(&study, LONG);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_study_run(&study, store, &run, &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_study_check_shards(&study, 2, &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 2);
    assert_int_equal(spot_study_check_shards(&study, 1, &diag), 0);
    assert_int_equal(spot_study_check_shards(&study, 0, &diag), 0);
    assert_int_equal(diag.num_errors, 2);
    report = diagnostics(&diag);
    assert_non_null(strstr(report, "toy.yaml:3:11: optimise: compares all points with "
                                   "each other: run it without --shard"));
    assert_int_equal(store->num_rows(store, 0), 0);
    free(report);
    spot_diag_free(&diag);
    store->close(store);
    spot_study_free(&study);
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

#define REFUSED(optimise) "study: toy\nscenario: {}\noptimise: " optimise "\n"

static void test_bad_goals(void **state)
{
    (void) state;
    assert_refused(REFUSED("{minimise: normla, over: {shift: [1]}}"),
        "yaml:3:22: optimise.minimise: unknown metric \"normla\", did you mean "
        "\"normal\"?");
    assert_refused(REFUSED("{maximise: normla, over: {shift: [1]}}"),
        "yaml:3:22: optimise.maximise: unknown metric");
    assert_refused(
        REFUSED("{over: {shift: [1]}}"), "yaml:3:11: optimise: needs either minimise or maximise");
    assert_refused(REFUSED("5"), "yaml:3:11: optimise: expected a map");
    assert_refused(
        REFUSED("{minimise: normal, over: {shift: [1]}, confidence: 1}"), "optimise.confidence: ");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, indifference: -1}"),
        "optimise.indifference: ");
}

static void test_bad_plans(void **state)
{
    (void) state;
    assert_refused(REFUSED("{minimise: normal}"), "missing key \"optimise.over\"");
    assert_refused(REFUSED("{minimise: normal, over: {shift: []}}"),
        "optimise.over.shift: expected at least one value");
    assert_refused(REFUSED("{minimise: normal, over: {shft: [1]}}"), "shft");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1, 2]}}\n"
                           "plan: {sensitivity: {points: 256}}"),
        "yaml:4:7: plan: a sensitivity plan needs all replications of all points");
}

static void test_bad_constraints(void **state)
{
    (void) state;
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: [rar < 1]}"),
        "yaml:3:63: optimise.subject_to: unknown metric \"rar\"");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: [rare + 1]}"),
        "optimise.subject_to: ");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: [rare < never]}"),
        "optimise.subject_to: ");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: [rare <, a < 1]}"),
        "unknown metric \"a\""); /* both are found */
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: rare < 1}"),
        "optimise.subject_to: expected a list of conditions");
    assert_refused(REFUSED("{minimise: normal, over: {shift: [1]}, subject_to: [[rare < 1]]}"),
        "optimise.subject_to: expected a condition such as");
}

static void test_bad_replications(void **state)
{
    (void) state;
    assert_refused(
        STUDY("minimise: normal", "shift: [1]", "", "until: {metric: normal, half_width: 1}"),
        "yaml:4:23: replications.until: is not used with optimise: use min and max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_finds_the_best),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_maximum_and_indifference),
        cmocka_unit_test(test_whole_minimum),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_interruptions_do_not_show),
        cmocka_unit_test(test_shards_are_refused),
        cmocka_unit_test(test_bad_goals),
        cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_bad_constraints),
        cmocka_unit_test(test_bad_replications),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
