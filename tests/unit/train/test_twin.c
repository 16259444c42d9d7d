/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine against its twin on thousands of random traces and jobs: every number of
 * the result is equal. SPOT_TEST_SEED=N runs case N alone, SPOT_TEST_CASES=N that many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "log_hash.h"
#include "random_case.h"
#include "twin.h"

#define NUM_CASES (6000 / SPOT_FEWER)

static void print_case(const case_t *self)
{
    char text[CASE_TEXT_BYTES];
    FILE *out = fmemopen(text, sizeof(text), "w");

    assert_non_null(out);
    write_scenario(out, self, "case.csv");
    write_trace(out, self);
    assert_int_equal(fclose(out), 0);
    fputs(text, stderr);
}

/* ---- Comparing and shrinking ---- */

/* The first difference between the engine and its twin, or NULL. */
static const char *first_difference(
    const case_t *self, spot_train_result_t *engine, spot_train_result_t *twin)
{
    spot_scenario_t scenario;

    bind_case(self, &scenario);
    *engine = run_scenario(&scenario, 0, NULL);
    twin_run(&self->setting, scenario.trace.recording, twin);
    spot_scenario_free(&scenario);
    /* dollars are summed in another order */
    return !(fabs(engine->cost_usd - twin->cost_usd) <= 1e-12 * twin->cost_usd)
               ? "cost_usd"
               : result_difference(engine, twin);
}

static bool is_different(const case_t *self)
{
    spot_train_result_t engine, twin;

    return first_difference(self, &engine, &twin) != NULL;
}

/* Sets a number to a simpler value if the difference stays. */
static void simplify(case_t *self, int64_t *number, int64_t value)
{
    const int64_t before = *number;

    *number = value;
    if (before != value && !is_different(self)) {
        *number = before;
    }
}

/* Without a loader or with a simpler one. */
static void shrink_input(case_t *self)
{
    spot_loader_t *input = &self->setting.input;
    const spot_loader_t before = *input;

    if (input->is_given) {
        *input = (spot_loader_t){.is_given = false};
        if (is_different(self)) {
            return;
        }
        *input = before;
        simplify(self, &input->cache_bytes, 0);
        simplify(self, &input->overlap_ns, 0);
        simplify(self, &input->cost.start_ns, 0);
        simplify(self, &input->cost.collate_ns, 0);
        simplify(self, &input->processes, 1);
        simplify(self, &input->block, 1);
    }
}

static void drop_lives(case_t *self)
{
    for (size_t j = self->num_lives; j-- > 0;) {
        const case_t before = *self;

        self->num_lives--;
        memmove(
            &self->lives[j], &self->lives[j + 1], (self->num_lives - j) * sizeof(self->lives[0]));
        if (!is_different(self)) {
            *self = before;
        }
    }
}

/* A smaller case that still differs: fewer instances, simpler numbers. */
static void shrink(case_t *self)
{
    twin_setting_t *setting = &self->setting;

    for (int round = 0; round < 4; round++) {
        drop_lives(self);
        shrink_input(self);
        simplify(self, &setting->until_steps, self->is_until_inside ? 1 : 0);
        simplify(self, &setting->detection_ms, 0);
        simplify(self, &setting->preparation_ms, 0);
        simplify(self, &setting->reload_ms, 0);
        simplify(self, &setting->reconfiguration_ms, 0);
        simplify(self, &setting->checkpoint.snapshot_ms, 0);
        simplify(self, &setting->checkpoint.write_ms, 0);
        simplify(self, &setting->max_pipelines, 1000000);
        simplify(self, &setting->pipeline_depth, 1);
        if (!self->is_until_inside) {
            simplify(self, &setting->horizon_ms, setting->horizon_ms / 2 + 1);
        }
    }
}

static void report_difference(case_t *self)
{
    spot_train_result_t engine, twin;
    const char *field = first_difference(self, &engine, &twin);

    print_error("case %llu: %s differs: engine %lld, twin %lld\n", (unsigned long long) self->seed,
        field, (long long) result_value(&engine, field), (long long) result_value(&twin, field));
    shrink(self);
    field = first_difference(self, &engine, &twin);
    print_error("shrunk: %s differs: engine %lld, twin %lld\n", field,
        (long long) result_value(&engine, field), (long long) result_value(&twin, field));
    print_case(self);
}

