/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim serve plan, rate, compare, check, frontier: plans of a serving pipeline. They share their
 * options, the scenario with its queries, and how plans are found and printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/inputs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/verb/table.h"
#include "base/verb/verb.h"
#include "base/watch.h"
#include "base/yaml.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/serve/experiment.h"
#include "sim/serve/planner.h"
#include "sim/serve/run.h"

/* An objective, and the least cost per hour that planners found for it; NAN: none. */
typedef struct {
    double slo_ms;
    double exact, greedy;
} frontier_point_t;

typedef struct {
    const char *name;  /* of the scenario; NULL: none */
    double percentile; /* of the objectives */
    size_t num_points;
    const frontier_point_t *points; /* [num_points] slo_ms increasing */
} frontier_t;

/* ---- The picture of a frontier ---- */

#define ROOM 1.08 /* above the dearest plan */

static void declare_gaps(spot_chart_t *chart, const frontier_t *self, double high)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                 .name = "no plan",
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = SPOT_INK_OTHER,
                                 .is_alone = true,
                                 .is_faint = true});
    for (size_t j = 0; j < self->num_points; j++) {
        spot_chart_add_xy(
            chart, self->points[j].slo_ms, isnan(self->points[j].exact) ? high : (double) NAN);
    }
}

static void declare_costs(spot_chart_t *chart, const frontier_t *self, bool is_exact)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                 .name = is_exact ? "exact" : "greedy",
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = is_exact ? SPOT_INK_ACCENT : SPOT_INK_LOSS,
                                 .dash = is_exact ? SPOT_CHART_SOLID : SPOT_CHART_DASHED,
                                 .marker = is_exact ? SPOT_CHART_CIRCLE : SPOT_CHART_SQUARE,
                                 .is_hollow = !is_exact});
    for (size_t j = 0; j < self->num_points; j++) {
        spot_chart_add_xy(chart, self->points[j].slo_ms,
            is_exact ? self->points[j].exact : self->points[j].greedy);
    }
}

/* Steps: a configuration that meets an objective meets all later ones. Objectives that
 * the exact planner finds nothing for are shaded. context is a frontier_t. */
static int declare_frontier(spot_chart_t *chart, const void *context)
{
    const frontier_t *self = context;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t num_unsolved = 0;
    double high = 0;

    for (size_t j = 0; j < self->num_points; j++) {
        num_unsolved += isnan(self->points[j].exact) ? 1 : 0;
        high = fmax(high, fmax(self->points[j].exact, self->points[j].greedy));
    }
    high = high > 0 ? ROOM * high : 1;
    spot_chart_title(chart, "What does a tighter latency objective cost?");
    spot_chart_note(chart, "%s%spercentile %.6g of the latencies · %zu objective%s",
        self->name == NULL ? "" : spot_utf8_shown(self->name, shown),
        self->name == NULL ? "" : " · ", self->percentile, self->num_points,
        self->num_points == 1 ? "" : "s");
    spot_chart_describe(chart,
        "Cost per hour of the cheapest configuration by latency objective, from %.6g ms "
        "to %.6g ms; the exact planner finds none for %zu of %zu objectives.",
        self->points[0].slo_ms, self->points[self->num_points - 1].slo_ms, num_unsolved,
        self->num_points);
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.name = "latency objective (ms)"},
                                .y = {.name = "cost per hour", .high = high},
                                .empty = num_unsolved == self->num_points
                                             ? "no configuration meets any of these objectives"
                                             : NULL});
    if (num_unsolved > 0 && num_unsolved < self->num_points) {
        declare_gaps(chart, self, high);
    }
    for (int is_exact = 0; is_exact <= 1 && num_unsolved < self->num_points; is_exact++) {
        declare_costs(chart, self, is_exact != 0);
    }
    return spot_chart_error(chart);
}

