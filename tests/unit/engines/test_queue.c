/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine of share/examples/engine_queue.c, registered as the CMake option
 * SPOT_EXTRA_ENGINE does it: by laws, and against a slow twin that knows no events. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "queue_case.h"
#include "sim/engines.h"

#define NS_PER_S 1e9
#define NUM_CASES 200

static void test_is_registered(void **state)
{
    spot_suggest_t near;

    (void) state;
    assert_ptr_equal(spot_experiment_find(spot_engines, "queue", &near), &spot_engine_queue);
    assert_ptr_equal(
        spot_experiment_find(spot_engines, SPOT_DEFAULT_ENGINE, &near), spot_engines[0]);
}

static void test_metrics_follow_the_servers(void **state)
{
    static const int num_servers[] = {1, 2, 4, 1000};

    (void) state;
    for (size_t j = 0; j < sizeof(num_servers) / sizeof(num_servers[0]); j++) {
        char keys[64], last[64], next[64];
        queue_case_t queue;

        snprintf(keys, sizeof(keys), "servers: %d\n", num_servers[j]);
        snprintf(last, sizeof(last), "busy_fraction.server-%d", num_servers[j] - 1);
        snprintf(next, sizeof(next), "busy_fraction.server-%d", num_servers[j]);
        queue_case_open(&queue, keys);
        assert_int_equal(queue.outputs->num_metrics, QUEUE_BUSY + (size_t) num_servers[j]);
        assert_int_equal(spot_outputs_metric_id(queue.outputs, "utilisation"), QUEUE_UTILISATION);
        assert_int_equal(
            spot_outputs_metric_id(queue.outputs, last), queue.outputs->num_metrics - 1);
        assert_int_equal(spot_outputs_metric_id(queue.outputs, next), queue.outputs->num_metrics);
        queue_case_close(&queue);
    }
}

static void test_errors_have_places(void **state)
{
    queue_case_t queue;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(queue_case_bind(&queue, "servers: 0\ncustmers: 4\nwarm_up: -1\n", &diag),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 3);
    assert_string_equal(diag.items[0].text,
        "queue.yaml:3:10: servers: expected an integer from 1 to 1000, got \"0\"");
    assert_string_equal(diag.items[1].text,
        "queue.yaml:4:1: unknown key \"custmers\", did you mean \"customers\"?");
    spot_engine_queue.free(queue.scenario);
    spot_diag_free(&diag);
}

/* ---- A twin: the recursion of Kiefer and Wolfowitz ---- */

typedef struct {
    int num_servers, num_customers, num_warm_up;
    double arrivals_per_s;
} twin_t;

static int64_t draw_ns(spot_rng_t *rng, double per_s)
{
    return (int64_t) (spot_rng_exponential(rng, NS_PER_S / per_s));
}

/* The server that a customer gets who arrives now: the first one of those that are idle,
 * else the one that is idle first. */
static int choose_server(const int64_t *idle_ns, int num_servers, int64_t now_ns)
{
    int chosen = 0;

    for (int j = 0; j < num_servers; j++) {
        if (idle_ns[j] <= now_ns) {
            return j;
        }
        chosen = idle_ns[j] < idle_ns[chosen] ? j : chosen;
    }
    return chosen;
}

/* The waits of the customers that are measured, sorted. */
static void twin_waits(const twin_t *self, uint64_t replication, double *wait_s)
{
    int64_t idle_ns[8] = {0}, now_ns = 0;
    spot_rng_t arrivals, services;

    spot_rng_seek(&arrivals, 1, replication, SPOT_STREAM_OWN, 0);
    spot_rng_seek(&services, 1, replication, SPOT_STREAM_OWN + 1, 0);
    for (int j = 0; j < self->num_warm_up + self->num_customers; j++) {
        const int server = choose_server(idle_ns, self->num_servers, now_ns);
        const int64_t start_ns = idle_ns[server] > now_ns ? idle_ns[server] : now_ns;

        if (j >= self->num_warm_up) {
            wait_s[j - self->num_warm_up] = (double) (start_ns - now_ns) / NS_PER_S;
        }
        idle_ns[server] = start_ns + draw_ns(&services, 1);
        now_ns += draw_ns(&arrivals, self->arrivals_per_s);
    }
    spot_sort(wait_s, (size_t) self->num_customers);
}

static void check_twin(uint64_t case_id)
{
    const twin_t twin = {.num_servers = 1 + (int) (case_id % 5),
        .num_customers = 1 + (int) (case_id * case_id % 997),
        .num_warm_up = (int) (case_id % 3 * 50),
        .arrivals_per_s = 0.2 + 0.1 * (double) (case_id % 47)};
    const size_t num_waits = (size_t) twin.num_customers;
    double *wait_s = malloc(num_waits * sizeof(*wait_s));
    char keys[128];
    queue_case_t queue;

    assert_non_null(wait_s);
    snprintf(keys, sizeof(keys), "servers: %d\ncustomers: %d\nwarm_up: %d\narrivals_per_s: %.17g\n",
        twin.num_servers, twin.num_customers, twin.num_warm_up, twin.arrivals_per_s);
    queue_case_open(&queue, keys);
    queue_case_run(&queue, case_id + 1, NULL); /* a worker serves more than once */
    queue_case_run(&queue, case_id, NULL);
    twin_waits(&twin, case_id, wait_s);
    assert_true(
        fabs(queue.metrics[QUEUE_WAIT_MEAN] - spot_moments_of(wait_s, num_waits).mean) <= 1e-9);
    assert_true(
        fabs(queue.metrics[QUEUE_WAIT_P99] - spot_quantile(wait_s, num_waits, 0.99)) <= 1e-9);
    queue_case_close(&queue);
    free(wait_s);
}

