/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "base/yaml.h"
#include "fixture.h"
#include "models/step_pipeline.h"

static int bind(spot_step_pipeline_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "p.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(spot_step_pipeline_fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static spot_step_pipeline_t bound(const char *text)
{
    spot_step_pipeline_t pipeline;
    spot_diag_t diag;

    assert_int_equal(bind(&pipeline, text, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    return pipeline;
}

#define MODEL "{layers: 10, micro_batch: 4, forward_ms: 2, backward_ms: 4.5, gradient_bytes: 1e6"

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * expected);
}

static void test_defaults(void **state)
{
    const spot_step_pipeline_t pipeline = bound(MODEL "}");

    (void) state;
    assert_int_equal(pipeline.schedule, SPOT_SCHEDULE_1F1B);
    assert_int_equal(pipeline.recompute, SPOT_RECOMPUTE_NONE);
    assert_int_equal(pipeline.num_layers, 10);
    assert_int_equal(pipeline.micro_batch, 4);
    assert_true(pipeline.backward_ms == 4.5);
    assert_true(pipeline.link_ms == 0);
    assert_true(pipeline.optimizer_ms == 0);
    assert_true(pipeline.bandwidth_bytes_per_s == 1.25e9);
    assert_true(pipeline.memory.instance_bytes == 0);
}

/* 64 samples, P = 4: stages of ceil(10/4) = 3 layers, F = 6, B = 13.5 ms; D = 2: M = 8,
 * the ring moves 3 MB. */
static void test_schedules_by_hand(void **state)
{
    static const struct {
        const char *more;
        double two_ms, one_ms; /* of D = 2 and D = 1 */
    } cases[] = {
        {"}", 11 * 19.5 + 2.4, 19 * 19.5},
        {", link_ms: 1}", 11 * 19.5 + 2.0 * (4 + 8 - 2 - 2) + 2.4,
            19 * 19.5 + 2.0 * (4 + 16 - 2 - 4)},
        {", schedule: gpipe, link_ms: 1}", 11 * 19.5 + 6 + 2.4, 19 * 19.5 + 6},
        {", recompute: all}", 11 * 25.5 + 2.4, 19 * 25.5},
        {", schedule: gpipe, recompute: all}", 11 * 25.5 + 2.4, 19 * 25.5},
        {", schedule: varuna, link_ms: 1}", 10 * 25.5 + 6 + 2.4, 18 * 25.5 + 6},
        {", optimizer_ms: 7, bandwidth_bytes_per_s: 1e6}", 11 * 19.5 + 3000 + 7, 19 * 19.5 + 7},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[512];
        spot_step_pipeline_t pipeline;

        snprintf(text, sizeof(text), "%s%s", MODEL, cases[j].more);
        pipeline = bound(text);
        assert_near(spot_step_pipeline_ms(&pipeline, 64, 2, 4), cases[j].two_ms);
        assert_near(spot_step_pipeline_ms(&pipeline, 64, 1, 4), cases[j].one_ms);
    }
}

/* Stages of 5 layers: 500 of state; 4 micro-batches of 20 each are in flight with P = 2
 * in GPipe, 2 in 1F1B; recomputed, one of 20 and inputs of 3. */
static void test_memory(void **state)
{
    static const struct {
        const char *more;
        double need_bytes;
    } cases[] = {
        {"", 500 + 2 * 100},
        {"schedule: gpipe, ", 500 + 4 * 100},
        {"schedule: gpipe, recompute: all, ", 500 + 100 + 4 * 3},
        {"recompute: all, ", 500 + 100 + 2 * 3},
        {"schedule: varuna, ", 500 + 100 + 4 * 3},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        for (int missing = 0; missing < 2; missing++) {
            char text[512];
            spot_step_pipeline_t pipeline;

            snprintf(text, sizeof(text),
                "%s, %s memory: {instance_bytes: %g, state_bytes: 100, "
                "activation_bytes: "
                "20, input_bytes: 3}}",
                MODEL, cases[j].more, cases[j].need_bytes - missing);
            pipeline = bound(text);
            assert_int_equal(spot_step_pipeline_ms(&pipeline, 16, 1, 2) > 0, missing == 0);
        }
    }
}

/* The grid has exactly the pairs that are feasible, with their times. */
static void test_grid(void **state)
{
    const spot_step_pipeline_t pipeline =
        bound(MODEL ", memory: {instance_bytes: 400, state_bytes: 100}, link_ms: 0.25}");
    spot_step_grid_t grid;
    size_t num_pairs = 0;

    (void) state;
    assert_int_equal(spot_step_pipeline_fill(&pipeline, 22, 48, &grid), 0);
    for (int64_t depth = 1; depth <= 48; depth++) {
        for (int64_t num = 1; num <= 48; num++) {
            const spot_step_pair_t *pair = spot_step_grid_find(&grid, num, depth);
            /* At least 3 stages for 10 layers of 100 in 400; 6 micro-batches. */
            const bool is_in = depth >= 3 && depth <= 10 && num <= 6 && num * depth <= 48;

            assert_int_equal(pair != NULL, is_in);
            if (is_in) {
                num_pairs++;
                assert_true(pair->step_ms == spot_step_pipeline_ms(&pipeline, 22, num, depth));
                assert_int_equal(pair->origin, SPOT_STEP_MEASURED);
            }
        }
    }
    assert_int_equal(grid.num_pairs, num_pairs);
    assert_int_equal(grid.samples_per_step, 22);
    spot_step_grid_free(&grid);
}

static void test_times_out_of_range(void **state)
{
    static const char *const texts[] = {
        "{layers: 1, micro_batch: 1, forward_ms: 0.2, backward_ms: 0.2, "
        "gradient_bytes: 0}",
        "{layers: 1, micro_batch: 1, forward_ms: 3e12, backward_ms: 1e12, "
        "gradient_bytes: 0}",
    };
    spot_step_grid_t grid;

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        const spot_step_pipeline_t pipeline = bound(texts[j]);

        assert_int_equal(spot_step_pipeline_fill(&pipeline, 1, 4, &grid), SPOT_ERR_BAD_PARAM);
        spot_step_grid_free(&grid);
    }
}

static void test_errors(void **state)
{
    spot_step_pipeline_t pipeline;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&pipeline,
                         "{layers: 0, micro_batch: 1, forward_ms: 0, backward_ms: 1 ms, "
                         "schedule: 1f2b}",
                         &diag),
        SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag,
        "p.yaml:1:10: layers: expected an integer from 1 to 100000, got \"0\"\n"
        "p.yaml:1:41: forward_ms: expected a number from 1e-06 to 3155760000000, got "
        "\"0\"\n"
        "p.yaml:1:57: backward_ms: expected a number from 1e-06 to 3155760000000, got "
        "\"1 ms\"\n"
        "p.yaml:1:73: schedule: expected 1f1b, gpipe or varuna, got \"1f2b\", did you "
        "mean \"1f1b\"?\n"
        "p.yaml:1:1: missing key \"gradient_bytes\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_schedules_by_hand),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_times_out_of_range),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
