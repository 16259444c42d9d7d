/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/lifetimes.h"

#define DATA_FILE SHARED_DATA "traces/lifetimes-kadupitiya-gcp-n1-2019.csv"

#define HEAD "# spotsim-lifetimes: 1\nstart_s,duration_s,status,instance\n"

static int read_text(spot_lifetimes_t *lifetimes, const char *text, const char *report)
{
    spot_csv_t *csv = NULL;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    assert_int_equal(spot_csv_open_bytes(&csv, "x", text, strlen(text), &diag), 0);
    ret = spot_lifetimes_read_csv(lifetimes, csv, &diag);
    spot_csv_close(csv);
    spot_diag_close_file(&diag);
    assert_report(&diag, report);
    spot_diag_free(&diag);
    return ret;
}

static void assert_rejected(const char *text, const char *report)
{
    spot_lifetimes_t lifetimes;

    assert_int_equal(read_text(&lifetimes, text, report), SPOT_ERR_BAD_INPUT);
    spot_lifetimes_free(&lifetimes);
}

static void test_good(void **state)
{
    static const char text[] =
        "# spotsim-lifetimes: 1\r\n# start: 2019-02-18T08:57:37.265-08:00\r\n"
        "# mine: kept\r\nstart_s,duration_s,status,instance,zone,\"load\"\r\n"
        "0,4648.7014,preempted,a,us-a,idle\r\n7.25,0.0001,stopped,b,,\"x, y\"";
    spot_lifetimes_t lifetimes;

    (void) state;
    assert_int_equal(read_text(&lifetimes, text, ""), 0);
    assert_int_equal(lifetimes.header.num_keys, 2);
    assert_string_equal(lifetimes.header.keys[1].key, "mine");
    assert_string_equal(lifetimes.header.keys[1].value, "kept");
    assert_int_equal(lifetimes.num_columns, 2);
    assert_string_equal(lifetimes.columns[1], "load");
    assert_int_equal(lifetimes.num_lives, 2);
    assert_int_equal(lifetimes.lives[0].start_ms, 0);
    assert_int_equal(lifetimes.lives[0].duration_ms, 4648701);
    assert_true(lifetimes.lives[0].is_preempted);
    assert_string_equal(lifetimes.lives[0].instance, "a");
    assert_string_equal(lifetimes.lives[0].cells[0], "us-a");
    assert_int_equal(lifetimes.lives[1].start_ms, 7250);
    assert_int_equal(lifetimes.lives[1].duration_ms, 1); /* above 0, whatever it is */
    assert_false(lifetimes.lives[1].is_preempted);
    assert_int_equal(lifetimes.lives[1].line, 6);
    assert_string_equal(lifetimes.lives[1].cells[0], "");
    assert_string_equal(lifetimes.lives[1].cells[1], "x, y");
    spot_lifetimes_free(&lifetimes);
    spot_lifetimes_free(&lifetimes);
}

static void test_rows(void **state)
{
    (void) state;
    assert_rejected(HEAD "1.0001,1,preempted,a\n"
                         "0,1e400,stopped,a\n0,99999999999,stopped,a\n0,3155760001,"
                         "stopped,a\n0,-3,stopped,a\n0,1,Preempted,a\n"
                         "0,1,stopped,a b\n0,1,stopped,\n0,1,stopped\n"
                         "0,1,stopped,a,b\n\n# late\n0,1,\"stopped,a\n",
        "x:3:1: start_s: expected seconds with at most 3 decimals, got '1.0001'\n"
        "x:4:3: duration_s: expected a number above 0, got '1e400'\n"
        "x:5:3: duration_s: too large: expected at most 3155760000, got '99999999999'\n"
        "x:6:3: duration_s: too large: expected at most 3155760000, got '3155760001'\n"
        "x:7:3: duration_s: expected a number above 0, got '-3'\n"
        "x:8:5: status: expected preempted or stopped, got 'Preempted'\n"
        "x:9:13: instance: bad name 'a b'\n"
        "x:10:13: instance: bad name ''\n"
        "x:11:12: expected 4 fields, got 3\n"
        "x:12:15: expected 4 fields, got 5\n"
        "x:13:1: empty line\n"
        "x:14:1: comment after the column row\n"
        "x:15:5: unterminated quoted field\n");
}

