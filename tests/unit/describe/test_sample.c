/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/describe/trace_text.h"
#include "traces/describe/sample.h"

/* The sample as text: "5 7c 3/4", c = censored, / = limit. */
static void assert_sample(const spot_trace_t *trace, spot_sample_kind_t kind, const char *expected)
{
    char text[512] = "";
    spot_sample_t sample;

    assert_int_equal(spot_sample_init(&sample, trace, kind), 0);
    for (size_t j = 0; j < sample.num_values; j++) {
        const size_t length = strlen(text);
        char limit[16] = "";

        if (sample.limits != NULL) {
            snprintf(limit, sizeof(limit), "/%d", sample.limits[j]);
        }
        snprintf(text + length, sizeof(text) - length, "%s%.10g%s%s", j > 0 ? " " : "",
            sample.values[j], sample.is_censored[j] ? "c" : "", limit);
    }
    assert_string_equal(text, expected);
    spot_sample_free(&sample);
    spot_sample_free(&sample);
}

static void test_gaps_are_complete(void **state)
{
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,4,\n1,preempt,1,\n1,preempt,1,\n3,preempt,1,\n3,add,2,\n"
                      "4,stop,1,\n4.5,add,1,\n10.25,preempt,1,\n20,end,2,\n");
    assert_sample(&trace, SPOT_SAMPLE_PREEMPT_GAP, "2 7.25");
    assert_sample(&trace, SPOT_SAMPLE_ADD_GAP, "1.5");
    assert_sample(&trace, SPOT_SAMPLE_CHANGE_GAP, "2 1.5 5.75");
    assert_sample(&trace, SPOT_SAMPLE_UP_SPELL, "");
    assert_sample(&trace, SPOT_SAMPLE_LIFETIME, "");
    spot_trace_free(&trace);
}

/* An event at 0 starts a gap like any other. */
static void test_event_at_zero(void **state)
{
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,4,\n0,preempt,1,\n2,preempt,1,\n20,end,2,\n");
    assert_sample(&trace, SPOT_SAMPLE_PREEMPT_GAP, "2");
    spot_trace_free(&trace);
}

static void test_counts_and_limits(void **state)
{
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,3,\n1,preempt,1,\n1,preempt,1,\n1,add,2,\n2,add,1,\n"
                      "3,stop,2,\n4,preempt,2,\n5,add,1,\n6,end,1,\n");
    assert_sample(&trace, SPOT_SAMPLE_PREEMPT_COUNT, "2/3 2/2");
    assert_sample(&trace, SPOT_SAMPLE_ADD_COUNT, "2/3 1/1 1/4");
    spot_trace_free(&trace);
    trace_of(&trace, "counts", "unbounded", "1", "unknown",
        "0,init,1,\n1,add,4,\n2,preempt,4,\n3,add,2,\n6,end,3,\n");
    assert_sample(&trace, SPOT_SAMPLE_ADD_COUNT, "4/4 2/4");
    spot_trace_free(&trace);
}

static void test_spells(void **state)
{
    spot_trace_t trace;

    (void) state;
    trace_of(&trace, "counts", "1", "1", "unknown",
        "0,init,1,\n4,preempt,1,\n5,add,1,\n8,preempt,1,\n8,add,1,\n9,stop,1,\n"
        "11,add,1,\n20,end,1,\n");
    assert_sample(&trace, SPOT_SAMPLE_UP_SPELL, "3 1c 9c");
    assert_sample(&trace, SPOT_SAMPLE_DOWN_SPELL, "1 0 2");
    spot_trace_free(&trace);
    /* who came at 0 may have been there before; nothing is left to censor at the end */
    trace_of(&trace, "counts", "1", "1", "unknown",
        "0,init,0,\n0,add,1,\n4,preempt,1,\n5,add,1,\n5,end,1,\n");
    assert_sample(&trace, SPOT_SAMPLE_UP_SPELL, "");
    assert_sample(&trace, SPOT_SAMPLE_DOWN_SPELL, "1");
    spot_trace_free(&trace);
}

static void test_lifetimes(void **state)
{
    spot_trace_t trace;

    (void) state;
    trace_of(&trace, "named", "4", "1", "unknown",
        "0,init,2,a b\n2,preempt,1,a\n3,add,2,a c\n5,stop,1,b\n6.5,preempt,1,a\n"
        "10,end,1,\n");
    assert_sample(&trace, SPOT_SAMPLE_LIFETIME, "2 5c 3.5 7c");
    spot_trace_free(&trace);
}

static void test_keep_complete(void **state)
{
    spot_trace_t trace;
    spot_sample_t sample;

    (void) state;
    trace_of(&trace, "named", "4", "1", "unknown",
        "0,init,3,a b c\n2,stop,1,a\n3,preempt,1,b\n10,end,1,\n");
    assert_int_equal(spot_sample_init(&sample, &trace, SPOT_SAMPLE_LIFETIME), 0);
    spot_sample_keep_complete(&sample);
    assert_int_equal(sample.num_values, 1);
    assert_true(sample.values[0] == 3 && !sample.is_censored[0]);
    spot_sample_free(&sample);
    spot_trace_free(&trace);
}

static void test_lifetimes_file(void **state)
{
    spot_life_t lives[] = {
        {.duration_ms = 1500, .is_preempted = true}, {.duration_ms = 200, .is_preempted = false}};
    const spot_lifetimes_t lifetimes = {.num_lives = 2, .lives = lives};
    spot_sample_t sample;

    (void) state;
    assert_int_equal(spot_sample_init_lifetimes(&sample, &lifetimes), 0);
    assert_int_equal(sample.num_values, 2);
    assert_true(sample.values[0] == 1.5 && !sample.is_censored[0]);
    assert_true(sample.values[1] == 0.2 && sample.is_censored[1]);
    spot_sample_free(&sample);
}

static void test_names(void **state)
{
    size_t num = 0;

    (void) state;
    while (spot_sample_kind_names[num] != NULL) {
        num++;
    }
    assert_int_equal(num, SPOT_SAMPLE_LIFETIME + 1);
    assert_string_equal(spot_sample_kind_names[SPOT_SAMPLE_UP_SPELL], "up-spell");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps_are_complete),
        cmocka_unit_test(test_event_at_zero),
        cmocka_unit_test(test_counts_and_limits),
        cmocka_unit_test(test_spells),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_keep_complete),
        cmocka_unit_test(test_lifetimes_file),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
