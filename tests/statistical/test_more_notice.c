/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More notice keeps no fewer steps on average, whatever the recovery system that uses
 * notices: runs of the same job on the same events with longer and longer notices. */
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

#define NUM_TRACES 420
#define NUM_INITIAL 14
#define MAX_ADDED 18
#define HORIZON_MS (2 * INT64_C(3600000))
#define MEAN_LIFE_MS (2.0 * 3600000)

/* A cost of this share of the steps without notice must not pass. */
#define RELEVANT 0.1

static const int64_t notices_ms[] = {0, 15000, 30000, 60000, 120000, 300000};
#define NUM_NOTICES (sizeof(notices_ms) / sizeof(notices_ms[0]))

static const law_row_t rows[] = {
    {.system = "checkpoint", .options = ""},
    {.system = "checkpoint", .options = ", growth: at_preemption, detection: 10 s"},
    {.system = "checkpoint", .options = ", grow_flush: yes"},
    {.system = "gemini",
        .options = ", state_bytes: 3e10, net_bytes_per_s: 1e10, remote_bytes_per_s: "
                   "1e9, restart: 20 s, replacement: shrink"},
    {.system = "gemini",
        .options = ", state_bytes: 3e10, net_bytes_per_s: 1e10, remote_bytes_per_s: "
                   "1e9, restart: 20 s, replacement: shrink, mem_every: 4, mem_overhead: "
                   "3 s"},
    {.system = "parcae", .options = ", min_depth: 1, published_defaults: yes"},
    {.system = "recycle", .options = ", micro_batch: 64, detection: 5 s, published_defaults: yes"},
    {.system = "varuna", .options = ", cut_points: 12, lead: 0 s, settle: 0 s"},
    {.system = "varuna",
        .options = ", cut_points: 12, every: 5, copy: 20 s, lead: 0 s, settle: 0 s"},
};
#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Steps of 10 s or so, and checkpoints of 4 to 40 s, of every mode. */
static void draw_job(case_t *self, uint64_t seed)
{
    *self = (case_t){.seed = seed,
        .setting = {.horizon_ms = HORIZON_MS,
            .tick_ms = 1000,
            .capacity = NUM_INITIAL + MAX_ADDED,
            .preparation_ms = 30000,
            .pipeline_depth = 3,
            .max_pipelines = 1000000,
            .num_points = 1,
            .points = {{1, 10000}},
            .checkpoint = {.mode = SPOT_CHECKPOINT_ASYNC,
                .write_ms = 4000 * (1 + (int64_t) mixed(seed, 300, 10))},
            .reconfiguration_ms = 20000,
            .reload_ms = 15000,
            .num_prices = 1,
            .prices = {{0, 1}}}};
    if (seed % 2 == 0) {
        self->setting.checkpoint.mode = SPOT_CHECKPOINT_SYNC;
        self->setting.checkpoint.every_kind = SPOT_EVERY_STEPS;
        self->setting.checkpoint.every_steps = 10 + (int64_t) mixed(seed, 301, 20);
    }
}

static void draw_trace(case_t *self, uint64_t seed)
{
    draw_job(self, seed);
    self->trace_end_ms = HORIZON_MS;
    self->num_lives = NUM_INITIAL + MAX_ADDED;
    for (size_t j = 0; j < self->num_lives; j++) {
        const double u = ((double) mixed(seed, 2 * j, 1 << 30) + 0.5) / (1 << 30);
        const int64_t birth_ms = j < NUM_INITIAL ? -1 : (int64_t) mixed(seed, 1000 + j, HORIZON_MS);
        const int64_t death_ms =
            (birth_ms < 0 ? 0 : birth_ms) + 1 + (int64_t) (-log(u) * MEAN_LIFE_MS);

        self->lives[j] =
            (life_t){(int) j, birth_ms, death_ms > HORIZON_MS ? STAYS : death_ms, false};
    }
}