typedef struct {
    const char *scenario_path;
    const char *csv_path;
    const char *plot_path; /* of frontier */
    const char *method;    /* NULL: that of the scenario */
    spot_target_t target;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} arguments_t;

/* A scenario and the queries of its replication. */
typedef struct {
    spot_call_t *call;
    const arguments_t *arguments;
    spot_yaml_t document; /* places of messages */
    spot_serve_scenario_t scenario;
    spot_arrivals_t arrivals; /* their rate is not NAN */
    spot_replication_t replication;
    const char *data_path; /* of the table beside the picture; NULL: none */
} serve_call_t;

typedef enum {
    SERVE_PLAN,   /* the least cost, by the planner of the scenario */
    SERVE_RATE,   /* the highest rate within the budget, by the same */
    SERVE_COMPARE /* the least cost, by three planners */
} serve_verb_t;

/* ---- Options ---- */

static const arguments_t serve_initial = {.seed = 1};

static const char *planner_name(size_t j)
{
    return spot_serve_planners[j] == NULL ? NULL : spot_serve_planners[j]->name;
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
        "The planner, in place of plan.method", .words = planner_name, .what = "planner"),
    SPOT_OPTION_END,
};
/* Options of all these commands; the same with --method, and with --plot. */
static const spot_option_t serve_frontier_options[] = {
    COMMON,
    SPOT_OPTION(WRITTEN, "plot", 0, "FILE.svg", plot_path,
        "Draw cost against objective, and write the table beside it as FILE.csv",
        .endings = ".svg"),
    SPOT_OPTION_END,
};

/* ---- Scenarios ---- */

/* An error at a key of the scenario. Returns BAD_INPUT. */
static int serve_call_error(serve_call_t *self, const char *key, const char *text)
{
    const spot_node_t *place = spot_node_place(self->document.root, key);

    return spot_diag_error(&self->call->diag, place->file, place->line, place->column, "%s", text);
}

/* The queries of the replication. */
static int draw(serve_call_t *self)
{
    const int ret = spot_arrivals_draw(&self->arrivals, &self->scenario.arrivals,
        self->replication.seed, self->replication.replication);

    return ret == SPOT_ERR_BAD_PARAM
               ? serve_call_error(self, "arrivals", "arrivals last longer than 2^62 ns")
           : ret == 0 && isnan(self->arrivals.rate_qps)
               ? serve_call_error(self, "arrivals", "no arrival rate: all deltas are 0")
               : ret;
}

/* No output may replace a file that the scenario names. */
static int check_outputs(serve_call_t *self, const spot_inputs_t *inputs)
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

