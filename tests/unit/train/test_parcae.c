/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both Parcae systems in the engine, on random traces: never more than the ideal, each
 * step kept but the one under way, the same for losses in another order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "random_case.h"
#include "sim/train/job/run_log.h"
#include "sim/train/metrics.h"

#define NUM_CASES (300 / SPOT_FEWER)
#define NUM_SYSTEMS 8

static const char *const systems[NUM_SYSTEMS] = {
    "{system: parcae-throughput, published_defaults: yes}",
    "{system: parcae-throughput, published_defaults: yes, pause_merge: add, tie: par, "
    "interval: 10 s}",
    "{system: parcae, published_defaults: yes, interval: 20 s}",
    "{system: parcae, published_defaults: yes, predictor: arima, samples: 50, "
    "min_depth: 1}",
    ("{system: parcae, published_defaults: yes, predictor: arima, samples: 50, "
     "pause_merge: add, par_bug: yes, "
     "look_ahead: 3}"),
    "{system: parcae, published_defaults: yes, interval: 5 s, drain_steps: 1}",
    "{system: parcae, published_defaults: yes, interval: 1 min, predictor: arima, "
    "samples: 50, notice: ignore}",
    "{system: parcae, published_defaults: yes, interval: 20 s, predictor: oracle, "
    "samples: 50}",
};

/* No notice, a short one, or one that tells of all that is to come. */
static void draw_notice(case_t *self)
{
    const int64_t notices_ms[] = {0, 1 + (int64_t) (self->seed % 5000),
        (int64_t) (1 + self->seed % 7) * self->setting.tick_ms, self->setting.horizon_ms};

    self->setting.notice_ms = notices_ms[self->seed / NUM_SYSTEMS % 4];
}

/* A random case with another recovery system. */
static void bind_system(const case_t *self, const char *system, spot_scenario_t *scenario)
{
    char path[PATH_BYTES], text[CASE_TEXT_BYTES], changed[CASE_TEXT_BYTES + 256];
    const char *line, *behind;
    FILE *out;

    temporary_path("parcae.csv", path);
    out = fopen(path, "w");
    assert_non_null(out);
    write_trace(out, self);
    assert_int_equal(fclose(out), 0);
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write_scenario(out, self, path);
    assert_int_equal(fclose(out), 0);
    line = strstr(text, "recovery: ");
    assert_non_null(line);
    behind = strchr(line, '\n');
    assert_non_null(behind);
    snprintf(
        changed, sizeof(changed), "%.*srecovery: %s%s", (int) (line - text), text, system, behind);
    bind_good_scenario(scenario, changed);
    remove(path);
}

static void assert_steps_are_kept(const spot_train_result_t *result)
{
    assert_int_equal(result->steps_lost, 0);
    assert_int_equal(result->steps_durable, result->steps_executed);
    assert_int_equal(result->rollbacks, 0);
    assert_int_equal(result->checkpoints_durable + result->checkpoints_aborted, 0);
    assert_int_equal(spot_ledger_total(&result->ledger), result->ledger.population_ms);
}

/* The phases of the log follow each other from 0 to the end. */
static void assert_phases_tile(const spot_event_log_t *log, int64_t horizon_ms)
{
    int64_t end_ms = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];

        if (record->kind == SPOT_LOG_PHASE) {
            assert_int_equal(record->time_ms, end_ms);
            end_ms += record->values[2];
        }
    }
    assert_int_equal(end_ms, horizon_ms);
}

