/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine serve against queueing theory: waits and batches of one stage, and queries
 * that are preempted and repeated. Each mean lies within 4.5 standard errors of theory,
 * and each standard error, from 50 batch means, is below a limit. A service that is 1 %
 * longer is told apart by the mean waits of constant services and of arrivals with an
 * SCV up to 4, by all batches, and by frequent preemptions; the other rows were not
 * tried. Times in ms, services of 100 ms (ResNet on V100, one query) unless the batch
 * limit is above 1. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/statistical/constant_services.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/serve/serve_case.h"
#include "traces/queries/arrivals.h"

#define SERVICE_MS 100.0
#define NUM_BLOCKS 50
#define NUM_QUERIES 2000000
#define NUM_PREEMPTED 300001
#define NUM_BURSTY 4000000 /* where arrivals vary more than those of Poisson */

/* What a run is compared with: theory, computed here, and as it was published with the
 * standard error of this many queries. */
typedef struct {
    const char *what;
    double theory, published, se;
} truth_t;

/* How far a simulated mean is from theory, in standard errors. */
static double print_z(const truth_t *truth, double mean, double se)
{
    const double z = (mean - truth->theory) / se;

    print_message("%s: %.6g, theory %.7g, standard error %.2g (%.2g), z %.2f\n", truth->what, mean,
        truth->theory, se, truth->se, z);
    return z;
}

static void judge(const truth_t *truth, double mean, double se, bool is_longer)
{
    const double z = print_z(truth, mean, se);

    assert_true(fabs(truth->theory - truth->published) < 1e-5 * truth->published);
    if (is_longer) {
        assert_true(fabs(z) > MAX_Z);
        return;
    }
    assert_z(truth->what, z);
    if (!(se <= 1.5 * truth->se)) {
        fail_msg("%s: standard error %g above 1.5 * %g", truth->what, se, truth->se);
    }
}

/* Judges the mean of values by the means of their blocks. */
static void judge_mean(
    const truth_t *truth, const double *values, size_t num_values, bool is_longer)
{
    const size_t size = num_values / NUM_BLOCKS;
    spot_moments_t blocks = {0};

    for (size_t j = 0; j < NUM_BLOCKS; j++) {
        double sum = 0;

        for (size_t k = 0; k < size; k++) {
            sum += values[j * size + k];
        }
        spot_moments_add(&blocks, sum / (double) size);
    }
    judge(truth, spot_moments_mean(&blocks), spot_moments_stderr(&blocks), is_longer);
}

/* The same for the 99th percentile; reorders the values. */
static void judge_p99(const truth_t *truth, double *values, size_t num_values, bool is_longer)
{
    static const double p = 0.99;
    const size_t size = num_values / NUM_BLOCKS;
    spot_moments_t blocks = {0};
    double p99;

    for (size_t j = 0; j < NUM_BLOCKS; j++) {
        spot_quantiles(values + j * size, size, 1, &p, &p99);
        spot_moments_add(&blocks, p99);
    }
    spot_quantiles(values, num_values, 1, &p, &p99);
    judge(truth, p99, spot_moments_stderr(&blocks), is_longer);
}

/* ---- Runs ---- */

/* A stage in front of the sink. */
typedef struct {
    const char *hardware;
    int64_t batch, replicas;
    double per_s, scv; /* arrivals */
    size_t num_queries;
} queue_t;

/* Arrivals of a gamma law; scv 1: of Poisson. */
static void add_arrivals(serve_case_t *self, const queue_t *queue)
{
    const spot_arrivals_setting_t setting = {
        .kind = queue->scv == 1 ? SPOT_ARRIVALS_POISSON : SPOT_ARRIVALS_GAMMA,
        .rate_qps = queue->per_s,
        .count = (int64_t) queue->num_queries - 1,
        .scv = queue->scv};
    spot_arrivals_t arrivals = {0};

    assert_int_equal(spot_arrivals_draw(&arrivals, &setting, 14, 0), 0);
    for (size_t j = 0; j < arrivals.num_queries; j++) {
        serve_case_arrive(self, arrivals.source_ns[j]);
    }
    spot_arrivals_free(&arrivals);
}

/* A stage that runs a queue; its services may be 1 % longer than they should be. */
static void open_queue(serve_case_t *self, const queue_t *queue, bool is_longer)
{
    static int64_t longer_ns[MAX_SERVED + 1];
    static spot_service_time_t longer;

    serve_case_open(self, "pipeline: [{id: ResNet, from: source}]\n");
    serve_case_option(self, "ResNet", queue->hardware, queue->batch, queue->replicas);
    if (is_longer) {
        longer = *self->plans[0].time;
        for (int32_t n = 0; n <= queue->batch; n++) {
            longer_ns[n] = longer.busy_ns[n] * 101 / 100;
        }
        longer.busy_ns = longer.result_ns = longer_ns;
        self->plans[0].time = &longer;
    }
    add_arrivals(self, queue);
}

/* The waits of a run, and the sizes of its batches, which leave one at a time if there
 * is one replica. Returns the number of batches. */
