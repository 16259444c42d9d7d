/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/inputs.h"
#include "base/json.h"
#include "base/watch.h"
#include "cli/schedule_tables.h"
#include "reports/cdf_chart.h"
#include "reports/table/table_machine.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/serve/experiment.h"
#include "sim/serve/run.h"

/* ---- Options ---- */

typedef spot_serve_arguments_t arguments_t;

const spot_serve_arguments_t spot_serve_initial = {.seed = 1};

static const char *planner_name(size_t j)
{
    return spot_serve_planners[j] == NULL ? NULL : spot_serve_planners[j]->name;
}

/* The method is a key of the scenario. */
static void settle_method(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    spot_option_list_add(&((arguments_t *) call->arguments)->sets,
        spot_texts_add(&call->texts, "plan.method=%s", text));
}

#define COMMON                                                                                     \
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", scenario_path, NULL, .min = 1),        \
        SPOT_OPTION_SEED(seed),                                                                    \
        SPOT_OPTION(COUNT, "replication", 0, "R", replication,                                     \
            "Which replication of the seed to draw the queries of (default 0)"),                   \
        SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,                                            \
            "Set a key of the scenario; may be given several times",                               \
            .example = "slo.latency=\"250 ms\""),                                                  \
        SPOT_OPTION_JSON(target.is_json, "Print the result as one JSON object"),                   \
        SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,                                           \
            "Write the first table as CSV too; - is standard output, in place of the "             \
            "tables",                                                                              \
            .endings = ".csv"),                                                                    \
        SPOT_OPTION_OUTPUT(target.path, NULL)

const spot_option_t spot_serve_options[] = {COMMON, SPOT_OPTION_END};
const spot_option_t spot_serve_plan_options[] = {
    COMMON,
    SPOT_OPTION(TEXT, "method", 0, "exact|greedy|polish", method,
        "The planner, in place of plan.method", .words = planner_name, .what = "planner",
        .settle = settle_method),
    SPOT_OPTION_END,
};
const spot_option_t spot_serve_frontier_options[] = {
    COMMON,
    SPOT_OPTION(WRITTEN, "plot", 0, "FILE.svg", plot_path,
        "Draw cost against objective, and write the table beside it as FILE.csv",
        .endings = ".svg"),
    SPOT_OPTION_END,
};

/* ---- Scenarios ---- */

int spot_serve_call_error(spot_serve_call_t *self, const char *key, const char *text)
{
    const spot_node_t *place = spot_node_place(self->document.root, key);

    return spot_diag_error(&self->call->diag, place->file, place->line, place->column, "%s", text);
}

/* The queries of the replication. */
static int draw(spot_serve_call_t *self)
{
    const int ret = spot_arrivals_draw(&self->arrivals, &self->scenario.arrivals,
        self->replication.seed, self->replication.replication);

    return ret == SPOT_ERR_BAD_PARAM
               ? spot_serve_call_error(self, "arrivals", "arrivals last longer than 2^62 ns")
           : ret == 0 && isnan(self->arrivals.rate_qps)
               ? spot_serve_call_error(self, "arrivals", "no arrival rate: all deltas are 0")
               : ret;
}

/* No output may replace a file that the scenario names. */
static int check_outputs(spot_serve_call_t *self, const spot_inputs_t *inputs)
{
    const arguments_t *arguments = self->arguments;
    const char *plot = arguments->plot_path, *csv = arguments->csv_path;
    spot_option_list_t files = {0};
    int ret;

    for (size_t j = 0; j < inputs->num_inputs; j++) {
        spot_option_list_add(&files, inputs->inputs[j].path);
    }
    if (plot != NULL && spot_has_suffix(plot, ".svg")) {
        self->data_path = spot_texts_add(
            &self->call->texts, "%.*s.csv", (int) (strlen(plot) - strlen(".svg")), plot);
    }
    if (csv != NULL && self->data_path != NULL && strcmp(csv, self->data_path) == 0) {
        csv = NULL; /* it is the same table */
    }
    ret = spot_files_check((spot_files_t){files.num_texts, files.texts},
        (spot_files_t){4, (const char *[]){arguments->target.path, csv, plot, self->data_path}},
        &self->call->diag);
    free(files.texts);
    return ret;
}

