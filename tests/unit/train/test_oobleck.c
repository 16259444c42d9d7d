/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "oobleck" in runs: what it loses and pauses by hand; any f instances at once are
 * survived; on random traces the order of losses says nothing, and "ideal" bounds it
 * where pipelines are uniform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "compare.h"
#include "fixture.h"
#include "random_case.h"

#define TEXT_BYTES 8192
#define NUM_CASES (1500 / SPOT_FEWER)

static int64_t kept_steps(const spot_train_result_t *result)
{
    return result->steps_executed - result->steps_lost;
}

/* ---- Settling ---- */

static void assert_warning(int64_t f, const char *expected)
{
    char text[TEXT_BYTES], *report;
    spot_scenario_t scenario;
    spot_diag_t diag;
    int ret;

    snprintf(text, sizeof(text),
        "scenario: t\nhorizon: 1 h\nfleet: {capacity: 8, initial: 8}\n"
        "job: {pipeline_depth: 2, samples_per_step: 1024, step_time: {pipeline:\n"
        "  {layers: 4, micro_batch: 128, forward_ms: 100, backward_ms: 200, "
        "gradient_bytes: 0}}}\n"
        "recovery: {system: oobleck, published_defaults: yes, f: %d, n_min: 2}\n"
        "trace: {generator: seed, preemption: {per_minute: 0.1, count: {fixed: 1}},\n"
        "  addition: {per_minute: 0.1, count: {fixed: 1}}}\n",
        (int) f);
    spot_diag_init(&diag);
    ret = bind_scenario(&scenario, text, &diag);
    report = diagnostics(&diag);
    if (ret != 0 ||
        (expected == NULL ? strstr(report, "the job") != NULL : strstr(report, expected) == NULL)) {
        fail_msg("f: %d:\n%s", (int) f, report);
    }
    free(report);
    spot_diag_free(&diag);
    spot_scenario_free(&scenario);
}

static void test_who_can_start(void **state)
{
    (void) state;
    assert_warning(2, NULL);
    assert_warning(3, "the job starts only when all of fleet.capacity (8) are ready: it "
                      "needs (f+1) n_min instances, with f = 3 and n_min = 2");
    assert_warning(4, "the job never starts");
}

/* ---- By hand ---- */

#define TRACE_HEAD                                                                                 \
    "# spotsim-trace: 1\n# name: named\n# start: unknown\n# resolution_s: 0.001\n"                 \
    "# kind: named\n# capacity: 8\ntime_s,event,count,instances\n"

/* 8 micro-batches a step; a stage of one layer takes 300 ms for one. */
static spot_train_result_t run_rows(
    const char *rows, int num_layers, const char *horizon, const char *options)
{
    char path[PATH_BYTES], text[TEXT_BYTES];
    spot_scenario_t scenario;
    spot_train_result_t result;

    temporary_path("oobleck.csv", path);
    snprintf(text, sizeof(text), TRACE_HEAD "%s", rows);
    write_file(path, text);
    snprintf(text, sizeof(text),
        "scenario: hand\nhorizon: %s\ntick: 1 ms\nfleet: {capacity: 8, preparation: 0 "
        "s}\n"
        "job: {reload: 47 s, pipeline_depth: %d, samples_per_step: 1024, step_time: "
        "{pipeline:\n"
        "  {layers: %d, micro_batch: 128, forward_ms: 100, backward_ms: 200, "
        "gradient_bytes: 0}}}\n"
        "recovery: {system: oobleck, published_defaults: yes, %s}\ntrace: {file: %s}\n",
        horizon, num_layers, num_layers, options, path);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    remove(path);
    return result;
}

/* 2 pipelines of 2 stages: (4+1) 600 ms. Without "a" "b" goes to the other pipeline,
 * whose 3 stages take (8+2) 600 ms, and gets a layer that it has not: 2 s. */
static void test_merges_and_copies(void **state)
{
    const spot_train_result_t result = run_rows("0,init,4,a b c d\n100,preempt,1,a\n164,end,3,\n",
        4, "164 s", "f: 1, n_min: 2, layer_bytes: 2.5e9, detection: 500 ms, regroup: 1500 ms");

    (void) state;
    assert_int_equal(kept_steps(&result), 33 + 10);
    assert_int_equal(result.lost_ms, 1000);
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 4000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 0);
    assert_false(result.lacks_step_time);
}