static size_t measure(const serve_case_t *self, double *waits_ms, double *sizes)
{
    const spot_service_time_t *time = self->plans[0].time;
    const int64_t *sink_ns = self->serve.sink_ns;
    size_t num_batches = 0;

    for (size_t j = 0, end; j < self->num_arrivals; j = end) {
        end = j + 1;
        while (self->plans[0].option.batch > 1 && end < self->num_arrivals &&
               sink_ns[end] == sink_ns[j]) {
            end++;
        }
        sizes[num_batches++] = (double) (end - j);
        for (size_t k = j; k < end; k++) {
            waits_ms[k] = 1e-6 * (double) (serve_case_latency_ns(self, k) - time->busy_ns[end - j]);
        }
    }
    return num_batches;
}

/* A run against the mean wait, and its percentile and mean batch where they are given.
 */
static void check(const queue_t *queue, const truth_t *wait, const truth_t *p99,
    const truth_t *size, bool is_longer)
{
    double *waits_ms = calloc(queue->num_queries, sizeof(*waits_ms));
    double *sizes = calloc(queue->num_queries, sizeof(*sizes));
    serve_case_t self;
    size_t num_batches;

    assert_non_null(waits_ms);
    assert_non_null(sizes);
    open_queue(&self, queue, is_longer);
    serve_case_run(&self, false);
    assert_int_equal(self.serve.num_sunk, queue->num_queries);
    num_batches = measure(&self, waits_ms, sizes);
    serve_case_close(&self);
    judge_mean(wait, waits_ms, queue->num_queries, is_longer);
    if (p99 != NULL) {
        judge_p99(p99, waits_ms, queue->num_queries, is_longer);
    }
    if (size != NULL) {
        judge_mean(size, sizes, num_batches, is_longer);
    }
    free(waits_ms);
    free(sizes);
}

/* ---- One query at a time ---- */

static queue_t single_queue(int64_t replicas, double load, double scv)
{
    return (queue_t){"V100", 1, replicas, load * (double) replicas * 1000 / SERVICE_MS, scv,
        scv > 1 ? NUM_BURSTY : NUM_QUERIES};
}

/* Pollaczek and Khinchine; the percentiles are by Erlang's series, which needs more than
 * 100 digits. */
static void test_one_replica(void **state)
{
    static const struct {
        double load, wait_ms, wait_se, p99_ms, p99_se;
    } cases[] = {
        {0.5, 50, 0.14, 333.6256, 1.41},
        {0.8, 200, 1.01, 1035.5887, 11.3},
        {0.9, 450, 5.0, 2189.8237, 51},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const queue_t queue = single_queue(1, cases[j].load, 1);
        const truth_t wait = {"M/D/1 mean wait",
            cases[j].load * SERVICE_MS / 2 / (1 - cases[j].load), cases[j].wait_ms,
            cases[j].wait_se};
        const truth_t p99 = {
            "M/D/1 99 % of the waits", cases[j].p99_ms, cases[j].p99_ms, cases[j].p99_se};

        check(&queue, &wait, &p99, NULL, false);
        check(&queue, &wait, NULL, NULL, true);
    }
}

static void test_replicas(void **state)
{
    static const struct {
        int replicas;
        double load, wait_ms, se;
    } cases[] = {
        {2, 0.8, 90.3284, 0.62},
        {5, 0.8, 28.9060, 0.24},
        {10, 0.9, 34.4582, 0.43},
        {10, 0.7, 4.1872, 0.041},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const queue_t queue = single_queue(cases[j].replicas, cases[j].load, 1);
        const truth_t wait = {"M/D/c mean wait",
            SERVICE_MS * constant_wait(cases[j].replicas, cases[j].load), cases[j].wait_ms,
            cases[j].se};

        check(&queue, &wait, NULL, NULL, false);
        check(&queue, &wait, NULL, NULL, true);
    }
}

/* The mean wait where k arrivals take G_k, which is gamma(k / scv, scv / rate), against
 * k services: the sum over k of E[max(k D - G_k, 0)] / k, by Spitzer's identity. */
static double gamma_wait_ms(double load, double scv)
{
    const double scale = scv * SERVICE_MS / load;
    double sum = 0, term = 1;

    for (int k = 1; k < 100 || term > 1e-13 * sum; k++) {
        const double a = k * SERVICE_MS, shape = k / scv;

        term = (a * gsl_cdf_gamma_P(a, shape, scale) -
                   shape * scale * gsl_cdf_gamma_P(a, shape + 1, scale)) /
               k;
        sum += term;
    }
    return sum;
}

/* Services of 1 % more show, except with the burstiest arrivals. */
static void test_gamma_arrivals(void **state)
{
    static const struct {
        double scv, load, wait_ms, se;
        bool shows_longer;
    } cases[] = {
        {0.25, 0.8, 38.6095, 0.17, true},
        {4, 0.5, 277.0338, 0.62, true},
        {4, 0.8, 886.2141, 5.1, true},
        {16, 0.5, 1226.4467, 6.8, false},
        {16, 0.8, 3666.4167, 46.5, false},
    };

    (void) state;
    assert_true(fabs(gamma_wait_ms(0.8, 1) - 200) < 1e-6); /* M/D/1 */
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const queue_t queue = single_queue(1, cases[j].load, cases[j].scv);
        const truth_t wait = {"Gamma/D/1 mean wait", gamma_wait_ms(cases[j].load, cases[j].scv),
            cases[j].wait_ms, cases[j].se};

        check(&queue, &wait, NULL, NULL, false);
        if (cases[j].shows_longer) {
            check(&queue, &wait, NULL, NULL, true);
        }
    }
}

