/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice through the library, on small jobs: the same answer for any threads, what it
 * names, and that what it writes gives its figures again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "reports/advice_report.h"
#include "sim/bench/study/run.h"
#include "tests/statistical/advice_case.h"

#define HOUR INT64_C(3600000)

#define JOB_WITH(trace)                                                                            \
    "scenario: job\nhorizon: 1 h\n"                                                                \
    "fleet: {capacity: 8, initial: 6, price: {spot: 1, on_demand: 3}}\n"                           \
    "job: {pipeline_depth: 2, step_time: {2: 60 s, 4: 33 s, 6: 24 s, 8: 19 s},\n"                  \
    "    checkpoint: {mode: sync, write: 60 s, every: 30 min}}\n"                                  \
    "recovery: checkpoint\ntrace: " trace "\n"

#define JOB                                                                                        \
    JOB_WITH("{generator: seed, preemption: {per_minute: 0.004, count: {fixed: 2}}, "              \
             "addition: {per_minute: 0.01, count: {fixed: 2}}}")

/* The answer as JSON, which has no times of the search. The caller frees it. */
static char *answer_text(const spot_advice_result_t *result, const spot_store_t *store)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_advice_json(result, &store->head->assumed, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void ask_job(advice_t *advice, const char *job, int64_t num_steps, int64_t finish_by_ms)
{
    advice_init(advice, job);
    advice->request.question.num_steps = num_steps;
    advice->request.question.finish_by_ms = finish_by_ms;
}

/* Threads and repetition change nothing; another seed does. */
static void test_same_answer(void **state)
{
    char *first, *other;
    advice_t advice;

    (void) state;
    ask_job(&advice, JOB, 1500, 24 * HOUR);
    advice.request.num_threads = 1;
    advice_ask(&advice);
    assert_int_equal(advice.result.verdict, SPOT_VERDICT_YES);
    first = answer_text(&advice.result, advice.store);
    for (int64_t num_threads = 1; num_threads <= 3; num_threads++) {
        advice_reset(&advice);
        advice.request.num_threads = num_threads;
        advice_ask(&advice);
        other = answer_text(&advice.result, advice.store);
        assert_string_equal(other, first);
        free(other);
    }
    advice_reset(&advice);
    advice.request.seed = 2;
    advice_ask(&advice);
    other = answer_text(&advice.result, advice.store);
    assert_string_not_equal(other, first);
    free(other);
    free(first);
    advice_free(&advice);
}

static int64_t num_runs_of(const spot_advice_result_t *result)
{
    return result->num_runs + result->num_other_runs;
}

/* Few runs, as many as are allowed, are enough for what is plain, and are spoken of. */
static void test_few_runs(void **state)
{
    enum { MAX_RUNS = 5000 };
    char *first, *other;
    advice_t advice;
    bool is_said = false;

    (void) state;
    ask_job(&advice, JOB, 1500, 24 * HOUR);
    advice.request.max_runs = MAX_RUNS;
    advice_ask(&advice);
    assert_int_equal(advice.result.verdict, SPOT_VERDICT_YES);
    assert_true(advice.result.advised[0].figures.p_low >= 0.95);
    assert_in_range(num_runs_of(&advice.result), MAX_RUNS / 4, MAX_RUNS);
    for (size_t j = 0; j < advice.result.num_notes; j++) {
        is_said = is_said || strstr(advice.result.notes[j], " runs in all: ") != NULL;
    }
    assert_true(is_said);
    assert_int_equal(advice.result.num_break_evens, 0);
    first = answer_text(&advice.result, advice.store);
    advice_reset(&advice);
    advice.request.num_threads = 1;
    advice_ask(&advice);
    other = answer_text(&advice.result, advice.store);
    assert_string_equal(other, first);
    free(other);
    free(first);
    advice_reset(&advice);
    advice.request.max_runs = 64; /* too few to show 95 % */
    advice_ask(&advice);
    assert_int_equal(advice.result.verdict, SPOT_VERDICT_UNDECIDED);
    assert_true(advice.result.num_urgent > 0);
    assert_non_null(strstr(advice.result.urgent[advice.result.num_urgent - 1], " runs in all: "));
    advice_free(&advice);
}

/* The answer keeps its limits, each other market has its cheapest, and the runner-up is
 * none of another kind of point. */
static void test_yes(void **state)
{
    advice_t advice;
    const spot_advice_result_t *result = &advice.result;

    (void) state;
    ask_job(&advice, JOB, 1500, 24 * HOUR);
    advice_ask(&advice);
    assert_int_equal(result->verdict, SPOT_VERDICT_YES);
    assert_int_equal(result->advised[0].verdict, SPOT_VERDICT_YES);
    assert_true(result->advised[0].figures.p_low >= 0.95);
    assert_int_equal(result->num_larger, 0);
    assert_true(result->num_advised >= 3);
    for (size_t j = 0; j < result->num_advised; j++) {
        const spot_advice_figures_t *figures = &result->advised[j].figures;

        assert_true(figures->num_runs == 1 || figures->num_runs >= 1024);
        assert_true(figures->p_low <= figures->p && figures->p <= figures->p_high);
        assert_true(figures->cost_low <= figures->cost && figures->cost <= figures->cost_high);
        assert_true(figures->cost_p50 <= figures->cost_p95);
        assert_true(figures->time_p50_s <= figures->time_p95_s);
        for (size_t k = 0; k < j; k++) {
            assert_string_not_equal(result->advised[j].point, result->advised[k].point);
        }
    }
    assert_int_equal(result->num_break_evens, 6);
    for (size_t j = 0; j < result->num_break_evens; j++) {
        const spot_advice_break_even_t *item = &result->break_evens[j];

        assert_int_equal(item->is_less, j % 2 == 1);
        assert_true(item->most == (item->is_less ? 0.125 : 8));
        if (item->why != NULL) {
            assert_true(item->is_less ? item->far <= item->near && item->near <= 1
                                      : item->far >= item->near && item->near >= 1);
        }
    }
    assert_string_equal(result->cost_unit, "USD");
    advice_free(&advice);
}

/* The seed of the runs behind the figures, which no choice depends on. */
static int64_t promise_seed(uint64_t seed)
{
    return (int64_t) ((seed ^ UINT64_C(0x3f58476d1ce4e5b9)) & INT64_MAX);
}

/* The scenario that is recommended, in a study of its own with the seed of the figures,
 * gives them exactly, and so does each named point of the study that was written: runs
 * that are never done included, with what was paid. */
static void check_written(const char *job, int64_t num_steps, bool has_late)
{
    const spot_advised_t *advised;
    bool is_late = false;
    advice_t advice;
    rerun_t again;
    char *text;

    ask_job(&advice, job, num_steps, 24 * HOUR);
    advice_ask(&advice);
    advised = advice.result.advised;
    text = scenario_study_text(advice.result.scenario_text, (int) advised->figures.num_runs,
        promise_seed(advice.request.seed));
    rerun_init(&again, text);
    assert_true(rerun_estimate(&again, 0, "cost_usd", NULL, NULL) == advised->figures.cost);
    assert_true(fabs(rerun_estimate(&again, 0, "probability(met_deadline)", NULL, NULL) -
                     advised->figures.p) < 1e-12);
    rerun_free(&again);
    free(text);
    for (size_t j = 0; j < advice.result.num_advised; j++) {
        const size_t point_id = find_point(advice.result.study_text, advised[j].point);

        assert_true(point_id < advice.study.head.num_points);
        text = some_points_text(advice.result.study_text, 1, &advised[j].point, "",
            (int) advised[j].figures.num_runs, promise_seed(advice.request.seed));
        rerun_init(&again, text);
        assert_true(rerun_estimate(&again, 0, "cost_usd", NULL, NULL) == advised[j].figures.cost);
        assert_true(
            rerun_estimate(&again, 0, "p95(cost_usd)", NULL, NULL) == advised[j].figures.cost_p95);
        is_late = is_late || isinf(advised[j].figures.cost_p95);
        rerun_free(&again);
        free(text);
    }
    assert_int_equal(is_late, has_late);
    advice_free(&advice);
}

static void test_written(void **state)
{
    (void) state;
    check_written(JOB, 1500, false);
    check_written(JOB_WITH("{generator: seed, preemption: {per_minute: 0.05, count: {fixed: 2}}, "
                           "addition: {per_minute: 0.01, count: {fixed: 1}}}"),
        1200, true);
}

/* No with larger fleets, the last of which keeps the goal; and no for a budget, which a
 * larger fleet does not mend. */
static void test_no(void **state)
{
    const spot_advice_result_t *result;
    advice_t advice;

    (void) state;
    ask_job(&advice,
        "scenario: job\nhorizon: 1 h\nfleet: {capacity: 6, initial: 6}\n"
        "job: {pipeline_depth: 2, step_time: {2: 60 s, 4: 32 s, 8: 17 s, 12: 12 s}}\n"
        "recovery: checkpoint\ntrace: {generator: seed, preemption: {per_minute: 0.001, "
        "count: {fixed: 1}}, addition: {per_minute: 0.1, count: {fixed: 1}}}\n",
        1400, 8 * HOUR);
    advice_ask(&advice);
    result = &advice.result;
    assert_int_equal(result->verdict, SPOT_VERDICT_NO);
    assert_int_equal(result->advised[0].verdict, SPOT_VERDICT_NO);
    assert_true(result->num_larger > 0);
    assert_int_equal(result->larger[result->num_larger - 1].verdict, SPOT_VERDICT_YES);
    assert_int_equal(result->num_break_evens, 0);
    for (size_t j = 0; j < result->num_larger; j++) {
        assert_true(result->larger[j].size > 6);
        assert_true(j == 0 || result->larger[j].size > result->larger[j - 1].size);
    }
    advice_free(&advice);

    ask_job(&advice, JOB, 1500, 24 * HOUR);
    advice_ask(&advice);
    advice.request.question.budget = 0.5 * advice.result.advised[0].figures.cost;
    advice_reset(&advice);
    advice_ask(&advice);
    assert_int_equal(result->verdict, SPOT_VERDICT_NO);
    for (size_t j = 0; j < result->num_larger; j++) {
        assert_int_not_equal(result->larger[j].verdict, SPOT_VERDICT_YES);
    }
    assert_true(result->advised[0].figures.p >= 0.9); /* the cheapest in time */
    for (size_t j = 1; j < result->num_advised; j++) {
        assert_true(result->advised[j].figures.p < 0.95 ||
                    result->advised[j].figures.cost_high >= result->advised[0].figures.cost_low);
    }
    advice_free(&advice);
}

static void write_trace(const char *name, const char *rows, char path[PATH_BYTES])
{
    char text[1024];

    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 60\n"
        "# kind: counts\n# capacity: 4\ntime_s,event,count,instances\n%s",
        rows);
    temporary_path(name, path);
    write_file(path, text);
}

