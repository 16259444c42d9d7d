/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oobleck and bamboo by a table of n: steps and pauses of the right row by hand, who is
 * used when, each fault of the published simulator, and what holds on random traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "random_case.h"

#define NUM_CASES 600
#define TRACE_HEAD                                                                                 \
    "# spotsim-trace: 1\n# name: named\n# start: unknown\n# resolution_s: 0.001\n"                 \
    "# kind: named\n# capacity: 8\ntime_s,event,count,instances\n"
/* Every pause is of another length. */
#define TABLE                                                                                      \
    "# samples_per_step: 64\n"                                                                     \
    "n,step_ms,pause_ms,local_pause_ms,global_pause_ms\n"                                          \
    "2,20000,9000,19000,29000\n3,15000,8000,18000,28000\n4,10000,7000,17000,27000\n"               \
    "5,8000,6000,16000,26000\n6,5000,5000,15000,25000\n"

static spot_train_result_t run_job_rows(
    const char *job, const char *system, const char *table, const char *rows)
{
    char trace[PATH_BYTES], by_n[PATH_BYTES], text[4096];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("by-n-trace.csv", trace);
    temporary_path("by-n.csv", by_n);
    snprintf(text, sizeof(text), TRACE_HEAD "%s", rows);
    write_file(trace, text);
    write_file(by_n, table);
    snprintf(text, sizeof(text),
        "scenario: t\nhorizon: trace-end\ntick: 1 ms\n"
        "fleet: {capacity: 6, preparation: 0 s}\n"
        "job: {pipeline_depth: 2, samples_per_step: 64, reload: 11 s,%s\n"
        "  checkpoint: {mode: async, every: back-to-back, write: 0 s}}\n"
        "recovery: {table: %s, published_defaults: yes, system: %s}\ntrace: {file: "
        "%s}\n",
        job, by_n, system, trace);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    remove(trace);
    remove(by_n);
    return result;
}

static spot_train_result_t run_rows(const char *system, const char *table, const char *rows)
{
    return run_job_rows("", system, table, rows);
}

static void assert_run(const char *system, const char *rows, int64_t steps, int64_t pauses_ms,
    int64_t reconfigurations)
{
    const spot_train_result_t result = run_rows(system, TABLE, rows);
    const int64_t kept = result.steps_executed - result.steps_lost;

    if (kept != steps || result.job_ms[SPOT_JOB_RECONFIGURING] != pauses_ms ||
        result.reconfigurations != reconfigurations || result.lacks_step_time) {
        fail_msg("%s:\n%s: %d steps, %d ms of pauses, %d reconfigurations", system, rows,
            (int) kept, (int) result.job_ms[SPOT_JOB_RECONFIGURING], (int) result.reconfigurations);
    }
}

#define FIVE "0,init,5,a b c d e\n"
#define SIX "0,init,6,a b c d e f\n"

/* 12 steps of 8 s until 100 s, 7 s of n = 4, and then 9 steps of 10 s. */
static void test_oobleck_rows(void **state)
{
    spot_train_result_t result;

    (void) state;
    assert_run("oobleck, f: 1", FIVE "100,preempt,1,a\n200,end,4,\n", 12 + 9, 7000, 1);
    /* Both at once; and a loss in the pause, which starts it again in full. */
    assert_run("oobleck, f: 1", SIX "99,preempt,2,a c\n200,end,4,\n", 19 + 9, 7000, 1);
    assert_run("oobleck, f: 1", SIX "99,preempt,1,a\n103,preempt,1,b\n200,end,4,\n", 19 + 9,
        4000 + 7000, 2);
    /* It starts with (f+1) pipelines, and goes on with fewer. */
    assert_run("oobleck, f: 2", FIVE "100,end,5,\n", 0, 0, 0);
    result = run_rows("oobleck, f: 2", TABLE, SIX "99,preempt,1,a\n200,end,5,\n");
    assert_int_equal(result.steps_executed, 19 + 11);
    assert_int_equal(result.rollbacks, 0);
}

/* A pipeline of two is all that holds the state: of the instances that are left no two
 * hold all of it, or they do. */
static void test_oobleck_state(void **state)
{
    spot_train_result_t result;

    (void) state;
    result = run_rows("oobleck, f: 0", TABLE, SIX "99,preempt,3,a c e\n200,end,3,\n");
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 11000);
    result = run_rows("oobleck, f: 0", TABLE, SIX "99,preempt,3,a b c\n200,end,3,\n");
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 0);
}