static void test_random_cases(void **state)
{
    int64_t num_steps = 0, lost_ms = 0, num_decisions = 0;
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t ideal, result, logged, reversed;
        spot_scenario_t scenario, other;

        draw_case(&self, seed);
        self.setting.until_steps = 0;
        self.is_until_inside = false;
        self.has_reversed_losses = false;
        draw_notice(&self);
        bind_system(&self, systems[seed % NUM_SYSTEMS], &scenario);
        bind_system(&self, "ideal", &other);
        result = run_scenario(&scenario, 0, NULL);
        logged = run_scenario(&scenario, 0, &log);
        ideal = run_scenario(&other, 0, NULL);
        spot_scenario_free(&other);
        self.has_reversed_losses = true;
        bind_system(&self, systems[seed % NUM_SYSTEMS], &other);
        reversed = run_scenario(&other, 0, NULL);
        assert_null(result_difference(&result, &logged));
        assert_null(result_difference(&result, &reversed));
        assert_steps_are_kept(&result);
        assert_phases_tile(&log, result.horizon_ms);
        if ((double) result.steps_executed >
            (double) ideal.steps_executed + ideal.step_fraction + 1e-6) {
            fail_msg("case %d keeps more than ideal", (int) seed);
        }
        num_steps += result.steps_executed;
        num_decisions += result.reconfigurations;
        lost_ms += result.lost_ms;
        spot_scenario_free(&scenario);
        spot_scenario_free(&other);
    }
    spot_event_log_free(&log);
    assert_true(num_steps > NUM_CASES && num_decisions > NUM_CASES && lost_ms > 0);
}

/* ---- By (D,P) ---- */

#define BY_PAIR                                                                                    \
    "scenario: pairs\nhorizon: 6 h\ntick: 5 s\n"                                                   \
    "fleet: {capacity: 24, initial: %d, preparation: 45 s}\n"                                      \
    "trace: {generator: seed, preemption: {per_minute: %g, count: {fixed: 2}},\n"                  \
    "  addition: {per_minute: %g, count: {fixed: 2}}}\n"                                           \
    "job: {pipeline_depth: 8, samples_per_step: 256,\n"                                            \
    "  step_time: {table: %s/models/sample/steps-48/steps.csv}}\n"                                 \
    "recovery: %s\n"

static void bind_pairs(spot_scenario_t *self, const char *system, int initial, double per_minute)
{
    char text[2048];

    snprintf(text, sizeof(text), BY_PAIR, initial, per_minute, per_minute, SPOT_SOURCE_DIR, system);
    bind_good_scenario(self, text);
}

/* The integral of the throughput of best(N), from the instances that were ready. */
static double best_steps(
    const spot_step_grid_t *grid, const spot_event_log_t *log, int64_t horizon_ms)
{
    double steps = 0, steps_per_ms = 0;
    int64_t since_ms = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];

        if (record->kind == SPOT_LOG_FLEET) {
            const spot_step_pair_t *best =
                spot_step_grid_best(grid, record->values[1] + record->values[2]);

            steps += steps_per_ms * (double) (record->time_ms - since_ms);
            steps_per_ms = best == NULL ? 0 : 1 / (double) spot_step_pair_ms(best);
            since_ms = record->time_ms;
        }
    }
    return steps + steps_per_ms * (double) (horizon_ms - since_ms);
}

/* More losses keep fewer steps, on average over the seeds. */
static void test_pairs(void **state)
{
    static const double rates[] = {0.02, 0.1, 0.5};
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    for (int j = 0; j < NUM_SYSTEMS; j++) {
        int64_t num_before = INT64_MAX;

        for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
            spot_scenario_t scenario;
            int64_t num_steps = 0;

            bind_pairs(&scenario, systems[j], 16, rates[i]);
            for (uint64_t seed = 1; seed <= 12; seed++) {
                const spot_train_result_t result = run_scenario(&scenario, seed, &log);

                assert_steps_are_kept(&result);
                assert_phases_tile(&log, result.horizon_ms);
                assert_false(result.lacks_step_time);
                assert_true((double) result.steps_executed <=
                            best_steps(&scenario.job.step_time.grid, &log, result.horizon_ms));
                num_steps += result.steps_executed;
            }
            assert_true(num_steps > 0 && num_steps < num_before);
            num_before = num_steps;
            spot_scenario_free(&scenario);
        }
    }
    spot_event_log_free(&log);
}

