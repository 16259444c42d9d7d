/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/compare/fixture.h"
#include "traces/compare/comparison.h"

#define ROWS                                                                                       \
    "0,init,3,\n600,preempt,2,\n1200,add,3,\n3000,preempt,1,\n3060,preempt,1,\n"                   \
    "4200,add,1,\n7200,preempt,3,\n9000,add,2,\n11000,preempt,1,\n12000,end,1,\n"

#define SEED_MODEL                                                                                 \
    "generator: seed\n"                                                                            \
    "preemption: {per_minute: 0.03, count: {moments: {mean: 1.6, std: 1}}}\n"                      \
    "addition: {per_minute: 0.03, count: {moments: {mean: 2, std: 1.2}}}\n"

static int read_model(
    spot_trace_model_file_t *file, const char *text, const spot_trace_t *trace, spot_diag_t *diag)
{
    const char *folder = getenv("SPOT_TEST_TMP");
    char path[512];
    FILE *out;

    snprintf(path, sizeof(path), "%s/comparison.yaml", folder != NULL ? folder : "/tmp");
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    spot_diag_init(diag);
    return spot_trace_model_file_read(file, path, trace, "trace.csv", diag);
}

static void read_seed_model(spot_trace_model_file_t *file, const spot_trace_t *trace)
{
    spot_diag_t diag;

    assert_int_equal(read_model(file, SEED_MODEL, trace, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
}

/* Length, instances and capacity come from the trace; what differs is told. */
static void test_model_of_trace(void **state)
{
    spot_trace_model_file_t file;
    const spot_model_common_t *common;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    make_trace(&trace, "t", 60, "counts", "6", ROWS);
    read_seed_model(&file, &trace);
    common = spot_trace_model_common(&file.model);
    assert_int_equal(common->horizon_ms, 12000000);
    assert_int_equal(common->capacity, 6);
    assert_int_equal(common->initial, 3);
    assert_string_equal(file.name, "seed-corrected");
    spot_trace_model_file_free(&file);

    assert_int_equal(read_model(&file, SEED_MODEL "capacity: 9\ninitial: 9\n", &trace, &diag), 0);
    common = spot_trace_model_common(&file.model);
    assert_int_equal(common->capacity, 9);
    assert_int_equal(common->initial, 3);
    assert_int_equal(diag.num_warnings, 1);
    assert_non_null(strstr(diag.items[0].text,
        "comparison.yaml:4:11: capacity: the model's 9 differs from the trace's 6"));
    spot_trace_model_file_free(&file);
    spot_diag_free(&diag);
    spot_trace_free(&trace);
}

static void assert_faulty(const char *text, const spot_trace_t *trace, const char *message)
{
    spot_trace_model_file_t file;
    spot_diag_t diag;

    assert_int_equal(read_model(&file, text, trace, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(diag.num_items > 0);
    if (strstr(diag.items[0].text, message) == NULL) {
        fail_msg("%s", diag.items[0].text);
    }
    spot_trace_model_file_free(&file);
    spot_diag_free(&diag);
}

static void test_faulty_models(void **state)
{
    spot_trace_t trace, unbounded;

    (void) state;
    make_trace(&trace, "t", 60, "counts", "6", ROWS);
    make_trace(&unbounded, "t", 60, "counts", "unbounded", ROWS);
    assert_faulty("- 1\n", &trace, ":1:1: expected a model file (spotsim-model: 1)");
    assert_faulty("file: t.csv\n", &trace, ":1:1: a recorded trace is no generator");
    assert_faulty("generator: sed\n", &trace, "did you mean \"seed\"?");
    assert_faulty(SEED_MODEL "capacity: 2\n", &trace,
        "comparison.yaml:4:11: capacity: the model's 2 is less than the 3 instances "
        "that "
        "trace.csv starts with: expected the capacity of that trace, 6, or another");
    assert_faulty(SEED_MODEL "capacity: 2\n", &unbounded,
        "starts with: expected at least 3, or another trace");
    assert_faulty(SEED_MODEL "capacity: few\n", &trace, "comparison.yaml:4:11: capacity");
    assert_faulty(SEED_MODEL, &unbounded, "missing key \"capacity\"");
    spot_trace_free(&trace);
    spot_trace_free(&unbounded);
}

static void start(spot_comparison_t *comparison, spot_trace_t *trace, uint64_t seed)
{
    make_trace(trace, "t", 60, "counts", "6", ROWS);
    assert_int_equal(spot_comparison_init(comparison, trace, 1, true, seed), 0);
}

static void test_columns(void **state)
{
    spot_comparison_t comparison;
    spot_trace_t trace;

    (void) state;
    start(&comparison, &trace, 1);
    assert_int_equal(comparison.num_columns, SPOT_COMPARISON_FIRST);
    assert_string_equal(comparison.columns[0].label, "recorded");
    assert_string_equal(comparison.columns[1].label, "half1");
    assert_string_equal(comparison.columns[2].label, "half2-vs-half1");
    assert_int_equal(spot_comparison_add_trace(&comparison, &trace, "other"), 0);
    assert_int_equal(spot_comparison_add_trace(&comparison, &trace, "other"), 0);
    assert_string_equal(comparison.columns[3].label, "other");
    assert_string_equal(comparison.columns[4].label, "other#2");
    assert_memory_equal(comparison.columns[0].means, comparison.columns[3].means,
        sizeof(comparison.columns[0].means));
    assert_true(comparison.columns[0].means[SPOT_FIDELITY_W1_N] == 0);
    assert_true(comparison.columns[1].means[SPOT_FIDELITY_PREEMPT_EVENTS] == 3);
    assert_true(comparison.columns[2].means[SPOT_FIDELITY_PREEMPT_EVENTS] == 2);
    assert_null(spot_comparison_seed(&comparison));
    spot_comparison_free(&comparison);
    spot_trace_free(&trace);
}

/* name is on the heap. */
static void rename_to(char **name, const char *text)
{
    free(*name);
    *name = spot_text_copy(text, strlen(text));
    assert_non_null(*name);
}

static void assert_label(const char *path, const char *expected)
{
    char *label = spot_comparison_label(path);

    assert_non_null(label);
    assert_string_equal(label, expected);
    free(label);
}

static void test_labels(void **state)
{
    (void) state;
    assert_label("a/seed.yaml", "seed");
    assert_label("zoneA.yml", "zoneA");
    assert_label("/x.yaml/day.1.csv.gz", "day.1");
    assert_label("./day.csv", "day");
    assert_label("day.csv.yaml", "day.csv");
    assert_label("/dev/stdin", "stdin");
    assert_label(".yaml", ".yaml");
    assert_label("a,b \"c\"\n.yaml", "a_b _c__");
}

/* Replication by replication the same as a model's own events, in any company. */
static void test_models(void **state)
{
    spot_comparison_t comparison, again;
    spot_trace_model_file_t file;
    const spot_comparison_column_t *column;
    spot_trace_t trace, same;
    double ratio;

    (void) state;
    start(&comparison, &trace, 7);
    start(&again, &same, 7);
    read_seed_model(&file, &trace);
    assert_int_equal(spot_comparison_add_model(&comparison, &file.model, "mrp", "x", 20, NULL), 0);
    assert_int_equal(
        spot_comparison_add_model(&comparison, &file.model, "seed-corrected", "y", 40, NULL), 0);
    assert_int_equal(
        spot_comparison_add_model(&again, &file.model, "seed-corrected", "y", 40, NULL), 0);
    assert_int_equal(spot_comparison_add_model(&again, &file.model, "mrp", "seed", 1, NULL), 0);
    rename_to(&again.columns[SPOT_COMPARISON_FIRST].model, "seed"); /* of some defects */
    assert_ptr_equal(spot_comparison_seed(&again), &again.columns[SPOT_COMPARISON_FIRST]);
    column = &comparison.columns[SPOT_COMPARISON_FIRST + 1];
    assert_memory_equal(
        column->means, again.columns[SPOT_COMPARISON_FIRST].means, sizeof(column->means));
    assert_ptr_equal(spot_comparison_seed(&comparison), column);
    assert_true(column->sds[SPOT_FIDELITY_W1_N] > 0);
    assert_int_equal(spot_comparison_relate(&comparison, column, column, 0, &ratio), SPOT_ALIKE);
    assert_true(ratio == 1);
    spot_trace_model_file_free(&file);
    spot_comparison_free(&comparison);
    spot_comparison_free(&again);
    spot_trace_free(&trace);
    spot_trace_free(&same);
}

static void test_interrupt(void **state)
{
    atomic_int stop = 1;
    const spot_watch_t watch = {.stop = &stop};
    spot_comparison_t comparison;
    spot_trace_model_file_t file;
    spot_trace_t trace;

    (void) state;
    start(&comparison, &trace, 1);
    read_seed_model(&file, &trace);
    assert_int_equal(spot_comparison_add_model(&comparison, &file.model, "seed", "seed", 9, &watch),
        SPOT_ERR_INTERRUPTED);
    spot_trace_model_file_free(&file);
    spot_comparison_free(&comparison);
    spot_trace_free(&trace);
}

/* Means and standard errors are set, so that who is better is known. */
static void test_relations(void **state)
{
    spot_comparison_column_t columns[3] = {
        {.kind = SPOT_COMPARISON_COLUMN_RECORDED, .num_replications = 1},
        {.kind = SPOT_COMPARISON_COLUMN_MODEL, .num_replications = 100},
        {.kind = SPOT_COMPARISON_COLUMN_MODEL, .num_replications = 100}};
    const spot_comparison_t comparison = {.num_columns = 3, .columns = columns};
    const int ks = SPOT_FIDELITY_KS_PREEMPT_GAP;
    double ratio, error, stderr_error;

    (void) state;
    columns[1].means[ks] = 0.1;
    columns[1].sds[ks] = 0.3;
    columns[2].means[ks] = 0.2;
    columns[2].sds[ks] = 0.4; /* standard errors 0.03, 0.04: together 0.05 */
    assert_int_equal(
        spot_comparison_relate(&comparison, &columns[1], &columns[2], 0, &ratio), SPOT_ALIKE);
    assert_true(fabs(ratio - 2) < 1e-12);
    columns[2].means[ks] = 0.21;
    assert_int_equal(
        spot_comparison_relate(&comparison, &columns[1], &columns[2], 0, &ratio), SPOT_BETTER);
    assert_int_equal(
        spot_comparison_relate(&comparison, &columns[2], &columns[1], 0, &ratio), SPOT_WORSE);
    columns[0].means[SPOT_FIDELITY_MTBP_S] = 100;
    columns[1].means[SPOT_FIDELITY_MTBP_S] = 50;
    columns[1].sds[SPOT_FIDELITY_MTBP_S] = 5;
    spot_comparison_error(&comparison, &columns[1], SPOT_ERROR_LN_MTBP, &error, &stderr_error);
    assert_true(fabs(error - log(2)) < 1e-12);
    assert_true(fabs(stderr_error - 0.01) < 1e-12);
    columns[2].kind = SPOT_COMPARISON_COLUMN_HALVES;
    columns[2].means[SPOT_FIDELITY_MTBP_S] = 150;
    spot_comparison_error(&comparison, &columns[2], SPOT_ERROR_LN_MTBP, &error, &stderr_error);
    assert_true(fabs(error - log(3)) < 1e-12);
    columns[1].means[SPOT_FIDELITY_FANO_1H] = (double) NAN;
    assert_int_equal(
        spot_comparison_relate(&comparison, &columns[1], &columns[2], SPOT_ERROR_LN_FANO, &ratio),
        SPOT_UNDEFINED);
    assert_string_equal(spot_error_name(0), "ks_preempt_gap");
    assert_string_equal(spot_error_name(SPOT_ERROR_LN_MTBP - 1), "acf_events");
    assert_string_equal(spot_error_name(SPOT_ERROR_LN_FANO), "ln_fano");
}

/* 5, 50 and 95 % of one replication are all that one: its own population. */
static void test_band(void **state)
{
    spot_comparison_t comparison;
    spot_trace_model_file_t file;
    spot_replicate_t replicate;
    spot_trace_t trace;
    spot_band_t one, all, sparse;

    (void) state;
    start(&comparison, &trace, 3);
    read_seed_model(&file, &trace);
    replicate = spot_comparison_replicate(&comparison, &file.model, 1, NULL);
    assert_int_equal(spot_band_init(&one, &replicate, 1000), 0);
    assert_int_equal(one.num_points, 201);
    assert_true(one.time_s[0] == 0 && one.time_s[200] == 12000);
    assert_true(one.low[0] == 3 && one.high[0] == 3);
    assert_memory_equal(one.low, one.high, 201 * sizeof(*one.low));
    assert_memory_equal(one.low, one.median, 201 * sizeof(*one.low));
    replicate.num_replications = 200;
    assert_int_equal(spot_band_init(&all, &replicate, 1000), 0);
    assert_int_equal(spot_band_init(&sparse, &replicate, 100), 0);
    assert_int_equal(sparse.num_points, 67); /* every third tick */
    for (size_t j = 0; j < sparse.num_points; j++) {
        assert_true(sparse.time_s[j] == all.time_s[3 * j]);
        assert_true(sparse.low[j] == all.low[3 * j]);
        assert_true(sparse.high[j] == all.high[3 * j]);
    }
    assert_true(all.low[200] < all.median[200] && all.median[200] < all.high[200]);
    assert_true(all.low[200] >= 0 && all.high[200] <= 6);
    spot_band_free(&one);
    spot_band_free(&all);
    spot_band_free(&sparse);
    spot_trace_model_file_free(&file);
    spot_comparison_free(&comparison);
    spot_trace_free(&trace);
}

#define NUM_TICKS 201

/* The area below the shares of one replication is the mean of its gaps. */
static void test_band_of_gaps(void **state)
{
    spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS];
    double time_s[NUM_TICKS], area_s = 0;
    spot_comparison_t comparison;
    spot_trace_model_file_t file;
    spot_replicate_t replicate;
    spot_trace_t trace;
    spot_band_t one, all;

    (void) state;
    for (size_t j = 0; j < NUM_TICKS; j++) {
        time_s[j] = 60 * (double) j;
    }
    start(&comparison, &trace, 3);
    read_seed_model(&file, &trace);
    replicate = spot_comparison_replicate(&comparison, &file.model, 1, NULL);
    assert_int_equal(spot_replicate_fidelity(&replicate, &comparison.fidelity, moments), 0);
    assert_int_equal(
        spot_band_init_gaps(&one, &replicate, SPOT_FIDELITY_PREEMPT, NUM_TICKS, time_s), 0);
    assert_int_equal(one.num_points, NUM_TICKS);
    assert_memory_equal(one.time_s, time_s, sizeof(time_s));
    assert_memory_equal(one.low, one.high, NUM_TICKS * sizeof(*one.low));
    assert_memory_equal(one.low, one.median, NUM_TICKS * sizeof(*one.low));
    assert_true(one.low[0] == 1 && one.low[NUM_TICKS - 1] == 0);
    for (size_t j = 0; j < NUM_TICKS; j++) {
        area_s += 60 * one.low[j];
    }
    assert_true(fabs(area_s / spot_moments_mean(&moments[SPOT_FIDELITY_MTBP_S]) - 1) < 1e-12);
    replicate.num_replications = 200;
    assert_int_equal(
        spot_band_init_gaps(&all, &replicate, SPOT_FIDELITY_ADD, NUM_TICKS, time_s), 0);
    assert_true(all.low[0] == 1 && all.high[0] == 1);
    for (size_t j = 1; j < NUM_TICKS; j++) {
        assert_true(all.low[j] <= all.low[j - 1] && all.high[j] <= all.high[j - 1]);
        assert_true(all.low[j] <= all.median[j] && all.median[j] <= all.high[j]);
    }
    assert_true(all.low[20] < all.median[20] && all.median[20] < all.high[20]);
    spot_band_free(&one);
    spot_band_free(&all);
    spot_trace_model_file_free(&file);
    spot_comparison_free(&comparison);
    spot_trace_free(&trace);
}

/* What is written as CSV is a reference: the same run is 0 standard errors off. */
static void test_csv_is_a_reference(void **state)
{
    const char *folder = getenv("SPOT_TEST_TMP");
    spot_comparison_t comparison;
    spot_trace_model_file_t file;
    spot_reference_t reference;
    const spot_comparison_column_t *column;
    spot_trace_t trace;
    spot_diag_t diag;
    char path[512];
    FILE *out;

    (void) state;
    start(&comparison, &trace, 3);
    read_seed_model(&file, &trace);
    assert_int_equal(
        spot_comparison_add_model(&comparison, &file.model, file.name, "mine", 30, NULL), 0);
    snprintf(path, sizeof(path), "%s/comparison.csv", folder != NULL ? folder : "/tmp");
    out = fopen(path, "w");
    assert_non_null(out);
    spot_comparison_csv_write(&comparison, out);
    assert_int_equal(fclose(out), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_reference_read(&reference, path, &diag), 0);
    assert_int_equal(reference.num_rows, 4);
    spot_comparison_set_reference(&comparison, &reference);
    column = &comparison.columns[SPOT_COMPARISON_FIRST];
    assert_true(column->has_reference);
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        assert_true(isnan(column->means[j]) || fabs(column->zs[j]) < 1e-5);
    }
    /* Tables of others know the kind; a row of the label's own comes first. */
    rename_to(&reference.rows[SPOT_COMPARISON_FIRST].model, "seed-corrected");
    spot_comparison_set_reference(&comparison, &reference);
    assert_true(column->has_reference);
    assert_true(fabs(column->zs[SPOT_FIDELITY_W1_N]) < 1e-5);
    rename_to(&reference.rows[0].model, "mine");
    spot_comparison_set_reference(&comparison, &reference);
    assert_true(isnan(column->zs[SPOT_FIDELITY_W1_N])); /* of one recording: no sd */
    rename_to(&reference.rows[0].model, "x");
    rename_to(&reference.rows[SPOT_COMPARISON_FIRST].model, "block");
    spot_comparison_set_reference(&comparison, &reference);
    assert_false(column->has_reference);
    spot_reference_free(&reference);
    spot_trace_model_file_free(&file);
    spot_comparison_free(&comparison);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_of_trace),
        cmocka_unit_test(test_faulty_models),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_band),
        cmocka_unit_test(test_band_of_gaps),
        cmocka_unit_test(test_csv_is_a_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