/* The new instance is ready at 50 s and 1 ms. */
static void test_oobleck_growth(void **state)
{
    static const char added[] = "0,init,5,a b c d e\n50,add,1,f\n200,end,6,\n",
                      lost[] = "0,init,5,a b c d e\n50,add,1,f\n"
                               "100,preempt,1,a\n200,end,5,\n";

    (void) state;
    assert_run("oobleck, f: 0", added, 25, 0, 0);
    assert_run("oobleck, f: 0, growth: never", added, 25, 0, 0);
    assert_run("oobleck, f: 0, growth: better", added, 6 + 28, 5000, 1);
    assert_run("oobleck, f: 0, growth: better, min_gain: 0.7", added, 25, 0, 0);
    assert_run("oobleck, f: 0", lost, 12 + 11, 6000, 1);
    assert_run("oobleck, f: 0, growth: never", lost, 12 + 9, 7000, 1);
    /* Too few are left of those in use: then all are used. */
    assert_run("oobleck, f: 0, growth: never",
        "0,init,2,a b\n50,add,1,c\n100,preempt,1,a\n200,end,2,\n", 5 + 4, 9000, 1);
}

static void test_domain(void **state)
{
    static const char rows[] = "0,init,3,a b c\n90,preempt,2,a b\n200,end,1,\n",
                      fewer[] = "0,init,3,a b c\n90,preempt,1,a\n200,end,2,\n",
                      table[] = "n,samples_per_s,step_ms,pause_ms\n2,0,,9000\n"
                                "3,4,15000,8000\n4,5,12000,8000\n5,6,11000,8000\n"
                                "6,7,9000,8000\n",
                      *const systems[] = {"oobleck, f: 0", "bamboo"};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_train_result_t result = run_rows(systems[j], TABLE, rows);

        assert_int_equal(result.steps_executed, 6);
        assert_false(result.lacks_step_time);
        assert_false(result.has_flat_step_time);
        /* An infeasible row is no step of 0 ms. */
        result = run_rows(systems[j], table, fewer);
        assert_int_equal(result.steps_executed, j == 0 ? 6 : 7);
        assert_true(result.lacks_step_time);
    }
    /* Where n ends sooner than the pipelines it is told too. */
    {
        const spot_train_result_t result = run_rows("oobleck, f: 0, extrapolate: yes",
            "n,step_ms,pause_ms\n3,15000,8000\n4,12000,8000\n",
            SIX "90,preempt,4,a b c d\n200,end,2,\n");

        assert_true(result.has_flat_step_time);
        /* Of 12 s, and from 98 s on of 15 s times three halves. */
        assert_int_equal(result.steps_executed, 7 + 4);
        assert_int_equal(result.unmeasured_ms, 90000 + 91000); /* six are too many too */
    }
    {
        const spot_train_result_t result = run_job_rows(" outside: flat,",
            "oobleck, f: 0, extrapolate: yes", "n,step_ms,pause_ms\n3,15000,8000\n4,12000,8000\n",
            SIX "90,preempt,4,a b c d\n200,end,2,\n");

        assert_int_equal(result.steps_executed, 7 + 6); /* of 12 s, and from 98 s on */
    }
}

/* By the job's own model only one pipeline has a step time: the table takes its place.
 */
static void test_job_without_step_time(void **state)
{
    static const char job[] = " step_time: {pipeline: {layers: 4, micro_batch: 64, "
                              "forward_ms: 1000, backward_ms: 2000, gradient_bytes: "
                              "0}},",
                      rows[] = SIX "98,preempt,2,a b\n200,end,4,\n",
                      gap[] = "n,step_ms\n2,20000\n3,15000\n4,10000\n5,\n6,5000\n",
                      added[] = "0,init,4,a b c d\n50,add,1,e\n100,end,5,\n",
                      ended[] = "n,step_ms\n2,20000\n3,15000\n4,10000\n5,8000\n"
                                "6,\n";
    const char *const pauses = "bamboo, local_pause: 16 s, global_pause: 27 s";
    spot_train_result_t result = run_job_rows(job, "bamboo", TABLE, rows);

    (void) state;
    assert_int_equal(result.steps_executed - result.steps_lost, 19 + 7);
    assert_false(result.lacks_step_time);
    /* A fifth that makes up no pipeline misses no row; who is too much for any does. */
    assert_false(run_job_rows(job, pauses, gap, added).lacks_step_time);
    assert_true(run_job_rows(job, pauses, ended, "0,init,4,a b c d\n50,add,2,e f\n100,end,6,\n")
                    .lacks_step_time);
}