/* Nothing happens: the first decision is the best one, and free. */
static void test_no_losses(void **state)
{
    (void) state;
    for (int initial = 6; initial <= 24; initial += 3) {
        for (int j = 0; j < NUM_SYSTEMS; j++) {
            spot_scenario_t scenario;
            const spot_step_pair_t *best;
            spot_train_result_t result;

            bind_pairs(&scenario, systems[j], initial, 0);
            best = spot_step_grid_best(&scenario.job.step_time.grid, initial);
            result = run_scenario(&scenario, 1, NULL);
            assert_non_null(best);
            assert_int_equal(result.steps_executed, result.horizon_ms / spot_step_pair_ms(best));
            assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], result.horizon_ms);
            spot_scenario_free(&scenario);
        }
    }
}

/* ---- One run by hand ---- */

#define TRACE_HEAD                                                                                 \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 1\n"                      \
    "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"

#define BY_HAND                                                                                    \
    "scenario: loss\nhorizon: 300 s\ntick: 1 s\n"                                                  \
    "fleet: {capacity: 8, preparation: 1 s, notice: %d s}\n"                                       \
    "trace: {file: %s}\n"                                                                          \
    "job: {pipeline_depth: 1, step_time: {1: 9 s, 2: 5 s, 3: 4 s}, max_pipelines: 3}\n"            \
    "recovery: {system: %s, layers: 2, published_defaults: yes,\n"                                 \
    "  first_parameters: 0, layer_parameters: 0, last_parameters: 0, build_bytes: 0,\n"            \
    "  group_base_ms: 0, group_add_ms: 1000, group_remove_ms: 100, add_ms: 2000}\n"

static spot_train_result_t run_rows(const char *system, int notice_s, const char *rows)
{
    char path[PATH_BYTES], text[2048];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("hand.csv", path);
    snprintf(text, sizeof(text), "%s%s", TRACE_HEAD, rows);
    write_file(path, text);
    snprintf(text, sizeof(text), BY_HAND, notice_s, path, system);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    remove(path);
    return result;
}

#define ONE_LOSS "0,init,3,a b c\n100,preempt,1,b\n102,add,1,d\n125,preempt,1,a\n300,end,2,\n"

static spot_train_result_t run_one_loss(const char *system)
{
    return run_rows(system, 0, ONE_LOSS);
}

/* Three train from 0. One is lost at 100 s: the pause is 600 + 240 + 6000 ms. One is
 * back at 103 s: at the boundary the pause is 2000 + 8 * 1000 + 240 + 6000 ms; a loss in
 * it begins one anew. */
static void test_throughput_by_hand(void **state)
{
    static const char *const names[] = {
        "parcae-throughput, save_load: 6 s", "parcae-throughput, save_load: 6 s, pause_merge: add"};

    (void) state;
    for (int is_merging = 0; is_merging < 2; is_merging++) {
        const spot_train_result_t result = run_one_loss(names[is_merging]);
        const int64_t again_ms = 600 + 240 + 6000 + (is_merging ? 840 : 0);

        assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 6000 + 0 + 6000);
        assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 840 + 5000 + again_ms - 6000);
        assert_int_equal(
            result.steps_executed, 25 + (120000 - 106840) / 5000 + (175000 - again_ms) / 5000);
        assert_int_equal(result.reconfigurations, 3);
        assert_int_equal(result.lost_ms, (120000 - 106840) % 5000);
    }
}

/* The same with moves: intra-stage after 100 s, 600 + 240 ms; at the boundary three
 * again, 2000 + 8 * 1000 + 240 ms, which is worth it. In that pause the state is still
 * where it was: of two who hold it one is lost, the one left and the newcomer restart
 * in 600 + 240 ms. With pause_merge that is once more. */
