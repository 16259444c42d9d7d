/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of one GPU that are served first in, first out are customers of a queue with as
 * many servers as the cluster has GPUs: the mean time in the queue is that of M/M/c
 * (Erlang's formula C) and of M/D/c (constant_services.h).
 *
 * Jobs take 4000 s on average. Submits and durations in whole seconds add noise of a
 * mean of 0 and less than 1 s to each, 1e-7 of the variance of a duration. */
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
#include "tests/unit/schedule/schedule_run.h"

#define SERVICE_S 4000.0

typedef struct {
    int num_nodes, gpus_per_node;
    double load;
    bool is_constant; /* durations */
    uint64_t replications;
    double relevant; /* share of the mean wait that must show as a bias */
} queue_case_t;

/* Erlang's C by his B, whose recursion is stable. */
static double markov_wait_s(int num_servers, double load)
{
    const double offered = load * num_servers;
    double b = 1;

    for (int j = 1; j <= num_servers; j++) {
        b = offered * b / (j + offered * b);
    }
    return b / (1 - load * (1 - b)) / (num_servers - offered) * SERVICE_S;
}

/* The truths themselves: one server by Pollaczek and Khinchine, and tables. */
static void test_truths(void **state)
{
    (void) state;
    assert_true(fabs(markov_wait_s(1, 0.8) - 4 * SERVICE_S) < 1e-9 * SERVICE_S);
    assert_true(fabs(constant_wait(1, 0.8) - 2) < 1e-9);
    assert_true(fabs(constant_wait(1, 0.5) - 0.5) < 1e-9);
    /* two servers wait a third of what (load / (1 - load^2)) says without variance */
    assert_true(fabs(markov_wait_s(2, 0.5) - SERVICE_S / 3) < 1e-9 * SERVICE_S);
    /* in heavy traffic constant services halve the wait */
    assert_true(fabs(constant_wait(8, 0.95) * SERVICE_S / markov_wait_s(8, 0.95) - 0.5) < 0.03);
}

static void open_queue(schedule_run_t *run, const queue_case_t *queue)
{
    const double num_servers = queue->num_nodes * queue->gpus_per_node;
    const double per_hour = queue->load * num_servers * 3600 / SERVICE_S;
    char keys[600];

    snprintf(keys, sizeof(keys),
        "jobs:\n  generate: {per_hour: %.17g, horizon: %.0f h, sizes: {1: 1}, "
        "duration: %s}\n"
        "cluster: {vcs: {a: %d}, gpus_per_node: %d}\noutput: {samples: 0 s}\n",
        per_hour, floor(60000 / per_hour),
        queue->is_constant ? "4000 s" : "{family: exponential, mu: 4000}", queue->num_nodes,
        queue->gpus_per_node);
    schedule_run_open(run, keys);
}

/* The mean wait of a replication without its first tenth, which starts with an empty
 * queue. */
static double mean_wait_s(const schedule_run_t *run)
{
    const int32_t num_jobs = (int32_t) run->schedule.log->num_jobs;
    double sum_s = 0;

    for (int32_t j = num_jobs / 10; j < num_jobs; j++) {
        const spot_job_result_t result = spot_schedule_result(&run->schedule, j);

        assert_true(result.end_s >= 0);
        sum_s += (double) result.queue_s;
    }
    return sum_s / (num_jobs - num_jobs / 10);
}

static void check_queue(const queue_case_t *queue)
{
    const int num_servers = queue->num_nodes * queue->gpus_per_node;
    const double truth_s = queue->is_constant ? constant_wait(num_servers, queue->load) * SERVICE_S
                                              : markov_wait_s(num_servers, queue->load);
    spot_moments_t waits = {0};
    schedule_run_t run;
    char what[64];

    open_queue(&run, queue);
    for (uint64_t j = 0; j < queue->replications; j++) {
        schedule_run_once(&run, j, false);
        spot_moments_add(&waits, mean_wait_s(&run));
    }
    schedule_run_close(&run);
    snprintf(what, sizeof(what), "M/%s/%d, load %g", queue->is_constant ? "D" : "M", num_servers,
        queue->load);
    assert_mean(what, &waits, truth_s, queue->relevant * truth_s);
}

static void test_waits(void **state)
{
    static const queue_case_t cases[] = {
        {1, 1, 0.7, false, 48, 0.05},
        {2, 2, 0.8, false, 140, 0.05},
        {1, 1, 0.7, true, 20, 0.05},
        {2, 2, 0.8, true, 72, 0.05},
        {4, 2, 0.8, true, 140, 0.05},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_queue(&cases[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
