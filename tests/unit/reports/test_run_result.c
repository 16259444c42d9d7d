/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "reports/run_result.h"

static const spot_metric_t metrics[] = {
    {.name = "wait_s", .unit = "s", .help = "in the queue"},
    {.name = "busy_fraction.server-1", .unit = "1", .help = "of the time"},
    {.name = "tail_s", .unit = "s", .help = "undefined below 100 customers"},
};
static const spot_outputs_t outputs = {.num_metrics = 3, .metrics = metrics};
static const spot_warning_t warnings[] = {
    {"few", "fewer than 100 customers"}, {"full", "the queue was full"}};
static const spot_experiment_t experiment = {
    .name = "queue", .num_warnings = 2, .warnings = warnings};

static spot_run_result_t sample(void)
{
    static const double values[] = {1.23456789, 0.25, (double) NAN};
    static const unsigned char flags[] = {1, 0};

    return (spot_run_result_t){&experiment, NULL, "desk", &outputs, values, flags, 7, 3, false};
}

static void test_text(void **state)
{
    const spot_terminal_t terminal = {.width = 80};
    const spot_run_result_t result = sample();
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    assert_int_equal(spot_run_result_text(&result, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "desk: engine queue, seed 7, replication 3\n"
                              "\n"
                              "metric                    value  unit\n"
                              "wait_s                  1.23457  s\n"
                              "busy_fraction.server-1     0.25\n"
                              "tail_s                        -  s\n"
                              "\n"
                              "warning: fewer than 100 customers\n");
    free(text);
}

/* A total is counted, not listed. */
static void test_totals(void **state)
{
    static const spot_metric_t two[] = {{.name = "wait_s", .unit = "s", .help = ""},
        {.name = "waits", .unit = "s", .help = "", .is_total = true}};
    static const spot_outputs_t with_total = {.num_metrics = 2, .metrics = two};
    const spot_terminal_t terminal = {.width = 80};
    spot_run_result_t result = sample();
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    result.outputs = &with_total;
    assert_int_equal(spot_run_result_text(&result, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "wait_s  1.23457  s\n"));
    assert_null(strstr(text, "waits"));
    assert_non_null(strstr(text, "\nnot listed: 1 total and parts"));
    free(text);
}

static void test_json(void **state)
{
    const spot_run_result_t result = sample();
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t json;

    (void) state;
    assert_non_null(out);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_run_result_json(&result, &json);
    spot_json_close(&json, '}');
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "{\n"
                              "  \"engine\": \"queue\",\n"
                              "  \"scenario\": \"desk\",\n"
                              "  \"metrics\": {\n"
                              "    \"wait_s\": {\n"
                              "      \"value\": 1.23456789,\n"
                              "      \"unit\": \"s\"\n"
                              "    },\n"
                              "    \"busy_fraction.server-1\": {\n"
                              "      \"value\": 0.25,\n"
                              "      \"unit\": \"1\"\n"
                              "    },\n"
                              "    \"tail_s\": {\n"
                              "      \"value\": null,\n"
                              "      \"unit\": \"s\"\n"
                              "    }\n"
                              "  },\n"
                              "  \"warnings\": [\n"
                              "    \"few\"\n"
                              "  ],\n"
                              "  \"seed\": 7,\n"
                              "  \"replication\": 3\n"
                              "}\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
