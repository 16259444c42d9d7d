/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that plan a serving pipeline have in common: their options, the
 * scenario with its queries, and how plans are found and printed. */
#pragma once

#include "base/yaml.h"
#include "cli/command.h"
#include "reports/table/table.h"
#include "sim/serve/planner.h"

typedef struct {
    const char *scenario_path;
    const char *csv_path;
    const char *plot_path; /* of frontier */
    const char *method;    /* it is among sets */
    spot_target_t target;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} spot_serve_arguments_t;

extern const spot_serve_arguments_t spot_serve_initial;

/* Options of all these commands; the same with --method, and with --plot. */
extern const spot_option_t spot_serve_options[], spot_serve_plan_options[],
    spot_serve_frontier_options[];

/* A scenario and the queries of its replication. */
typedef struct {
    spot_call_t *call;
    const spot_serve_arguments_t *arguments;
    spot_yaml_t document; /* places of messages */
    spot_serve_scenario_t scenario;
    spot_arrivals_t arrivals; /* their rate is not NAN */
    spot_replication_t replication;
    const char *data_path; /* of the table beside the picture; NULL: none */
} spot_serve_call_t;

/* Reads the scenario and draws the queries. BAD_INPUT, IO with the reasons in the call:
 * also where an output would replace a file of the scenario; NO_MEMORY. Close self even
 * then. */
SPOT_MUST_CHECK int spot_serve_call_open(spot_serve_call_t *self, spot_call_t *call);
void spot_serve_call_close(spot_serve_call_t *self);

/* An error at a key of the scenario. Returns BAD_INPUT. */
int spot_serve_call_error(spot_serve_call_t *self, const char *key, const char *text);

/* Runs a planner for an objective, or for the highest rate at that of the scenario;
 * planned is zeroed. Errors of planners; BAD_INPUT with the reason in the call: nothing
 * can be planned so. */
SPOT_MUST_CHECK int spot_serve_call_plan(spot_serve_call_t *self, const spot_planner_t *planner,
    bool is_rate, int64_t slo_ns, spot_planned_t *planned);

/* What was asked for, as a note of a table. */
void spot_serve_call_note(const spot_serve_call_t *self, spot_table_t *table);

/* Prints tables, --csv the first of them, and frees them. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_serve_call_results(
    spot_serve_call_t *self, size_t num_tables, spot_table_t *tables);

/* Writes a table as CSV; it and the stream keep their errors. */
void spot_serve_put_csv(const void *table, FILE *out);

/* A CSV file of a table. */
SPOT_MUST_CHECK int spot_serve_write_csv(
    spot_call_t *call, const char *path, const spot_table_t *table);

/* Milliseconds; NAN for a time that is infinite. */
double spot_serve_ms(int64_t ns);

typedef enum {
    SPOT_SERVE_PLAN,   /* the least cost, by the planner of the scenario */
    SPOT_SERVE_RATE,   /* the highest rate within the budget, by the same */
    SPOT_SERVE_COMPARE /* the least cost, by three planners */
} spot_serve_verb_t;

/* The run of such a command: finds plans and prints them. Returns an error or an exit
 * code, 1: no plan was found. */
int spot_serve_call_find(spot_call_t *call, spot_serve_verb_t verb);
