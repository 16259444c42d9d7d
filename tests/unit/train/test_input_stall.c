/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that wait for data, by hand: a fleet that stays and its closed form, an epoch
 * with cold and warm caches, checkpoints, recovery systems that lose nothing. All
 * expected times are worked out on paper, and the engine and its twin must have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "input_case.h"
#include "log_hash.h"
#include "random_case.h"
#include "twin.h"

/* ---- Running a case ---- */

static void run_twin(const case_t *self, spot_train_result_t *result)
{
    spot_scenario_t scenario;

    bind_case(self, &scenario);
    twin_run(&self->setting, scenario.trace.recording, result);
    spot_scenario_free(&scenario);
}

static void run_engine(const case_t *self, spot_train_result_t *result)
{
    spot_scenario_t scenario;

    bind_case(self, &scenario);
    *result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
}

/* ---- A fleet that stays: refill, free steps, steps of one length ---- */

typedef struct {
    const char *name;
    int64_t pipelines, depth, step_ms, samples_per_step;
    int instances, mode;
    int64_t overlap_ns;
    double local_share, bytes_per_s;
    int64_t cache_bytes, samples, sample_bytes; /* with a cache */
    int64_t block, threads;                     /* above 1: what merging adds */
    int64_t refill_ms;                          /* expected */
    int64_t free_steps;
    int64_t first_steps, first_wait_ms; /* while the caches are cold */
    int64_t wait_ms;
} constant_t;

/* T_b of 128 samples 1651.439 ms, of 512 6605.756 ms. */
static const constant_t constants[] = {
    {.name = "128 samples for each",
        .pipelines = 4,
        .step_ms = 100,
        .refill_ms = 3431,
        .free_steps = 8,
        .wait_ms = 106},
    {.name = "512 samples",
        .pipelines = 1,
        .step_ms = 183,
        .refill_ms = 8386,
        .free_steps = 8,
        .wait_ms = 643},
    {.name = "rounded up to 128 samples",
        .pipelines = 4,
        .step_ms = 100,
        .samples_per_step = 509,
        .refill_ms = 3431,
        .free_steps = 8,
        .wait_ms = 106},
    {.name = "one of each pipeline loads",
        .pipelines = 1,
        .depth = 4,
        .step_ms = 100,
        .refill_ms = 8386,
        .free_steps = 8,
        .wait_ms = 726},
    {.name = "all load",
        .pipelines = 1,
        .depth = 4,
        .step_ms = 100,
        .instances = SPOT_LOADER_ALL,
        .refill_ms = 3431,
        .free_steps = 8,
        .wait_ms = 106},
    {.name = "at the limit of 206 ms",
        .pipelines = 4,
        .step_ms = 206,
        .refill_ms = 3431,
        .free_steps = 8},
    {.name = "above it", .pipelines = 4, .step_ms = 900, .refill_ms = 3431},
    {.name = "synchronous",
        .pipelines = 4,
        .step_ms = 100,
        .mode = SPOT_LOADER_SYNCHRONOUS,
        .refill_ms = 1780,
        .wait_ms = 1651},
    {.name = "synchronous from a shared storage", /* T_s 844.8 ms, T_b 2227.439 ms */
        .pipelines = 4,
        .step_ms = 100,
        .mode = SPOT_LOADER_SYNCHRONOUS,
        .local_share = 0.25,
        .bytes_per_s = 1e8,
        .refill_ms = 1780,
        .wait_ms = 3072},
    {.name = "shared storage is the limit",
        .pipelines = 4,
        .step_ms = 100,
        .local_share = 0.25,
        .bytes_per_s = 1e8,
        .refill_ms = 8538,
        .free_steps = 8,
        .wait_ms = 745},
    {.name = "half of it is remote", /* T_b 2035.439 ms */
        .pipelines = 4,
        .step_ms = 100,
        .local_share = 0.5,
        .refill_ms = 3815,
        .free_steps = 8,
        .wait_ms = 154},
    {.name = "loaders start earlier",
        .pipelines = 4,
        .step_ms = 100,
        .overlap_ns = 2000000000,
        .refill_ms = 1431,
        .free_steps = 8,
        .wait_ms = 106},
    {.name = "loaders start so early that they are ready",
        .pipelines = 4,
        .step_ms = 100,
        .overlap_ns = 5000000000,
        .free_steps = 8,
        .wait_ms = 106},
    {.name = "blocks", /* 0.5 + 3.198 + (7.665 + 1) x 1.1 ms; T_b 1954.351 ms */
        .pipelines = 4,
        .step_ms = 100,
        .block = 64,
        .threads = 4,
        .refill_ms = 3734,
        .free_steps = 8,
        .wait_ms = 144},
    {.name = "cold caches, then half of the samples", /* T_b 2419.439 ms, 2035.439 ms */
        .pipelines = 4,
        .step_ms = 100,
        .local_share = 1e-9,
        .cache_bytes = 640000,
        .samples = 5120,
        .sample_bytes = 1000,
        .refill_ms = 4199,
        .free_steps = 8,
        .first_steps = 10,
        .first_wait_ms = 202,
        .wait_ms = 154},
    {.name = "caches are large enough for all",
        .pipelines = 4,
        .step_ms = 100,
        .local_share = 0.5,
        .cache_bytes = 10000000,
        .samples = 5120,
        .sample_bytes = 1000,
        .refill_ms = 3815,
        .free_steps = 8,
        .first_steps = 10,
        .first_wait_ms = 154,
        .wait_ms = 106},
};

