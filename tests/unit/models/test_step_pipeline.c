/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "base/yaml.h"
#include "fixture.h"
#include "models/step_time.h"

/* ---- Pipeline schedule ---- */

#define MAX_STAGES 16
#define MAX_MICRO_BATCHES 70
#define NUM_CASES 1500

enum { FORWARD, BACKWARD, NUM_PASSES };

/* A schedule: what a stage does, in order. */
typedef struct {
    int pass;
    int micro_batch;
} operation_t;

typedef struct {
    int num_stages;
    int num_micro_batches;
    double pass_ms[MAX_STAGES][NUM_PASSES];
    double link_ms;
    operation_t order[MAX_STAGES][NUM_PASSES * MAX_MICRO_BATCHES];
    double end_ms[MAX_STAGES][NUM_PASSES][MAX_MICRO_BATCHES]; /* < 0: not yet */
    int num_done[MAX_STAGES];
    int in_flight[MAX_STAGES];
    int most_in_flight; /* on any stage */
} simulation_t;

static void order_gpipe(simulation_t *self, int stage)
{
    for (int j = 0; j < self->num_micro_batches; j++) {
        self->order[stage][j] = (operation_t){FORWARD, j};
        self->order[stage][self->num_micro_batches + j] = (operation_t){BACKWARD, j};
    }
}

static void order_1f1b(simulation_t *self, int stage)
{
    int num_forward = 0, num_backward = 0;
    operation_t *next = self->order[stage];

    while (num_forward < self->num_micro_batches && num_forward < self->num_stages - 1 - stage) {
        *next++ = (operation_t){FORWARD, num_forward++};
    }
    while (num_backward < self->num_micro_batches) {
        if (num_forward < self->num_micro_batches) {
            *next++ = (operation_t){FORWARD, num_forward++};
        }
        *next++ = (operation_t){BACKWARD, num_backward++};
    }
}

/* When the input of an operation is there; < 0: not yet. */
static double input_ms(const simulation_t *self, int stage, operation_t operation)
{
    const int from = operation.pass == FORWARD ? stage - 1 : stage + 1;
    double sent_ms;

    if (from < 0 || from == self->num_stages) {
        return 0; /* the data, and the loss behind the last stage */
    }
    sent_ms = self->end_ms[from][operation.pass][operation.micro_batch];
    return sent_ms < 0 ? sent_ms : sent_ms + self->link_ms;
}

/* Carries out the next operation of a stage, if its input is known by now. */
static bool advance(simulation_t *self, int stage)
{
    const int id = self->num_done[stage];
    operation_t operation;
    double start_ms;

    if (id == NUM_PASSES * self->num_micro_batches) {
        return false;
    }
    operation = self->order[stage][id];
    start_ms = input_ms(self, stage, operation);
    if (start_ms < 0) {
        return false;
    }
    if (id > 0) {
        const operation_t before = self->order[stage][id - 1];

        start_ms = fmax(start_ms, self->end_ms[stage][before.pass][before.micro_batch]);
    }
    self->end_ms[stage][operation.pass][operation.micro_batch] =
        start_ms + self->pass_ms[stage][operation.pass];
    self->in_flight[stage] += operation.pass == FORWARD ? 1 : -1;
    if (self->in_flight[stage] > self->most_in_flight) {
        self->most_in_flight = self->in_flight[stage];
    }
    self->num_done[stage]++;
    return true;
}

/* The time at which the last operation ends. */
static double simulate(simulation_t *self, void (*order)(simulation_t *self, int stage))
{
    double last_ms = 0;
    bool is_moving = true;

    memset(self->num_done, 0, sizeof(self->num_done));
    memset(self->in_flight, 0, sizeof(self->in_flight));
    self->most_in_flight = 0;
    for (int stage = 0; stage < self->num_stages; stage++) {
        order(self, stage);
        for (int j = 0; j < self->num_micro_batches; j++) {
            self->end_ms[stage][FORWARD][j] = self->end_ms[stage][BACKWARD][j] = -1;
        }
    }
    while (is_moving) {
        is_moving = false;
        for (int stage = 0; stage < self->num_stages; stage++) {
            while (advance(self, stage)) {
                is_moving = true;
            }
        }
    }
    for (int stage = 0; stage < self->num_stages; stage++) {
        const int last = NUM_PASSES * self->num_micro_batches - 1;

        assert_int_equal(self->num_done[stage], last + 1);
        last_ms =
            fmax(last_ms, self->end_ms[stage][BACKWARD][self->order[stage][last].micro_batch]);
    }
    return last_ms;
}

