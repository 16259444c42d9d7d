/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>

#include "reports/run_result.h"

static const spot_series_column_t columns[] = {
    {.name = "time", .unit = "", .kind = SPOT_COLUMN_INSTANT},
    {.name = "took_ns", .unit = "", .kind = SPOT_COLUMN_DURATION},
    {.name = "jobs", .unit = "1", .kind = SPOT_COLUMN_COUNT},
    {.name = "price", .unit = "USD/h", .kind = SPOT_COLUMN_NUMBER},
    {.name = "steps_kept", .unit = "steps", .kind = SPOT_COLUMN_NUMBER},
    {.name = "what", .unit = "", .kind = SPOT_COLUMN_CATEGORY},
    {.name = "why", .unit = "", .kind = SPOT_COLUMN_TEXT},
};
static const spot_series_kind_t jobs = {.name = "jobs",
    .shape = SPOT_SERIES_TABLE,
    .ticks_per_s = 1000000000,
    .num_columns = 7,
    .columns = columns};
static const spot_series_kind_t empty = {.name = "odd/name",
    .shape = SPOT_SERIES_TABLE,
    .ticks_per_s = 1,
    .num_columns = 1,
    .columns = columns};
static const spot_series_kind_t *const kinds[] = {&jobs, &empty};

static void fill(spot_recording_t *recording)
{
    assert_int_equal(spot_recording_init(recording, 2, kinds), 0);
    assert_int_equal(
        spot_series_add(&recording->series[0],
            (spot_cell_t[]){{.integer = 12}, {.integer = -1}, {.integer = 3}, {.number = 0.1},
                {.number = (double) NAN}, {.text = "a,b"}, {.text = "say \"so\""}}),
        0);
    assert_int_equal(
        spot_series_add(&recording->series[0],
            (spot_cell_t[]){{.integer = INT64_MAX}, {.integer = 0}, {.integer = 0},
                {.number = 1e300}, {.number = 2}, {.text = ""}, {.text = "two\nlines"}}),
        0);
}

/* The folder of this test, without a file of an earlier run. */
static void make_path(char path[512], const char *name)
{
    snprintf(path, 512, "%s/recording-%ld%s", getenv("SPOT_TEST_TMP"), (long) getpid(), name);
}

static void assert_file(const char *name, const char *expected)
{
    char path[512], text[1024];
    FILE *in;
    size_t num_bytes;

    make_path(path, name);
    in = fopen(path, "r");
    assert_non_null(in);
    num_bytes = fread(text, 1, sizeof(text) - 1, in);
    text[num_bytes] = '\0';
    fclose(in);
    assert_string_equal(text, expected);
    unlink(path);
}

