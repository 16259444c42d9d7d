/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of durations: each method, the history that counts, and the weekly fit of an
 * additive model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/job_forecast.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle_and_noise),
        cmocka_unit_test(test_nominal_history),
        cmocka_unit_test(test_simulated_history),
        cmocka_unit_test(test_weekly_fit),
        cmocka_unit_test(test_same_whoever_asks),
        cmocka_unit_test(test_fit_waits_for_jobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