#define NUM_CONSTANTS (sizeof(constants) / sizeof(constants[0]))

static void set_constant(case_t *self, const constant_t *row, int64_t horizon_ms)
{
    spot_loader_t *input = &self->setting.input;

    set_fleet(self, row->pipelines, row->depth > 0 ? row->depth : 1, horizon_ms);
    set_step_ms(self, row->step_ms);
    if (row->samples_per_step > 0) {
        self->setting.samples_per_step = row->samples_per_step;
    }
    input->instances = row->instances;
    input->mode = row->mode;
    input->overlap_ns = row->overlap_ns;
    input->local_share = row->local_share > 0 ? row->local_share : 1;
    input->bytes_per_s = row->bytes_per_s;
    if (row->cache_bytes > 0) {
        input->cache_bytes = row->cache_bytes;
        input->samples = row->samples;
        input->sample_bytes = row->sample_bytes;
    }
    if (row->block > 1) {
        input->block = row->block;
        input->threads = row->threads;
        input->cost.open_ns[SPOT_SITE_LOCAL] = 32000000;
        input->cost.merged_ns = 1000000;
        input->cost.thread_growth = 0.05;
    }
}

/* What passes of a number of equal steps, each of which waits before its work. */
static int64_t take_steps(
    int64_t *left_ms, int64_t most, int64_t wait_ms, int64_t step_ms, int64_t *stalled_ms)
{
    const int64_t in_time = *left_ms / (wait_ms + step_ms);
    const int64_t steps = in_time < most ? in_time : most;

    *left_ms -= steps * (wait_ms + step_ms);
    *stalled_ms += steps * wait_ms;
    if (steps < most) { /* it begins one more */
        *stalled_ms += *left_ms < wait_ms ? *left_ms : wait_ms;
        *left_ms = 0;
    }
    return steps;
}

static void assert_is_constant(
    const constant_t *row, int64_t horizon_ms, const spot_train_result_t *result)
{
    const int64_t world_size = row->pipelines * (row->depth > 0 ? row->depth : 1);
    const int64_t refill_ms = row->refill_ms < horizon_ms ? row->refill_ms : horizon_ms;
    const int64_t num_cold =
        row->first_steps > row->free_steps ? row->first_steps - row->free_steps : 0;
    int64_t left_ms = horizon_ms - refill_ms, stalled_ms = 0, steps;

    steps = take_steps(&left_ms, row->free_steps, 0, row->step_ms, &stalled_ms);
    steps += take_steps(&left_ms, num_cold, row->first_wait_ms, row->step_ms, &stalled_ms);
    steps += take_steps(&left_ms, INT64_MAX, row->wait_ms, row->step_ms, &stalled_ms);
    if (result->steps_executed != steps || result->input_stalled_ms != stalled_ms ||
        result->job_ms[SPOT_JOB_RELOADING] != refill_ms) {
        fail_msg("%s: %lld steps, %lld ms stalled, %lld ms reloading; expected %lld, "
                 "%lld, %lld",
            row->name, (long long) result->steps_executed, (long long) result->input_stalled_ms,
            (long long) result->job_ms[SPOT_JOB_RELOADING], (long long) steps,
            (long long) stalled_ms, (long long) refill_ms);
    }
    assert_int_equal(result->stalled_ms, stalled_ms);
    assert_int_equal(result->steps_durable, steps);
    assert_int_equal(result->input_stalled_instance_ms, world_size * stalled_ms);
    assert_int_equal(result->ledger.instance_ms[SPOT_SHARE_STALLED], world_size * stalled_ms);
    assert_int_equal(result->ledger.instance_ms[SPOT_SHARE_RELOADING], world_size * refill_ms);
    assert_int_equal(
        result->ledger.instance_ms[SPOT_SHARE_USEFUL], world_size * steps * row->step_ms);
    assert_int_equal(spot_ledger_total(&result->ledger), result->ledger.population_ms);
}

