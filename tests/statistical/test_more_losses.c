/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More losses keep no more steps on average, whatever the recovery system: pairs of runs
 * with the same additions, in the second of which each instance is lost at the same time
 * or earlier, at twice the rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics.h"
#include "tests/unit/train/fixture.h"
#include "tests/unit/train/law_case.h"
#include "tests/unit/train/policy_laws.h"
#include "tests/unit/train/set_recovery.h"

#define NUM_PAIRS 210
#define NUM_INITIAL 14
#define MAX_ADDED 18
#define HORIZON_MS (2 * INT64_C(3600000))

/* A gain of this share of the steps of "ideal" must not pass. */
#define RELEVANT 0.15

/* Many losses with additions, and few losses without additions. With few losses and
 * additions the law does not hold for growth "at_preemption", which uses additions only
 * at the next loss. */
typedef struct {
    double mean_life_ms; /* of an instance, with the fewer losses */
    size_t num_added;
} regime_t;

static const regime_t regimes[] = {
    {1.5 * 3600000, MAX_ADDED},
    {10.0 * 3600000, 0},
};

static double draw_life_ms(const regime_t *regime, uint64_t seed, uint64_t place)
{
    const double u = ((double) mixed(seed, place, 1 << 30) + 0.5) / (1 << 30);

    return -log(u) * regime->mean_life_ms;
}

/* Steps of 10 s or so. factor: of the rate of losses, 1 or 2; what is lost with 1 is
 * lost with 2 too, at the same time or earlier. */
static void draw_pair(case_t *self, const regime_t *regime, uint64_t seed, int factor)
{
    *self = (case_t){.seed = seed,
        .setting = {.horizon_ms = HORIZON_MS,
            .tick_ms = 1000,
            .capacity = NUM_INITIAL + MAX_ADDED,
            .preparation_ms = 30000,
            .notice_ms = seed % 4 == 0 ? 120000 : 0,
            .pipeline_depth = 3,
            .max_pipelines = 1000000,
            .num_points = 1,
            .points = {{1, 10000}},
            .checkpoint = {.mode = SPOT_CHECKPOINT_ASYNC, .write_ms = 30000},
            .reconfiguration_ms = 20000,
            .reload_ms = 15000,
            .num_prices = 1,
            .prices = {{0, 1}}}};
    self->trace_end_ms = HORIZON_MS;
    self->num_lives = NUM_INITIAL + regime->num_added;
    for (size_t j = 0; j < self->num_lives; j++) {
        const int64_t birth_ms = j < NUM_INITIAL ? -1 : (int64_t) mixed(seed, 1000 + j, HORIZON_MS);
        double life_ms = draw_life_ms(regime, seed, 2 * j);
        int64_t death_ms;

        if (factor == 2) {
            life_ms = fmin(life_ms, draw_life_ms(regime, seed, 2 * j + 1));
        }
        death_ms = (birth_ms < 0 ? 0 : birth_ms) + 1 + (int64_t) life_ms;
        self->lives[j] =
            (life_t){(int) j, birth_ms, death_ms > HORIZON_MS ? STAYS : death_ms, false};
    }
}

/* Kept steps under the row, or under "ideal" (NULL). */
static double kept_of(const law_row_t *row, const regime_t *regime, uint64_t seed, int factor)
{
    const law_job_t job = (law_job_t) (seed % NUM_LAW_JOBS);
    spot_train_result_t result;
    spot_scenario_t scenario;
    case_t self;

    draw_pair(&self, regime, seed, factor);
    if (row == NULL) {
        law_bind_ideal(&self, job, true, &scenario);
    } else {
        law_bind(row, &self, job, true, &scenario);
    }
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    return kept_steps(&result);
}

/* ideals: [NUM_LAW_JOBS] mean steps of "ideal" with the fewer losses. Returns the mean
 * cost of more losses in standard errors. */
static double cost_of_losses(const law_row_t *row, const regime_t *regime, const double *ideals)
{
    spot_moments_t costs = {0};
    double mean, se;

    for (uint64_t seed = 0; seed < NUM_PAIRS; seed++) {
        const double cost = kept_of(row, regime, seed, 1) - kept_of(row, regime, seed, 2);

        spot_moments_add(&costs, cost / ideals[seed % NUM_LAW_JOBS]);
    }
    mean = spot_moments_mean(&costs);
    se = spot_moments_stderr(&costs);
    print_message("{system: %s%s}: twice the losses cost %.4f of ideal, standard error "
                  "%.2g, z %.1f, power %.0f\n",
        row->system, row->options, mean, se, mean == 0 ? 0 : mean / se, RELEVANT / se);
    assert_true(row->table != NULL || se * POWER_Z <= RELEVANT);
    return mean == 0 ? 0 : mean / se;
}

/* Faster with each loss. */
static size_t lucky_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(int64_t);
}

static void lucky_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const int64_t num = spot_job_pipelines(view->job, spot_recovery_num_usable(view));
    int64_t *num_losses = state;

    (void) options;
    *num_losses += change->num_lost_active;
    if (change->num_lost_active == 0 && num <= view->num_pipelines) {
        return;
    }
    decision->is_new = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    spot_recovery_decision_set_pipelines(decision, view->job, num);
    if (num > 0) {
        spot_recovery_decision_set_step(
            decision, view->job, 1 + 2 * spot_job_step_ms(view->job, num) / (2 + *num_losses));
    }
}

static const spot_recovery_t lucky = {
    .name = "lucky", .state_size = lucky_state_size, .decide = lucky_decide};

/* The law is sharp enough to find the lucky system. */
static void check_regime(const regime_t *regime)
{
    const law_row_t wrong = {.system = "lucky", .options = "", .table = &lucky};
    law_row_t rows[LAW_MAX_ROWS];
    const size_t num_rows = law_rows(rows);
    double ideals[NUM_LAW_JOBS] = {0};

    for (uint64_t seed = 0; seed < NUM_PAIRS; seed++) {
        const double ideal = kept_of(NULL, regime, seed, 1);

        assert_true(kept_of(NULL, regime, seed, 2) <= ideal + 1e-9);
        ideals[seed % NUM_LAW_JOBS] += ideal * NUM_LAW_JOBS / NUM_PAIRS;
    }
    for (size_t j = 0; j < num_rows; j++) {
        const double z = cost_of_losses(&rows[j], regime, ideals);

        if (z < -MAX_Z) {
            fail_msg("{system: %s%s} keeps more with more losses: z = %.1f", rows[j].system,
                rows[j].options, z);
        }
    }
    assert_true(cost_of_losses(&wrong, regime, ideals) < -MAX_Z);
}

static void test_many_losses(void **state)
{
    (void) state;
    check_regime(&regimes[0]);
}

static void test_few_losses(void **state)
{
    (void) state;
    check_regime(&regimes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_losses),
        cmocka_unit_test(test_few_losses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
