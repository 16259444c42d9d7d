/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the exact planner of the engine serve costs, in the same run as a plain Python
 * program with the same prunings (serve_plan.py), which must find a plan of the same
 * cost with as many late queries. 10,000 deltas of ../shared, if it is there, else drawn
 * ones and the shipped example. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/watch.h"
#include "base/yaml.h"
#include "sim/serve/planning.h"

#define FOLDER SPOT_SOURCE_DIR "/../shared/data/"
#define DELTAS FOLDER "serving/poisson_100qps.deltas.gz"
#define PROFILES FOLDER "profiles/serving/inferline_"
#define SAMPLE SPOT_SOURCE_DIR "/models/sample/serving/"
#define PLAN SPOT_SOURCE_DIR "/tests/bench/serve_plan.py"
#define PROBLEM "spotsim-bench-serve-plan.json"
#define NUM_ROUNDS 5

static const char shared_scenario[] =
    "scenario: bench\nengine: serve\n"
    "hardware: {V100: {on_demand: 3}, TPX: {on_demand: 2}, cpu: {on_demand: 1}}\n"
    "profiles: [" PROFILES "resnet.csv, " PROFILES "ksvm.csv, " PROFILES "inception.csv, " PROFILES
    "logreg.csv]\n"
    "pipeline: [{id: ResNet, from: source}, {id: KSVM, from: ResNet},\n"
    "           {id: Inception, from: source}, {id: LogReg, from: Inception},\n"
    "           {id: join, join: [KSVM, LogReg]}]\n"
    "arrivals: {deltas: {file: " DELTAS ", count: 10000, rescale_qps: 100}}\n"
    "slo: {latency: 200 ms}\nconfig: exact\n";

static const char sample_scenario[] =
    "scenario: bench\nengine: serve\n"
    "hardware: " SAMPLE "prices.csv\nprofiles: [" SAMPLE "profiles.csv]\n"
    "pipeline: [{id: detector, from: source}, {id: classifier, from: detector},\n"
    "           {id: captions, from: source},\n"
    "           {id: both, join: [classifier, captions]}]\n"
    "arrivals: {poisson: {rate_qps: 100, count: 10000}}\n"
    "slo: {latency: 100 ms}\nconfig: exact\n";

static void stop_on_error(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "bench: %s: %s\n", what, spot_error_text(error));
        exit(1);
    }
}

static void bind(spot_serve_scenario_t *scenario, spot_yaml_t *document, const char *text)
{
    spot_diag_t diag;
    int ret;

    memset(scenario, 0, sizeof(*scenario));
    spot_diag_init(&diag);
    ret = spot_yaml_parse(document, "bench", text, strlen(text), &diag);
    if (ret == 0) {
        ret = spot_serve_scenario_init(scenario, document->root, &diag);
    }
    spot_diag_print(&diag, stderr);
    spot_diag_free(&diag);
    stop_on_error(ret, "scenario");
}

/* The best CPU time of some searches within a cap; planned: what the last one found. */
static double best_s(spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned)
{
    double least_s = 1e300;

    for (int j = 0; j < NUM_ROUNDS; j++) {
        const double start_s = spot_clock_thread_s();
        double plan_s;

        spot_planned_free(planned);
        *planned = (spot_planned_t){0};
        planning->num_simulations = 0;
        stop_on_error(spot_plan_exact(planning, cap_micro, planned), "plan");
        plan_s = spot_clock_thread_s() - start_s;
        least_s = plan_s < least_s ? plan_s : least_s;
    }
    return least_s;
}

/* ---- The same problem for Python ---- */

/* The least replicas that keep up. */
static int64_t need(double rate_qps, double one_qps)
{
    int64_t replicas = (int64_t) ceil(rate_qps / one_qps);

    replicas = replicas < 1 ? 1 : replicas;
    while ((double) replicas * one_qps < rate_qps) {
        replicas++;
    }
    return replicas;
}

static void write_stage(spot_json_t *json, const spot_planning_t *planning, size_t stage_id)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    int64_t key = 0;

    spot_json_open(json, NULL, '[');
    for (int32_t k = 0; k < (int32_t) scenario->prices.num_prices; k++) {
        const spot_serving_profile_t *profile = spot_serve_scenario_profile(scenario, stage_id, k);

        for (size_t j = 0; profile != NULL && j < profile->num_rows; j++, key++) {
            const int64_t batch = profile->rows[j].batch;
            const spot_stage_option_t option =
                (spot_stage_option_t){.hardware_id = k, .batch = batch, .replicas = 1};

            spot_json_open(json, NULL, '{');
            spot_json_integer(json, "key", key);
            spot_json_integer(json, "cost", spot_serve_scenario_cost(scenario, &option));
            spot_json_integer(json, "batch", batch);
            spot_json_open(json, "busy_ns", '[');
            for (int64_t n = 0; n <= batch; n++) {
                spot_json_integer(
                    json, NULL, spot_serve_scenario_time(scenario, stage_id, k)->busy_ns[n]);
            }
            spot_json_close(json, ']');
            spot_json_integer(json, "least_replicas",
                need(planning->rate_qps, spot_gate_capacity(scenario, stage_id, &option)));
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, ']');
}

