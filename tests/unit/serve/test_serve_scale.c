/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Autoscaling, by hand: one stage, times in ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/serve/serve_random.h"
#include "tests/unit/serve/serve_verify.h"

#define NUM_CASES 500

static const int64_t times_ns[] = {0, 10, 15};
static const spot_service_time_t table = {.last = 2, .busy_ns = times_ns, .result_ns = times_ns};

static spot_stage_option_t *open_case(serve_case_t *self, int64_t batch, int64_t replicas)
{
    serve_case_open(self, "pipeline:\n  - {id: A, from: source}\n");
    self->plans[0].time = &table;
    self->plans[0].option = (spot_stage_option_t){.batch = batch, .replicas = replicas};
    return &self->plans[0].option;
}

/* 40 queries, one each 5 ns: two replicas are always busy. Then a few to see the scaling
 * down: three at 395 and one at 450. */
static spot_stage_option_t *open_scaled(serve_case_t *self)
{
    spot_stage_option_t *option = open_case(self, 1, 2);

    option->scale = (spot_scale_setting_t){.kind = SPOT_SCALE_UTILISATION,
        .target_utilisation = 0.5,
        .interval_ns = 100,
        .min = 1,
        .max = 4,
        .cool_down_ns = 250};
    self->rent.preparation_ns = 4;
    self->rent.load_ns = 6;
    for (int64_t j = 0; j < 40; j++) {
        serve_case_arrive(self, 5 * j);
    }
    serve_case_arrive(self, 350);
    for (int j = 0; j < 3; j++) {
        serve_case_arrive(self, 395);
    }
    serve_case_arrive(self, 450);
    return option;
}

/* Tick 100: ceil(1.95 / 0.5) = 4, launched at once and ready at 110. Tick 300: 1 is
 * wanted, but 200 ns are within the cool-down. Tick 400: slot 3 is idle and goes, slots
 * 2 and 1 are busy until 405 and go then. The run ends at 460. */
static void test_scaling(void **state)
{
    serve_case_t self;
    const spot_stage_result_t *result;

    (void) state;
    (void) open_scaled(&self);
    serve_case_run(&self, true);
    result = &self.serve.stages[0].result;
    assert_int_equal(self.serve.end_ns, 460);
    assert_int_equal(result->launches, 2);
    assert_int_equal(result->fallback_launches, 0);
    assert_int_equal(result->peak_replicas, 4);
    assert_int_equal(result->paid_ns[0], 460 + 405 + 305 + 300);
    assert_int_equal(result->serving_ns[0], 460 + 405 + 295 + 290);
    assert_int_equal(result->paid_ns[1], 0);
    assert_int_equal(result->busy_ns, 450);
    assert_int_equal(self.serve.stages[0].stamps.replica[43], 2);
    assert_int_equal(self.serve.stages[0].stamps.replica[44], 0);
    for (size_t j = 0; j < self.num_arrivals; j++) {
        assert_int_equal(serve_case_latency_ns(&self, j), 10);
    }
    serve_case_close(&self);
}

/* The same with a limit of 3 replicas: two are launched in place of three. */
static void test_limits(void **state)
{
    serve_case_t self;
    spot_stage_option_t *option;

    (void) state;
    option = open_scaled(&self);
    option->scale.max = 3;
    option->scale.min = 2;
    serve_case_run(&self, true);
    assert_int_equal(self.serve.stages[0].result.launches, 1);
    assert_int_equal(self.serve.stages[0].result.peak_replicas, 3);
    /* slots 0 and 1 all the time, slot 2 from 100 until its return at 405 */
    assert_int_equal(self.serve.stages[0].result.paid_ns[0], 460 + 460 + 305);
    serve_case_close(&self);
}

/* A draining slot serves again if more are wanted before it returns. Batches of two take
 * 200 ns: slot 0 runs from 0 to 10 and from 50 to 250, slot 1 from 60 to 260. Tick 100:
 * 1 is wanted, slot 1 drains; tick 200: 2 are wanted. */
static void test_draining_slot_serves_again(void **state)
{
    static const int64_t arrivals_ns[] = {0, 50, 50, 60, 60, 310};
    static const int64_t long_ns[] = {0, 10, 200};
    const spot_service_time_t time = {.last = 2, .busy_ns = long_ns, .result_ns = long_ns};
    spot_stage_option_t *option;
    serve_case_t self;

    (void) state;
    option = open_scaled(&self);
    self.num_arrivals = 0;
    for (size_t j = 0; j < sizeof(arrivals_ns) / sizeof(arrivals_ns[0]); j++) {
        serve_case_arrive(&self, arrivals_ns[j]);
    }
    self.plans[0].time = &time;
    option->batch = 2;
    option->scale.target_utilisation = 1;
    option->scale.cool_down_ns = 0;
    serve_case_run(&self, true);
    assert_int_equal(self.serve.end_ns, 320);
    assert_int_equal(self.serve.stages[0].result.launches, 0);
    assert_int_equal(self.serve.stages[0].result.paid_ns[0], 2 * 320);
    serve_case_close(&self);
}