/* ---- The tests ---- */

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

/* How many cases had what: a property test that never meets the trap proves nothing. */
typedef struct {
    const char *what;
    bool (*holds)(const case_t *self, const spot_train_result_t *result);
    size_t num_cases;
} coverage_t;

static bool has_instance_gone_within_a_tick(const case_t *self)
{
    const int64_t tick_ms = self->setting.tick_ms;

    for (size_t j = 0; j < self->num_lives; j++) {
        const life_t *life = &self->lives[j];

        if (life->birth_ms >= 0 && life->death_ms <= self->setting.horizon_ms &&
            (life->birth_ms + tick_ms - 1) / tick_ms == (life->death_ms + tick_ms - 1) / tick_ms) {
            return true;
        }
    }
    return false;
}

static bool has_returned_name(const case_t *self)
{
    for (size_t j = 0; j < self->num_lives; j++) {
        if (self->lives[j].name != (int) j) {
            return true;
        }
    }
    return false;
}

/* At least three at one instant, and nobody lived on. */
static bool are_all_preempted_at_once(const case_t *self)
{
    for (size_t j = 0; j < self->num_lives; j++) {
        size_t num_together = 0, num_others = 0;

        for (size_t k = 0; k < self->num_lives; k++) {
            const life_t *life = &self->lives[k];
            const bool is_together = life->death_ms == self->lives[j].death_ms;

            num_together += is_together && life->death_ms < self->setting.horizon_ms;
            num_others += !is_together && life->death_ms > self->lives[j].death_ms &&
                          life->birth_ms < self->lives[j].death_ms;
        }
        if (num_together >= 3 && num_others == 0) {
            return true;
        }
    }
    return false;
}

#define COVERS(name, condition)                                                                    \
    static bool covers_##name(const case_t *self, const spot_train_result_t *result)               \
    {                                                                                              \
        (void) self;                                                                               \
        (void) result;                                                                             \
        return condition;                                                                          \
    }

COVERS(training, result->steps_executed > 0)
COVERS(waiting, result->job_ms[SPOT_JOB_WAITING] > 0)
COVERS(restarted_pause, result->reconfigurations > result->rollbacks + 2)
COVERS(rollbacks, result->rollbacks > 1)
COVERS(lost_steps, result->steps_lost > 0)
COVERS(stalled, result->stalled_ms > 0)
COVERS(durable, result->checkpoints_durable > 2)
COVERS(aborted, result->checkpoints_aborted > 0)
COVERS(two_aborted_at_once, result->checkpoints_aborted > result->rollbacks)
COVERS(clipped, result->clipped > 0)
COVERS(stopped, result->stopped > 0)
COVERS(finished, result->is_finished)
COVERS(not_finished, self->setting.until_steps > 0 && !result->is_finished)
COVERS(past_trace_end, result->is_past_trace_end)
COVERS(cut_off, result->horizon_ms < self->trace_end_ms)
COVERS(off_tick, result->horizon_ms % self->setting.tick_ms != 0)
COVERS(changed_price, self->setting.num_prices > 1 &&
                          result->horizon_ms > self->setting.prices[1].start_ms &&
                          result->cost_usd > 0)
COVERS(empty, self->num_lives == 0)
COVERS(depth_one, self->setting.pipeline_depth == 1)
COVERS(capacity_below_depth, self->setting.capacity < self->setting.pipeline_depth)
COVERS(no_preparation, self->setting.preparation_ms == 0 && result->added > 0)
COVERS(no_pauses, self->setting.reconfiguration_ms == 0 && self->setting.reload_ms == 0 &&
                      result->reconfigurations > 0)
COVERS(detection, self->setting.detection_ms > 0 && result->rollbacks > 0)
COVERS(short_steps, self->setting.points[0].step_ms < self->setting.tick_ms)
COVERS(long_write,
    self->setting.checkpoint.write_ms *(result->reconfigurations + 1) > result->horizon_ms &&
        result->reconfigurations > 1)