static void test_head(void **state)
{
    static const char columns[] = "expected the columns "
                                  "start_s,duration_s,status,instance and others behind";
    char report[256];

    (void) state;
    assert_rejected("", "x:1:1: file is empty\n");
    assert_rejected("# spotsim-trace: 1\n", "x:1:1: expected '# spotsim-lifetimes: 1'\n");
    assert_rejected(
        "# spotsim-lifetimes: 2\n", "x:1:22: unsupported version '2'; this program reads 1\n");
    snprintf(report, sizeof(report), "x:2:1: %s\n", columns);
    assert_rejected("# spotsim-lifetimes: 1\n", report);
    snprintf(report, sizeof(report), "x:2:1: %s\n", columns);
    assert_rejected(
        "# spotsim-lifetimes: 1\nstart_s,duration_s,instance,status\n0,1,a,stopped\n", report);
    assert_rejected("# spotsim-lifetimes: 1\n# start: 2019-02-30\n"
                    "start_s,duration_s,status,instance\n0,1,stopped,a\n",
        "x:2:10: start: expected unknown, a date or a date-time, got '2019-02-30'\n");
    assert_rejected("# spotsim-lifetimes: 1\nstart_s,duration_s,status,instance,b,b\n",
        "x:2:38: column 'b' twice\n");
    assert_rejected("# spotsim-lifetimes: 1\nstart_s,duration_s,status,instance,status\n",
        "x:2:36: column 'status' twice\n");
    assert_rejected(HEAD, "x:3:1: expected at least one row\n");
}

static void assert_keep(const char *where, int expected, size_t num_left, const char *report)
{
    static const char text[] = "# spotsim-lifetimes: 1\n"
                               "start_s,duration_s,status,instance,type,zone\n"
                               "0,1,stopped,a,n1,x\n0,2,stopped,b,n2,x\n"
                               "0,3,stopped,c,n1,y=z\n";
    spot_lifetimes_t lifetimes;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(read_text(&lifetimes, text, ""), 0);
    assert_int_equal(spot_lifetimes_keep(&lifetimes, "--where", where, &diag), expected);
    assert_report(&diag, report);
    assert_int_equal(lifetimes.num_lives, num_left);
    for (size_t j = 1; j < num_left; j++) {
        assert_true(lifetimes.lives[j].line > lifetimes.lives[j - 1].line);
    }
    spot_lifetimes_free(&lifetimes);
    spot_diag_free(&diag);
}

static void test_keep(void **state)
{
    (void) state;
    assert_keep("type=n1", 0, 2, "");
    assert_keep("zone=x", 0, 2, "");
    assert_keep("zone=y=z", 0, 1, "");
    assert_keep("type", SPOT_ERR_BAD_INPUT, 3, "--where: expected column=value, got 'type'\n");
    assert_keep(
        "typ=n1", SPOT_ERR_BAD_INPUT, 3, "--where: the file has no such column: 'typ=n1'\n");
    assert_keep("type=n3", SPOT_ERR_BAD_INPUT, 0, "--where: no row has that value: 'type=n3'\n");
}

static void test_is_file(void **state)
{
    char path[PATH_BYTES];

    (void) state;
    test_path("lifetimes.csv", path);
    assert_false(spot_lifetimes_is_file(path));
    write_file(path, HEAD, strlen(HEAD));
    assert_true(spot_lifetimes_is_file(path));
    write_file(path, "# spotsim-trace: 1\n", 19);
    assert_false(spot_lifetimes_is_file(path));
    remove(path);
}

static void test_recorded(void **state)
{
    spot_lifetimes_t lifetimes;
    size_t num_preempted = 0;
    spot_diag_t diag;

    (void) state;
    need_data(DATA_FILE);
    assert_true(spot_lifetimes_is_file(DATA_FILE));
    spot_diag_init(&diag);
    assert_int_equal(spot_lifetimes_read(&lifetimes, DATA_FILE, &diag), 0);
    for (size_t j = 0; j < lifetimes.num_lives; j++) {
        num_preempted += lifetimes.lives[j].is_preempted;
    }
    assert_int_equal(lifetimes.num_lives, 1442);
    assert_int_equal(num_preempted, 717);
    assert_int_equal(lifetimes.num_columns, 3);
    spot_lifetimes_free(&lifetimes);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_is_file),
        cmocka_unit_test(test_recorded),
    };

    return cmocka_run_group_tests_name("lifetimes", tests, NULL, NULL);
}
