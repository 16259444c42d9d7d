/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/yaml.h"

void plan_case_open(plan_case_t *self, const char *document)
{
    spot_yaml_t yaml;
    spot_diag_t diag;
    int ret;

    *self = (plan_case_t){0};
    spot_diag_init(&diag);
    ret = spot_yaml_parse(&yaml, "case.yaml", document, strlen(document), &diag);
    if (ret == 0) {
        ret = spot_serve_scenario_init(&self->scenario, yaml.root, &diag);
    }
    if (ret != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", document);
    }
    spot_yaml_free(&yaml);
    spot_diag_free(&diag);
    assert_int_equal(spot_arrivals_draw(&self->arrivals, &self->scenario.arrivals, 1, 0), 0);
    self->request = (spot_plan_request_t){.scenario = &self->scenario,
        .arrivals = &self->arrivals,
        .slo_ns = self->scenario.slo.latency_ns,
        .max_cost = self->scenario.plan.max_cost,
        .budget = self->scenario.plan.budget,
        .replication = {.seed = 1}};
}

void plan_case_close(plan_case_t *self)
{
    spot_arrivals_free(&self->arrivals);
    spot_serve_scenario_free(&self->scenario);
}

void plan_case_plan(const plan_case_t *self, const spot_planner_t *planner, spot_planned_t *planned)
{
    *planned = (spot_planned_t){0};
    assert_int_equal(spot_serve_plan(planner, &self->request, planned), 0);
}

char *plan_case_text(const plan_case_t *self, const spot_serving_plan_t *plan)
{
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    for (size_t j = 0; plan->options != NULL && j < self->scenario.pipeline.num_stages; j++) {
        fprintf(out, "%s%s=%s/%dx%d", j == 0 ? "" : " ",
            spot_serve_pipeline_stage_node(&self->scenario.pipeline, j)->id,
            self->scenario.prices.prices[plan->options[j].hardware_id].name,
            (int) plan->options[j].batch, (int) plan->options[j].replicas);
    }
    if (plan->options == NULL) {
        fputs("none", out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

void plan_case_file(const char *text, char path[280])
{
    const char *root = getenv("SPOT_TEST_TMP");
    FILE *out;
    int file;

    snprintf(path, 280, "%s/plan-XXXXXX", root == NULL ? "/tmp" : root);
    file = mkstemp(path);
    assert_true(file >= 0);
    out = fdopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}
