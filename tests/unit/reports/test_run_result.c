/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/run_result.h"

/* A total is counted, not listed. */
static void test_totals(void **state)
{
    static const spot_metric_t metrics[] = {{.name = "wait_s", .unit = "s", .help = ""},
        {.name = "waits", .unit = "s", .help = "", .is_total = true}};
    static const spot_outputs_t outputs = {.num_metrics = 2, .metrics = metrics};
    static const spot_experiment_t experiment = {.name = "queue"};
    static const double values[] = {1.23456789, 0.25};
    const spot_run_result_t result = {
        &experiment, NULL, "desk", &outputs, values, NULL, 7, 3, false};
    const spot_terminal_t terminal = {.width = 80};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    assert_int_equal(spot_run_result_text(&result, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "wait_s  1.23457  s\n"));
    assert_null(strstr(text, "waits"));
    assert_non_null(strstr(text, "\nnot listed: 1 total and parts"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
