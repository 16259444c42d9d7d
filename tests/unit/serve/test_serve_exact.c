/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact planner against plain enumeration on random small spaces, and what planners
 * simulate against runs of all events. Service times and arrivals are multiples of a few
 * milliseconds, so that ties are the normal case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "all_plans.h"
#include "base/rng.h"
#include "plan_case.h"
#include "sim/serve/planning.h"

#define NUM_SPACES (3000 / SPOT_FEWER)

typedef struct {
    const char *name;
    int num_stages; /* A, B, ... */
    const char *pipeline;
} shape_t;

static const shape_t shapes[] = {
    {"one", 1, "{id: A, from: source}"},
    {"chain", 3, "{id: A, from: source}, {id: B, from: A}, {id: C, from: B}"},
    {"branches", 3,
        "{id: A, from: source}, {id: B, from: source}, {id: C, from: B}, "
        "{id: J, join: [A, C]}"},
    {"diamond", 3,
        "{id: A, from: source}, {id: B, from: A}, {id: C, from: A}, "
        "{id: J, join: [B, C]}"},
    {"deep", 4,
        "{id: A, from: source}, {id: B, from: A}, {id: C, from: B}, {id: D, from: B}, "
        "{id: J, join: [C, D]}"},
    {"behind", 3,
        "{id: A, from: source}, {id: B, from: source}, {id: J, join: [A, B]}, "
        "{id: C, from: J}"},
    {"three", 3,
        "{id: A, from: source}, {id: B, from: source}, {id: C, from: source}, "
        "{id: J, join: [A, B, C]}"},
    {"nested", 4,
        "{id: A, from: source}, {id: B, from: source}, {id: J, join: [A, B]}, "
        "{id: C, from: J}, {id: D, from: source}, {id: K, join: [C, D]}"},
    {"joins", 3,
        "{id: A, from: source}, {id: B, from: source}, {id: J, join: [A, B]}, "
        "{id: C, from: A}, {id: K, join: [J, C]}"},
    {"early", 2, "{id: A, from: source}, {id: B, from: A}, {id: J, join: [source, A, B]}"},
    {"backwards", 3,
        "{id: J, join: [C, B]}, {id: C, from: A}, {id: B, from: source}, "
        "{id: A, from: source}"},
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static int draw(spot_rng_t *rng, int low, int high)
{
    return low + (int) spot_rng_below(rng, (uint64_t) (high - low + 1));
}

/* Profiles of all stages on one or two hardware. */
static void write_profiles(spot_rng_t *rng, int num_stages, FILE *out)
{
    fputs("model,hardware,batch,p99_ms,throughput_qps\n", out);
    for (int j = 0; j < num_stages; j++) {
        const int which = draw(rng, 1, 3); /* bit set of hardware */

        for (int k = 0; k < 2; k++) {
            const int num_rows = draw(rng, 1, 3);
            int batch = 1;

            for (int row = 0; row < num_rows && (which >> k & 1) != 0; row++) {
                const int ms = 5 * draw(rng, 1, 6);

                fprintf(out, "%c,%s,%d,%d,%.17g\n", 'A' + j, k == 0 ? "fast" : "slow", batch,
                    ms + 5 * draw(rng, 0, 3), batch * 1000.0 / ms);
                batch += draw(rng, 1, 2);
            }
        }
    }
}

/* Outages of the first slots. */
static void write_outages(spot_rng_t *rng, int num_stages, FILE *out)
{
    fputs("node,slot,preempted_ns,ready_ns\n", out);
    for (int j = 0; j < num_stages; j++) {
        for (int slot = 0; slot < 2; slot++) {
            int ms = 5 * draw(rng, 1, 10);

            for (int k = draw(rng, 0, 2); k > 0; k--) {
                const int ready_ms = ms + 5 * draw(rng, 1, 6);

                fprintf(out, "%c,%d,%d000000,%d000000\n", 'A' + j, slot, ms, ready_ms);
                ms = ready_ms + 5 * draw(rng, 0, 6);
            }
        }
    }
}

/* Markets, delays and outages of some stages. */
static void write_config(
    spot_rng_t *rng, const shape_t *shape, const char *profiles, const char *outages, FILE *out)
{
    const bool has_outages = outages[0] != '\0';
    static const char *const in_flight[] = {"requeue_head", "requeue_tail", "lose"};

    fputs("config:\n", out);
    for (int j = 0; j < shape->num_stages; j++) {
        char key[20];
        const int market = has_outages ? draw(rng, 0, 2) : 0;

        snprintf(key, sizeof(key), "\n%c,fast", 'A' + j);
        fprintf(out, "  %c: {hardware: %s, batch: 1, replicas: 2", 'A' + j,
            strstr(profiles, key) != NULL ? "fast" : "slow");
        if (draw(rng, 0, 3) == 0) {
            fprintf(out, ", delay: %d ms, release_when_full: %s", 5 * draw(rng, 1, 3),
                draw(rng, 0, 1) == 0 ? "true" : "false");
        }
        if (market == 1) {
            fputs(", market: spot", out);
        } else if (market == 2) {
            fprintf(out, ", market: hedge, hedge: {base: %d, overprovision: %d, fallback: %s}",
                draw(rng, 0, 1), draw(rng, 0, 1), draw(rng, 0, 1) == 0 ? "none" : "to_target");
        }
        fputs("}\n", out);
    }
    if (has_outages) {
        fprintf(out,
            "preemptions: {outages: %s, drain: stop, notice: %d ms, preparation: 10 ms, "
            "in_flight: %s}\n",
            outages, 5 * draw(rng, 0, 2), in_flight[draw(rng, 0, 8) % 4 % 3]);
    }
}

/* A random space. */
static void open_space(plan_case_t *self, uint64_t space, const shape_t **shape)
{
    spot_rng_t rng;
    char *profiles, *document, path[280], outages[280] = "";
    size_t num_bytes;
    FILE *out = open_memstream(&profiles, &num_bytes);
    int num_deltas;
    bool is_slow; /* by outages or delays */

    spot_rng_seek(&rng, 7, space, SPOT_STREAM_TYPE, 0);
    *shape = &shapes[space % NUM_SHAPES];
    num_deltas = draw(&rng, 3, (*shape)->num_stages > 3 ? 8 : 14);
    if (draw(&rng, 0, 9) == 0) {
        char *rows;
        FILE *list = open_memstream(&rows, &num_bytes);

        assert_non_null(list);
        write_outages(&rng, (*shape)->num_stages, list);
        assert_int_equal(fclose(list), 0);
        plan_case_file(rows, outages);
        free(rows);
    }
    assert_non_null(out);
    write_profiles(&rng, (*shape)->num_stages, out);
    assert_int_equal(fclose(out), 0);
    plan_case_file(profiles, path);
    out = open_memstream(&document, &num_bytes);
    assert_non_null(out);
    fprintf(out,
        "scenario: case\nengine: serve\nhardware: {fast: {on_demand: %d, spot: 1}, "
        "slow: {on_demand: %d, "
        "spot: 0.5}}\nprofiles: [%s]\nservice: %s\npipeline: [%s]\n",
        draw(&rng, 2, 3), draw(&rng, 1, 2), path,
        outages[0] == '\0' && draw(&rng, 0, 3) == 0 ? "pipelined" : "throughput",
        (*shape)->pipeline);
    is_slow = outages[0] != '\0' || draw(&rng, 0, 5) == 0;
    fputs("arrivals: {deltas_ms: [1", out);
    for (int j = 1; j < num_deltas; j++) {
        fprintf(out, ", %d", draw(&rng, 0, 2) == 0 ? 0 : 5 * draw(&rng, 0, 6));
    }
    fprintf(out, "]}\nslo: {latency: %d ms, percentile: %d}\n",
        5 * draw(&rng, (*shape)->num_stages * 3, (*shape)->num_stages * 12),
        draw(&rng, 0, 1) == 0 ? 100 : 70);
    fprintf(out, "plan: {max_cost: %d, with_preemptions: %s}\n",
        draw(&rng, 1, 3) * (*shape)->num_stages + 2, outages[0] != '\0' ? "true" : "false");
    if (is_slow) {
        write_config(&rng, *shape, profiles, outages, out);
    }
    assert_int_equal(fclose(out), 0);
    plan_case_open(self, document);
    unlink(path);
    if (outages[0] != '\0') {
        unlink(outages);
    }
    free(profiles);
    free(document);
}

static void check_same(const plan_case_t *self, uint64_t space, const char *name,
    const spot_planned_t *exact, const spot_planned_t *brute)
{
    char *first = plan_case_text(self, &exact->plan);
    char *second = plan_case_text(self, &brute->plan);

    if (strcmp(first, second) != 0 ||
        (exact->plan.options != NULL &&
            (exact->plan.cost_micro != brute->plan.cost_micro ||
                exact->plan.num_late != brute->plan.num_late ||
                exact->plan.percentile_ns != brute->plan.percentile_ns))) {
        fail_msg("space %d (%s): exact %s, late %d; brute %s, late %d", (int) space, name, first,
            (int) exact->plan.num_late, second, (int) brute->plan.num_late);
    }
    free(first);
    free(second);
}

/* What the exact planner means, of a space of up to 2,000 configurations. */
static int plan_by_all(const plan_case_t *self, spot_planned_t *planned)
{
    spot_planning_t planning;
    int64_t cap_micro;
    int ret;

    assert_int_equal(spot_planning_init(&planning, &self->request), 0);
    ret = spot_plan_cap(&planning, planned, &cap_micro);
    if (ret == 0 && cap_micro < INT64_MAX) {
        ret = all_plans(&planning, cap_micro, 0, 2000, planned);
    }
    spot_planning_free(&planning);
    return ret;
}

static void test_exact_is_brute(void **state)
{
    size_t num_plans[NUM_SHAPES] = {0};
    size_t num_refused = 0;

    (void) state;
    for (uint64_t space = 0; space < NUM_SPACES; space++) {
        spot_planned_t exact, brute = {0};
        const shape_t *shape;
        plan_case_t self;
        int ret;

        open_space(&self, space, &shape);
        ret = plan_by_all(&self, &brute);
        if (ret == SPOT_ERR_BAD_PARAM) {
            num_refused++;
        } else {
            assert_int_equal(ret, 0);
            plan_case_plan(&self, &spot_planner_exact, &exact);
            check_same(&self, space, shape->name, &exact, &brute);
            num_plans[space % NUM_SHAPES] += exact.plan.options != NULL;
            spot_planned_free(&exact);
        }
        spot_planned_free(&brute);
        plan_case_close(&self);
    }
    for (size_t j = 0; j < NUM_SHAPES; j++) {
        print_message("%s: %d plans\n", shapes[j].name, (int) num_plans[j]);
        assert_true(num_plans[j] > NUM_SPACES / NUM_SHAPES / 10);
    }
    print_message("%d spaces were too large\n", (int) num_refused);
    assert_true(num_refused < NUM_SPACES / 10);
}

/* Plans up to a cost that no heuristic has lowered, as for the highest rate. */
static void check_cap(
    const plan_case_t *self, uint64_t space, const char *name, int64_t cap_micro, int64_t limit)
{
    spot_planned_t exact = {0}, brute = {0};
    spot_planning_t planning;
    int ret;

    assert_int_equal(spot_planning_init(&planning, &self->request), 0);
    assert_int_equal(spot_plan_exact(&planning, cap_micro, &exact), 0);
    ret = all_plans(&planning, cap_micro, 0, limit, &brute);
    if (ret == SPOT_ERR_BAD_PARAM) {
        assert_true(limit < 10000);
    } else {
        assert_int_equal(ret, 0);
        check_same(self, space, name, &exact, &brute);
    }
    spot_planned_free(&exact);
    spot_planned_free(&brute);
    spot_planning_free(&planning);
}

static void test_exact_up_to_cap(void **state)
{
    (void) state;
    for (uint64_t space = 0; space < NUM_SPACES; space++) {
        const shape_t *shape;
        plan_case_t self;

        open_space(&self, space, &shape);
        check_cap(
            &self, space, shape->name, (int64_t) (self.request.max_cost * 1e6) + 3000000, 5000);
        plan_case_close(&self);
    }
}

/* Under the cheap A only the dear C is in time, and it is searched first. Under the dear
 * A the cheap C is, and that is least. */
static void test_shared_stages(void **state)
{
    static const char *const profiles =
        "model,hardware,batch,p99_ms,throughput_qps\n"
        "A,slow,1,40,25\nA,fast,1,10,100\nB,dearest,1,10,100\n"
        "C,slow,1,30,33.333333333333336\nC,dear,1,5,200\nD,slow,1,5,200\n";
    char document[1000], path[280];
    plan_case_t self;

    (void) state;
    plan_case_file(profiles, path);
    snprintf(document, sizeof(document),
        "scenario: case\nengine: serve\n"
        "hardware: {dearest: {on_demand: 12}, dear: {on_demand: 10}, fast: {on_demand: "
        "2}, slow: {on_demand: 1}}\n"
        "profiles: [%s]\n"
        "pipeline: [{id: A, from: source}, {id: B, from: A}, {id: C, from: B}, "
        "{id: D, from: B}, {id: J, join: [C, D]}]\n"
        "arrivals: {deltas_ms: [100, 100]}\nslo: {latency: 60 ms}\n",
        path);
    plan_case_open(&self, document);
    unlink(path);
    check_cap(&self, 0, "shared", 27000000, 200000);
    plan_case_close(&self);
}

/* A configuration that a planner could try. */
static void draw_options(
    spot_rng_t *rng, const spot_planning_t *planning, spot_stage_option_t *options)
{
    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const spot_serving_profile_t *profile;
        int32_t hardware_id;

        do {
            hardware_id = draw(rng, 0, 1);
            profile = spot_planning_profile(planning, j, hardware_id);
        } while (profile == NULL);
        options[j] = spot_planning_option(planning, j, hardware_id,
            profile->rows[draw(rng, 0, (int) profile->num_rows - 1)].batch, draw(rng, 1, 3));
    }
}

