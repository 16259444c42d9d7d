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

    assert_int_equal(spot_timeline_bins_init(&bins, timeline, SPOT_MAX_BINS), 0);
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

static double
total(const spot_timeline_t *timeline, const spot_timeline_segment_t *segment)
{
    double sum = 0;

    for (size_t k = 0; k < timeline->num_categories; k++) {
        sum += segment->heights[k];
    }
    return sum;
}

/* Each bin by itself against all segments: slow, and plain to see. */
static void
assert_bins_as_twin(const spot_timeline_t *timeline, size_t num_bins)
{
    const double bin_ms = (double) timeline->end_ms / (double) num_bins;
    spot_timeline_bins_t bins;

    assert_int_equal(spot_timeline_bins_init(&bins, timeline, num_bins), 0);
    assert_true(bins.is_thinned);
    assert_int_equal(bins.num_bins, num_bins);
    for (size_t j = 0; j < num_bins; j++) {
        const double start_ms = (double) j * bin_ms;
        const double end_ms = (double) (j + 1) * bin_ms;
        double highest = 0, lowest = (double) INFINITY;
        double heights[SPOT_TIMELINE_MAX_CATEGORIES] = {0};

        for (size_t k = 0; k < timeline->num_segments; k++) {
            const spot_timeline_segment_t *segment = &timeline->segments[k];
            const double from_ms = fmax((double) segment->start_ms, start_ms);
            const double to_ms = fmin(k + 1 < timeline->num_segments
                                          ? (double) timeline->segments[k + 1].start_ms
                                          : (double) timeline->end_ms,
                end_ms);

            if (from_ms < to_ms) {
                highest = fmax(highest, total(timeline, segment));
                lowest = fmin(lowest, total(timeline, segment));
                for (size_t c = 0; c < timeline->num_categories; c++) {
                    heights[c] += segment->heights[c] * (to_ms - from_ms) / bin_ms;
                }
            }
        }
        assert_true(bins.bins[j].peak == highest);
        assert_true(bins.bins[j].dip == lowest);
        for (size_t c = 0; c < timeline->num_categories; c++) {
            assert_true(fabs(bins.bins[j].heights[c] - heights[c]) <= 1e-9);
        }
    }
    spot_timeline_bins_free(&bins);
}

static void
test_each_bin_keeps_its_peak_and_its_dip(void **state)
{
    static const size_t nums_bins[] = {1, 7, 160, 999};

    (void) state;
    for (size_t j = 0; j < 4; j++) {
        spot_timeline_t timeline;

        sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN + 7, 1000);
        assert_bins_as_twin(&timeline, nums_bins[j]);
        spot_timeline_free(&timeline);
    }
}

/* One instance more and one less for one of 30 days' 2.6e9 ms. */
static void
test_a_peak_and_a_dip_of_a_moment(void **state)
{
    spot_timeline_t timeline;
    spot_timeline_bins_t bins;
    size_t num_peaks = 0, num_dips = 0;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.num_categories = 1;
    timeline.end_ms = 30 * SPOT_MS_PER_D;
    for (int64_t j = 0; j < 100000; j++) {
        const spot_timeline_segment_t segment = {
            .start_ms = j < 50000   ? j * 10000
                        : j < 50003 ? 500000000 + j - 50000
                                    : 500000003 + (j - 50003) * 10000,
            .heights = {j == 50000   ? 33
                        : j == 50001 ? 31
                                     : 32}};

        assert_int_equal(spot_timeline_add_segment(&timeline, &segment), 0);
    }
    assert_int_equal(spot_timeline_bins_init(&bins, &timeline, SPOT_MAX_BINS), 0);
    for (size_t j = 0; j < bins.num_bins; j++) {
        num_peaks += bins.bins[j].peak == 33;
        num_dips += bins.bins[j].dip == 31;
    }
    assert_int_equal(num_peaks, 1);
    assert_int_equal(num_dips, 1);
    assert_true(bins.peak == 33);
    spot_timeline_bins_free(&bins);
    spot_timeline_free(&timeline);
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
    assert_int_equal(spot_timeline_bin_marks(&timeline, 1, SPOT_MAX_BINS, bins), 334);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        if (bins[j].num_marks > 0) {
            assert_int_equal(bins[j].first_ms % 3, 0);
            assert_in_range(bins[j].first_ms * SPOT_MAX_BINS, j * 1000,
                j + 1 == SPOT_MAX_BINS ? SPOT_MAX_BINS * 1000 : j * 1000 + 999);
        }
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
        cmocka_unit_test(test_each_bin_keeps_its_peak_and_its_dip),
        cmocka_unit_test(test_a_peak_and_a_dip_of_a_moment),
        cmocka_unit_test(test_no_mark_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
