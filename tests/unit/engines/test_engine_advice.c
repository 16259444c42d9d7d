/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice for a serving pipeline and for a cluster against brute force: each alternative
 * is run many times with another seed, and the answer is the cheapest one that keeps the
 * goal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inputs.h"
#include "sim/bench/advise/advise.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

enum { NUM_RUNS = 800, SEED = 77 };

static const char serve_job[] = "scenario: tiny\n"
                                "engine: serve\n"
                                "hardware: {gpu: {on_demand: 3, spot: 1}}\n"
                                "profiles:\n"
                                "  - model: Detect\n"
                                "    hardware: gpu\n"
                                "    batches: {1: {throughput_qps: 30, p99_ms: 40}}\n"
                                "pipeline: [{id: Detect, from: source}]\n"
                                "arrivals: {poisson: {rate_qps: 50, count: 200}}\n"
                                "slo: {latency: 800 ms, percentile: 95}\n"
                                "preemptions: {hazard: {mtbf: 40 s, recover: 5 s}}\n";

static const char cluster_job[] =
    "scenario: tiny\n"
    "engine: schedule\n"
    "jobs:\n"
    "  generate: {per_hour: 6, horizon: 4 h, sizes: {1: 1, 2: 1},\n"
    "             duration: {family: exponential, mu: 1800},\n"
    "             checkpoint: {every: 600 s, write: 60 s}}\n"
    "cluster: {vcs: {a: 2, b: 2}, gpus_per_node: 2, price: 20 USD/h}\n"
    "pools:\n"
    "  - trace: {generator: lifetimes, lifetime: {family: exponential, mu: 3600},\n"
    "            refill: {family: exponential, mu: 600}}\n"
    "    price: {spot: 7}\n"
    "policy: fifo\n";

/* ---- Brute force ---- */

static double value(const spot_outputs_t *outputs, const double *metrics, const char *name)
{
    const size_t id = spot_outputs_metric_id(outputs, name);

    assert_true(id < outputs->num_metrics);
    return metrics[id];
}

/* Whether a run keeps the goal, by the definition in the guides. */
static bool is_met(const spot_outputs_t *outputs, const double *metrics, int64_t finish_by_s)
{
    if (spot_outputs_metric_id(outputs, "late_fraction") < outputs->num_metrics) {
        return value(outputs, metrics, "late") <= 0.05 * value(outputs, metrics, "queries");
    }
    return value(outputs, metrics, "unfinished") == 0 &&
           value(outputs, metrics, "makespan") <= (double) finish_by_s;
}

static void run_point(
    const spot_study_t *study, size_t point_id, int64_t finish_by_s, double *p, double *cost)
{
    const spot_experiment_t *experiment = study->experiment;
    const spot_outputs_t *outputs = experiment->outputs(study->scenarios[point_id]);
    double *metrics = calloc(outputs->num_metrics, sizeof(*metrics));
    unsigned char warnings[SPOT_MAX_WARNINGS];
    const bool is_serve = strcmp(experiment->name, "serve") == 0;
    void *worker;

    assert_non_null(metrics);
    assert_int_equal(experiment->open(&worker, study->scenarios[point_id]), 0);
    *p = *cost = 0;
    for (uint64_t j = 0; j < NUM_RUNS; j++) {
        const spot_replication_t replication = {.seed = SEED, .replication = j};

        assert_int_equal(experiment->run(worker, &replication, metrics, warnings, NULL), 0);
        *p += is_met(outputs, metrics, finish_by_s) ? 1.0 / NUM_RUNS : 0;
        *cost += (is_serve ? value(outputs, metrics, "cost") / value(outputs, metrics, "hours")
                           : value(outputs, metrics, "cost_usd")) /
                 NUM_RUNS;
    }
    experiment->close(worker);
    free(metrics);
}

/* ---- Cases ---- */

static void assert_best(const char *job, const char *path, spot_advice_question_t question)
{
    const spot_advise_request_t request = {.engines = spot_engines,
        .path = path,
        .question = question,
        .max_replications = 20000,
        .seed = 1,
        .num_threads = 2};
    FILE *file = fopen(path, "w");
    spot_advice_result_t result;
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;
    double least = (double) INFINITY;
    int ret;

    assert_non_null(file);
    assert_true(fputs(job, file) >= 0);
    assert_int_equal(fclose(file), 0);
    spot_diag_init(&diag);
    ret = spot_advise(&request, &result, &study, &store, &diag);
    if (ret != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", path);
    }
    assert_int_equal(result.verdict, SPOT_VERDICT_YES);
    assert_true(result.num_points >= 8);
    for (size_t j = 0; j < study.head.num_points; j++) {
        double p, cost;

        run_point(&study, j, question.finish_by_ms / 1000, &p, &cost);
        /* whatever chance says of one that only just keeps the goal */
        if (p >= question.sure + 0.01) {
            least = fmin(least, cost);
        }
    }
    assert_true(isfinite(least));
    assert_true(result.advised[0].figures.p >= question.sure - 0.01);
    assert_true(result.advised[0].figures.cost_low <= 1.01 * least);
    if (store != NULL) {
        store->close(store);
    }
    spot_study_free(&study);
    spot_advice_result_free(&result);
    spot_diag_free(&diag);
    remove(path);
}