/* Of each query; candidates that differ from the one before in some stages only. */
static void test_recurrence_is_engine(void **state)
{
    (void) state;
    for (uint64_t space = 0; space < NUM_SPACES; space++) {
        spot_stage_option_t options[SPOT_SERVE_MAX_NODES];
        spot_planning_t planning;
        const shape_t *shape;
        plan_case_t self;
        spot_rng_t rng;

        open_space(&self, space, &shape);
        spot_rng_seek(&rng, 8, space, SPOT_STREAM_TYPE, 0);
        assert_int_equal(spot_planning_init(&planning, &self.request), 0);
        draw_options(&rng, &planning, options);
        for (int j = 0; j < 6; j++) {
            spot_stage_option_t others[SPOT_SERVE_MAX_NODES];
            const size_t stage_id = (size_t) draw(&rng, 0, shape->num_stages - 1);
            spot_serving_plan_t flow = {0}, run = {0};

            draw_options(&rng, &planning, others);
            options[stage_id] = others[stage_id];
            assert_int_equal(spot_planning_evaluate(&planning, options, true, &flow), 0);
            if (planning.needs_runs) {
                break;
            }
            planning.needs_runs = true;
            assert_int_equal(spot_planning_evaluate(&planning, options, true, &run), 0);
            planning.needs_runs = false;
            for (size_t k = 0; k < planning.num_queries; k++) {
                const int64_t sink_ns = planning.engine.sink_ns[k];

                assert_int_equal(planning.times_ns[k], sink_ns < 0 ? -1 : sink_ns);
            }
            if (flow.percentile_ns != run.percentile_ns || flow.num_late != run.num_late ||
                flow.gate != run.gate || flow.cost_micro != run.cost_micro) {
                fail_msg("space %d (%s)", (int) space, shape->name);
            }
        }
        spot_planning_free(&planning);
        plan_case_close(&self);
    }
}

