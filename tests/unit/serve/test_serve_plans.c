/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planners against results of independent implementations of their rules, on profiles
 * and arrivals that are not part of the repository. Skipped where they are absent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan_case.h"
#include "tests/unit/base/json_tree.h"
#include "tests/unit/base/shared_data.h"

#define SHARED SHARED_DATA
#define EXPECTED SHARED "serving/plans.expected.json"

static void open_case(plan_case_t *self, int count, double rescale_qps, double slo_ms)
{
    char document[4000], rescale[60] = "";

    need_data(EXPECTED);
    if (rescale_qps > 0) {
        snprintf(rescale, sizeof(rescale), ", rescale_qps: %.17g", rescale_qps);
    }
    snprintf(document, sizeof(document),
        "scenario: case\nengine: serve\n"
        "hardware: {V100: {on_demand: 3}, TPX: {on_demand: 2}, cpu: {on_demand: 1}}\n"
        "profiles: [%s/inferline_resnet.csv, %s/inferline_inception.csv, "
        "%s/inferline_ksvm.csv, %s/inferline_logreg.csv]\n"
        "pipeline:\n"
        "  - {id: ResNet, from: source}\n"
        "  - {id: KSVM, from: ResNet}\n"
        "  - {id: Inception, from: source}\n"
        "  - {id: LogReg, from: Inception}\n"
        "  - {id: join, join: [KSVM, LogReg]}\n"
        "arrivals: {deltas: {file: %sserving/poisson_100qps.deltas.gz, count: %d%s}}\n"
        "slo: {latency: %.17g ms}\n",
        SHARED "profiles/serving", SHARED "profiles/serving", SHARED "profiles/serving",
        SHARED "profiles/serving", SHARED, count, rescale, slo_ms);
    plan_case_open(self, document);
}

/* ---- Expected results ---- */

static json_t *item(json_t *object, const char *key)
{
    json_t *found = spot_json_member(object, key);

    if (found == NULL) {
        fail_msg("no key '%s'", key);
    }
    return found;
}

static double number(json_t *object, const char *key)
{
    return json_number(item(object, key));
}

/* A configuration as plan_case_text() writes it. */
static void write_config(json_t *config, char *text, size_t num_bytes)
{
    size_t length = 0;

    for (json_t *stage = config->first; stage != NULL; stage = stage->next) {
        length += (size_t) snprintf(text + length, num_bytes - length, "%s%s=%s/%.0fx%.0f",
            length == 0 ? "" : " ", stage->key, item(stage, "hardware")->text,
            number(stage, "batch"), number(stage, "replicas"));
    }
}

static void check_config(const plan_case_t *self, const spot_serving_plan_t *plan, json_t *expected)
{
    char config[400];
    char *text = plan_case_text(self, plan);

    write_config(item(expected, "config"), config, sizeof(config));
    assert_string_equal(text, config);
    free(text);
    assert_int_equal(plan->cost_micro, (int64_t) (number(expected, "cost") * 1e6));
}

static void check_plan(const plan_case_t *self, const spot_serving_plan_t *plan, json_t *expected)
{
    check_config(self, plan, expected);
    assert_int_equal(plan->gate, SPOT_GATE_FEASIBLE);
    assert_int_equal(plan->percentile_ns, (int64_t) number(expected, "percentile_ns"));
    assert_int_equal(plan->num_late, (size_t) number(expected, "late"));
}

static void check_moves(const plan_case_t *self, const spot_planned_t *planned, json_t *expected)
{
    json_t *moves = item(expected, "moves");

    assert_int_equal(planned->num_moves, json_size(moves));
    for (size_t j = 0; j < planned->num_moves; j++) {
        const spot_plan_move_t *move = &planned->moves[j];
        json_t *like = json_item(moves, (int) j);
        json_t *to = spot_json_member(like, "to");

        assert_string_equal(move->move, item(like, "move")->text);
        assert_int_equal(move->cost_micro, (int64_t) (number(like, "cost") * 1e6));
        if (move->stage_id >= 0) {
            assert_string_equal(
                spot_serve_pipeline_stage_node(&self->scenario.pipeline, (size_t) move->stage_id)
                    ->id,
                item(like, "node")->text);
        }
        if (to != NULL) {
            assert_string_equal(self->scenario.prices.prices[move->to.hardware_id].name,
                item(to, "hardware")->text);
            assert_int_equal(move->to.batch, (int64_t) number(to, "batch"));
            assert_int_equal(move->to.replicas, (int64_t) number(to, "replicas"));
        } else {
            assert_int_equal((int64_t) move->rate_qps, (int64_t) number(like, "rate_qps"));
            assert_int_equal(
                move->next_percentile_ns, (int64_t) number(like, "percentile_at_next_rate_ns"));
        }
    }
}

/* ---- Cases ---- */