static int read_scenario(spot_serve_call_t *self)
{
    static const spot_experiment_t *const engines[] = {&spot_serve_experiment, NULL};
    const spot_scenario_changes_t changes = {
        .num_sets = self->arguments->sets.num_texts, .sets = self->arguments->sets.texts};
    spot_diag_t *diag = &self->call->diag;
    const spot_experiment_t *experiment;
    int ret = spot_scenario_read_document(
        &self->document, self->arguments->scenario_path, &changes, diag);

    if (ret == 0) {
        ret = spot_experiment_choose(&experiment, engines, self->document.root, diag);
    }
    if (ret == 0) {
        ret = spot_serve_scenario_init(&self->scenario, self->document.root, diag);
    }
    if (ret == 0) {
        ret = spot_serve_check_memory(&self->scenario, self->document.root, diag);
    }
    if (ret == 0) {
        ret = spot_serve_check_planning(&self->scenario, self->document.root, diag);
    }
    return ret;
}

int spot_serve_call_open(spot_serve_call_t *self, spot_call_t *call)
{
    spot_inputs_t inputs = {0};
    int ret;

    memset(self, 0, sizeof(*self));
    self->call = call;
    self->arguments = call->arguments;
    self->replication = (spot_replication_t){.seed = (uint64_t) self->arguments->seed,
        .replication = (uint64_t) self->arguments->replication,
        .stop = &spot_stop};
    call->diag.inputs = &inputs;
    ret = read_scenario(self);
    call->diag.inputs = NULL;
    ret = ret == 0 ? draw(self) : ret;
    ret = ret == 0 ? check_outputs(self, &inputs) : ret;
    call->is_reading = ret != 0;
    spot_inputs_free(&inputs);
    return ret;
}

void spot_serve_call_close(spot_serve_call_t *self)
{
    spot_arrivals_free(&self->arrivals);
    spot_serve_scenario_free(&self->scenario);
    spot_yaml_free(&self->document);
}

static spot_plan_request_t request_of(const spot_serve_call_t *self, int64_t slo_ns)
{
    return (spot_plan_request_t){&self->scenario, &self->arrivals, slo_ns,
        self->scenario.plan.max_cost, self->scenario.plan.budget, self->replication};
}

int spot_serve_call_plan(spot_serve_call_t *self, const spot_planner_t *planner, bool is_rate,
    int64_t slo_ns, spot_planned_t *planned)
{
    const spot_plan_request_t request = request_of(self, slo_ns);
    int ret;

    if (self->scenario.service->cannot_plan) {
        return spot_serve_call_error(self, "service",
            spot_texts_add(&self->call->texts, "%s; plans need another service model",
                self->scenario.service->warning));
    }
    if (is_rate && isnan(request.budget)) {
        return spot_serve_call_error(self, "plan", "plan.budget is needed");
    }
    if (is_rate && planner->rate == NULL) {
        return spot_serve_call_error(self, "plan.method",
            spot_texts_add(&self->call->texts, "%s finds no highest rate; exact and greedy do",
                planner->name));
    }
    ret = (is_rate ? spot_serve_rate : spot_serve_plan)(planner, &request, planned);
    return ret == SPOT_ERR_BAD_PARAM && planned->why_none != NULL
               ? spot_serve_call_error(self, "plan", planned->why_none)
               : ret;
}

/* ---- Results ---- */

double spot_serve_ms(int64_t ns)
{
    return ns == INT64_MAX ? (double) NAN : (double) ns / 1e6;
}

void spot_serve_put_csv(const void *table, FILE *out)
{
    (void) !spot_table_write_csv(table, out);
}

int spot_serve_write_csv(spot_call_t *call, const char *path, const spot_table_t *table)
{
    const int ret = spot_schedule_write(call, path, spot_serve_put_csv, table);

    return ret != 0 ? ret : table->error;
}

void spot_serve_call_note(const spot_serve_call_t *self, spot_table_t *table)
{
    const spot_arrivals_t *arrivals = &self->arrivals;
    const spot_objective_t *slo = &self->scenario.slo;

    spot_table_add_note(table, "",
        spot_texts_add(&self->call->texts,
            "cost per hour; %zu queries, %.6g per second, CV %.4g, SCV %.4g; service: "
            "%s; objective: percentile %.6g within %.6g ms",
            arrivals->num_queries, arrivals->rate_qps, arrivals->cv, arrivals->cv * arrivals->cv,
            self->scenario.service->name, slo->percentile, spot_serve_ms(slo->latency_ns)));
}

