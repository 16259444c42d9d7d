/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redundant computation: losses that are absorbed and losses that are fatal, worked by
 * hand; each fault that can be set; and what holds on random traces and jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "random_case.h"
#include "set_recovery.h"
#include "sim/train/job/run_log.h"

#define NUM_CASES (1500 / SPOT_FEWER)

/* Pipelines of 4; a step of 1 to 4 of them takes 4, 2, 1 and 0.5 s. */
#define JOB                                                                                        \
    "horizon: 100 s\ntick: 1 s\nfleet: {capacity: 16, preparation: 10 s}\n"                        \
    "job:\n  pipeline_depth: 4\n  reconfiguration: 7 s\n  reload: 5 s\n"                           \
    "  step_time: {4: 4 s, 8: 2 s, 12: 1 s, 16: 500 ms}\n"                                         \
    "  checkpoint: {mode: async, every: back-to-back, write: 0 s}\n"
#define HEAD                                                                                       \
    "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 1\n"                         \
    "# kind: named\n# capacity: 16\ntime_s,event,count,instances\n"

/* Who lives after all rows: the last one says so. */
static int population_after(const char *rows)
{
    int population = 0;

    for (const char *row = rows; *row != '\0'; row = strchr(row, '\n') + 1) {
        const char *event = strchr(row, ',') + 1;
        const int count = atoi(strchr(event, ',') + 1);

        population += *event == 'p' ? -count : count;
    }
    return population;
}

static spot_train_result_t run_rows(const char *options, const char *rows)
{
    char path[PATH_BYTES], trace[2048], text[2048];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("bamboo.csv", path);
    snprintf(trace, sizeof(trace), HEAD "%s100,end,%d,\n", rows, population_after(rows));
    write_file(path, trace);
    snprintf(text, sizeof(text),
        "scenario: t\n" JOB
        "recovery: {system: bamboo, published_defaults: yes%s}\ntrace: {file: %s}\n",
        options, path);
    bind_good_scenario(&scenario, text);
    remove(path);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    return result;
}

/* Steps kept, fatal losses and reconfigurations. */
static void assert_run(
    const char *options, const char *rows, int64_t steps, int64_t fatal, int64_t reconfigurations)
{
    const spot_train_result_t result = run_rows(options, rows);
    const int64_t kept = result.steps_executed - result.steps_lost;

    if (kept != steps || result.fatal != fatal || result.reconfigurations != reconfigurations) {
        fail_msg("%s:%s: %d steps, %d fatal, %d reconfigurations", options, rows, (int) kept,
            (int) result.fatal, (int) result.reconfigurations);
    }
}

#define FOUR "0,init,4,a b c d\n"
#define FIVE "0,init,5,a b c d e\n"
#define EIGHT "0,init,8,a b c d e f g h\n"
#define TWELVE "0,init,12,a b c d e f g h i j k l\n"

/* The third step began at 8 s; from 10 s on it takes 1.5 times as long, to 13 s. */
static void test_absorbed(void **state)
{
    (void) state;
    assert_run("", FOUR, 25, 0, 0);
    /* A pause to 33 s, and then too few. */
    assert_run("", FOUR "10,preempt,1,b\n", 3, 0, 1);
    assert_run("", FIVE "10,preempt,1,b\n", 3 + 16, 0, 1);
    assert_run(", local_pause: 5 s", FIVE "10,preempt,1,b\n", 3 + 20, 0, 1);
    /* Who holds the last stage takes the first one. */
    assert_run("", FIVE "10,preempt,1,a\n", 3 + 16, 0, 1);
    /* Every step after it takes 6 s as long as no pause comes. */
    assert_run(", doubled_share: 2", FOUR "10,preempt,1,b\n", 3 + 14, 0, 0);
    /* 8 and 2 more of the step, at a third of the speed. */
    assert_run(", doubled_share: 2, slowdown: 3", FOUR "10,preempt,1,b\n", 2 + 1 + 7, 0, 0);
    /* Two that are apart: both are absorbed, together or one after the other. */
    assert_run(", doubled_share: 2", FOUR "10,preempt,2,a c\n", 3 + 14, 0, 0);
    assert_run(", doubled_share: 2", FOUR "10,preempt,1,a\n11,preempt,1,c\n", 3 + 14, 0, 0);
}