/* The stages of a branch from the source to a node. */
static void write_branch(spot_json_t *json, const spot_planning_t *planning, int32_t node_id)
{
    const spot_serve_pipeline_node_t *node = &planning->pipeline->nodes[node_id];

    if (node->parents[0] >= 0) {
        write_branch(json, planning, node->parents[0]);
    }
    write_stage(json, planning, (size_t) node->stage_id);
}

static void write_problem(const spot_planning_t *planning, int64_t cap_micro)
{
    const spot_serve_pipeline_node_t *join = &planning->pipeline->nodes[planning->sink];
    FILE *file = fopen(PROBLEM, "w");
    spot_json_t json;

    stop_on_error(file == NULL ? SPOT_ERR_IO : 0, PROBLEM);
    spot_json_init(&json, file, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_open(&json, "arrivals_ns", '[');
    for (size_t j = 0; j < planning->num_queries; j++) {
        spot_json_integer(&json, NULL, planning->source_ns[j]);
    }
    spot_json_close(&json, ']');
    spot_json_integer(&json, "slo_ns", planning->request->slo_ns);
    spot_json_integer(&json, "max_late", (int64_t) planning->limit.max_late);
    spot_json_integer(&json, "cap", cap_micro);
    spot_json_open(&json, "branches", '[');
    for (size_t j = 0; j < join->num_parents; j++) {
        spot_json_open(&json, NULL, '[');
        write_branch(&json, planning, join->parents[j]);
        spot_json_close(&json, ']');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fclose(file);
}

/* Runs the Python program and compares. Returns whether both agree. */
static bool compare(const spot_planned_t *exact, double exact_s, int64_t num_simulations)
{
    FILE *in = popen("python3 " PLAN " " PROBLEM, "r");
    long long cost = 0, num_python = 0;
    size_t num_late = 0;
    double python_s = 0;
    bool is_same;

    stop_on_error(in == NULL ? SPOT_ERR_IO : 0, "python3");
    is_same = fscanf(in, "%lld %zu %lld %lf", &cost, &num_late, &num_python, &python_s) == 4 &&
              cost == exact->plan.cost_micro && num_late == exact->plan.num_late;
    pclose(in);
    printf("search within the cost of greedy: %.2f ms, %lld stages; Python %.0f ms, %lld "
           "stages: %.0f times faster (at least 20)\n",
        1e3 * exact_s, (long long) num_simulations, 1e3 * python_s, num_python, python_s / exact_s);
    if (!is_same) {
        printf("Python finds another plan: cost %lld, %zu late\n", cost, num_late);
    }
    return is_same;
}

int main(void)
{
    const bool is_shared = access(DELTAS, R_OK) == 0;
    spot_planned_t greedy = {0}, exact = {0};
    spot_arrivals_t arrivals = {0};
    spot_serve_scenario_t scenario;
    spot_plan_request_t request;
    spot_planning_t planning;
    spot_yaml_t document;
    double exact_s;
    bool is_same;

    printf("arrivals %s\n", is_shared ? "of " DELTAS : "drawn");
    bind(&scenario, &document, is_shared ? shared_scenario : sample_scenario);
    stop_on_error(spot_arrivals_draw(&arrivals, &scenario.arrivals, 1, 0), "arrivals");
    request = (spot_plan_request_t){.scenario = &scenario,
        .arrivals = &arrivals,
        .slo_ns = scenario.slo.latency_ns,
        .max_cost = scenario.plan.max_cost,
        .replication = {.seed = 1}};
    exact_s = spot_clock_thread_s();
    stop_on_error(spot_serve_plan(&spot_planner_exact, &request, &exact), "exact");
    printf("exact: %.1f ms, %lld stages\n", 1e3 * (spot_clock_thread_s() - exact_s),
        (long long) exact.num_simulations);
    stop_on_error(spot_serve_plan(&spot_planner_greedy, &request, &greedy), "greedy");
    stop_on_error(spot_planning_init(&planning, &request), "planning");
    exact_s = best_s(&planning, greedy.plan.cost_micro, &exact);
    write_problem(&planning, greedy.plan.cost_micro);
    is_same = compare(&exact, exact_s, planning.num_simulations);
    remove(PROBLEM);
    spot_planning_free(&planning);
    spot_planned_free(&greedy);
    spot_planned_free(&exact);
    spot_arrivals_free(&arrivals);
    spot_serve_scenario_free(&scenario);
    spot_yaml_free(&document);
    return !is_same;
}