/* Recordings weigh the same and the worst one is named; what they never had is said. */
static void test_traces(void **state)
{
    char calm[PATH_BYTES], rough[PATH_BYTES];
    const char *traces[] = {calm, rough};
    bool is_assumed = false;
    advice_t advice;

    (void) state;
    write_trace("calm.csv", "0,init,4,\n86400,end,4,\n", calm);
    write_trace("rough.csv",
        "0,init,2,\n7200,preempt,2,\n14400,add,4,\n18000,preempt,2,\n36000,end,2,\n", rough);
    ask_job(&advice, JOB, 3000, 24 * HOUR);
    advice.request.question.num_traces = 2;
    advice.request.question.traces = traces;
    advice.request.question.sure = 0.4;
    advice_ask(&advice);
    assert_non_null(advice.result.worst_trace);
    assert_string_equal(advice.result.worst_trace, rough);
    assert_true(advice.result.worst_p.value < advice.result.advised[0].figures.p);
    assert_true(advice.result.worst_p.low <= advice.result.worst_p.value);
    assert_true(advice.result.worst_p.high > advice.result.worst_p.value);
    assert_int_equal(advice.result.advised[0].figures.num_runs % 2, 0);
    for (size_t j = 0; j < advice.result.num_advised; j++) {
        const spot_advised_t *item = &advice.result.advised[j];

        if (strcmp(item->kind, "mixed") != 0) { /* which has fewer on spot */
            assert_int_equal(
                item->assumed != NULL, item->size > 4 && strcmp(item->kind, "spot") == 0);
        }
        is_assumed |= item->assumed != NULL;
    }
    assert_true(is_assumed);
    advice_free(&advice);
    assert_int_equal(unlink(calm), 0);
    assert_int_equal(unlink(rough), 0);
}