int spot_serve_call_results(spot_serve_call_t *self, size_t num_tables, spot_table_t *tables)
{
    return spot_schedule_results(self->call, &self->arguments->target, self->arguments->csv_path,
        spot_serve_put_csv, &tables[0], num_tables, tables);
}

/* ---- What planners find ---- */

#define MAX_FOUND 3

typedef struct {
    spot_serve_call_t open;
    spot_serve_verb_t verb;
    size_t num_found;
    const spot_planner_t *planners[MAX_FOUND];
    spot_planned_t planned[MAX_FOUND];
    double highest_qps; /* of the plan */
} found_t;

static const char *stage_name(const found_t *self, size_t stage_id)
{
    return spot_serve_pipeline_stage_node(&self->open.scenario.pipeline, stage_id)->id;
}

static const char *hardware_name(const found_t *self, const spot_stage_option_t *option)
{
    return self->open.scenario.prices.prices[option->hardware_id].name;
}

static void fill_stages(const found_t *self, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "stage", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "hardware", .kind = SPOT_TABLE_TEXT}, {.name = "batch"}, {.name = "replicas"},
        {.name = "capacity_qps"}, {.name = "price_per_hour"}};
    const spot_serve_scenario_t *scenario = &self->open.scenario;
    const spot_stage_option_t *options = self->planned[self->num_found - 1].plan.options;
    const size_t least_id = spot_gate_bottleneck(scenario, options);

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, stage_name(self, j));
        spot_table_add_text(table, hardware_name(self, &options[j]));
        spot_table_add_count(table, options[j].batch);
        spot_table_add_count(table, options[j].replicas);
        spot_table_add_number(table, spot_gate_capacity(scenario, j, &options[j]));
        spot_table_add_marks(table, j == least_id ? "*" : "");
        spot_table_add_number(
            table, (double) spot_serve_scenario_cost(scenario, &options[j]) / 1e6);
    }
    spot_table_add_note(table, "*", "the bottleneck");
}

/* What is special to a command: its headroom, rate, or gap to the exact plan. */
static double special(const found_t *self, const spot_serving_plan_t *plan)
{
    const spot_serving_plan_t *exact = &self->planned[self->num_found - 1].plan;

    return self->verb == SPOT_SERVE_RATE ? plan->rate_qps
           : self->verb == SPOT_SERVE_PLAN
               ? self->highest_qps / self->open.arrivals.rate_qps
               : 100 * ((double) plan->cost_micro / (double) exact->cost_micro - 1);
}

/* A row for each planner. */
static void fill_found(const found_t *self, spot_table_t *table)
{
    static const char *const specials[] = {"headroom", "rate_qps", "gap_percent"};
    const spot_table_column_t columns[] = {
        {.name = "method", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "verdict", .kind = SPOT_TABLE_TEXT}, {.name = "proven", .kind = SPOT_TABLE_TEXT},
        {.name = "cost"}, {.name = specials[self->verb], .num_digits = 4},
        {.name = "percentile_ms"}, {.name = "late"}, {.name = "runs"},
        {.name = "cpu_s", .is_fixed = true, .num_decimals = 3}};

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < self->num_found; j++) {
        const spot_planned_t *planned = &self->planned[j];
        const spot_serving_plan_t *plan = &planned->plan;
        const bool is_found = plan->options != NULL;
        const double unknown = (double) NAN;

        spot_table_add_row(table);
        spot_table_add_text(table, self->planners[j]->name);
        spot_table_add_text(table, spot_gate_names[is_found ? SPOT_GATE_FEASIBLE : plan->gate]);
        spot_table_add_text(table, planned->is_proven ? "yes" : "no");
        spot_table_add_number(table, is_found ? (double) plan->cost_micro / 1e6 : unknown);
        spot_table_add_number(table, is_found ? special(self, plan) : unknown);
        spot_table_add_number(table, is_found ? spot_serve_ms(plan->percentile_ns) : unknown);
        spot_table_add_number(table, is_found ? (double) plan->num_late : unknown);
        spot_table_add_count(table, planned->num_simulations);
        spot_table_add_number(table, planned->cpu_s);
        if (planned->why_none != NULL) {
            spot_table_add_note(table, self->planners[j]->name, planned->why_none);
        }
    }
    spot_serve_call_note(&self->open, table);
}

