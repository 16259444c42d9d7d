/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/describe/trace_text.h"
#include "traces/trace.h"

static void assert_bulk(
    const spot_bulk_t *bulk, int64_t time_ms, spot_event_kind_t kind, int32_t size, int32_t before)
{
    assert_int_equal(bulk->time_ms, time_ms);
    assert_int_equal(bulk->kind, kind);
    assert_int_equal(bulk->size, size);
    assert_int_equal(bulk->before, before);
}

static void test_rows_of_one_time_and_kind_are_one(void **state)
{
    spot_trace_t trace;
    spot_bulks_t bulks;

    (void) state;
    counts_of(&trace, "0,init,4,\n"
                      "1,preempt,1,\n1,stop,1,\n1,preempt,2,\n1,add,1,\n1,add,2,\n"
                      "3,add,1,\n3.5,stop,4,\n4,end,0,\n");
    assert_int_equal(spot_bulks_init(&bulks, &trace), 0);
    assert_int_equal(bulks.num_bulks, 5);
    assert_bulk(&bulks.bulks[0], 1000, SPOT_EVENT_PREEMPT, 3, 4);
    assert_bulk(&bulks.bulks[1], 1000, SPOT_EVENT_STOP, 1, 1);
    assert_bulk(&bulks.bulks[2], 1000, SPOT_EVENT_ADD, 3, 0);
    assert_bulk(&bulks.bulks[3], 3000, SPOT_EVENT_ADD, 1, 3);
    assert_bulk(&bulks.bulks[4], 3500, SPOT_EVENT_STOP, 4, 4);
    spot_bulks_free(&bulks);
    spot_trace_free(&trace);
}

static void test_no_events(void **state)
{
    spot_trace_t trace;
    spot_bulks_t bulks;

    (void) state;
    counts_of(&trace, "0,init,4,\n4,end,4,\n");
    assert_int_equal(spot_bulks_init(&bulks, &trace), 0);
    assert_int_equal(bulks.num_bulks, 0);
    spot_bulks_free(&bulks);
    spot_bulks_free(&bulks);
    spot_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_one_time_and_kind_are_one),
        cmocka_unit_test(test_no_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