static int read_scenario(serve_call_t *self)
{
    static const spot_experiment_t *const engines[] = {&spot_serve_experiment, NULL};
    const arguments_t *arguments = self->arguments;
    const spot_yaml_given_t method = {"--method", "plan.method", .text = arguments->method};
    const spot_scenario_changes_t changes = {.num_sets = arguments->sets.num_texts,
        .sets = arguments->sets.texts,
        .num_given = arguments->method != NULL,
        .given = &method};
    spot_diag_t *diag = &self->call->diag;
    const spot_experiment_t *experiment;
    int ret =
        spot_scenario_read_document(&self->document, arguments->scenario_path, &changes, diag);

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

/* Reads the scenario and draws the queries. BAD_INPUT, IO with the reasons in the call:
 * also where an output would replace a file of the scenario; NO_MEMORY. Close self even
 * then. */
static int serve_call_open(serve_call_t *self, spot_call_t *call)
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

static void serve_call_close(serve_call_t *self)
{
    spot_arrivals_free(&self->arrivals);
    spot_serve_scenario_free(&self->scenario);
    spot_yaml_free(&self->document);
}

static spot_plan_request_t request_of(const serve_call_t *self, int64_t slo_ns)
{
    return (spot_plan_request_t){&self->scenario, &self->arrivals, slo_ns,
        self->scenario.plan.max_cost, self->scenario.plan.budget, self->replication};
}

/* Runs a planner for an objective, or for the highest rate at that of the scenario;
 * planned is zeroed. Errors of planners; BAD_INPUT with the reason in the call: nothing
 * can be planned so. */
static int serve_call_plan(serve_call_t *self, const spot_planner_t *planner, bool is_rate,
    int64_t slo_ns, spot_planned_t *planned)
{
    const spot_plan_request_t request = request_of(self, slo_ns);
    int ret;

    if (self->scenario.service->cannot_plan) {
        return serve_call_error(self, "service",
            spot_texts_add(&self->call->texts, "%s; plans need another service model",
                self->scenario.service->warning));
    }
    if (is_rate && isnan(request.budget)) {
        return serve_call_error(self, "plan", "plan.budget is needed");
    }
    if (is_rate && planner->rate == NULL) {
        return serve_call_error(self, "plan.method",
            spot_texts_add(&self->call->texts, "%s finds no highest rate; exact and greedy do",
                planner->name));
    }
    ret = (is_rate ? spot_serve_rate : spot_serve_plan)(planner, &request, planned);
    return ret == SPOT_ERR_BAD_PARAM && planned->why_none != NULL
               ? serve_call_error(self, "plan", planned->why_none)
               : ret;
}

/* ---- Results ---- */

/* Milliseconds; NAN for a time that is infinite. */
static double serve_ms(int64_t ns)
{
    return ns == INT64_MAX ? (double) NAN : (double) ns / 1e6;
}

/* What was asked for, as a note of a table. */
static void serve_call_note(const serve_call_t *self, spot_table_t *table)
{
    const spot_arrivals_t *arrivals = &self->arrivals;
    const spot_objective_t *slo = &self->scenario.slo;

    spot_table_add_note(table, "",
        spot_texts_add(&self->call->texts,
            "cost per hour; %zu queries, %.6g per second, CV %.4g, SCV %.4g; service: "
            "%s; objective: percentile %.6g within %.6g ms",
            arrivals->num_queries, arrivals->rate_qps, arrivals->cv, arrivals->cv * arrivals->cv,
            self->scenario.service->name, slo->percentile, serve_ms(slo->latency_ns)));
}

/* Prints tables, --csv the first of them, and frees them. IO, NO_MEMORY. */
static int serve_call_results(serve_call_t *self, size_t num_tables, spot_table_t *tables)
{
    return spot_output_tables(&self->call->diag, &self->arguments->target,
        self->arguments->csv_path, spot_output_put_csv, &tables[0], num_tables, tables);
}

/* ---- What planners find ---- */

#define MAX_FOUND 3

typedef struct {
    serve_call_t open;
    serve_verb_t verb;
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

    return self->verb == SERVE_RATE ? plan->rate_qps
           : self->verb == SERVE_PLAN
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
        spot_table_add_number(table, is_found ? serve_ms(plan->percentile_ns) : unknown);
        spot_table_add_number(table, is_found ? (double) plan->num_late : unknown);
        spot_table_add_count(table, planned->num_simulations);
        spot_table_add_number(table, planned->cpu_s);
        if (planned->why_none != NULL) {
            spot_table_add_note(table, self->planners[j]->name, planned->why_none);
        }
    }
    serve_call_note(&self->open, table);
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
    if (self->verb == SERVE_RATE) {
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
    if (self->verb == SERVE_RATE) {
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
    const serve_call_t *open = &self->open;
    bool is_any = false;
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "objective", self->verb == SERVE_RATE ? "max_rate" : "min_cost");
    spot_json_unsigned(&json, "queries", open->arrivals.num_queries);
    spot_json_number(&json, "rate_before_qps", open->arrivals.base_qps);
    spot_json_number(&json, "rate_qps", open->arrivals.rate_qps);
    spot_json_number(&json, "budget", open->scenario.plan.budget);
    spot_json_number(&json, "slo_ms", serve_ms(open->scenario.slo.latency_ns));
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

/* ---- The runs of plan, rate and compare ---- */

static int answer(found_t *self)
{
    const arguments_t *arguments = self->open.arguments;
    spot_table_t tables[2] = {{.name = "stages"}, {.name = "plans"}};
    const bool has_stages =
        self->verb != SERVE_COMPARE && self->planned[self->num_found - 1].plan.options != NULL;
    spot_table_t *first = &tables[has_stages ? 0 : 1];
    int ret = 0;

    if (has_stages) {
        fill_stages(self, &tables[0]);
    }
    fill_found(self, &tables[1]);
    if (!arguments->target.is_json) {
        return serve_call_results(&self->open, has_stages ? 2 : 1, first);
    }
    if (arguments->csv_path != NULL) {
        ret = spot_output_csv(&self->open.call->diag, arguments->csv_path, first);
    }
    spot_table_free(&tables[0]);
    spot_table_free(&tables[1]);
    return ret != 0
               ? ret
               : spot_output_write(&self->open.call->diag, arguments->target.path, put_json, self);
}

static int find(found_t *self, const spot_planner_t *planner)
{
    spot_planned_t *planned = &self->planned[self->num_found];

    self->planners[self->num_found++] = planner;
    return serve_call_plan(&self->open, planner, self->verb == SERVE_RATE,
        self->open.scenario.slo.latency_ns, planned);
}

/* Finds the plans of a command, that of the planner that was asked for last. JSON has
 * beside an exact plan what the heuristics find. */
static int find_all(found_t *self)
{
    const spot_planner_t *asked = self->verb == SERVE_COMPARE
                                      ? &spot_planner_exact
                                      : spot_serve_planners[self->open.scenario.plan.method];
    const bool is_beside = asked == &spot_planner_exact &&
                           (self->verb == SERVE_COMPARE || self->open.arguments->target.is_json);
    const spot_plan_request_t request = request_of(&self->open, self->open.scenario.slo.latency_ns);
    const spot_stage_option_t *found;
    int ret = is_beside ? find(self, &spot_planner_greedy) : 0;

    if (ret == 0 && is_beside && self->verb != SERVE_RATE) {
        ret = find(self, &spot_planner_polish);
    }
    ret = ret != 0 ? ret : find(self, asked);
    found = self->planned[self->num_found - 1].plan.options;
    return ret != 0 || self->verb != SERVE_PLAN || found == NULL
               ? ret
               : spot_serve_highest_rate(&request, found, &self->highest_qps);
}

/* The run of such a command: finds plans and prints them. Returns an error or an exit
 * code, 1: no plan was found. */
static int serve_call_find(spot_call_t *call, serve_verb_t verb)
{
    found_t self = {.verb = verb};
    bool is_found = false; /* by the planner that was asked for; of several, by any */
    int ret = serve_call_open(&self.open, call);

    ret = ret != 0 ? ret : find_all(&self);
    ret = ret != 0 ? ret : answer(&self);
    for (size_t j = 0; j < self.num_found; j++) {
        is_found = self.planned[j].plan.options != NULL || (is_found && verb == SERVE_COMPARE);
        spot_planned_free(&self.planned[j]);
    }
    serve_call_close(&self.open);
    return ret != 0 || is_found ? ret : SPOT_EXIT_FAILED;
}

/* ---- spotsim serve plan ---- */

static int plan_run(spot_call_t *call)
{
    return serve_call_find(call, SERVE_PLAN);
}

/* A planner. */
static const char *planner(size_t j, const char **name)
{
    const spot_planner_t *const planned = spot_serve_planners[j];

    *name = planned == NULL ? NULL : planned->name;
    return planned == NULL ? NULL : planned->doc;
}

const spot_verb_t spot_verb_serve_plan = {
    .name = "serve plan",
    .arguments = "SCENARIO",
    .summary = "Find the cheapest configuration that serves in time",
    .doc = "Chooses hardware, batch limit and replicas of each stage, so that the "
           "percentile of the latencies of the scenario's own queries is within the "
           "objective. proven: no cheaper configuration meets it. headroom: the highest "
           "rate that the configuration can take, in multiples of the rate. stage_runs: "
           "simulations of one stage. The exit code is 1 if there is no plan; the verdict "
           "is then the gate that fails: throughput, latency (the fastest way through "
           "is too slow) or slo. With --json an exact plan has those of greedy and polish "
           "beside it. Planners:",
    .examples = "  spotsim serve plan pipeline.yaml\n"
                "  spotsim serve plan pipeline.yaml --method greedy --json\n"
                "  spotsim serve plan pipeline.yaml --set \"slo.latency=250 ms\"\n",
    .options = spot_serve_plan_options,
    .item = planner,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &serve_initial,
    .run = plan_run,
};

/* ---- spotsim serve rate ---- */

static int rate_run(spot_call_t *call)
{
    return serve_call_find(call, SERVE_RATE);
}

const spot_verb_t spot_verb_serve_rate = {
    .name = "serve rate",
    .arguments = "SCENARIO",
    .summary = "Find the highest rate that a budget serves in time",
    .doc = "Stretches or squeezes the times between the scenario's queries to whole "
           "rates per second, and finds the highest one, with its configuration, that "
           "meets the objective at a cost per hour within plan.budget. The methods are "
           "exact and greedy. The exit code is 1 if there is none.",
    .examples = "  spotsim serve rate pipeline.yaml --set plan.budget=8\n"
                "  spotsim serve rate pipeline.yaml --method greedy --json\n",
    .options = spot_serve_plan_options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &serve_initial,
    .run = rate_run,
};

/* ---- spotsim serve compare ---- */

static int compare_run(spot_call_t *call)
{
    return serve_call_find(call, SERVE_COMPARE);
}

const spot_verb_t spot_verb_serve_compare = {
    .name = "serve compare",
    .arguments = "SCENARIO",
    .summary = "Compare the plans of greedy, polish and exact",
    .doc = "Finds the cheapest configuration for the scenario by three planners, see "
           "'spotsim serve plan --help'. gap_percent: how much more it costs than that "
           "of exact. runs: simulations of one stage. --json has the "
           "configurations and what each planner did. The exit code is 1 if no planner "
           "finds a plan.",
    .examples = "  spotsim serve compare pipeline.yaml\n"
                "  spotsim serve compare pipeline.yaml --json -o plans.json\n",
    .options = spot_serve_options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &serve_initial,
    .run = compare_run,
};

/* ---- spotsim serve check ---- */

/* A row for each gate: what must not be above its limit. */
static void fill_gates(
    const spot_serve_replication_t *check_run, size_t least_id, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "gate", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "value"},
        {.name = "limit"}, {.name = "margin", .has_sign = true},
        {.name = "unit", .kind = SPOT_TABLE_TEXT}, {.name = "verdict", .kind = SPOT_TABLE_TEXT}};
    const spot_serve_scenario_t *scenario = check_run->scenario;
    const double slo_ms = serve_ms(scenario->slo.latency_ns);
    const struct {
        double value, limit;
        const char *unit;
    } rows[] = {
        {check_run->arrivals.rate_qps,
            spot_gate_capacity(scenario, least_id, &check_run->options[least_id]), "queries/s"},
        {serve_ms(spot_gate_least_latency(scenario, check_run->options)), slo_ms, "ms"},
        {serve_ms(spot_latencies_percentile(&check_run->latencies, scenario->slo.percentile_milli)),
            slo_ms, "ms"}};

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, spot_gate_names[SPOT_GATE_THROUGHPUT + j]);
        spot_table_add_number(table, rows[j].value);
        spot_table_add_number(table, rows[j].limit);
        spot_table_add_number(table, rows[j].limit - rows[j].value);
        spot_table_add_text(table, rows[j].unit);
        spot_table_add_text(table, rows[j].value <= rows[j].limit ? "met" : "fails");
    }
}