/* ---- JSON, with the keys of docs/serving.md ---- */

static void write_option(
    spot_json_t *json, const char *key, const found_t *self, const spot_stage_option_t *option)
{
    spot_json_open(json, key, '{');
    spot_json_text(json, "hardware", hardware_name(self, option));
    spot_json_integer(json, "batch", option->batch);
    spot_json_integer(json, "replicas", option->replicas);
    spot_json_close(json, '}');
}

static void write_config(spot_json_t *json, const found_t *self, const spot_serving_plan_t *plan)
{
    spot_json_number(json, "cost", (double) plan->cost_micro / 1e6);
    spot_json_open(json, "config", '{');
    for (size_t j = 0; j < self->open.scenario.pipeline.num_stages; j++) {
        write_option(json, stage_name(self, j), self, &plan->options[j]);
    }
    spot_json_close(json, '}');
}

static void write_move(spot_json_t *json, const found_t *self, const spot_plan_move_t *move)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "move", move->move);
    if (move->stage_id >= 0) {
        spot_json_text(json, "node", stage_name(self, (size_t) move->stage_id));
    }
    spot_json_number(json, "cost", (double) move->cost_micro / 1e6);
    if (self->verb == SPOT_SERVE_RATE) {
        spot_json_number(json, "rate_qps", move->rate_qps);
        spot_json_number(json, "percentile_at_next_rate_ns",
            move->next_percentile_ns == INT64_MAX ? (double) NAN
                                                  : (double) move->next_percentile_ns);
    } else {
        write_option(json, "to", self, &move->to);
    }
    spot_json_close(json, '}');
}

static void write_found(spot_json_t *json, const found_t *self, size_t found_id)
{
    const spot_planner_t *planner = self->planners[found_id];
    const spot_planned_t *planned = &self->planned[found_id];
    const bool is_greedy = planner == &spot_planner_greedy;

    spot_json_open(json, planner->name, '{');
    if (self->verb == SPOT_SERVE_RATE) {
        spot_json_number(json, "rate_qps", planned->plan.rate_qps);
    }
    write_config(json, self, &planned->plan);
    spot_json_integer(json, "percentile_ns", planned->plan.percentile_ns);
    spot_json_unsigned(json, "late", planned->plan.num_late);
    if (is_greedy && planned->initial.options != NULL) {
        spot_json_open(json, "initial", '{');
        write_config(json, self, &planned->initial);
        spot_json_integer(json, "replicas_added", planned->replicas_added);
        spot_json_close(json, '}');
    }
    if (is_greedy) {
        spot_json_open(json, "moves", '[');
        for (size_t j = 0; j < planned->num_moves; j++) {
            write_move(json, self, &planned->moves[j]);
        }
        spot_json_close(json, ']');
    } else if (planner == &spot_planner_polish) {
        spot_json_unsigned(json, "moves", planned->num_moves);
    }
    spot_json_close(json, '}');
}