/* One doubled of 48 places is too little to form the pipelines anew, of 36 it is not. */
static void test_when_it_pays(void **state)
{
    (void) state;
    /* 2 of 15: 0.133. */
    assert_run(", doubled_share: 0.13",
        "0,init,16,a b c d e f g h i j k l m n o p\n"
        "50,preempt,1,f\n",
        100 + 1 + 29, 0, 1); /* 50.75 + 20 s, then 3 pipelines */
    assert_run(", doubled_share: 0.14",
        "0,init,16,a b c d e f g h i j k l m n o p\n"
        "50,preempt,1,f\n",
        100 + 66, 0, 0); /* 0.75 s each from 50 s on */
    /* Additions only join standby, until a further pipeline fits: 16 s + 20 s. */
    assert_run("", FOUR "5,add,3,e f g\n", 25, 0, 0);
    assert_run("", FOUR "5,add,4,e f g h\n", 4 + 32, 0, 1);
    assert_run("", FOUR "5,add,3,e f g\n30,add,1,h\n", 11 + 18, 0, 1); /* 44 s */
}

/* Neighbours, twice the same holder, and the wrap from the first to the last stage. */
static void test_fatal(void **state)
{
    static const char *const neighbours[] = {"11,preempt,2,a b\n", "11,preempt,2,b a\n",
        "11,preempt,1,b\n11,preempt,1,a\n", "11,preempt,2,d a\n", "11,preempt,2,c d\n"};
    spot_train_result_t result;

    (void) state;
    for (size_t j = 0; j < sizeof(neighbours) / sizeof(neighbours[0]); j++) {
        char rows[256];

        /* The sixth step is lost; one pipeline from 41 s on. */
        snprintf(rows, sizeof(rows), EIGHT "%s", neighbours[j]);
        assert_run("", rows, 5 + 14, 1, 1);
        result = run_rows("", rows);
        assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_LOST], 8000);
        assert_int_equal(result.rollbacks, 0);
    }
    /* Neighbours in the list, not in a pipeline: the step goes on to 12.5 s. */
    assert_run("", EIGHT "11,preempt,2,d e\n", 6 + 16, 0, 1);
    /* a holds two places when it is lost, in the step that ends at 13 s. */
    assert_run("", EIGHT "10,preempt,1,b\n11,preempt,1,a\n", 5 + 14, 1, 1);
    assert_run("", EIGHT "10,preempt,1,c\n11,preempt,1,b\n", 5 + 14, 1, 1);
    assert_run(", global_pause: 10 s", EIGHT "11,preempt,2,a b\n", 5 + 19, 1, 1);
}

/* A loss in a pause starts it again in full, one of standby does not; who becomes ready
 * is in. */
static void test_pauses(void **state)
{
    spot_train_result_t result;

    (void) state;
    assert_run("", EIGHT "11,preempt,2,a b\n30,preempt,1,e\n", 5 + 10, 1, 2);
    assert_run("", EIGHT "11,preempt,2,a b\n30,preempt,1,h\n", 5 + 14, 1, 1);
    assert_run("", EIGHT "11,preempt,2,a b\n20,add,2,i j\n", 5 + 29, 1, 1);
    assert_run("", FIVE "10,preempt,1,b\n15,add,1,f\n28,preempt,1,d\n", 3 + 13, 0, 2);
    result = run_rows("", EIGHT "11,preempt,2,a b\n20,add,2,i j\n");
    /* 4 instances that will train pause, 8 once there are two more. */
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_RECONFIGURING], 19 * 4000 + 11 * 8000);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 30000);
}

