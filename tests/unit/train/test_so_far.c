/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that is under way: its trace so far is played, then the trace of the scenario
 * goes on. The truth is a run over both in one: with counts the victims are drawn in the
 * same order, so that nothing may differ. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/unit/train/fixture.h"

enum { NUM_CASES = 400 / SPOT_FEWER, MAX_EVENTS = 60, HORIZON_S = 12 * 3600 };

/* Those that are asked about losses, steps and time, and that keep steps or lose them.
 */
static const char *const recoveries[] = {
    "checkpoint", "ideal", "varuna", "{system: bamboo, published_defaults: yes}"};

typedef struct {
    int time_s, change; /* change > 0: an addition */
} event_t;

typedef struct {
    int initial, now_s, num_events;
    event_t events[MAX_EVENTS];
} case_t;

/* Events at whole minutes; the job is looked at in the middle of one, or at an event. */
static void draw_case(case_t *self, spot_rng_t *rng)
{
    int population = 4 + (int) spot_rng_below(rng, 12), time_s = 0;

    *self =
        (case_t){.initial = population, .now_s = 600 + (int) spot_rng_below(rng, HORIZON_S / 2)};
    if (spot_rng_below(rng, 4) == 0) {
        self->now_s = self->now_s / 60 * 60;
    }
    while (self->num_events < MAX_EVENTS) {
        const int room = 16 - population;
        int change = 1 + (int) spot_rng_below(rng, 3);

        time_s += 60 * (1 + (int) spot_rng_below(rng, 25));
        change = spot_rng_below(rng, 2) == 0 ? (change < room ? change : room)
                                             : -(change < population ? change : population);
        if (time_s >= HORIZON_S) {
            break;
        }
        if (change != 0) {
            population += change;
            self->events[self->num_events++] = (event_t){time_s, change};
        }
    }
}

/* Writes the events after from_s and up to to_s as a trace. */
static void write_part(const case_t *self, int from_s, int to_s, const char *path)
{
    FILE *out = fopen(path, "w");
    int initial = self->initial, last;

    assert_non_null(out);
    for (int j = 0; j < self->num_events && self->events[j].time_s <= from_s; j++) {
        initial += self->events[j].change;
    }
    last = initial;
    fprintf(out,
        "# spotsim-trace: 1\n# name: part\n# start: unknown\n# resolution_s: 1\n"
        "# kind: counts\n# capacity: 16\ntime_s,event,count,instances\n0,init,%d,\n",
        initial);
    for (int j = 0; j < self->num_events; j++) {
        const event_t *event = &self->events[j];

        if (event->time_s > from_s && event->time_s <= to_s) {
            fprintf(out, "%d,%s,%d,\n", event->time_s - from_s,
                event->change > 0 ? "add" : "preempt", abs(event->change));
            last += event->change;
        }
    }
    fprintf(out, "%d,end,%d,\n", to_s - from_s, last);
    assert_int_equal(fclose(out), 0);
}

/* Runs the job on a trace. until_steps 0: up to the horizon. so_far may be NULL. */
static spot_train_result_t run_job(
    const char *recovery, const char *trace, const char *so_far, int horizon_s, int64_t until_steps)
{
    spot_train_result_t result;
    spot_scenario_t scenario;
    spot_train_t train;
    char text[4096];
    int num_bytes = snprintf(text, sizeof(text),
        "scenario: so far\nhorizon: %d s\nfleet: {capacity: 16, preparation: 200 s,"
        " price: {spot: [{from: 0 s, usd_per_h: 1}, {from: 3 h, usd_per_h: 2}]}}\n"
        "job: {pipeline_depth: 4, step_time: {4: 41 s, 8: 23 s, 12: 17 s, 16: 13 s},"
        " reload: 70 s, checkpoint: {mode: sync, write: 30 s, every: 9 min}}\n"
        "recovery: %s\ntrace: {file: %s}\n",
        horizon_s, recovery, trace);

    if (until_steps > 0) {
        num_bytes += snprintf(text + num_bytes, sizeof(text) - (size_t) num_bytes,
            "until: {steps: %" PRId64 "}\n", until_steps);
    }
    if (so_far != NULL) {
        snprintf(
            text + num_bytes, sizeof(text) - (size_t) num_bytes, "so_far: {trace: %s}\n", so_far);
    }
    bind_good_scenario(&scenario, text);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 1, 7, NULL), 0);
    result = train.result;
    spot_train_free(&train);
    spot_scenario_free(&scenario);
    return result;
}

static int64_t kept(const spot_train_result_t *result)
{
    return result->steps_executed - result->steps_lost;
}

static void check_case(
    const case_t *self, const char *recovery, int64_t num_steps, int *num_finished)
{
    char whole[PATH_BYTES], first[PATH_BYTES], rest[PATH_BYTES];
    spot_train_result_t expected, result, now;

    temporary_path("whole.csv", whole);
    temporary_path("first.csv", first);
    temporary_path("rest.csv", rest);
    write_part(self, 0, HORIZON_S, whole);
    write_part(self, 0, self->now_s, first);
    write_part(self, self->now_s, HORIZON_S, rest);
    now = run_job(recovery, whole, NULL, self->now_s, 0);
    expected = run_job(recovery, whole, NULL, HORIZON_S, kept(&now) + num_steps);
    if (expected.horizon_ms > (int64_t) self->now_s * 1000) { /* else it was faster then */
        result = run_job(recovery, rest, first, HORIZON_S - self->now_s, num_steps);
        *num_finished += result.is_finished;
        result.is_past_trace_end = expected.is_past_trace_end;
        assert_memory_equal(&result, &expected, sizeof(result));
    }
    assert_int_equal(unlink(whole), 0);
    assert_int_equal(unlink(first), 0);
    assert_int_equal(unlink(rest), 0);
}

static void test_like_one_run(void **state)
{
    const size_t num_recoveries = sizeof(recoveries) / sizeof(recoveries[0]);
    int num_finished = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_VICTIM, 0);
    for (size_t j = 0; j < NUM_CASES; j++) {
        case_t one;

        draw_case(&one, &rng);
        check_case(&one, recoveries[j % num_recoveries], 1 + (int64_t) spot_rng_below(&rng, 1200),
            &num_finished);
    }
    assert_in_range(num_finished, NUM_CASES / 3, NUM_CASES - NUM_CASES / 10);
}

/* A job that is started anew pays what it has paid, and prices go on. */
static void test_anew(void **state)
{
    static const char text[] =
        "scenario: anew\nhorizon: 2 h\nfleet: {capacity: 8, initial: 8,"
        " price: {spot: [{from: 0 s, usd_per_h: 1}, {from: 3 h, usd_per_h: 2}]}}\n"
        "job: {pipeline_depth: 4, step_time: {4: 41 s, 8: 23 s}}\nrecovery: checkpoint\n"
        "so_far: {elapsed: 2 h, paid_usd: 100}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}},"
        " addition: {per_minute: 0, count: {fixed: 1}}}\n";
    spot_scenario_t scenario;
    spot_train_t train;

    (void) state;
    bind_good_scenario(&scenario, text);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 1, 0, NULL), 0);
    assert_true(fabs(train.result.cost_usd - (100 + 8 * 1 + 8 * 2)) < 1e-9);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_one_run),
        cmocka_unit_test(test_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
