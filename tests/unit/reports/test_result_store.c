/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports are made from the store alone: they are the same bytes from the store in
 * memory, from the one on disk, and from its file later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/export.h"
#include "reports/report_text.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

#define NUM_REPORTS 3

static int write_table(const spot_store_t *store, FILE *out)
{
    const spot_terminal_t terminal = {80, false, true};

    return spot_result_table_write(store, NULL, &terminal, out);
}

static int (*const reports[NUM_REPORTS])(const spot_store_t *store, FILE *out) = {
    write_table, spot_result_csv_write, spot_result_json_write};

static char *report(const spot_store_t *store, int report_id)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(reports[report_id](store, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void run(const spot_study_t *study, spot_store_t *store)
{
    const spot_study_run_t how = {.num_threads = 2};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_study_run(study, store, &how, &diag), 0);
    spot_diag_free(&diag);
}

static void assert_same_reports(const spot_store_t *store, char *const texts[NUM_REPORTS])
{
    for (int j = 0; j < NUM_REPORTS; j++) {
        char *text = report(store, j);

        assert_string_equal(text, texts[j]);
        free(text);
    }
}

static void check_study(const char *study_path, const char *const sets[2])
{
    const spot_provenance_t provenance = {"{}", "", "", "", "", "", "", "", 2, .shard = ""};
    char path[] = "/tmp/spotsim-result-XXXXXX", *texts[NUM_REPORTS];
    const int file = mkstemp(path);
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    assert_true(file >= 0);
    close(file);
    spot_diag_init(&diag);
    assert_int_equal(spot_study_read(&study, spot_engines, study_path,
                         &(spot_scenario_changes_t){.num_sets = 2, .sets = sets}, &diag),
        0);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    run(&study, store);
    for (int j = 0; j < NUM_REPORTS; j++) {
        texts[j] = report(store, j);
    }
    store->close(store);
    assert_int_equal(spot_store_open_sqlite(&store, path, &study.head, &provenance, &diag), 0);
    run(&study, store);
    assert_same_reports(store, texts);
    store->close(store);
    spot_study_free(&study);
    assert_int_equal(spot_store_open_sqlite_reader(&store, path, &diag), 0);
    assert_same_reports(store, texts);
    store->close(store);
    for (int j = 0; j < NUM_REPORTS; j++) {
        free(texts[j]);
    }
    spot_diag_free(&diag);
    unlink(path);
}

#define SHIPPED SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/study.yaml"
#define GOLDEN SPOT_SOURCE_DIR "/tests/golden/cli/"

static void test_rows(void **state)
{
    (void) state;
    check_study(SHIPPED, (const char *[2]){"replications.seed=3", "replications.count=150"});
}

static void test_baselines(void **state)
{
    (void) state;
    check_study(
        SHIPPED, (const char *[2]){"baseline={job.pipeline_depth: 8}", "replications.count=100"});
}

/* The report has indices, which are made of the plan. */
static void test_sensitivity(void **state)
{
    (void) state;
    check_study(GOLDEN "study-sensitivity.yaml",
        (const char *[2]){"replications.count=16", "replications.seed=9"});
}

/* The report tells the race, which is made of what is looked for. */
static void test_races(void **state)
{
    (void) state;
    check_study(GOLDEN "optimise.yaml",
        (const char *[2]){"replications.max=1000", "optimise.confidence=0.9"});
    check_study(GOLDEN "optimise.yaml",
        (const char *[2]){"replications.max=500", "optimise.subject_to=[]"});
}

static void test_until(void **state)
{
    static const char until[] =
        "replications={until: {metric: idle_fraction, half_width: 0.02}, max: 3000}";

    (void) state;
    check_study(SHIPPED, (const char *[2]){"study=until", until});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_until),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
