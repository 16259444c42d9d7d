/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/datetime.h"
#include "base/rng.h"
#include "fixture.h"
#include "models/job_forecast.h"

/* ---- Prediction error ---- */

static spot_prediction_error_t error_of(
    size_t num_pairs, const double *predicted, const double *values)
{
    spot_prediction_error_t error;

    assert_int_equal(spot_prediction_error(&error, num_pairs, predicted, values), 0);
    return error;
}

static void test_errors_by_hand(void **state)
{
    static const double values[] = {1, 2, 3, 6}, reversed[] = {6, 3, 2, 1};
    static const double predicted[] = {2, 1, 5, 6};
    spot_prediction_error_t error = error_of(4, predicted, values);

    (void) state;
    assert_true(fabs(error.mean_absolute - 1) < 1e-12);
    assert_true(fabs(error.r2 - (1 - 6.0 / 14)) < 1e-12);
    assert_true(fabs(error.rank_correlation - 0.8) < 1e-12); /* two ranks are swapped */
    error = error_of(4, values, values);
    assert_true(error.mean_absolute == 0 && error.r2 == 1);
    assert_true(fabs(error.rank_correlation - 1) < 1e-12);
    error = error_of(4, reversed, values);
    assert_true(fabs(error.rank_correlation + 1) < 1e-12);
}

static void test_what_is_undefined(void **state)
{
    static const double equal[] = {3, 3, 3}, values[] = {1, 2, 6};
    spot_prediction_error_t error = error_of(0, values, values);

    (void) state;
    assert_true(isnan(error.mean_absolute) && isnan(error.r2));
    assert_true(isnan(error.rank_correlation));
    error = error_of(3, values, equal);
    assert_true(error.mean_absolute == 2 && isnan(error.r2));
    error = error_of(3, equal, values);
    assert_true(isnan(error.rank_correlation) && error.r2 == 0);
}

/* ---- Duration history ---- */

static spot_duration_job_t job_of(int32_t user, int32_t gpus, int32_t model, int64_t duration_s)
{
    return (spot_duration_job_t){
        .user_id = user, .gpu_num = gpus, .model_id = model, .duration_s = duration_s};
}

static void start(spot_duration_learner_t *self, const spot_duration_job_t *jobs, size_t num_jobs)
{
    const spot_duration_request_t request = {
        .method = SPOT_DURATION_RUNNING_MEAN, .num_jobs = num_jobs, .jobs = jobs};

    assert_int_equal(spot_duration_learner_init(self, &request), 0);
}

static int64_t estimate(spot_duration_learner_t *self, size_t job_id)
{
    int64_t estimate_s;

    assert_int_equal(spot_duration_learner_estimate(self, (int32_t) job_id, 0, &estimate_s), 0);
    return estimate_s;
}

static void test_levels(void **state)
{
    enum { NUM_ENDED = 5, NUM_JOBS = 12 };
    const spot_duration_job_t jobs[NUM_JOBS] = {job_of(1, 8, 5, 100), job_of(1, 8, 5, 101),
        job_of(1, 4, 5, 10), job_of(1, 4, 6, 30), job_of(2, 1, -1, 7),
        /* only asked about */
        job_of(1, 1, 1, 0), job_of(1, 8, 5, 0), job_of(1, 2, 5, 0), job_of(1, 4, 7, 0),
        job_of(1, 1, 7, 0), job_of(3, 8, 5, 0), job_of(2, 1, -1, 0)};
    spot_duration_learner_t learner;

    (void) state;
    start(&learner, jobs, NUM_JOBS);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_int_equal(estimate(&learner, j), SPOT_DURATION_UNKNOWN_S);
    }
    for (int32_t j = 0; j < NUM_ENDED; j++) {
        assert_int_equal(spot_duration_learner_end(&learner, j), 0);
    }
    assert_int_equal(estimate(&learner, 6), 100); /* 201 / 2 */
    assert_int_equal(estimate(&learner, 7), 70);  /* (user, model): 211 / 3 */
    assert_int_equal(estimate(&learner, 8), 20);  /* (user, gpu_num) */
    assert_int_equal(estimate(&learner, 9), 60);  /* (user): 241 / 4 */
    assert_int_equal(estimate(&learner, 10), 49); /* all: 248 / 5 */
    assert_int_equal(estimate(&learner, 11), 7);
    spot_duration_learner_free(&learner);
    start(&learner, jobs, NUM_JOBS);
    assert_int_equal(estimate(&learner, 6), SPOT_DURATION_UNKNOWN_S);
    spot_duration_learner_free(&learner);
}

