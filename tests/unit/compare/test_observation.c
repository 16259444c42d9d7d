/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/compare/fixture.h"
#include "traces/compare/fidelity.h"

static void assert_event(const spot_observation_t *observation, size_t event_id, double time_s,
    spot_event_kind_t kind, int64_t count)
{
    assert_true(event_id < observation->num_events);
    assert_true(observation->events[event_id].time_ms == time_s * 1000);
    assert_int_equal(observation->events[event_id].kind, kind);
    assert_int_equal(observation->events[event_id].count, count);
}

static void test_tick(void **state)
{
    (void) state;
    assert_int_equal(spot_observation_tick_ms(1, 1000), 60000);
    assert_int_equal(spot_observation_tick_ms(100000, 1000), 100000);
    assert_int_equal(spot_observation_tick_ms(60001, 300000), 300000);
}

static void verify(const spot_observation_t *self)
{
    double time_ms = 0;

    assert_true(self->frame.tick_ms > 0 && self->frame.end_ms > 0);
    assert_true(self->frame.capacity >= 1);
    for (size_t j = 0; j < self->num_events; j++) {
        assert_true(self->events[j].count >= 1);
        assert_true(self->events[j].time_ms >= time_ms);
        time_ms = self->events[j].time_ms;
    }
    assert_true(time_ms <= self->frame.end_ms);
}

/* 1 s events at a tick of 60 s: the next tick sees them, those behind the last tick are
 * not seen. */
static void test_trace_at_a_tick(void **state)
{
    spot_observation_t net = {0}, both = {0};
    spot_trace_t trace;

    (void) state;
    make_trace(&trace, "t", 1, "counts", "9",
        "0,init,4,\n0,preempt,1,\n1,preempt,2,\n59,add,5,\n60,preempt,1,\n61,add,1,\n"
        "121,add,1,\n150,end,7,\n");
    assert_int_equal(spot_observation_of_trace(&net, &trace, 60000, true), 0);
    assert_int_equal(net.num_events, 3);
    assert_event(&net, 0, 0, SPOT_EVENT_PREEMPT, 1);
    assert_event(&net, 1, 60, SPOT_EVENT_ADD, 2);
    assert_event(&net, 2, 120, SPOT_EVENT_ADD, 1);
    assert_int_equal(spot_observation_of_trace(&both, &trace, 60000, false), 0);
    assert_int_equal(both.num_events, 4);
    assert_event(&both, 1, 60, SPOT_EVENT_PREEMPT, 3);
    assert_event(&both, 2, 60, SPOT_EVENT_ADD, 5);
    assert_int_equal(both.frame.capacity, 9);
    assert_int_equal(both.initial, 4);
    verify(&both);
    spot_observation_free(&net);
    spot_observation_free(&both);
    spot_trace_free(&trace);
}

/* What came and went within a tick is not seen, unless the population has no limits. */
static void test_unlimited(void **state)
{
    const spot_observation_frame_t frame = {60000, false, 600000, 10};
    spot_observation_t observation = {0};

    (void) state;
    for (int is_unlimited = 0; is_unlimited < 2; is_unlimited++) {
        spot_observation_start(&observation, &frame, 1, is_unlimited);
        assert_int_equal(spot_observation_take(&observation, 10, SPOT_EVENT_ADD, 3), 0);
        assert_int_equal(spot_observation_take(&observation, 20, SPOT_EVENT_PREEMPT, 4), 0);
        assert_int_equal(spot_observation_finish(&observation), 0);
        assert_int_equal(observation.num_events, is_unlimited ? 2 : 1);
        assert_event(&observation, 0, 60, SPOT_EVENT_PREEMPT, is_unlimited ? 4 : 1);
    }
    spot_observation_free(&observation);
}

static void test_unbounded(void **state)
{
    spot_observation_t observation = {0};
    spot_trace_t trace;

    (void) state;
    make_trace(&trace, "t", 60, "counts", "unbounded",
        "0,init,2,\n60,add,5,\n120,preempt,6,\n180,end,1,\n");
    assert_int_equal(spot_observation_of_trace(&observation, &trace, 60000, true), 0);
    assert_int_equal(observation.frame.capacity, 7);
    spot_trace_free(&trace);
    make_trace(&trace, "t", 60, "counts", "unbounded", "0,init,0,\n60,end,0,\n");
    assert_int_equal(spot_observation_of_trace(&observation, &trace, 60000, true), 0);
    assert_int_equal(observation.frame.capacity, 1);
    spot_trace_free(&trace);
    spot_observation_free(&observation);
}

/* T = 301 s: h = 150.5 s, so the second half starts with the population at 120 s. An
 * event at 0 is in the start of the first half. */
static void test_halves(void **state)
{
    spot_observation_t whole = {0}, half = {0};
    spot_trace_t trace;

    (void) state;
    make_trace(&trace, "t", 60, "counts", "9",
        "0,init,4,\n0,add,1,\n60,preempt,1,\n120,add,2,\n180,add,3,\n300,preempt,1,\n"
        "301,end,8,\n");
    assert_int_equal(spot_observation_of_trace(&whole, &trace, 60000, true), 0);
    assert_int_equal(spot_observation_half(&half, &whole, false), 0);
    assert_int_equal(half.initial, 5);
    assert_true(half.frame.end_ms == 150500);
    assert_int_equal(half.num_events, 2);
    assert_event(&half, 0, 60, SPOT_EVENT_PREEMPT, 1);
    assert_event(&half, 1, 120, SPOT_EVENT_ADD, 2);
    assert_int_equal(spot_observation_half(&half, &whole, true), 0);
    assert_int_equal(half.initial, 6);
    assert_int_equal(half.num_events, 2);
    assert_event(&half, 0, 29.5, SPOT_EVENT_ADD, 3);
    assert_event(&half, 1, 149.5, SPOT_EVENT_PREEMPT, 1);
    verify(&half);
    spot_observation_free(&whole);
    spot_observation_free(&half);
    spot_trace_free(&trace);
}

/* An event at h itself is in the first half. */
static void test_event_in_the_middle(void **state)
{
    spot_observation_t whole = {0}, half = {0};
    spot_trace_t trace;

    (void) state;
    make_trace(
        &trace, "t", 60, "counts", "9", "0,init,4,\n120,preempt,1,\n240,add,2,\n240,end,5,\n");
    assert_int_equal(spot_observation_of_trace(&whole, &trace, 60000, true), 0);
    assert_int_equal(spot_observation_half(&half, &whole, false), 0);
    assert_int_equal(half.num_events, 1);
    assert_event(&half, 0, 120, SPOT_EVENT_PREEMPT, 1);
    assert_int_equal(spot_observation_half(&half, &whole, true), 0);
    assert_int_equal(half.initial, 3);
    assert_int_equal(half.num_events, 1);
    assert_event(&half, 0, 120, SPOT_EVENT_ADD, 2);
    spot_observation_free(&whole);
    spot_observation_free(&half);
    spot_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tick),
        cmocka_unit_test(test_trace_at_a_tick),
        cmocka_unit_test(test_unlimited),
        cmocka_unit_test(test_unbounded),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_event_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