/* One is less than a pipeline of the job, but the table has a row for it: two steps of
 * 30 s after a pause of 10 s and 11 s to read what the others held. */
static void test_oobleck_small_rows(void **state)
{
    static const char rows[] = "0,init,3,a b c\n90,preempt,2,a b\n200,end,1,\n";
    const spot_train_result_t result = run_rows("oobleck, f: 0",
        "n,step_ms,pause_ms\n1,30000,10000\n2,20000,9000\n3,15000,8000\n4,,8000\n5,,"
        "8000\n6,5000,5000\n",
        rows);

    (void) state;
    assert_int_equal(result.steps_executed, 6 + 2);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 10000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 11000);
    assert_false(result.has_flat_step_time);
    /* Without one of its own it waits, as no other is meant for it. */
    assert_int_equal(run_rows("oobleck, f: 0, extrapolate: yes", TABLE, rows).steps_executed, 6);
}

/* ---- Faults ---- */

/* More timers than there is room for, which is 4 times the capacity and 16, are told. */
static void test_too_many_timers(void **state)
{
    (void) state;
    for (int num_losses = 40; num_losses <= 41; num_losses++) {
        char rows[4096] = "0,init,4,a b c d\n";
        spot_train_result_t result;

        for (int j = 0; j < num_losses; j++) {
            const size_t length = strlen(rows);

            snprintf(rows + length, sizeof(rows) - length, "%d,add,1,e%d\n%d,preempt,1,e%d\n",
                2 * j + 10, j, 2 * j + 11, j);
        }
        strcat(rows, "200,end,4,\n");
        result = run_rows("oobleck, f: 0, stale_timers: yes, idle_losses_pause: yes",
            "n,step_ms,pause_ms\n2,20000,900000\n3,15000,900000\n4,10000,900000\n5,8000,"
            "900000\n"
            "6,5000,900000\n",
            rows);
        assert_int_equal(result.clipped_forecasts, num_losses - 40);
    }
}

static void test_oobleck_faults(void **state)
{
    static const char one[] = FIVE "95,preempt,1,a\n200,end,4,\n",
                      two[] = SIX "99,preempt,1,a\n103,preempt,1,b\n200,end,4,\n",
                      idle[] = "0,init,4,a b c d\n50,add,1,e\n100,preempt,1,e\n"
                               "200,end,4,\n",
                      again[] = SIX "99,preempt,1,a\n103,preempt,1,b\n"
                                    "130,preempt,1,c\n200,end,3,\n";

    (void) state;
    /* The twelfth step ends in the pause, at 96 s. */
    assert_run("oobleck, f: 0", one, 11 + 9, 7000, 1);
    assert_run("oobleck, f: 0, trains_in_pause: yes", one, 12 + 9, 0, 1);
    /* The first pause ends at 105 s, the second at 110 s. */
    assert_run("oobleck, f: 0", two, 19 + 9, 11000, 2);
    assert_run("oobleck, f: 0, short_pauses: yes", two, 19 + 9, 6000, 2);
    assert_run("oobleck, f: 0, stale_timers: yes", two, 19, 6000 + 90000, 2);
    assert_run("oobleck, f: 0, short_pauses: yes, stale_timers: yes", two, 19, 6000 + 90000, 2);
    /* Of two who are lost at once the second pause ends with the first. */
    assert_run(
        "oobleck, f: 0, stale_timers: yes", SIX "99,preempt,2,a c\n200,end,4,\n", 19, 101000, 1);
    /* The next loss ends the stop. */
    assert_run("oobleck, f: 0, stale_timers: yes", again, 19 + 4, 6000 + 28000, 3);
    assert_run("oobleck, f: 0", idle, 20, 0, 0);
    assert_run("oobleck, f: 0, idle_losses_pause: yes", idle, 10 + 9, 7000, 1);
}

/* ---- bamboo ---- */

/* Three pipelines of two; "a" is taken over by "b". The step that began at 95 s goes on
 * at two thirds of the speed, from 98 s to 101 s; then 16 s of n = 5 for two pipelines.
 */
static void test_bamboo_rows(void **state)
{
    (void) state;
    assert_run("bamboo", SIX "98,preempt,1,a\n200,end,5,\n", 20 + 10, 16000, 1);
    assert_run("bamboo, doubled_share: 2", SIX "98,preempt,1,a\n200,end,5,\n", 20 + 13, 0, 0);
    /* Fatal: 27 s of n = 4. */
    assert_run("bamboo", SIX "98,preempt,2,a b\n200,end,4,\n", 19 + 7, 27000, 1);
    /* The row is of all who are ready, the fifth is standby: its loss changes nothing
     * until the next pause. */
    assert_run("bamboo", FIVE "98,preempt,1,e\n200,end,4,\n", 25, 0, 0);
    assert_run("bamboo, idle_losses_slow: yes", FIVE "98,preempt,1,e\n200,end,4,\n", 12 + 8, 0, 0);
}