static int draw_integer(spot_rng_t *rng, int most)
{
    return 1 + (int) spot_rng_below(rng, (uint64_t) most);
}

static simulation_t *equal_stages(simulation_t *self, const spot_pipeline_t *pipeline)
{
    self->num_stages = (int) pipeline->num_stages;
    self->num_micro_batches = (int) pipeline->num_micro_batches;
    self->link_ms = pipeline->link_ms;
    for (int stage = 0; stage < self->num_stages; stage++) {
        self->pass_ms[stage][FORWARD] = pipeline->forward_ms;
        self->pass_ms[stage][BACKWARD] = pipeline->backward_ms;
    }
    return self;
}

/* Links from none to far slower than the stages. */
static spot_pipeline_t draw_pipeline(spot_rng_t *rng)
{
    static const double scales[] = {0, 1, 10, 500};
    const double scale = scales[spot_rng_below(rng, 4)];
    spot_pipeline_t pipeline;

    pipeline.num_stages = draw_integer(rng, MAX_STAGES);
    pipeline.num_micro_batches = draw_integer(rng, MAX_MICRO_BATCHES);
    pipeline.forward_ms = 1 + 100 * spot_rng_uniform(rng);
    pipeline.backward_ms = 1 + 100 * spot_rng_uniform(rng);
    pipeline.link_ms = scale * spot_rng_uniform(rng);
    return pipeline;
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * expected);
}

/* A model of one layer a stage, so that a pipeline of it is this one. */
static spot_step_pipeline_t model_of(const spot_pipeline_t *pipeline, spot_step_schedule_t schedule)
{
    return (spot_step_pipeline_t){.schedule = (int) schedule,
        .num_layers = pipeline->num_stages,
        .micro_batch = 1,
        .forward_ms = pipeline->forward_ms,
        .backward_ms = pipeline->backward_ms,
        .link_ms = pipeline->link_ms};
}

static double schedule_ms(const spot_pipeline_t *pipeline, spot_step_schedule_t schedule)
{
    const spot_step_pipeline_t model = model_of(pipeline, schedule);

    return spot_step_pipeline_part_ms(&model, pipeline->num_stages, pipeline->num_micro_batches);
}

static double recomputed_1f1b_ms(const spot_pipeline_t *pipeline)
{
    spot_step_pipeline_t model = model_of(pipeline, SPOT_SCHEDULE_1F1B);

    model.recompute = SPOT_RECOMPUTE_ALL;
    return spot_step_pipeline_part_ms(&model, pipeline->num_stages, pipeline->num_micro_batches);
}

/* A stage fits into an instance with this memory, and into none with less. */
static void assert_bytes(spot_step_pipeline_t model, int64_t num_micro_batches, double bytes)
{
    model.memory.instance_bytes = bytes;
    assert_true(spot_step_pipeline_fits(&model, model.num_layers, num_micro_batches));
    model.memory.instance_bytes = bytes * (1 - 1e-12);
    assert_false(spot_step_pipeline_fits(&model, model.num_layers, num_micro_batches));
}

/* The micro-batches between forward and backward pass, by the memory they take. */
static void assert_in_flight(
    const spot_pipeline_t *pipeline, spot_step_schedule_t schedule, int num_in_flight)
{
    spot_step_pipeline_t model = model_of(pipeline, schedule);

    model.memory.activation_bytes = 1;
    assert_bytes(model, pipeline->num_micro_batches, num_in_flight);
}

static void test_known_values(void **state)
{
    static const struct {
        spot_pipeline_t pipeline;
        double one_ms, gpipe_ms;
    } cases[] = {
        {{4, 16, 20, 40, 0}, 1140, 1140},
        {{4, 16, 20, 40, 1}, 1168, 1146},
        {{4, 16, 20, 40, 10}, 1420, 1200},
        {{8, 4, 20, 40, 10}, 840, 800},
        {{1, 16, 20, 40, 10}, 960, 960},
    };
    const spot_pipeline_t varuna = {4, 16, 20, 40, 1}, alone = {1, 16, 20, 40, 1};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_near(schedule_ms(&cases[j].pipeline, SPOT_SCHEDULE_1F1B), cases[j].one_ms);
        assert_near(schedule_ms(&cases[j].pipeline, SPOT_SCHEDULE_GPIPE), cases[j].gpipe_ms);
    }
    assert_near(schedule_ms(&varuna, SPOT_SCHEDULE_VARUNA) + 50, 1496);
    assert_near(schedule_ms(&alone, SPOT_SCHEDULE_VARUNA), 960);
    assert_near(recomputed_1f1b_ms(&varuna), 19 * 80 + 28);
}

