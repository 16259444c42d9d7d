/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawn job logs against the laws that they are drawn from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/statistical/statistics.h"
#include "tests/unit/jobs/law_text.h"

#define NUM_REPLICATIONS 300
#define SEED 20241105

#define WEEKLY                                                                                     \
    "per_hour: 30\nhorizon: 14 d\nvcs: {a: 1}\nstart: 2024-03-02 09:15:00\n"                       \
    "hours: [1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 2, 1, 1, 1]\n"            \
    "weekdays: [6, 5, 5, 5, 4, 2, 1]\nduration: 60 s\n"
#define WEEKLY_START_S (5 * 86400 + 9 * 3600 + 15 * 60) /* a Saturday */

static void draw(const spot_job_law_t *law, spot_job_log_t *log, uint64_t replication)
{
    assert_int_equal(spot_job_law_draw(law, log, SEED, replication), 0);
}

/* The distance of counts from what a law expects of the hours of a week, as a standard
 * normal number; late: the law is late by so many hours. */
static double weekly_z(const spot_job_law_t *law, const double *counts, int late)
{
    double expected[SPOT_HOURS_PER_WEEK];

    for (int j = 0; j < SPOT_HOURS_PER_WEEK; j++) {
        const int hour = (j + late) % SPOT_HOURS_PER_WEEK;

        expected[j] =
            2 * NUM_REPLICATIONS * law->per_hour * law->hours[hour % 24] * law->weekdays[hour / 24];
    }
    return chi_square_z(counts, expected, SPOT_HOURS_PER_WEEK);
}

/* Counts of the hours of a week, and the number of jobs as a Poisson number. */
static void test_weekly_arrivals(void **state)
{
    const double mean = 30 * 24 * 14;
    static double counts[SPOT_HOURS_PER_WEEK];
    spot_moments_t jobs = {0}, dispersion = {0};
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, WEEKLY);
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        draw(&law, &log, r);
        for (size_t j = 0; j < log.num_jobs; j++) {
            counts[(log.jobs[j].submit_s + WEEKLY_START_S) / 3600 % SPOT_HOURS_PER_WEEK]++;
        }
        spot_moments_add(&jobs, (double) log.num_jobs);
        spot_moments_add(&dispersion, pow((double) log.num_jobs - mean, 2) / mean);
    }
    assert_mean("jobs", &jobs, mean, 0.01 * mean);
    assert_mean("variance / mean", &dispersion, 1, 0.8);
    assert_z("hours of a week", weekly_z(&law, counts, 0));
    assert_true(weekly_z(&law, counts, 1) > 30);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

/* Windows of 10 s: the share of those without a job, and that no window depends on the
 * one before. */
static void test_poisson(void **state)
{
    enum { NUM_WINDOWS = 100000 };
    static int counts[NUM_WINDOWS];
    const double none = exp(-10 * 360.0 / 3600);
    spot_moments_t empty = {0}, squares = {0}, products = {0};
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, "{per_hour: 360, horizon: 1000000 s, vcs: {a: 1}, duration: 1 s}");
    draw(&law, &log, 0);
    for (size_t j = 0; j < log.num_jobs; j++) {
        counts[log.jobs[j].submit_s / 10]++;
    }
    for (size_t j = 0; j < NUM_WINDOWS; j++) {
        spot_moments_add(&empty, counts[j] == 0);
        spot_moments_add(&squares, pow(counts[j] - 1, 2));
        if (j % 2 == 1) {
            spot_moments_add(&products, (counts[j] - 1) * (counts[j - 1] - 1));
        }
    }
    assert_mean("windows without a job", &empty, none, 0.05 * none);
    assert_mean("variance of a window", &squares, 1, 0.06);
    assert_mean("covariance of neighbours", &products, 0, 0.05);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

