/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/describe/trace_text.h"
#include "traces/describe/describe.h"
#include "traces/trace_write.h"

static double value_of(const spot_notebook_t *notebook, const char *name)
{
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        if (strcmp(spot_notebook_figures[j].name, name) == 0) {
            return notebook->values[j];
        }
    }
    fail_msg("no figure %s", name);
    return 0;
}

static void assert_value(const spot_notebook_t *notebook, const char *name, double expected)
{
    const double value = value_of(notebook, name);

    if (!(value == expected || (isnan(value) && isnan(expected)))) {
        fail_msg("%s: %.17g instead of %.17g", name, value, expected);
    }
}

/* The figures of a trace, as a file. */
static void read_figures(spot_notebook_t *notebook, const spot_trace_t *trace)
{
    const spot_describe_request_t request = {.is_notebook = true};
    spot_description_t description;
    char path[PATH_BYTES];
    spot_diag_t diag;

    test_path("notebook.csv", path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(trace, path, &diag), 0);
    assert_int_equal(spot_describe_file(&description, path, "trace", &request, &diag), 0);
    *notebook = description.notebook;
    spot_description_free(&description);
    unlink(path);
    spot_diag_free(&diag);
}

/* Describes a log of nodes and one of terminations; "@" in the report is the path of nodes. */
static int read_logs(
    spot_notebook_t *notebook, const char *nodes, const char *terminations, const char *expected)
{
    char paths[2][PATH_BYTES], report[4 * PATH_BYTES] = "";
    const char *const both[] = {paths[0], paths[1]};
    spot_description_t description;
    spot_diag_t diag;
    int ret;

    test_path("nodes.csv", paths[0]);
    test_path("terminations.csv", paths[1]);
    write_file(paths[0], nodes, strlen(nodes));
    write_file(paths[1], terminations, strlen(terminations));
    spot_diag_init(&diag);
    ret = spot_describe_logs(&description, both, "logs", &diag);
    *notebook = description.notebook;
    for (const char *byte = expected; *byte != '\0'; byte++) {
        const size_t length = strlen(report);

        snprintf(report + length, sizeof(report) - length, *byte == '@' ? "%s" : "%.1s",
            *byte == '@' ? paths[0] : byte);
    }
    assert_report(&diag, report);
    spot_description_free(&description);
    spot_diag_free(&diag);
    unlink(paths[0]);
    unlink(paths[1]);
    return ret;
}

/* Rows at 0, 60, 120, 300: at 180 the number is as before, at 0 it is the first row. */
static void test_trace(void **state)
{
    spot_notebook_t notebook;
    spot_trace_t trace;

    (void) state;
    trace_of(&trace, "counts", "64", "60", "unknown",
        "0,init,2,\n0,add,1,\n60,preempt,3,\n60,add,5,\n120,preempt,1,\n"
        "180,preempt,2,\n180,add,2,\n300,stop,1,\n300,add,20,\n600,end,23,\n");
    read_figures(&notebook, &trace);
    assert_value(&notebook, "mttp_s", 100); /* 60, 60, 180 */
    assert_value(&notebook, "ttp_sd_s", sqrt(4800));
    assert_value(&notebook, "preempted_per_min", 0.6);
    assert_value(&notebook, "added_per_min", 2.1); /* 2 and 19 */
    assert_value(&notebook, "p_preempt_per_min", 0.3);
    assert_value(&notebook, "p_add_per_min", 0.2);
    assert_value(&notebook, "p_big_add", 0.5);
    assert_value(&notebook, "p_regular_add", 0.5);
    assert_value(&notebook, "regular_add_mean", 2);
    assert_value(&notebook, "regular_add_sd", (double) NAN);
    assert_value(&notebook, "preempt_count_mean", 2);
    assert_value(&notebook, "preempt_count_sd", 1);
    spot_trace_free(&trace);
}

static void test_nothing_happens(void **state)
{
    spot_notebook_t notebook;
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,2,\n60,end,2,\n");
    read_figures(&notebook, &trace);
    assert_value(&notebook, "mttp_s", (double) NAN);
    assert_value(&notebook, "preempted_per_min", 0);
    assert_value(&notebook, "p_big_add", (double) NAN);
    assert_value(&notebook, "preempt_count_mean", (double) NAN);
    spot_trace_free(&trace);
}