static void test_moves_by_hand(void **state)
{
    static const char *const names[] = {
        "parcae", "parcae, pause_merge: add", "parcae, predictor: arima"};

    (void) state;
    for (int j = 0; j < 3; j++) {
        const spot_train_result_t result = run_one_loss(names[j]);
        const int64_t again_ms = j == 1 ? 1680 : 840;

        assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 0);
        assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 840 + 5000 + again_ms);
        assert_int_equal(
            result.steps_executed, 25 + (120000 - 100840) / 5000 + (175000 - again_ms) / 5000);
        assert_int_equal(result.reconfigurations, 3);
        assert_int_equal(result.lost_ms, (120000 - 100840) % 5000);
    }
}

/* Steps take 4 s with three, 5 s with two, 9 s with one; to go on with fewer takes 840
 * ms, with one that is new 8240 ms. */
static void test_notices_by_hand(void **state)
{
    static const struct {
        const char *what;
        const char *system;
        int notice_s;
        const char *rows;
        int64_t steps;
        int64_t lost_ms;
        int64_t reconfiguring_ms;
        int64_t reconfigurations;
    } cases[] = {
        /* b is announced at 75 s and left at 80 s, a at 100 and 105.84 s, when d takes
         * its place; 37 steps from 114.08 s. */
        {"in time", "parcae, drain_steps: 2", 25, ONE_LOSS, 20 + 5 + 37, 0, 840 + 8240, 2},
        /* b is left at 76 s, a at 101.84 s, when d is not ready; one step of 9 s, then
         * d joins at 120 s; 34 steps from 128.24 s. */
        {"one step", "parcae, drain_steps: 1", 25, ONE_LOSS, 19 + 5 + 1 + 34, 8520,
            840 + 640 + 8240, 3},
        /* Two steps take 8 s, or 10 s: b is announced in time, a is not. */
        {"just in time", "parcae, drain_steps: 2", 8, ONE_LOSS, 25 + 4 + 33, 4160, 840 + 8240, 2},
        {"too late", "parcae, drain_steps: 2", 7, ONE_LOSS, 25 + 4 + 33, 4160, 840 + 8240, 2},
        /* The step under way would end at 104 s. */
        {"much too late", "parcae, drain_steps: 2", 5,
            "0,init,3,a b c\n102,preempt,1,b\n300,end,2,\n", 25 + 39, 2000, 840, 1},
        /* Announced at 94 s; two steps take until 100 s, they take 8 s. */
        {"as late as can be", "parcae, drain_steps: 2", 8,
            "0,init,3,a b c\n102,preempt,1,b\n300,end,2,\n", 25 + 39, 0, 840, 1},
        {"ignored", "parcae, notice: ignore", 25, "0,init,3,a b c\n102,preempt,1,b\n300,end,2,\n",
            25 + 39, 2000, 840, 1},
        {"as many as fit", "parcae", 25, "0,init,3,a b c\n102,preempt,1,b\n300,end,2,\n", 25 + 39,
            0, 840, 1},
        /* d is standby: nothing changes. */
        {"standby", "parcae, drain_steps: 2", 25, "0,init,4,a b c d\n102,preempt,1,d\n300,end,3,\n",
            75, 0, 0, 0},
        /* Nor is d used in the place of b, from 108 s on, as it goes at 115 s. */
        {"standby that goes too", "parcae, drain_steps: 2", 25,
            "0,init,4,a b c d\n115,preempt,1,d\n125,preempt,1,b\n300,end,2,\n", 27 + 38, 0, 840, 1},
        /* All that are announced are left at once: 640 ms, then 24 steps of 9 s. */
        {"several", "parcae, drain_steps: 2", 25,
            "0,init,3,a b c\n100,preempt,1,b\n101,preempt,1,a\n300,end,1,\n", 20 + 24, 0, 640, 1},
        {"several at once", "parcae, drain_steps: 2", 25,
            "0,init,3,a b c\n100,preempt,2,b a\n300,end,1,\n", 20 + 24, 0, 640, 1},
        /* The pause from 80 s takes 5.84 s; at 82 s one of 5.64 s begins. */
        {"in a pause", "parcae, drain_steps: 2, process_ms: 5240", 25,
            "0,init,3,a b c\n100,preempt,1,b\n107,preempt,1,a\n300,end,1,\n", 20 + 23, 0,
            2000 + 5640, 2},
        /* Nobody is left from 80 s on. */
        {"all", "parcae, drain_steps: 2", 25, "0,init,3,a b c\n100,preempt,3,a b c\n300,end,0,\n",
            20, 0, 0, 1},
        /* A loss that is not announced, at 78 s: b is left at once too. */
        {"a stop meanwhile", "parcae, drain_steps: 2", 25,
            "0,init,3,a b c\n78,stop,1,a\n100,preempt,1,b\n300,end,1,\n", 19 + 24, 2000, 640, 1},
        /* Known from the start: a b are all that is used. */
        {"from the start", "parcae, drain_steps: 2", 25,
            "0,init,3,a b c\n20,preempt,1,c\n300,end,2,\n", 60, 0, 0, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_train_result_t result =
            run_rows(cases[j].system, cases[j].notice_s, cases[j].rows);

        if (result.steps_executed != cases[j].steps || result.lost_ms != cases[j].lost_ms ||
            result.job_ms[SPOT_JOB_RECONFIGURING] != cases[j].reconfiguring_ms ||
            result.reconfigurations != cases[j].reconfigurations) {
            fail_msg("%s: %d steps, %d ms lost, %d ms reconfiguring, %d decisions", cases[j].what,
                (int) result.steps_executed, (int) result.lost_ms,
                (int) result.job_ms[SPOT_JOB_RECONFIGURING], (int) result.reconfigurations);
        }
    }
}

/* To use a third instance takes 16.24 s, so that an interval with it is worth less. Who
 * knows that it will be lost at 130 s leaves it alone. */
static void test_oracle(void **state)
{
    static const char rows[] = "0,init,2,a b\n61,add,1,d\n130,preempt,1,d\n300,end,2,\n";
    static const char staying[] = "0,init,2,a b\n61,add,1,d\n300,end,3,\n";
    static const char last[] = "parcae, process_ms: 6240";
    static const char oracle[] = "parcae, process_ms: 6240, predictor: oracle";
    const spot_train_result_t with_last = run_rows(last, 0, rows);
    const spot_train_result_t with_oracle = run_rows(oracle, 0, rows);
    const spot_train_result_t stays = run_rows(oracle, 0, staying);
    const spot_train_result_t stays_last = run_rows(last, 0, staying);

    (void) state;
    assert_int_equal(with_last.steps_executed, 24 + (300000 - 130000 - 6840) / 5000);
    assert_int_equal(with_oracle.steps_executed, 60);
    assert_int_equal(with_oracle.reconfigurations, 0);
    assert_int_equal(stays.steps_executed, 24 + (300000 - 120000 - 16240) / 4000);
    assert_null(result_difference(&stays, &stays_last));
    assert_true(with_oracle.is_clairvoyant);
    assert_false(with_last.is_clairvoyant);
}

/* The service is paid for all the time, whatever happens; nothing else changes. */
static void test_service(void **state)
{
    static const char *const names[][2] = {{"parcae", "parcae, service_usd_per_h: 3.6"},
        {"parcae-throughput", "parcae-throughput, service_usd_per_h: 3.6"}};

    (void) state;
    for (int j = 0; j < 2; j++) {
        const spot_train_result_t without = run_one_loss(names[j][0]);
        const spot_train_result_t with = run_one_loss(names[j][1]);

        assert_null(result_difference(&without, &with));
        assert_near(with.cost_usd, without.cost_usd + 0.3, 1e-12);
        assert_true(without.cost_usd > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_no_losses),
        cmocka_unit_test(test_throughput_by_hand),
        cmocka_unit_test(test_moves_by_hand),
        cmocka_unit_test(test_notices_by_hand),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
