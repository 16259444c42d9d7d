/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that differ in what they yield: metrics, chance and the unit of work depend on
 * the scenario. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/findings.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/engine_halls.h"
#include "tests/unit/train/fixture.h"

#define SERVER(id) "busy_fraction.server-" #id

static int try_study(spot_study_t *study, const char *text, spot_diag_t *diag)
{
    char path[PATH_BYTES];
    int ret;

    temporary_path("halls.yaml", path);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, halls_engines, path, NULL, diag);
    unlink(path);
    return ret;
}

static void read_study(spot_study_t *study, const char *text)
{
    spot_diag_t diag;
    const int ret = try_study(study, text, &diag);
    char *report = diagnostics(&diag);

    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

/* expected: the report from the first ": " on, behind the place. */
static void assert_refused(const char *text, const char *expected)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;
    const char *found;

    assert_int_equal(try_study(&study, text, &diag), SPOT_ERR_BAD_INPUT);
    report = diagnostics(&diag);
    found = strstr(report, ": ");
    assert_non_null(found);
    assert_string_equal(found + 2, expected);
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

static void run_into(const spot_study_t *study, spot_store_t *store, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};

    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
}

static spot_store_t *run_study(const spot_study_t *study)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    run_into(study, store, 2);
    return store;
}

/* ---- Metrics ---- */

static void test_union(void **state)
{
    static const char *const names[] = {"wait_mean_s", SERVER(1), SERVER(2), SERVER(3), SERVER(4)};
    static const size_t num_servers[] = {2, 4, 1};
    spot_study_t study;
    spot_store_t *store;
    spot_summary_t *summaries;

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls}\n"
                       "sweep: {servers: [2, 4, 1]}\n");
    assert_string_equal(study.head.engine, "halls");
    assert_int_equal(study.head.num_metrics, 5);
    assert_int_equal(study.head.num_listed, 5);
    assert_int_equal(study.head.num_replications, 30);
    store = run_study(&study);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    for (size_t j = 0; j < 5; j++) {
        assert_string_equal(study.head.metrics[j].name, names[j]);
        for (size_t k = 0; k < 3; k++) {
            const spot_summary_t *summary = &summaries[k * 5 + j];
            const bool is_there = j <= num_servers[k];

            assert_int_equal(spot_study_has_metric(&study.head, k, j), is_there);
            assert_false(spot_study_is_fixed(&study.head, k));
            assert_int_equal(summary->num_values, is_there ? 30 : 0);
            assert_int_equal(summary->num_nulls, 0);
            assert_int_equal(isfinite(summary->value), is_there);
        }
    }
    free(summaries);
    store->close(store);
    spot_study_free(&study);
}

/* Where all points yield the same, the head does not say so for each. */
static void test_same_metrics(void **state)
{
    spot_study_t study;

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls}\n"
                       "sweep: {servers: [2, 4]}\nmetrics: [" SERVER(2) ", wait_mean_s]\n");
    assert_int_equal(study.head.num_metrics, 2);
    assert_string_equal(study.head.metrics[0].name, SERVER(2));
    assert_int_equal(study.head.num_kinds, 0);
    assert_true(spot_study_has_metric(&study.head, 1, 0));
    spot_study_free(&study);
}

/* Rows are those of a study of each point alone, in memory and in a database. */
static void test_many_metrics(void **state)
{
    const char *const texts[] = {
        "study: x\nscenario: {engine: halls}\nsweep: {servers: [300, 3]}\n",
        "study: x\nscenario: {engine: halls, servers: 300}\n",
        "study: x\nscenario: {engine: halls, servers: 3}\n"};
    spot_summary_t *summaries[3];
    size_t num_metrics[3];
    char path[PATH_BYTES];

    (void) state;
    temporary_path("halls.db", path);
    for (size_t j = 0; j < 3; j++) {
        const spot_provenance_t provenance = {.canonical = "x: 1\n",
            .canonical_sha256 = "",
            .version = "",
            .commit = "",
            .compiler = "",
            .libraries = "",
            .machine = "",
            .command_line = "",
            .shard = ""};
        spot_study_t study;
        spot_store_t *store;
        spot_diag_t diag;

        read_study(&study, texts[j]);
        num_metrics[j] = study.head.num_metrics;
        spot_diag_init(&diag);
        assert_int_equal(spot_store_open_sqlite(&store, path, &study.head, &provenance, &diag), 0);
        run_into(&study, store, 1);
        assert_int_equal(store->flush(store, &diag), 0);
        assert_int_equal(spot_summarise_all(store, &summaries[j]), 0);
        store->close(store);
        spot_diag_free(&diag);
        spot_study_free(&study);
        unlink(path);
    }
    assert_int_equal(num_metrics[0], 301);
    assert_int_equal(num_metrics[1], 301);
    assert_int_equal(num_metrics[2], 4);
    for (size_t j = 0; j < 301; j++) {
        assert_true(summaries[0][j].num_values == 30);
        assert_true(summaries[0][j].value == summaries[1][j].value);
        assert_true(summaries[0][301 + j].num_values == (j < 4 ? 30 : 0));
        assert_true(j >= 4 || summaries[0][301 + j].value == summaries[2][j].value);
    }
    for (size_t j = 0; j < 3; j++) {
        free(summaries[j]);
    }
}

