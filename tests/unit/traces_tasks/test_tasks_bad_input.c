/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that are no events, and what is said of them; what the reader warns of. */
#include <string.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"
#include "traces/tasks/task_log_read.h"

#define GOOD                                                                                       \
    "{\"action\":\"taskStarted\",\"at\":1,\"host\":\"h\",\"worker\":\"w\",\"task\":"               \
    "\"a\"}\n"
#define TRACE "x:cascade.controller.tracing:1:"
#define MARK "x:cascade.low.tracing.marker:1:#"
#define TRACER "x:cascade.low.tracing.tracer:1:#"

static void check_bytes(const char *text, size_t num_bytes, const char *report)
{
    tasks_case_t self;

    tasks_case_read(&self, text, num_bytes, NULL);
    assert_tasks_report(&self, report);
    assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
    tasks_case_free(&self);
}
#define CHECK(text, report) check_bytes("" text, sizeof(text) - 1, report)

/* A line with a member that replaces one of the good line. */
#define LINE(action, at, host, worker, id) "{" action "," at "," host "," worker "," id "}\n"
#define ACTION "\"action\":\"transmitFinished\""
#define AT "\"at\":1"
#define HOST "\"host\":\"h\""
#define WORKER "\"worker\":\"w\""
#define DATASET "\"dataset\":\"a\""

static void test_no_lines(void **state)
{
    (void) state;
    CHECK("[1]\n", "log:1: neither an object nor a trace line\n");
    CHECK("\n \n12\n", "log:3: neither an object nor a trace line\n");
    CHECK("x:tracing:1:host=h\n", "log:1: neither an object nor a trace line\n");
    CHECK(TRACE "what is this\n", "log:1:32: expected host=, task=, action= or another "
                                  "known key\n");
    CHECK(TRACER "a=\n", "log:1:35: at: expected an integer, got ''\n");
}

static void test_json(void **state)
{
    (void) state;
    CHECK("{\"a\" 1}\n", "log:1:6: expected ':'\n");
    CHECK("{\"a\":[1 2]}\n", "log:1:9: expected ',' or ']'\n");
    CHECK("{\"a\":1,}\n", "log:1:8: expected a key in quotes\n");
    CHECK("{\"a\":1.}\n", "log:1:8: bad number\n");
    CHECK("{\"a\":'b'}\n", "log:1:6: expected a value\n");
}

static void test_nested(void **state)
{
    char open[66] = "", close[66] = "", text[256];

    (void) state;
    for (size_t depth = 64; depth <= 65; depth++) {
        memset(open, '[', depth);
        memset(close, ']', depth);
        snprintf(text, sizeof(text), "{\"action\":\"later\",\"b\":%s%s}\n?\n", open, close);
        check_bytes(text, strlen(text),
            depth == 64 ? "log:2: neither an object nor a trace line\n"
                        : "log:1:87: nested too deeply\n"
                          "log:2: neither an object nor a trace line\n");
    }
}

static void test_cut_off(void **state)
{
    static const char good[] = GOOD;

    (void) state;
    /* wherever the line is cut, but before its closing brace */
    for (size_t length = 1; length < sizeof(good) - 2; length++) {
        char text[2 * sizeof(good)];
        tasks_case_t self;

        memcpy(text, good, sizeof(good) - 1);
        memcpy(text + sizeof(good) - 1, good, length);
        tasks_case_read(&self, text, sizeof(good) - 1 + length, NULL);
        assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
        assert_int_equal(self.diag.num_errors, 1);
        assert_non_null(strstr(self.diag.items[0].text, "log:2:"));
        assert_non_null(strstr(self.diag.items[0].text, "the line is cut off"));
        tasks_case_free(&self);
    }
}

static void test_texts(void **state)
{
    (void) state;
    CHECK("{\"a\":\"\\ud83d\\ude", "log:1:17: the line is cut off\n");
    CHECK("{\"a\":\"\\udc00\"}\n", "log:1:7: bad escape: half of a surrogate pair\n");
    CHECK("{\"a\":\"\\ude00\"}\n", "log:1:7: bad escape: half of a surrogate pair\n");
    CHECK("{\"a\":\"\\ud83d\\ud83d\"}\n", "log:1:7: bad escape: half of a surrogate pair\n");
    CHECK("\0\n", "log:1:1: a NUL\n");
    CHECK("{\"a\":\"\xc0\x80\"}\n", "log:1:7: invalid UTF-8\n");
    CHECK("{\"a\":\"\xed\xa0\xbd\"}\n", "log:1:7: invalid UTF-8\n");
    CHECK("{\"a\":\"\xe2\x82\"}\n", "log:1:7: invalid UTF-8\n");
    CHECK(TRACE "task=\xe2\x82;at=1\n", "log:1:37: invalid UTF-8\n");
}