/* A job that runs: as it is, its trace is played; the others begin with what it has now,
 * what came lately still preparing. */
static void test_middle(void **state)
{
    char log[PATH_BYTES];
    const spot_advised_t *current;
    advice_t advice;

    (void) state;
    write_trace(
        "now.csv", "0,init,1,\n6960,add,2,\n7140,add,1,\n7200,preempt,1,\n7200,end,3,\n", log);
    ask_job(&advice, JOB, 1000, 24 * HOUR);
    advice.request.question.is_running = true;
    advice.request.question.now_path = log;
    advice.request.question.progress = 100;
    advice.request.question.elapsed_ms = 2 * HOUR;
    advice.request.question.running = 3;
    advice_ask(&advice);
    assert_string_equal(advice.result.goal_words, "to keep 900 steps within 22 h from now");
    current = spot_advice_current(&advice.result);
    assert_non_null(current);
    assert_non_null(strstr(current->point, "fleet.initial: 1, fleet.preparing: 0, "));
    assert_non_null(strstr(current->point, "so_far: {trace: "));
    assert_non_null(strstr(advice.result.study_text, "fleet.initial: 3, fleet.preparing: 1, "));
    assert_non_null(strstr(advice.result.study_text, "so_far: {elapsed: 2 h, "));
    assert_int_equal(advice.result.num_notes, 3);
    assert_non_null(strstr(advice.result.notes[0], "so far it has cost 2.15"));
    assert_non_null(strstr(advice.result.notes[1], "its trace so far leads to"));
    advice_free(&advice);
    assert_int_equal(unlink(log), 0);
}

