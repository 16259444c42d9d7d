/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>

#include "tests/unit/describe/trace_text.h"
#include "traces/trace.h"

/* The recorded trace as "time kind count" lines. */
static void assert_recorded(const char *rows, int64_t tick_ms, bool is_net, const char *expected)
{
    char text[1024] = "";
    spot_trace_t trace, recorded;

    counts_of(&trace, rows);
    assert_int_equal(spot_recorder_trace(&trace, tick_ms, is_net, &recorded), 0);
    spot_trace_verify(&recorded);
    for (size_t j = 0; j < recorded.num_events; j++) {
        const spot_event_t *event = &recorded.events[j];
        const size_t length = strlen(text);

        snprintf(text + length, sizeof(text) - length, "%lld %s %d\n", (long long) event->time_ms,
            spot_event_kind_names[event->kind], event->count);
    }
    assert_string_equal(text, expected);
    assert_int_equal(recorded.end_ms, trace.end_ms);
    assert_int_equal(recorded.resolution_ms, tick_ms);
    spot_trace_free(&recorded);
    spot_trace_free(&trace);
}

static void test_seen_at_the_next_tick(void **state)
{
    (void) state;
    assert_recorded("0,init,2,\n0,add,1,\n0.001,preempt,1,\n10,preempt,1,\n"
                    "10.001,add,1,\n21,end,2,\n",
        10000, false, "0 add 1\n10000 preempt 2\n20000 add 1\n");
}

static void test_after_the_end_is_lost(void **state)
{
    (void) state;
    assert_recorded(
        "0,init,2,\n10,preempt,1,\n11,preempt,1,\n19,end,0,\n", 10000, false, "10000 preempt 1\n");
}

static void test_net(void **state)
{
    static const char rows[] = "0,init,2,\n1,preempt,2,\n2,add,3,\n3,stop,1,\n4,add,1,\n"
                               "11,preempt,2,\n12,add,2,\n13,add,1,\n14,preempt,2,\n"
                               "40,end,2,\n";

    (void) state;
    /* 2 and a stop lost, 4 gained: 1 more; then 4 lost, 3 gained: 1 less */
    assert_recorded(rows, 10000, true, "10000 add 1\n20000 preempt 1\n");
}

/* Both directions: a tick cannot lose more than there was at its start. */
static void test_came_and_went_unseen(void **state)
{
    (void) state;
    assert_recorded("0,init,1,\n1,add,3,\n2,preempt,4,\n3,add,1,\n20,end,1,\n", 10000, false,
        "10000 preempt 1\n10000 add 1\n");
    assert_recorded("0,init,0,\n1,add,3,\n2,stop,2,\n3,preempt,1,\n20,end,0,\n", 10000, false, "");
}

static void test_keys_and_kind(void **state)
{
    spot_trace_t trace, recorded;

    (void) state;
    trace_of(&trace, "named", "4", "1", "2020-01-01",
        "0,init,1,a\n1.5,add,2,b c\n2,preempt,1,a\n7,end,2,\n");
    assert_int_equal(spot_recorder_trace(&trace, 2500, false, &recorded), 0);
    assert_int_equal(recorded.kind, SPOT_TRACE_COUNTS);
    assert_string_equal(spot_trace_key(&recorded, "kind"), "counts");
    assert_string_equal(spot_trace_key(&recorded, "resolution_s"), "2.5");
    assert_string_equal(spot_trace_key(&recorded, "start"), "2020-01-01");
    assert_string_equal(spot_trace_key(&recorded, "name"), "small");
    spot_trace_verify(&recorded);
    spot_trace_free(&recorded);
    spot_trace_free(&trace);
    trace_of(&trace, "availability", "4", "1", "2020-01-01", "0,init,1,\n7,end,1,\n");
    assert_int_equal(spot_recorder_trace(&trace, 2500, false, &recorded), 0);
    assert_int_equal(recorded.kind, SPOT_TRACE_AVAILABILITY);
    spot_trace_free(&recorded);
    spot_trace_free(&trace);
}