COVERS(gone_within_a_tick, has_instance_gone_within_a_tick(self))
COVERS(returned_name, has_returned_name(self))
COVERS(all_at_once, are_all_preempted_at_once(self))
COVERS(flat_step_time, result->has_flat_step_time)
COVERS(measured_step_time, !result->has_flat_step_time && result->steps_executed > 0)

#define COVERAGE(name)                                                                             \
    {                                                                                              \
#name, covers_##name, 0                                                                    \
    }

static coverage_t coverage[] = {COVERAGE(training), COVERAGE(waiting), COVERAGE(restarted_pause),
    COVERAGE(rollbacks), COVERAGE(lost_steps), COVERAGE(stalled), COVERAGE(durable),
    COVERAGE(aborted), COVERAGE(two_aborted_at_once), COVERAGE(clipped), COVERAGE(stopped),
    COVERAGE(finished), COVERAGE(not_finished), COVERAGE(past_trace_end), COVERAGE(cut_off),
    COVERAGE(off_tick), COVERAGE(changed_price), COVERAGE(empty), COVERAGE(depth_one),
    COVERAGE(capacity_below_depth), COVERAGE(no_preparation), COVERAGE(no_pauses),
    COVERAGE(detection), COVERAGE(short_steps), COVERAGE(long_write), COVERAGE(gone_within_a_tick),
    COVERAGE(returned_name), COVERAGE(all_at_once), COVERAGE(flat_step_time),
    COVERAGE(measured_step_time)};

#define NUM_COVERAGE (sizeof(coverage) / sizeof(coverage[0]))

static void check_case(case_t *self, uint64_t seed)
{
    spot_train_result_t engine, twin;

    draw_case(self, seed);
    if (first_difference(self, &engine, &twin) != NULL) {
        report_difference(self);
        fail();
    }
    assert_int_equal(spot_ledger_total(&engine.ledger), engine.ledger.population_ms);
    for (size_t j = 0; j < NUM_COVERAGE; j++) {
        coverage[j].num_cases += coverage[j].holds(self, &engine);
    }
}

static void test_engine_equals_twin(void **state)
{
    const uint64_t seed = number_from_environment("SPOT_TEST_SEED", 0);
    const uint64_t num_cases = number_from_environment("SPOT_TEST_CASES", NUM_CASES);
    case_t self;

    (void) state;
    if (seed != 0) {
        check_case(&self, seed);
        print_case(&self);
        return;
    }
    for (uint64_t j = 1; j <= num_cases; j++) {
        check_case(&self, j);
    }
    for (size_t j = 0; j < NUM_COVERAGE && num_cases >= NUM_CASES; j++) {
        if (coverage[j].num_cases < NUM_CASES / 200) {
            fail_msg("only %zu cases with %s", coverage[j].num_cases, coverage[j].what);
        }
    }
}

/* The same run one event per call, with all invariants checked after each. */
static void run_by_steps(spot_train_t *train, spot_event_log_t *log)
{
    int ret;

    spot_train_start(train, 0, 0, log);
    spot_train_verify(train);
    while ((ret = spot_train_step(train, 1)) == 1) {
        spot_train_verify(train);
    }
    assert_int_equal(ret, 0);
    spot_train_verify(train);
}

static void test_every_way_to_run_gives_the_same(void **state)
{
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed += 8) {
        spot_scenario_t scenario;
        spot_train_result_t first;
        spot_train_t train;
        uint64_t hash;

        (seed % 16 == 1 ? draw_case : draw_input_case)(&self, seed);
        bind_case(&self, &scenario);
        assert_int_equal(spot_train_init(&train, &scenario), 0);
        assert_int_equal(spot_train_run(&train, 0, 0, NULL), 0);
        first = train.result;
        run_by_steps(&train, NULL);
        assert_null(result_difference(&train.result, &first));
        assert_int_equal(spot_train_run(&train, 0, 0, &log), 0);
        assert_null(result_difference(&train.result, &first));
        hash = log_hash(&log);
        run_by_steps(&train, &log);
        assert_null(result_difference(&train.result, &first));
        assert_int_equal(log_hash(&log), hash);
        spot_train_free(&train);
        spot_scenario_free(&scenario);
    }
    spot_event_log_free(&log);
}