static void fill_summary(
    const spot_serve_replication_t *check_run, size_t least_id, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "verdict", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "bottleneck", .kind = SPOT_TABLE_TEXT}, {.name = "cost"}, {.name = "late"},
        {.name = "lost"}, {.name = "unfinished"}};
    const spot_serve_scenario_t *scenario = check_run->scenario;
    const int64_t cost_micro = spot_serve_scenario_total(scenario, check_run->options);

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    spot_table_add_row(table);
    spot_table_add_text(table, spot_gate_names[check_run->gate]);
    spot_table_add_text(table, spot_serve_pipeline_stage_node(&scenario->pipeline, least_id)->id);
    spot_table_add_number(table, (double) cost_micro / 1e6);
    spot_table_add_count(
        table, (int64_t) spot_latencies_late(&check_run->latencies, scenario->slo.latency_ns));
    spot_table_add_count(table, (int64_t) check_run->serve.num_lost);
    spot_table_add_count(
        table, (int64_t) (check_run->serve.run.num_queries - check_run->serve.num_left));
}

static int check_check(serve_call_t *self, spot_serve_replication_t *check_run)
{
    spot_table_t tables[] = {{.name = "gates"}, {.name = "summary"}};
    int ret = spot_serve_replication_run(check_run, &self->replication, false);
    const char *warning = self->scenario.service->warning;
    size_t least_id;

    if (warning != NULL) {
        spot_diag_warn(&self->call->diag, self->arguments->scenario_path, 0, 0, "%s", warning);
    }
    if (ret == 0 && check_run->options != NULL) {
        least_id = spot_gate_bottleneck(check_run->scenario, check_run->options);
        fill_gates(check_run, least_id, &tables[0]);
        fill_summary(check_run, least_id, &tables[1]);
        serve_call_note(self, &tables[1]);
        ret = serve_call_results(self, 2, tables);
    }
    if (ret == 0 && check_run->failure[0] != '\0') {
        spot_diag_error(
            &self->call->diag, self->arguments->scenario_path, 0, 0, "%s", check_run->failure);
        return SPOT_ERR_NOTHING_DONE;
    }
    return ret == 0 && check_run->gate != SPOT_GATE_FEASIBLE ? SPOT_EXIT_FAILED : ret;
}

