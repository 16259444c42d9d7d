/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that the training engine simulates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "schedule_case.h"

#define NUM_CASES (600 / SPOT_FEWER)

static const char *const policies[] = {"fifo", "sjf", "srtf", "tiresias", "qssf", "efs", "gain"};
#define NUM_POLICIES (sizeof(policies) / sizeof(policies[0]))

static int64_t below(spot_rng_t *rng, int64_t limit)
{
    return (int64_t) spot_rng_below(rng, (uint64_t) limit);
}

/* ---- A training job ---- */

/* Reads a scenario of the training engine; more is the rest of its keys. */
static void read_training(spot_scenario_t *self, const char *more)
{
    char text[2048];
    spot_yaml_t document;
    spot_diag_t diag;

    snprintf(text, sizeof(text),
        "scenario: core\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n"
        "%s",
        more);
    spot_diag_init(&diag);
    if (spot_yaml_parse(&document, "core", text, strlen(text), &diag) != 0 ||
        spot_scenario_init(self, document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void draw_training(spot_rng_t *rng, spot_scenario_t *self)
{
    static const char *const modes[] = {"async", "sync"};
    static const char *const systems[] = {
        "checkpoint", "varuna", "{system: bamboo, step_factor: 1.5}"};
    const int64_t depth = 1 + below(rng, 3);
    char text[1024];

    snprintf(text, sizeof(text),
        "horizon: %lld s\ntick: %lld ms\n"
        "fleet: {capacity: 12, initial: 1, preparation: %lld ms, notice: %lld s}\n"
        "job: {pipeline_depth: %lld, step_time: {%lld: 9 s, %lld: 5 s}, "
        "checkpoint: {mode: %s, every: %lld steps, write: %lld ms}, "
        "reconfiguration: %lld s, reload: %lld s}\n"
        "recovery: %s\n%s",
        (long long) (500 + below(rng, 2000)), (long long) (1 + below(rng, 9000)),
        (long long) below(rng, 90000), (long long) (below(rng, 2) == 0 ? 0 : below(rng, 60)),
        (long long) depth, (long long) depth, (long long) (3 * depth), modes[below(rng, 2)],
        (long long) (1 + below(rng, 5)), (long long) below(rng, 30000), (long long) below(rng, 60),
        (long long) below(rng, 30), systems[below(rng, 3)],
        below(rng, 2) == 0 ? "until: {steps: 40}\n" : "");
    read_training(self, text);
}

/* A case with one trainer, "core:t". */
typedef struct {
    schedule_case_t scenario;
    spot_scenario_t training;
    spot_trainer_t trainer;
    spot_job_terms_row_t terms;
} core_case_t;

static void start_core(core_case_t *self, int32_t gpus_per_node, const char *policy)
{
    static char name[] = "t";

    case_start(&self->scenario, gpus_per_node, policy);
    self->trainer = (spot_trainer_t){.name = name, .training = &self->training};
    self->scenario.scenario.trainers = (spot_trainers_t){1, &self->trainer};
    self->terms = (spot_job_terms_row_t){.scaling_id = -1, .restart_s = -1, .trainer = "core:t"};
}

static void end_core(core_case_t *self)
{
    spot_scenario_free(&self->training);
    case_end(&self->scenario);
}

/* Lives of nodes with times in milliseconds, to 4000 s. */
static void draw_rows(spot_rng_t *rng, char *rows, int num_names)
{
    bool lives[12] = {false};
    int64_t time_ms = 0;
    int num_living = 0;
    char *end = rows;

    for (int j = 0; j < num_names; j++) {
        lives[j] = below(rng, 2) == 0;
        num_living += lives[j];
    }
    end += sprintf(end, "0,init,%d,", num_living);
    for (int j = 0, num = 0; j < num_names; j++) {
        if (lives[j]) {
            end += sprintf(end, "%sn%d", num++ > 0 ? " " : "", j);
        }
    }
    end += sprintf(end, "\n");
    for (int64_t j = below(rng, 30); j > 0; j--) {
        const int64_t node = below(rng, num_names);

        time_ms += 1 + below(rng, below(rng, 3) == 0 ? 900 : 200000);
        if (time_ms < 4000000) {
            end += sprintf(end, "%lld.%03lld,%s,1,n%lld\n", (long long) time_ms / 1000,
                (long long) time_ms % 1000,
                !lives[node]         ? "add"
                : below(rng, 5) == 0 ? "stop"
                                     : "preempt",
                (long long) node);
            num_living += lives[node] ? -1 : 1;
            lives[node] = !lives[node];
        }
    }
    sprintf(end, "4000,end,%d,\n", num_living);
}

/* Every figure of the two results. */
static void assert_same_result(const spot_train_result_t *one, const spot_train_result_t *other)
{
    assert_memory_equal(&one->ledger, &other->ledger, sizeof(one->ledger));
    assert_memory_equal(one->job_ms, other->job_ms, sizeof(one->job_ms));
    assert_true(one->cost_usd == other->cost_usd);
    assert_int_equal(one->horizon_ms, other->horizon_ms);
    assert_int_equal(one->stalled_ms, other->stalled_ms);
    assert_int_equal(one->lost_ms, other->lost_ms);
    assert_int_equal(one->steps_executed, other->steps_executed);
    assert_int_equal(one->steps_durable, other->steps_durable);
    assert_int_equal(one->steps_lost, other->steps_lost);
    assert_true(one->step_fraction == other->step_fraction);
    assert_int_equal(one->initial, other->initial);
    assert_int_equal(one->preempted, other->preempted);
    assert_int_equal(one->added, other->added);
    assert_int_equal(one->stopped, other->stopped);
    assert_int_equal(one->clipped, other->clipped);
    assert_int_equal(one->reconfigurations, other->reconfigurations);
    assert_int_equal(one->rollbacks, other->rollbacks);
    assert_int_equal(one->first_training_ms, other->first_training_ms);
    assert_int_equal(one->checkpoints_durable, other->checkpoints_durable);
    assert_int_equal(one->checkpoints_aborted, other->checkpoints_aborted);
    assert_int_equal(one->peak_instances, other->peak_instances);
    assert_int_equal(one->preemption_events, other->preemption_events);
    assert_int_equal(one->is_finished, other->is_finished);
}

/* The training engine alone on a trace. */
static void run_alone(
    const spot_scenario_t *training, const spot_trace_t *trace, spot_train_result_t *result)
{
    spot_scenario_t scenario = *training;
    spot_train_t train;

    assert_int_equal(spot_trace_model_of(&scenario.trace, trace), 0);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 1, 0, NULL), 0);
    *result = train.result;
    spot_train_free(&train);
    spot_trace_model_free(&scenario.trace);
}

/* One job on a pool that it prepares itself is a run of the training engine on the
 * trace of the pool, under any policy. */
static void test_identity(void **state)
{
    int64_t num_finished = 0, num_rollbacks = 0, num_clipped = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        core_case_t self;
        spot_rng_t rng;
        spot_schedule_t schedule;
        spot_train_result_t alone;
        char rows[4096];

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        draw_training(&rng, &self.training);
        draw_rows(&rng, rows, 12);
        start_core(&self, (int32_t) (1 + below(&rng, 8)), policies[below(&rng, NUM_POLICIES)]);
        case_add_vc(&self.scenario, "a", 0);
        case_add_pool(&self.scenario, 0, rows, 1, 0)->is_prepared_by_core = true;
        self.training.fleet.capacity = 1 + self.scenario.traces[0].initial + below(&rng, 6);
        case_add_job(&self.scenario, 0, 1, 0, 100, &self.terms);
        free(case_run(&self.scenario, &schedule));
        run_alone(&self.training, &self.scenario.traces[0], &alone);
        assert_same_result(spot_schedule_core_result(&schedule, 0), &alone);
        assert_int_equal(spot_schedule_result(&schedule, 0).start_s, 0);
        assert_int_equal(spot_schedule_result(&schedule, 0).end_s, (alone.horizon_ms + 999) / 1000);
        num_finished += alone.is_finished;
        num_rollbacks += alone.rollbacks;
        num_clipped += alone.clipped;
        spot_schedule_free(&schedule);
        end_core(&self);
    }
    assert_true(num_finished > NUM_CASES / 20);
    assert_true(num_rollbacks > NUM_CASES / 2);
    assert_true(num_clipped > NUM_CASES / 10);
}