static void test_files(void **state)
{
    spot_recording_t recording;
    char folder[512];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    fill(&recording);
    make_path(folder, "");
    assert_int_equal(spot_recording_csv_check(folder, &diag), 0);
    assert_int_equal(spot_recording_csv_write(&recording, folder, NULL, &diag), 0);
    assert_int_equal(spot_recording_csv_check(folder, &diag), 0);
    assert_file("/jobs.csv", "time_ns,took_ns,jobs,price_usd_per_h,steps_kept,what,why\n"
                             "12,-1,3,0.10000000000000001,,\"a,b\",\"say \"\"so\"\"\"\n"
                             "9223372036854775807,0,0,1.0000000000000001e+300,2,,\"two\nlines\"\n");
    assert_file("/odd_name.csv", "time_s\n");
    assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

/* Names from data that give one file name, or differ in case only. */
static void test_every_series_has_its_file(void **state)
{
    static const char *const names[] = {
        "vc a b", "vc a_b", "vc A_B", "../x", "/x", "", ".", "..", "a\nb", "a:b", "long", "LONG"};
    static const char *const files[] = {"/vc_a_b.csv", "/vc_a_b_.csv", "/vc_A_B__.csv", "/_._x.csv",
        "/_x.csv", "/_.csv", "/__.csv", "/_..csv", "/a_b.csv", "/a_b_.csv", NULL, NULL};
    enum { NUM_NAMES = sizeof(names) / sizeof(names[0]) };
    spot_series_kind_t own[NUM_NAMES];
    const spot_series_kind_t *own_kinds[NUM_NAMES];
    char folder[512], longest[2][301], cut[140];
    spot_recording_t recording;
    spot_diag_t diag;

    (void) state;
    memset(longest, 0, sizeof(longest));
    memset(longest[0], 'n', 300);
    memset(longest[1], 'N', 300);
    for (int j = 0; j < NUM_NAMES; j++) {
        own[j] = empty;
        own[j].name = j < NUM_NAMES - 2 ? names[j] : longest[j - (NUM_NAMES - 2)];
        own_kinds[j] = &own[j];
    }
    spot_diag_init(&diag);
    make_path(folder, "");
    assert_int_equal(spot_recording_init(&recording, NUM_NAMES, own_kinds), 0);
    assert_int_equal(spot_recording_csv_write(&recording, folder, NULL, &diag), 0);
    for (int j = 0; j < NUM_NAMES - 2; j++) {
        assert_file(files[j], "time_s\n");
    }
    snprintf(cut, sizeof(cut), "/%.127s.csv", longest[0]);
    assert_file(cut, "time_s\n");
    snprintf(cut, sizeof(cut), "/%.126s_.csv", longest[1]);
    assert_file(cut, "time_s\n");
    assert_int_equal(rmdir(folder), 0); /* nothing else is in it, and nothing beside it */
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

/* Heads without units and cells as an interchange format wants them. */
static void test_bare_columns(void **state)
{
    static const spot_series_column_t bare[] = {
        {.name = "job_id", .unit = "", .kind = SPOT_COLUMN_TEXT},
        {.name = "start", .unit = "", .kind = SPOT_COLUMN_INSTANT, .is_bare = true},
        {.name = "end", .unit = "1", .kind = SPOT_COLUMN_NUMBER},
        {.name = "queue", .unit = "s", .kind = SPOT_COLUMN_NUMBER, .is_bare = true},
        {.name = "mean",
            .unit = "s",
            .kind = SPOT_COLUMN_NUMBER,
            .is_bare = true,
            .num_decimals = 2}};
    static const spot_series_kind_t kind = {.name = "jobs",
        .shape = SPOT_SERIES_TABLE,
        .ticks_per_s = 1,
        .num_columns = 5,
        .columns = bare};
    static const spot_series_kind_t *const bare_kinds[] = {&kind};
    const double undefined = (double) NAN;
    spot_recording_t recording;
    char folder[512];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_recording_init(&recording, 1, bare_kinds), 0);
    assert_int_equal(spot_series_add(&recording.series[0],
                         (spot_cell_t[]){{.text = "17"}, {.integer = 13219200},
                             {.number = 14000000}, {.number = 0}, {.number = 65720.5}}),
        0);
    assert_int_equal(spot_series_add(&recording.series[0],
                         (spot_cell_t[]){{.text = "18"}, {.integer = INT64_MIN},
                             {.number = undefined}, {.number = -0.0}, {.number = undefined}}),
        0);
    assert_int_equal(spot_series_add(&recording.series[0],
                         (spot_cell_t[]){{.text = ""}, {.integer = -10}, {.number = -3},
                             {.number = 1e15}, {.number = -0.126}}),
        0);
    make_path(folder, "");
    assert_int_equal(spot_recording_csv_write(&recording, folder, NULL, &diag), 0);
    assert_file("/jobs.csv", "job_id,start,end,queue,mean\n"
                             "17,13219200,14000000,0,65720.50\n"
                             "18,-9223372036854775808,,-0,\n"
                             ",-10,-3,1000000000000000,-0.13\n");
    assert_int_equal(rmdir(folder), 0);
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

/* A file that is there stays as it is, and no other appears. */
static void test_stop(void **state)
{
    spot_recording_t recording;
    atomic_int stop = 1;
    char folder[512];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    fill(&recording);
    make_path(folder, "");
    assert_int_equal(
        spot_recording_csv_write(&recording, folder, &stop, &diag), SPOT_ERR_INTERRUPTED);
    assert_int_equal(rmdir(folder), 0);
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

static void test_no_folder(void **state)
{
    spot_recording_t recording;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    fill(&recording);
    assert_int_equal(spot_recording_csv_check("/nonexistent/folder", &diag), SPOT_ERR_IO);
    assert_int_equal(
        spot_recording_csv_write(&recording, "/nonexistent/folder", NULL, &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 2);
    spot_recording_free(&recording);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_every_series_has_its_file),
        cmocka_unit_test(test_bare_columns),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_no_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