static void test_missing(void **state)
{
    (void) state;
    CHECK(LINE(ACTION, AT, "\"host\":null", WORKER, DATASET), "log:1: host is missing\n");
    CHECK(TRACE "task=a;action=taskStarted;worker=w;host=h\n", "log:1: at is missing\n");
    CHECK(MARK "dataset=a;action=transmit_loaded;worker=w;host=h;at=1\n",
        "log:1: target is missing\n");
}

#define STAMPED(at)                                                                                \
    "{\"at\":" at ",\"action\":\"taskStarted\",\"host\":\"h\",\"worker\":\"w\",\"task\":\"a\"}\n"

static void test_stamps(void **state)
{
    static const char *const bad[] = {"1.0", "1e3", "1E3", "-1.5", "\"1\""};

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        char text[256], report[256];

        snprintf(text, sizeof(text), STAMPED("%s"), bad[j]);
        snprintf(report, sizeof(report),
            "log:1:7: at: expected an integer, without fraction, exponent or quotes, got '%s'\n",
            bad[j][0] == '"' ? "1" : bad[j]);
        check_bytes(text, strlen(text), report);
    }
    CHECK(STAMPED("{}"), "log:1:7: at: expected an integer\n");
    CHECK(STAMPED("99999999999999999999999"),
        "log:1:7: at: beyond the integers of 64 bits, got '99999999999999999999999'\n");
    CHECK("{\"action\":\"controllerReport\",\"host\":\"c\",\"at\":1,\"actDuration\":"
          "\"x\"}\n",
        "log:1:62: actDuration: expected an integer, without fraction, exponent or "
        "quotes, got 'x'\n");
}

static void test_kinds(void **state)
{
    (void) state;
    CHECK(LINE(ACTION, AT, HOST, WORKER, DATASET ",\"mode\":\"fast\""),
        "log:1:82: mode: expected local, remote or redundant, got 'fast'\n");
}

static void test_long_lines(void **state)
{
    const size_t num_bytes = ((size_t) 1 << 20) + 100;
    char *text = malloc(3 * num_bytes);
    size_t at = 0;

    (void) state;
    assert_non_null(text);
    /* the one line too long is reported, and the lines behind it have their numbers */
    at += (size_t) sprintf(text, GOOD "{\"b\":\"");
    memset(text + at, 'c', num_bytes);
    at += num_bytes;
    at += (size_t) sprintf(text + at, "\"}\n" GOOD "?\n");
    check_bytes(text, at,
        "log:2: the line is above 1 MB\n"
        "log:4: neither an object nor a trace line\n");
    /* just below */
    at = (size_t) sprintf(text, "{\"action\":\"later\",\"b\":\"");
    memset(text + at, 'c', 1000000 - 30);
    at += 1000000 - 30;
    at += (size_t) sprintf(text + at, "\"}\n?\n");
    check_bytes(text, at, "log:2: neither an object nor a trace line\n");
    free(text);
}

static void test_mixed(void **state)
{
    (void) state;
    CHECK("\n" TRACE "host=h;task=a;action=taskStarted;worker=w;at=1\n" GOOD,
        "log:3: mixed formats: one of JSON lines in a file of trace lines\n");
    CHECK(TRACER "a=1\n" TRACE "host=h;task=a;action=taskStarted;worker=w;at=1\n",
        "log:2: mixed formats: one of trace lines in a file of markers\n");
}

/* Every error of a file is told, not the first one alone. */
static void test_all_errors(void **state)
{
    (void) state;
    CHECK("?\n" GOOD "{}\n" GOOD "{\"action\":\"taskStarted\"}\n",
        "log:1: neither an object nor a trace line\n"
        "log:3: action is missing\n"
        "log:5: at is missing\n");
}