static void test_closed_forms_are_exact(void **state)
{
    spot_rng_t rng;
    static simulation_t simulation;
    int num_latency_bound = 0;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_DESIGN, 1);
    for (int j = 0; j < NUM_CASES; j++) {
        const spot_pipeline_t pipeline = draw_pipeline(&rng);
        const double work_ms = pipeline.forward_ms + pipeline.backward_ms;

        equal_stages(&simulation, &pipeline);
        assert_near(
            schedule_ms(&pipeline, SPOT_SCHEDULE_GPIPE), simulate(&simulation, order_gpipe));
        assert_in_flight(&pipeline, SPOT_SCHEDULE_GPIPE, simulation.most_in_flight);
        assert_near(schedule_ms(&pipeline, SPOT_SCHEDULE_1F1B), simulate(&simulation, order_1f1b));
        assert_in_flight(&pipeline, SPOT_SCHEDULE_1F1B, simulation.most_in_flight);
        num_latency_bound += pipeline.num_stages > 1 && pipeline.link_ms > work_ms;
    }
    assert_true(num_latency_bound > NUM_CASES / 20);
}

/* Every stage but the last does 2F+B for each micro-batch by Varuna's rules, the last
 * one F+B, so that they take no longer than 1F1B in which all stages recompute. */
static void test_varuna_beside_recomputation(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_DESIGN, 2);
    for (int j = 0; j < NUM_CASES; j++) {
        const spot_pipeline_t pipeline = draw_pipeline(&rng);
        const double varuna_ms = schedule_ms(&pipeline, SPOT_SCHEDULE_VARUNA);

        assert_true(varuna_ms <= recomputed_1f1b_ms(&pipeline) * (1 + 1e-12));
        assert_true(varuna_ms >= (double) pipeline.num_micro_batches *
                                     (pipeline.forward_ms + pipeline.backward_ms));
    }
}

static void test_micro_batches(void **state)
{
    (void) state;
    assert_int_equal(spot_micro_batches(128, 1, 1), 128);
    assert_int_equal(spot_micro_batches(128, 1, 3), 43);
    assert_int_equal(spot_micro_batches(128, 8, 3), 6);
    assert_int_equal(spot_micro_batches(129, 8, 1), 17);
    assert_int_equal(spot_micro_batches(1, 8, 4), 1);
    for (int64_t samples = 1; samples < 40; samples++) {
        for (int64_t size = 1; size < 12; size++) {
            for (int64_t pipelines = 1; pipelines < 12; pipelines++) {
                const int64_t each = size * pipelines;

                assert_int_equal(
                    spot_micro_batches(samples, size, pipelines), (samples + each - 1) / each);
            }
        }
    }
    assert_int_equal(spot_micro_batches(INT64_MAX, INT64_C(1) << 40, INT64_C(1) << 40), 1);
}

static void test_all_reduce(void **state)
{
    spot_step_pipeline_t model = {
        .num_layers = 1, .gradient_bytes = 1e9, .bandwidth_bytes_per_s = 1e9};

    (void) state;
    assert_true(spot_step_pipeline_sync_ms(&model, 1, 1) == 0);
    assert_near(spot_step_pipeline_sync_ms(&model, 2, 1), 1000);
    model.bandwidth_bytes_per_s = 1.25e9;
    assert_near(spot_step_pipeline_sync_ms(&model, 4, 1), 1200);
}

static void test_memory(void **state)
{
    const spot_pipeline_t pipeline = {4, 4, 20, 40, 0};
    spot_step_pipeline_t model = model_of(&pipeline, SPOT_SCHEDULE_GPIPE);

    (void) state;
    model.memory.state_bytes = 1000;
    model.memory.activation_bytes = 30;
    model.memory.input_bytes = 2;
    assert_bytes(model, 4, 1120);
    model.recompute = SPOT_RECOMPUTE_ALL;
    assert_bytes(model, 4, 1038);
}

/* ---- Step pipeline ---- */

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
static void test_step_pipeline_memory(void **state)
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
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_closed_forms_are_exact),
        cmocka_unit_test(test_varuna_beside_recomputation),
        cmocka_unit_test(test_micro_batches),
        cmocka_unit_test(test_all_reduce),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_schedules_by_hand),
        cmocka_unit_test(test_step_pipeline_memory),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_times_out_of_range),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
