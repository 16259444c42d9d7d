/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of traces as people read them. */
#include <stdlib.h>

#include "tests/unit/describe/trace_text.h"
#include "tests/unit/trace_figures/trace_sample.h"
#include "traces/verbs/trace_report.h"

static void assert_printed(const spot_trace_t *trace, const char *expected)
{
    const spot_terminal_t terminal = {.width = 80};
    spot_describe_t describe;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_describe_init(&describe, trace), 0);
    assert_int_equal(spot_describe_print(&describe, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    spot_describe_free(&describe);
}

static void test_recorded_trace(void **state)
{
    spot_trace_t trace;

    (void) state;
    read_recorded(&trace, "bamboo-p3-2xlarge-32");
    assert_printed(&trace,
        "bamboo-p3-2xlarge-32   named, resolution 60 s, start unknown, 11.37 h\n"
        "population   capacity 32, mean 24.03, min 10, max 32, full 21.1 %, empty 0.0 "
        "%\n"
        "preemptions  79 events, 167 instances, size 2.11 (VMR 0.93, max 6, ones 49 %), "
        "0.611 per instance-hour\n"
        "additions    83 events, 159 instances, size 1.92 (VMR 1.16, max 8, ones 59 %)\n"
        "gaps (s)        n   mean     sd    CV  median   ACF1  LB5 p\n"
        "  preempt      78  498.5  577.3  1.16     240  -0.11   0.56\n"
        "  add          82  434.6  545.3  1.25     240  -0.11   0.66\n"
        "  any change  161  253.8  336.4  1.33     120   0.02   0.93\n"
        "MTBP         498.5 s at a resolution of 60 s; T/events 518 s\n"
        "lifetimes    177: 167 preempted, 10 censored; median 4080 s (Kaplan-Meier); "
        "time/preemptions 5887.5 s\n"
        "Fano         instances 5.34 (10 min), 1.74 (1 h)\n"
        "time of day  - (start unknown)\n");
    spot_trace_free(&trace);
}

/* What could be obtained never ran. */
static void test_availability(void **state)
{
    spot_trace_t trace;

    (void) state;
    trace_of(&trace, "availability", "1", "0.5", "2020-01-01",
        "0,init,0,\n1,add,1,\n1.5,preempt,1,\n2,add,1,\n10,end,1,\n");
    assert_printed(&trace,
        "small   availability (obtainable; nothing ran), resolution 0.5 s, start "
        "2020-01-01, 0.00 h\n"
        "obtainable   capacity 1, mean 0.85, min 0, max 1, full 85.0 %, empty 15.0 %\n"
        "fewer        1 event, 1 instance, size 1.00 (VMR -, max 1, ones 100 %), "
        "423.529 per obtainable instance-hour\n"
        "more         2 events, 2 instances, size 1.00 (VMR 0.00, max 1, ones 100 %)\n"
        "gaps (s)      n  mean  sd    CV  median  ACF1  LB5 p\n"
        "  fewer       0     -   -     -       -     -      -\n"
        "  more        1     1   -     -       1     -      -\n"
        "  any change  2   0.5   0  0.00     0.5     -      -\n"
        "  up spell    1   0.5   -     -     0.5     -      -\n"
        "  down spell  1   0.5   -     -     0.5     -      -\n"
        "mean gap     - s at a resolution of 0.5 s; T/events 10 s\n"
        "lifetimes    - (nothing ran)\n"
        "Fano         instances - (10 min), - (1 h)\n"
        "time of day  - (less than 2 days)\n");
    spot_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_trace),
        cmocka_unit_test(test_availability),
    };

    trace_sample_set_dialects();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
