/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice against brute force: each alternative of random jobs is run often with another
 * seed. The choice is feasible and as cheap as the cheapest feasible one, with few runs.
 * And what is promised holds: the scenario that is recommended is run again with other
 * seeds. With an argument: so many jobs of each test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "statistics.h"
#include "tests/statistical/advice_case.h"

/* Of fewer points, the gate and the promise are more than a tenth of all runs; their
 * answers have at most the runs of so many points. */
enum { NUM_BRUTE_RUNS = 5000, NUM_PROMISE_RUNS = 10000, LEAST_POINTS = 9, MAX_POINTS = 100 };

static int num_brute_jobs = 3, num_promise_jobs = 8;

/* ---- Random jobs of at most 8 simulated hours ---- */

static int between(spot_rng_t *rng, int low, int high)
{
    return low + (int) spot_rng_below(rng, (uint64_t) (high - low + 1));
}

/* Writes a job of pipelines of a depth, whose step time falls by a little less than its
 * size grows, and asks for a share of what its fleet could do. */
static void draw_job(spot_rng_t *rng, advice_t *advice)
{
    static const double sures[] = {0.8, 0.9, 0.95};
    const int depth = 1 << between(rng, 0, 2), num_pipelines = between(rng, 2, 5);
    const int capacity = depth * num_pipelines, minutes = between(rng, 60, 160);
    const int step_s = between(rng, 5, 30);
    const double spot_usd = 0.1 * between(rng, 2, 20);
    const char *mode = between(rng, 0, 1) == 0 ? "async" : "sync";
    char *job = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&job, &num_bytes);

    assert_non_null(out);
    fprintf(out,
        "scenario: random\nhorizon: 1 h\nfleet: {capacity: %d, initial: %d, "
        "preparation: %d s, price: {spot: %.2f, on_demand: %.2f}}\n"
        "job:\n  pipeline_depth: %d\n  reconfiguration: %d s\n  reload: %d s\n"
        "  checkpoint: {mode: %s, write: %d s}\n  step_time: {",
        capacity, between(rng, capacity / 2, capacity), between(rng, 0, 300), spot_usd,
        spot_usd * 0.1 * between(rng, 12, 40), depth, between(rng, 10, 120), between(rng, 5, 60),
        mode, between(rng, 5, 60));
    for (int j = 1; j <= num_pipelines; j++) {
        fprintf(out, "%s%d: %d ms", j == 1 ? "" : ", ", j * depth,
            (int) (1000 * step_s / pow(j, 0.85)));
    }
    fprintf(out,
        "}\nrecovery: checkpoint\ntrace:\n  generator: seed\n"
        "  preemption: {per_minute: %.4f, count: {fixed: %d}}\n"
        "  addition: {per_minute: %.4f, count: {fixed: %d}}\n",
        0.001 * between(rng, 5, 80), between(rng, 1, depth), 0.001 * between(rng, 20, 150),
        between(rng, 1, depth));
    assert_int_equal(fclose(out), 0);
    advice_init(advice, job);
    free(job);
    advice->request.question.sure = sures[between(rng, 0, 2)];
    advice->request.question.finish_by_ms = INT64_C(60000) * minutes;
    advice->request.question.num_steps =
        (int64_t) (60.0 * minutes / step_s * pow(num_pipelines, 0.85) * 0.01 *
                   between(rng, 20, 80));
    if (between(rng, 0, 2) == 0) {
        advice->request.question.budget =
            spot_usd * capacity * minutes / 60 * 0.1 * between(rng, 6, 25);
    }
}

/* ---- Brute force ---- */

typedef struct {
    double cost, cost_low, cost_high, p, p_low, p_high, cost_p95;
} figures_t;

static figures_t figures_of(const rerun_t *all, size_t point_id)
{
    figures_t self;

    self.p = rerun_estimate(all, point_id, "probability(met_deadline)", &self.p_low, &self.p_high);
    self.cost = rerun_estimate(all, point_id, "cost_usd", &self.cost_low, &self.cost_high);
    self.cost_p95 = rerun_estimate(all, point_id, "p95(cost_usd)", NULL, NULL);
    return self;
}

static bool is_feasible(const spot_advice_question_t *question, const figures_t *figures)
{
    return figures->p >= question->sure && figures->cost_p95 <= question->budget;
}

/* Whether the choice is as good as the best of all, within the noise of both. */
static bool is_good_choice(
    const spot_advice_question_t *question, const figures_t *chosen, const figures_t *best)
{
    return chosen->p_high >= question->sure && chosen->cost_p95 <= 1.02 * question->budget &&
           (best == NULL || chosen->cost <= 1.01 * best->cost ||
               chosen->cost_low <= best->cost_high);
}

/* All runs of the answer, as many as the search has rows and it says, are at most a
 * tenth of those of brute force, whose points the larger fleets are, too. */