static void test_units(void **state)
{
    (void) state;
    assert_refused("study: x\nscenario: {engine: halls}\nsweep: {unit: [s, ms]}\n",
        "metric wait_mean_s has the unit \"s\" at unit s, and \"ms\" at unit ms\n");
}

static void test_goals(void **state)
{
    (void) state;
    assert_refused("study: x\nscenario: {engine: halls}\nsweep: {servers: [2, 1]}\n"
                   "replications: {until: {metric: " SERVER(2) ", half_width: 1}}\n",
        "replications.until.metric: there is no " SERVER(2) " at servers 1\n");
    assert_refused("study: x\nscenario: {engine: halls}\n"
                   "optimise: {minimise: wait_mean_s, over: {servers: [1, 2]},\n"
                   "  subject_to: [\"`" SERVER(2) "` <= 0.9\"]}\n",
        "optimise.subject_to: there is no " SERVER(2) " at servers 1\n");
}

static void test_constraint_in_backquotes(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_race_answer_t answer;

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls, servers: 2}\n"
                       "optimise: {maximise: wait_mean_s, over: {load: [0.25, 0.5, 0.75]},\n"
                       "  subject_to: [\"`" SERVER(2) "` <= 0.2\"]}\n");
    assert_int_equal(study.head.optimise.num_constraints, 1);
    assert_string_equal(study.head.optimise.constraints[0].metric, SERVER(2));
    store = run_study(&study);
    assert_int_equal(spot_race_answer_init(&answer, store), 0);
    assert_int_equal(answer.race.best_id, 1);
    assert_int_equal(answer.race.runners[2].fate, SPOT_FATE_INFEASIBLE);
    spot_race_answer_free(&answer);
    store->close(store);
    spot_study_free(&study);
}

/* ---- The unit of work ---- */

static void test_batches(void **state)
{
    static const int64_t sizes[] = {1, 7, 1000};
    double mean = (double) NAN;

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        spot_study_t study;
        spot_store_t *store;
        spot_summary_t *summaries;
        char text[256];

        snprintf(text, sizeof(text),
            "study: x\nscenario: {engine: halls, batch: %d}\n"
            "replications: {until: {metric: wait_mean_s, half_width: 0.3}}\n",
            (int) sizes[j]);
        read_study(&study, text);
        assert_int_equal(spot_study_batch_size(&study.head), sizes[j]);
        assert_int_equal(study.head.min_replications, (10 + sizes[j] - 1) / sizes[j] * sizes[j]);
        store = run_study(&study);
        assert_int_equal(store->num_rows(store, 0) % sizes[j], 0);
        assert_int_equal(spot_summarise_all(store, &summaries), 0);
        assert_true(summaries[0].ci_high - summaries[0].ci_low <= 0.6);
        assert_true(summaries[0].value != mean);
        mean = summaries[0].value;
        free(summaries);
        store->close(store);
        spot_study_free(&study);
    }
}

/* ---- Chance ---- */

#define MIXED(rest)                                                                                \
    "study: x\nscenario: {engine: halls}\n"                                                        \
    "sweep: {load: [0.25, 0.5], chance: [yes, no]}\n" rest

