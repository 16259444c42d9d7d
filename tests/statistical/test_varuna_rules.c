/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varuna with all faults of the simulator published with Oobleck (SOSP'23) against a
 * twin of that program's rules, both against the published rows, and varuna on a trace on
 * which the program itself was run. The twin gives the published samples/s to their last
 * digit; on random traces it is a twin, not the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "statistics.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/train/varuna_case.h"
#include "tests/unit/train/varuna_rules.h"

#define TABLE SHARED_DATA "profiles/oobleck-sim_%s_varuna.csv"
#define FAULTS                                                                                     \
    "fault_steps_in_pause: yes, fault_one_counter: yes, fault_failing_checkpoints: "               \
    "yes, fault_deep_failures: yes, fault_old_pauses: yes, fault_stale_timers: yes, "              \
    "fault_idle_losses_pause: yes, "

typedef struct {
    const char *name;
    int64_t samples_per_step;
    int64_t first_restart_ms; /* 0: that of the table */
} model_t;

static const model_t bert = {"bert-large", 8192, 76000};
static const model_t gpt_2 = {"gpt-2", 1024, 0};
static const model_t gpt_3 = {"gpt-3-2.7b", 512, 0};

static void skip_without_tables(void)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), TABLE, bert.name);
    need_data(path);
}

/* ---- Both programs ---- */

/* Rows of the trace in the order of the events; removals stand before additions. */
static void write_trace(const char *path, const rules_case_t *self)
{
    const rules_event_t *last = &self->events[self->num_events - 1];
    FILE *out = fopen(path, "w");
    int population = 0;

    assert_non_null(out);
    fputs(TRACE_HEADER "0,init,0,\n", out);
    for (size_t j = 0; j < self->num_events; j++) {
        const rules_event_t *event = &self->events[j];
        const bool is_add = event->kind == RULES_ADD;

        population += is_add ? 1 : -1;
        fprintf(out, "%.3f,%s,1,i%d\n", (double) event->time_ms / 1000, is_add ? "add" : "preempt",
            event->instance);
    }
    fprintf(out, "%.3f,end,%d,\n", (double) last->time_ms / 1000, population);
    assert_int_equal(fclose(out), 0);
}

/* faults: the options, which may be empty. */
static spot_train_result_t run_ours(
    const model_t *model, const rules_case_t *self, const char *faults)
{
    char text[4096], trace[PATH_BYTES];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("rules.csv", trace);
    write_trace(trace, self);
    snprintf(text, sizeof(text),
        "scenario: rules\nhorizon: trace-end\ntick: 1 ms\n"
        "fleet: {capacity: 30, initial: 0, preparation: 45 s}\n"
        "job: {pipeline_depth: 12, outside: flat, samples_per_step: %lld}\n"
        "recovery: {system: varuna, table: " TABLE ", extrapolate: yes%s%s}\n"
        "trace: {file: %s}\n",
        (long long) model->samples_per_step, model->name, faults[0] == '\0' ? "" : ", ", faults,
        trace);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 1, NULL);
    spot_scenario_free(&scenario);
    remove(trace);
    return result;
}

static spot_train_result_t run_all_faults(const model_t *model, const rules_case_t *self)
{
    char faults[512];

    snprintf(faults, sizeof(faults), FAULTS "fault_first_restart: %lld ms",
        (long long) model->first_restart_ms);
    return run_ours(model, self, faults);
}

static rules_result_t run_twin(const model_t *model, rules_case_t *self)
{
    char path[PATH_BYTES];
    spot_instance_table_t table;
    rules_result_t result;
    spot_diag_t diag;

    snprintf(path, sizeof(path), TABLE, model->name);
    spot_diag_init(&diag);
    assert_int_equal(spot_instance_table_read(&table, path, &diag), 0);
    spot_diag_free(&diag);
    self->table = &table;
    self->samples_per_step = model->samples_per_step;
    self->first_restart_ms = model->first_restart_ms;
    result = rules_run(self);
    spot_instance_table_free(&table);
    return result;
}

static double kept(const spot_train_result_t *result)
{
    return (double) (result->steps_executed - result->steps_lost);
}

/* Over the time of the published average. */
static double samples_per_s(
    const model_t *model, const spot_train_result_t *ours, const rules_result_t *twin)
{
    return kept(ours) * (double) (model->samples_per_step * 1000) /
           (double) (twin->last_ms - twin->start_ms);
}

/* ---- The published rows ---- */

typedef struct {
    const model_t *model;
    int64_t gap_ms;
    double samples_per_s;
    int64_t steps;
} published_t;

