/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "traces/tasks/task_fit.h"

typedef struct {
    const char *paths[2]; /* of the log, and of the solo run */
    const char *model_path;
    spot_task_reading_t reading;
    int names, dup, scope;
} arguments_t;

static const char *const names[] = {"auto", "global", "local", NULL};
static const char *const dups[] = {"first", "last", "error", NULL};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a task log", 0, "LOG", paths[0], NULL, .min = 1),
    SPOT_OPTION(INPUT, "solo", 0, "SOLO", paths[1],
        "A run of the same tasks on one worker: it gives the laws of run, and what LOG "
        "takes longer is contention"),
    SPOT_OPTION(CHOICE, "scope", 0, "SCOPE", scope,
        "Tasks contend with those on the same host, or on one machine that all hosts "
        "share: host (default), machine",
        .choices = spot_task_scope_names, .what = "scope"),
    SPOT_OPTION(CHOICE, "names", 0, "RULE", names, "Names of workers: as in 'tasks'",
        .choices = names, .what = "rule of names"),
    SPOT_OPTION(CHOICE, "dup", 0, "RULE", dup, "Repeated actions: as in 'tasks'",
        .choices = dups, .what = "rule of duplicates"),
    SPOT_OPTION(INPUT, "edges", 0, "FILE", reading.edges_path,
        "Read the inputs of tasks here, as lines with the action taskInputs"),
    SPOT_OPTION(FLAG, "skip-bad", 0, NULL, reading.skips_bad,
        "Count lines with errors and show the first three, instead of ending there"),
    SPOT_OPTION_OUTPUT(model_path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int
read_log(spot_call_t *call, const char *path, spot_task_log_t *log,
    spot_task_analysis_t *analysis)
{
    arguments_t *self = call->arguments;
    const spot_task_rules_t rules = {.dup = (spot_task_dup_t) self->dup};
    int ret;

    self->reading.names = (spot_task_names_t) self->names;
    ret = spot_task_log_read(log, path, &self->reading, &call->diag);
    if (ret == 0 && log->is_markers) {
        ret = spot_diag_error(&call->diag, path, 0, 0, "a log of markers has no laws");
    }
    ret = ret == 0 ? spot_task_analysis_init(analysis, log, &rules, path, &call->diag)
                   : ret;
    if (ret == 0) {
        spot_task_analysis_warn(analysis, log, path, &call->diag);
    }
    return ret;
}

static int
run(spot_call_t *call)
{
    const arguments_t *self = call->arguments;
    spot_task_log_t logs[2] = {0};
    spot_task_analysis_t analyses[2] = {0};
    spot_task_run_t runs[2] = {0};
    spot_output_t output;
    int ret = 0;

    for (size_t j = 0; j < 2 && self->paths[j] != NULL && ret == 0; j++) {
        runs[j] = (spot_task_run_t){self->paths[j], &logs[j], &analyses[j]};
        ret = read_log(call, self->paths[j], &logs[j], &analyses[j]);
    }
    if (ret == 0) {
        FILE *out = spot_output_bytes(&output, self->model_path, &call->diag);

        call->is_reading = false;
        if (out != NULL) {
            ret = spot_task_fit(&runs[0], self->reading.edges_path,
                self->paths[1] == NULL ? NULL : &runs[1],
                (spot_task_scope_t) self->scope, self->model_path, out, &call->diag);
        }
        ret = spot_output_end(&output, ret);
    }
    for (size_t j = 0; j < 2; j++) {
        spot_task_analysis_free(&analyses[j]);
        spot_task_log_free(&logs[j]);
    }
    return ret;
}

const spot_command_t spot_command_tasks_fit = {
    .name = "tasks fit",
    .arguments = "LOG",
    .summary = "Fit laws to the log of a task graph, for the engine tasks",
    .doc =
        "Writes a scenario that runs the graph again: laws of run by class, of the "
        "delays of decision, communication and queue, and of transmits, each the best "
        "by AIC of those that keep the mean. Comments say what a law rests on. Few "
        "or equal values give their mean without spread. With --solo contention is "
        "told from run, else laws of run hold it. Decisions need edges. Attempts "
        "without an end are left out.",
    .examples = "  spotsim tasks fit four.jsonl --solo one.jsonl -o model.yaml\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
