/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step time with places lost: by hand, and what holds for any job. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/job.h"

static spot_step_point_t points[] = {{4, 9000}, {8, 9000}, {12, 9000}, {16, 9000}};

static const spot_job_t job_of_points = {.pipeline_depth = 4,
    .max_pipelines = 100,
    .samples_per_step = 1024,
    .step_time = {.num_points = 4, .points = points}};

/* D = 4, P = 4, 1024/(64 * 4) = 4 micro-batches: (M+P-1) = 7 of c; with 1 of 4 lost
 * 4 * 4/3 c + fill, which is 3 F = c at best and 3 c at worst. */
static void test_by_world_size(void **state)
{
    spot_reroute_t self = {.micro_batch = 64, .forward_share = 1.0 / 3};

    (void) state;
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 0), 9000);
    /* 16/3 + 1 = 6.33 is less than 7: the bubbles take what is lost. */
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 1), 9000);
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 2), lround(9000 * 9.0 / 7));
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 3), lround(9000 * 17.0 / 7));
    self.is_worst_fill = true;
    assert_int_equal(
        spot_reroute_step_ms(&self, &job_of_points, 4, 1), lround(9000 * (16.0 / 3 + 3) / 7));
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 3), lround(9000 * 19.0 / 7));
}

/* With a model its c is used, and what is not of the schedule does not grow: 2 layers a
 * stage, F = 20 ms, B = 40 ms, c = 60 ms. */
static void test_pipeline_model(void **state)
{
    spot_job_t job = {.pipeline_depth = 4,
        .max_pipelines = 100,
        .samples_per_step = 1024,
        .step_time = {.pipeline = {.schedule = SPOT_SCHEDULE_1F1B,
                          .num_layers = 8,
                          .micro_batch = 64,
                          .forward_ms = 10,
                          .backward_ms = 20,
                          .optimizer_ms = 1000,
                          .bandwidth_bytes_per_s = 1}}};
    const spot_reroute_t self = {
        .micro_batch = spot_reroute_micro_batch(&job), .is_worst_fill = true};

    (void) state;
    assert_int_equal(self.micro_batch, 64);
    assert_int_equal(
        spot_step_pipeline_fill(&job.step_time.pipeline, 1024, 16, &job.step_time.grid), 0);
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 0), 1000 + 7 * 60);
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 2), 1000 + (8 + 3) * 60);
    job.step_time.pipeline.recompute = SPOT_RECOMPUTE_ALL; /* c = 80 ms */
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 2), 1000 + 7 * 60 + (11 - 7) * 80);
    spot_step_grid_free(&job.step_time.grid);
}

/* More lost is never faster, worst fill never faster than best, nothing lost is the
 * job's own step. */
static void test_order(void **state)
{
    (void) state;
    for (int64_t micro_batch = 1; micro_batch <= 4096; micro_batch *= 3) {
        for (int64_t d = 1; d <= 4; d++) {
            int64_t last_ms = 9000;

            for (int64_t lost = 0; lost < d; lost++) {
                const spot_reroute_t best = {micro_batch, 0.4, false};
                const spot_reroute_t worst = {micro_batch, 0.4, true};
                const int64_t ms = spot_reroute_step_ms(&best, &job_of_points, d, lost);

                assert_true(ms >= last_ms);
                assert_true(spot_reroute_step_ms(&worst, &job_of_points, d, lost) >= ms);
                assert_true(lost > 0 || ms == 9000);
                last_ms = ms;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_world_size),
        cmocka_unit_test(test_pipeline_model),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