/* Durations whose squares in ms need more than 64 bits. */
static void test_long_gaps(void **state)
{
    spot_notebook_t notebook;
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,2,\n1000000000,add,1,\n3000000000,preempt,1,\n"
                      "3100000000,end,2,\n");
    read_figures(&notebook, &trace);
    assert_value(&notebook, "mttp_s", 1.5e9);
    assert_value(&notebook, "ttp_sd_s", sqrt(5e17));
    spot_trace_free(&trace);
}

#define NO_TERMINATIONS "timestamp,number\n"

/* The rows as they are: one without a change counts too. */
static void test_logs(void **state)
{
    spot_notebook_t notebook;

    (void) state;
    assert_int_equal(read_logs(&notebook,
                         ",timestamp,count\r\n0,1970-01-02T00:00:40Z,0\r\n"
                         "1,1970-01-02T00:01:40Z,4\r\n2,1970-01-02T00:03:40Z,4\r\n"
                         "3,1970-01-02T00:04:40Z,3",
                         "timestamp,number\n1970-01-02T00:01:40Z,2\n1970-01-02T00:02:20Z,0\n"
                         "1970-01-02T00:04:40Z,1\n",
                         ""),
        0);
    assert_value(&notebook, "mttp_s", 80);
    assert_value(&notebook, "ttp_sd_s", sqrt(1200));
    assert_value(&notebook, "preempted_per_min", 0.75);
    assert_value(&notebook, "added_per_min", 1);
    assert_value(&notebook, "p_preempt_per_min", 0.5);
    assert_value(&notebook, "preempt_count_mean", 1.5);
}

static void assert_refused(const char *nodes, const char *expected)
{
    spot_notebook_t notebook;

    assert_int_equal(read_logs(&notebook, nodes, NO_TERMINATIONS, expected), SPOT_ERR_BAD_INPUT);
}

static void test_bad_logs(void **state)
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
static void test_no_terminations(void **state)
{
    spot_notebook_t notebook;

    (void) state;
    assert_int_equal(
        read_logs(&notebook, "timestamp,count\n1970-01-02T00:00:40Z,1\n", NO_TERMINATIONS, ""), 0);
    assert_value(&notebook, "preempt_count_mean", (double) NAN);
}

static const char printed[] = "mttp_s 221.875\nttp_sd_s 171.06669982633582\n"
                              "preempted_per_min 0.39436619718309857\n"
                              "added_per_min 0.5295774647887324\n"
                              "p_preempt_per_min 0.16338028169014085\n"
                              "p_add_per_min 0.14366197183098592\n"
                              "p_big_add 0.058823529411764705\n"
                              "p_regular_add 0.9411764705882353\n"
                              "regular_add_mean 2.5416666666666665\n"
                              "regular_add_sd 1.9456261184790364\n"
                              "preempt_count_mean 2.413793103448276\n"
                              "preempt_count_sd 2.086165648825032\n";

static void assert_printed(const spot_notebook_t *notebook, const char *expected)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    assert_non_null(stream);
    spot_notebook_print(notebook, stream);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_surrogate(void **state)
{
    spot_notebook_t notebook;
    spot_trace_t trace;

    (void) state;
    read_recorded(&trace, "seed64-surrogate");
    read_figures(&notebook, &trace);
    assert_printed(&notebook, printed);
    spot_trace_free(&trace);
}

static void test_surrogate_logs(void **state)
{
    static const char node_path[] = DATA_FOLDER "seed64-surrogate-node.csv";
    static const char term_path[] = DATA_FOLDER "seed64-surrogate-terminate.csv";
    static const char *const paths[] = {node_path, term_path};
    spot_description_t description;
    spot_diag_t diag;

    (void) state;
    need_data(node_path);
    spot_diag_init(&diag);
    assert_true(spot_describe_is_log(node_path));
    assert_false(spot_describe_is_log(term_path));
    assert_int_equal(spot_describe_logs(&description, paths, "surrogate", &diag), 0);
    assert_printed(&description.notebook, printed);
    spot_description_free(&description);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_long_gaps),
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_bad_logs),
        cmocka_unit_test(test_no_terminations),
        cmocka_unit_test(test_surrogate),
        cmocka_unit_test(test_surrogate_logs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