static const published_t published[] = {
    {&bert, 21600000, 260.112809, 10331},
    {&bert, 10800000, 256.466991, 5114},
    {&bert, 3600000, 246.031045, 1680},
    {&bert, 1800000, 232.847277, 797},
    {&bert, 601200, 173.520604, 232},
    {&gpt_3, 21600000, 7.270448, 4647},
    {&gpt_3, 10800000, 7.115095, 2292},
    {&gpt_3, 3600000, 6.536095, 734},
    {&gpt_3, 1800000, 5.826454, 343},
    {&gpt_3, 601200, 1.756849, 79},
};
#define NUM_PUBLISHED (sizeof(published) / sizeof(published[0]))

/* Thirty instances are added, and one is lost every gap_ms, the last one at the end. */
#define NUM_ADDED 30
#define NUM_LOST 15
static rules_case_t published_case(
    const published_t *row, rules_event_t events[NUM_ADDED + NUM_LOST])
{
    for (int j = 0; j < NUM_ADDED; j++) {
        events[j] = (rules_event_t){0, RULES_ADD, j};
    }
    for (int j = 0; j < NUM_LOST; j++) {
        events[NUM_ADDED + j] = (rules_event_t){(j + 1) * row->gap_ms, RULES_REMOVE, j};
    }
    return (rules_case_t){
        .num_events = NUM_ADDED + NUM_LOST, .events = events, .num_instances = NUM_ADDED};
}

static void test_published_rows(void **state)
{
    (void) state;
    skip_without_tables();
    for (size_t j = 0; j < NUM_PUBLISHED; j++) {
        const published_t *row = &published[j];
        rules_event_t events[NUM_ADDED + NUM_LOST];
        rules_case_t input = published_case(row, events);
        const rules_result_t twin = run_twin(row->model, &input);
        const spot_train_result_t ours = run_all_faults(row->model, &input);

        print_message("%s every %lld s: %.6f samples/s, published %.6f; %lld steps, "
                      "published %lld; kept %lld, here %.0f\n",
            row->model->name, (long long) (row->gap_ms / 1000), twin.samples_per_s,
            row->samples_per_s, (long long) twin.steps, (long long) row->steps,
            (long long) twin.counted, kept(&ours));
        assert_true(fabs(twin.samples_per_s - row->samples_per_s) <= 0.5e-6 + 1e-9);
        assert_int_equal(twin.steps, row->steps);
        assert_int_equal(ours.steps_executed, twin.executed);
        assert_int_equal(ours.checkpoints_aborted, twin.failed);
        assert_int_equal((int64_t) kept(&ours), twin.counted);
        assert_true(
            fabs(samples_per_s(row->model, &ours, &twin) - row->samples_per_s) <= 0.5e-6 + 1e-9);
    }
}

/* Without the faults: from 0.1 to 6 % lower, lower by more for the larger model, and at
 * last nothing becomes durable. */
static void test_published_rows_by_default(void **state)
{
    static const double lowest[NUM_PUBLISHED] = {
        -0.06, -0.06, -0.06, -0.06, -0.06, -0.03, -0.04, -0.10, -0.30, -1};

    (void) state;
    skip_without_tables();
    for (size_t j = 0; j < NUM_PUBLISHED; j++) {
        const published_t *row = &published[j];
        rules_event_t events[NUM_ADDED + NUM_LOST];
        const rules_case_t input = published_case(row, events);
        const spot_train_result_t ours = run_ours(row->model, &input, "every: 10");
        const double span_s = (double) (ours.horizon_ms - ours.first_training_ms) / 1000;
        const double deviation =
            kept(&ours) * (double) row->model->samples_per_step / span_s / row->samples_per_s - 1;

        print_message("%s every %lld s: %+.2f %% by default\n", row->model->name,
            (long long) (row->gap_ms / 1000), 100 * deviation);
        assert_true(deviation >= lowest[j]);
        assert_true(deviation <= 0.005);
    }
}

/* ---- Random traces ---- */

#define NUM_TRACES 200
#define MAX_EVENTS 2048
#define TRACE_MS 40920000 /* as long as the recorded trace of the publication */
#define LEAST 10
#define MOST 30

typedef struct {
    rules_event_t events[MAX_EVENTS];
    int living[MOST];
    int num_living;
    int num_instances;
    size_t num_events;
} history_t;

static void add(history_t *self, int64_t time_ms)
{
    self->living[self->num_living++] = self->num_instances;
    self->events[self->num_events++] = (rules_event_t){time_ms, RULES_ADD, self->num_instances++};
}