static void test_tick_has_slack_for_rounding(void **state)
{
    (void) state;
    assert_int_equal(spot_tick_seeing(100, 0), 0);
    assert_int_equal(spot_tick_seeing(100, 1e-3), 1);
    assert_int_equal(spot_tick_seeing(100, 100), 1);
    assert_int_equal(spot_tick_seeing(100, 100 * (1 + 1e-12)), 1);
    assert_int_equal(spot_tick_seeing(100, 100.001), 2);
}

/* Rows of a random trace: up to 30 changes, up to 3 s apart, of a population of 0 to 4.
 */
static void random_rows(gsl_rng *rng, char *text, size_t num_bytes)
{
    int64_t time_s = 0, population = 2;
    size_t length = (size_t) snprintf(text, num_bytes, "0,init,2,\n");

    for (int j = 0; j < 30; j++) {
        const bool is_add = gsl_rng_uniform_int(rng, 2) == 0;
        const int64_t most = is_add ? 4 - population : population;
        int64_t count;

        time_s += 1 + (int64_t) gsl_rng_uniform_int(rng, 3);
        if (most > 0) {
            count = 1 + (int64_t) gsl_rng_uniform_int(rng, (unsigned long) most);
            population += is_add ? count : -count;
            length += (size_t) snprintf(text + length, num_bytes - length, "%lld,%s,%lld,\n",
                (long long) time_s, is_add ? "add" : "preempt", (long long) count);
        }
    }
    snprintf(text + length, num_bytes - length, "%lld,end,%lld,\n", (long long) time_s + 1,
        (long long) population);
}

static int64_t population_at(const spot_trace_t *trace, int64_t time_ms)
{
    int64_t population = trace->initial;

    for (size_t j = 0; j < trace->num_events && trace->events[j].time_ms <= time_ms; j++) {
        population += trace->events[j].kind == SPOT_EVENT_ADD ? trace->events[j].count
                                                              : -trace->events[j].count;
    }
    return population;
}

/* At every tick the recorder shows the population that there is, in both modes;
 * recording at the same tick again changes nothing. */
static void test_population_at_ticks(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    char rows[2048];

    (void) state;
    assert_non_null(rng);
    gsl_rng_set(rng, 5);
    for (int round = 0; round < 200; round++) {
        const int64_t tick_ms = 1000 * (1 + (int64_t) gsl_rng_uniform_int(rng, 9));
        const bool is_net = round % 2 == 0;
        spot_trace_t trace, recorded, again;

        random_rows(rng, rows, sizeof(rows));
        counts_of(&trace, rows);
        assert_int_equal(spot_recorder_trace(&trace, tick_ms, is_net, &recorded), 0);
        assert_int_equal(spot_recorder_trace(&recorded, tick_ms, is_net, &again), 0);
        spot_trace_verify(&recorded);
        for (int64_t time_ms = 0; time_ms <= trace.end_ms; time_ms += tick_ms) {
            assert_int_equal(population_at(&recorded, time_ms), population_at(&trace, time_ms));
        }
        assert_int_equal(again.num_events, recorded.num_events);
        for (size_t j = 0; j < again.num_events; j++) {
            assert_int_equal(again.events[j].time_ms, recorded.events[j].time_ms);
            assert_int_equal(again.events[j].kind, recorded.events[j].kind);
            assert_int_equal(again.events[j].count, recorded.events[j].count);
        }
        spot_trace_free(&trace);
        spot_trace_free(&recorded);
        spot_trace_free(&again);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen_at_the_next_tick),
        cmocka_unit_test(test_after_the_end_is_lost),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_came_and_went_unseen),
        cmocka_unit_test(test_keys_and_kind),
        cmocka_unit_test(test_tick_has_slack_for_rounding),
        cmocka_unit_test(test_population_at_ticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