static double kept_of(const law_row_t *row, uint64_t seed, int64_t notice_ms)
{
    spot_train_result_t result;
    spot_scenario_t scenario;
    case_t self;

    draw_trace(&self, seed);
    self.setting.notice_ms = notice_ms;
    law_bind(row, &self, (law_job_t) (seed % NUM_LAW_JOBS), true, &scenario);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    return kept_steps(&result);
}

/* The gain of each notice over the one before it, in steps kept without notice on
 * average. Returns the least one in standard errors. */
static double least_gain(const law_row_t *row)
{
    spot_moments_t gains[NUM_NOTICES] = {{0}}, all = {0};
    double least = HUGE_VAL, mean_kept[NUM_LAW_JOBS] = {0};
    static double kept[NUM_TRACES][NUM_NOTICES];

    for (uint64_t seed = 0; seed < NUM_TRACES; seed++) {
        for (size_t j = 0; j < NUM_NOTICES; j++) {
            kept[seed][j] = kept_of(row, seed, notices_ms[j]);
        }
        mean_kept[seed % NUM_LAW_JOBS] += kept[seed][0] * NUM_LAW_JOBS / NUM_TRACES;
    }
    for (uint64_t seed = 0; seed < NUM_TRACES; seed++) {
        for (size_t j = 1; j < NUM_NOTICES; j++) {
            spot_moments_add(
                &gains[j], (kept[seed][j] - kept[seed][j - 1]) / mean_kept[seed % NUM_LAW_JOBS]);
        }
        spot_moments_add(
            &all, (kept[seed][NUM_NOTICES - 1] - kept[seed][0]) / mean_kept[seed % NUM_LAW_JOBS]);
    }
    print_message("{system: %s%s}\n", row->system, row->options);
    for (size_t j = 1; j < NUM_NOTICES; j++) {
        const double mean = spot_moments_mean(&gains[j]);
        const double se = spot_moments_stderr(&gains[j]);
        const double z = mean == 0 ? 0 : mean / se;

        print_message("  notice of %lld s instead of %lld s: %+.4f, standard error %.2g, "
                      "z %+.1f\n",
            (long long) notices_ms[j] / 1000, (long long) notices_ms[j - 1] / 1000, mean, se, z);
        assert_true(row->table != NULL || se * POWER_Z <= RELEVANT);
        least = z < least ? z : least;
    }
    print_message("  in all: %+.4f\n", spot_moments_mean(&all));
    return least;
}

/* Writes a checkpoint as soon as a loss is announced, and waits for it. */
static void hasty_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const int64_t num = spot_job_pipelines(view->job, spot_recovery_num_usable(view));
    const bool has_loss = change->num_lost_active > 0;

    (void) options;
    (void) state;
    if (!has_loss && spot_recovery_first_deadline_ms(view, decision) < INT64_MAX) {
        if (view->num_pipelines > 0) {
            decision->is_new = true;
            spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
            decision->work = SPOT_WORK_STEPS_KEPT;
            decision->num_active = view->num_active;
            decision->flush_ms = spot_checkpoint_full_ms(&view->job->checkpoint);
        }
    } else if (has_loss || num > view->num_pipelines) {
        decision->is_new = true;
        spot_recovery_decision_set_pipelines(decision, view->job, num);
        decision->reconfiguration_ms = view->job->reconfiguration_ms;
        decision->reload_ms = view->job->reload_ms;
    }
}

static const spot_recovery_t hasty = {.name = "hasty", .decide = hasty_decide};

/* The law is sharp enough to find the hasty system. */
static void test_more_notice_is_no_loss(void **state)
{
    const law_row_t wrong = {.system = "hasty", .options = "", .table = &hasty};
    int num_failed = 0;

    (void) state;
    for (size_t j = 0; j < NUM_ROWS; j++) {
        num_failed += least_gain(&rows[j]) < -MAX_Z;
    }
    assert_int_equal(num_failed, 0);
    assert_true(least_gain(&wrong) < -MAX_Z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_notice_is_no_loss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