/* Shares of sizes, VCs and users, and that they do not depend on each other. */
static void test_shares(void **state)
{
    spot_moments_t of_a = {0}, of_1 = {0}, of_8 = {0}, of_first = {0}, of_third = {0}, both = {0};
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, "{per_hour: 100, jobs: 200000, users: 4, sizes: {1: 7, 2: 1, 8: 2}, "
                   "vcs: {a: 3, b: 2}}");
    law.vcs[1].vc_id = 1;
    draw(&law, &log, 1);
    for (size_t j = 0; j < log.num_jobs; j++) {
        const spot_job_row_t *job = &log.jobs[j];

        spot_moments_add(&of_a, job->vc_id == 0);
        spot_moments_add(&of_1, job->gpu_num == 1);
        spot_moments_add(&of_8, job->gpu_num == 8);
        spot_moments_add(&of_first, job->user_id == 0);
        spot_moments_add(&of_third, job->user_id == 2);
        spot_moments_add(&both, job->vc_id == 0 && job->gpu_num == 8 && job->user_id == 0);
    }
    assert_mean("jobs of a VC", &of_a, 0.6, 0.02);
    assert_mean("jobs of 1 GPU", &of_1, 0.7, 0.02);
    assert_mean("jobs of 8 GPUs", &of_8, 0.2, 0.02);
    assert_mean("jobs of the first user", &of_first, 12.0 / 25, 0.02);
    assert_mean("jobs of the third user", &of_third, 4.0 / 25, 0.02);
    assert_mean("all three", &both, 0.6 * 0.2 * 12 / 25, 0.01);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

static int compare_numbers(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* sqrt(n) times the largest distance of the seconds of a log from a law, rounded. */
static double kolmogorov(const spot_job_log_t *log, const spot_law_t *law)
{
    const size_t n = log->num_jobs;
    int64_t *values = calloc(n, sizeof(*values));
    double largest = 0;

    assert_non_null(values);
    for (size_t j = 0; j < n; j++) {
        values[j] = log->jobs[j].duration_s;
    }
    qsort(values, n, sizeof(*values), compare_numbers);
    for (size_t j = 0; j < n; j++) {
        if (j + 1 == n || values[j + 1] > values[j]) {
            const double below =
                -expm1(law->family->log_survival(law->parameters, (double) values[j] + 0.5));

            largest = fmax(largest, fabs((double) (j + 1) / (double) n - below));
        }
    }
    free(values);
    return sqrt((double) n) * largest;
}

static void test_durations(void **state)
{
    static const char *const texts[] = {"{family: lognormal, zeta: 6.4, sigma: 2}",
        "{family: weibull, scale: 800, shape: 0.5}", "{family: exponential, mu: 300}",
        "{family: hyperexp2, p1: 0.8, mu1: 30, mu2: 9000}",
        "{family: gamma, shape: 0.4, scale: 5000}"};
    spot_job_log_t log = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_job_law_t law;
        char text[256];
        double distance;

        snprintf(text, sizeof(text), "{per_hour: 100, jobs: 200000, vcs: {a: 1}, duration: %s}",
            texts[j]);
        make_law(&law, text);
        draw(&law, &log, 2 + j);
        distance = kolmogorov(&log, &law.duration.law);
        print_message("%s: %.2f\n", texts[j], distance);
        assert_true(distance <= 2.4); /* 1 sample in 5e4 */
        law.duration.law.parameters[1] *= 1.05;
        law.duration.law.parameters[0] *= 1.05;
        assert_true(kolmogorov(&log, &law.duration.law) > 2.4);
        spot_job_law_free(&law);
    }
    spot_job_log_free(&log);
}

/* Rounding, and 1 s at least: E = 1 + sum over k >= 1 of P(T >= k + 1/2). */
static void test_short_durations(void **state)
{
    const double mu = 3, truth = 1 + exp(-1.5 / mu) / -expm1(-1 / mu);
    spot_moments_t seconds = {0};
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, "{per_hour: 100, jobs: 100000, vcs: {a: 1}, duration: {family: "
                   "exponential, mu: 3}}");
    draw(&law, &log, 9);
    for (size_t j = 0; j < log.num_jobs; j++) {
        spot_moments_add(&seconds, (double) log.jobs[j].duration_s);
    }
    assert_mean("seconds", &seconds, truth, 0.1); /* 3.14, and 3 without the rules */
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weekly_arrivals),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_short_durations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