/* Slot 2 is away from 150 to 180. It is prepped anew when it has an instance again, at
 * 170, since four are wanted; what is paid is spot. */
static void test_scaling_on_spot(void **state)
{
    serve_case_t self;
    const spot_stage_result_t *result;

    (void) state;
    open_scaled(&self)->market = SPOT_MARKET_SPOT;
    serve_case_outage(&self, 0, 2, 150, 180);
    serve_case_run(&self, true);
    result = &self.serve.stages[0].result;
    assert_int_equal(self.serve.end_ns, 460);
    assert_int_equal(result->launches, 3);
    assert_int_equal(result->batches_cut, 0);
    assert_int_equal(result->paid_ns[1], 460 + 405 + (50 + 235) + 300);
    assert_int_equal(result->serving_ns[1], 460 + 405 + (40 + 225) + 290);
    assert_int_equal(result->paid_ns[0], 0);
    serve_case_close(&self);
}

/* Runs once more, one event per call, with all invariants after each. Returns the number
 * of launches. */
static int64_t run_in_steps(serve_case_t *self)
{
    const spot_replication_t replication = {.seed = 1};
    spot_serve_run_t run;
    int64_t num_launches = 0;

    serve_case_run(self, true);
    run = self->serve.run;
    if (run.outages != NULL) {
        spot_outages_start(run.outages, replication.seed, replication.replication,
            run.source_ns[run.num_queries - 1]);
    }
    assert_int_equal(spot_serve_start(&self->serve, &run, self->plans), 0);
    do {
        serve_verify(&self->serve);
    } while (self->serve.num_left < run.num_queries && spot_serve_step(&self->serve));
    for (size_t j = 0; j < self->serve.num_stages; j++) {
        num_launches += self->serve.stages[j].result.launches;
    }
    return num_launches;
}

static void test_outages_of_all(void **state)
{
    serve_case_t self;

    (void) state;
    open_scaled(&self)->market = SPOT_MARKET_SPOT;
    self.rent.notice_ns = 7;
    for (int32_t slot = 0; slot < 4; slot++) {
        for (int64_t j = 0; j < 6; j++) {
            serve_case_outage(&self, 0, slot, 30 * slot + 75 * j + 3, 30 * slot + 75 * j + 40);
        }
    }
    assert_true(run_in_steps(&self) > 4);
    assert_int_equal(self.serve.num_sunk, self.num_arrivals);
    serve_case_close(&self);
}

/* Stages of any pipeline, on-demand and spot, with short intervals. */
static void test_random_cases(void **state)
{
    int64_t num_launches = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        serve_case_t self;

        serve_random_open(&self, seed);
        for (size_t j = 0; j < self.pipeline.num_stages; j++) {
            spot_stage_option_t *option = &self.plans[j].option;

            if (option->market != SPOT_MARKET_HEDGE) {
                option->scale = (spot_scale_setting_t){.kind = SPOT_SCALE_UTILISATION,
                    .target_utilisation = 0.6,
                    .interval_ns = 5 + (int64_t) (seed % 20),
                    .min = 1,
                    .max = option->replicas + 3,
                    .cool_down_ns = (int64_t) (seed % 3) * 15};
            }
        }
        num_launches += run_in_steps(&self);
        serve_case_close(&self);
    }
    assert_true(num_launches > NUM_CASES);
}

/* A replica for each batch, paid while it runs: at 0 a batch of two until 15 and one of
 * one until 10, and from 5 to 15 a third one. */
static void test_ideal(void **state)
{
    for (int market = SPOT_MARKET_ON_DEMAND; market <= SPOT_MARKET_SPOT; market++) {
        serve_case_t self;
        spot_stage_option_t *option = open_case(&self, 2, 1);
        const spot_stage_result_t *result;

        (void) state;
        option->scale.kind = SPOT_SCALE_IDEAL;
        option->market = market;
        for (int j = 0; j < 3; j++) {
            serve_case_arrive(&self, 0);
        }
        serve_case_arrive(&self, 5);
        serve_case_run(&self, true);
        result = &self.serve.stages[0].result;
        assert_int_equal(self.serve.end_ns, 15);
        assert_int_equal(result->peak_replicas, 3);
        assert_int_equal(result->batches, 3);
        assert_int_equal(result->busy_ns, 35);
        assert_int_equal(result->paid_ns[market], 35);
        assert_int_equal(result->serving_ns[market], 35);
        assert_int_equal(result->paid_ns[1 - market], 0);
        assert_int_equal(result->wait_sum_ns, 0);
        serve_case_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_draining_slot_serves_again),
        cmocka_unit_test(test_scaling_on_spot),
        cmocka_unit_test(test_outages_of_all),
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_ideal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
