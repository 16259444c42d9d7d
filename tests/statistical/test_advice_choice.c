/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice against brute force: each alternative of random jobs is run often with another
 * seed. A yes is feasible and as cheap as the cheapest feasible one, a no leaves nothing
 * out, and few answers are open. Near the limit a choice that is just infeasible is
 * hardly ever rented. What is promised holds: the scenario that is recommended is run
 * again with other seeds. And break-evens hold the factor that long runs find.
 *
 * Arguments: jobs of brute force, its runs, jobs of promises, jobs near the limit, their
 * seeds, jobs of break-evens, their seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "statistics.h"
#include "tests/statistical/advice_case.h"

enum {
    FEW_RUNS = 3000,
    NUM_PROMISE_RUNS = 10000,
    NUM_TRUE_RUNS = 20000,
    LEAST_POINTS = 9,
    MAX_POINTS = 100
};

/* As in short tests; longer ones have arguments. */
static int num_brute_jobs = 6, num_brute_runs = 1000, num_promise_jobs = 8;
static int num_near_jobs = 3, num_near_seeds = 10, num_factor_jobs = 3, num_factor_seeds = 10;

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
    advice->request.question.recovery = between(rng, 0, 3) == 0 ? "all" : NULL;
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

/* What is said of the runs is what the rows and the limits say: as many as the search has
 * rows, and for a verdict no more of an alternative than is allowed. */
static void check_num_runs(const advice_t *advice)
{
    const spot_advice_result_t *result = &advice->result;
    int64_t num_runs = 0;

    for (size_t j = 0; j < result->num_points; j++) {
        num_runs += spot_store_num_rows(advice->store, j);
    }
    assert_int_equal(result->num_runs, num_runs);
    for (size_t j = 0; j < result->num_advised; j++) {
        assert_true(result->advised[j].figures.num_runs <= advice->request.max_replications);
    }
}

/* A yes has shown all that it promises with the figures that it has, and what is open has
 * had all runs. */
static void check_verdict(const advice_t *advice)
{
    const spot_advice_question_t *question = &advice->request.question;
    const spot_advice_result_t *result = &advice->result;
    const spot_advice_figures_t *figures = &result->advised[0].figures;

    assert_true(result->verdict == result->advised[0].verdict ||
                (result->verdict == SPOT_VERDICT_UNDECIDED && result->num_open > 0));
    if (result->verdict == SPOT_VERDICT_YES) {
        assert_true(figures->p_low >= question->sure && figures->p >= figures->p_low);
        assert_true(isinf(question->budget) || figures->in_budget.low >= 0.95);
    } else if (result->verdict == SPOT_VERDICT_NO) {
        assert_true(figures->p_high < question->sure || figures->in_budget.high < 0.95);
    }
    for (size_t j = 0; j < result->num_open; j++) {
        assert_true(advice->request.max_runs > 0 ||
                    result->open[j].figures.num_runs == advice->request.max_replications);
        assert_int_equal(result->open[j].verdict, SPOT_VERDICT_UNDECIDED);
    }
}

static bool check_choice(const advice_t *advice, int job_id)
{
    const spot_advice_result_t *result = &advice->result;
    const spot_advice_question_t *question = &advice->request.question;
    const size_t chosen_id = find_point(result->study_text, result->advised[0].point);
    char *text = full_study_text(result->study_text, num_brute_runs, 77);
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
    is_good = result->verdict == SPOT_VERDICT_YES
                  ? is_good_choice(question, &chosen, has_best ? &best : NULL)
                  : result->verdict == SPOT_VERDICT_UNDECIDED || !has_best ||
                        best.p_low < question->sure || best.cost_p95 > 0.98 * question->budget;
    print_message("job %d: %zu points, verdict %d (%zu open); chosen p %.3f (asked %.2f) cost "
                  "%.3f, cheapest feasible %.3f (p %.3f, p95 %.3f of %.3f); %zu break-evens%s\n",
        job_id, result->num_points, result->verdict, result->num_open, chosen.p, question->sure,
        chosen.cost, best.cost, best.p, best.cost_p95, question->budget, result->num_break_evens,
        is_good ? "" : ": BAD");
    rerun_free(&all);
    return is_good;
}