/* Losses of one instant are one event: the order of their rows does not matter. */
static void test_order_of_losses_does_not_matter(void **state)
{
    case_t self;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed += 8) {
        spot_train_result_t engine, twin, reversed;

        draw_case(&self, seed);
        assert_null(first_difference(&self, &engine, &twin));
        self.has_reversed_losses = true;
        assert_null(first_difference(&self, &reversed, &twin));
        assert_null(result_difference(&engine, &reversed));
    }
}

/* ---- Options of the checkpoint system ---- */

#define NUM_OPTIONS 6

/* Draws one option at a time: alone it makes a difference to the run, or none. */
static void draw_option(twin_setting_t *setting, int option, uint64_t dice)
{
    switch (option) {
        case 0:
            setting->growth = (twin_growth_t) (1 + dice % 3);
            setting->min_gain =
                setting->growth == TWIN_GROWS_IF_BETTER ? (double) (dice % 7) / 20 : 0;
            break;
        case 1:
            setting->is_best = true;
            break;
        case 2:
            setting->saves_before_growth = true;
            break;
        case 3:
            setting->saves_on_notice = true;
            break;
        case 4:
            setting->checkpoint.every_kind = SPOT_EVERY_AUTO;
            break;
        default:
            setting->num_on_demand = 1 + (int64_t) (dice % 5);
            setting->on_demand_usd_per_h = 3.06;
    }
}

static void test_options_equal_twin(void **state)
{
    size_t num_different[NUM_OPTIONS] = {0};

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES / 2; seed++) {
        spot_train_result_t before, engine, twin;
        case_t self;

        draw_case(&self, seed);
        self.setting.notice_ms = (int64_t) (seed % 5) * self.setting.horizon_ms / 20;
        for (int j = 0; j < NUM_OPTIONS; j++) {
            const uint64_t dice = (seed * UINT64_C(0x9e3779b97f4a7c15)) >> (10 + 7 * j);

            if (dice % 3 != 0) {
                continue;
            }
            assert_null(first_difference(&self, &before, &twin));
            draw_option(&self.setting, j, dice / 3);
            if (first_difference(&self, &engine, &twin) != NULL) {
                report_difference(&self);
                fail();
            }
            num_different[j] += result_difference(&before, &engine) != NULL;
        }
    }
    for (int j = 0; j < NUM_OPTIONS; j++) {
        if (num_different[j] < 50 / SPOT_FEWER) {
            fail_msg("option %d made a difference to %zu runs", j, num_different[j]);
        }
    }
}

/* ---- Jobs that wait for data ---- */

COVERS(no_loader, !self->setting.input.is_given && result->steps_executed > 0)
COVERS(loader_in_time,
    self->setting.input.is_given && result->steps_executed > 8 && result->input_stalled_ms == 0)
COVERS(many_waits, result->input_stalled_ms > 0 && result->steps_executed > 20)
COVERS(
    waits_and_stalls, result->input_stalled_ms > 0 && result->stalled_ms > result->input_stalled_ms)
COVERS(synchronous,
    self->setting.input.mode == SPOT_LOADER_SYNCHRONOUS && result->input_stalled_ms > 0)
COVERS(all_load, self->setting.input.instances == SPOT_LOADER_ALL &&
                     self->setting.pipeline_depth > 1 && result->input_stalled_ms > 0)
COVERS(shared_bandwidth, self->setting.input.bytes_per_s > 0 && result->input_stalled_ms > 0)
COVERS(blocks, self->setting.input.block > 1 && result->input_stalled_ms > 0)
COVERS(warm_cache,
    self->setting.input.cache_bytes > 0 && result->input_stalled_ms > 0 &&
        result->steps_executed * self->setting.samples_per_step > 2 * self->setting.input.samples)
