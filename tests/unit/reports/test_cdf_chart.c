/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions: their lines and rules, alone, below a run and of several runs, and what
 * lies beside the picture. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/run_chart.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

static const spot_series_column_t queue_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "ResNet", .kind = SPOT_COLUMN_COUNT, .unit = "queries"}};
static const spot_series_column_t columns[] = {
    {.name = "latency", .kind = SPOT_COLUMN_DURATION, .unit = ""},
    {.name = "fraction", .kind = SPOT_COLUMN_NUMBER, .unit = "1", .label = "share of queries"},
    {.name = "stage", .kind = SPOT_COLUMN_TEXT, .unit = ""}};
static const spot_series_rule_t rules[] = {
    {0, 350e6, "objective 350 ms"}, {1, 0.99, "P 99"}, {1, 1, "P 100"}};
static const spot_series_kind_t queue = {
    "queue", "queries that wait", SPOT_SERIES_LEVELS, 1000000000, 2, queue_columns, 0, NULL};
static const spot_series_kind_t latency = {
    "latency", "latency of queries", SPOT_SERIES_CDF, 1000000000, 2, columns, 3, rules};
static const spot_series_kind_t by_stage = {
    "latency", "latency of queries", SPOT_SERIES_CDF, 1000000000, 3, columns, 0, NULL};

/* num_rows latencies of 100 ms, 101 ms... */
static void fill(spot_recording_t *self, const spot_series_kind_t *kind, int64_t num_rows)
{
    const spot_series_kind_t *const kinds[] = {&queue, kind};

    assert_int_equal(spot_recording_init(self, 2, kinds), 0);
    self->end_ticks = 2000000000;
    assert_int_equal(
        spot_series_add(&self->series[0], (const spot_cell_t[]){{.integer = 0}, {.integer = 1}}),
        0);
    for (int64_t j = 0; j < num_rows; j++) {
        const spot_cell_t cells[] = {{.integer = (100 + j) * 1000000 + 1},
            {.number = (double) (j + 1) / (double) num_rows}, {.text = j % 2 == 0 ? "a" : "b,c"}};

        assert_int_equal(spot_series_add(&self->series[1], cells), 0);
    }
}

static spot_cdf_t cdf_of(const spot_recording_t *recording)
{
    return (spot_cdf_t){.num_runs = 1, .series = {spot_cdf_find(recording)}};
}

/* The whole file, which is removed. */
static char *take_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 100000);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    assert_int_equal(unlink(path), 0);
    return text;
}

/* What lies beside a picture, written twice. */
static void check_csv(const spot_cdf_t *cdf, const char *wanted)
{
    spot_diag_t diag;
    char *text;

    spot_diag_init(&diag);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(spot_cdf_write_beside(cdf, "cdf'1.svg", &diag), 0);
    }
    text = take_file("cdf'1.csv");
    assert_string_equal(text, wanted);
    free(text);
    spot_diag_free(&diag);
}

static void test_rules(void **state)
{
    spot_recording_t recording;
    spot_cdf_t cdf;
    char *text;

    (void) state;
    fill(&recording, &latency, 100);
    cdf = cdf_of(&recording);
    text = declared_text(spot_cdf_declare, &cdf);
    assert_non_null(strstr(text, "panel 'latency of queries'\n"));
    assert_non_null(strstr(text, "  rule at 350 'objective 350 ms'\n"));
    assert_non_null(strstr(text, "  rule at 99 'P 99'\n"));
    assert_non_null(strstr(text, "  rule at 100 'P 100'\n"));
    assert_non_null(strstr(text, "    steps 100 1\n"));
    assert_non_null(strstr(text, "    steps 199 100\n"));
    assert_int_equal(declared_count(text, "steps"), 100);
    free(text);
    spot_recording_free(&recording);
}

/* The share that is longer: no line, and no rule, is at 0. */
static void test_longer(void **state)
{
    spot_recording_t recording;
    spot_cdf_t cdf;
    char *text;

    (void) state;
    fill(&recording, &latency, 100);
    cdf = cdf_of(&recording);
    cdf.is_longer = true;
    text = declared_text(spot_cdf_declare, &cdf);
    assert_non_null(strstr(text, "100 % − share of queries"));
    assert_non_null(strstr(text, "  rule at 350 'objective 350 ms'\n"));
    assert_non_null(strstr(text, "  rule at 1 'P 99'\n"));
    assert_non_null(strstr(text, "    steps 100 99\n"));
    assert_non_null(strstr(text, "    steps 198 1\n    steps 199 nan\n"));
    free(text);
    spot_recording_free(&recording);
}