/* A job that runs is told of as it is, also if it rests on sizes that were not measured,
 * for which others are left out; a cheaper one that is left out is named. */
static void test_middle_unmeasured(void **state)
{
    const spot_advice_result_t *result;
    char log[PATH_BYTES];
    advice_t advice;

    (void) state;
    write_trace("few.csv", "0,init,4,\n3600,preempt,2,\n5400,add,2,\n7200,end,4,\n", log);
    ask_job(&advice,
        "scenario: job\nhorizon: 1 h\n"
        "fleet: {capacity: 8, initial: 6, price: {spot: 1, on_demand: 3}}\n"
        "job: {pipeline_depth: 2, step_time: {6: 24 s, 8: 19 s},\n"
        "    checkpoint: {mode: sync, write: 60 s, every: 30 min}}\n"
        "recovery: checkpoint\ntrace: {generator: seed, preemption: {per_minute: 0.004, "
        "count: {fixed: 2}}, addition: {per_minute: 0.01, count: {fixed: 2}}}\n",
        1500, 24 * HOUR);
    advice.request.question.is_running = true;
    advice.request.question.now_path = log;
    advice.request.question.progress = 100;
    advice.request.question.elapsed_ms = 2 * HOUR;
    advice.request.question.running = 4;
    advice_ask(&advice);
    result = &advice.result;
    assert_non_null(spot_advice_current(result));
    assert_non_null(spot_advice_current(result)->beyond);
    assert_int_equal(result->verdict, SPOT_VERDICT_YES);
    assert_null(result->advised[0].beyond);
    assert_int_equal(result->num_passed_over, 1);
    assert_non_null(result->passed_over[0].beyond);
    assert_true(result->passed_over[0].figures.cost < result->advised[0].figures.cost);
    assert_true(isinf(result->regret));
    advice_free(&advice);
    assert_int_equal(unlink(log), 0);
}

/* A stop ends it, wherever it comes. */
static void stop_at_once(void *context, const spot_study_progress_t *progress)
{
    (void) progress;
    atomic_store((atomic_int *) context, 1);
}