static void test_fixed_points_run_once(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_summary_t *summaries;
    spot_completeness_t completeness;
    const int64_t before = atomic_load(&halls_num_runs);

    (void) state;
    read_study(&study, MIXED("replications: {count: 20}\n"));
    assert_int_equal(spot_study_runs(&study.head, 20), 42);
    store = run_study(&study);
    assert_int_equal(atomic_load(&halls_num_runs) - before, 42);
    assert_int_equal(spot_store_find_completeness(store, &completeness), 0);
    assert_int_equal(completeness.num_unfinished, 0);
    assert_int_equal(completeness.num_asked, 42);
    assert_int_equal(completeness.num_rows, 42);
    assert_int_equal(completeness.fewest, 20);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    for (size_t j = 0; j < 4; j++) {
        const spot_summary_t *summary = &summaries[j * study.head.num_metrics];
        const bool is_fixed = j % 2 == 1;

        assert_int_equal(spot_study_is_fixed(&study.head, j), is_fixed);
        assert_int_equal(summary->num_values, is_fixed ? 1 : 20);
        assert_int_equal(summary->ci_low == summary->ci_high, is_fixed);
        assert_true(!is_fixed || summary->ci_low == summary->value);
    }
    free(summaries);
    run_into(&study, store, 1); /* nothing is missing */
    assert_int_equal(atomic_load(&halls_num_runs) - before, 42);
    store->close(store);
    spot_study_free(&study);
}

/* Without chance anywhere once, and so often as is asked. */
static void test_no_chance(void **state)
{
    spot_study_t study;

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls, chance: no}\n");
    assert_int_equal(study.head.num_replications, 1);
    assert_true(spot_study_is_ruled(&study.head, 0, 0));
    assert_false(spot_study_is_fixed(&study.head, 0));
    spot_study_free(&study);
    read_study(&study, "study: x\nscenario: {engine: halls, chance: no}\n"
                       "replications: {count: 5}\n");
    assert_int_equal(study.head.num_replications, 5);
    assert_false(spot_study_is_fixed(&study.head, 0));
    spot_study_free(&study);
}

static void test_fixed_until(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_completeness_t completeness;

    (void) state;
    read_study(&study, MIXED("replications: {until: {metric: wait_mean_s, half_width: "
                             "0.2}, min: 64}\n"));
    store = run_study(&study);
    assert_int_equal(store->num_rows(store, 1), 1);
    assert_int_equal(store->num_rows(store, 3), 1);
    assert_true(store->num_rows(store, 0) >= 64);
    assert_int_equal(spot_store_find_completeness(store, &completeness), 0);
    assert_int_equal(completeness.num_unfinished, 0);
    assert_int_equal(completeness.num_imprecise, 0);
    assert_int_equal(completeness.num_constant, 0);
    store->close(store);
    spot_study_free(&study);
}

static void test_what_is_left(void **state)
{
    const spot_study_run_t run = {.num_threads = 1};
    spot_study_t study;
    spot_study_left_t left;

    (void) state;
    read_study(&study, MIXED("replications: {count: 100}\n"));
    assert_int_equal(spot_study_find_left(&study, NULL, &run, &left), 0);
    assert_int_equal(left.least_runs, 202);
    assert_int_equal(left.most_runs, 202);
    assert_int_equal(left.most_points, 4);
    spot_study_free(&study);
}

/* Each replication of one is paired with the only one of the other, both ways. */
static void test_fixed_differences(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_summary_t *summaries;
    spot_paired_t pairs[2][2];

    (void) state;
    read_study(&study, MIXED("replications: {count: 1500}\n"));
    store = run_study(&study);
    assert_int_equal(study.head.num_metrics, 2);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_int_equal(spot_store_difference(store, 0, 1, pairs[0]), 0);
    assert_int_equal(spot_store_difference(store, 1, 0, pairs[1]), 0);
    for (size_t k = 0; k < 2; k++) {
        const spot_paired_t *there = &pairs[0][k], *back = &pairs[1][k];

        assert_int_equal(spot_paired_num_pairs(there), 1500);
        assert_int_equal(spot_paired_num_pairs(back), 1500);
        assert_near(spot_paired_mean(there), summaries[k].value - summaries[2 + k].value, 1e-12);
        assert_true(spot_paired_mean(back) == -spot_paired_mean(there));
        assert_near(spot_paired_half_width(there, 0.95),
            (summaries[k].ci_high - summaries[k].ci_low) / 2, 1e-12);
    }
    assert_int_equal(spot_store_difference(store, 3, 1, pairs[0]), 0);
    assert_int_equal(spot_paired_num_pairs(&pairs[0][0]), 1500);
    assert_true(spot_paired_mean(&pairs[0][0]) == 2.5);
    assert_true(spot_paired_half_width(&pairs[0][0], 0.95) == 0);
    free(summaries);
    store->close(store);
    spot_study_free(&study);
}

