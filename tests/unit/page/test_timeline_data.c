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
#include "reports/page/timeline_data.h"
#include "tests/unit/reports/sample.h"

static char *
write_data(const spot_run_series_t *run, size_t max_rows)
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
static size_t
read_array(const char *place, const char *key, double *values, size_t max_values)
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

static void
test_golden(void **state)
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

/* A month of 1e5 events fits in bins, with every mark counted and the peaks and dips of
 * all. */
static void
test_a_month_in_bins(void **state)
{
    static double values[SPOT_TIMELINE_DATA_BINS];
    sample_run_t sample;
    spot_timeline_bins_t bins;
    double sum = 0, count = 0;
    int64_t num_preempted = 0, num_instances = 0;
    const char *place;
    char *text;
    size_t num_values;

    (void) state;
    sample_run(&sample, 30 * SPOT_MS_PER_D, 100000);
    assert_int_equal(
        spot_timeline_bins_init(&bins, &sample.run, SPOT_TIMELINE_DATA_BINS), 0);
    text = write_data(&sample.run, 0);
    assert_true(strlen(text) < 500000);
    assert_int_equal(read_array(text, "high", values, SPOT_TIMELINE_DATA_BINS),
        SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < SPOT_TIMELINE_DATA_BINS; j++) {
        assert_true(values[j] == bins.bins[j].peak);
    }
    assert_int_equal(read_array(text, "low", values, SPOT_TIMELINE_DATA_BINS),
        SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < SPOT_TIMELINE_DATA_BINS; j++) {
        assert_true(values[j] == bins.bins[j].dip);
    }
    for (size_t j = 0; j < sample.run.events->num_rows; j++) {
        const bool is_preempted = sample.run.mark_kinds[j] == 0;

        num_preempted += is_preempted;
        num_instances +=
            is_preempted ? (int64_t) spot_run_value(sample.run.events, j, 2) : 0;
    }
    place = strstr(text, "\"name\": \"preempted\"");
    assert_non_null(place);
    num_values = read_array(place, "times", values, SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < num_values; j++) {
        sum += values[j];
    }
    num_values = read_array(place, "counts", values, SPOT_TIMELINE_DATA_BINS);
    for (size_t j = 0; j < num_values; j++) {
        count += values[j];
    }
    assert_true(sum == (double) num_preempted);
    assert_true(count == (double) num_instances);
    free(text);
    spot_timeline_bins_free(&bins);
    sample_run_free(&sample);
}

static double
unit_of(const char *text)
{
    static const char key[] = "\"unit_ms\": ";
    const char *place = strstr(text, key);

    assert_non_null(place);
    return strtod(place + sizeof(key) - 1, NULL);
}

/* The times and heights of rows, read as the script reads them, are those of the run. */
static void
assert_rows(const char *text, const spot_run_series_t *run)
{
    const size_t max_values = run->levels->num_rows * (2 + 2 * run->num_levels);
    double *values = calloc(max_values, sizeof(*values)), heights[16] = {0};
    size_t shown[16], num_shown = 0, num_rows = 0, num_values;
    double time_ms = 0;

    assert_non_null(values);
    for (size_t k = 0; k < run->num_levels; k++) {
        for (size_t j = 0; j < run->levels->num_rows; j++) {
            if (spot_run_value(run->levels, j, k + 1) > 0) {
                shown[num_shown++] = k;
                break;
            }
        }
    }
    num_values = read_array(text, "rows", values, max_values);
    for (size_t at = 0; at < num_values; num_rows++) {
        const size_t num_changes = (size_t) values[at + 1];

        time_ms += values[at] * unit_of(text);
        at += 2;
        for (size_t k = 0; k < num_changes; k++, at += 2) {
            heights[(size_t) values[at]] = values[at + 1];
        }
        assert_true(time_ms == spot_run_time_ms(run->levels, num_rows));
        for (size_t k = 0; k < num_shown; k++) {
            assert_true(
                heights[k] == spot_run_value(run->levels, num_rows, shown[k] + 1));
        }
    }
    assert_int_equal(num_rows, run->levels->num_rows);
    free(values);
}

/* Rows and marks that a page may hold are told as they are, to the millisecond: of a
 * month too. */
static void
assert_exact(int64_t end_ms, int num_events, size_t max_bytes)
{
    static double values[100000];
    sample_run_t sample;
    double time_ms = 0;
    char *text;
    size_t num_values, next = 0;

    sample_run(&sample, end_ms, num_events);
    text = write_data(&sample.run, 1000000);
    assert_true(strlen(text) < max_bytes);
    assert_non_null(strstr(text, "\"bin_ms\": null"));
    assert_rows(text, &sample.run);
    num_values = read_array(strstr(text, "\"name\": \"added\""), "at", values, 100000);
    for (size_t j = 0; j < sample.run.events->num_rows; j++) {
        if (sample.run.mark_kinds[j] == 1) {
            assert_true(next < num_values);
            time_ms += values[next++] * unit_of(text);
            assert_true(time_ms == spot_run_time_ms(sample.run.events, j));
        }
    }
    assert_int_equal(next, num_values);
    free(text);
    sample_run_free(&sample);
}

static void
test_rows_are_exact(void **state)
{
    (void) state;
    assert_exact(355 * SPOT_MS_PER_MIN + 7, 400, 60000);
    assert_exact(30 * SPOT_MS_PER_D, 30000, 4000000);
}

/* A name may not end the element that the data stands in. */
static void
test_hostile_names(void **state)
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
    sample_run_end(&sample, 1000, NULL);
    text = write_data(&sample.run, 0);
    assert_null(strchr(text, '<'));
    assert_null(strstr(text, "inf"));
    assert_non_null(strstr(text, "\"\\u003cb>  .\""));
    assert_non_null(strstr(text, "\"name\": \"\\u003c/SCRIPT >\""));
    free(text);
    sample_run_free(&sample);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_a_month_in_bins),
        cmocka_unit_test(test_rows_are_exact),
        cmocka_unit_test(test_hostile_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