static void test_exact_cost_falls(void **state)
{
    (void) state;
    for (uint64_t space = 0; space < NUM_SPACES / 10; space++) {
        int64_t least_micro = INT64_MAX;
        const shape_t *shape;
        plan_case_t self;

        open_space(&self, space, &shape);
        for (int j = 0; j < 8 && self.scenario.num_configs == 0; j++) {
            spot_planned_t planned;

            plan_case_plan(&self, &spot_planner_exact, &planned);
            assert_true(planned.plan.options != NULL || least_micro == INT64_MAX);
            if (planned.plan.options != NULL) {
                assert_true(planned.plan.cost_micro <= least_micro);
                least_micro = planned.plan.cost_micro;
            }
            spot_planned_free(&planned);
            self.request.slo_ns += 10000000;
        }
        plan_case_close(&self);
    }
}

/* A hedge may have no spot slot in config, and some where a planner adds replicas. */
static void test_hedge_of_its_base(void **state)
{
    spot_stage_option_t option;
    spot_planning_t planning;
    plan_case_t self;

    (void) state;
    plan_case_open(&self, "scenario: case\nengine: serve\n"
                          "hardware: {gpu: {on_demand: 3, spot: 1}}\n"
                          "profiles: [{model: A, hardware: gpu, batches: "
                          "{1: {throughput_qps: 10, p99_ms: 100}}}]\n"
                          "pipeline: [{id: A, from: source}]\n"
                          "arrivals: {deltas_ms: [50, 50]}\nslo: {latency: 1 s}\n"
                          "config: {A: {hardware: gpu, batch: 1, replicas: 1, market: hedge, "
                          "hedge: {base: 1}}}\n"
                          "preemptions: {hazard: {mtbf: 1 h, recover: 1 min}}\n"
                          "plan: {with_preemptions: true}\n");
    assert_int_equal(spot_planning_init(&planning, &self.request), 0);
    option = spot_planning_option(&planning, 0, 0, 1, 3);
    assert_int_equal(spot_serve_scenario_total(planning.scenario, &option), 5000000);
    spot_planning_free(&planning);
    plan_case_close(&self);
}

