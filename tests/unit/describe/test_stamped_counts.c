/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/describe/describe.h"

/* Reads the text as file "nodes.csv" in the current folder for temporary files. */
static int read_text(spot_stamped_counts_t *counts, const char *text, char *path, spot_diag_t *diag)
{
    test_path("nodes.csv", path);
    write_file(path, text, strlen(text));
    return spot_stamped_counts_read(counts, path, "count", 1, diag);
}

static void test_good(void **state)
{
    spot_stamped_counts_t counts;
    char path[PATH_BYTES];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(read_text(&counts,
                         ",timestamp,count\r\n0,1970-01-02T00:00:01Z,3\r\n"
                         "1,1970-01-02T00:00:01Z,0",
                         path, &diag),
        0);
    assert_int_equal(counts.num_rows, 2);
    assert_int_equal(counts.rows[0].time_s, 86401);
    assert_int_equal(counts.rows[0].count, 3);
    assert_int_equal(counts.rows[1].count, 0);
    spot_stamped_counts_free(&counts);
    spot_stamped_counts_free(&counts);
    unlink(path);
    spot_diag_free(&diag);
}

/* The report, with PATH in place of the file's name. */
static void assert_refused(const char *text, const char *expected)
{
    spot_stamped_counts_t counts;
    char path[PATH_BYTES], report[4 * PATH_BYTES] = "";
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(read_text(&counts, text, path, &diag), SPOT_ERR_BAD_INPUT);
    for (const char *byte = expected; *byte != '\0'; byte++) {
        const size_t length = strlen(report);

        snprintf(report + length, sizeof(report) - length, *byte == '@' ? "%s" : "%.1s",
            *byte == '@' ? path : byte);
    }
    assert_report(&diag, report);
    spot_stamped_counts_free(&counts);
    unlink(path);
    spot_diag_free(&diag);
}

static void test_bad(void **state)
{
    (void) state;
    assert_refused("timestamp,number\n", "@:1:1: expected the columns timestamp,count\n");
    assert_refused("timestamp,count\n", "@:2:1: expected at least one row\n");
    assert_refused("timestamp,count\n2021-02-30T00:00:00Z,1\n2021-02-03T00:00:00Z,-1\n"
                   "2021-02-02T00:00:00Z\n\n2021-02-02T00:00:00Z,1x\n",
        "@:2:1: timestamp: expected YYYY-MM-DDThh:mm:ssZ, got '2021-02-30T00:00:00Z'\n"
        "@:3:22: count: expected an integer from 0, got '-1'\n"
        "@:4:21: expected 2 fields, got 1\n"
        "@:5:1: empty line\n"
        "@:6:22: count: expected an integer from 0, got '1x'\n");
    assert_refused("timestamp,count\n2021-02-03T00:00:00Z,1\n2021-02-02T00:00:00Z,1\n",
        "@:3:1: timestamp: expected a time not before the previous row, got "
        "'2021-02-02T00:00:00Z'\n");
}

/* A log of terminations may be empty, but for its columns. */
static void test_no_rows(void **state)
{
    spot_stamped_counts_t counts;
    char path[PATH_BYTES];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    test_path("terminations.csv", path);
    write_file(path, "timestamp,number\n", 17);
    assert_int_equal(spot_stamped_counts_read(&counts, path, "number", 0, &diag), 0);
    assert_int_equal(counts.num_rows, 0);
    spot_stamped_counts_free(&counts);
    unlink(path);
    write_file(path, "", 0);
    assert_int_equal(
        spot_stamped_counts_read(&counts, path, "number", 0, &diag), SPOT_ERR_BAD_INPUT);
    spot_stamped_counts_free(&counts);
    unlink(path);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_no_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