static bool is_similar(const spot_duration_job_t *job, const spot_duration_job_t *to, int level)
{
    const bool user = job->user_id == to->user_id;
    const bool gpus = job->gpu_num == to->gpu_num;
    const bool model = job->model_id == to->model_id;

    return level == 4 || (user && (gpus || level == 1 || level == 3) && (model || level >= 2));
}

/* From the jobs before this one. */
static int64_t estimate_slowly(const spot_duration_job_t *jobs, size_t job_id)
{
    for (int level = 0; level < 5; level++) {
        int64_t sum_s = 0, count = 0;

        for (size_t j = 0; j < job_id; j++) {
            if (is_similar(&jobs[j], &jobs[job_id], level)) {
                sum_s += jobs[j].duration_s;
                count++;
            }
        }
        if (count > 0) {
            return sum_s / count;
        }
    }
    return 1000;
}

static void test_random_jobs_against_a_search(void **state)
{
    enum { NUM_JOBS = 1500 };
    static spot_duration_job_t jobs[NUM_JOBS];
    spot_duration_learner_t learner;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_TYPE, 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        jobs[j].user_id = (int32_t) spot_rng_below(&rng, 30) - 1;
        jobs[j].gpu_num = 1 << spot_rng_below(&rng, 4);
        jobs[j].model_id = (int32_t) spot_rng_below(&rng, 20) - 1;
        jobs[j].duration_s = (int64_t) spot_rng_below(&rng, 1000000) + 1;
    }
    start(&learner, jobs, NUM_JOBS);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_int_equal(estimate(&learner, j), estimate_slowly(jobs, j));
        assert_int_equal(spot_duration_learner_end(&learner, (int32_t) j), 0);
    }
    spot_duration_learner_free(&learner);
}

/* ---- Duration learner ---- */

enum { NUM_JOBS = 3000, NUM_USERS = 20, NUM_VCS = 3 };

#define WEEK_S INT64_C(604800)
#define FIRST_SUBMIT_S 1000

/* Durations of 60 s times 2^(user % 4), times 10 for jobs of 8 GPUs, for three weeks. */
static void make_jobs(spot_duration_job_t jobs[NUM_JOBS])
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_TYPE, 0);
    for (int j = 0; j < NUM_JOBS; j++) {
        spot_duration_job_t *job = &jobs[j];

        memset(job, 0, sizeof(*job));
        job->submit_s = FIRST_SUBMIT_S + 3 * WEEK_S * j / NUM_JOBS;
        job->user_id = (int32_t) spot_rng_below(&rng, NUM_USERS);
        job->vc_id = (int32_t) spot_rng_below(&rng, NUM_VCS);
        job->gpu_num = spot_rng_below(&rng, 2) == 0 ? 1 : 8;
        job->model_id = job->cpu_num = job->amp = -1;
        job->gpu_util = job->gmem_util = job->gmem_mib = (double) NAN;
        job->duration_s = (INT64_C(60) << job->user_id % 4) * (job->gpu_num == 8 ? 10 : 1);
    }
}

static spot_duration_request_t request_of(
    const spot_duration_job_t *jobs, spot_duration_method_t method)
{
    const spot_duration_request_t request = {.method = method,
        .num_jobs = NUM_JOBS,
        .jobs = jobs,
        .num_users = NUM_USERS,
        .num_vcs = NUM_VCS,
        .is_nominal = true,
        .sigma = 0.5,
        .seed = 1};

    return request;
}