/* One job on reserved nodes is a run of the training engine on a fleet that stays. */
static void test_reserved(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        core_case_t self;
        spot_rng_t rng;
        spot_schedule_t schedule;
        spot_train_result_t alone;
        int32_t num_nodes;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        draw_training(&rng, &self.training);
        num_nodes = (int32_t) (self.training.job.pipeline_depth * (1 + below(&rng, 3)));
        start_core(&self, 8, policies[below(&rng, NUM_POLICIES)]);
        self.scenario.scenario.placer = (int) below(&rng, SPOT_NUM_PLACERS);
        case_add_vc(&self.scenario, "a", num_nodes);
        case_add_job(&self.scenario, 0, 8 * num_nodes, 0, 100, &self.terms);
        free(case_run(&self.scenario, &schedule));
        {
            static const spot_trace_t none = {
                .kind = SPOT_TRACE_NAMED, .capacity = 12, .resolution_ms = 1, .end_ms = 4000000};
            static const int32_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
            spot_trace_t trace = none;

            trace.initial = trace.final = num_nodes;
            trace.num_names = 12;
            trace.name_ids = malloc(sizeof(ids));
            memcpy(trace.name_ids, ids, sizeof(ids));
            run_alone(&self.training, &trace, &alone);
            free(trace.name_ids);
        }
        assert_same_result(spot_schedule_core_result(&schedule, 0), &alone);
        assert_int_equal(spot_schedule_result(&schedule, 0).end_s, (alone.horizon_ms + 999) / 1000);
        spot_schedule_free(&schedule);
        end_core(&self);
    }
}

