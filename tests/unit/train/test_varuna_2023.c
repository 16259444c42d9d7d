/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The faults of the simulator that was published with Oobleck, as options of varuna:
 * each by hand, and together on random traces. What was published, and the whole
 * program, are in tests/statistical/test_varuna_rules.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy_laws.h"
#include "random_case.h"
#include "varuna_case.h"

#define STUDY SPOT_SOURCE_DIR "/reports/studies/oobleck-2023/oobleck-2023.yaml"

/* ---- Each fault by hand ---- */

typedef struct {
    const char *what;
    const char *faults;
    const char *rows; /* of three instances */
    int64_t steps_executed;
    int64_t steps_lost;
    int64_t aborted;
} fault_case_t;

/* Steps of 10 s, a checkpoint of 4 s, a restart of 10 s without its checkpoint. The
 * tenth step ends at 100 s, and its checkpoint enters the queue with 108 s. */
#define FAILING "fault_failing_checkpoints: yes"
#define ONE "fault_one_counter: yes"
#define IN_PAUSE "fault_steps_in_pause: yes"
#define STALE "fault_stale_timers: yes"
#define IDLE "fault_idle_losses_pause: yes"
static const fault_case_t fault_cases[] = {
    {"a loss 6 s behind the step: durable after 4 s", "", "106,preempt,1,a\n125,end,2,\n", 10, 0,
        0},
    {"a loss before the checkpoint in the queue", FAILING, "106,preempt,1,a\n125,end,2,\n", 10, 10,
        1},
    {"a loss behind it", FAILING, "109,preempt,1,a\n125,end,2,\n", 10, 0, 0},
    {"durable at once", FAILING, "109,preempt,1,a\n112,preempt,1,b\n125,end,1,\n", 10, 0, 0},
    {"a loss at the end of the run", FAILING, "107,preempt,1,a\n107,end,2,\n", 10, 10, 1},
    {"no loss to come", FAILING, "107,end,3,\n", 10, 0, 0},
    /* At 90 s the end of the pause, 95 s, is the first of the queue: 98 s is its right
     * child, the loss of 104 s its left one. */
    {"a loss far behind it, but before it in the array", FAILING ", " ONE ", " IN_PAUSE,
        "85,preempt,1,a\n104,preempt,1,b\n104,end,1,\n", 8 + 1, 8 + 1, 1},
    /* Durable: ten steps, then one of 128 to 138 s with a checkpoint of its own. Ten
     * more are due at 222 s; the loss at 225 s takes the eight steps since with it. */
    {"a checkpoint fails", FAILING ", " ONE, "118,preempt,1,a\n225,preempt,1,b\n262,end,1,\n",
        11 + 9 + 2, 1 + 8, 1},
    {"and takes the durable one of the ten latest too",
        FAILING ", " ONE ", fault_deep_failures: yes",
        "118,preempt,1,a\n225,preempt,1,b\n262,end,1,\n", 11 + 9 + 2, 1 + 8 + 1, 1},
    /* The first loss pauses until 30 s, the second one until 35.5 s. */
    {"the second pause starts anew", "", "20,preempt,1,a\n25.5,preempt,1,b\n68,end,1,\n", 2 + 3, 2,
        0},
    {"the second pause stops the job", STALE, "20,preempt,1,a\n25.5,preempt,1,b\n99,end,1,\n", 2, 2,
        0},
    {"which the next loss starts", STALE,
        "20,preempt,1,a\n25.5,preempt,1,b\n50,preempt,1,c\n50,add,2,d "
        "e\n99,end,2,\n",
        2 + 3, 2, 0},
    {"a loss in preparation", FAILING, "20.1,add,1,d\n20.2,preempt,1,d\n42,end,3,\n", 4, 0, 0},
    {"a loss in preparation pauses", IDLE, "20.1,add,1,d\n20.2,preempt,1,d\n55,end,3,\n", 2 + 2, 2,
        0},
};

static void test_faults_by_hand(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(fault_cases) / sizeof(fault_cases[0]); j++) {
        const fault_case_t *expected = &fault_cases[j];
        char rows[256], options[256];
        const small_t with = {.rows = rows,
            .table = "n,step_ms,checkpoint_ms,restart_total_ms\n1,10000,4000,14000\n"
                     "2,10000,4000,14000\n3,10000,4000,14000\n4,10000,4000,14000\n",
            .job = "  pipeline_depth: 1\n  samples_per_step: 64\n",
            .options = options,
            .capacity = 4};
        spot_train_result_t result;

        print_message("%s\n", expected->what);
        snprintf(rows, sizeof(rows), "0,init,3,a b c\n%s", expected->rows);
        snprintf(options, sizeof(options), "%s%s", expected->faults[0] == '\0' ? "" : ", ",
            expected->faults);
        result = run_small(&with);
        assert_int_equal(result.steps_executed, expected->steps_executed);
        assert_int_equal(result.steps_lost, expected->steps_lost);
        assert_int_equal(result.checkpoints_aborted, expected->aborted);
    }
}