static void check_num_runs(const advice_t *advice)
{
    const spot_advice_result_t *result = &advice->result;
    int64_t num_points = (int64_t) result->num_points;
    int64_t num_runs = result->num_other_runs;

    for (size_t j = 0; j < result->num_points; j++) {
        num_runs += spot_store_num_rows(advice->store, j);
    }
    num_points = num_points > LEAST_POINTS ? num_points : LEAST_POINTS;
    num_points += (int64_t) result->num_larger_points;
    assert_int_equal(result->num_runs + result->num_other_runs, num_runs);
    assert_true(num_runs <= NUM_BRUTE_RUNS / 10 * num_points);
}

static bool check_choice(const advice_t *advice, int job_id)
{
    const spot_advice_result_t *result = &advice->result;
    const spot_advice_question_t *question = &advice->request.question;
    const size_t chosen_id = find_point(result->study_text, result->advised[0].point);
    char *text = full_study_text(result->study_text, NUM_BRUTE_RUNS / SPOT_FEWER, 77);
    const double num_all = (double) (NUM_BRUTE_RUNS * (int64_t) result->num_points);
    figures_t best = {.cost = HUGE_VAL}, chosen;
    bool has_best = false, is_good;
    rerun_t all;

    rerun_init(&all, text);
    free(text);
    assert_int_equal(all.study.head.num_points, result->num_points);
    chosen = figures_of(&all, chosen_id);
    for (size_t j = 0; j < result->num_points; j++) {
        const figures_t figures = figures_of(&all, j);

        if (is_feasible(question, &figures) && figures.cost < best.cost) {
            best = figures;
            has_best = true;
        }
    }
    is_good = result->is_yes ? is_good_choice(question, &chosen, has_best ? &best : NULL)
                             : !has_best || best.p_low < question->sure;
    print_message("job %d: %zu points, %s; chosen p %.3f (asked %.2f) cost %.3f, "
                  "cheapest feasible %.3f (p %.3f, p95 %.3f of %.3f), %zu break-evens; "
                  "runs %.1f %% in "
                  "the search, %.1f %% in all"
                  "%s\n",
        job_id, result->num_points, result->is_yes ? "yes" : "no", chosen.p, question->sure,
        chosen.cost, best.cost, best.p, best.cost_p95, question->budget, result->num_break_evens,
        100 * (double) result->num_runs / num_all,
        100 * (double) (result->num_runs + result->num_other_runs) / num_all,
        is_good ? "" : ": BAD");
    rerun_free(&all);
    return is_good;
}

static void test_brute_force(void **state)
{
    int num_good = 0, num_jobs = 0, num_yes = 0;

    (void) state;
    for (int seed = 1; num_jobs < num_brute_jobs; seed++) {
        advice_t advice;
        spot_rng_t rng;

        spot_rng_seek(&rng, (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice_ask(&advice);
        check_num_runs(&advice);
        if (advice.result.num_points >= LEAST_POINTS && advice.result.num_points <= MAX_POINTS) {
            num_jobs++;
            num_yes += advice.result.is_yes;
            num_good += check_choice(&advice, seed);
        }
        advice_free(&advice);
    }
    print_message("%d of %d choices are good; %d answers are yes\n", num_good, num_jobs, num_yes);
    assert_true(num_good == num_jobs);
    assert_true(2 * num_yes >= num_jobs);
}

/* ---- The promise ---- */

/* Whether the figures that are promised are those of other runs. */
static bool check_promise(const advice_t *advice, int job_id)
{
    const spot_advice_figures_t *promised = &advice->result.advised[0].figures;
    char *text = scenario_study_text(advice->result.scenario_text, NUM_PROMISE_RUNS, job_id + 1000);
    double p, cost;
    bool is_kept;
    rerun_t again;

    rerun_init(&again, text);
    free(text);
    p = rerun_estimate(&again, 0, "probability(met_deadline)", NULL, NULL);
    cost = rerun_estimate(&again, 0, "cost_usd", NULL, NULL);
    is_kept = p >= promised->p_low && p <= promised->p_high &&
              cost >= promised->cost_low * (1 - 1e-12) && cost <= promised->cost_high * (1 + 1e-12);
    print_message("job %d: p %.4f in %.4f to %.4f, cost %.4f in %.4f to %.4f%s\n", job_id, p,
        promised->p_low, promised->p_high, cost, promised->cost_low, promised->cost_high,
        is_kept ? "" : ": BROKEN");
    rerun_free(&again);
    return is_kept;
}

/* 95 % of the promises hold, but for the noise of the other runs. */
static void test_promise(void **state)
{
    int num_kept = 0;

    (void) state;
    for (int seed = 1; seed <= num_promise_jobs; seed++) {
        advice_t advice;
        spot_rng_t rng;

        spot_rng_seek(&rng, 1000 + (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice_ask(&advice);
        num_kept += check_promise(&advice, seed);
        advice_free(&advice);
    }
    print_message("%d of %d promises hold\n", num_kept, num_promise_jobs);
    assert_true(
        num_kept >= (num_promise_jobs < 20 ? num_promise_jobs - 1 : 89 * num_promise_jobs / 100));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_promise),
    };

    if (argc > 2) {
        num_brute_jobs = atoi(argv[1]);
        num_promise_jobs = atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