static void take(history_t *self, int64_t time_ms, const gsl_rng *rng)
{
    const int place = (int) gsl_rng_uniform_int(rng, (unsigned long) self->num_living);

    self->events[self->num_events++] = (rules_event_t){time_ms, RULES_REMOVE, self->living[place]};
    self->living[place] = self->living[--self->num_living];
}

/* The next time of a history, a whole multiple of unit_ms. */
static int64_t later(int64_t time_ms, double gap_ms, int64_t unit_ms, const gsl_rng *rng)
{
    time_ms += 1 + (int64_t) gsl_ran_exponential(rng, gap_ms);
    return (time_ms + unit_ms - 1) / unit_ms * unit_ms;
}

/* Bursts of 1 to 4 losses, additions soon after them, from rare to often; now and then
 * an instance is lost while it prepares. The last event is the end of the run. */
static void draw_history(history_t *self, unsigned long seed, int64_t unit_ms)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    int64_t time_ms = 0;
    double gap_ms;

    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    memset(self, 0, sizeof(*self));
    gap_ms = 1000 * exp(log(200) + gsl_rng_uniform(rng) * log(10));
    for (int j = 0; j < MOST; j++) {
        add(self, 0);
    }
    time_ms = later(0, gap_ms, unit_ms, rng);
    while (time_ms < TRACE_MS) {
        const bool is_loss = gsl_rng_uniform(rng) < 0.5;
        const int count = 1 + (int) gsl_rng_uniform_int(rng, 4);

        for (int j = 0; j < count; j++) {
            if (is_loss && self->num_living > LEAST) {
                take(self, time_ms, rng);
            } else if (!is_loss && self->num_living < MOST) {
                add(self, time_ms);
            }
        }
        time_ms = later(time_ms, gap_ms, unit_ms, rng);
        assert_true(self->num_events + 8 < MAX_EVENTS);
    }
    gsl_rng_free(rng);
}

/* The mean of the differences lies within 2 of its standard errors. relevant: a mean
 * difference that must not pass. */
static void assert_no_difference(
    const char *model, const char *what, const spot_moments_t *values, double relevant)
{
    const double mean = spot_moments_mean(values), se = spot_moments_stderr(values);

    print_message("%s, %s: mean difference %.3g, standard error %.2g\n", model, what, mean, se);
    if (!(fabs(mean) <= 2 * se)) {
        fail_msg("%s, %s: %g is more than 2 standard errors of %g", model, what, mean, se);
    }
    assert_true(se * POWER_Z <= relevant);
}

/* All runs have the same steps executed and checkpoints failed. Where the twin's list of
 * heights grows, its later heights stand for other times than their own, and which of them
 * count says nothing: steps kept and samples/s are those of the other runs. */
static void compare_on_random_traces(const model_t *model, int64_t unit_ms)
{
    static history_t history;
    spot_moments_t executed = {0}, steps_kept = {0}, speed = {0}, failed = {0};
    int64_t num_same = 0, num_kept_same = 0, num_failed = 0, num_stops = 0, num_early = 0;
    double sum_kept = 0, sum_speed = 0;

    for (unsigned long seed = 1; seed <= NUM_TRACES; seed++) {
        rules_case_t input = {.events = history.events};
        spot_train_result_t ours;
        rules_result_t twin;

        draw_history(&history, seed, unit_ms);
        input.num_events = history.num_events;
        input.num_instances = history.num_instances;
        twin = run_twin(model, &input);
        ours = run_all_faults(model, &input);
        spot_moments_add(&executed, (double) (ours.steps_executed - twin.executed));
        spot_moments_add(&failed, (double) (ours.checkpoints_aborted - twin.failed));
        if (twin.early == 0) {
            spot_moments_add(&steps_kept, kept(&ours) - (double) twin.counted);
            num_kept_same += (int64_t) kept(&ours) == twin.counted;
        }
        if (twin.counted > 0 && twin.early == 0) {
            const double difference = samples_per_s(model, &ours, &twin) - twin.samples_per_s;

            spot_moments_add(
                &speed, fabs(difference) <= 1e-9 * twin.samples_per_s ? 0 : difference);
            sum_speed += twin.samples_per_s;
        }
        sum_kept += (double) twin.counted;
        num_same += ours.steps_executed == twin.executed && ours.checkpoints_aborted == twin.failed;
        num_failed += twin.failed;
        num_stops += twin.stops;
        num_early += twin.early > 0;
    }
    print_message("%s: %lld of %d runs have the same steps executed and checkpoints failed, "
                  "%lld the same steps kept; in all %lld failed checkpoints, %lld stops, "
                  "lists that grew in %lld runs\n",
        model->name, (long long) num_same, NUM_TRACES, (long long) num_kept_same,
        (long long) num_failed, (long long) num_stops, (long long) num_early);
    assert_int_equal(num_same, NUM_TRACES);
    assert_int_equal(num_kept_same, NUM_TRACES - num_early);
    assert_no_difference(model->name, "steps executed", &executed, 1);
    assert_no_difference(model->name, "checkpoints failed", &failed, 1);
    assert_no_difference(model->name, "steps kept", &steps_kept, 0.01 * sum_kept / NUM_TRACES);
    assert_no_difference(model->name, "samples/s", &speed, 0.01 * sum_speed / NUM_TRACES);
    assert_true(num_failed > 5 * NUM_TRACES && num_stops > 5 * NUM_TRACES);
    assert_true(num_early > 0);
}