static void estimate_all(const spot_duration_request_t *request, double estimates_s[NUM_JOBS])
{
    spot_duration_learner_t learner;

    assert_int_equal(spot_duration_learner_init(&learner, request), 0);
    assert_int_equal(spot_duration_learner_estimate_all(&learner, estimates_s), 0);
    assert_int_equal(learner.num_fits, request->method == SPOT_DURATION_GAM ? 2 : 0);
    spot_duration_learner_free(&learner);
    spot_duration_learner_free(&learner);
}

static void test_oracle_and_noise(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    static double estimates_s[NUM_JOBS], others_s[NUM_JOBS];
    spot_duration_request_t request;
    double mean = 0, squares = 0;

    (void) state;
    make_jobs(jobs);
    request = request_of(jobs, SPOT_DURATION_ORACLE);
    estimate_all(&request, estimates_s);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_true(estimates_s[j] == (double) jobs[j].duration_s);
    }
    request = request_of(jobs, SPOT_DURATION_NOISY);
    estimate_all(&request, estimates_s);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        const double error = log(estimates_s[j] / (double) jobs[j].duration_s);

        mean += error / NUM_JOBS;
        squares += error * error / NUM_JOBS;
    }
    assert_true(fabs(mean) <= 4.5 * 0.5 / sqrt(NUM_JOBS));
    assert_true(fabs(sqrt(squares) - 0.5) <= 4.5 * 0.5 / sqrt(2 * NUM_JOBS));
    request.replication = 1;
    estimate_all(&request, others_s);
    assert_true(memcmp(estimates_s, others_s, sizeof(others_s)) != 0);
    request.sigma = -1;
    {
        spot_duration_learner_t learner;

        assert_int_equal(spot_duration_learner_init(&learner, &request), SPOT_ERR_BAD_PARAM);
        spot_duration_learner_free(&learner);
    }
}

/* Jobs count once they have ended, at that very second too. */
static void test_nominal_history(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    spot_duration_request_t request;
    spot_duration_learner_t learner;
    int64_t estimate_s;

    (void) state;
    make_jobs(jobs);
    request = request_of(jobs, SPOT_DURATION_RUNNING_MEAN);
    request.num_jobs = 3;
    jobs[0].duration_s = 500;
    jobs[1].submit_s = 1100;
    jobs[1].duration_s = 300;
    jobs[2].submit_s = 1300;
    assert_int_equal(spot_duration_learner_init(&learner, &request), 0);
    jobs[1].user_id = jobs[0].user_id;
    jobs[2].user_id = NUM_USERS;
    assert_int_equal(spot_duration_learner_estimate(&learner, 2, 1399, &estimate_s), 0);
    assert_int_equal(estimate_s, SPOT_DURATION_UNKNOWN_S);
    assert_int_equal(spot_duration_learner_end(&learner, 0), 0); /* not asked for */
    assert_int_equal(spot_duration_learner_estimate(&learner, 2, 1400, &estimate_s), 0);
    assert_int_equal(estimate_s, 300);
    assert_int_equal(spot_duration_learner_estimate(&learner, 2, 1500, &estimate_s), 0);
    assert_int_equal(estimate_s, 400);
    spot_duration_learner_free(&learner);
}

static void test_simulated_history(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    spot_duration_request_t request;
    spot_duration_learner_t learner;
    int64_t estimate_s;

    (void) state;
    make_jobs(jobs);
    request = request_of(jobs, SPOT_DURATION_RUNNING_MEAN);
    request.is_nominal = false;
    jobs[7].user_id = NUM_USERS;
    assert_int_equal(spot_duration_learner_init(&learner, &request), 0);
    assert_int_equal(spot_duration_learner_estimate(&learner, 7, 100 * WEEK_S, &estimate_s), 0);
    assert_int_equal(estimate_s, SPOT_DURATION_UNKNOWN_S);
    assert_int_equal(spot_duration_learner_end(&learner, 4), 0);
    assert_int_equal(spot_duration_learner_estimate(&learner, 7, 100 * WEEK_S, &estimate_s), 0);
    assert_int_equal(estimate_s, jobs[4].duration_s);
    spot_duration_learner_free(&learner);
}