/* Among other jobs, on nodes that come and go: both steppings and the ledger agree. */
static void test_among_others(void **state)
{
    int64_t num_stops = 0, num_ended = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        core_case_t self;
        spot_rng_t rng;
        spot_schedule_t schedule;
        char rows[4096];
        int64_t depth;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        draw_training(&rng, &self.training);
        depth = self.training.job.pipeline_depth;
        draw_rows(&rng, rows, 6);
        start_core(&self, 4, policies[below(&rng, NUM_POLICIES)]);
        self.scenario.thresholds_gpu_s[0] = 3000;
        case_add_vc(&self.scenario, "a", (int32_t) depth);
        case_add_pool(&self.scenario, 0, rows, 1 + below(&rng, 50), 0);
        for (int64_t j = 0, submit_s = 0; j < 5; j++) {
            const bool is_core = j == 1 || j == 3;
            spot_job_terms_row_t terms = self.terms;
            int32_t gpus = (int32_t) (1 + below(&rng, 4 * depth));

            if (is_core) {
                gpus = (int32_t) (4 * depth);
                terms.min_gpus = below(&rng, 2) == 0 ? 0 : gpus;
                terms.max_gpus = terms.min_gpus * 3;
            }
            submit_s += below(&rng, 100);
            case_add_job(
                &self.scenario, 0, gpus, submit_s, 1 + below(&rng, 600), is_core ? &terms : NULL);
        }
        free(case_run(&self.scenario, &schedule));
        num_ended += schedule.num_ended;
        num_stops += schedule.vcs[0].preemptions + schedule.vcs[0].node_preemptions +
                     schedule.vcs[0].resizes;
        spot_schedule_free(&schedule);
        end_core(&self);
    }
    assert_true(num_stops > NUM_CASES / 2);
    assert_true(num_ended > 3 * NUM_CASES);
}

/* Jobs on a pool that they prepare themselves run one after another, in order of
 * submission. */
static void test_in_turn(void **state)
{
    int64_t num_started = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        core_case_t self;
        spot_rng_t rng;
        spot_schedule_t schedule;
        char rows[4096];
        int64_t free_s = 0;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        draw_training(&rng, &self.training);
        draw_rows(&rng, rows, 8);
        start_core(&self, 4, policies[below(&rng, NUM_POLICIES)]);
        self.scenario.scenario.horizon_s = below(&rng, 2) == 0 ? 0 : 1 + below(&rng, 5000);
        case_add_vc(&self.scenario, "a", 0);
        case_add_pool(&self.scenario, 0, rows, 1, 1000 * below(&rng, 30))->is_prepared_by_core =
            true;
        for (int64_t j = 0, submit_s = 0; j < 4; j++) {
            submit_s += below(&rng, 1500);
            case_add_job(&self.scenario, 0, 1, submit_s, 1 + below(&rng, 600), &self.terms);
        }
        free(case_run(&self.scenario, &schedule));
        for (int32_t j = 0; j < 4; j++) {
            const spot_job_result_t job = spot_schedule_result(&schedule, j);
            const int64_t submit_s = self.scenario.log.jobs[j].submit_s;

            if (job.start_s >= 0) {
                assert_int_equal(job.start_s, submit_s > free_s ? submit_s : free_s);
                assert_true(job.end_s > job.start_s || job.end_s < 0);
                spot_ledger_verify(&spot_schedule_core_result(&schedule, j)->ledger);
                free_s = job.end_s < 0 ? INT64_MAX : job.end_s;
                num_started++;
            }
        }
        spot_schedule_free(&schedule);
        end_core(&self);
    }
    assert_true(num_started > 3 * NUM_CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_among_others),
        cmocka_unit_test(test_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