/* A baseline that is fixed, for all others of its group. */
static void test_fixed_baseline(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_paired_t *all, pairs[2];

    (void) state;
    read_study(&study, MIXED("replications: {count: 100}\nbaseline: {chance: no}\n"));
    store = run_study(&study);
    assert_int_equal(spot_store_differences(store, &all), 0);
    for (size_t j = 0; j < 4; j += 2) {
        assert_int_equal(spot_store_difference(store, j, j + 1, pairs), 0);
        assert_memory_equal(pairs, &all[2 * j], sizeof(pairs));
        assert_int_equal(spot_paired_num_pairs(&all[2 * j]), 100);
    }
    free(all);
    store->close(store);
    spot_study_free(&study);
}

/* What a point lacks makes no pair. */
static void test_lacking_differences(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_paired_t pairs[3];

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls}\nsweep: {servers: [1, 2]}\n");
    store = run_study(&study);
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(spot_store_difference(store, j, 1 - j, pairs), 0);
        assert_int_equal(spot_paired_num_pairs(&pairs[0]), 30);
        assert_int_equal(spot_paired_num_pairs(&pairs[1]), 30);
        assert_int_equal(spot_paired_num_pairs(&pairs[2]), 0);
    }
    store->close(store);
    spot_study_free(&study);
}

static void test_fixed_race(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_race_answer_t answer;

    (void) state;
    read_study(&study,
        "study: x\nscenario: {engine: halls}\n"
        "optimise: {minimise: wait_mean_s, over: {load: [0.5, 0.51, 0.9], chance: [no, "
        "yes]}}\nreplications: {min: 128, max: 4000}\n");
    store = run_study(&study);
    assert_int_equal(spot_race_answer_init(&answer, store), 0);
    assert_true(answer.race.is_over);
    assert_int_equal(answer.race.runners[4].fate, SPOT_FATE_DOMINATED);
    assert_int_equal(answer.race.runners[5].fate, SPOT_FATE_DOMINATED);
    assert_int_equal(answer.race.runners[2].fate, SPOT_FATE_DOMINATED);
    assert_int_equal(answer.num_constant, 0);
    assert_int_equal(answer.num_runs, store->num_rows(store, 0) + store->num_rows(store, 1) +
                                          store->num_rows(store, 2) + store->num_rows(store, 3) +
                                          store->num_rows(store, 4) + store->num_rows(store, 5));
    for (size_t j = 0; j < 6; j += 2) {
        assert_int_equal(store->num_rows(store, j), 1);
    }
    spot_race_answer_free(&answer);
    store->close(store);
    spot_study_free(&study);
}

static void test_fixed_winners(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_winners_t winners;

    (void) state;
    read_study(&study, "study: x\nscenario: {engine: halls}\n"
                       "sweep: {chance: [yes, no], load: [0.1, 0.9]}\n"
                       "best: {key: load, minimise: wait_mean_s}\n");
    store = run_study(&study);
    assert_int_equal(spot_winners_init(&winners, store), 0);
    assert_int_equal(winners.groups.num_groups, 2);
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(winners.winners[j].best_id, 2 * j);
        assert_true(winners.winners[j].is_sure);
    }
    spot_winners_free(&winners);
    store->close(store);
    spot_study_free(&study);
}

static void test_fixed_group_means(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_group_means_t means;

    (void) state;
    read_study(&study, MIXED("replications: {count: 64}\n"));
    store = run_study(&study);
    assert_int_equal(spot_group_means_init(&means, store, 0, 1), 0);
    assert_int_equal(means.num_used, 64);
    assert_int_equal(means.num_groups, 16);
    for (size_t j = 0; j < means.num_groups; j++) {
        assert_true(means.means[1 * means.num_groups + j] == 2.5);
        assert_true(isfinite(means.means[j]));
    }
    spot_group_means_free(&means);
    store->close(store);
    spot_study_free(&study);
}

