/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/study_task.h"
#include "sim/bench/study/compare.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

typedef struct {
    spot_study_task_t task;
    spot_compare_request_t request;
    size_t max_keys;
    spot_compare_key_t *keys; /* [request.num_keys] */
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.request = {.seed = 1}};

static void add_key(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *self = call->arguments;
    spot_compare_request_t *request = &self->request;
    const bool is_short = strcmp(option->name, "recovery") == 0;

    spot_option_reserve(&self->keys, &self->max_keys, request->num_keys + 1, sizeof(*self->keys));
    self->keys[request->num_keys++] = (spot_compare_key_t){
        is_short ? "--recovery" : "--over", is_short ? "recovery" : NULL, text};
    request->keys = self->keys;
}

static void check_store(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    if (!spot_study_task_is_store(text)) {
        spot_usage_error(
            call, "-o: expected a database, FILE.db, got \"%s\"; CSV goes to --csv", text);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", task.input_path, NULL, .min = 1),
    SPOT_OPTION(OWN, "over", 0, "KEY=A,B,...", keys,
        "Compare values of a key of the scenario, two or more, written as in a YAML "
        "list; the others are compared with the first. Given several times, all "
        "combinations are compared with that of the first values",
        .settle = add_key),
    SPOT_OPTION(OWN, "recovery", 0, "A,B,...", keys,
        "Short for --over recovery=A,B,...: recovery systems, NAME or {system: NAME, "
        "OPTION: VALUE}",
        .settle = add_key),
    SPOT_OPTION_TRACE(request.trace_path),
    SPOT_OPTION(COUNT, "replications", 0, "N", request.num_replications,
        "Replications of each case (default: as many as the engine says, 1000 of train; "
        "1 where they do not differ, such as on a recorded trace that names its "
        "instances)",
        .min = 1),
    SPOT_OPTION_SEED(request.seed),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario, or of the study that this makes; may be given "
        "several "
        "times",
        .example = "job.reload=\"60 s\" or metrics=[cost_usd]"),
    SPOT_OPTION_THREADS,
    SPOT_OPTION_JSON(task.is_json, "Print the results as JSON instead of a table"),
    SPOT_OPTION(FILE, "csv", 0, "FILE", task.csv_path,
        "Write the results as CSV, one row a case and metric; - is standard output, "
        "instead of the table",
        .endings = ".csv"),
    SPOT_OPTION(FILE, "plot", 0, "FILE.svg", task.bars_path,
        "Draw the parts of each case, such as where the paid instance time went, a bar "
        "a case",
        .endings = ".svg"),
    SPOT_OPTION(FILE, "plot-progress", 0, "FILE.svg", task.progress_path,
        "Draw how far each case came over time in the first replication", .endings = ".svg"),
    SPOT_OPTION(FILE, "plot-cdf", 0, "FILE.svg", task.cdf_path,
        "Draw the distribution of each of the first 8 cases in the first replication, "
        "with its data, FILE.csv, and FILE.gnuplot beside it",
        .endings = ".svg"),
    SPOT_OPTION(FILE, "output", 'o', "FILE.db", task.store_path,
        "Keep the runs in a database (.db, .sqlite, .sqlite3); the same command goes on "
        "where it was stopped",
        .settle = check_store),
    SPOT_OPTION_PROGRESS,
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->request.num_keys == 0,
        "expected --recovery A,B,...; `spotsim recovery` lists them");
    spot_study_task_check_json(&arguments->task, call, "--csv");
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_compare_request_t *request = &arguments->request;
    spot_study_t study;
    int ret;

    spot_study_task_init(&arguments->task, call);
    request->scenario_path = arguments->task.input_path;
    request->num_sets = arguments->sets.num_texts;
    request->sets = arguments->sets.texts;
    ret = spot_compare_read(request, spot_engines, &study, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = spot_study_task_run(&arguments->task, &study);
    }
    spot_study_free(&study);
    free(arguments->keys);
    return ret;
}

const spot_command_t spot_command_compare = {
    .name = "compare",
    .arguments = "SCENARIO",
    .summary = "Compare recovery systems, or values of any key, on the same events",
    .doc = "All cases meet the same trace, or in each replication the same events of "
           "a generated one; all else is as SCENARIO has it, see spotsim-scenario(5). "
           "The first table has the means and their 95 % intervals, the second one "
           "the paired differences to the first case, marked where 0 is outside their "
           "interval. Letters mark cases whose runs met a warning, such as a job that "
           "never ran; notes give their number and what to do. A case without chance, "
           "such as a recorded trace that names its instances, runs once and has no "
           "interval. It is a study of the keys that are compared, see "
           "spotsim-study(5): --set takes its keys too, -o keeps it. An interrupt "
           "finishes the batches under way and exits with 130.",
    .examples = "  spotsim compare seed-64.yaml --recovery ideal,checkpoint -o both.db\n"
                "  spotsim compare seed-64.yaml --recovery ideal,checkpoint,on-demand \\\n"
                "      --plot ledger.svg --plot-progress progress.svg\n"
                "  spotsim compare seed-64.yaml --over fleet.capacity=64,128 \\\n"
                "      --over \"recovery=checkpoint,{system: recycle, micro_batch: 8}\"\n"
                "  spotsim compare seed-64.yaml --trace p3.csv --set horizon=trace-end \\\n"
                "      --recovery \"checkpoint,{system: checkpoint, detection: 30 s}\"\n"
                "  spotsim compare seed-64.yaml --recovery ideal,checkpoint \\\n"
                "      --set sweep.trace.preemption.per_minute=[0.05,0.2]\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
