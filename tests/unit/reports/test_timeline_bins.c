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

static double
row_end_ms(const spot_run_series_t *run, size_t row_id)
{
    return row_id + 1 < run->levels->num_rows ? spot_run_time_ms(run->levels, row_id + 1)
                                              : run->end_ms;
}

/* The area below a level, from the rows themselves. */
static double
row_area(const spot_run_series_t *run, size_t level_id)
{
    double area = 0;

    for (size_t j = 0; j < run->levels->num_rows; j++) {
        area += spot_run_value(run->levels, j, level_id + 1) *
                (row_end_ms(run, j) - spot_run_time_ms(run->levels, j));
    }
    return area;
}

static double
bin_area(const spot_timeline_bins_t *bins, double end_ms, size_t level_id)
{
    double area = 0;

    for (size_t j = 0; j < bins->num_bins; j++) {
        const double bin_end_ms =
            j + 1 < bins->num_bins ? bins->bins[j + 1].start_ms : end_ms;

        area += bins->bins[j].heights[level_id] * (bin_end_ms - bins->bins[j].start_ms);
    }
    return area;
}

static double
total(const spot_run_series_t *run, size_t row_id)
{
    double sum = 0;

    for (size_t k = 0; k < run->num_levels; k++) {
        sum += spot_run_value(run->levels, row_id, k + 1);
    }
    return sum;
}

static double
highest_total(const spot_run_series_t *run)
{
    double highest = 0;

    for (size_t j = 0; j < run->levels->num_rows; j++) {
        highest = fmax(highest, total(run, j));
    }
    return highest;
}

static void
assert_kept(const spot_run_series_t *run, size_t num_bins)
{
    spot_timeline_bins_t bins;
    double whole = 0, shares = 0, peak = 0;

    assert_int_equal(spot_timeline_bins_init(&bins, run, SPOT_MAX_BINS), 0);
    assert_int_equal(bins.num_bins, num_bins);
    for (size_t k = 0; k < run->num_levels; k++) {
        whole += row_area(run, k);
    }
    for (size_t k = 0; k < run->num_levels; k++) {
        const double area = row_area(run, k);

        assert_true(fabs(bin_area(&bins, run->end_ms, k) - area) <= 1e-9 * whole);
        assert_true(fabs(bins.shares[k] - area / whole) <= 1e-12);
        shares += bins.shares[k];
    }
    assert_true(fabs(shares - 1) <= 1e-12);
    for (size_t j = 0; j < bins.num_bins; j++) {
        peak = fmax(peak, bins.bins[j].peak);
    }
    assert_true(peak == highest_total(run));
    assert_true(bins.peak == peak);
    spot_timeline_bins_free(&bins);
    spot_timeline_bins_free(&bins);
}

static void
test_few_segments_stay_as_they_are(void **state)
{
    sample_run_t sample;

    (void) state;
    sample_run(&sample, 355 * SPOT_MS_PER_MIN, 100);
    assert_true(sample.run.levels->num_rows <= SPOT_MAX_BINS);
    assert_kept(&sample.run, sample.run.levels->num_rows);
    sample_run_free(&sample);
}

static void
test_many_segments_keep_areas_and_peaks(void **state)
{
    static const int num_events[] = {300, 1000, 30000};

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        sample_run_t sample;

        sample_run(&sample, 355 * SPOT_MS_PER_MIN + 7, num_events[j]);
        assert_true(sample.run.levels->num_rows > SPOT_MAX_BINS);
        assert_kept(&sample.run, SPOT_MAX_BINS);
        sample_run_free(&sample);
    }
}

