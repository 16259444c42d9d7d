/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race against the theory of checkpointing: a study looks for the checkpoint
 * interval of a job whose only instance is lost at the times of a Poisson process and
 * replaced at once. The optimum is known in closed form, and the answer's interval must
 * hold it, for a tenth of the runs of the full grid at most. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/checkpoint_theory.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "tests/unit/train/fixture.h"

#define MAX_SHARE 0.1
#define MAX_WIDTH_S 32 /* of 196 */

/* Cases A1, A2 and A3 of the theory: loss every mtbf, a snapshot stalls the job, the
 * write behind it takes a while, a restart takes reconfiguration and reload. A3 is the
 * curve of A2 where the next snapshot waits for the write (busy: wait), and another one
 * where it joins it. */
typedef struct {
    const char *name;
    double mtbf_s, snapshot_s, write_s, restart_s;
    bool is_joined;
    double horizon_h; /* some 40 and 60 lives */
    double best_s;    /* optimum as published there */
} case_t;

/* ---- Theory ---- */

static spot_theory_t theory_of(const case_t *self)
{
    return (spot_theory_t){self->mtbf_s, self->snapshot_s, self->write_s, self->restart_s,
        self->is_joined ? SPOT_BUSY_JOIN : SPOT_BUSY_WAIT};
}

/* Share of the time that becomes useful with work_s between checkpoints. */
static double efficiency(const case_t *self, double work_s)
{
    const spot_theory_t theory = theory_of(self);

    return spot_theory_efficiency(&theory, work_s);
}

static double best_work_s(const case_t *self)
{
    const spot_theory_t theory = theory_of(self);

    return spot_theory_optima(&theory).best_s;
}

/* ---- Race ---- */

static void read_study(spot_study_t *study, const case_t *self, int seed, const char *rules)
{
    char path[PATH_BYTES], text[2048];
    spot_diag_t diag;
    char *report;
    int ret;

    snprintf(text, sizeof(text),
        "study: interval\n"
        "scenario:\n"
        "  scenario: theory\n  horizon: %g h\n  tick: 1 ms\n"
        "  fleet: {capacity: 1, initial: 1, preparation: 0 s}\n"
        "  job:\n    pipeline_depth: 1\n    step_time: {1: 1 s}\n"
        "    checkpoint: {snapshot: %g s, write: %g s, busy: %s}\n"
        "    reconfiguration: %g s\n    reload: 0 s\n"
        "  trace: {generator: lifetimes, lifetime: {law: exponential, mu: %g}, "
        "refill: {law: exponential, mu: 0.0001}}\n"
        "optimise: {maximise: goodput_fraction, over: {job.checkpoint.every: "
        "{from: 4 s, to: 200 s, points: 50}}, %s}\n"
        "replications: {min: 64, max: 4096, seed: %d}\nmetrics: [goodput_fraction]\n",
        self->horizon_h, self->snapshot_s, self->write_s, self->is_joined ? "join" : "wait",
        self->restart_s, self->mtbf_s, rules, seed);
    temporary_path("interval.yaml", path);
    write_file(path, text);
    spot_diag_init(&diag);
    ret = spot_study_read(study, spot_engines, path, NULL, &diag);
    unlink(path);
    report = diagnostics(&diag);
    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

/* The best value of the plan by theory. */
static size_t best_of_plan(const case_t *self, const spot_axis_t *axis)
{
    size_t best_id = 0;

    for (size_t j = 1; j < axis->num_values; j++) {
        if (efficiency(self, axis->numbers[j]) > efficiency(self, axis->numbers[best_id])) {
            best_id = j;
        }
    }
    return best_id;
}

static void check_answer(const case_t *self, const spot_race_answer_t *answer)
{
    const spot_race_range_t *range = answer->ranges;
    const spot_axis_t *axis = answer->race.head->axes;
    const double best_s = best_work_s(self);
    const size_t best_id = best_of_plan(self, axis);
    const double share = (double) answer->num_runs / (double) answer->num_runs_of_plan;
    double loss;

    assert_true(answer->race.is_over && answer->race.has_best && range->is_numeric);
    assert_true(range->below_id != SPOT_NO_VALUE && range->above_id != SPOT_NO_VALUE);
    print_message("%s, seed %d: best %s of %s to %s, optimum %.1f s between %s and %s; "
                  "at most %.2g better, sure %.2f, %.1f %% of the runs\n",
        self->name, (int) answer->race.head->seed, axis->texts[answer->race.best_id],
        axis->texts[range->low_id], axis->texts[range->high_id], best_s,
        axis->texts[range->below_id], axis->texts[range->above_id], answer->regret,
        answer->sureness, 100 * share);
    assert_true(axis->numbers[range->low_id] <= axis->numbers[best_id]);
    assert_true(axis->numbers[range->high_id] >= axis->numbers[best_id]);
    assert_true(axis->numbers[range->below_id] < best_s);
    assert_true(axis->numbers[range->above_id] > best_s);
    assert_true(axis->numbers[range->above_id] - axis->numbers[range->below_id] <= MAX_WIDTH_S);
    assert_true(share <= MAX_SHARE);
    /* The regret of the answer holds by theory. */
    loss = efficiency(self, axis->numbers[best_id]) -
           efficiency(self, axis->numbers[answer->race.best_id]);
    assert_true(loss <= answer->regret + 1e-15);
}

static void check_race(const case_t *self, int seed, const char *rules)
{
    const spot_study_run_t run = {.num_threads = 2};
    spot_race_answer_t answer;
    spot_study_t study;
    spot_store_t *store;

    read_study(&study, self, seed, rules);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
    assert_int_equal(spot_race_answer_init(&answer, store), 0);
    check_answer(self, &answer);
    spot_race_answer_free(&answer);
    store->close(store);
    spot_study_free(&study);
}

static const case_t cases[] = {
    {"A1", 1800, 0.5, 20, 60, false, 20, 42.0937},
    {"A2 and A3", 600, 2, 45, 90, false, 10, 47.6656},
    {"A3 with join", 600, 2, 45, 90, true, 10, 47.6656},
};

#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

static void test_worked_optima(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_CASES; j++) {
        assert_true(fabs(best_work_s(&cases[j]) - cases[j].best_s) < 5e-4);
    }
}

/* As a user asks: differences below a thousandth of the best do not matter. */
static void test_optimum_is_found(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_CASES; j++) {
        for (int seed = 1; seed <= 3; seed++) {
            check_race(&cases[j], seed, "indifference: 0.001");
        }
    }
}

/* The race does not end early: the remaining points have the replications of the full
 * grid. */
static void test_race_to_the_maximum(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_CASES; j++) {
        check_race(&cases[j], 5, "indifference: 0");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_optima),
        cmocka_unit_test(test_optimum_is_found),
        cmocka_unit_test(test_race_to_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
