/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs per 10 minutes: features by hand, dates of ISO 8601, tables that are refused, and
 * a forecast that finds a law of the hour. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/datetime.h"
#include "base/rng.h"
#include "fixture.h"
#include "models/job_forecast.h"

#define HEADER "time,submit_gpu_job,submit_gpu_num\n"

enum { MAX_BINS = 1300 };

typedef struct {
    double values[SPOT_THROUGHPUT_FEATURES][MAX_BINS];
    double *pointers[SPOT_THROUGHPUT_FEATURES];
} features_t;

static features_t *fill(const spot_throughput_t *throughput)
{
    static features_t features;

    assert_true(throughput->num_bins <= MAX_BINS);
    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        features.pointers[j] = features.values[j];
    }
    spot_throughput_fill(throughput, features.pointers);
    return &features;
}

static double feature(const features_t *features, const char *name, size_t bin)
{
    size_t j = 0;

    while (strcmp(spot_throughput_features[j], name) != 0) {
        j++;
        assert_true(j < SPOT_THROUGHPUT_FEATURES);
    }
    return features->values[j][bin];
}

static spot_throughput_t starting(const char *day)
{
    spot_throughput_t throughput = {0};
    int64_t number;

    assert_true(spot_date_scan(&day, &number));
    throughput.start_s = number * 86400;
    return throughput;
}

static void test_features_of_the_past(void **state)
{
    spot_throughput_t throughput = starting("2020-04-01");
    features_t *features;

    (void) state;
    for (int bin = 0; bin < 200; bin++) { /* bin jobs of 2 GPUs */
        for (int job = 0; job < bin; job++) {
            assert_int_equal(spot_throughput_add(&throughput,
                                 throughput.start_s + bin * SPOT_THROUGHPUT_BIN_S + 599, 2),
                0);
        }
    }
    assert_int_equal(throughput.num_bins, 200);
    throughput.bins[180].values[SPOT_THROUGHPUT_JOBS] = 1000;
    features = fill(&throughput);
    assert_true(feature(features, "jobs_1h", 186) == 1000);
    assert_true(feature(features, "gpus_1h", 186) == 360);
    assert_true(feature(features, "jobs_3h", 186) == 168);
    assert_true(feature(features, "jobs_24h", 186) == 42);
    assert_true(feature(features, "jobs_soft_1h", 186) == 500 + (179 + 181) / 4.0);
    assert_true(feature(features, "jobs_soft_1h", 187) == 181 / 2.0 + (1000 + 182) / 4.0);
    assert_true(feature(features, "jobs_soft_24h", 186) == 42);
    /* 175 ... 179 and 1000 */
    assert_true(fabs(feature(features, "jobs_mean_1h", 186) - 1885 / 6.0) < 1e-9);
    assert_true(feature(features, "jobs_median_1h", 186) == 177.5);
    assert_true(fabs(feature(features, "jobs_deviation_1h", 190) -
                     feature(features, "jobs_deviation_1h", 189)) > 0.1);
    assert_true(fabs(feature(features, "gpus_deviation_1h", 186) - sqrt(70 / 5.0)) < 1e-9);
    /* Before the first bin all is 0. */
    assert_true(feature(features, "jobs_1h", 5) == 0);
    assert_true(feature(features, "jobs_24h", 143) == 0);
    assert_true(feature(features, "jobs_soft_1h", 6) == 0.25);
    spot_throughput_free(&throughput);
}

static void test_calendar(void **state)
{
    static const struct {
        const char *day;
        double weekday, day_of_year, week;
    } cases[] = {{"2020-12-31", 3, 366, 53}, {"2021-01-03", 6, 3, 53}, {"2021-01-04", 0, 4, 1},
        {"2018-12-31", 0, 365, 1}, {"2016-01-01", 4, 1, 53}, {"2019-12-30", 0, 364, 1},
        {"2019-12-29", 6, 363, 52}, {"2020-04-01", 2, 92, 14}, {"2022-01-01", 5, 1, 52},
        {"2015-12-31", 3, 365, 53}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_throughput_t throughput = starting(cases[j].day);
        features_t *features;

        assert_int_equal(spot_throughput_add(&throughput, throughput.start_s + 86399, 1), 0);
        features = fill(&throughput);
        assert_true(feature(features, "weekday", 143) == cases[j].weekday);
        assert_true(feature(features, "day_of_year", 143) == cases[j].day_of_year);
        assert_true(feature(features, "week", 143) == cases[j].week);
        assert_true(feature(features, "hour", 143) == 23);
        assert_true(feature(features, "minute", 143) == 50);
        assert_true(feature(features, "day", 0) == atoi(cases[j].day + 8));
        assert_true(feature(features, "month", 0) == atoi(cases[j].day + 5));
        spot_throughput_free(&throughput);
    }
}

