/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "reports/page/page_timeline.h"
#include "tests/unit/reports/sample.h"

static char *write_data(const spot_run_series_t *run, size_t max_rows)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_timeline_data_write(run, max_rows, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Reads the numbers of the array that follows "key": [ behind place. */
static size_t read_array(const char *place, const char *key, double *values, size_t max_values)
{
    char head[64];
    size_t num_values = 0;
    char *end;

    snprintf(head, sizeof(head), "\"%s\": [", key);
    place = strstr(place, head);
    assert_non_null(place);
    place += strlen(head);
    while (*place != ']') {
        assert_true(num_values < max_values);
        values[num_values++] = strtod(place, &end);
        assert_true(end > place);
        place = *end == ',' ? end + 1 : end;
    }
    return num_values;
}

static void test_golden(void **state)
{
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run(&sample, 355 * SPOT_MS_PER_MIN, 6);
    strcpy(sample.recording.note, "recovery checkpoint, seed 1");
    text = write_data(&sample.run, 0);
    sample_assert_golden("timeline-data.json", text);
    free(text);
    sample_run_free(&sample);
}

/* Where the data of a lane begin. */
static const char *find_lane(const char *text, const char *kind, const char *name)
{
    char head[128];
    const char *place;

    snprintf(head, sizeof(head), "{\"kind\": \"%s\", \"name\": \"%s\"", kind, name);
    place = strstr(text, head);
    assert_non_null(place);
    return place;
}

static double sum_of(const char *place, const char *key)
{
    static double values[SPOT_TIMELINE_DATA_BINS];
    const size_t num_values = read_array(place, key, values, SPOT_TIMELINE_DATA_BINS);
    double sum = 0;

    for (size_t j = 0; j < num_values; j++) {
        sum += values[j];
    }
    return sum;
}

/* A month of 1e5 events fits in bins, with every mark counted and the peaks and dips of
 * all. */
static void test_a_month_in_bins(void **state)
{
    static double values[SPOT_TIMELINE_DATA_BINS];
    static spot_bin_t bins[SPOT_TIMELINE_DATA_BINS];
    const spot_lane_t *all;
    const char *place;
    sample_run_t sample;
    double num_preempted = 0, num_instances = 0;
    char *text;

    (void) state;
    sample_run(&sample, 30 * SPOT_MS_PER_D, 100000);
    all = spot_run_lane(&sample.run, SPOT_LANE_TOTAL);
    spot_lane_bins(all, sample.run.end_ms, SPOT_TIMELINE_DATA_BINS, bins);
    text = write_data(&sample.run, 0);
    assert_true(strlen(text) < 500000);
    place = find_lane(text, "total", all->name);
    assert_int_equal(
        read_array(place, "values", values, SPOT_TIMELINE_DATA_BINS), SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < SPOT_TIMELINE_DATA_BINS; j++) {
        assert_true(values[j] == bins[j].high);
    }
    assert_int_equal(
        read_array(place, "more", values, SPOT_TIMELINE_DATA_BINS), SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < SPOT_TIMELINE_DATA_BINS; j++) {
        assert_true(values[j] == bins[j].low);
    }
    for (size_t j = 0; j < sample.run.events->num_rows; j++) {
        if (strcmp(spot_series_text(sample.run.events, j, 1), "preempted") == 0) {
            num_preempted++;
            num_instances += spot_run_value(sample.run.events, j, 2);
        }
    }
    place = find_lane(text, "marks", "preempted");
    assert_true(sum_of(place, "more") == num_preempted);
    assert_true(sum_of(place, "values") == num_instances);
    free(text);
    sample_run_free(&sample);
}

/* The points of a lane, read as the script reads them, are those of the lane, to the
 * ms. */
static void assert_lane(const char *text, const char *kind, const spot_lane_t *lane)
{
    const size_t num_points = lane->curve.num_points;
    const char *place = find_lane(text, kind, lane->name);
    double *at = calloc(num_points, sizeof(*at)), time_ms = 0;
    double *values = calloc(num_points, sizeof(*values));

    assert_non_null(at);
    assert_non_null(values);
    assert_int_equal(read_array(place, "at", at, num_points), num_points);
    assert_int_equal(read_array(place, "values", values, num_points), num_points);
    for (size_t j = 0; j < num_points; j++) {
        time_ms = round((time_ms + 1000 * at[j]) * 1e6) / 1e6;
        assert_true(time_ms == lane->curve.points[j].x);
        assert_true(values[j] == lane->curve.points[j].y);
    }
    free(values);
    free(at);
}

/* Levels and marks that a page may hold are there as they are: of a month too. */
static void assert_exact(int64_t end_ms, int num_events, size_t max_bytes)
{
    static const char *const kinds[] = {"level", "total", "marks"};
    sample_run_t sample;
    char *text;

    sample_run(&sample, end_ms, num_events);
    text = write_data(&sample.run, 1000000);
    assert_true(strlen(text) < max_bytes);
    assert_non_null(strstr(text, "\"bin_ms\": null"));
    assert_null(strstr(text, "\"more\""));
    for (size_t j = 0; j < sample.run.num_lanes; j++) {
        const spot_lane_t *lane = &sample.run.lanes[j];

        if (lane->kind != SPOT_LANE_CURVE &&
            (lane->kind == SPOT_LANE_MARKS ? lane->curve.num_points > 0 : lane->sum > 0)) {
            assert_lane(text, kinds[lane->kind], lane);
        }
    }
    free(text);
    sample_run_free(&sample);
}

static void test_rows_are_exact(void **state)
{
    (void) state;
    assert_exact(355 * SPOT_MS_PER_MIN + 7, 400, 60000);
    assert_exact(30 * SPOT_MS_PER_D, 30000, 4000000);
}

/* A name may not end the element that the data stands in. */
static void test_hostile_names(void **state)
{
    static const char *const levels[] = {"</script><script>alert(1)</script>"};
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.title = "<!--\"\\<script>\xff",
                                  .num_levels = 1,
                                  .levels = levels,
                                  .unit = "<b>\xe2\x80\xae\xc2\x9b.",
                                  .curve = "</SCRIPT >"});
    sample_run_level(&sample, 0, (const double[]){(double) INFINITY});
    sample_run_point(&sample, 0, 1);
    sample_run_end(&sample, 1000, NULL);
    text = write_data(&sample.run, 0);
    assert_null(strchr(text, '<'));
    assert_null(strstr(text, "inf"));
    assert_non_null(strstr(text, "\"\\u003cb>  .\""));
    assert_non_null(strstr(text, "\"name\": \"\\u003c/SCRIPT >\""));
    free(text);
    sample_run_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_a_month_in_bins),
        cmocka_unit_test(test_rows_are_exact),
        cmocka_unit_test(test_hostile_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