/* Two pipelines of 3 layers: one of each layer is enough. The fourth who is left has no
 * place, as there is no template for 4 stages. */
static void test_who_is_lost_counts(void **state)
{
    static const char *const alive[] = {"a b", "a e", "b d", "c e"}, *const dead[] = {
                                                                         "a d", "b e", "c f"};
    char rows[TEXT_BYTES];

    (void) state;
    for (size_t j = 0; j < 7; j++) {
        const bool is_alive = j < 4;
        spot_train_result_t result;

        snprintf(rows, sizeof(rows), "0,init,6,a b c d e f\n100,preempt,2,%s\n200,end,4,\n",
            is_alive ? alive[j] : dead[j - 4]);
        result = run_rows(rows, 3, "200 s", "f: 1, n_min: 3");
        assert_int_equal(result.rollbacks, !is_alive);
        assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 2000);
        assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], is_alive ? 0 : 47000);
        assert_true(result.lacks_step_time);
    }
}

/* Until the copying has ended all hold what they held: "b" and "c" have all layers while
 * "b" fetches one for the pipeline of three, and not when it has given up others for it.
 */
static void test_loss_while_copying(void **state)
{
    static const char during[] = "0,init,4,a b c d\n100,preempt,1,a\n105,preempt,1,d\n"
                                 "200,end,2,\n",
                      after[] = "0,init,4,a b c d\n100,preempt,1,a\n140,preempt,1,d\n"
                                "200,end,2,\n",
                      options[] = "f: 1, n_min: 2, layer_bytes: 25e9";
    spot_train_result_t result = run_rows(during, 4, "200 s", options);

    (void) state;
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 5000 + 2000);
    result = run_rows(after, 4, "200 s", options);
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 22000 + 2000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 47000);
}

/* A job that waits starts again with (f+1) n_min instances, from storage. */
static void test_waits(void **state)
{
    static const char rows[] = "0,init,4,a b c d\n10,preempt,3,a b c\n20,add,2,a b\n"
                               "30,add,1,c\n100,end,4,\n";
    const spot_train_result_t result = run_rows(rows, 2, "100 s", "f: 1, n_min: 2, detection: 1 s");

    (void) state;
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 20001);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 2000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 47000);
}

/* New instances wait for the next loss, or are worth a pause at once. */
static void test_growth(void **state)
{
    static const char added[] = "0,init,4,a b c d\n50,add,2,e f\n100,end,6,\n",
                      lost[] = "0,init,4,a b c d\n50,add,2,e f\n70,preempt,1,a\n"
                               "100,end,5,\n";
    spot_train_result_t result;

    (void) state;
    result = run_rows(added, 2, "100 s", "f: 1, n_min: 2");
    assert_int_equal(result.reconfigurations, 0);
    assert_true(result.ledger.instance_ms[SPOT_SHARE_STANDBY] > 99000);
    result = run_rows(lost, 2, "100 s", "f: 1, n_min: 2");
    assert_int_equal(result.reconfigurations, 1);
    assert_int_equal(result.rollbacks, 0);
    result = run_rows(added, 2, "100 s", "f: 1, n_min: 2, growth: better");
    assert_int_equal(result.reconfigurations, 1);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STANDBY], 0);
    /* 3 pipelines are faster by a quarter: 3 of 8 micro-batches and not 4. */
    result = run_rows(added, 2, "100 s", "f: 1, n_min: 2, growth: better, min_gain: 0.24");
    assert_int_equal(result.reconfigurations, 1);
    result = run_rows(added, 2, "100 s", "f: 1, n_min: 2, growth: better, min_gain: 0.26");
    assert_int_equal(result.reconfigurations, 0);
}

/* ---- The guarantee ---- */

#define MODEL "layers: 13, micro_batch: 8, forward_ms: 10, backward_ms: 21, gradient_bytes: 1e7"

/* A fleet and the policy, without an engine: every pause ends before the next loss. */
typedef struct {
    spot_scenario_t scenario;
    spot_fleet_t fleet;
    void *state;
    int32_t num_pipelines;
} policy_t;

