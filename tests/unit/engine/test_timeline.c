/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/engine/timeline.h"

static void
test_segments_are_appended_and_replaced(void **state)
{
    spot_timeline_segment_t segment = {.start_ms = 0};
    spot_timeline_t timeline;

    (void) state;
    spot_timeline_init(&timeline);
    for (int j = 0; j < 100; j++) {
        segment.start_ms = j / 2 * 10; /* each start twice: the second one stays */
        segment.heights[0] = j;
        assert_int_equal(spot_timeline_add_segment(&timeline, &segment), 0);
    }
    assert_int_equal(timeline.num_segments, 50);
    for (size_t j = 0; j < 50; j++) {
        assert_int_equal(timeline.segments[j].start_ms, 10 * j);
        assert_true(timeline.segments[j].heights[0] == (double) (2 * j + 1));
    }
    spot_timeline_free(&timeline);
    assert_int_equal(timeline.num_segments, 0);
    spot_timeline_free(&timeline);
}

static void
test_marks_and_progress(void **state)
{
    spot_timeline_t timeline;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.num_mark_kinds = 2;
    for (int j = 0; j < 100; j++) {
        assert_int_equal(spot_timeline_add_mark(&timeline, j / 3, j % 2, j), 0);
        assert_int_equal(spot_timeline_add_progress(&timeline, j / 3, 0.5 * j), 0);
    }
    assert_int_equal(timeline.num_marks, 100);
    assert_int_equal(timeline.num_progress, 100);
    assert_int_equal(timeline.marks[99].time_ms, 33);
    assert_int_equal(timeline.marks[99].mark_kind, 1);
    assert_int_equal(timeline.marks[99].count, 99);
    assert_int_equal(timeline.progress[99].time_ms, 33);
    assert_true(timeline.progress[99].value == 49.5);
    spot_timeline_free(&timeline);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_are_appended_and_replaced),
        cmocka_unit_test(test_marks_and_progress),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