static int check_run(spot_call_t *call)
{
    spot_serve_replication_t replication = {.scenario = NULL};
    serve_call_t self;
    int ret = serve_call_open(&self, call);

    if (ret == 0 && self.scenario.config_form != 0 && self.scenario.num_configs == 0) {
        ret = serve_call_error(&self, "config", "config is needed: an option for each stage");
    }
    ret = ret != 0 ? ret : spot_serve_replication_init(&replication, &self.scenario);
    ret = ret != 0 ? ret : check_check(&self, &replication);
    spot_serve_replication_free(&replication);
    serve_call_close(&self);
    return ret;
}

const spot_verb_t spot_verb_serve_check = {
    .name = "serve check",
    .arguments = "SCENARIO",
    .summary = "Check a configuration against its latency objective",
    .doc = "Three gates in this order; the first one that fails is the verdict. "
           "throughput: the rate of the queries against what the stage of least "
           "capacity, the bottleneck, can do. latency: the fastest way through the "
           "pipeline against the objective. slo: the percentile of the simulated "
           "latencies, with preemptions if the scenario has them, against the "
           "objective. The exit code is 1 if a gate fails.",
    .examples = "  spotsim serve check pipeline.yaml\n"
                "  spotsim serve check pipeline.yaml --set config.ResNet.replicas=2\n",
    .options = spot_serve_options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &serve_initial,
    .run = check_run,
};