static void init_policy(
    policy_t *self, int32_t num_instances, const char *step_time, int64_t f, int64_t n_min)
{
    char text[TEXT_BYTES];
    int32_t slots[64];
    const spot_recovery_t *system;

    snprintf(text, sizeof(text),
        "scenario: policy\nhorizon: 1 h\nfleet: {capacity: 64}\n"
        "job: {pipeline_depth: 3, samples_per_step: 1024, step_time: %s}\n"
        "recovery: {system: oobleck, published_defaults: yes, f: %lld, n_min: %lld}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n",
        step_time, (long long) f, (long long) n_min);
    bind_good_scenario(&self->scenario, text);
    system = self->scenario.recovery.system;
    for (int32_t j = 0; j < num_instances; j++) {
        slots[j] = j;
    }
    assert_int_equal(spot_fleet_init(&self->fleet, 64), 0);
    spot_fleet_clear(&self->fleet);
    spot_fleet_add(&self->fleet, slots, num_instances, 0);
    (void) spot_fleet_finish_preparation(&self->fleet, 0);
    self->state =
        calloc(1, system->state_size(self->scenario.recovery.options, &self->scenario.job, 64));
    assert_non_null(self->state);
    self->num_pipelines = 0;
    system->start(self->scenario.recovery.options, self->state,
        &(spot_recovery_start_t){.job = &self->scenario.job, .capacity = 64});
}

static void free_policy(policy_t *self)
{
    spot_fleet_free(&self->fleet);
    spot_scenario_free(&self->scenario);
    free(self->state);
}

static spot_recovery_decision_t decide(policy_t *self, const int32_t *lost, int32_t num_lost)
{
    const spot_recovery_change_t change = {
        .num_lost_active = num_lost, .lost = lost, .num_ready = num_lost == 0};
    spot_recovery_view_t view = {.now_ms = 1000,
        .job = &self->scenario.job,
        .fleet = &self->fleet,
        .num_pipelines = self->num_pipelines,
        .training_ms = self->num_pipelines > 0 ? 1000 : INT64_MAX};
    spot_recovery_decision_t decision = {0};

    spot_fleet_remove(&self->fleet, lost, num_lost);
    view.num_active = self->fleet.counts[SPOT_ACTIVE];
    view.num_standby = self->fleet.counts[SPOT_STANDBY];
    self->scenario.recovery.system->decide(
        self->scenario.recovery.options, self->state, &view, &change, &decision);
    if (decision.is_new) {
        spot_fleet_set_active(&self->fleet, decision.num_active);
        self->num_pipelines = decision.num_pipelines;
    }
    return decision;
}

/* Up to most active instances at random, in no order. */
static int32_t draw_lost(spot_rng_t *rng, const policy_t *self, int32_t most, int32_t *lost)
{
    int32_t num_active = spot_fleet_list(&self->fleet, SPOT_ACTIVE, lost);
    int32_t num_lost = 1 + (int32_t) (spot_rng_uniform(rng) * most);

    num_lost = num_lost < num_active ? num_lost : num_active;
    for (int32_t j = 0; j < num_lost; j++) {
        const int32_t k = j + (int32_t) (spot_rng_uniform(rng) * (num_active - j));
        const int32_t slot = lost[j];

        lost[j] = lost[k];
        lost[k] = slot;
    }
    return num_lost;
}

static void test_any_f_losses_are_survived(void **state)
{
    int num_decisions = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 1);
    for (int32_t j = 0; j < 400; j++) {
        const int32_t f = 1 + j % 4, n_min = 1 + j / 4 % 5;
        int32_t num_left =
            (f + 1) * n_min + (int32_t) (spot_rng_uniform(&rng) * (64 - (f + 1) * n_min));
        int32_t lost[64];
        policy_t self;

        init_policy(&self, num_left, "{pipeline: {" MODEL "}}", f, n_min);
        assert_true(decide(&self, lost, 0).is_new);
        while (num_left >= (f + 1) * n_min) {
            const int32_t num_lost = draw_lost(&rng, &self, f, lost);
            const spot_recovery_decision_t decision = decide(&self, lost, num_lost);

            num_left -= num_lost;
            assert_true(decision.is_new && decision.num_pipelines > 0);
            assert_int_equal(decision.work, SPOT_WORK_STEPS_KEPT);
            assert_int_equal(decision.reload_ms, 0);
            assert_int_equal(decision.num_active, num_left);
            assert_true(decision.step_ms > 0);
            assert_true(decision.num_pipelines >= f + 1 || num_left < (f + 1) * n_min);
            num_decisions++;
        }
        free_policy(&self);
    }
    assert_true(num_decisions > 3000);
}