/* What cannot be planned, and a stop. */
static void test_no_plan(void **state)
{
    static const char *const profiles =
        "model,hardware,batch,p99_ms,throughput_qps\nA,cpu,1,100,10\n";
    atomic_int stop = 0;
    char document[1000], path[280];
    spot_planned_t planned;
    plan_case_t self;

    (void) state;
    plan_case_file(profiles, path);
    snprintf(document, sizeof(document),
        "scenario: case\nengine: serve\nhardware: {cpu: {on_demand: 1}}\n"
        "profiles: [%s]\npipeline: [{id: A, from: source}]\n"
        "arrivals: {deltas_ms: [0, 0, 300]}\nslo: {latency: 99 ms}\n",
        path);
    plan_case_open(&self, document);
    unlink(path);
    plan_case_plan(&self, &spot_planner_exact, &planned);
    assert_null(planned.plan.options);
    assert_int_equal(planned.plan.gate, SPOT_GATE_LATENCY);
    assert_string_equal(planned.why_none, "no plan found");
    spot_planned_free(&planned);
    self.request.slo_ns = 100000000;
    self.request.max_cost = 2; /* three queries at once need three replicas */
    plan_case_plan(&self, &spot_planner_exact, &planned);
    assert_null(planned.plan.options);
    assert_string_equal(planned.why_none, "no configuration within plan.max_cost");
    spot_planned_free(&planned);
    self.request.max_cost = 4;
    plan_case_plan(&self, &spot_planner_exact, &planned);
    assert_int_equal(planned.plan.cost_micro, 3000000);
    assert_null(planned.why_none);
    spot_planned_free(&planned);
    self.request.replication.stop = &stop;
    stop = 1;
    for (size_t j = 0; spot_serve_planners[j] != NULL; j++) {
        planned = (spot_planned_t){0};
        assert_int_equal(
            spot_serve_plan(spot_serve_planners[j], &self.request, &planned), SPOT_ERR_INTERRUPTED);
        spot_planned_free(&planned);
    }
    self.arrivals.rate_qps = (double) NAN;
    planned = (spot_planned_t){0};
    assert_int_equal(
        spot_serve_plan(&spot_planner_exact, &self.request, &planned), SPOT_ERR_BAD_PARAM);
    spot_planned_free(&planned);
    plan_case_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_is_brute),
        cmocka_unit_test(test_exact_up_to_cap),
        cmocka_unit_test(test_shared_stages),
        cmocka_unit_test(test_recurrence_is_engine),
        cmocka_unit_test(test_exact_cost_falls),
        cmocka_unit_test(test_hedge_of_its_base),
        cmocka_unit_test(test_no_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
