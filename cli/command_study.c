/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/study_task.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

#define MAX_SHARDS 1000000

typedef struct {
    spot_study_task_t task;
    const char *output_path;
    bool is_plan;
    spot_option_list_t sets;
    int64_t seed, num_replications;
    const char *trace_path;
} arguments_t;

static const arguments_t initial = {.seed = -1};

/* "3/8" is the third of eight. */
static void parse_shard(spot_call_t *call, const spot_option_t *option, const char *text)
{
    spot_study_task_t *task = &((arguments_t *) call->arguments)->task;
    int64_t i = 0, n = 0;
    int num_bytes = 0;

    if (sscanf(text, "%" SCNd64 "/%" SCNd64 "%n", &i, &n, &num_bytes) != 2 ||
        text[num_bytes] != '\0' || strspn(text, "0123456789/") != strlen(text) || i < 1 ||
        n > MAX_SHARDS || i > n) {
        spot_usage_error(call,
            "--%s: expected I/N with I from 1 to N and N up to %d, e.g. 3/8, got \"%s\"",
            option->name, MAX_SHARDS, text);
    }
    task->shard_id = i - 1;
    task->num_shards = n;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a study file", 0, "STUDY", task.input_path, NULL, .min = 1),
    SPOT_OPTION(FILE, "output", 'o', "FILE", output_path,
        "Keep the results in FILE.db (or .sqlite, .sqlite3), a database: a study that "
        "is run again with it runs what is missing. Any other name: a summary as CSV, "
        "one row a point and metric; -: the same on standard output",
        .endings = ".csv or .db or .sqlite or .sqlite3"),
    SPOT_OPTION(FILE, "plot", 0, "FILE.svg", task.plot_path, "Draw the results", .endings = ".svg"),
    SPOT_OPTION_THREADS,
    SPOT_OPTION(TEXT, "shard", 0, "I/N", task.shard,
        "Run the I-th of N parts only, into a database of its own (needs -o FILE.db); "
        "`spotsim merge` joins them",
        .settle = parse_shard),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the study, of its scenario, or the values of a swept key; may be "
        "given several times",
        .example = "replications.count=100 or job.reload=\"60 s\""),
    SPOT_OPTION(COUNT, "seed", 0, "N", seed, "Short for --set replications.seed=N"),
    SPOT_OPTION(COUNT, "replications", 0, "N", num_replications,
        "Short for --set replications.count=N", .min = 1),
    SPOT_OPTION_TRACE(trace_path),
    SPOT_OPTION_JSON(task.is_json, "Print the results as JSON instead of a table"),
    SPOT_OPTION(FILE, "sensitivity", 0, "FILE.csv", task.sensitivity_path,
        "Write the Sobol indices of a sensitivity plan as CSV, one row a metric and key",
        .endings = ".csv"),
    SPOT_OPTION(FLAG, "plan", 0, NULL, is_plan,
        "Print the points, the runs, with -o FILE.db how many of them are there and "
        "left, and an estimate of the time for these (measured on some runs), with "
        "--json as JSON; write nothing"),
    SPOT_OPTION_PROGRESS,
    SPOT_OPTION_END,
};

/* What is no database is CSV. */
static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_study_task_t *task = &arguments->task;

    if (spot_study_task_is_store(arguments->output_path)) {
        task->store_path = arguments->output_path;
    } else {
        task->csv_path = arguments->output_path;
        spot_usage_refuse(
            call, task->num_shards > 0, "--shard needs a database to keep its part in: -o FILE.db");
    }
    spot_study_task_check_json(task, call, "-o");
    spot_usage_refuse(call,
        task->num_shards > 1 && !arguments->is_plan &&
            (task->is_json || task->plot_path != NULL || task->sensitivity_path != NULL),
        "a part of a study has no results to show: merge the parts");
    if (arguments->trace_path != NULL && strchr(arguments->trace_path, '\'') != NULL) {
        spot_usage_error(
            call, "--trace: expected a name without \"'\", got \"%s\"", arguments->trace_path);
    }
}

/* Adds what options are short for, behind the sets that were given. */
static void add_sets(spot_call_t *call, arguments_t *self)
{
    if (self->seed >= 0) {
        spot_option_list_add(
            &self->sets, spot_texts_add(&call->texts, "replications.seed=%" PRId64, self->seed));
    }
    if (self->num_replications > 0) {
        spot_option_list_add(&self->sets,
            spot_texts_add(&call->texts, "replications.count=%" PRId64, self->num_replications));
    }
    if (self->trace_path != NULL) {
        spot_option_list_add(
            &self->sets, spot_texts_add(&call->texts, "trace={file: '%s'}", self->trace_path));
    }
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_study_task_t *task = &arguments->task;
    spot_study_t study = {.experiment = NULL};
    int ret;

    spot_study_task_init(task, call);
    add_sets(call, arguments);
    ret = spot_study_read(&study, spot_engines, task->input_path, arguments->sets.texts,
        arguments->sets.num_texts, &call->diag);
    ret = ret != 0 ? ret : spot_study_check_shards(&study, task->num_shards, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = (arguments->is_plan ? spot_study_task_plan : spot_study_task_run)(task, &study);
    }
    spot_study_free(&study);
    return ret;
}

const spot_command_t spot_command_study = {
    .name = "study",
    .arguments = "STUDY",
    .summary = "Run a parameter study: swept keys x replications, on all processors",
    .doc = "STUDY is a YAML file, see spotsim-study(5). All points meet the same "
           "events (common random numbers), and the results do not depend on the "
           "number of threads or parts. With -o FILE.db the study can be stopped at "
           "any time, even by a power cut: the same command runs what is missing. One "
           "process at a time writes to a database. An interrupt finishes the batches "
           "under way, keeps what was done (without a database in FILE.csv.partial) "
           "and exits with 130; a second one stops at once. With optimise.subject_to the "
           "exit code is 0 if a point is shown to keep the conditions, 1 if none can and 4 "
           "if that is open, as in --json the verdict is yes, no or undecided; that several "
           "points may be the best is no failure.",
    .examples = "  spotsim study study.yaml -o results.db --plot idle.svg\n"
                "  spotsim study study.yaml --replications 100 \\\n"
                "      --set job.pipeline_depth=[4,8]\n"
                "  spotsim study study.yaml --plan\n"
                "  spotsim study study.yaml -o part-3.db --shard 3/8\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