static void test_waits_are_those_of_the_twin(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        check_twin(j);
    }
}

/* ---- Laws ---- */

/* The customers are the same, so one server more makes nobody wait longer. */
static void test_more_servers_mean_shorter_waits(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < 20; j++) {
        double wait_s = HUGE_VAL;

        for (int num_servers = 1; num_servers <= 4; num_servers++) {
            char keys[64];
            queue_case_t queue;

            snprintf(keys, sizeof(keys), "servers: %d\ncustomers: 2000\n", num_servers);
            queue_case_open(&queue, keys);
            queue_case_run(&queue, j, NULL);
            assert_true(queue.metrics[QUEUE_WAIT_MEAN] < wait_s);
            wait_s = queue.metrics[QUEUE_WAIT_MEAN];
            queue_case_close(&queue);
        }
    }
}

static void test_shares(void **state)
{
    queue_case_t queue;
    double sum = 0;

    (void) state;
    queue_case_open(&queue, "servers: 6\narrivals_per_s: 4\ncustomers: 20000\n");
    queue_case_run(&queue, 0, NULL);
    for (size_t j = QUEUE_BUSY; j < queue.outputs->num_metrics; j++) {
        assert_true(queue.metrics[j] > 0 && queue.metrics[j] < 1);
        assert_true(j == QUEUE_BUSY || queue.metrics[j] < queue.metrics[j - 1]);
        sum += queue.metrics[j];
    }
    assert_true(fabs(queue.metrics[QUEUE_UTILISATION] - sum / 6) <= 1e-12);
    queue_case_close(&queue);

    queue_case_open(&queue, "servers: 3\narrivals_per_s: 100\ncustomers: 20000\n");
    queue_case_run(&queue, 0, NULL);
    assert_true(queue.metrics[QUEUE_UTILISATION] == 1); /* no server is ever idle */
    queue_case_close(&queue);

    queue_case_open(&queue, "customers: 1\nwarm_up: 0\n");
    queue_case_run(&queue, 0, NULL);
    assert_true(queue.metrics[QUEUE_WAIT_MEAN] == 0);
    assert_true(isnan(queue.metrics[QUEUE_UTILISATION])); /* of no time */
    queue_case_close(&queue);
}

/* The area below the length of the queue is the sum of all waits. */
static void check_series(const spot_recording_t *recording, double waits_s)
{
    const spot_series_t *series = &recording->series[0];
    const spot_cell_t *cells = series->cells;
    double area_s = 0;

    spot_series_verify(series);
    assert_string_equal(series->kind->name, "queue");
    assert_true(cells[0].integer == 0 && cells[1].integer == 0);
    for (size_t j = 1; j < series->num_rows; j++) {
        const spot_cell_t *row = &cells[2 * j], *before = row - 2;

        assert_true(row[1].integer >= 0);
        assert_true(llabs(row[1].integer - before[1].integer) == 1);
        area_s +=
            (double) before[1].integer * (double) (row[0].integer - before[0].integer) / NS_PER_S;
    }
    assert_true(cells[2 * series->num_rows - 2].integer <= recording->end_ticks);
    assert_int_equal(cells[2 * series->num_rows - 1].integer, 0); /* all are served */
    assert_true(fabs(area_s - waits_s) <= 1e-9 * (waits_s + 1));
}

static void test_series_has_the_waits(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < 20; j++) {
        spot_recording_t recording;
        queue_case_t queue;

        queue_case_open(&queue, "customers: 3000\nwarm_up: 0\n");
        assert_int_equal(
            spot_recording_init(&recording, queue.outputs->num_series, queue.outputs->series), 0);
        queue_case_run(&queue, j, &recording);
        check_series(&recording, 3000 * queue.metrics[QUEUE_WAIT_MEAN]);
        spot_recording_free(&recording);
        queue_case_close(&queue);
    }
}

static void test_stop(void **state)
{
    const atomic_int stop = 1;
    const spot_replication_t wanted = {.seed = 1, .replication = 2, .stop = &stop};
    queue_case_t queue;

    (void) state;
    queue_case_open(&queue, "customers: 10000000\n");
    assert_int_equal(spot_engine_queue.run(queue.worker, &wanted, queue.metrics, NULL, NULL),
        SPOT_ERR_INTERRUPTED);
    queue_case_close(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_registered),
        cmocka_unit_test(test_metrics_follow_the_servers),
        cmocka_unit_test(test_errors_have_places),
        cmocka_unit_test(test_waits_are_those_of_the_twin),
        cmocka_unit_test(test_more_servers_mean_shorter_waits),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_series_has_the_waits),
        cmocka_unit_test(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