/* ---- spotsim serve frontier ---- */

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
static int add_plan(serve_call_t *self, const spot_planner_t *planner, int64_t slo_ns,
    spot_table_t *table, double *cost)
{
    spot_planned_t planned = {.why_none = NULL};
    const spot_serving_plan_t *plan = &planned.plan;
    const int ret = serve_call_plan(self, planner, false, slo_ns, &planned);

    *cost = ret == 0 && plan->options != NULL ? (double) plan->cost_micro / 1e6 : (double) NAN;
    spot_table_add_row(table);
    spot_table_add_number(table, serve_ms(slo_ns));
    spot_table_add_text(table, planner->name);
    spot_table_add_number(table, *cost);
    if (!isnan(*cost)) {
        spot_table_add_number(table, serve_ms(plan->percentile_ns));
        spot_table_add_count(table, (int64_t) plan->num_late);
        add_configuration(table, &self->scenario, plan->options);
    }
    spot_planned_free(&planned);
    return ret;
}

/* Plans for all objectives; a point for each. */
static int find_frontier(serve_call_t *self, spot_table_t *table, frontier_point_t *points)
{
    static const spot_table_column_t columns[] = {{.name = "slo_ms", .is_key = true},
        {.name = "method", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "cost"},
        {.name = "percentile_ms"}, {.name = "late"},
        {.name = "configuration", .kind = SPOT_TABLE_PROSE}};
    spot_serve_scenario_t *scenario = &self->scenario;
    const size_t num_slos = scenario->num_frontier;
    spot_counter_t line;
    const spot_watch_t watch = spot_counter_watch(&line, "objectives", self->call->is_quiet);
    int ret = 0;

    qsort(scenario->frontier_ns, num_slos, sizeof(*scenario->frontier_ns), compare_slos);
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < num_slos && ret == 0; j++) {
        const int64_t slo_ns = scenario->frontier_ns[j];

        points[j].slo_ms = serve_ms(slo_ns);
        ret = add_plan(self, &spot_planner_exact, slo_ns, table, &points[j].exact);
        ret =
            ret != 0 ? ret : add_plan(self, &spot_planner_greedy, slo_ns, table, &points[j].greedy);
        spot_watch_report(&watch, (int64_t) j + 1, (int64_t) num_slos);
    }
    spot_counter_finish(&line);
    return ret;
}