/* Layers of 4 GB of state and 1 GB of activations a micro-batch, in 32 GB: of 13 layers
 * 5 a stage do not fit with 3 micro-batches, 4 do with 4; f+1 pipelines are 8. */
static void test_smallest_pipeline_by_memory(void **state)
{
    (void) state;
    for (int32_t num_instances = 1; num_instances <= 20; num_instances++) {
        spot_recovery_decision_t decision;
        int32_t lost[1];
        policy_t self;

        init_policy(&self, num_instances,
            "{pipeline: {" MODEL ", memory: {instance_bytes: 32e9, state_bytes: 4e9, "
            "activation_bytes: 1e9}}}",
            1, 0);
        decision = decide(&self, lost, 0);
        assert_true(decision.is_new == (num_instances >= 8));
        assert_int_equal(decision.num_active, num_instances >= 8 ? num_instances : 0);
        free_policy(&self);
    }
}

/* By a table: the number of pipelines of 3 with the shortest step, the least of equals,
 * of those that leave f+1. */
static void test_uniform_mixes(void **state)
{
    static const int64_t steps_ms[] = {900, 700, 500, 480, 470, 500, 470, 450, 460};

    (void) state;
    for (int32_t num_instances = 1; num_instances <= 30; num_instances++) {
        for (int32_t f = 0; f <= 4; f++) {
            int32_t best = 0, lost[1];
            spot_recovery_decision_t decision;
            policy_t self;

            for (int32_t d = f + 1; d <= 9 && 3 * d <= num_instances; d++) {
                if (best == 0 || steps_ms[d - 1] < steps_ms[best - 1]) {
                    best = d;
                }
            }
            init_policy(&self, num_instances,
                "{3: 900 ms, 6: 700 ms, 9: 500 ms, 12: 480 ms, 15: 470 ms, 18: 500 ms, "
                "21: 470 ms, 24: 450 ms, 27: 460 ms}",
                f, 0);
            decision = decide(&self, lost, 0);
            assert_true(decision.is_new == (best > 0));
            assert_int_equal(decision.num_pipelines, best);
            assert_int_equal(decision.num_active, 3 * best);
            assert_int_equal(decision.step_ms, best > 0 ? steps_ms[best - 1] : 0);
            free_policy(&self);
        }
    }
}

/* ---- At random ---- */

/* Copies text, with the line that begins with old replaced. */
static void replace_line(char *text, const char *old, const char *line)
{
    char copy[CASE_TEXT_BYTES];
    char *start = strstr(text, old);

    assert_non_null(start);
    snprintf(copy, sizeof(copy), "%s", strchr(start, '\n'));
    snprintf(start, CASE_TEXT_BYTES - (size_t) (start - text), "%s%s", line, copy);
}

static void bind_oobleck(const case_t *self, bool is_by_templates, spot_scenario_t *scenario)
{
    char path[PATH_BYTES], text[CASE_TEXT_BYTES], line[512];
    const int64_t step_ms = self->setting.points[0].step_ms;
    FILE *out;

    temporary_path("random.csv", path);
    out = fopen(path, "w");
    assert_non_null(out);
    write_trace(out, self);
    assert_int_equal(fclose(out), 0);
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write_scenario(out, self, path);
    assert_int_equal(fclose(out), 0);
    if (is_by_templates) {
        snprintf(line, sizeof(line),
            "  step_time: {pipeline: {layers: %d, micro_batch: 32, forward_ms: %g, "
            "backward_ms: %g, gradient_bytes: 0}}",
            5 + (int) (self->seed % 11), 0.1 + 0.02 * (double) step_ms,
            0.2 + 0.04 * (double) step_ms);
        replace_line(text, "  step_time: {", line);
    }
    snprintf(line, sizeof(line),
        "recovery: {system: oobleck, published_defaults: yes, f: %d, n_min: %d, growth: "
        "%s, regroup: %lld ms, "
        "detection: %lld ms, layer_bytes: %d}",
        (int) (self->seed % 3), (int) (self->seed / 3 % 3),
        self->seed % 2 == 0 ? "better" : "at_preemption",
        (long long) self->setting.reconfiguration_ms, (long long) self->setting.detection_ms,
        (int) (self->seed % 7) * 100000);
    replace_line(text, "recovery: {", line);
    bind_good_scenario(scenario, text);
    remove(path);
}

