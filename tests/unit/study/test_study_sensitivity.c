/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a study's YAML to Sobol indices that are known: first + 2 second, uniform and
 * independent, has variances 1/12 and 4/12, so the indices are 0.2 and 0.8. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/keys_study.h"

#define STUDY                                                                                      \
    "sweep:\n  first: {from: 0, to: 1}\n  second: {from: 0, to: 1}\n"                              \
    "  mode: [sync, async]\nplan: {sensitivity: {points: 256}}\n"

static spot_store_t *run_keys_study(const spot_study_t *study)
{
    const spot_study_run_t run = {.num_threads = 2};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    return store;
}

/* Inside its interval and near: an error of 0.05 would show. */
static void assert_index(const spot_sensitivity_index_t *index, double truth)
{
    assert_true(index->ci_low <= truth && truth <= index->ci_high);
    assert_true(fabs(index->value - truth) < 0.05);
}

static void test_known_indices(void **state)
{
    spot_study_sensitivity_t sensitivity;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    read_keys_study(&study, STUDY "replications: {count: 32}\n");
    store = run_keys_study(&study);
    assert_int_equal(spot_study_sensitivity_init(&sensitivity, store), 0);
    assert_int_equal(sensitivity.num_replications, 32);
    assert_int_equal(sensitivity.num_groups, 16);
    assert_int_equal(sensitivity.num_metrics, KEYS_NUM_METRICS);
    for (int is_total = 0; is_total < 2; is_total++) {
        const spot_sensitivity_t *indices = &sensitivity.metrics[KEYS_SUM].indices;
        const spot_sensitivity_index_t *of_kind = is_total ? indices->total : indices->first;

        assert_index(&of_kind[0], 0.2);
        assert_index(&of_kind[1], 0.8);
        assert_true(fabs(of_kind[2].value) < 1e-9); /* mode changes nothing */
    }
    assert_int_equal(sensitivity.metrics[KEYS_SUM].outcome, 0);
    spot_study_sensitivity_free(&sensitivity);
    store->close(store);
    spot_study_free(&study);
}

/* Base samples with a null at one of their points are left out and counted; what never
 * changes has no indices. */
static void test_doubtful_metrics(void **state)
{
    spot_study_sensitivity_t sensitivity;
    spot_study_t study;
    spot_store_t *store;
    size_t num_left_out = 0;

    (void) state;
    read_keys_study(&study, STUDY "replications: {count: 2}\n");
    store = run_keys_study(&study);
    assert_int_equal(spot_study_sensitivity_init(&sensitivity, store), 0);
    assert_int_equal(sensitivity.num_groups, 1);
    for (size_t j = 0; j < 256; j++) {
        const uint32_t *rows = &study.head.plan.sample_points[5 * j];

        num_left_out +=
            keys_at(&study, rows[0])->first < 0.1 || keys_at(&study, rows[1])->first < 0.1;
    }
    assert_true(num_left_out > 20);
    assert_int_equal(sensitivity.metrics[KEYS_SELDOM].indices.num_left_out, num_left_out);
    assert_true(isnan(spot_sensitivity_noise_share(&sensitivity.metrics[KEYS_SELDOM].indices)));
    assert_int_equal(sensitivity.metrics[KEYS_CONSTANT].outcome, SPOT_ANALYSIS_CONSTANT);
    assert_non_null(spot_metric_sensitivity_problem(&sensitivity.metrics[KEYS_CONSTANT]));
    assert_null(spot_metric_sensitivity_problem(&sensitivity.metrics[KEYS_SELDOM]));
    spot_study_sensitivity_free(&sensitivity);
    store->close(store);
    spot_study_free(&study);
}

/* Fewer than four replications cannot tell their noise from what keys do. */
static void test_warning_of_few_replications(void **state)
{
    (void) state;
    for (int j = 1; j <= 5; j++) {
        spot_study_sensitivity_t sensitivity;
        spot_study_t study;
        spot_store_t *store;
        char text[300];
        const char *warning;

        snprintf(text, sizeof(text), STUDY "replications: {count: %d}\n", j);
        read_keys_study(&study, text);
        store = run_keys_study(&study);
        assert_int_equal(spot_study_sensitivity_init(&sensitivity, store), 0);
        assert_int_equal(sensitivity.num_groups, j < 4 ? 1 : j);
        warning = spot_metric_sensitivity_warning(&sensitivity.metrics[KEYS_SUM]);
        assert_true((warning != NULL) == (j < 4));
        assert_true((warning != NULL) == (isnan(spot_sensitivity_noise_share(
                                              &sensitivity.metrics[KEYS_SUM].indices)) != 0));
        warning = spot_metric_sensitivity_warning(&sensitivity.metrics[KEYS_CONSTANT]);
        assert_null(warning); /* it has no indices */
        spot_study_sensitivity_free(&sensitivity);
        store->close(store);
        spot_study_free(&study);
    }
}

/* Nothing has run: nothing is known, and nothing breaks. */
static void test_empty_store(void **state)
{
    spot_study_sensitivity_t sensitivity;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    read_keys_study(&study, STUDY);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_sensitivity_init(&sensitivity, store), 0);
    assert_int_equal(sensitivity.metrics[KEYS_SUM].outcome, SPOT_ANALYSIS_TOO_FEW);
    assert_null(spot_metric_sensitivity_warning(&sensitivity.metrics[KEYS_SUM]));
    spot_study_sensitivity_free(&sensitivity);
    store->close(store);
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_indices),
        cmocka_unit_test(test_doubtful_metrics),
        cmocka_unit_test(test_warning_of_few_replications),
        cmocka_unit_test(test_empty_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