/* The picture, and its data beside it. */
static int draw_frontier(
    serve_call_t *self, const spot_table_t *table, const frontier_point_t *points)
{
    const char *path = self->arguments->plot_path;
    const frontier_t frontier = {
        self->scenario.name, self->scenario.slo.percentile, self->scenario.num_frontier, points};
    const int ret = spot_output_picture(declare_frontier, &frontier, path, &self->call->diag);

    return ret != 0 || self->data_path == NULL
               ? ret
               : spot_output_csv(&self->call->diag, self->data_path, table);
}

static int frontier_run(spot_call_t *call)
{
    spot_table_t table = {.name = "frontier"};
    frontier_point_t *points = NULL;
    serve_call_t self;
    int ret = serve_call_open(&self, call);

    if (ret == 0 && self.scenario.num_frontier == 0) {
        ret = serve_call_error(&self, "frontier", "frontier.slo is needed");
    }
    if (ret == 0) {
        points = spot_calloc(self.scenario.num_frontier, sizeof(*points));
        ret = points == NULL ? SPOT_ERR_NO_MEMORY : find_frontier(&self, &table, points);
    }
    if (ret == 0 && self.arguments->plot_path != NULL) {
        ret = draw_frontier(&self, &table, points);
    }
    if (ret == 0) {
        ret = serve_call_results(&self, 1, &table);
    }
    spot_table_free(&table);
    free(points);
    serve_call_close(&self);
    return ret;
}

const spot_verb_t spot_verb_serve_frontier = {
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
    .options = serve_frontier_options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &serve_initial,
    .run = frontier_run,
};
