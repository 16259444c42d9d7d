/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice in the middle of a run is calibrated: of runs that are stopped at a third of
 * their deadline, those told to be done in time with 70 to 80 % are done in 70 to 80 %.
 * With an argument: so many runs of each job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim/train/experiment.h"
#include "statistics.h"
#include "tests/statistical/advice_case.h"
#include "traces/generate/generate.h"

enum { NUM_DECILES = 10, NUM_FORECAST_RUNS = 1000 / SPOT_FEWER, LEAST_RUNS = 15 };

static int num_runs = 600 / SPOT_FEWER;

/* Of one of some forty deciles. */
#define MAX_DECILE_Z 3.3

typedef struct {
    const char *name, *text; /* of the scenario, without its end */
    int num_steps;
    int64_t deadline_ms;
} job_t;

#define HOUR INT64_C(3600000)

/* Rates and sizes such that half of the runs are late. */
static const job_t jobs[] = {
    {"slow changes",
        "scenario: middle\nfleet: {capacity: 16, initial: 8}\n"
        "job: {step_time: {4: 40 s, 8: 22 s, 16: 13 s}, pipeline_depth: 4}\n"
        "recovery: checkpoint\n"
        "trace: {generator: seed, preemption: {per_minute: 0.01, count: {fixed: 3}},"
        " addition: {per_minute: 0.02, count: {fixed: 2}}}\n",
        980, 6 * HOUR},
    {"many changes",
        "scenario: middle\nfleet: {capacity: 16, initial: 8}\n"
        "job: {step_time: {4: 40 s, 8: 22 s, 12: 16 s, 16: 13 s}, pipeline_depth: 4,"
        " checkpoint: {mode: sync, write: 60 s, every: 10 min}}\n"
        "recovery: checkpoint\n"
        "trace: {generator: seed, preemption: {per_minute: 0.05, count: {fixed: 1}},"
        " addition: {per_minute: 0.05, count: {fixed: 1}}}\n",
        420, 6 * HOUR},
    {"a short job",
        "scenario: middle\nfleet: {capacity: 16, initial: 8, preparation: 15 min}\n"
        "job: {step_time: {4: 40 s, 8: 22 s, 12: 16 s, 16: 13 s}, pipeline_depth: 4,"
        " reconfiguration: 4 min, reload: 3 min, checkpoint: {write: 5 min}}\n"
        "recovery: checkpoint\n"
        "trace: {generator: seed, preemption: {per_minute: 0.02, count: {fixed: 2}},"
        " addition: {per_minute: 0.03, count: {fixed: 2}}}\n",
        240, 2 * HOUR},
    {"rare checkpoints",
        "scenario: middle\nfleet: {capacity: 16, initial: 8, preparation: 15 min}\n"
        "job: {step_time: {4: 40 s, 8: 22 s, 12: 16 s, 16: 13 s}, pipeline_depth: 4,"
        " reconfiguration: 8 min, reload: 4 min,"
        " checkpoint: {mode: sync, write: 90 s, every: 50 min}}\n"
        "recovery: checkpoint\n"
        "trace: {generator: seed, preemption: {per_minute: 0.01, count: {fixed: 2}},"
        " addition: {per_minute: 0.015, count: {fixed: 2}}}\n",
        700, 6 * HOUR},
};

typedef struct {
    int64_t num_runs, num_met;
    double p; /* sum of the forecasts */
} decile_t;

static void bind_job(spot_scenario_t *scenario, const job_t *job, int64_t horizon_ms)
{
    char text[2048];

    snprintf(text, sizeof(text), "%shorizon: %" PRId64 " ms\nuntil: {steps: %d}\n", job->text,
        horizon_ms, job->num_steps);
    bind_good_scenario(scenario, text);
}

/* Writes the trace of a replication up to now, and sets what it says. Returns the
 * instances before what happens now, which a run up to now does not see. */
static int64_t write_log(const spot_scenario_t *scenario, uint64_t replication, int64_t now_ms,
    const char *path, spot_advice_question_t *question)
{
    const spot_generate_t task = {.seed = 1,
        .replication = replication,
        .horizon_ms = now_ms,
        .kind = replication % 4 == 0 ? SPOT_TRACE_COUNTS : SPOT_TRACE_NAMED,
        .name = "so far",
        .version = "test"};
    spot_trace_t trace;
    spot_diag_t diag;
    int64_t before;

    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&scenario->trace, &task, path, &diag), 0);
    assert_int_equal(spot_trace_read(&trace, path, true, &diag), 0);
    assert_int_equal(trace.end_ms, now_ms);
    question->is_running = true;
    question->now_path = path;
    question->elapsed_ms = trace.end_ms;
    question->running = trace.final;
    before = trace.final;
    for (size_t j = trace.num_events; j > 0 && trace.events[j - 1].time_ms == now_ms; j--) {
        before += trace.events[j - 1].kind == SPOT_EVENT_ADD ? -trace.events[j - 1].count
                                                             : trace.events[j - 1].count;
    }
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return before;
}

