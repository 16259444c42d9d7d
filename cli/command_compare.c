/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/study_task.h"
#include "sim/engines.h"
#include "sim/study/study.h"

enum {
    OPTION_OVER = 256,
    OPTION_RECOVERY,
    OPTION_TRACE,
    OPTION_REPLICATIONS,
    OPTION_SEED,
    OPTION_SET,
    OPTION_THREADS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_PLOT,
    OPTION_PLOT_PROGRESS,
    OPTION_PROGRESS
};

typedef struct {
    spot_study_task_t task;
    spot_compare_request_t request;
    size_t max_keys;
    spot_compare_key_t *keys; /* [request.num_keys] */
    spot_option_list_t sets;
} arguments_t;

static const struct argp_option options[] = {
    {"over", OPTION_OVER, "KEY=A,B,...", 0,
        "Compare values of a key of the scenario, two or more, written as in a YAML "
        "list; the others are compared with the first. Given several times, all "
        "combinations are compared with that of the first values",
        0},
    {"recovery", OPTION_RECOVERY, "A,B,...", 0,
        "Short for --over recovery=A,B,...: recovery systems, NAME or {system: NAME, "
        "OPTION: VALUE}",
        0},
    {"trace", OPTION_TRACE, "FILE", 0,
        "Run on this trace file (spotsim-trace 1, .csv or .csv.gz) instead of the "
        "scenario's trace",
        0},
    {"replications", OPTION_REPLICATIONS, "N", 0,
        "Replications of each case (default: as many as the engine says, 1000 of train; "
        "1 where they do not differ, such as on a recorded trace that names its "
        "instances)",
        0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random streams (default 1)", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
        "Set a key of the scenario, e.g. job.reload=\"60 s\", or of the study that this "
        "makes, e.g. metrics=[cost_usd]; may be given several times",
        0},
    {"threads", OPTION_THREADS, "N", 0,
        "Threads to run on (default: all processors); the results are the same", 0},
    {"json", OPTION_JSON, NULL, 0, "Print the results as JSON instead of a table", 0},
    {"csv", OPTION_CSV, "FILE", 0,
        "Write the results as CSV, one row a case and metric; - is standard output, "
        "instead of the table",
        0},
    {"plot", OPTION_PLOT, "FILE.svg", 0,
        "Draw the parts of each case, such as where the paid instance time went, a bar "
        "a case (needs gnuplot)",
        0},
    {"plot-progress", OPTION_PLOT_PROGRESS, "FILE.svg", 0,
        "Draw how far each case came over time in the first replication (needs gnuplot)",
        0},
    {"output", 'o', "FILE.db", 0,
        "Keep the runs in a database (.db, .sqlite, .sqlite3); the same command goes on "
        "where it was stopped",
        0},
    {"progress", OPTION_PROGRESS, "FORM", 0,
        "The form of the progress on standard error: auto, line, lines, json or none, "
        "as for `spotsim study`",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void
add_key(arguments_t *self, const char *option, const char *key, const char *values)
{
    spot_compare_request_t *request = &self->request;

    if (spot_array_reserve(&self->keys, &self->max_keys, request->num_keys + 1,
            sizeof(*self->keys)) != 0) {
        fprintf(stderr, "spotsim: out of memory\n");
        exit(SPOT_EXIT_FAILED);
    }
    self->keys[request->num_keys++] = (spot_compare_key_t){option, key, values};
    request->keys = self->keys;
}

static void
finish_arguments(struct argp_state *state, const arguments_t *arguments)
{
    if (arguments->request.num_keys == 0) {
        spot_option_error(
            state, "expected --recovery A,B,...; `spotsim recovery` lists them");
    }
    spot_study_task_check_json(&arguments->task, state, "--csv");
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    spot_compare_request_t *request = &arguments->request;
    spot_study_task_t *task = &arguments->task;

    switch (key) {
        case OPTION_OVER:
            add_key(arguments, "--over", NULL, text);
            return 0;
        case OPTION_RECOVERY:
            add_key(arguments, "--recovery", "recovery", text);
            return 0;
        case OPTION_TRACE:
            request->trace_path = text;
            return 0;
        case OPTION_REPLICATIONS:
            request->num_replications =
                spot_option_integer(state, "--replications", text, 1);
            return 0;
        case OPTION_SEED:
            request->seed = spot_option_integer(state, "--seed", text, 0);
            return 0;
        case OPTION_SET:
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_THREADS:
            spot_study_task_threads(task, state, text);
            return 0;
        case OPTION_JSON:
            task->results.is_json = true;
            return 0;
        case OPTION_CSV:
            task->results.csv_path = spot_option_file(state, "--csv", text, ".csv");
            return 0;
        case OPTION_PLOT:
            task->results.bars_path = spot_option_file(state, "--plot", text, ".svg");
            return 0;
        case OPTION_PLOT_PROGRESS:
            task->progress_path =
                spot_option_file(state, "--plot-progress", text, ".svg");
            return 0;
        case 'o':
            if (!spot_study_task_is_store(text)) {
                spot_option_error(state,
                    "-o: expected a database, FILE.db, got \"%s\"; CSV goes to --csv",
                    text);
            }
            task->store_path = text;
            return 0;
        case OPTION_PROGRESS:
            spot_study_task_progress(task, state, text);
            return 0;
        case ARGP_KEY_SUCCESS:
            finish_arguments(state, arguments);
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &task->input_path, "a scenario file");
    }
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {.request = {.seed = 1}};
    spot_compare_request_t *request = &arguments.request;
    spot_study_t study;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_study_task_init(&arguments.task, argc, argv);
    spot_command_parse(&spot_command_compare, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    request->scenario_path = arguments.task.input_path;
    request->num_sets = arguments.sets.num_texts;
    request->sets = arguments.sets.texts;
    ret = spot_compare_read(request, spot_engines, &study, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = spot_study_task_keep_ledger(&arguments.task, &study);
        ret = ret == 0 ? spot_study_task_run(&arguments.task, &study, &diag) : ret;
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_study_free(&study);
    free(arguments.keys);
    free(arguments.sets.texts);
    return exit_code;
}

const spot_command_t spot_command_compare = {
    .name = "compare",
    .arguments = "SCENARIO",
    .summary = "Compare recovery systems, or values of any key, on the same events",
    .doc = "All cases meet the same trace, or in each replication the same events of a "
           "generated one; everything but the keys that are compared is as SCENARIO has "
           "it, see spotsim-scenario(5), whose own values of these keys do not count. "
           "The first table has the means and their 95 % intervals, the second one the "
           "paired differences to the first case with intervals of their own, marked "
           "where 0 is outside. Letters mark cases whose runs met a warning, such as a "
           "job that never ran; below stands how many did and what to do. A case in "
           "which nothing is left to chance, such as a recorded trace that names its "
           "instances, runs once; where all are so, there are no intervals. It is a "
           "study of the keys that are compared, see spotsim-study(5): --set takes its "
           "keys too, -o keeps it. An interrupt finishes the batches under way and "
           "exits with 130.",
    .examples =
        "  spotsim compare seed-64.yaml --recovery ideal,checkpoint -o both.db\n"
        "  spotsim compare seed-64.yaml --recovery ideal,checkpoint,on-demand \\\n"
        "      --plot ledger.svg --plot-progress progress.svg\n"
        "  spotsim compare seed-64.yaml --over fleet.capacity=64,128 \\\n"
        "      --over \"recovery=checkpoint,{system: recycle, micro_batch: 8}\"\n"
        "  spotsim compare seed-64.yaml --trace p3.csv --set horizon=trace-end \\\n"
        "      --recovery \"checkpoint,{system: checkpoint, detection: 30 s}\"\n"
        "  spotsim compare seed-64.yaml --recovery ideal,checkpoint \\\n"
        "      --set sweep.trace.preemption.per_minute=[0.05,0.2]\n",
    .options = options,
    .run = run,
};