/* With these faults losses come before what else is due in their instant. Steps of 12 s.
 * The pause of the first loss ends at 35 s, in the instant of the second one: its timer
 * forms pipelines, and that of the second loss, 45 s, stops the job; in the other order the
 * second loss would pause it until 45 s. A step that ends with a loss at 24 s is executed
 * behind it, and its checkpoint saves it, but not the step before. A pause that ends with a
 * step, at 36 s, drops the step. */
static void test_order_of_one_instant(void **state)
{
    static const struct {
        const char *rows;
        const char *faults;
        int64_t steps_executed, steps_lost;
    } cases[] = {
        {"25,preempt,1,a\n35,preempt,1,b\n60,end,1,\n", FAILING ", " ONE ", " IN_PAUSE ", " STALE,
            2, 2},
        {"25,preempt,1,a\n35,preempt,1,b\n60,end,1,\n", ONE ", " IN_PAUSE ", " STALE, 3, 2},
        {"24,preempt,1,a\n45,end,2,\n", FAILING ", " ONE ", " IN_PAUSE ", " STALE, 2, 1},
        {"24,preempt,1,a\n45,end,2,\n", ONE ", " IN_PAUSE ", " STALE, 2, 2},
        {"26,preempt,1,a\n47,end,2,\n", FAILING ", " ONE ", " IN_PAUSE ", " STALE, 2, 2},
        {"26,preempt,1,a\n47,end,2,\n", ONE ", " IN_PAUSE ", " STALE, 3, 2},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char rows[256], options[256];
        const small_t with = {.rows = rows,
            .table = "n,step_ms,checkpoint_ms,restart_total_ms\n1,12000,4000,14000\n"
                     "2,12000,4000,14000\n3,12000,4000,14000\n",
            .job = "  pipeline_depth: 1\n  samples_per_step: 64\n",
            .options = options,
            .capacity = 3};
        spot_train_result_t result;

        snprintf(rows, sizeof(rows), "0,init,3,a b c\n%s", cases[j].rows);
        snprintf(options, sizeof(options), ", %s", cases[j].faults);
        result = run_small(&with);
        print_message("%s: %lld executed, %lld lost\n", cases[j].faults,
            (long long) result.steps_executed, (long long) result.steps_lost);
        assert_int_equal(result.steps_executed, cases[j].steps_executed);
        assert_int_equal(result.steps_lost, cases[j].steps_lost);
    }
}

/* Those that are there at the start are free; who comes later, or comes back after
 * waiting, pays a restart, here of 10 s, with any fault as without. */
static void test_starts_pay(void **state)
{
    static const struct {
        const char *rows;
        int64_t steps_executed;
    } starts[] = {
        {"0,init,2,a b\n35,end,2,\n", 3},
        {"0,init,0,\n1,add,2,a b\n42,end,2,\n", 3},
        {"0,init,1,a\n1,preempt,1,a\n5,add,2,b c\n46,end,2,\n", 3},
    };
    static const char *const faults[] = {
        "", ", fault_old_pauses: yes", ", " FAILING, ", " STALE ", " IN_PAUSE};

    (void) state;
    for (size_t j = 0; j < sizeof(starts) / sizeof(starts[0]); j++) {
        for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
            const small_t with = {.rows = starts[j].rows,
                .table = "n,step_ms,checkpoint_ms,restart_total_ms\n1,10000,4000,14000\n"
                         "2,10000,4000,14000\n",
                .job = "  pipeline_depth: 1\n  samples_per_step: 64\n",
                .options = faults[k],
                .capacity = 2};
            const spot_train_result_t result = run_small(&with);

            print_message("%zu with \"%s\"\n", j, faults[k]);
            assert_int_equal(result.steps_executed, starts[j].steps_executed);
        }
    }
}

/* ---- Random traces ---- */

static const char *const fault_names[] = {"steps_in_pause", "one_counter", "failing_checkpoints",
    "old_pauses", "stale_timers", "idle_losses_pause", "deep_failures"};
#define NUM_FAULTS (sizeof(fault_names) / sizeof(fault_names[0]))
#define FAILING_FAULT 4U
#define DEEP_FAULT 64U