/* Waiting ends with a global pause; what nobody holds is read from the checkpoint. */
static void test_fallback(void **state)
{
    static const char gone[] = FOUR "11,preempt,2,a b\n50,add,2,e f\n";
    spot_train_result_t result = run_rows("", gone);

    (void) state;
    assert_run("", gone, 2 + 1, 1, 2); /* 90 s, and 5 s to reload */
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 5000);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 19000);
    assert_run(", fallback: none", gone, 2 + 2, 1, 2);
    /* The state of a is lost while the job waits, long after the fatal loss of b. */
    result = run_rows("", FOUR "10,preempt,1,b\n50,preempt,1,a\n55,add,2,e f\n");
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 5000);
    result = run_rows("", FOUR "10,preempt,1,b\n50,add,1,e\n");
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 0);
    assert_int_equal(result.rollbacks, 0);
    /* Lost while it is read: pause and reload start again. */
    result = run_rows("", FOUR "11,preempt,2,a b\n20,add,3,e f g\n"
                               "43,preempt,1,e\n");
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 2000 + 5000);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 60000);
}

static void test_faults(void **state)
{
    static const char two_fatal[] = TWELVE "11,preempt,2,a b\n20,preempt,2,e f\n";
    static const char restarted[] = TWELVE "11,preempt,2,a b\n20,preempt,2,e f\n55,add,1,m\n";
    static const char dead[] = FOUR "2,add,3,e f g\n20,preempt,2,e f\n25,add,1,h\n";

    (void) state;
    assert_run("", two_fatal, 11 + 25, 1, 2);
    assert_run(", stale_timers: yes", two_fatal, 11 + 4, 2, 2);
    assert_run(", stale_timers: yes", restarted, 11 + 4 + 2, 2, 3);
    assert_run("", EIGHT "11,preempt,2,a b\n30,preempt,1,e\n", 5 + 10, 1, 2);
    assert_run(", late_restart: yes", EIGHT "11,preempt,2,a b\n30,preempt,1,e\n", 5 + 7, 1, 1);
    assert_run(", trains_in_pause: yes", EIGHT "11,preempt,2,a b\n", 6 + 17, 1, 2);
    assert_run(
        ", trains_in_pause: yes, doubled_share: 2", EIGHT "11,preempt,2,a b\n", 20 + 14, 1, 1);
    assert_run("", FIVE "10,preempt,1,e\n", 25, 0, 0);
    assert_run(", idle_losses_slow: yes", FIVE "10,preempt,1,e\n", 3 + 14, 0, 0);
    assert_run("", FOUR "5,add,1,e\n10,preempt,1,e\n", 25, 0, 0);
    assert_run(", idle_losses_slow: yes", FOUR "5,add,1,e\n10,preempt,1,e\n", 3 + 14, 0, 0);
    assert_run("", dead, 25, 0, 0);
    assert_run(", counts_dead_standby: yes", dead, 9 + 11, 0, 1);
}

static void test_redundant_share(void **state)
{
    const spot_train_result_t result = run_rows(", redundant_share: 0.25", FOUR);

    (void) state;
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_REDUNDANT], 100000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_USEFUL], 300000);
}

/* ---- On random traces and jobs ---- */

#define ALL_FAULTS                                                                                 \
    ", fallback: none, stale_timers: yes, late_restart: yes, trains_in_pause: yes, "               \
    "idle_losses_slow: yes, counts_dead_standby: yes"

/* The case's scenario under bamboo, with pauses that suit its length. */
static void bind_bamboo(const case_t *self, const char *options, spot_scenario_t *scenario)
{
    const int64_t pause_ms = 1 + self->setting.reconfiguration_ms;
    char text[512];

    bind_case(self, scenario);
    snprintf(text, sizeof(text),
        "{system: bamboo, published_defaults: yes, local_pause: %lld ms, "
        "global_pause: %lld ms%s}",
        (long long) (pause_ms + 1) / 2, (long long) pause_ms, options);
    set_recovery(scenario, text);
}

/* Waiting, pauses and training one after the other, from 0 to the end. */
static void assert_tiled(const spot_event_log_t *log, int64_t horizon_ms)
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