/* Ends within the refill, free steps, waits, work, and long after. */
static const int64_t horizons_ms[] = {
    1000, 3431, 4000, 4999, 5055, 5411, 5412, 8999, 9876, 20057, 123456};

static void check_constants(bool is_twin)
{
    for (size_t j = 0; j < NUM_CONSTANTS; j++) {
        for (size_t k = 0; k < sizeof(horizons_ms) / sizeof(horizons_ms[0]); k++) {
            spot_train_result_t result;
            case_t self;

            set_constant(&self, &constants[j], horizons_ms[k]);
            if (is_twin) {
                run_twin(&self, &result);
            } else {
                run_engine(&self, &result);
            }
            assert_is_constant(&constants[j], horizons_ms[k], &result);
        }
    }
}

static void test_constant_fleet_of_twin(void **state)
{
    (void) state;
    check_constants(true);
}

/* Simulated stall = closed form. */
static void test_constant_fleet(void **state)
{
    (void) state;
    check_constants(false);
}

/* ---- Checkpoints and waits ---- */

/* Steps of 100 ms, and a checkpoint when 250 ms of work are done: after 3, 6, 9, 12 of
 * them. Waits are no work. 3431 + 8 x 100 + 4 x 206 + 4 x 50 ms, and 7 ms more. */
static void set_checkpoints(case_t *self)
{
    set_fleet(self, 4, 1, 5262);
    set_step_ms(self, 100);
    self->setting.checkpoint = (spot_checkpoint_t){.mode = SPOT_CHECKPOINT_SYNC,
        .every_kind = SPOT_EVERY_DURATION,
        .every_ms = 250,
        .write_ms = 50};
}

static void assert_checkpoints(const spot_train_result_t *result)
{
    assert_int_equal(result->steps_executed, 12);
    assert_int_equal(result->steps_durable, 12);
    assert_int_equal(result->checkpoints_durable, 4);
    assert_int_equal(result->input_stalled_ms, 4 * 106 + 7);
    assert_int_equal(result->stalled_ms - result->input_stalled_ms, 4 * 50);
    assert_int_equal(result->ledger.instance_ms[SPOT_SHARE_USEFUL], 4 * 12 * 100);
}

/* ---- An instance is lost and another one comes ---- */

/* Epochs of 10 steps, caches for half of the samples of 4 instances. One is lost at
 * 10 s, another one is ready at 21 s. */
static void set_timeline(case_t *self)
{
    twin_setting_t *setting = &self->setting;

    set_fleet(self, 4, 1, 30000);
    setting->num_points = 2;
    setting->points[0] = (spot_step_point_t){3, 120};
    setting->points[1] = (spot_step_point_t){4, 100};
    setting->reconfiguration_ms = 1000;
    setting->reload_ms = 500;
    setting->input.local_share = 0.2;
    setting->input.samples = 5120;
    setting->input.sample_bytes = 1000;
    setting->input.cache_bytes = 640000;
    self->lives[1].death_ms = 10000;
    self->lives[self->num_lives++] = (life_t){4, 20000, STAYS, false};
}

/* At x = 0.2 T_b is 2265.839 ms: refill 4046 ms, 8 steps of 100 ms, 2 of 283 ms; then
 * half is cached: 18 of 254 ms, and 16 ms of the next wait.
 * 3 instances at x = 0.5 x 3 / 4, T_b of 171 samples 2847.469 ms: training from
 * 10000 + 1000 + 500 + 4627 ms, 8 steps of 120 ms, 10 of 356 ms whether in the first
 * epoch or later (640 kB of 1706667 B), 353 ms of the next.
 * 4 instances with cold caches: training from 21000 + 1500 + 4199 ms, 8 steps of 100 ms,
 * 2 of 302 ms, 7 of 254 ms, 119 ms of the next wait. */