static void test_random_traces(void **state)
{
    (void) state;
    skip_without_tables();
    compare_on_random_traces(&bert, 1);
    compare_on_random_traces(&gpt_2, 1);
    compare_on_random_traces(&gpt_3, 1);
}

/* Whole seconds: losses come in the instant in which an instance is ready or a pause or
 * step ends. */
static void test_random_traces_with_ties(void **state)
{
    (void) state;
    skip_without_tables();
    compare_on_random_traces(&bert, 1000);
    compare_on_random_traces(&gpt_2, 1000);
    compare_on_random_traces(&gpt_3, 1000);
}

/* A trace on which the published program was run with BERT-large: it executes 404 steps,
 * two checkpoints fail, and its counter says 384. Its very first restart is not that of the
 * table. */
static void test_published_program(void **state)
{
    static const struct {
        const char *first_restart;
        int64_t executed, failed;
    } runs[] = {{"76 s", 404, 2}, {"0 s", 407, 4}};

    (void) state;
    need_data(SHARED_DATA "decisions/varuna_seed210.csv");
    for (size_t j = 0; j < sizeof(runs) / sizeof(runs[0]); j++) {
        spot_train_result_t result;
        spot_scenario_t scenario;
        char text[4096];

        snprintf(text, sizeof(text),
            "scenario: published\nhorizon: trace-end\ntick: 1 ms\n"
            "fleet: {capacity: 60, preparation: 45 s}\n"
            "job: {pipeline_depth: 1, samples_per_step: 8192}\n"
            "recovery: {system: varuna, table: " TABLE ", extrapolate: yes, every: 10, " FAULTS
            "fault_first_restart: %s}\n"
            "trace: {file: " SHARED_DATA "decisions/varuna_seed210.csv}\n",
            bert.name, runs[j].first_restart);
        bind_good_scenario(&scenario, text);
        result = run_scenario(&scenario, 1, NULL);
        assert_int_equal(result.steps_executed, runs[j].executed);
        assert_int_equal(result.checkpoints_aborted, runs[j].failed);
        spot_scenario_free(&scenario);
    }
}

/* The comparison would show a fault that is missing: without any one of them a
 * quarter of the runs or more have other steps. */
static void test_each_fault_shows(void **state)
{
    static history_t history;
    static const char *const faults[] = {"fault_steps_in_pause: yes, ", "fault_one_counter: yes, ",
        "fault_deep_failures: yes, ", "fault_old_pauses: yes, ", "fault_stale_timers: yes, ",
        "fault_idle_losses_pause: yes, ", "fault_first_restart: 76 s, "};

    (void) state;
    skip_without_tables();
    for (size_t j = 0; j < sizeof(faults) / sizeof(faults[0]); j++) {
        char text[512] = FAULTS "fault_first_restart: 76 s, every: 10";
        char *place = strstr(text, faults[j]);
        int num_other = 0;

        assert_non_null(place);
        memmove(place, place + strlen(faults[j]), strlen(place + strlen(faults[j])) + 1);
        for (unsigned long seed = 1; seed <= 40; seed++) {
            rules_case_t input = {.events = history.events};
            spot_train_result_t ours;

            draw_history(&history, seed, 1);
            input.num_events = history.num_events;
            input.num_instances = history.num_instances;
            ours = run_ours(&bert, &input, text);
            num_other += (int64_t) kept(&ours) != run_twin(&bert, &input).counted;
        }
        print_message("without %s: %d of 40 runs differ\n", faults[j], num_other);
        assert_true(num_other >= 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_rows),
        cmocka_unit_test(test_published_rows_by_default),
        cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_random_traces_with_ties),
        cmocka_unit_test(test_published_program),
        cmocka_unit_test(test_each_fault_shows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