/* A run of a replication up to a horizon. */
static spot_train_result_t run_to(const job_t *job, uint64_t replication, int64_t horizon_ms)
{
    spot_train_result_t result;
    spot_scenario_t scenario;
    spot_train_t train;

    bind_job(&scenario, job, horizon_ms);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 1, replication, NULL), 0);
    result = train.result;
    spot_train_free(&train);
    spot_scenario_free(&scenario);
    return result;
}

/* The probability that advice tells of going on as it is, with a seed of its own for
 * each run: else all deciles would have the errors of one seed. */
static double forecast(const char *path, const spot_advice_question_t *question, uint64_t seed)
{
    const spot_advice_t *advice = spot_train_experiment.advice;
    spot_alternatives_t all = {.error = 0};
    spot_yaml_t document, values;
    spot_scenario_t scenario;
    int64_t num_met = 0;
    spot_train_t train;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, path, &diag), 0);
    assert_int_equal(advice->pose(question, &document, &diag), 0);
    assert_int_equal(spot_scenario_init(&scenario, document.root, NULL, &diag), 0);
    assert_int_equal(advice->propose(question, &scenario, document.root, &all, &diag), 0);
    assert_string_equal(all.items[0].kind, SPOT_ADVICE_AS_IT_IS);
    spot_scenario_free(&scenario);
    assert_int_equal(
        spot_yaml_parse(&values, "point", all.items[0].point, strlen(all.items[0].point), &diag),
        0);
    for (size_t j = 0; j < values.root->num_children; j++) {
        assert_int_equal(
            spot_yaml_set(&document, values.root->keys[j]->text, values.root->children[j]), 0);
    }
    assert_int_equal(spot_scenario_init(&scenario, document.root, NULL, &diag), 0);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    for (uint64_t j = 0; j < NUM_FORECAST_RUNS; j++) {
        assert_int_equal(spot_train_run(&train, seed, j, NULL), 0);
        num_met += train.result.is_finished && train.result.horizon_ms <= scenario.deadline_ms;
    }
    spot_train_free(&train);
    spot_scenario_free(&scenario);
    spot_yaml_free(&values);
    spot_yaml_free(&document);
    spot_alternatives_free(&all);
    spot_diag_free(&diag);
    return (double) num_met / NUM_FORECAST_RUNS;
}

static void count_run(const job_t *job, uint64_t replication, decile_t *deciles)
{
    const int64_t now_ms = job->deadline_ms / 3;
    const spot_train_result_t third = run_to(job, replication, now_ms);
    const spot_train_result_t whole = run_to(job, replication, job->deadline_ms);
    char path[PATH_BYTES], log_path[PATH_BYTES], text[2048];
    spot_advice_question_t question = {.num_steps = job->num_steps,
        .finish_by_ms = job->deadline_ms,
        .sure = 0.95,
        .budget = HUGE_VAL,
        .progress = third.steps_executed - third.steps_lost};
    spot_scenario_t scenario;
    decile_t *decile;
    double p;

    bind_job(&scenario, job, job->deadline_ms);
    temporary_path("middle.csv", log_path);
    assert_int_equal(write_log(&scenario, replication, now_ms, log_path, &question),
        third.initial + third.added - third.preempted - third.stopped);
    spot_scenario_free(&scenario);
    snprintf(text, sizeof(text), "%shorizon: 1 h\n", job->text);
    temporary_path("middle.yaml", path);
    write_file(path, text);
    p = forecast(path, &question, replication + 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(log_path), 0);
    decile = &deciles[p < 1 ? (int) (NUM_DECILES * p) : NUM_DECILES - 1];
    decile->num_runs++;
    decile->num_met += whole.is_finished;
    decile->p += p;
}

/* A decile with enough runs is as it was told, and so are all of them together. */
static void check_job(const job_t *job)
{
    decile_t deciles[NUM_DECILES] = {{0}};
    double excess = 0, variance = 0;

    for (int j = 0; j < num_runs; j++) {
        count_run(job, (uint64_t) j, deciles);
    }
    for (int j = 0; j < NUM_DECILES; j++) {
        const decile_t *decile = &deciles[j];
        const double num = (double) decile->num_runs, p = decile->p / num;
        const double share = (double) decile->num_met / num;
        const double z = (share - p) / sqrt(p * (1 - p) / num);

        if (decile->num_runs < LEAST_RUNS) {
            continue;
        }
        print_message("%s: told %d to %d %%: %.0f runs, told %.3f, met %.3f, z %.2f\n", job->name,
            10 * j, 10 * j + 10, num, p, share, z);
        assert_true(p * (1 - p) * num < 1 || fabs(z) <= MAX_DECILE_Z);
        excess += num * (share - p);
        variance += num * p * (1 - p);
    }
    print_message("%s: all: z %.2f, standard error %.3f\n", job->name, excess / sqrt(variance),
        sqrt(variance) / num_runs);
    assert_true(fabs(excess / sqrt(variance)) <= MAX_DECILE_Z);
    assert_true(sqrt(variance) <= 0.02 * sqrt(SPOT_FEWER) * num_runs);
}

static void test_calibration(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++) {
        check_job(&jobs[j]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibration),
    };

    if (argc > 1) {
        num_runs = atoi(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