/* ---- Batches ---- */

/* The mean wait and batch by the chain of customers where batches end: an empty stage
 * waits for one and serves it alone. */
static void batch_theory(
    const spot_service_time_t *time, int b, double per_s, double *wait_ms, double *size)
{
    double num_arriving[MAX_SERVED + 1], law[MAX_CUSTOMERS];
    const double per_ms = per_s / 1000;
    double cycle_ms, area_ms = 0;

    for (int n = 0; n <= b; n++) {
        num_arriving[n] = per_ms * 1e-6 * (double) time->busy_ns[n == 0 ? 1 : n];
    }
    stationary_law(b, num_arriving, law);
    cycle_ms = law[0] / per_ms;
    *size = 0;
    for (int x = 0; x < MAX_CUSTOMERS; x++) {
        const int there = x == 0 ? 1 : x, n = there < b ? there : b;
        const double busy_ms = 1e-6 * (double) time->busy_ns[n];

        cycle_ms += law[x] * busy_ms;
        area_ms += law[x] * ((there - n) * busy_ms + per_ms * busy_ms * busy_ms / 2);
        *size += law[x] * n;
    }
    *wait_ms = area_ms / (cycle_ms * per_ms);
}

static void test_batches(void **state)
{
    static const struct {
        const char *hardware;
        int batch;
        double per_s, wait_ms, wait_se, size, size_se;
    } cases[] = {
        {"V100", 8, 60, 66.1261, 0.13, 6.26357, 0.0047},
        {"V100", 16, 100, 60.6703, 0.079, 11.41758, 0.011},
        {"V100", 32, 150, 68.3806, 0.049, 20.29297, 0.023},
        {"TPX", 16, 60, 52.8407, 0.023, 6.32879, 0.0052},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const queue_t queue = {
            cases[j].hardware, cases[j].batch, 1, cases[j].per_s, 1, NUM_QUERIES};
        truth_t wait = {"mean wait for a batch", 0, cases[j].wait_ms, cases[j].wait_se};
        truth_t size = {"mean batch", 0, cases[j].size, cases[j].size_se};
        serve_case_t times;

        serve_case_open(&times, "pipeline: [{id: ResNet, from: source}]\n");
        batch_theory(serve_case_time(&times, "ResNet", queue.hardware), cases[j].batch, queue.per_s,
            &wait.theory, &size.theory);
        serve_case_close(&times);
        check(&queue, &wait, NULL, &size, false);
        check(&queue, &wait, NULL, &size, true);
    }
}

/* ---- Preempted and repeated ---- */

typedef struct {
    double up_s, out_s, time_ms, se;
    bool shows_longer;
} preempted_t;

static void check_preempted(const preempted_t *means, bool is_longer)
{
    const truth_t time = {"preempted and repeated",
        1000 * (means->up_s + means->out_s) * expm1(SERVICE_MS / 1000 / means->up_s),
        means->time_ms, means->se};
    const queue_t queue = {"V100", 1, 1, 0.5 * 1000 / time.theory, 1, NUM_PREEMPTED};
    double *times_ms = calloc(NUM_PREEMPTED, sizeof(*times_ms));
    const spot_stage_stamps_t *stamps;
    serve_case_t self;

    assert_non_null(times_ms);
    open_queue(&self, &queue, is_longer);
    self.plans[0].option.market = SPOT_MARKET_SPOT;
    self.outage_setting.kind = SPOT_OUTAGES_HAZARD;
    self.outage_setting.mtbf_ns = (int64_t) (1e9 * means->up_s);
    self.outage_setting.recover_ns = (int64_t) (1e9 * means->out_s);
    serve_case_run(&self, true);
    assert_int_equal(self.serve.num_sunk, NUM_PREEMPTED);
    stamps = &self.serve.stages[0].stamps;
    for (int j = 0; j < NUM_PREEMPTED; j++) {
        times_ms[j] = 1e-6 * (double) (stamps->done_ns[j] - stamps->first_dequeue_ns[j]);
    }
    serve_case_close(&self);
    judge_mean(&time, times_ms, NUM_PREEMPTED, is_longer);
    free(times_ms);
}

/* From the first start of a query to its end: each preemption starts it anew. */
static void test_preempted_and_repeated(void **state)
{
    static const preempted_t cases[] = {
        {5, 2, 141.4094, 0.74, false},
        {0.5, 0.2, 154.9819, 0.29, false},
        {0.2, 0.05, 162.1803, 0.20, true},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_preempted(&cases[j], false);
        if (cases[j].shows_longer) {
            check_preempted(&cases[j], true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_replica),
        cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_gamma_arrivals),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_preempted_and_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