static void assert_timeline(const spot_train_result_t *result)
{
    const int64_t stalled_ms[] = {2 * 183 + 18 * 154 + 16, 11 * 236, 2 * 202 + 7 * 154 + 119};

    assert_int_equal(result->job_ms[SPOT_JOB_RECONFIGURING], 2000);
    assert_int_equal(result->job_ms[SPOT_JOB_RELOADING], 4046 + 5127 + 4699);
    assert_int_equal(result->steps_executed, 28 + 18 + 17);
    assert_int_equal(result->steps_lost, 0);
    assert_int_equal(result->rollbacks, 2);
    assert_int_equal(result->lost_ms, 353 - 236);
    assert_int_equal(result->input_stalled_ms, stalled_ms[0] + stalled_ms[1] + stalled_ms[2]);
    assert_int_equal(result->input_stalled_instance_ms,
        4 * stalled_ms[0] + 3 * stalled_ms[1] + 4 * stalled_ms[2]);
    assert_int_equal(result->stalled_ms, result->input_stalled_ms);
}

static const struct {
    void (*set)(case_t *self);
    void (*check)(const spot_train_result_t *result);
} by_hand[] = {{set_checkpoints, assert_checkpoints}, {set_timeline, assert_timeline}};

static void test_by_hand_of_twin(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(by_hand) / sizeof(by_hand[0]); j++) {
        spot_train_result_t result;
        case_t self;

        by_hand[j].set(&self);
        run_twin(&self, &result);
        by_hand[j].check(&result);
    }
}

static void test_by_hand(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(by_hand) / sizeof(by_hand[0]); j++) {
        spot_train_result_t result;
        case_t self;

        by_hand[j].set(&self);
        run_engine(&self, &result);
        by_hand[j].check(&result);
    }
}

/* ---- Without a loader, or with one that costs nothing ---- */

#define NUM_PINNED 300

/* Hashed before there were loaders: scenarios and traces as text, and the logs of their
 * runs. All steps below the smallest world size were flat then. */
static void test_without_input_nothing_changes(void **state)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_PINNED; seed++) {
        char text[CASE_TEXT_BYTES];
        FILE *out = fmemopen(text, sizeof(text), "w");
        spot_train_result_t result;
        spot_scenario_t scenario;

        draw_case(&self, seed);
        self.setting.is_flat_below = false; /* the text says nothing of it */
        assert_non_null(out);
        write_scenario(out, &self, "case.csv");
        write_trace(out, &self);
        assert_int_equal(fclose(out), 0);
        self.setting.is_flat_below = true;
        bind_case(&self, &scenario);
        result = run_scenario(&scenario, 0, &log);
        assert_int_equal(result.input_stalled_ms, 0);
        assert_int_equal(result.input_stalled_instance_ms, 0);
        hash = hash_bytes(hash, text, strlen(text));
        hash ^= log_hash(&log);
        spot_scenario_free(&scenario);
    }
    spot_event_log_free(&log);
    assert_int_equal(hash, UINT64_C(0x318204ec43f7d7af));
}

static void test_free_loader_changes_nothing(void **state)
{
    static const spot_loader_t free_loader = {.is_given = true,
        .processes = 3,
        .prefetch = 2,
        .threads = 1,
        .block = 1,
        .cost = {.collate_batch = 512},
        .local_share = 1};

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_PINNED; seed++) {
        spot_train_result_t without, with;
        case_t self;

        draw_case(&self, seed);
        run_engine(&self, &without);
        self.setting.input = free_loader;
        self.setting.input.mode = seed % 2 == 0 ? SPOT_LOADER_SYNCHRONOUS : SPOT_LOADER_PREFETCH;
        self.setting.samples_per_step = 512;
        run_engine(&self, &with);
        assert_null(result_difference(&without, &with));
        run_twin(&self, &with);
        assert_null(result_difference(&without, &with));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_fleet_of_twin),
        cmocka_unit_test(test_by_hand_of_twin),
        cmocka_unit_test(test_without_input_nothing_changes),
        cmocka_unit_test(test_free_loader_changes_nothing),
        cmocka_unit_test(test_constant_fleet),
        cmocka_unit_test(test_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
