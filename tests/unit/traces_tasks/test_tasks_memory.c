/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out: each block that reading, analysing and comparing ask for is
 * refused once. */
#include <string.h>

#include "tests/unit/base/short_memory.h"
#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"
#include "traces/tasks/task_log_read.h"

/* Refuses one block after the other of what run does, up to when it needs no more. */
static void refuse(int (*run)(const void *data), const void *data)
{
    size_t num_refused = 0;

    for (size_t j = 0;; j++) {
        int ret;

        num_left = j;
        ret = run(data);
        if (num_left != SIZE_MAX) { /* the run needs no more */
            num_left = SIZE_MAX;
            assert_int_equal(ret, 0);
            break;
        }
        assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
        num_refused++;
    }
    assert_true(num_refused > 12);
}

typedef struct {
    char path[PATH_BYTES], edges[PATH_BYTES];
    spot_task_reading_t reading;
} files_t;

static int read_and_analyse(const void *data)
{
    const files_t *files = data;
    const spot_task_rules_t rules = {.aligns = true};
    spot_task_markers_t markers = {.attempts = 0};
    spot_task_analysis_t analysis = {.t0 = 0};
    spot_task_log_t log;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_task_log_read(&log, files->path, &files->reading, &diag);
    if (ret == 0 && log.is_markers) {
        ret = spot_task_markers_init(&markers, &log, SPOT_DUP_FIRST, "log", &diag);
    } else if (ret == 0) {
        ret = spot_task_analysis_init(&analysis, &log, &rules, "log", &diag);
    }
    ret = ret == 0 && diag.out_of_memory ? SPOT_ERR_NO_MEMORY : ret; /* of a warning */
    spot_task_markers_free(&markers);
    spot_task_analysis_free(&analysis);
    spot_task_log_free(&log);
    spot_diag_free(&diag);
    return ret;
}

static void check_log(const char *text, const char *edges)
{
    files_t files = {.reading = {.edges_path = NULL}};

    test_path("log", files.path);
    write_file(files.path, text, strlen(text));
    if (edges != NULL) {
        test_path("edges", files.edges);
        write_file(files.edges, edges, strlen(edges));
        files.reading.edges_path = files.edges;
    }
    refuse(read_and_analyse, &files);
    unlink(files.path);
    if (edges != NULL) {
        unlink(files.edges);
    }
}

/* Retries, lost time, transmits, hosts, edges, reports: all that asks for memory. */
static const char script[] =
    "tP a h0:w 0; tE a h0:w 5; tS a h0:w 9; tP a h0:w 20; tE a h0:w 25; tS a h0:w 26;"
    "tF a h0:w 40; tP b h1:w 1; tE b h1:w 1005; tS b h1:w 1006; tF b h1:w 1040;"
    "xP a h1:w 45; xF a h1:w 1050 local; xP b q:w 45; tP c(1) h1:w 60; tE c(1) h1:w "
    "1061;"
    "tS c(1) h1:w 1062; tF c(1) h1:w 1063;"
    "{\"action\":\"controllerReport\",\"host\":\"controller\",\"at\":1,\"actDuration\":"
    "1}\n";
static const char edges[] =
    "{\"action\":\"taskInputs\",\"task\":\"c(1)\",\"inputs\":[\"a\",\"b\",\"q\"]}\n"
    "{\"action\":\"taskInputs\",\"task\":\"b\",\"inputs\":[\"a\"]}\n";

static void test_log(void **state)
{
    char *text = tasks_lines(script);

    (void) state;
    check_log(text, edges);
    check_log(text, NULL);
    free(text);
}

static void test_markers(void **state)
{
#define MARK "x:cascade.low.tracing.marker:1:#"
    (void) state;
    check_log(MARK "task=a;action=task_planned;worker=h.w;host=controller;at=10\n" MARK
                   "dataset=a;action=transmit_planned;target=g;host=c;at=40\n" MARK
                   "host=controller;action=ctrl_wait;at=5\n"
                   "x:cascade.low.tracing.tracer:1:#load=7\n",
        NULL);
}

static void test_documents(void **state)
{
    (void) state;
    check_log("[{\"name\":\"a\",\"pid\":1,\"tid\":1,\"ph\":\"B\",\"ts\":1},"
              "{\"pid\":1,\"tid\":1,\"ph\":\"E\",\"ts\":2},"
              "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}},"
              "{\"ph\":\"i\"}]",
        NULL);
    check_log("[{\"key\":[\"a-1\",0],\"worker\":\"tcp://h:1\",\"thread\":2,"
              "\"status\":\"error\",\"startstops\":[{\"action\":\"compute\",\"start\":1,"
              "\"stop\":2}]}]",
        NULL);
}

static int compare(const void *data)
{
    const spot_task_run_t *runs = data;
    spot_task_comparison_t result;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_task_comparison_init(&result, &runs[0], &runs[1], SPOT_SCOPE_HOST, &diag);
    ret = ret == 0 && diag.out_of_memory ? SPOT_ERR_NO_MEMORY : ret; /* of a warning */
    spot_task_comparison_free(&result);
    spot_diag_free(&diag);
    return ret;
}

static void test_comparison(void **state)
{
    char *text = tasks_lines(script);
    tasks_case_t self;

    (void) state;
    tasks_case_read(&self, text, strlen(text), NULL);
    const spot_task_run_t run = {"log", &self.log, &self.analysis};
    const spot_task_run_t runs[] = {run, run};

    refuse(compare, runs);
    tasks_case_free(&self);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_log), cmocka_unit_test(test_markers),
        cmocka_unit_test(test_documents), cmocka_unit_test(test_comparison)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