static void test_interrupt(void **state)
{
    atomic_int stop = 1;
    spot_diag_t diag;
    advice_t advice;

    (void) state;
    for (int j = 0; j < 2; j++) {
        ask_job(&advice, JOB, 1500, 24 * HOUR);
        advice.request.stop = &stop;
        advice.request.progress = stop_at_once;
        advice.request.context = &stop;
        assert_int_equal(advice_try(&advice, &diag), SPOT_ERR_INTERRUPTED);
        assert_int_equal(diag.num_errors, 0);
        spot_diag_free(&diag);
        advice_free(&advice);
        atomic_store(&stop, 0);
    }
}

/* ---- Documents that are written and read ---- */

static const char *const scalars[] = {"a", "7", "\"7\"", "\"a: b\"", "\"\"", "-1.5", "\"# x\"",
    "\"a, b\"", "\"[\"", "\"yes\"", "null", "\"\\\"\"", "\"~\"", "\" a \"", "\"a\\nb\"",
    "\"\\u00e9\"", "\"- a\"", "\"{\"", "\"*a\"", "\"&a\"", "\"!a\"", "\"%\"", "\"a #b\"", "\"'\""};

/* Writes a random flow value. */
static void write_random(spot_rng_t *rng, int depth, FILE *out)
{
    const size_t kind = spot_rng_below(rng, depth == 0 ? 1 : 4);
    const int num = (int) spot_rng_below(rng, 4);

    if (kind < 2) {
        fputs(scalars[spot_rng_below(rng, sizeof(scalars) / sizeof(scalars[0]))], out);
        return;
    }
    fputc(kind == 2 ? '[' : '{', out);
    for (int j = 0; j < num; j++) {
        fputs(j == 0 ? "" : ", ", out);
        if (kind == 3) {
            fprintf(out, spot_rng_below(rng, 4) == 0 ? "\"k: %d\": " : "k%d: ", j);
        }
        write_random(rng, depth - 1, out);
    }
    fputc(kind == 2 ? ']' : '}', out);
}

static void assert_same_node(const spot_node_t *node, const spot_node_t *other)
{
    assert_int_equal(node->kind, other->kind);
    assert_int_equal(node->num_children, other->num_children);
    if (node->kind == SPOT_NODE_SCALAR) {
        assert_string_equal(node->text, other->text);
        assert_int_equal(node->is_quoted, other->is_quoted);
    }
    for (size_t j = 0; j < node->num_children; j++) {
        if (node->kind == SPOT_NODE_MAP) {
            assert_string_equal(node->keys[j]->text, other->keys[j]->text);
        }
        assert_same_node(node->children[j], other->children[j]);
    }
}

static void test_yaml_round_trip(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        char *text = NULL, *written = NULL;
        size_t num_bytes, num_written;
        spot_yaml_t document, again;
        spot_diag_t diag;
        spot_rng_t rng;
        FILE *out = open_memstream(&text, &num_bytes);

        assert_non_null(out);
        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        for (int j = 0; j < 4; j++) {
            fprintf(out, "key%d: ", j);
            write_random(&rng, 4, out);
            fputc('\n', out);
        }
        assert_int_equal(fclose(out), 0);
        out = open_memstream(&written, &num_written);
        assert_non_null(out);
        spot_diag_init(&diag);
        assert_int_equal(spot_yaml_parse(&document, "a", text, num_bytes, &diag), 0);
        spot_yaml_write_block(document.root, 0, out);
        assert_int_equal(fclose(out), 0);
        if (spot_yaml_parse(&again, "b", written, num_written, &diag) != 0) {
            spot_diag_print(&diag, stderr);
            fail_msg("%s\nis written as\n%s", text, written);
        }
        assert_same_node(document.root, again.root);
        spot_yaml_free(&document);
        spot_yaml_free(&again);
        spot_diag_free(&diag);
        free(text);
        free(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answer),
        cmocka_unit_test(test_few_runs),
        cmocka_unit_test(test_yes),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_no),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_middle),
        cmocka_unit_test(test_middle_unmeasured),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_yaml_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