static void test_skipped(void **state)
{
    static const char text[] = "?\n" GOOD "{}\n{\"at\":1}\n?\n?\n" GOOD;
    const tasks_options_t options = {.skips_bad = true};
    tasks_case_t self;
    json_t *json;

    (void) state;
    tasks_case_read(&self, text, sizeof(text) - 1, &options);
    assert_int_equal(self.ret, 0);
    assert_tasks_report(&self,
        "warning: log:1: neither an object nor a trace line\n"
        "warning: log:3: action is missing\n"
        "warning: log:4: action is missing\n"
        "warning: log: 5 bad lines were skipped\n"
        "warning: log: 1 duplicate_events: actions come again in one attempt, see "
        "--dup\n"
        "warning: log: 1 no_planned: attempts have no Planned, so that their total and "
        "comm are missing\n");
    json = tasks_case_json(&self);
    assert_member(json, "log/skipped_lines", "5");
    assert_member(json, "log/task_events", "2");
    json_delete(json);
    tasks_case_free(&self);
}

static void test_warnings(void **state)
{
    char *text = tasks_lines("tP a w 0; tE a w 5; tS a w 4; tF a w 90; tF a w 91; tS b w "
                             "50; tF b w 60; xP a w 40; xF a w 95 local; xS a w 41 "
                             "remote;");
    tasks_case_t self;

    (void) state;
    tasks_case_read(&self, text, strlen(text), NULL);
    assert_int_equal(self.ret, 0);
    assert_tasks_report(&self,
        "warning: log: 1 duplicate_events: actions come again in one attempt, see "
        "--dup\n"
        "warning: log: 1 mode_conflicts: modes of transmits depend on the rule, see "
        "--mode-rule\n"
        "warning: log: 1 no_planned: attempts have no Planned, so that their total and "
        "comm are missing\n"
        "warning: log: 1 negative_intervals: stamps are out of order, see clock_offset\n"
        "warning: log: 1 overlapping_tasks: workers ran tasks at the same time\n"
        "warning: log: the clock of host fiab cannot be right: it is at least 50 and at "
        "most 5 ns ahead of the controller's; it drifts, or stamps are wrong\n");
    tasks_case_free(&self);
    free(text);
}

static void test_byte_order_mark(void **state)
{
    static const char text[] = "\xEF\xBB\xBF{\"action\":\"later\"}\r\n{\"action\":\"later\"}";
    tasks_case_t self;

    (void) state;
    tasks_case_read(&self, text, sizeof(text) - 1, NULL);
    assert_int_equal(self.ret, 0);
    assert_tasks_report(&self, "warning: log:1:1: a byte-order mark, which is skipped\n");
    assert_int_equal(self.log.num_unknown_actions, 2);
    tasks_case_free(&self);
}

static void test_files(void **state)
{
    static const char path[] = "/nowhere/log";
    const spot_task_reading_t reading = {.edges_path = NULL};
    const tasks_options_t controller = {.controller = "?\n"};
    spot_task_log_t log;
    spot_diag_t diag;
    tasks_case_t self;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_task_log_read(&log, path, &reading, &diag), SPOT_ERR_IO);
    assert_report(&diag, "/nowhere/log: cannot open: No such file or directory\n");
    spot_task_log_free(&log);
    spot_diag_free(&diag);
    /* the errors of all files */
    tasks_case_read(&self, "?\n", 2, &controller);
    assert_tasks_report(&self, "log:1: neither an object nor a trace line\n"
                               "controller:1: neither an object nor a trace line\n");
    tasks_case_free(&self);
}

/* Stamps so far apart that durations could be beyond 64 bits. */
static void test_far_stamps(void **state)
{
    static const char line[] = "{\"action\":\"task%s\",\"at\":%s,\"host\":\"h\","
                               "\"worker\":\"w\",\"task\":\"a\"}\n";
    char text[512];

    (void) state;
    snprintf(text, sizeof(text) / 2, line, "Started", "-4611686018427387904");
    snprintf(text + strlen(text), 256, line, "Finished", "0");
    check_bytes(text, strlen(text), "log: the stamps span more than 146 years\n");
    CHECK(MARK "host=c;action=ctrl_wait;at=-9223372036854775808\n" MARK
               "host=c;action=ctrl_wait;at=0\n",
        "log: the stamps span more than 292 years\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_lines), cmocka_unit_test(test_json),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_stamps), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_all_errors), cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_warnings), cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_files), cmocka_unit_test(test_far_stamps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