/* Each bin by itself against all rows: slow, and plain to see. */
static void
assert_bins_as_twin(const spot_run_series_t *run, size_t num_bins)
{
    const double bin_ms = run->end_ms / (double) num_bins;
    spot_timeline_bins_t bins;

    assert_int_equal(spot_timeline_bins_init(&bins, run, num_bins), 0);
    assert_true(bins.is_thinned);
    assert_int_equal(bins.num_bins, num_bins);
    for (size_t j = 0; j < num_bins; j++) {
        const double start_ms = (double) j * bin_ms;
        const double end_ms = (double) (j + 1) * bin_ms;
        double highest = 0, lowest = (double) INFINITY;
        double heights[16] = {0};

        for (size_t k = 0; k < run->levels->num_rows; k++) {
            const double from_ms = fmax(spot_run_time_ms(run->levels, k), start_ms);
            const double to_ms = fmin(row_end_ms(run, k), end_ms);

            if (from_ms < to_ms) {
                highest = fmax(highest, total(run, k));
                lowest = fmin(lowest, total(run, k));
                for (size_t c = 0; c < run->num_levels; c++) {
                    heights[c] += spot_run_value(run->levels, k, c + 1) *
                                  (to_ms - from_ms) / bin_ms;
                }
            }
        }
        assert_true(bins.bins[j].peak == highest);
        assert_true(bins.bins[j].dip == lowest);
        for (size_t c = 0; c < run->num_levels; c++) {
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
        sample_run_t sample;

        sample_run(&sample, 355 * SPOT_MS_PER_MIN + 7, 1000);
        assert_bins_as_twin(&sample.run, nums_bins[j]);
        sample_run_free(&sample);
    }
}

/* One instance more and one less for one of 30 days' 2.6e9 ms. */
static void
test_a_peak_and_a_dip_of_a_moment(void **state)
{
    static const char *const levels[] = {"level"};
    sample_run_t sample;
    spot_timeline_bins_t bins;
    size_t num_peaks = 0, num_dips = 0;

    (void) state;
    sample_run_begin(
        &sample, &(sample_words_t){.num_levels = 1, .levels = levels, .unit = "1"});
    for (int64_t j = 0; j < 100000; j++) {
        const int64_t start_ms = j < 50000   ? j * 10000
                                 : j < 50003 ? 500000000 + j - 50000
                                             : 500000003 + (j - 50003) * 10000;

        sample_run_level(&sample, start_ms,
            (const double[]){j == 50000   ? 33
                             : j == 50001 ? 31
                                          : 32});
    }
    sample_run_end(&sample, 30 * SPOT_MS_PER_D, NULL);
    assert_int_equal(spot_timeline_bins_init(&bins, &sample.run, SPOT_MAX_BINS), 0);
    for (size_t j = 0; j < bins.num_bins; j++) {
        num_peaks += bins.bins[j].peak == 33;
        num_dips += bins.bins[j].dip == 31;
    }
    assert_int_equal(num_peaks, 1);
    assert_int_equal(num_dips, 1);
    assert_true(bins.peak == 33);
    spot_timeline_bins_free(&bins);
    sample_run_free(&sample);
}

/* Before the first row there is nothing, and a row that lasts no time is none. */
static void
test_a_late_start(void **state)
{
    static const char *const levels[] = {"a", "b"};
    sample_run_t sample;
    spot_timeline_bins_t bins;

    (void) state;
    sample_run_begin(
        &sample, &(sample_words_t){.num_levels = 2, .levels = levels, .unit = "1"});
    sample_run_level(&sample, 600, (const double[]){1, 3});
    sample_run_level(&sample, 700, (const double[]){0, 2});
    sample_run_end(&sample, 1000, NULL);
    assert_int_equal(spot_timeline_bins_init(&bins, &sample.run, 1), 0);
    assert_true(fabs(bins.bins[0].heights[0] - 0.1) < 1e-12);
    assert_true(fabs(bins.bins[0].heights[1] - 0.9) < 1e-12);
    assert_true(bins.bins[0].peak == 4 && bins.bins[0].dip == 2);
    spot_timeline_bins_free(&bins);
    sample_run_free(&sample);
}

static void
test_no_mark_is_dropped(void **state)
{
    static const char *const marks[] = {"other", "third", NULL};
    spot_timeline_mark_bin_t bins[SPOT_MAX_BINS];
    sample_run_t sample;
    int64_t num_marks = 0, count = 0;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.marks = marks});
    for (int64_t j = 0; j <= 1000; j++) {
        sample_run_mark(&sample, j, marks[j % 3 == 0], j);
    }
    sample_run_end(&sample, 1000, NULL);
    assert_int_equal(spot_timeline_bin_marks(&sample.run, 1, SPOT_MAX_BINS, bins), 334);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        if (bins[j].num_marks > 0) {
            const int64_t first_ms = (int64_t) bins[j].first_ms;

            assert_int_equal(first_ms % 3, 0);
            assert_in_range(first_ms * SPOT_MAX_BINS, j * 1000,
                j + 1 == SPOT_MAX_BINS ? SPOT_MAX_BINS * 1000 : j * 1000 + 999);
        }
        num_marks += bins[j].num_marks;
        count += bins[j].count;
    }
    assert_int_equal(num_marks, 334);
    assert_int_equal(count, 3 * 333 * 334 / 2);
    sample_run_free(&sample);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_segments_stay_as_they_are),
        cmocka_unit_test(test_many_segments_keep_areas_and_peaks),
        cmocka_unit_test(test_each_bin_keeps_its_peak_and_its_dip),
        cmocka_unit_test(test_a_peak_and_a_dip_of_a_moment),
        cmocka_unit_test(test_a_late_start),
        cmocka_unit_test(test_no_mark_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