static void test_serve_is_cheapest(void **state)
{
    (void) state;
    assert_best(serve_job, "advice_serve.yaml",
        (spot_advice_question_t){.sure = 0.8, .budget = (double) INFINITY});
}

static void test_cluster_is_cheapest(void **state)
{
    (void) state;
    assert_best(cluster_job, "advice_cluster.yaml",
        (spot_advice_question_t){
            .sure = 0.85, .budget = (double) INFINITY, .finish_by_ms = 6 * 3600000});
}

/* ---- Numbers of a doubt ---- */

static void assert_scaled(const char *document, const char *numbers, const char *expected)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_yaml_t yaml;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_non_null(out);
    assert_int_equal(spot_yaml_parse(&yaml, "job.yaml", document, strlen(document), &diag), 0);
    assert_int_equal(spot_advice_scale(yaml.root, numbers, 2, out), expected[0] != '\0');
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    spot_yaml_free(&yaml);
    spot_diag_free(&diag);
}

static void test_numbers(void **state)
{
    (void) state;
    assert_scaled("a: {b: 5 min, c: 7}", "/a.b a.c a.d", "'a.b': 2.5 min, 'a.c': 14");
    assert_scaled("a: [{p: 7 USD/h}]", "a[0].p", "'a[0].p': 14 USD/h");
    assert_scaled("a: {b: {c: 1}}", "a.b a.c", "");
    assert_scaled("a: info.csv", "a.frequency", "");
    assert_scaled("a: {generator: seed}", "a.frequency", "'a.frequency': 2");
}

/* ---- Recordings ---- */

#define TRACE(rows)                                                                                \
    "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 60\n# kind: counts\n"        \
    "# capacity: 8\ntime_s,event,count,instances\n0,init,4,\n" rows

static const char train_job[] =
    "scenario: tiny\n"
    "horizon: 1 h\n"
    "fleet: {capacity: 4, initial: 4}\n"
    "job: {pipeline_depth: 2, step_time: {2: 20 s, 4: 12 s}}\n"
    "trace: {generator: seed, preemption: {per_minute: 0.1, count: {fixed: 1}},\n"
    "  addition: {per_minute: 0.1, count: {fixed: 1}}}\n";

/* The urgent doubts of an engine about files that are in memory only. */
static void assert_urgent(
    const char *job, const spot_advice_question_t *question, const char *expected)
{
    static const char calm[] = TRACE("3600,add,2,\n86400,end,6,\n");
    static const char rough[] = TRACE("3600,preempt,2,\n86400,end,2,\n");
    spot_memory_files_t files = {0};
    const spot_experiment_t *experiment = NULL;
    spot_alternatives_t all = {.error = 0};
    spot_yaml_t document;
    void *scenario = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    diag.memory = &files;
    assert_int_equal(spot_memory_files_add(&files, "calm.csv", calm, strlen(calm)), 0);
    assert_int_equal(spot_memory_files_add(&files, "calm-2.csv", calm, strlen(calm)), 0);
    assert_int_equal(spot_memory_files_add(&files, "rough.csv", rough, strlen(rough)), 0);
    assert_int_equal(spot_yaml_parse(&document, "job.yaml", job, strlen(job), &diag), 0);
    assert_int_equal(spot_experiment_choose(&experiment, spot_engines, document.root, &diag), 0);
    assert_int_equal(experiment->advice->pose(question, &document, &diag), 0);
    assert_int_equal(experiment->bind(&scenario, document.root, NULL, &diag), 0);
    assert_int_equal(
        experiment->advice->propose(question, scenario, document.root, &all, &diag), 0);
    assert_int_equal(all.num_urgent, *expected == '\0' ? 0 : 1);
    if (*expected != '\0') {
        assert_string_equal(all.urgent[0], expected);
    }
    spot_alternatives_free(&all);
    experiment->free(scenario);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    spot_memory_files_free(&files);
}

static void test_lossless(void **state)
{
    static const char *const traces[] = {"calm.csv", "calm-2.csv", "rough.csv"};
    static const char *const jobs[] = {train_job, serve_job, cluster_job};

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        spot_advice_question_t question = {
            .sure = 0.9, .budget = (double) INFINITY, .traces = traces, .num_traces = 1};

        question.num_steps = j == 0 ? 100 : 0;
        question.finish_by_ms = j == 1 ? 0 : 6 * 3600000;
        assert_urgent(jobs[j], &question, "in this recording nothing was ever lost");
        question.num_traces = 2;
        assert_urgent(jobs[j], &question, "in these recordings nothing was ever lost");
        question.num_traces = 3;
        assert_urgent(jobs[j], &question, "in 2 of the 3 recordings nothing was ever lost");
        question.traces = &traces[2];
        question.num_traces = 1;
        assert_urgent(jobs[j], &question, "");
        question.num_traces = 0; /* its own law */
        assert_urgent(jobs[j], &question, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lossless),
        cmocka_unit_test(test_serve_is_cheapest),
        cmocka_unit_test(test_cluster_is_cheapest),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