/* The options of those whose bit is set. */
static void name_faults(unsigned set, char *text, size_t num_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < NUM_FAULTS; j++) {
        if ((set >> j & 1) != 0) {
            used +=
                (size_t) snprintf(text + used, num_bytes - used, ", fault_%s: yes", fault_names[j]);
        }
    }
}

/* Times in proportion to the first step time of the case. */
static void write_table(const char *path, int64_t step_ms)
{
    char text[512];

    snprintf(text, sizeof(text),
        "n,step_ms,checkpoint_ms,restart_total_ms,idle_instances\n2,%lld,%lld,%lld,0\n"
        "3,%lld,%lld,%lld,1\n4,%lld,%lld,%lld,0\n",
        (long long) step_ms, (long long) step_ms / 3 + 1, (long long) step_ms * 3,
        (long long) step_ms * 4 / 5 + 1, (long long) step_ms / 2 + 1, (long long) step_ms * 5,
        (long long) step_ms * 3 / 5 + 1, (long long) step_ms / 4 + 1, (long long) step_ms * 2);
    write_file(path, text);
}

static void bind_random(uint64_t seed, bool is_reversed, unsigned faults, spot_scenario_t *self)
{
    char path[PATH_BYTES], table[PATH_BYTES], text[CASE_TEXT_BYTES], *tail;
    char options[512];
    case_t random_case;
    FILE *out;

    draw_case(&random_case, seed);
    random_case.has_reversed_losses = is_reversed;
    temporary_path("faults.csv", path);
    temporary_path("faults-by-n.csv", table);
    random_case.setting.is_flat_below = true; /* as in the published simulator */
    write_table(table, random_case.setting.points[0].step_ms);
    out = fopen(path, "w");
    assert_non_null(out);
    write_trace(out, &random_case);
    assert_int_equal(fclose(out), 0);
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write_scenario(out, &random_case, path);
    assert_int_equal(fclose(out), 0);
    tail = strstr(text, "recovery:");
    assert_non_null(tail);
    name_faults(faults, options, sizeof(options));
    snprintf(tail, sizeof(text) - (size_t) (tail - text),
        "recovery: {system: varuna, table: %s, extrapolate: yes, every: 4%s}\ntrace: "
        "{file: %s}\n",
        table, options, path);
    bind_good_scenario(self, text);
    remove(path);
    remove(table);
}

/* Whatever faults there are: spot_ledger_verify() runs in each run, a log changes
 * nothing and its phases tile the run, and the order of the losses of one instant says
 * nothing.
 */
static void test_random_traces(void **state)
{
    int64_t num_aborted = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= 768; seed++) {
        unsigned faults = seed % (1U << NUM_FAULTS);
        spot_scenario_t scenario, reversed;
        spot_train_result_t result, other;
        spot_event_log_t log = {0};

        faults |= faults >= DEEP_FAULT ? FAILING_FAULT : 0;
        bind_random(seed, false, faults, &scenario);
        bind_random(seed, true, faults, &reversed);
        result = run_scenario(&scenario, 1, &log);
        other = run_scenario(&scenario, 1, NULL);
        assert_same_result("a log", seed, &result, &other);
        other = run_scenario(&reversed, 1, NULL);
        assert_same_result("the order of losses", seed, &result, &other);
        assert_true(phases_tile(&log, result.horizon_ms));
        num_aborted += faults >= DEEP_FAULT ? result.checkpoints_aborted : 0;
        spot_event_log_free(&log);
        spot_scenario_free(&scenario);
        spot_scenario_free(&reversed);
    }
    assert_true(num_aborted > 100); /* or the faults have not been seen */
}

/* ---- The shipped study ---- */

/* It runs, breaks rules and says so, and each published fault is in it. */
static void test_shipped_study(void **state)
{
    char text[SPOT_BROKEN_RULES_BYTES];
    spot_scenario_t scenario;
    spot_train_result_t result;
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, STUDY, &diag), 0);
    assert_int_equal(spot_scenario_init(&scenario, document.root, NULL, &diag), 0);
    assert_int_equal(diag.num_items, 1);
    assert_true(spot_recovery_breaks_rules(&scenario.recovery, text));
    for (size_t j = 0; j < NUM_FAULTS; j++) {
        assert_non_null(strstr(text, fault_names[j]));
    }
    result = run_scenario(&scenario, 1, NULL);
    assert_true(result.checkpoints_aborted > 0);
    assert_true(result.steps_executed > result.steps_lost);
    spot_scenario_free(&scenario);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_by_hand),
        cmocka_unit_test(test_order_of_one_instant),
        cmocka_unit_test(test_starts_pay),
        cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_shipped_study),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