/* ---- At random ---- */

#define OOBLECK_FAULTS                                                                             \
    ", trains_in_pause: yes, short_pauses: yes, stale_timers: yes, "                               \
    "idle_losses_pause: yes"

/* A table of 1 to 40 instances whose steps get shorter, with gaps. */
static void write_table(const case_t *self, const char *path)
{
    const int64_t step_ms = self->setting.points[0].step_ms;
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs("n,step_ms,pause_ms,local_pause_ms,global_pause_ms\n", out);
    for (int64_t n = 1; n <= 40; n++) {
        char step[32] = "";

        if ((n + (int64_t) self->seed) % 9 != 0) {
            snprintf(step, sizeof(step), "%lld", (long long) (1 + 4 * step_ms / n));
        }
        fprintf(out, "%lld,%s,%lld,%lld,%lld\n", (long long) n, step,
            (long long) (self->setting.reconfiguration_ms + n), (long long) (n * 10),
            (long long) (self->setting.reconfiguration_ms / 2));
    }
    assert_int_equal(fclose(out), 0);
}

static spot_train_result_t run_case(const case_t *self, const char *system, spot_event_log_t *log)
{
    char path[PATH_BYTES], by_n[PATH_BYTES], text[CASE_TEXT_BYTES], *tail;
    spot_train_result_t result;
    spot_scenario_t scenario;
    FILE *out;

    temporary_path("by-n-random.csv", path);
    temporary_path("by-n.csv", by_n);
    out = fopen(path, "w");
    assert_non_null(out);
    write_trace(out, self);
    assert_int_equal(fclose(out), 0);
    write_table(self, by_n);
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write_scenario(out, self, path);
    assert_int_equal(fclose(out), 0);
    tail = strstr(text, "recovery:");
    assert_non_null(tail);
    snprintf(tail, sizeof(text) - (size_t) (tail - text),
        "recovery: {system: %s, extrapolate: yes, table: %s}\ntrace: {file: %s}\n", system, by_n,
        path);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 0, log);
    spot_scenario_free(&scenario);
    remove(path);
    remove(by_n);
    return result;
}

/* The same in whatever order the losses of an instant are told, and with a log; the
 * phases tile the run. spot_ledger_verify() runs in each. */
static void test_random_traces(void **state)
{
    static const char *const systems[] = {"oobleck, f: 1", "oobleck, f: 0, growth: never",
        "oobleck, f: 0, growth: better, min_gain: 0.1", "oobleck, f: 0" OOBLECK_FAULTS,
        "oobleck, f: 0, short_pauses: yes", "oobleck, f: 1, trains_in_pause: yes", "bamboo",
        "bamboo, stale_timers: yes, idle_losses_slow: yes"};
    int64_t num_kept = 0, num_reconfigured = 0;
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        const char *system = systems[seed % (sizeof(systems) / sizeof(systems[0]))];
        spot_train_result_t result, logged, reversed;
        int64_t job_ms = 0;

        draw_case(&self, seed);
        result = run_case(&self, system, NULL);
        logged = run_case(&self, system, &log);
        self.has_reversed_losses = !self.has_reversed_losses;
        reversed = run_case(&self, system, NULL);
        assert_null(result_difference(&result, &logged));
        assert_null(result_difference(&result, &reversed));
        for (int phase = 0; phase < SPOT_NUM_JOB_PHASES; phase++) {
            job_ms += result.job_ms[phase];
        }
        assert_int_equal(job_ms, result.horizon_ms);
        num_kept += result.steps_executed > result.steps_lost;
        num_reconfigured += result.reconfigurations > 1;
    }
    spot_event_log_free(&log);
    assert_true(num_kept > NUM_CASES / 3);
    assert_true(num_reconfigured > NUM_CASES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oobleck_rows),
        cmocka_unit_test(test_oobleck_state),
        cmocka_unit_test(test_oobleck_growth),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_job_without_step_time),
        cmocka_unit_test(test_oobleck_small_rows),
        cmocka_unit_test(test_too_many_timers),
        cmocka_unit_test(test_oobleck_faults),
        cmocka_unit_test(test_bamboo_rows),
        cmocka_unit_test(test_random_traces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