static spot_train_result_t run_case(const case_t *self, bool is_by_templates, spot_event_log_t *log)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    bind_oobleck(self, is_by_templates, &scenario);
    result = run_scenario(&scenario, 0, log);
    spot_scenario_free(&scenario);
    return result;
}

/* The same in whatever order the losses of an instant are told, and with a log. */
static void test_order_of_losses(void **state)
{
    int num_reconfigured = 0, num_rolled_back = 0;
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        for (int is_by_templates = 0; is_by_templates < 2; is_by_templates++) {
            spot_train_result_t result, logged, reversed;
            int64_t job_ms = 0;

            draw_case(&self, seed);
            result = run_case(&self, is_by_templates, NULL);
            logged = run_case(&self, is_by_templates, &log);
            self.has_reversed_losses = true;
            reversed = run_case(&self, is_by_templates, NULL);
            assert_null(result_difference(&result, &logged));
            assert_null(result_difference(&result, &reversed));
            for (int phase = 0; phase < SPOT_NUM_JOB_PHASES; phase++) {
                job_ms += result.job_ms[phase];
            }
            assert_int_equal(job_ms, result.horizon_ms);
            num_reconfigured += result.reconfigurations > 0;
            num_rolled_back += result.rollbacks > 0;
        }
    }
    spot_event_log_free(&log);
    assert_true(num_reconfigured > NUM_CASES / 4);
    assert_true(num_rolled_back > NUM_CASES / 20);
}

/* Uniform pipelines of a table. */
static void test_ideal_bounds(void **state)
{
    int num_kept = 0;
    case_t self;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t result, ideal;
        spot_scenario_t scenario;

        draw_case(&self, seed);
        self.setting.until_steps = 0;
        self.is_until_inside = false;
        result = run_case(&self, false, NULL);
        bind_case(&self, &scenario);
        spot_recovery_choose(&scenario.recovery, &spot_recovery_ideal);
        ideal = run_scenario(&scenario, 0, NULL);
        spot_scenario_free(&scenario);
        assert_true((double) kept_steps(&result) <=
                    (double) ideal.steps_executed + ideal.step_fraction + 1e-6);
        num_kept += kept_steps(&result) > 0;
    }
    assert_true(num_kept > NUM_CASES / 4);
}

/* Without losses there is nothing to pay: whole steps of the fastest decision. */
static void test_without_losses(void **state)
{
    (void) state;
    for (int num_layers = 1; num_layers <= 6; num_layers++) {
        const spot_train_result_t result =
            run_rows("0,init,6,a b c d e f\n900,end,6,\n", num_layers, "900 s", "f: 0");
        /* One pipeline to each instance: 2 micro-batches at most, all layers. */
        const int64_t step_ms = 2 * 300 * num_layers;

        assert_true(kept_steps(&result) >= 900000 / step_ms);
        assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], 900000);
        assert_int_equal(result.lost_ms, 0);
        if (num_layers == 1) {
            assert_int_equal(kept_steps(&result), 900000 / step_ms);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_can_start),
        cmocka_unit_test(test_merges_and_copies),
        cmocka_unit_test(test_who_is_lost_counts),
        cmocka_unit_test(test_loss_while_copying),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_any_f_losses_are_survived),
        cmocka_unit_test(test_smallest_pipeline_by_memory),
        cmocka_unit_test(test_uniform_mixes),
        cmocka_unit_test(test_order_of_losses),
        cmocka_unit_test(test_ideal_bounds),
        cmocka_unit_test(test_without_losses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
