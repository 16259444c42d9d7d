/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "tests/unit/describe/trace_text.h"
#include "traces/describe/describe.h"

/* From 22:30 for 28 h; empty from 23:30 to 01:00; full (4) from 05:00 to 06:00. */
static const char rows[] = "0,init,3,\n600,preempt,1,\n1800,preempt,1,\n3600,preempt,1,\n"
                           "9000,add,3,\n23400,add,1,\n27000,preempt,2,\n100800,end,2,\n";

static void test_start(void **state)
{
    static const struct {
        const char *text;
        int64_t start_ms;
    } cases[] = {{"unknown", -1}, {"2020-01-01", -1}, {"2020-01-01T22:30:00", 81000000},
        {"2020-01-01T00:00:01.5-08:00", 1000}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_trace_t trace;

        trace_of(&trace, "counts", "4", "1", cases[j].text, "0,init,3,\n9,end,3,\n");
        assert_int_equal(spot_hours_start_ms(&trace), cases[j].start_ms);
        spot_trace_free(&trace);
    }
}

static void test_preempt(void **state)
{
    spot_trace_t trace;
    spot_hours_t hours;

    (void) state;
    counts_of(&trace, rows);
    assert_int_equal(spot_hours_init(&hours, &trace, SPOT_EVENT_PREEMPT, 81000000), 0);
    assert_true(hours.is_start_known);
    assert_int_equal(hours.hours[22].num_events, 1);
    assert_int_equal(hours.hours[23].num_events, 2); /* 23:00 belongs to 23 */
    assert_int_equal(hours.hours[6].num_events, 1);
    assert_true(hours.hours[22].exposed_s == 1800 + 3600);
    assert_true(hours.hours[23].exposed_s == 1800 + 3600);
    assert_true(hours.hours[0].exposed_s == 3600); /* of the second day */
    assert_true(hours.hours[1].exposed_s == 7200);
    assert_true(hours.hours[2].exposed_s == 3600 + 1800);
    assert_true(hours.hours[3].exposed_s == 3600);
    spot_trace_free(&trace);
}

static void test_add(void **state)
{
    spot_trace_t trace;
    spot_hours_t hours;
    double total_s = 0;

    (void) state;
    counts_of(&trace, rows);
    assert_int_equal(spot_hours_init(&hours, &trace, SPOT_EVENT_ADD, -1), 0);
    assert_false(hours.is_start_known);
    assert_int_equal(hours.hours[2].num_events, 1);
    assert_int_equal(hours.hours[6].num_events, 1);
    assert_true(hours.hours[6].exposed_s == 1800); /* full from 6.5 h to 7.5 h */
    assert_true(hours.hours[7].exposed_s == 1800);
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        total_s += hours.hours[j].exposed_s;
    }
    assert_true(total_s == 100800 - 3600);
    spot_trace_free(&trace);
}

/* Garwood's limits for 0 events and, by the tails, for some; nothing exposed: none. */
static void test_intervals(void **state)
{
    spot_trace_t trace;
    spot_hours_t hours;

    (void) state;
    trace_of(&trace, "counts", "4", "1", "unknown",
        "0,init,3,\n60,preempt,1,\n120,preempt,1,\n180,preempt,1,\n4000,add,1,\n"
        "7200,end,1,\n");
    assert_int_equal(spot_hours_init(&hours, &trace, SPOT_EVENT_PREEMPT, -1), 0);
    {
        const spot_hour_t *first = &hours.hours[0], *second = &hours.hours[1];
        const double exposed_h = 180 / 3600.0;
        const double low = first->low_per_h * exposed_h;
        const double high = first->high_per_h * exposed_h;

        assert_true(fabs(first->rate_per_h - 3 / exposed_h) < 1e-9);
        /* P(X >= 3) and P(X <= 3) of the Poisson law, as sums */
        assert_true(fabs(1 - exp(-low) * (1 + low + low * low / 2) - 0.025) < 1e-9);
        assert_true(fabs(exp(-high) * (1 + high + high * high / 2 + high * high * high / 6) -
                         0.025) < 1e-9);
        assert_true(second->rate_per_h == 0 && second->low_per_h == 0);
        assert_true(fabs(second->high_per_h * 3200 / 3600 + log(0.025)) < 1e-9);
    }
    assert_true(isnan(hours.hours[2].rate_per_h) && isnan(hours.hours[2].high_per_h));
    spot_trace_free(&trace);
}

/* Where the inverse of GSL 2.7 gives up. */
static void test_many_events(void **state)
{
    enum { NUM_EVENTS = 4000 };
    spot_event_t *events = calloc(2 * NUM_EVENTS, sizeof(*events));
    spot_trace_t trace = {.kind = SPOT_TRACE_COUNTS,
        .capacity = 4,
        .resolution_ms = 1,
        .initial = 4,
        .final = 4,
        .end_ms = 3600000,
        .num_events = 2 * NUM_EVENTS,
        .events = events};
    spot_hours_t hours;

    (void) state;
    assert_non_null(events);
    for (int j = 0; j < 2 * NUM_EVENTS; j++) {
        events[j] = (spot_event_t){
            .time_ms = 1 + j, .count = 1, .kind = j % 2 == 0 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD};
    }
    assert_int_equal(spot_hours_init(&hours, &trace, SPOT_EVENT_PREEMPT, -1), 0);
    assert_true(
        fabs(gsl_cdf_chisq_P(2 * hours.hours[0].low_per_h, 2.0 * NUM_EVENTS) - 0.025) < 1e-9);
    assert_true(
        fabs(gsl_cdf_chisq_Q(2 * hours.hours[0].high_per_h, 2.0 * NUM_EVENTS + 2) - 0.025) < 1e-9);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_preempt),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_many_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