COVERS(cold_cache, self->setting.input.cache_bytes > 0 && result->input_stalled_ms > 0 &&
                       result->reconfigurations > 1)
COVERS(overlap, self->setting.input.overlap_ns > 0 && result->job_ms[SPOT_JOB_RELOADING] > 0)
COVERS(refill_alone, self->setting.input.is_given && self->setting.reload_ms == 0 &&
                         result->job_ms[SPOT_JOB_RELOADING] > 0)
COVERS(lost_with_waits, result->steps_lost > 0 && result->input_stalled_ms > 0)
COVERS(finished_with_waits, result->is_finished && result->input_stalled_ms > 0)

static coverage_t input_coverage[] = {COVERAGE(no_loader), COVERAGE(loader_in_time),
    COVERAGE(many_waits), COVERAGE(waits_and_stalls), COVERAGE(synchronous), COVERAGE(all_load),
    COVERAGE(shared_bandwidth), COVERAGE(blocks), COVERAGE(warm_cache), COVERAGE(cold_cache),
    COVERAGE(overlap), COVERAGE(refill_alone), COVERAGE(lost_with_waits),
    COVERAGE(finished_with_waits)};

#define NUM_INPUT_COVERAGE (sizeof(input_coverage) / sizeof(input_coverage[0]))

/* With options of the checkpoint system too. */
static void draw_input_and_options(case_t *self, uint64_t seed)
{
    draw_input_case(self, seed);
    self->setting.notice_ms = (int64_t) (seed % 5) * self->setting.horizon_ms / 20;
    for (int j = 0; j < NUM_OPTIONS; j++) {
        const uint64_t dice = (seed * UINT64_C(0xd1342543de82ef95)) >> (10 + 7 * j);

        if (dice % 4 == 0) {
            draw_option(&self->setting, j, dice / 4);
        }
    }
}

/* The twin alone: each instant of an instance is charged once, and waits for data are a
 * part of the stalls. */
static void test_twin_conserves_waits(void **state)
{
    case_t self;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t twin;
        spot_scenario_t scenario;
        int64_t job_ms = 0;

        draw_input_and_options(&self, seed);
        bind_case(&self, &scenario);
        twin_run(&self.setting, scenario.trace.recording, &twin);
        spot_scenario_free(&scenario);
        for (int j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
            job_ms += twin.job_ms[j];
        }
        assert_int_equal(job_ms, twin.horizon_ms);
        assert_int_equal(spot_ledger_total(&twin.ledger), twin.ledger.population_ms);
        assert_true(twin.input_stalled_ms <= twin.stalled_ms);
        assert_true(twin.input_stalled_instance_ms <= twin.ledger.instance_ms[SPOT_SHARE_STALLED]);
        assert_true(self.setting.input.is_given || twin.input_stalled_ms == 0);
        for (size_t j = 0; j < NUM_INPUT_COVERAGE; j++) {
            input_coverage[j].num_cases += input_coverage[j].holds(&self, &twin);
        }
    }
    for (size_t j = 0; j < NUM_INPUT_COVERAGE; j++) {
        if (input_coverage[j].num_cases < NUM_CASES / 200) {
            fail_msg("only %zu cases with %s", input_coverage[j].num_cases, input_coverage[j].what);
        }
    }
}

static void test_input_equals_twin(void **state)
{
    const uint64_t seed = number_from_environment("SPOT_TEST_SEED", 0);
    const uint64_t num_cases = number_from_environment("SPOT_TEST_CASES", NUM_CASES);
    case_t self;

    (void) state;
    for (uint64_t j = seed > 0 ? seed : 1; j <= (seed > 0 ? seed : num_cases); j++) {
        spot_train_result_t engine, twin;

        draw_input_and_options(&self, j);
        if (first_difference(&self, &engine, &twin) != NULL) {
            report_difference(&self);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engine_equals_twin),
        cmocka_unit_test(test_options_equal_twin),
        cmocka_unit_test(test_twin_conserves_waits),
        cmocka_unit_test(test_input_equals_twin),
        cmocka_unit_test(test_every_way_to_run_gives_the_same),
        cmocka_unit_test(test_order_of_losses_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
