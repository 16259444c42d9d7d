/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/study_task.h"
#include "sim/engines.h"

#define MAX_SHARDS 1000000

enum {
    OPTION_THREADS = 256,
    OPTION_SET,
    OPTION_JSON,
    OPTION_PLOT,
    OPTION_SHARD,
    OPTION_PROGRESS,
    OPTION_PLAN,
    OPTION_SENSITIVITY
};

typedef struct {
    spot_study_task_t task;
    const char *output_path;
    bool is_plan;
    spot_option_list_t sets;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
        "Keep the results in FILE.db (or .sqlite, .sqlite3), a database: a study that "
        "is run again with it runs what is missing. Any other name: a summary as CSV, "
        "one row a point and metric; -: the same on standard output",
        0},
    {"plot", OPTION_PLOT, "FILE.svg", 0, "Draw the results (needs gnuplot)", 0},
    {"threads", OPTION_THREADS, "N", 0,
        "Threads to run on (default: all processors); the results are the same", 0},
    {"shard", OPTION_SHARD, "I/N", 0,
        "Run the I-th of N parts only, into a database of its own (needs -o FILE.db); "
        "`spotsim merge` joins them",
        0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
        "Set a key of the study (replications.count=100), of its scenario "
        "(job.reload=\"60 s\"), or the values of a swept key; may be given several "
        "times",
        0},
    {"json", OPTION_JSON, NULL, 0, "Print the results as JSON instead of a table", 0},
    {"sensitivity", OPTION_SENSITIVITY, "FILE.csv", 0,
        "Write the Sobol indices of a sensitivity plan as CSV, one row a metric and key",
        0},
    {"plan", OPTION_PLAN, NULL, 0,
        "Print the points, the runs, with -o FILE.db how many of them are there and "
        "left, and an estimate of the time for these (measured on some runs), with "
        "--json as JSON; write nothing",
        0},
    {"progress", OPTION_PROGRESS, "FORM", 0,
        "The form of the progress on standard error: auto (default: line on a "
        "terminal, else lines), line, lines (every 10 s), json (an object a line, "
        "every s), none",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* "3/8" is the third of eight. */
static void
parse_shard(struct argp_state *state, const char *text, spot_study_task_t *task)
{
    int64_t i = 0, n = 0;
    int num_bytes = 0;

    if (sscanf(text, "%" SCNd64 "/%" SCNd64 "%n", &i, &n, &num_bytes) != 2 ||
        text[num_bytes] != '\0' || strspn(text, "0123456789/") != strlen(text) ||
        i < 1 || n > MAX_SHARDS || i > n) {
        spot_option_error(state,
            "--shard: expected I/N with I from 1 to N and N up to %d, e.g. 3/8, got "
            "\"%s\"",
            MAX_SHARDS, text);
    }
    task->shard = text;
    task->shard_id = i - 1;
    task->num_shards = n;
}

/* What is no database is CSV. */
static void
finish_arguments(struct argp_state *state, arguments_t *arguments)
{
    spot_study_task_t *task = &arguments->task;
    spot_study_results_t *results = &task->results;

    if (spot_study_task_is_store(arguments->output_path)) {
        task->store_path = arguments->output_path;
    } else {
        results->csv_path = arguments->output_path;
        if (task->num_shards > 0) {
            spot_option_error(
                state, "--shard needs a database to keep its part in: -o FILE.db");
        }
    }
    spot_study_task_check_json(task, state, "-o");
    if (task->num_shards > 1 && !arguments->is_plan &&
        (results->is_json || results->plot_path != NULL ||
            results->sensitivity_path != NULL)) {
        spot_option_error(
            state, "a part of a study has no results to show: merge the parts");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path = spot_option_file(
                state, "-o", text, ".csv or .db or .sqlite or .sqlite3");
            return 0;
        case OPTION_PLOT:
            arguments->task.results.plot_path =
                spot_option_file(state, "--plot", text, ".svg");
            return 0;
        case OPTION_THREADS:
            spot_study_task_threads(&arguments->task, state, text);
            return 0;
        case OPTION_SHARD:
            parse_shard(state, text, &arguments->task);
            return 0;
        case OPTION_PROGRESS:
            spot_study_task_progress(&arguments->task, state, text);
            return 0;
        case OPTION_SET:
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_JSON:
            arguments->task.results.is_json = true;
            return 0;
        case OPTION_SENSITIVITY:
            arguments->task.results.sensitivity_path =
                spot_option_file(state, "--sensitivity", text, ".csv");
            return 0;
        case OPTION_PLAN:
            arguments->is_plan = true;
            return 0;
        case ARGP_KEY_SUCCESS:
            finish_arguments(state, arguments);
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->task.input_path, "a study file");
    }
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_study_task_t *task = &arguments.task;
    spot_study_t study;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_study_task_init(task, argc, argv);
    spot_command_parse(&spot_command_study, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    ret = spot_study_read(&study, spot_engines, task->input_path, arguments.sets.texts,
        arguments.sets.num_texts, &diag);
    if (ret == 0) {
        ret = spot_study_check_shards(&study, task->num_shards, &diag);
    }
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = spot_study_task_keep_ledger(task, &study);
        if (ret == 0) {
            ret = arguments.is_plan ? spot_study_task_plan(task, &study, &diag)
                                    : spot_study_task_run(task, &study, &diag);
        }
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_study_free(&study);
    free(arguments.sets.texts);
    return exit_code;
}

const spot_command_t spot_command_study = {
    .name = "study",
    .arguments = "STUDY",
    .summary = "Run a parameter study: swept keys x replications, on all processors",
    .doc =
        "STUDY is a YAML file, see spotsim-study(5). All points meet the same events "
        "(common random numbers), and the results do not depend on the number of "
        "threads or parts. With -o FILE.db the study can be stopped at any time, even "
        "by a power cut: run the same command again and it runs what is missing. "
        "Several processes may work on one database of a local disk at once. An "
        "interrupt finishes the batches under way, keeps what was done and exits with "
        "130; a second one stops at once. Without a database it keeps what was done "
        "beside the CSV, as FILE.csv.partial.",
    .examples = "  spotsim study study.yaml -o results.db --plot idle.svg\n"
                "  spotsim study study.yaml --set replications.count=100 "
                "--set job.pipeline_depth=[4,8]\n"
                "  spotsim study study.yaml --plan\n"
                "  spotsim study study.yaml -o part-3.db --shard 3/8\n",
    .options = options,
    .run = run,
};