/* ---- Points that cannot run ---- */

#define CLOSED(rest)                                                                               \
    "study: x\nscenario: {engine: halls}\n"                                                        \
    "sweep: {closed: [there is no key, 'no'], load: [0.25, 0.5]}\n" rest

/* Reads a study of which two points cannot run, which is a warning at their place. */
static void read_closed(spot_study_t *study, const char *text)
{
    spot_diag_t diag;
    const int ret = try_study(study, text, &diag);
    char *report = diagnostics(&diag);

    assert_non_null(strstr(report, "warning: "));
    assert_non_null(strstr(report, ": closed: there is no key\n"));
    assert_int_equal(diag.num_errors, 0);
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

static void test_others_go_on(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_summary_t *summaries;
    spot_completeness_t completeness;
    spot_pilot_t pilot;
    const spot_watch_t watch = {0};

    (void) state;
    read_closed(&study, CLOSED("replications: {count: 20}\n"));
    assert_int_equal(spot_study_runs(&study.head, 20), 40);
    assert_int_equal(spot_study_measure(&study, 0.001, &watch, &pilot), 0);
    store = run_study(&study);
    assert_int_equal(spot_store_find_completeness(store, &completeness), 0);
    assert_int_equal(completeness.num_unfinished, 0);
    assert_int_equal(completeness.num_asked, 40);
    assert_int_equal(completeness.fewest, 20);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    for (size_t j = 0; j < 4; j++) {
        const char *reason = spot_study_cannot_run(&study.head, j);
        const spot_summary_t *summary = &summaries[j * study.head.num_metrics];

        assert_int_equal(store->num_rows(store, j), j < 2 ? 0 : 20);
        assert_int_equal(summary->num_nulls, 0);
        assert_int_equal(isfinite(summary->value) != 0, j >= 2);
        if (j < 2) {
            assert_string_equal(reason, "there is no key");
            assert_false(spot_study_has_metric(&study.head, j, 0));
        } else {
            assert_null(reason);
        }
    }
    free(summaries);
    store->close(store);
    spot_study_free(&study);
}

/* Neither a precision nor a race waits for such points. */
static void test_unable_goals(void **state)
{
    static const char *const texts[] = {
        CLOSED("replications: {until: {metric: wait_mean_s, half_width: 0.5}}\n"),
        "study: x\nscenario: {engine: halls}\noptimise: {minimise: wait_mean_s, over: "
        "{closed: [there is no key, 'no'], load: [0.25, 0.5]}}\n"};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_study_t study;
        spot_store_t *store;
        spot_completeness_t completeness;

        read_closed(&study, texts[j]);
        store = run_study(&study);
        assert_int_equal(spot_store_find_completeness(store, &completeness), 0);
        assert_int_equal(completeness.num_unfinished, 0);
        assert_int_equal(store->num_rows(store, 0), 0);
        assert_int_equal(store->num_rows(store, 1), 0);
        assert_true(store->num_rows(store, 2) > 0);
        store->close(store);
        spot_study_free(&study);
    }
}

static void test_all_unable(void **state)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;

    (void) state;
    assert_int_equal(try_study(&study,
                         "study: x\nscenario: {engine: halls, closed: it is night}\n"
                         "sweep: {load: [0.25, 0.5]}\n",
                         &diag),
        SPOT_ERR_BAD_INPUT);
    report = diagnostics(&diag);
    assert_non_null(strstr(report, ": no point can run: it is night\n"));
    assert_int_equal(diag.num_errors, 1);
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_same_metrics),
        cmocka_unit_test(test_many_metrics),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_goals),
        cmocka_unit_test(test_constraint_in_backquotes),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_fixed_points_run_once),
        cmocka_unit_test(test_no_chance),
        cmocka_unit_test(test_fixed_until),
        cmocka_unit_test(test_what_is_left),
        cmocka_unit_test(test_fixed_differences),
        cmocka_unit_test(test_fixed_baseline),
        cmocka_unit_test(test_lacking_differences),
        cmocka_unit_test(test_fixed_race),
        cmocka_unit_test(test_fixed_winners),
        cmocka_unit_test(test_fixed_group_means),
        cmocka_unit_test(test_others_go_on),
        cmocka_unit_test(test_unable_goals),
        cmocka_unit_test(test_all_unable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