static void write_search(spot_json_t *json, const found_t *self)
{
    spot_json_open(json, "search", '{');
    for (size_t j = 0; j < self->num_found; j++) {
        spot_json_open(json, self->planners[j]->name, '{');
        spot_json_boolean(json, "proven_minimal", self->planned[j].is_proven);
        spot_json_integer(json, "stage_runs", self->planned[j].num_simulations);
        if (self->highest_qps > 0 && j + 1 == self->num_found) {
            spot_json_number(json, "highest_rate_qps", self->highest_qps);
        }
        if (self->planned[j].why_none != NULL) {
            spot_json_text(json, "reason", self->planned[j].why_none);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

static void put_json(const void *context, FILE *out)
{
    const found_t *self = context;
    const spot_serve_call_t *open = &self->open;
    bool is_any = false;
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "objective", self->verb == SPOT_SERVE_RATE ? "max_rate" : "min_cost");
    spot_json_unsigned(&json, "queries", open->arrivals.num_queries);
    spot_json_number(&json, "rate_before_qps", open->arrivals.base_qps);
    spot_json_number(&json, "rate_qps", open->arrivals.rate_qps);
    spot_json_number(&json, "budget", open->scenario.plan.budget);
    spot_json_number(&json, "slo_ms", spot_serve_ms(open->scenario.slo.latency_ns));
    spot_json_number(&json, "percentile", open->scenario.slo.percentile);
    for (size_t j = 0; j < self->num_found; j++) {
        if (self->planned[j].plan.options != NULL) {
            write_found(&json, self, j);
            is_any = true;
        }
    }
    if (!is_any) {
        spot_json_text(
            &json, "infeasible", spot_gate_names[self->planned[self->num_found - 1].plan.gate]);
    }
    write_search(&json, self);
    spot_json_close(&json, '}');
}

/* ---- Commands ---- */

static int answer(found_t *self)
{
    const spot_serve_arguments_t *arguments = self->open.arguments;
    spot_table_t tables[2] = {{.name = "stages"}, {.name = "plans"}};
    const bool has_stages =
        self->verb != SPOT_SERVE_COMPARE && self->planned[self->num_found - 1].plan.options != NULL;
    spot_table_t *first = &tables[has_stages ? 0 : 1];
    int ret = 0;

    if (has_stages) {
        fill_stages(self, &tables[0]);
    }
    fill_found(self, &tables[1]);
    if (!arguments->target.is_json) {
        return spot_serve_call_results(&self->open, has_stages ? 2 : 1, first);
    }
    if (arguments->csv_path != NULL) {
        ret = spot_serve_write_csv(self->open.call, arguments->csv_path, first);
    }
    spot_table_free(&tables[0]);
    spot_table_free(&tables[1]);
    return ret != 0 ? ret
                    : spot_schedule_write(self->open.call, arguments->target.path, put_json, self);
}

static int find(found_t *self, const spot_planner_t *planner)
{
    spot_planned_t *planned = &self->planned[self->num_found];

    self->planners[self->num_found++] = planner;
    return spot_serve_call_plan(&self->open, planner, self->verb == SPOT_SERVE_RATE,
        self->open.scenario.slo.latency_ns, planned);
}

/* Finds the plans of a command, that of the planner that was asked for last. JSON has
 * beside an exact plan what the heuristics find. */
static int find_all(found_t *self)
{
    const spot_planner_t *asked = self->verb == SPOT_SERVE_COMPARE
                                      ? &spot_planner_exact
                                      : spot_serve_planners[self->open.scenario.plan.method];
    const bool is_beside =
        asked == &spot_planner_exact &&
        (self->verb == SPOT_SERVE_COMPARE || self->open.arguments->target.is_json);
    const spot_plan_request_t request = request_of(&self->open, self->open.scenario.slo.latency_ns);
    const spot_stage_option_t *found;
    int ret = is_beside ? find(self, &spot_planner_greedy) : 0;

    if (ret == 0 && is_beside && self->verb != SPOT_SERVE_RATE) {
        ret = find(self, &spot_planner_polish);
    }
    ret = ret != 0 ? ret : find(self, asked);
    found = self->planned[self->num_found - 1].plan.options;
    return ret != 0 || self->verb != SPOT_SERVE_PLAN || found == NULL
               ? ret
               : spot_serve_highest_rate(&request, found, &self->highest_qps);
}

int spot_serve_call_find(spot_call_t *call, spot_serve_verb_t verb)
{
    found_t self = {.verb = verb};
    bool is_found = false; /* by the planner that was asked for; of several, by any */
    int ret = spot_serve_call_open(&self.open, call);

    ret = ret != 0 ? ret : find_all(&self);
    ret = ret != 0 ? ret : answer(&self);
    for (size_t j = 0; j < self.num_found; j++) {
        is_found = self.planned[j].plan.options != NULL || (is_found && verb == SPOT_SERVE_COMPARE);
        spot_planned_free(&self.planned[j]);
    }
    spot_serve_call_close(&self.open);
    return ret != 0 || is_found ? ret : SPOT_EXIT_FAILED;
}