static void assert_refused(const char *text, const char *expected)
{
    spot_throughput_t throughput;
    spot_diag_t diag;
    char path[512], *message;

    snprintf(path, sizeof(path), "%s/bins-%ld.csv", temporary_folder(), (long) getpid());
    write_file(path, text);
    spot_diag_init(&diag);
    assert_int_equal(spot_throughput_read(&throughput, path, &diag), SPOT_ERR_BAD_INPUT);
    spot_throughput_free(&throughput);
    assert_int_equal(diag.num_errors, 1);
    message = strstr(diag.items[0].text, ".csv:");
    assert_non_null(message);
    assert_string_equal(message + 5, expected);
    spot_diag_free(&diag);
    remove(path);
}

static void test_bad_tables(void **state)
{
    (void) state;
    assert_refused(HEADER, "2:1: no rows");
    assert_refused(HEADER "2020-04-01 00:00:00,1,-1\n",
        "2:23: submit_gpu_num: expected a number from 0 to 1e12, got '-1'");
    assert_refused(HEADER "2020-02-30 00:00:00,1,1\n",
        "2:1: time: expected YYYY-MM-DD hh:mm:ss, got '2020-02-30 00:00:00'");
    assert_refused(HEADER "2020-04-01 00:00:00,1,1\n2020-04-01 00:20:00,1,1\n"
                          "2020-04-01 00:30:00,1,1\n",
        "3:1: time: expected 10 minutes after the row before, got '2020-04-01 "
        "00:20:00'");
}

static void test_default_split(void **state)
{
    spot_throughput_t throughput = starting("2020-04-01");
    spot_throughput_split_t split = {0};

    (void) state;
    assert_false(spot_throughput_split(&split, &throughput));
    throughput.num_bins = 10;
    assert_true(spot_throughput_split(&split, &throughput));
    assert_int_equal(split.choose, 6);
    assert_int_equal(split.evaluate, 8);
    throughput.num_bins = (30 + 31 + 30 + 31 + 31 + 30) * 144;
    assert_true(spot_throughput_split(&split, &throughput));
    assert_int_equal(split.choose, (30 + 31 + 30 + 31) * 144);
    assert_int_equal(split.evaluate, 22032);
}

/* The mean absolute error of each method. */
static void forecast_errors(const spot_throughput_t *throughput, int series,
    const spot_throughput_split_t *split, spot_throughput_forecast_t *forecast,
    spot_prediction_error_t errors[SPOT_FORECAST_METHODS])
{
    const size_t num = throughput->num_bins - split->evaluate;
    double *values = calloc(num, sizeof(*values));

    assert_non_null(values);
    for (size_t j = 0; j < num; j++) {
        values[j] = throughput->bins[split->evaluate + j].values[series];
    }
    assert_int_equal(spot_throughput_forecast(forecast, throughput, series, split), 0);
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        assert_int_equal(
            spot_prediction_error(&errors[method], num, forecast->forecasts[method], values), 0);
    }
    free(values);
}

/* Jobs by the hour and by the hour before: the model beats the mean of the hour. */
static void test_law_is_found(void **state)
{
    spot_throughput_t throughput = starting("2020-04-01");
    spot_throughput_split_t split = {.choose = 800, .evaluate = 1000, .seed = 1};
    spot_throughput_forecast_t forecast = {0};
    spot_prediction_error_t errors[SPOT_FORECAST_METHODS];
    spot_rng_t rng;
    double level = 0;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_TYPE, 0);
    assert_int_equal(
        spot_throughput_add(&throughput, throughput.start_s + 600 * (MAX_BINS - 1), 1), 0);
    for (size_t bin = 0; bin < MAX_BINS; bin++) {
        double *jobs = &throughput.bins[bin].values[SPOT_THROUGHPUT_JOBS];
        double noise;

        level += bin % 60 == 0 ? 4 * spot_rng_uniform(&rng) - level : 0;
        noise = spot_rng_uniform(&rng);
        *jobs = (bin / 6 % 24 > 8 ? 10 : 2) + level + noise;
    }
    forecast_errors(&throughput, SPOT_THROUGHPUT_JOBS, &split, &forecast, errors);
    assert_true(
        errors[SPOT_FORECAST_MODEL].mean_absolute < 0.8 * errors[SPOT_FORECAST_HOUR].mean_absolute);
    assert_true(
        errors[SPOT_FORECAST_HOUR].mean_absolute < errors[SPOT_FORECAST_CONSTANT].mean_absolute);
    assert_true(fabs(errors[SPOT_FORECAST_CONSTANT].r2) < 0.05);
    assert_true(errors[SPOT_FORECAST_MODEL].r2 > 0.8);
    spot_throughput_forecast_free(&forecast);
    spot_throughput_free(&throughput);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_of_the_past),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_default_split),
        cmocka_unit_test(test_law_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
