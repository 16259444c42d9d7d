/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "reports/run_series.h"
#include "tests/unit/reports/sample.h"

static double row_end_ms(const spot_run_series_t *run, size_t row_id)
{
    return row_id + 1 < run->levels->num_rows ? spot_run_time_ms(run->levels, row_id + 1)
                                              : run->end_ms;
}

/* The area below a level, from the rows themselves. */
static double row_area(const spot_run_series_t *run, size_t level_id)
{
    double area = 0;

    for (size_t j = 0; j < run->levels->num_rows; j++) {
        area += spot_run_value(run->levels, j, level_id + 1) *
                (row_end_ms(run, j) - spot_run_time_ms(run->levels, j));
    }
    return area;
}

static double bin_area(const spot_lane_t *lane, double end_ms, size_t num_bins)
{
    static spot_bin_t bins[SPOT_MAX_BINS];
    double area = 0;

    spot_lane_bins(lane, end_ms, num_bins, bins);
    for (size_t j = 0; j < num_bins; j++) {
        area += bins[j].value * end_ms / (double) num_bins;
    }
    return area;
}

static double total(const spot_run_series_t *run, size_t row_id)
{
    double sum = 0;

    for (size_t k = 0; k < run->num_levels; k++) {
        sum += spot_run_value(run->levels, row_id, k + 1);
    }
    return sum;
}

static double highest_total(const spot_run_series_t *run)
{
    double highest = 0;

    for (size_t j = 0; j < run->levels->num_rows; j++) {
        highest = fmax(highest, total(run, j));
    }
    return highest;
}

static void assert_kept(const spot_run_series_t *run)
{
    static spot_bin_t bins[SPOT_MAX_BINS];
    const spot_lane_t *all = spot_run_lane(run, SPOT_LANE_TOTAL);
    double whole = 0, peak = 0;

    for (size_t k = 0; k < run->num_levels; k++) {
        whole += row_area(run, k);
    }
    assert_true(fabs(all->sum - whole) <= 1e-12 * whole);
    for (size_t k = 0; k < run->num_levels; k++) {
        const double area = row_area(run, k);

        assert_true(
            fabs(bin_area(&run->lanes[k], run->end_ms, SPOT_MAX_BINS) - area) <= 1e-9 * whole);
        assert_true(fabs(run->lanes[k].sum - area) <= 1e-12 * whole);
    }
    spot_lane_bins(all, run->end_ms, SPOT_MAX_BINS, bins);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        peak = fmax(peak, bins[j].high);
    }
    assert_true(peak == highest_total(run));
}

static void test_areas_and_peaks_are_kept(void **state)
{
    static const int num_events[] = {100, 300, 1000, 30000};

    (void) state;
    for (size_t j = 0; j < 4; j++) {
        sample_run_t sample;

        sample_run(&sample, 355 * SPOT_MS_PER_MIN + 7, num_events[j]);
        assert_true((sample.run.levels->num_rows > SPOT_MAX_BINS) == (j > 0));
        assert_kept(&sample.run);
        sample_run_free(&sample);
    }
}

/* Each bin by itself against all rows: slow, and plain to see. */
static void assert_bins_as_twin(const spot_run_series_t *run, size_t num_bins)
{
    static spot_bin_t bins[9][1000];
    const double bin_ms = run->end_ms / (double) num_bins;

    assert_true(run->num_levels <= 8 && num_bins <= 1000);
    for (size_t c = 0; c <= run->num_levels; c++) {
        spot_lane_bins(&run->lanes[c], run->end_ms, num_bins, bins[c]);
    }
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
                    heights[c] +=
                        spot_run_value(run->levels, k, c + 1) * (to_ms - from_ms) / bin_ms;
                }
            }
        }
        assert_true(bins[run->num_levels][j].high == highest);
        assert_true(bins[run->num_levels][j].low == lowest);
        for (size_t c = 0; c < run->num_levels; c++) {
            assert_true(fabs(bins[c][j].value - heights[c]) <= 1e-9);
        }
    }
}

static void test_each_bin_keeps_its_peak_and_its_dip(void **state)
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
static void test_a_peak_and_a_dip_of_a_moment(void **state)
{
    static const char *const levels[] = {"level"};
    sample_run_t sample;
    spot_bin_t bins[SPOT_MAX_BINS];
    size_t num_peaks = 0, num_dips = 0;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.num_levels = 1, .levels = levels, .unit = "1"});
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
    spot_lane_bins(
        spot_run_lane(&sample.run, SPOT_LANE_TOTAL), sample.run.end_ms, SPOT_MAX_BINS, bins);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        num_peaks += bins[j].high == 33;
        num_dips += bins[j].low == 31;
    }
    assert_int_equal(num_peaks, 1);
    assert_int_equal(num_dips, 1);
    sample_run_free(&sample);
}

/* Before the first row there is nothing, and a row that lasts no time is none. */
static void test_a_late_start(void **state)
{
    static const char *const levels[] = {"a", "b"};
    sample_run_t sample;
    spot_bin_t bins[3];

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.num_levels = 2, .levels = levels, .unit = "1"});
    sample_run_level(&sample, 600, (const double[]){1, 3});
    sample_run_level(&sample, 700, (const double[]){0, 2});
    sample_run_end(&sample, 1000, NULL);
    for (size_t j = 0; j < 3; j++) {
        spot_lane_bins(&sample.run.lanes[j], sample.run.end_ms, 1, &bins[j]);
    }
    assert_true(fabs(bins[0].value - 0.1) < 1e-12);
    assert_true(fabs(bins[1].value - 0.9) < 1e-12);
    assert_true(bins[2].high == 4 && bins[2].low == 2);
    sample_run_free(&sample);
}

static void test_no_mark_is_dropped(void **state)
{
    static const char *const marks[] = {"other", "third", NULL};
    spot_bin_t bins[SPOT_MAX_BINS];
    sample_run_t sample;
    int64_t num_marks = 0;
    double count = 0;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.marks = marks});
    for (int64_t j = 0; j <= 1000; j++) {
        sample_run_mark(&sample, j, marks[j % 3 == 0], j);
    }
    sample_run_end(&sample, 1000, NULL);
    assert_int_equal(sample.run.lanes[1].curve.num_points, 334);
    assert_true(sample.run.lanes[1].sum == 3 * 333 * 334 / 2);
    spot_lane_bins(&sample.run.lanes[1], sample.run.end_ms, SPOT_MAX_BINS, bins);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        /* ms divisible by 3, at most two of them in a bin of 1.25 ms */
        const int64_t first_ms = (int64_t) (j * 1000 + SPOT_MAX_BINS - 1) / SPOT_MAX_BINS;

        assert_in_range(bins[j].num_marks, 0, 1);
        if (bins[j].num_marks > 0) {
            assert_in_range((int64_t) bins[j].value, first_ms, first_ms + 1);
        }
        num_marks += bins[j].num_marks;
        count += bins[j].value;
    }
    assert_int_equal(num_marks, 334);
    assert_true(count == 3 * 333 * 334 / 2);
    sample_run_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_areas_and_peaks_are_kept),
        cmocka_unit_test(test_each_bin_keeps_its_peak_and_its_dip),
        cmocka_unit_test(test_a_peak_and_a_dip_of_a_moment),
        cmocka_unit_test(test_a_late_start),
        cmocka_unit_test(test_no_mark_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
