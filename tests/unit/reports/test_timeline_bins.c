/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "reports/timeline_bins.h"
#include "tests/unit/reports/sample.h"

/* The area below a category, from the segments themselves. */
static double
segment_area(const spot_timeline_t *timeline, size_t category_id)
{
    double area = 0;

    for (size_t j = 0; j < timeline->num_segments; j++) {
        const int64_t end_ms = j + 1 < timeline->num_segments
                                   ? timeline->segments[j + 1].start_ms
                                   : timeline->end_ms;

        area += timeline->segments[j].heights[category_id] *
                (double) (end_ms - timeline->segments[j].start_ms);
    }
    return area;
}

static double
bin_area(const spot_timeline_bins_t *bins, int64_t end_ms, size_t category_id)
{
    double area = 0;

    for (size_t j = 0; j < bins->num_bins; j++) {
        const double bin_end_ms =
            j + 1 < bins->num_bins ? bins->bins[j + 1].start_ms : (double) end_ms;

        area +=
            bins->bins[j].heights[category_id] * (bin_end_ms - bins->bins[j].start_ms);
    }
    return area;
}

static double
highest_total(const spot_timeline_t *timeline)
{
    double highest = 0;

    for (size_t j = 0; j < timeline->num_segments; j++) {
        double total = 0;

        for (size_t k = 0; k < timeline->num_categories; k++) {
            total += timeline->segments[j].heights[k];
        }
        highest = fmax(highest, total);
    }
    return highest;
}

static void
assert_kept(const spot_timeline_t *timeline, size_t num_bins)
{
    spot_timeline_bins_t bins;
    double whole = 0, shares = 0, peak = 0;

    assert_int_equal(spot_timeline_bins_init(&bins, timeline), 0);
    assert_int_equal(bins.num_bins, num_bins);
    for (size_t k = 0; k < timeline->num_categories; k++) {
        whole += segment_area(timeline, k);
    }
    for (size_t k = 0; k < timeline->num_categories; k++) {
        const double area = segment_area(timeline, k);

        assert_true(fabs(bin_area(&bins, timeline->end_ms, k) - area) <= 1e-9 * whole);
        assert_true(fabs(bins.shares[k] - area / whole) <= 1e-12);
        shares += bins.shares[k];
    }
    assert_true(fabs(shares - 1) <= 1e-12);
    for (size_t j = 0; j < bins.num_bins; j++) {
        peak = fmax(peak, bins.bins[j].peak);
    }
    assert_true(peak == highest_total(timeline));
    assert_true(bins.peak == peak);
    spot_timeline_bins_free(&bins);
    spot_timeline_bins_free(&bins);
}

static void
test_few_segments_stay_as_they_are(void **state)
{
    spot_timeline_t timeline;

    (void) state;
    sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN, 100);
    assert_true(timeline.num_segments <= SPOT_MAX_BINS);
    assert_kept(&timeline, timeline.num_segments);
    spot_timeline_free(&timeline);
}

static void
test_many_segments_keep_areas_and_peaks(void **state)
{
    static const int num_events[] = {300, 1000, 30000};

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        spot_timeline_t timeline;

        sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN + 7, num_events[j]);
        assert_true(timeline.num_segments > SPOT_MAX_BINS);
        assert_kept(&timeline, SPOT_MAX_BINS);
        spot_timeline_free(&timeline);
    }
}

static void
test_no_mark_is_dropped(void **state)
{
    spot_timeline_mark_bin_t bins[SPOT_MAX_BINS];
    spot_timeline_t timeline;
    int64_t num_marks = 0, count = 0;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.num_mark_kinds = 2;
    timeline.end_ms = 1000;
    for (int64_t j = 0; j <= 1000; j++) {
        assert_int_equal(spot_timeline_add_mark(&timeline, j, j % 3 == 0, j), 0);
    }
    assert_int_equal(spot_timeline_bin_marks(&timeline, 1, bins), 334);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        num_marks += bins[j].num_marks;
        count += bins[j].count;
    }
    assert_int_equal(num_marks, 334);
    assert_int_equal(count, 3 * 333 * 334 / 2);
    spot_timeline_free(&timeline);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_segments_stay_as_they_are),
        cmocka_unit_test(test_many_segments_keep_areas_and_peaks),
        cmocka_unit_test(test_no_mark_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
