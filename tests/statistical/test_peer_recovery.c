/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of losses from which "gemini" recovers in memory, against the probability
 * that every group keeps a survivor when any k instances of N are lost at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/stats.h"
#include "models/checkpoint_theory.h"
#include "sim/train/job/train.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/train/fixture.h"

#define NUM_RUNS 400
#define NUM_LOSSES 1000 /* in a run */
#define GAP_MS 100000
#define RELEVANT 0.01

/* A trace without a file: at equal times so many are lost, in any order, and replaced
 * in the same instant. */
typedef struct {
    spot_model_common_t common;
    int32_t num_lost;
} bursts_t;

typedef struct {
    int32_t num_lost;
    int64_t event_id; /* even: a loss, odd: its replacement */
} bursts_state_t;

static void bursts_free(void *model)
{
    (void) model;
}

static void bursts_start(void *state, const void *model, const spot_dice_t *dice)
{
    bursts_state_t *self = state;

    (void) dice;
    self->num_lost = ((const bursts_t *) model)->num_lost;
    self->event_id = 0;
}

static bool bursts_next(void *state, spot_event_t *event)
{
    bursts_state_t *self = state;

    event->time_ms = (self->event_id / 2 + 1) * GAP_MS;
    event->kind = self->event_id % 2 == 0 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD;
    event->count = self->num_lost;
    event->name_ids = NULL;
    self->event_id++;
    return self->event_id <= 2 * (int64_t) NUM_LOSSES;
}

static const spot_generator_t generator_bursts = {
    .name = "bursts",
    .model_size = sizeof(bursts_t),
    .state_size = sizeof(bursts_state_t),
    .free = bursts_free,
    .start = bursts_start,
    .next = bursts_next,
};

typedef struct {
    int num_instances;
    int group_size;
    int num_lost;
} case_t;

static void make_scenario(spot_scenario_t *scenario, const case_t *self)
{
    bursts_t *bursts = calloc(1, sizeof(*bursts));
    char text[1024];

    snprintf(text, sizeof(text),
        "scenario: bursts\nhorizon: %d s\ntick: 1 s\n"
        "fleet: {capacity: %d, initial: %d, preparation: 0 s}\n"
        "job: {pipeline_depth: %d, step_time: {%d: 1 s}, checkpoint: {every: 1 h}}\n"
        "recovery: {system: gemini, group_size: %d, state_bytes: 1e9, "
        "net_bytes_per_s: 1e9, remote_bytes_per_s: 1e9, restart: 1 s, mem_overhead: 0 "
        "s}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n",
        (NUM_LOSSES + 1) * (GAP_MS / 1000), self->num_instances, self->num_instances,
        self->num_instances, self->num_instances, self->group_size);
    bind_good_scenario(scenario, text);
    assert_non_null(bursts);
    bursts->common = *spot_trace_model_common(&scenario->trace);
    bursts->num_lost = self->num_lost;
    spot_trace_model_free(&scenario->trace);
    scenario->trace.generator = &generator_bursts;
    scenario->trace.model = bursts;
}

/* A run rolls back once for each loss that memory does not cover. */
static void check_case(const case_t *self)
{
    spot_moments_t shares = {0};
    spot_scenario_t scenario;
    spot_train_t train;
    char what[64];
    double truth;

    make_scenario(&scenario, self);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    for (uint64_t j = 0; j < NUM_RUNS; j++) {
        assert_int_equal(spot_train_run(&train, 1, j, NULL), 0);
        assert_int_equal(train.result.preempted, NUM_LOSSES * self->num_lost);
        spot_moments_add(&shares, 1 - (double) train.result.rollbacks / (double) NUM_LOSSES);
    }
    assert_int_equal(spot_peer_recovery_probability(
                         self->num_instances, self->group_size, self->num_lost, &truth),
        0);
    snprintf(what, sizeof(what), "%d instances in groups of %d, %d lost", self->num_instances,
        self->group_size, self->num_lost);
    assert_mean(what, &shares, truth, RELEVANT);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

static void test_share_of_recoveries(void **state)
{
    static const case_t cases[] = {{16, 2, 2}, {16, 2, 3}, {16, 2, 4}, {16, 4, 7}, {10, 3, 4}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_of_recoveries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
