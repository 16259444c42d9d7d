/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each rule on a small input, every recorded file against its canonical one, and random
 * histories: printed in a format, they come back. */
#include <gsl/gsl_rng.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace_write.h"

#define DATA SHARED_DATA "traces/"

#define ROWS_BYTES 65536

static const spot_convert_t plain = {.kind = -1, .window_ms = -1};

/* The rows of a trace as its file has them, without the header. */
static void rows_of(const spot_trace_t *trace, char rows[ROWS_BYTES], bool has_header)
{
    char path[PATH_BYTES];
    size_t num_bytes;
    spot_diag_t diag;
    FILE *stream;

    test_path("rows.csv", path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(trace, path, &diag), 0);
    spot_diag_free(&diag);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    num_bytes = fread(rows, 1, ROWS_BYTES - 1, stream);
    rows[num_bytes] = '\0';
    assert_int_equal(fclose(stream), 0);
    remove(path);
    if (!has_header) {
        const char *columns = strstr(rows, "time_s,event,count,instances\n");
        const char *start = strchr(columns, '\n') + 1;

        memmove(rows, start, strlen(start) + 1);
    }
}

static int convert(const spot_convert_t *task, const char *path, const char *text,
    const char *second, spot_trace_t *trace, spot_convert_report_t *report, const char *errors)
{
    const spot_record_input_t inputs[] = {
        {path, text, strlen(text)}, {"second", second, second == NULL ? 0 : strlen(second)}};
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_convert(task, second == NULL ? 1 : 2, inputs, trace, report, &diag);
    assert_report(&diag, errors);
    spot_diag_free(&diag);
    return ret;
}