static void check_min_cost(const plan_case_t *self, json_t *expected)
{
    json_t *infeasible = spot_json_member(expected, "infeasible");
    json_t *greedy, *polish;
    spot_planned_t planned;

    if (infeasible != NULL) {
        for (size_t j = 0; spot_serve_planners[j] != NULL; j++) {
            plan_case_plan(self, spot_serve_planners[j], &planned);
            assert_null(planned.plan.options);
            assert_string_equal(spot_gate_names[planned.plan.gate], infeasible->text);
            spot_planned_free(&planned);
        }
        return;
    }
    greedy = item(expected, "greedy");
    plan_case_plan(self, &spot_planner_greedy, &planned);
    check_plan(self, &planned.plan, greedy);
    check_config(self, &planned.initial, item(greedy, "initial"));
    assert_int_equal(
        planned.replicas_added, (int32_t) number(item(greedy, "initial"), "replicas_added"));
    check_moves(self, &planned, greedy);
    spot_planned_free(&planned);
    polish = item(expected, "polish");
    plan_case_plan(self, &spot_planner_polish, &planned);
    check_plan(self, &planned.plan, polish);
    assert_int_equal(planned.num_moves, (size_t) number(polish, "moves"));
    spot_planned_free(&planned);
    plan_case_plan(self, &spot_planner_exact, &planned);
    check_plan(self, &planned.plan, item(expected, "exact"));
    assert_true(planned.is_proven);
    spot_planned_free(&planned);
}

static void check_max_rate(plan_case_t *self, json_t *expected)
{
    json_t *greedy = item(expected, "greedy"), *exact = item(expected, "exact");
    spot_planned_t planned = {0};
    double rate_qps;

    self->request.budget = number(expected, "budget");
    assert_int_equal(spot_serve_rate(&spot_planner_greedy, &self->request, &planned), 0);
    assert_int_equal((int64_t) planned.plan.rate_qps, (int64_t) number(greedy, "rate_qps"));
    check_config(self, &planned.plan, greedy);
    check_moves(self, &planned, greedy);
    assert_int_equal(spot_serve_highest_rate(&self->request, planned.plan.options, &rate_qps), 0);
    assert_int_equal((int64_t) rate_qps, (int64_t) number(greedy, "rate_qps"));
    spot_planned_free(&planned);
    assert_int_equal(spot_serve_rate(&spot_planner_exact, &self->request, &planned), 0);
    assert_int_equal((int64_t) planned.plan.rate_qps, (int64_t) number(exact, "rate_qps"));
    check_plan(self, &planned.plan, exact);
    spot_planned_free(&planned);
}

static void test_expected(void **state)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *in = fopen(EXPECTED, "r");
    json_t *document;

    (void) state;
    if (in == NULL) {
        skip_without_data();
    }
    assert_true(getdelim(&text, &num_bytes, '\0', in) > 0);
    fclose(in);
    document = json_parse(text);
    assert_non_null(document);
    for (json_t *like = item(document, "cases")->first; like != NULL; like = like->next) {
        json_t *arrivals = item(like, "arrivals");
        json_t *rescale = spot_json_member(arrivals, "rescale_qps");
        plan_case_t self;

        open_case(&self, (int) number(arrivals, "count"),
            rescale == NULL ? 0 : json_number(rescale), number(like, "slo_ms"));
        if (strcmp(item(like, "objective")->text, "min_cost") == 0) {
            check_min_cost(&self, like);
        } else {
            check_max_rate(&self, like);
        }
        plan_case_close(&self);
    }
    json_delete(document);
    free(text);
}

/* Cost against objective; the exact cost never rises with it. */
static void test_frontier(void **state)
{
    static const struct {
        double slo_ms;
        int64_t exact, greedy; /* 0: not known */
    } points[] = {{150, 30, 0}, {175, 16, 0}, {200, 12, 0}, {250, 9, 10}, {300, 6, 0}, {400, 6, 0},
        {500, 6, 0}};
    plan_case_t self;

    (void) state;
    open_case(&self, 3000, 100, 150);
    for (size_t j = 0; j < sizeof(points) / sizeof(points[0]); j++) {
        spot_planned_t planned;

        self.request.slo_ns = (int64_t) points[j].slo_ms * 1000000;
        plan_case_plan(&self, &spot_planner_exact, &planned);
        assert_int_equal(planned.plan.cost_micro, points[j].exact * 1000000);
        spot_planned_free(&planned);
        plan_case_plan(&self, &spot_planner_greedy, &planned);
        assert_true(planned.plan.cost_micro >= points[j].exact * 1000000);
        assert_true(points[j].greedy == 0 || planned.plan.cost_micro == points[j].greedy * 1000000);
        spot_planned_free(&planned);
    }
    plan_case_close(&self);
}

/* The example of the speed that is asked for; -DCMAKE_BUILD_TYPE=Release shows it. */
static void test_speed(void **state)
{
    plan_case_t self;
    spot_planned_t planned;

    (void) state;
    open_case(&self, 10000, 100, 200);
    plan_case_plan(&self, &spot_planner_exact, &planned);
    print_message("exact: cost %g, %d simulations of stages, %.1f ms\n",
        (double) planned.plan.cost_micro / 1e6, (int) planned.num_simulations, planned.cpu_s * 1e3);
    assert_true(planned.num_simulations < 2000);
    spot_planned_free(&planned);
    plan_case_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_frontier),
        cmocka_unit_test(test_speed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
