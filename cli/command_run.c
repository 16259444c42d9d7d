/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/outfile.h"
#include "cli/command.h"
#include "reports/page/page_timeline.h"
#include "reports/timeline_plot.h"
#include "sim/train/run_json.h"
#include "sim/train/run_log.h"
#include "sim/train/run_text.h"
#include "sim/train/run_timeline.h"

enum {
    OPTION_TRACE = 256,
    OPTION_SEED,
    OPTION_REPLICATION,
    OPTION_SET,
    OPTION_CHECK_THEORY,
    OPTION_JSON,
    OPTION_EVENTS,
    OPTION_PLOT
};

typedef struct {
    const char *scenario_path;
    const char *trace_path;
    const char *events_path;
    const char *plot_path;
    int64_t seed;
    int64_t replication;
    bool has_theory;
    bool is_json;
    spot_option_list_t sets;
} arguments_t;

static const struct argp_option options[] = {
    {"trace", OPTION_TRACE, "FILE", 0,
        "Run on this trace file (spotsim-trace 1, .csv or .csv.gz) instead of the "
        "scenario's trace",
        0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random streams (default 1)", 0},
    {"replication", OPTION_REPLICATION, "R", 0,
        "Which replication of the seed to run (default 0)", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
        "Set a key of the scenario, e.g. job.reload=\"60 s\"; may be given several "
        "times",
        0},
    {"check-theory", OPTION_CHECK_THEORY, NULL, 0,
        "Tell beside the result what share of its time the job keeps by the theory of "
        "checkpoints, see 'spotsim theory checkpoint --help'",
        0},
    {"json", OPTION_JSON, NULL, 0, "Print the result as one JSON object", 0},
    {"events", OPTION_EVENTS, "FILE.jsonl", 0,
        "Write the event log, one JSON object a line; - is standard output", 0},
    {"plot", OPTION_PLOT, "FILE", 0,
        "Draw the instances over time by what they do: FILE.svg is a picture (needs "
        "gnuplot), FILE.html a page with one that can be zoomed",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case OPTION_TRACE:
            arguments->trace_path = text;
            return 0;
        case OPTION_SEED:
            arguments->seed = spot_option_integer(state, "--seed", text, 0);
            return 0;
        case OPTION_REPLICATION:
            arguments->replication =
                spot_option_integer(state, "--replication", text, 0);
            return 0;
        case OPTION_SET:
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_CHECK_THEORY:
            arguments->has_theory = true;
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case OPTION_EVENTS:
            arguments->events_path = text;
            return 0;
        case OPTION_PLOT:
            arguments->plot_path = spot_option_svg_or_html(state, text);
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->scenario_path, "a scenario file");
    }
}

static int
write_events(const spot_event_log_t *log, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        spot_run_log_write(log, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
write_page(const spot_timeline_t *timeline, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = spot_page_run_write(timeline, path, file.stream, diag);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
write_plot(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_event_log_t *log, const char *path, spot_diag_t *diag)
{
    spot_timeline_t timeline;
    int ret;

    spot_timeline_init(&timeline);
    ret = spot_run_timeline(scenario, result, log, &timeline);
    if (ret == 0) {
        ret = (spot_has_suffix(path, ".html") ? write_page : spot_timeline_plot)(
            &timeline, path, diag);
    }
    spot_timeline_free(&timeline);
    return ret;
}

static int
print_result(const arguments_t *arguments, const spot_scenario_t *scenario,
    const spot_train_result_t *result, spot_diag_t *diag)
{
    spot_run_theory_t theory;
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, NULL, diag);

    if (arguments->has_theory) {
        spot_run_theory_init(&theory, scenario, result);
    }
    if (ret == 0) {
        (arguments->is_json ? spot_run_json_write : spot_run_text_write)(
            scenario, result, arguments->has_theory ? &theory : NULL, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
simulate(
    const arguments_t *arguments, const spot_scenario_t *scenario, spot_diag_t *diag)
{
    const bool has_log = arguments->events_path != NULL || arguments->plot_path != NULL;
    spot_event_log_t log;
    spot_train_t train;
    int ret;

    spot_event_log_init(&log);
    ret = spot_train_init(&train, scenario);
    if (ret == 0) {
        ret = spot_train_run(&train, (uint64_t) arguments->seed,
            (uint64_t) arguments->replication, has_log ? &log : NULL);
    }
    if (ret == 0) {
        ret = print_result(arguments, scenario, &train.result, diag);
    }
    if (ret == 0 && arguments->events_path != NULL) {
        ret = write_events(&log, arguments->events_path, diag);
    }
    if (ret == 0 && arguments->plot_path != NULL) {
        ret = write_plot(scenario, &train.result, &log, arguments->plot_path, diag);
    }
    spot_train_free(&train);
    spot_event_log_free(&log);
    return ret;
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {.seed = 1};
    spot_scenario_changes_t changes;
    spot_scenario_t scenario;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_run, argc, argv, parse, &arguments);
    changes.trace_path = arguments.trace_path;
    changes.num_sets = arguments.sets.num_texts;
    changes.sets = arguments.sets.texts;
    ret = spot_scenario_read(&scenario, arguments.scenario_path, &changes, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = spot_command_check_outputs(
            (spot_command_files_t){
                2, (const char *[]){arguments.scenario_path, arguments.trace_path}},
            (spot_command_files_t){
                2, (const char *[]){arguments.events_path, arguments.plot_path}},
            &diag);
        ret = ret == 0 ? simulate(&arguments, &scenario, &diag) : ret;
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_scenario_free(&scenario);
    free(arguments.sets.texts);
    return exit_code;
}

const spot_command_t spot_command_run = {
    .name = "run",
    .arguments = "SCENARIO",
    .summary =
        "Run one replication of a scenario and tell where the time and the money went",
    .doc = "SCENARIO is a YAML file, see spotsim-scenario(5). Times are exact to the "
           "millisecond; the same seed and replication give the same run everywhere.",
    .examples =
        "  spotsim run seed-64.yaml\n"
        "  spotsim run seed-64.yaml --seed 7 --plot run.svg\n"
        "  spotsim run seed-64.yaml --set \"horizon=30 d\" --plot run.html\n"
        "  spotsim run seed-64.yaml --trace p3.csv --set horizon=trace-end --json\n",
    .options = options,
    .run = run,
};
