/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A clairvoyant recovery system is told what it then sees, on random traces and models,
 * and no other system is told anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "random_case.h"

#define NUM_CASES 1000

typedef struct {
    bool knows;
    int64_t gap_ms; /* between questions */
    size_t *num_asked;
} options_t;

typedef struct {
    const spot_recovery_future_t *future;
} state_t;

static size_t state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

static void start(const void *options, void *state, const spot_recovery_start_t *run)
{
    assert_int_equal(run->future != NULL, ((const options_t *) options)->knows);
    ((state_t *) state)->future = run->future;
    if (run->future != NULL) {
        assert_true(run->future->num > 0);
        assert_int_equal(run->future->times_ms[0], 0);
    }
}

/* What was told at the start is what there is. */
static void decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const state_t *memory = state;

    if (self->knows) {
        assert_int_equal(spot_recovery_future_count(memory->future, view->now_ms),
            spot_recovery_num_usable(view));
    }
    ++*self->num_asked;
    decision->is_new = change->num_lost_active > 0;
    if (change->num_ready > 0) {
        decision->is_new = true;
        decision->num_active = view->num_active + view->num_standby;
    }
    decision->wake_ms = view->now_ms + self->gap_ms;
    decision->wakes = SPOT_WAKE_LAST;
}

static const spot_recovery_t seer = {
    .name = "seer",
    .options_size = sizeof(options_t),
    .state_size = state_size,
    .start = start,
    .decide = decide,
};

static void set_seer(spot_scenario_t *scenario, bool knows_future, size_t *num_asked)
{
    options_t *options = calloc(1, sizeof(*options));

    assert_non_null(options);
    *options = (options_t){knows_future, 1 + scenario->horizon_ms / 50, num_asked};
    spot_recovery_choice_free(&scenario->recovery);
    scenario->recovery = (spot_recovery_choice_t){
        .system = &seer, .traits = {.knows_future = knows_future}, .options = options};
}

static void test_recorded(void **state)
{
    size_t num_asked = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_scenario_t scenario;
        case_t self;

        draw_case(&self, seed);
        self.setting.num_on_demand = (int64_t) (seed % 3);
        bind_case(&self, &scenario);
        set_seer(&scenario, seed % 5 > 0, &num_asked);
        assert_int_equal(run_scenario(&scenario, 0, NULL).is_clairvoyant, seed % 5 > 0);
        spot_scenario_free(&scenario);
    }
    assert_true(num_asked > 10 * NUM_CASES);
}

/* The dice fall the same way for both; one engine for many runs. */
static void test_generated(void **state)
{
    spot_scenario_t scenario;
    spot_train_t train;
    size_t num_asked = 0;

    (void) state;
    bind_good_scenario(&scenario,
        "scenario: dice\nhorizon: 5 h\n"
        "fleet: {capacity: 24, initial: 12, preparation: 90 s}\n"
        "trace: {generator: seed, preemption: {per_minute: 0.2, count: {fixed: 2}},\n"
        "  addition: {per_minute: 0.2, count: {fixed: 3}}}\n"
        "job: {pipeline_depth: 4, step_time: {4: 10 s}}\n");
    set_seer(&scenario, true, &num_asked);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    for (uint64_t replication = 0; replication < 20; replication++) {
        assert_int_equal(spot_train_run(&train, 7, replication, NULL), 0);
    }
    assert_true(num_asked > 1000);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_generated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