/* Thinned to few points, with the first and the last. */
static void test_thinning(void **state)
{
    static const size_t most[] = {1, 2, 7, 400, 1000, 1001, 0};
    spot_recording_t recording;

    (void) state;
    fill(&recording, &latency, 1000);
    for (size_t j = 0; j < sizeof(most) / sizeof(most[0]); j++) {
        spot_cdf_t cdf = cdf_of(&recording);
        char *text;

        cdf.max_points = most[j];
        text = declared_text(spot_cdf_declare, &cdf);
        assert_non_null(strstr(text, "    steps 100 0.1\n"));
        assert_non_null(strstr(text, "    steps 1099 100\n"));
        assert_true(
            declared_count(text, "steps") <= (most[j] == 0 || most[j] > 1000 ? 1000 : most[j] + 1));
        assert_true(most[j] > 0 || declared_count(text, "steps") == 1000);
        free(text);
    }
    spot_recording_free(&recording);
}

/* Several runs in one picture: each has its lines; the rules are those of the first. */
static void test_several_runs(void **state)
{
    spot_recording_t recordings[2];
    spot_cdf_t cdf = {.num_runs = 2,
        .names = {"replicas 2", "by stage"},
        .title = "which is best?",
        .note = "seed 1"};
    char *text;

    (void) state;
    fill(&recordings[0], &latency, 3);
    fill(&recordings[1], &by_stage, 2);
    for (size_t j = 0; j < 2; j++) {
        cdf.series[j] = spot_cdf_find(&recordings[j]);
    }
    text = declared_text(spot_cdf_declare, &cdf);
    assert_int_equal(sample_count(text, "objective 350 ms"), 1);
    assert_int_equal(sample_count(text, "  series of steps"), 3);
    assert_non_null(strstr(text, "  series of steps 'replicas 2' "));
    assert_non_null(strstr(text, "  series of steps 'by stage, b,c' "));
    assert_non_null(strstr(text, "title 'which is best?'\nnote 'seed 1'\n"));
    free(text);
    check_csv(&cdf, "latency_ms,fraction,line\n"
                    "100.000001,0.3333333333333333,replicas 2\n"
                    "101.000001,0.6666666666666666,replicas 2\n"
                    "102.000001,1,replicas 2\n"
                    "100.000001,0.5,\"by stage, a\"\n"
                    "101.000001,1,\"by stage, b,c\"\n");
    for (size_t j = 0; j < 2; j++) {
        spot_recording_free(&recordings[j]);
    }
}

/* Below what is drawn over time, of which it is no part. */
static void test_below_a_run(void **state)
{
    spot_recording_t recording;
    spot_run_series_t run;
    char *text;

    (void) state;
    fill(&recording, &latency, 4);
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    text = declared_text(spot_run_declare, &run);
    assert_non_null(strstr(text, "panel below 'latency of queries'\n"));
    assert_int_equal(sample_count(text, "  rule at"), 3);
    free(text);
    text = declared_text(spot_timeline_declare, &run);
    assert_null(strstr(text, "latency"));
    free(text);
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

static void test_no_distribution(void **state)
{
    static const spot_series_column_t swapped[] = {
        {.name = "share", .kind = SPOT_COLUMN_NUMBER, .unit = "1"},
        {.name = "latency", .kind = SPOT_COLUMN_DURATION, .unit = ""}};
    static const spot_series_kind_t bad[] = {{"one", "", SPOT_SERIES_CDF, 1, 1, .columns = columns},
        {"swapped", "", SPOT_SERIES_CDF, 1, 2, .columns = swapped},
        {"table", "", SPOT_SERIES_TABLE, 1, 2, .columns = columns}};
    spot_recording_t recording;

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        assert_false(spot_cdf_fits(&(spot_series_t){.kind = &bad[j], .num_rows = 1}));
    }
    fill(&recording, &latency, 0);
    assert_null(spot_cdf_find(&recording)); /* it has no rows */
    spot_recording_free(&recording);
}

/* Once more over its own data, but not over another file. */
static void test_beside(void **state)
{
    spot_recording_t recording;
    spot_diag_t diag;
    spot_cdf_t cdf;
    FILE *other;

    (void) state;
    spot_diag_init(&diag);
    fill(&recording, &latency, 2);
    cdf = cdf_of(&recording);
    check_csv(&cdf, "latency_ms,fraction\n100.000001,0.5\n101.000001,1\n");
    assert_int_equal(spot_cdf_write_beside(&cdf, "cdf-none/a.svg", &diag), SPOT_ERR_IO);
    other = fopen("cdf-other.csv", "w");
    assert_non_null(other);
    fputs("latency_ms\n1\n", other);
    assert_int_equal(fclose(other), 0);
    assert_int_equal(spot_cdf_write_beside(&cdf, "cdf-other.svg", &diag), SPOT_ERR_BAD_INPUT);
    assert_string_equal(diag.items[diag.num_items - 1].text,
        "cdf-other.csv: is not the data of a picture, which would replace it");
    assert_int_equal(unlink("cdf-other.csv"), 0);
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_longer),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_several_runs),
        cmocka_unit_test(test_below_a_run),
        cmocka_unit_test(test_no_distribution),
        cmocka_unit_test(test_beside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