static void assert_same_result(const spot_train_result_t *a, const spot_train_result_t *b)
{
    assert_memory_equal(&a->ledger, &b->ledger, sizeof(a->ledger));
    assert_memory_equal(a->job_ms, b->job_ms, sizeof(a->job_ms));
    assert_int_equal(a->steps_executed, b->steps_executed);
    assert_int_equal(a->steps_lost, b->steps_lost);
    assert_int_equal(a->steps_durable, b->steps_durable);
    assert_int_equal(a->fatal, b->fatal);
    assert_int_equal(a->rollbacks, b->rollbacks);
    assert_int_equal(a->reconfigurations, b->reconfigurations);
}

/* The phases tile the run, the ledger is what the instances lived, the order of the rows
 * of an instant says nothing, and a run is the same with a log and without. */
static void check_cases(const char *options)
{
    int64_t num_fatal = 0, num_pauses = 0;
    spot_event_log_t log;
    case_t self;

    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t result, other;
        spot_scenario_t scenario;

        draw_case(&self, seed);
        bind_bamboo(&self, options, &scenario);
        result = run_scenario(&scenario, 0, &log);
        assert_tiled(&log, result.horizon_ms);
        assert_int_equal(spot_ledger_total(&result.ledger), result.ledger.population_ms);
        other = run_scenario(&scenario, 0, NULL);
        assert_same_result(&result, &other);
        spot_scenario_free(&scenario);
        self.has_reversed_losses = !self.has_reversed_losses;
        bind_bamboo(&self, options, &scenario);
        other = run_scenario(&scenario, 0, NULL);
        assert_same_result(&result, &other);
        spot_scenario_free(&scenario);
        num_fatal += result.fatal;
        num_pauses += result.reconfigurations;
    }
    spot_event_log_free(&log);
    assert_true(num_fatal > NUM_CASES / 5);
    assert_true(num_pauses > NUM_CASES);
}

static void test_random_cases(void **state)
{
    (void) state;
    check_cases("");
    check_cases(ALL_FAULTS);
}

static double kept_steps(const spot_train_result_t *result)
{
    return (double) (result->steps_executed - result->steps_lost) + result->step_fraction;
}

/* Of the fastest pipelines that so many instances are enough for. */
static double best_steps_per_ms(const spot_job_t *job, int64_t num_instances)
{
    const int64_t num_pipelines = spot_job_best_pipelines(job, num_instances);

    return num_pipelines == 0 ? 0 : 1 / (double) spot_job_step_ms(job, num_pipelines);
}

/* Never more than ideal has, but while a stage is with the holder of another one: a
 * pipeline goes on then where ideal has none. Here that is a thousand times slower. As
 * much where nobody comes or goes. */
static void test_ideal_is_the_bound(void **state)
{
    size_t num_below = 0;
    case_t self;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t bamboo, ideal;
        spot_scenario_t scenario;
        double slow_steps;

        draw_case(&self, seed);
        self.setting.until_steps = 0;
        self.is_until_inside = false;
        bind_bamboo(&self, ", slowdown: 1000", &scenario);
        bamboo = run_scenario(&scenario, 0, NULL);
        spot_recovery_choose(&scenario.recovery, &spot_recovery_ideal);
        ideal = run_scenario(&scenario, 0, NULL);
        spot_recovery_choose(
            &scenario.recovery, spot_recovery_find("bamboo", NULL)); /* which frees its options */
        slow_steps = (double) bamboo.job_ms[SPOT_JOB_TRAINING] / 1000 *
                     best_steps_per_ms(&scenario.job, scenario.fleet.capacity);
        if (kept_steps(&bamboo) > kept_steps(&ideal) + slow_steps + 1e-6) {
            fail_msg("case %d: bamboo keeps more", (int) seed);
        }
        num_below += kept_steps(&bamboo) < 0.9 * kept_steps(&ideal);
        spot_scenario_free(&scenario);
    }
    assert_true(num_below > NUM_CASES / 4);
    for (size_t j = 0; j < 2; j++) {
        assert_run(j == 0 ? "" : ALL_FAULTS, EIGHT, 50, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absorbed),
        cmocka_unit_test(test_when_it_pays),
        cmocka_unit_test(test_fatal),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_redundant_share),
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_ideal_is_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
