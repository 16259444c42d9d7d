/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rental of the same work equals that of a search through all known world sizes, on
 * random tables of step times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fixture.h"
#include "sim/train/job/scenario.h"

#define NUM_TABLES 300
#define NUM_WORKS 20

/* A whole number from least to most. */
static int64_t draw(spot_rng_t *rng, int64_t least, int64_t most)
{
    return least + (int64_t) spot_rng_below(rng, (uint64_t) (most - least + 1));
}

/* Step times that fall, stay and rise, at up to 4 world sizes. */
static void draw_scenario(spot_rng_t *rng, char *text)
{
    static const char *const every[] = {"back-to-back", "3 steps", "900 ms", "auto"};
    static const char *const busy[] = {"skip", "wait", "join"};
    const int64_t num_points = draw(rng, 1, 4);
    int64_t world_size = 0;

    text += sprintf(text,
        "scenario: x\nhorizon: 1 h\nfleet: {capacity: 4, initial: 4}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}},\n"
        "  addition: {per_minute: 0, count: {fixed: 1}}}\n"
        "job:\n  pipeline_depth: %d\n  max_pipelines: %d\n"
        "  checkpoint: {mode: %s, every: %s, write: %d ms, snapshot: %d ms, busy: %s}\n"
        "  step_time: {",
        (int) draw(rng, 1, 3), (int) draw(rng, 50, 400), draw(rng, 0, 1) == 0 ? "async" : "sync",
        every[draw(rng, 0, 3)], (int) draw(rng, 1, 500), (int) draw(rng, 0, 50),
        busy[draw(rng, 0, 2)]);
    for (int64_t j = 0; j < num_points; j++) {
        world_size += draw(rng, 1, 200);
        text += sprintf(
            text, "%s%d: %d ms", j == 0 ? "" : ", ", (int) world_size, (int) draw(rng, 1, 120));
    }
    strcpy(text, "}\n");
}

static bool is_better(const spot_same_work_t *same, const spot_same_work_t *found, double within_s)
{
    if (same->time_s <= within_s && found->time_s <= within_s) {
        return same->cost_usd < found->cost_usd;
    }
    return same->time_s < found->time_s;
}

/* The rental of the work among all known world sizes, one after the other. */
static spot_same_work_t search(const spot_job_t *job, const spot_work_done_t *work)
{
    const int64_t largest = spot_step_time_largest(&job->step_time) / job->pipeline_depth;
    const int64_t most = largest < job->max_pipelines ? largest : job->max_pipelines;
    spot_same_work_t found = {.num_instances = 0};

    for (int64_t j = 1; j <= most; j++) {
        spot_rental_t rental = {.num_instances = j * job->pipeline_depth};
        const spot_rentals_t alone = {.num_rentals = 1, .rentals = &rental};
        spot_same_work_t same;

        if (!spot_job_covers_step(job, j)) {
            continue;
        }
        spot_cycle_init(&rental.cycle, &job->checkpoint, spot_job_step_ms(job, j));
        same = spot_same_work_find(&alone, work);
        if (found.num_instances == 0 || is_better(&same, &found, (double) work->within_ms / 1000)) {
            found = same;
        }
    }
    return found;
}

static spot_work_done_t draw_work(spot_rng_t *rng)
{
    return (spot_work_done_t){.steps = draw(rng, 0, 9) == 0 ? 0 : spot_rng_uniform(rng) * 300,
        .within_ms = draw(rng, 1, 30000),
        .preparation_ms = draw(rng, 0, 1) * 500,
        .instance_usd_per_h = (double) draw(rng, 0, 2),
        .service_usd_per_h = (double) draw(rng, 0, 3)};
}

static void test_equals_a_search(void **state)
{
    size_t num_found = 0;
    spot_rng_t rng;
    char text[2048];

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_RECOVERY, 0);
    for (int j = 0; j < NUM_TABLES; j++) {
        spot_scenario_t scenario;

        draw_scenario(&rng, text);
        bind_good_scenario(&scenario, text);
        for (int k = 0; k < NUM_WORKS; k++) {
            const spot_work_done_t work = draw_work(&rng);
            const spot_same_work_t is = spot_same_work_find(&scenario.rentals, &work);
            const spot_same_work_t expected = search(&scenario.job, &work);

            assert_int_equal(is.num_instances, expected.num_instances);
            assert_true(is.time_s == expected.time_s);
            assert_true(is.cost_usd == expected.cost_usd);
            num_found += is.num_instances > 0;
        }
        spot_scenario_free(&scenario);
    }
    assert_true(num_found > NUM_TABLES * NUM_WORKS / 2);
}

/* A wide range between two points has one rental for each millisecond. */
static void test_a_wide_range_is_short(void **state)
{
    spot_scenario_t scenario;

    (void) state;
    bind_good_scenario(&scenario,
        "scenario: x\nhorizon: 1 h\nfleet: {capacity: 4, initial: 4}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}},\n"
        "  addition: {per_minute: 0, count: {fixed: 1}}}\n"
        "job: {pipeline_depth: 1, step_time: {1: 18 s, 1000000: 17 s}}\n");
    assert_int_equal(scenario.rentals.num_rentals, 1001);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_a_search),
        cmocka_unit_test(test_a_wide_range_is_short),
    };

    return cmocka_run_group_tests_name("same_work", tests, NULL, NULL);
}
