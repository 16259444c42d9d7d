/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine of share/examples/engine_queue.c against the theory of M/M/c: waits by
 * Erlang's formula C, and how busy each server is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/stats.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/engines/queue_case.h"

typedef struct {
    int num_servers;
    double load; /* arrivals over what all servers can serve */
    uint64_t replications;
    int customers, warm_up; /* of each */
    double relevant_mean;   /* biases of the mean wait and of the quantile that show for */
    double relevant_p99;    /* certain; half of each lies at the limit */
} theory_case_t;

/* The probability that a customer waits, for offered traffic a: Erlang's C by his B,
 * whose recursion is stable. */
static double erlang_c(int num_servers, double a)
{
    double b = 1;

    for (int j = 1; j <= num_servers; j++) {
        b = a * b / (j + a * b);
    }
    return b / (1 - a / num_servers * (1 - b));
}

/* Services take 1 s on average. */
static void check_theory(const theory_case_t *self)
{
    const double a = self->load * self->num_servers, rest = self->num_servers - a;
    const double p_wait = erlang_c(self->num_servers, a);
    const double mean_s = p_wait / rest, p99_s = log(p_wait / 0.01) / rest;
    spot_moments_t mean = {0}, p99 = {0}, utilisation = {0};
    char keys[256];
    queue_case_t queue;

    assert_true(p_wait > 0.01); /* else the 99 % quantile is 0 */
    snprintf(keys, sizeof(keys), "servers: %d\narrivals_per_s: %.17g\ncustomers: %d\nwarm_up: %d\n",
        self->num_servers, a, self->customers, self->warm_up);
    queue_case_open(&queue, keys);
    for (uint64_t j = 0; j < self->replications; j++) {
        queue_case_run(&queue, j, NULL);
        spot_moments_add(&mean, queue.metrics[QUEUE_WAIT_MEAN]);
        spot_moments_add(&p99, queue.metrics[QUEUE_WAIT_P99]);
        spot_moments_add(&utilisation, queue.metrics[QUEUE_UTILISATION]);
    }
    queue_case_close(&queue);
    print_message("%d servers, load %g\n", self->num_servers, self->load);
    assert_mean("mean wait", &mean, mean_s, self->relevant_mean * mean_s);
    assert_mean("99 % of the waits", &p99, p99_s, self->relevant_p99 * p99_s);
    assert_mean("utilisation", &utilisation, self->load, 0.01 * self->load);
}

static void test_waits(void **state)
{
    static const theory_case_t cases[] = {
        {2, 0.3, 64, 100000, 1000, 0.05, 0.05},
        {2, 0.8, 256, 100000, 5000, 0.05, 0.05},
        {2, 0.95, 40, 1000000, 50000, 0.1, 0.25},
        {1, 0.8, 64, 100000, 5000, 0.1, 0.1},
        {5, 0.8, 64, 100000, 5000, 0.1, 0.1},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_theory(&cases[j]);
    }
}

/* A customer takes the first idle server of two, so the second one does less. Balance of
 * the states: none busy, the first or the second one, both. */
static void test_busy_servers(void **state)
{
    const double a = 0.8; /* offered to two servers */
    const double p_none = (2 - a) / (2 + a);
    const double p_two = a * a / 2 * p_none; /* customers; both are busy from here on */
    const double p_both = p_two / (1 - a / 2);
    const double p_second = p_two / (1 + a), p_first = a * p_none - p_second;
    spot_moments_t busy[2] = {{0}, {0}};
    queue_case_t queue;

    (void) state;
    queue_case_open(&queue, "arrivals_per_s: 0.8\nservers: 2\ncustomers: 100000\n");
    for (uint64_t j = 0; j < 64; j++) {
        queue_case_run(&queue, j, NULL);
        spot_moments_add(&busy[0], queue.metrics[QUEUE_BUSY]);
        spot_moments_add(&busy[1], queue.metrics[QUEUE_BUSY + 1]);
    }
    queue_case_close(&queue);
    assert_mean("first server", &busy[0], p_first + p_both, 0.01);
    assert_mean("second server", &busy[1], p_second + p_both, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_busy_servers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
