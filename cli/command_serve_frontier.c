/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/progress.h"
#include "cli/serve_call.h"
#include "reports/frontier_chart.h"

static int compare_slos(const void *first, const void *second)
{
    const int64_t a = *(const int64_t *) first, b = *(const int64_t *) second;

    return (a > b) - (a < b);
}

static void add_configuration(
    spot_table_t *table, const spot_serve_scenario_t *scenario, const spot_stage_option_t *options)
{
    FILE *out = spot_table_begin_text(table);

    for (size_t j = 0; out != NULL && j < scenario->pipeline.num_stages; j++) {
        fprintf(out, "%s%s=%s/%lldx%lld", j == 0 ? "" : " ",
            spot_serve_pipeline_stage_node(&scenario->pipeline, j)->id,
            scenario->prices.prices[options[j].hardware_id].name, (long long) options[j].batch,
            (long long) options[j].replicas);
    }
    spot_table_end_cell(table, out);
}

/* Adds the row of a plan. *cost: NAN if there is none. */
static int add_plan(spot_serve_call_t *self, const spot_planner_t *planner, int64_t slo_ns,
    spot_table_t *table, double *cost)
{
    spot_planned_t planned = {.why_none = NULL};
    const spot_serving_plan_t *plan = &planned.plan;
    const int ret = spot_serve_call_plan(self, planner, false, slo_ns, &planned);

    *cost = ret == 0 && plan->options != NULL ? (double) plan->cost_micro / 1e6 : (double) NAN;
    spot_table_add_row(table);
    spot_table_add_number(table, spot_serve_ms(slo_ns));
    spot_table_add_text(table, planner->name);
    spot_table_add_number(table, *cost);
    if (!isnan(*cost)) {
        spot_table_add_number(table, spot_serve_ms(plan->percentile_ns));
        spot_table_add_count(table, (int64_t) plan->num_late);
        add_configuration(table, &self->scenario, plan->options);
    }
    spot_planned_free(&planned);
    return ret;
}

/* Plans for all objectives; a point for each. */
static int find_all(spot_serve_call_t *self, spot_table_t *table, spot_frontier_point_t *points)
{
    static const spot_table_column_t columns[] = {{.name = "slo_ms", .is_key = true},
        {.name = "method", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "cost"},
        {.name = "percentile_ms"}, {.name = "late"},
        {.name = "configuration", .kind = SPOT_TABLE_PROSE}};
    spot_serve_scenario_t *scenario = &self->scenario;
    const size_t num_slos = scenario->num_frontier;
    spot_progress_line_t line;
    const spot_watch_t watch = spot_progress_watch(&line, "objectives", self->call->is_quiet);
    int ret = 0;

    qsort(scenario->frontier_ns, num_slos, sizeof(*scenario->frontier_ns), compare_slos);
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < num_slos && ret == 0; j++) {
        const int64_t slo_ns = scenario->frontier_ns[j];

        points[j].slo_ms = spot_serve_ms(slo_ns);
        ret = add_plan(self, &spot_planner_exact, slo_ns, table, &points[j].exact);
        ret =
            ret != 0 ? ret : add_plan(self, &spot_planner_greedy, slo_ns, table, &points[j].greedy);
        spot_watch_report(&watch, (int64_t) j + 1, (int64_t) num_slos);
    }
    spot_progress_finish(&line);
    return ret;
}

/* The picture, and its data beside it. */
static int draw(
    spot_serve_call_t *self, const spot_table_t *table, const spot_frontier_point_t *points)
{
    const char *path = self->arguments->plot_path;
    const spot_frontier_t frontier = {
        self->scenario.name, self->scenario.slo.percentile, self->scenario.num_frontier, points};
    const int ret =
        spot_draw_file(spot_frontier_declare, &frontier, SPOT_FORMAT_SVG, path, &self->call->diag);

    return ret != 0 || self->data_path == NULL
               ? ret
               : spot_serve_write_csv(self->call, self->data_path, table);
}

static int run(spot_call_t *call)
{
    spot_table_t table = {.name = "frontier"};
    spot_frontier_point_t *points = NULL;
    spot_serve_call_t self;
    int ret = spot_serve_call_open(&self, call);

    if (ret == 0 && self.scenario.num_frontier == 0) {
        ret = spot_serve_call_error(&self, "frontier", "frontier.slo is needed");
    }
    if (ret == 0) {
        points = spot_calloc(self.scenario.num_frontier, sizeof(*points));
        ret = points == NULL ? SPOT_ERR_NO_MEMORY : find_all(&self, &table, points);
    }
    if (ret == 0 && self.arguments->plot_path != NULL) {
        ret = draw(&self, &table, points);
    }
    if (ret == 0) {
        ret = spot_serve_call_results(&self, 1, &table);
    }
    spot_table_free(&table);
    free(points);
    spot_serve_call_close(&self);
    return ret;
}

const spot_command_t spot_command_serve_frontier = {
    .name = "serve frontier",
    .arguments = "SCENARIO",
    .summary = "List what a pipeline costs by its latency objective",
    .doc = "Finds the cheapest configuration for each latency of frontier.slo, by the "
           "planners exact and greedy. A configuration is written as "
           "STAGE=HARDWARE/BATCHxREPLICAS. In the picture exact is solid and greedy "
           "dashed; objectives without a plan are shaded.",
    .examples = "  spotsim serve frontier pipeline.yaml --plot frontier.svg\n"
                "  spotsim serve frontier pipeline.yaml --csv - \\\n"
                "      --set \"frontier.slo=[150 ms, 200 ms, 300 ms]\"\n",
    .options = spot_serve_frontier_options,
    .arguments_bytes = sizeof(spot_serve_arguments_t),
    .initial = &spot_serve_initial,
    .run = run,
};