static void test_brute_force(void **state)
{
    int num_good = 0, num_jobs = 0, num_yes = 0, num_undecided = 0;

    (void) state;
    for (int seed = 1; num_jobs < num_brute_jobs; seed++) {
        advice_t advice;
        spot_rng_t rng;

        spot_rng_seek(&rng, (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice_ask(&advice);
        check_num_runs(&advice);
        check_verdict(&advice);
        if (advice.result.num_points >= LEAST_POINTS && advice.result.num_points <= MAX_POINTS) {
            num_jobs++;
            num_yes += advice.result.verdict == SPOT_VERDICT_YES;
            num_undecided += advice.result.verdict == SPOT_VERDICT_UNDECIDED;
            num_good += check_choice(&advice, seed);
        }
        advice_free(&advice);
    }
    print_message("%d of %d verdicts are good; %d are yes, %d undecided\n", num_good, num_jobs,
        num_yes, num_undecided);
    assert_true(num_good == num_jobs);
    assert_true(2 * num_yes >= num_jobs);
    assert_true(100 * num_undecided <= 15 * num_jobs);
}

/* ---- Near the limit ---- */

/* The probability of a point of the search in many runs. */
static double true_p(const advice_t *advice, const char *point)
{
    const char *points[] = {point};
    char *text = some_points_text(advice->result.study_text, 1, points, "", NUM_TRUE_RUNS, 4711);
    rerun_t again;
    double p;

    rerun_init(&again, text);
    free(text);
    p = rerun_estimate(&again, 0, "probability(met_deadline)", NULL, NULL);
    rerun_free(&again);
    return p;
}

typedef struct {
    int num_asked, num_wrong, num_yes;
} near_count_t;

/* Asks what keeps a limit that the tempting point misses by little. */
static void ask_near(advice_t *advice, const char *tempting, near_count_t *count)
{
    for (int j = 0; j < num_near_seeds; j++) {
        advice_reset(advice);
        advice->request.seed = (uint64_t) j + 1;
        advice_ask(advice);
        check_verdict(advice);
        count->num_asked++;
        count->num_yes += advice->result.verdict == SPOT_VERDICT_YES;
        count->num_wrong += advice->result.verdict == SPOT_VERDICT_YES &&
                            strcmp(advice->result.advised[0].point, tempting) == 0;
    }
    print_message("max_runs %" PRId64 ", so far %d wrong of %d (%d yes)\n",
        advice->request.max_runs, count->num_wrong, count->num_asked, count->num_yes);
}

/* Asks for half a point more than what would be rented keeps, with as many runs as usual, and with
 * few, where the limit lies five points above. */
static void test_near_limit(void **state)
{
    near_count_t usual = {0}, few = {0};
    int num_jobs = 0;

    (void) state;
    for (int seed = 1; num_jobs < num_near_jobs; seed++) {
        char *tempting;
        advice_t advice;
        spot_rng_t rng;
        double p;

        spot_rng_seek(&rng, 2000 + (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice.request.question.budget = HUGE_VAL;
        advice_ask(&advice);
        tempting = strdup(advice.result.advised[0].point);
        p = true_p(&advice, tempting);
        if (advice.result.verdict == SPOT_VERDICT_YES && p < 0.985) {
            num_jobs++;
            print_message("job %d: p %.4f\n", seed, p);
            advice.request.question.sure = p + 0.005;
            ask_near(&advice, tempting, &usual);
            advice.request.question.sure = fmin(p + 0.05, 0.99);
            advice.request.max_runs = FEW_RUNS;
            ask_near(&advice, tempting, &few);
        }
        free(tempting);
        advice_free(&advice);
    }
    assert_true(100 * usual.num_wrong <= 5 * usual.num_asked);
    assert_true(100 * few.num_wrong <= 5 * few.num_asked);
    assert_true(few.num_yes > 0);
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

/* 95 % of the promises hold, but for the noise of the other runs. max_runs as of an advice. */
static void check_promises(int64_t max_runs)
{
    int num_kept = 0;

    for (int seed = 1; seed <= num_promise_jobs; seed++) {
        advice_t advice;
        spot_rng_t rng;

        spot_rng_seek(&rng, 1000 + (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice.request.max_runs = max_runs;
        advice_ask(&advice);
        num_kept += check_promise(&advice, seed);
        advice_free(&advice);
    }
    print_message("%d of %d promises hold\n", num_kept, num_promise_jobs);
    assert_true(
        num_kept >= (num_promise_jobs < 20 ? num_promise_jobs - 1 : 89 * num_promise_jobs / 100));
}

static void test_promise(void **state)
{
    (void) state;
    check_promises(0);
}

static void test_promise_of_few_runs(void **state)
{
    (void) state;
    check_promises(FEW_RUNS);
}

/* ---- Break-evens ---- */

/* The keys of a job that a factor changes. */
static void factor_text(
    const advice_t *advice, const char *noun, double factor, char *text, size_t num_bytes)
{
    const char *scenario = advice->result.scenario_text;
    double value;

    if (strncmp(noun, "preemptions", 11) == 0) {
        snprintf(text, num_bytes, ", trace.frequency: %.17g", factor);
    } else if (strcmp(noun, "spot price") == 0) {
        assert_int_equal(sscanf(strstr(scenario, "\n        spot: "), " spot: %lf", &value), 1);
        snprintf(text, num_bytes, ", fleet.price.spot: %.17g", factor * value);
    } else {
        assert_int_equal(sscanf(strstr(scenario, "\n        write: "), " write: %lf s", &value), 1);
        snprintf(text, num_bytes, ", job.checkpoint.write: %.0f ms", factor * value * 1000);
    }
}

/* Whether the answer is another one at a factor, in many runs. */
static bool is_changed(const advice_t *advice, const char *noun, double factor)
{
    const spot_advice_result_t *result = &advice->result;
    const double sure = advice->request.question.sure;
    const char *points[16];
    size_t num_points = 0;
    char more[128], *text;
    rerun_t again;
    bool is_other;

    for (size_t j = 0; j < result->num_advised; j++) {
        if (j == 0 || strcmp(result->advised[j].kind, result->advised[0].kind) != 0) {
            points[num_points++] = result->advised[j].point;
        }
    }
    factor_text(advice, noun, factor, more, sizeof(more));
    text = some_points_text(result->study_text, num_points, points, more, NUM_TRUE_RUNS, 4711);
    rerun_init(&again, text);
    free(text);
    is_other = rerun_estimate(&again, 0, "probability(met_deadline)", NULL, NULL) < sure;
    for (size_t j = 1; j < num_points; j++) {
        is_other |= rerun_estimate(&again, j, "probability(met_deadline)", NULL, NULL) >= sure &&
                    rerun_estimate(&again, j, "cost_usd", NULL, NULL) <
                        rerun_estimate(&again, 0, "cost_usd", NULL, NULL);
    }
    rerun_free(&again);
    return is_other;
}

/* The factor at which the answer changes, up to that of the item; 0: none. */
static double true_factor(const advice_t *advice, const spot_advice_break_even_t *item)
{
    double low = 0, high = log(item->most);

    if (!is_changed(advice, item->noun, item->most)) {
        return 0;
    }
    while (fabs(high - low) > 0.01) {
        const double middle = (low + high) / 2;

        *(is_changed(advice, item->noun, exp(middle)) ? &high : &low) = middle;
    }
    return exp((low + high) / 2);
}

/* What was found for an answer and its rivals already. */
typedef struct {
    char *key;
    double factor;
} known_t;

static double known_factor(
    const advice_t *advice, const spot_advice_break_even_t *item, known_t *known, size_t *num_known)
{
    const spot_advice_result_t *result = &advice->result;
    char *key = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&key, &num_bytes);

    assert_non_null(out);
    fprintf(out, "%s %d", item->noun, item->is_less);
    for (size_t j = 0; j < result->num_advised; j++) {
        if (j == 0 || strcmp(result->advised[j].kind, result->advised[0].kind) != 0) {
            fprintf(out, " %s", result->advised[j].point);
        }
    }
    assert_int_equal(fclose(out), 0);
    for (size_t j = 0; j < *num_known; j++) {
        if (strcmp(known[j].key, key) == 0) {
            free(key);
            return known[j].factor;
        }
    }
    known[*num_known] = (known_t){key, true_factor(advice, item)};
    return known[(*num_known)++].factor;
}

/* Whether the interval holds the factor, or it stays so far that nothing was to be found. */
static bool holds(const spot_advice_break_even_t *item, double factor)
{
    const double low = item->is_less ? item->far : item->near;
    const double high = item->is_less ? item->near : item->far;

    if (item->why == NULL || factor == 0) {
        return factor == 0 && (item->why == NULL || isinf(high) || low == 0);
    }
    return low <= factor * 1.005 && factor <= high * 1.005;
}

static void test_break_evens(void **state)
{
    enum { MAX_KNOWN = 4096 };
    int num_jobs = 0, num_all[2] = {0}, num_held[2] = {0}; /* more, less */
    int num_changing = 0, num_changing_held = 0;
    double widths = 0;

    (void) state;
    for (int seed = 1; num_jobs < num_factor_jobs; seed++) {
        known_t *known = calloc(MAX_KNOWN, sizeof(*known));
        size_t num_known = 0;
        advice_t advice;
        spot_rng_t rng;

        assert_non_null(known);
        spot_rng_seek(&rng, 3000 + (uint64_t) seed, 0, SPOT_STREAM_OWN, 0);
        draw_job(&rng, &advice);
        advice.request.question.budget = HUGE_VAL;
        advice.request.question.recovery = NULL;
        for (int j = 0; j < num_factor_seeds; j++) {
            advice_reset(&advice);
            advice.request.seed = (uint64_t) j + 1;
            advice_ask(&advice);
            for (size_t k = 0; k < advice.result.num_break_evens; k++) {
                const spot_advice_break_even_t *item = &advice.result.break_evens[k];
                const double factor = known_factor(&advice, item, known, &num_known);
                const bool is_held = holds(item, factor);

                num_all[item->is_less]++;
                num_held[item->is_less] += is_held;
                if (factor != 0) {
                    num_changing++;
                    num_changing_held += is_held;
                    widths += isfinite(item->far) && item->far > 0
                                  ? fabs(log(item->far / item->near))
                                  : 2;
                }
                if (!is_held) {
                    print_message("job %d seed %d: %s%s: %.4f to %.4f, true %.4f\n", seed, j + 1,
                        item->noun, item->is_less ? " (less)" : "", item->near, item->far, factor);
                }
            }
        }
        num_jobs += advice.result.num_break_evens > 0;
        for (size_t j = 0; j < num_known; j++) {
            free(known[j].key);
        }
        free(known);
        advice_free(&advice);
    }
    print_message("break-evens: %d of %d above 1 hold, %d of %d below 1; %d of %d that are there, "
                  "their mean width is a factor of %.2f\n",
        num_held[0], num_all[0], num_held[1], num_all[1], num_changing_held, num_changing,
        exp(widths / num_changing));
    assert_true(num_changing > 0);
    assert_true(100 * num_changing_held >= 90 * num_changing);
    assert_true(100 * (num_held[0] + num_held[1]) >= 95 * (num_all[0] + num_all[1]));
}

int main(int argc, char **argv)
{
    int *const counts[] = {&num_brute_jobs, &num_brute_runs, &num_promise_jobs, &num_near_jobs,
        &num_near_seeds, &num_factor_jobs, &num_factor_seeds};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_near_limit),
        cmocka_unit_test(test_promise),
        cmocka_unit_test(test_promise_of_few_runs),
        cmocka_unit_test(test_break_evens),
    };

    for (int j = 1; j < argc && j <= 7; j++) {
        *counts[j - 1] = atoi(argv[j]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