/* Converting text gives these rows. */
static void assert_rows(const spot_convert_t *task, const char *format, const char *text,
    const char *second, const char *expected)
{
    static char rows[ROWS_BYTES];
    spot_convert_report_t report;
    spot_trace_t trace;

    assert_int_equal(convert(task, "x", text, second, &trace, &report, ""), 0);
    assert_string_equal(report.format, format);
    rows_of(&trace, rows, false);
    assert_string_equal(rows, expected);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void assert_refused(
    const spot_convert_t *task, const char *text, const char *second, const char *errors)
{
    spot_convert_report_t report;
    spot_trace_t trace;

    assert_int_equal(convert(task, "x", text, second, &trace, &report, errors), SPOT_ERR_BAD_INPUT);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

/* The count of a remark, -1 where there is none. */
static int64_t remark_count(const spot_convert_report_t *report, const char *key)
{
    for (size_t j = 0; j < report->num_remarks; j++) {
        if (strcmp(report->remarks[j].key, key) == 0) {
            return report->remarks[j].count;
        }
    }
    return -1;
}

static void test_bamboo(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    assert_rows(&plain, "bamboo",
        "0,add,a\r\n0,add,b\r\n60000,add,c\r\n60000,remove,a\r\n60000,add,a\r\n"
        "180000,remove,c\r\n180000,remove,b\r\n",
        NULL, "0,init,2,a b\n60,preempt,1,a\n60,add,2,c a\n180,preempt,2,c b\n180,end,1,\n");
    assert_rows(&plain, "bamboo", "1500,add,a\n4500,remove,a\n", NULL,
        "0,init,0,\n1.5,add,1,a\n4.5,preempt,1,a\n4.5,end,0,\n");
    task.kind = SPOT_TRACE_COUNTS;
    task.unit_ms = 1000;
    assert_rows(
        &task, "bamboo", "0,add,a\n2.0004,remove,a\n", NULL, "0,init,1,\n2,preempt,1,\n2,end,0,\n");
}

static void test_gcloud(void **state)
{
    static const char text[] = "2020-02-28, 23:59:00, 4\n2020-02-29, 00:00:00, 4\n"
                               "2020-02-29, 00:01:00, 4\n2020-02-29, 00:02:00, 4\n"
                               "2020-02-29, 00:01:30, 6\n2020-02-29, 00:05:10, 3\n";
    spot_convert_t task = plain;
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    task.num_poll_copies = 3;
    /* The third repetition is no copy any more, and then time goes back. */
    assert_refused(&task, text, NULL,
        "x:5:12: time: expected a stamp not before the previous one, got '00:01:30'\n");
    task.num_poll_copies = 4;
    assert_rows(&task, "gcloud", text, NULL, "0,init,4,\n150,add,2,\n370,preempt,3,\n370,end,3,\n");
    assert_int_equal(convert(&task, "x", text, NULL, &trace, &report, ""), 0);
    assert_int_equal(remark_count(&report, "poll_copies"), 3);
    assert_string_equal(spot_trace_key(&trace, "start"), "2020-02-28T23:59:00");
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "220"); /* of 150, 220 */
    assert_int_equal(trace.capacity, 6);
    assert_non_null(spot_trace_key(&trace, "start_note"));
    assert_non_null(spot_trace_key(&trace, "resolution_note"));
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    task.start = "2020-02-29T05:59:00Z";
    task.resolution_ms = 10000;
    assert_int_equal(convert(&task, "x", text, NULL, &trace, &report, ""), 0);
    assert_null(spot_trace_key(&trace, "start_note")); /* it was about another value */
    assert_null(spot_trace_key(&trace, "resolution_note"));
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void test_step(void **state)
{
    static const char text[] = "10.5,3\n12.5,3\n12.5,7\n12.25,9\n14.5,2\n14.5,7\n20.5,7\n";
    spot_convert_t task = plain;
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    assert_rows(&plain, "step", text, NULL, "0,init,3,\n2,add,4,\n10,end,7,\n");
    assert_int_equal(convert(&plain, "x", text, NULL, &trace, &report, ""), 0);
    assert_int_equal(remark_count(&report, "rows_back_in_time"), 1);
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "0.01");
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    task.unit_ms = 3600000;
    assert_rows(&task, "step", "t,count\n0.000,1\n0.001,2\n71.25,0\n", NULL,
        "0,init,1,\n3.6,add,1,\n256500,preempt,2,\n256500,end,0,\n");
    task.is_strict = true;
    assert_refused(&task, text, NULL, "x: 1 rows that go back in time were dropped (--strict)\n");
}

static void test_skypilot(void **state)
{
    static const char text[] = "{\"prices\": [0.9, {}], \"data\": [0, 2, 2,\n 1], "
                               "\"metadata\": {\"zone\": \"q\", \"gap_seconds\": 32.5}}\n";
    static const char path[] = "a/availability/16-node/aws-02-29-2024/us-west-2a_v100_1.json";
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    assert_rows(
        &plain, "skypilot", text, NULL, "0,init,0,\n32.5,add,2,\n97.5,preempt,1,\n130,end,1,\n");
    assert_int_equal(convert(&plain, path, text, NULL, &trace, &report, ""), 0);
    assert_int_equal(trace.kind, SPOT_TRACE_AVAILABILITY);
    assert_int_equal(trace.capacity, 16);
    assert_string_equal(spot_trace_key(&trace, "cloud"), "aws");
    assert_string_equal(spot_trace_key(&trace, "start"), "2024-02-29");
    assert_string_equal(spot_trace_key(&trace, "zone"), "us-west-2a");
    assert_string_equal(spot_trace_key(&trace, "instance_type"), "v100_1");
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "32.5");
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    /* No such day: the folder has another meaning. */
    assert_int_equal(
        convert(&plain, "x-4-node/aws-02-30-2023/y.json", text, NULL, &trace, &report, ""), 0);
    assert_string_equal(spot_trace_key(&trace, "start"), "unknown");
    assert_int_equal(trace.capacity, 2);
    assert_null(spot_trace_key(&trace, "cloud"));
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void test_parcae(void **state)
{
    (void) state;
    assert_rows(&plain, "parcae",
        "[5000, \"add\", {\"nodes\": [\"a\", \"b\"], \"duration\": 60000}]\n"
        "[65000, \"no-op\", {\"nodes\": [\"q\"], \"duration\": 60000}]\n"
        "[125000, \"remove\", {\"nodes\": [\"b\"], \"duration\": 0}]\n"
        "[125000,\"add\",{\"duration\":30000,\"nodes\":[\"b\",\"c\"]}]\n",
        NULL, "0,init,2,a b\n120,preempt,1,b\n120,add,2,b c\n150,end,3,\n");
    /* Migrations without names, and additions before removals of one time. */
    assert_rows(&plain, "parcae",
        "[0, \"add\", {\"nodes\": [\"a\", \"b\"], \"duration\": 60000}]\n"
        "[60000, \"migration\", {\"nodes\": [], \"duration\": 60000}]\n"
        "[120000, \"add\", {\"nodes\": [\"c\"], \"duration\": 0}]\n"
        "[120000, \"remove\", {\"nodes\": [\"a\"], \"duration\": 60000}]\n",
        NULL, "0,init,2,a b\n120,preempt,1,a\n120,add,1,c\n180,end,2,\n");
}

/* An instance that comes and goes at one time is left out; one that goes first comes
 * back. */
static void test_lifeless(void **state)
{
    static const char *const texts[] = {
        "0,add,a\n60000,add,b\n60000,add,c\n60000,remove,b\n60000,remove,a\n"
        "60000,add,a\n90000,add,d\n90000,remove,d\n90000,add,d\n99000,add,e\n"
        "99000,remove,e\n",
        "[0, \"add\", {\"nodes\": [\"a\"], \"duration\": 60000}]\n"
        "[60000, \"add\", {\"nodes\": [\"b\", \"c\"], \"duration\": 0}]\n"
        "[60000, \"remove\", {\"nodes\": [\"b\", \"a\"], \"duration\": 0}]\n"
        "[60000, \"add\", {\"nodes\": [\"a\"], \"duration\": 30000}]\n"
        "[90000, \"add\", {\"nodes\": [\"d\"], \"duration\": 0}]\n"
        "[90000, \"remove\", {\"nodes\": [\"d\"], \"duration\": 0}]\n"
        "[90000, \"add\", {\"nodes\": [\"d\"], \"duration\": 9000}]\n"
        "[99000, \"add\", {\"nodes\": [\"e\"], \"duration\": 0}]\n"
        "[99000, \"remove\", {\"nodes\": [\"e\"], \"duration\": 0}]\n"};
    spot_convert_t strict = plain;

    (void) state;
    strict.is_strict = true;
    for (size_t j = 0; j < 2; j++) {
        spot_convert_report_t report;
        spot_trace_t trace;

        assert_rows(&plain, j == 0 ? "bamboo" : "parcae", texts[j], NULL,
            "0,init,1,a\n60,preempt,1,a\n60,add,2,c a\n90,add,1,d\n99,end,3,\n");
        assert_int_equal(convert(&plain, "x", texts[j], NULL, &trace, &report, ""), 0);
        assert_int_equal(remark_count(&report, "lifeless"), 3);
        spot_convert_report_free(&report);
        spot_trace_free(&trace);
        assert_refused(&strict, texts[j], NULL,
            "x: 3 instances that came and went at one time left out (--strict)\n");
    }
}

static void test_node_count(void **state)
{
    static const char nodes[] = ",timestamp,count\n0,2024-06-07T17:00:00Z,3\n"
                                "1,2024-06-07T17:01:00Z,5\n2,2024-06-07T17:03:00Z,2\n"
                                "3,2024-06-07T17:05:00Z,2\n";
    static const char terms[] = "timestamp,number\n2024-06-07T16:59:00Z,1\n"
                                "2024-06-07T17:01:00Z,2\n2024-06-07T17:02:30Z,1\n"
                                "2024-06-07T17:05:00Z,4\n2024-06-07T17:06:00Z,1\n";
    spot_convert_t task = plain;
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    assert_rows(&plain, "node-count", nodes, terms,
        "0,init,3,\n60,preempt,2,\n60,add,4,\n150,preempt,1,\n150,add,1,\n"
        "180,preempt,3,\n300,preempt,2,\n300,add,2,\n360,preempt,1,\n360,add,1,\n"
        "360,end,2,\n");
    task.window_ms = 30000;
    assert_rows(&task, "node-count", terms, nodes,
        "0,init,3,\n60,preempt,2,\n60,add,4,\n180,preempt,3,\n300,preempt,2,\n"
        "300,add,2,\n360,preempt,1,\n360,add,1,\n360,end,2,\n");
    assert_int_equal(convert(&task, "x", nodes, terms, &trace, &report, ""), 0);
    assert_int_equal(remark_count(&report, "moved"), 1);
    assert_int_equal(remark_count(&report, "not_logged"), 2);
    assert_int_equal(remark_count(&report, "unseen"), 2);
    assert_int_equal(remark_count(&report, "before_first_row"), 1);
    assert_string_equal(spot_trace_key(&trace, "start"), "2024-06-07T17:00:00Z");
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "60");
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void test_lifetimes(void **state)
{
    static const char text[] = "# spotsim-lifetimes: 1\n# start: 2024-06-07T17:00:00Z\n"
                               "start_s,duration_s,status,instance\n"
                               "12,8,stopped,b\n10,10,preempted,a\n20,1.5,stopped,a\n";
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    assert_rows(&plain, "lifetimes", text, NULL,
        "0,init,0,\n0,add,1,a\n2,add,1,b\n10,preempt,1,a\n10,stop,1,b\n10,add,1,a\n"
        "11.5,stop,1,a\n11.5,end,0,\n");
    assert_int_equal(convert(&plain, "x", text, NULL, &trace, &report, ""), 0);
    assert_string_equal(spot_trace_key(&trace, "start"), "2024-06-07T17:00:10Z");
    assert_string_equal(spot_trace_key(&trace, "capacity"), "unbounded");
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "0.5");
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void test_header(void **state)
{
    static const char *const sets[] = {"mine=1", "zone=z", "note=n"};
    static char rows[ROWS_BYTES];
    spot_convert_t task = plain;
    spot_convert_report_t report;
    spot_trace_t trace;

    (void) state;
    task.start = "2020-01-01";
    task.resolution_ms = 500;
    task.capacity = 9;
    task.num_sets = 3;
    task.sets = sets;
    assert_int_equal(
        convert(&task, "folder/x.csv.gz", "0,add,a\n1000,remove,a\n", NULL, &trace, &report, ""),
        0);
    rows_of(&trace, rows, true);
    assert_string_equal(rows,
        "# spotsim-trace: 1\n# name: x\n# start: 2020-01-01\n# resolution_s: 0.5\n"
        "# kind: named\n# capacity: 9\n# zone: z\n# note: n\n# source: folder/x.csv.gz\n"
        "# mine: "
        "1\ntime_s,event,count,instances\n0,init,1,a\n1,preempt,1,a\n1,end,0,\n");
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
}

static void test_refused(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    assert_refused(&plain, "what,is,this\n", NULL,
        "x: the format is not recognised; expected --from with one of the formats that "
        "`spotsim trace convert --help` lists, or --columns, such as --columns "
        "time=COLUMN,event=COLUMN,instance=COLUMN; there are what, is, this\n");
    task.capacity = 2;
    assert_refused(&task, "0,1\n60,3\n90,1\n", NULL,
        "x: population 3 at 60 s exceeds the capacity 2; expected --capacity 3 or "
        "more\n");
    task = plain;
    task.kind = SPOT_TRACE_NAMED;
    assert_refused(&task, "0,1\n60,3\n", NULL, "x: kind named: the input has no instance names\n");
    task = plain;
    task.format = "skypilot";
    assert_refused(&task, "", NULL, "x:1:1: the file: expected an object {...}, got 'the end'\n");
    task = plain;
    task.window_ms = 0;
    task.num_poll_copies = 2;
    task.unit_ms = 1;
    task.format = "skypilot";
    assert_refused(&task, "{}", NULL,
        "x: --unit is not for format skypilot\n"
        "x: --poll-copies is not for format skypilot\n"
        "x: --window is not for format skypilot\n");
}

static void assert_as_recorded(const char *first, const char *second, const char *canonical)
{
    static char rows[ROWS_BYTES], expected[ROWS_BYTES];
    const spot_record_input_t inputs[] = {{first, NULL, 0}, {second, NULL, 0}};
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_convert(&plain, second == NULL ? 1 : 2, inputs, &trace, &report, &diag), 0);
    rows_of(&trace, rows, false);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    assert_int_equal(spot_trace_read(&trace, canonical, false, &diag), 0);
    rows_of(&trace, expected, false);
    assert_string_equal(rows, expected);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

static void test_recorded(void **state)
{
    (void) state;
    need_data(DATA);
    assert_as_recorded(
        DATA "raw/bamboo/traces/p3-trace.csv", NULL, DATA "bamboo-p3-2xlarge-32.csv");
    assert_as_recorded(DATA "raw/bamboo/traces/gcloud/a100x1-east1b.txt", NULL,
        DATA "bamboo-gcp-a100x1-us-east1-b.csv");
    assert_as_recorded(DATA
        "raw/spot-traces/preemption/1-node/aws-04-22-2023/us-west-2c_v100_1.json",
        NULL, DATA "skypilot-preempt-1n-aws-20230422-us-west-2c-v100-1.csv");
    assert_as_recorded(DATA "seed64-surrogate-node.csv", DATA "seed64-surrogate-terminate.csv",
        DATA "seed64-surrogate.csv");
}

/* All files of the form that were published: an hour of minutes each; 14 have
 * migrations. Two have canonical files. */
static void test_all_of_parcae(void **state)
{
    static const char *const models[] = {"bert", "gpt-1.5b", "gpt-6.7b", "resnet152", "vgg19"};
    static const char *const windows[] = {"hh_55_65", "hl_15_25", "lh_80_90", "ll_10_11"};
    int64_t num_with_migrations = 0;

    (void) state;
    need_data(DATA);
    for (size_t j = 0; j < 20; j++) {
        char path[PATH_BYTES];
        spot_record_input_t input = {.path = path};
        spot_convert_report_t report;
        spot_trace_t trace;
        spot_diag_t diag;

        snprintf(
            path, sizeof(path), DATA "raw/parcae/%s_trace_%s.txt", models[j / 4], windows[j % 4]);
        spot_diag_init(&diag);
        assert_int_equal(spot_convert(&plain, 1, &input, &trace, &report, &diag), 0);
        assert_string_equal(report.format, "parcae");
        assert_int_equal(report.num_records, 60);
        assert_int_equal(trace.end_ms, 3600000);
        num_with_migrations += remark_count(&report, "migrations") > 0;
        spot_convert_report_free(&report);
        spot_trace_free(&trace);
        spot_diag_free(&diag);
    }
    assert_int_equal(num_with_migrations, 14);
    assert_as_recorded(
        DATA "raw/parcae/bert_trace_hh_55_65.txt", NULL, DATA "parcae-p3-hh-55-65.csv");
    assert_as_recorded(
        DATA "raw/parcae/bert_trace_ll_10_11.txt", NULL, DATA "parcae-p3-ll-10-11.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bamboo),
        cmocka_unit_test(test_gcloud),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_skypilot),
        cmocka_unit_test(test_parcae),
        cmocka_unit_test(test_lifeless),
        cmocka_unit_test(test_node_count),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_all_of_parcae),
    };

    return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