/* Before the first week is over the running mean estimates; then the model does, which
 * finds the law, as durations are products of what user and GPUs contribute. */
static void test_weekly_fit(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    static double means_s[NUM_JOBS], estimates_s[NUM_JOBS];
    spot_duration_request_t request;
    size_t num_first = 0;

    (void) state;
    make_jobs(jobs);
    request = request_of(jobs, SPOT_DURATION_RUNNING_MEAN);
    estimate_all(&request, means_s);
    request = request_of(jobs, SPOT_DURATION_GAM);
    estimate_all(&request, estimates_s);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        const double truth_s = (double) jobs[j].duration_s;

        if (jobs[j].submit_s < FIRST_SUBMIT_S + WEEK_S) {
            assert_true(estimates_s[j] == means_s[j]);
            num_first++;
        } else {
            assert_true(fabs(log(estimates_s[j] / truth_s)) < 0.3);
        }
    }
    assert_true(num_first > 900 && num_first < 1100);
}

/* An estimate by name depends on the job and its submit, not on which jobs were asked for
 * before. */
static void test_same_whoever_asks(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    static double all_s[NUM_JOBS];

    (void) state;
    make_jobs(jobs);
    for (int method = SPOT_DURATION_ORACLE; method <= SPOT_DURATION_GAM; method++) {
        const spot_duration_request_t request = request_of(jobs, (spot_duration_method_t) method);
        spot_duration_learner_t learner;

        estimate_all(&request, all_s);
        for (int32_t step = 7; step <= 1400; step *= 200) {
            assert_int_equal(spot_duration_learner_init(&learner, &request), 0);
            for (int32_t j = step / 2; j < NUM_JOBS; j += step) {
                int64_t estimate_s;

                assert_int_equal(
                    spot_duration_learner_estimate(&learner, j, jobs[j].submit_s, &estimate_s), 0);
                assert_true((double) estimate_s == all_s[j]);
            }
            spot_duration_learner_free(&learner);
        }
    }
}

/* With too few jobs there is no fit, and none is missed. */
static void test_fit_waits_for_jobs(void **state)
{
    static spot_duration_job_t jobs[NUM_JOBS];
    spot_duration_request_t request;
    spot_duration_learner_t learner;
    int64_t estimate_s;

    (void) state;
    make_jobs(jobs);
    request = request_of(jobs, SPOT_DURATION_GAM);
    request.is_nominal = false;
    assert_int_equal(spot_duration_learner_init(&learner, &request), 0);
    for (int32_t j = 0; j < SPOT_DURATION_MIN_JOBS; j++) {
        assert_int_equal(
            spot_duration_learner_estimate(&learner, 2000, 2 * WEEK_S + j, &estimate_s), 0);
        assert_int_equal(learner.num_fits, 0);
        assert_int_equal(spot_duration_learner_end(&learner, j), 0);
    }
    for (int64_t now_s = 2 * WEEK_S + 2000; now_s < 3 * WEEK_S; now_s += 100000) {
        assert_int_equal(spot_duration_learner_estimate(&learner, 2000, now_s, &estimate_s), 0);
        assert_int_equal(learner.num_fits, 1);
    }
    assert_int_equal(
        spot_duration_learner_estimate(&learner, 2000, 3 * WEEK_S + 1000, &estimate_s), 0);
    assert_int_equal(learner.num_fits, 2);
    spot_duration_learner_free(&learner);
}

/* ---- Throughput ---- */

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
        cmocka_unit_test(test_errors_by_hand),
        cmocka_unit_test(test_what_is_undefined),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_random_jobs_against_a_search),
        cmocka_unit_test(test_oracle_and_noise),
        cmocka_unit_test(test_nominal_history),
        cmocka_unit_test(test_simulated_history),
        cmocka_unit_test(test_weekly_fit),
        cmocka_unit_test(test_same_whoever_asks),
        cmocka_unit_test(test_fit_waits_for_jobs),
        cmocka_unit_test(test_features_of_the_past),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_default_split),
        cmocka_unit_test(test_law_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
