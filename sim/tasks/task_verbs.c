/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/verb/verb.h"
#include "sim/tasks/task_report.h"
#include "traces/tasks/task_analysis.h"
#include "traces/tasks/task_compare.h"
#include "traces/tasks/task_log_read.h"

typedef struct {
    spot_option_list_t paths;
    spot_target_t target;
    const char *csv_folder, *html_path, *chrome_path;
    const char *solo_path;
    spot_task_reading_t reading;
    spot_task_rules_t rules;
    int names, mode_rule, dup, scope;
    bool compares, fits;
} arguments_t;

static const char *const names_choices[] = {"auto", "global", "local", NULL};
static const char *const mode_choices[] = {"chain", "last-line", NULL};
static const char *const dup_choices[] = {"first", "last", "error", NULL};

/* How logs are read, by both commands. */
#define READING_OPTIONS                                                                            \
    SPOT_OPTION(CHOICE, "scope", 0, "SCOPE", scope,                                                \
        "Tasks contend with those of their host (default), or of all hosts, where "                \
        "these are on one machine: host, machine",                                                 \
        .choices = spot_task_scope_names, .what = "scope"),                                        \
        SPOT_OPTION(CHOICE, "names", 0, "RULE", names,                                             \
            "Put HOST: before names of workers: auto (default) where lines of the "                \
            "controller have it, global never, local always",                                      \
            .choices = names_choices, .what = "rule of names"),                                    \
        SPOT_OPTION(CHOICE, "mode-rule", 0, "RULE", mode_rule,                                     \
            "The mode of a transmit: chain (default), that of its last event with "                \
            "one; last-line, that of its line furthest down",                                      \
            .choices = mode_choices, .what = "rule of modes"),                                     \
        SPOT_OPTION(CHOICE, "dup", 0, "RULE", dup,                                                 \
            "An action that one attempt has twice: take the first (default) or the "               \
            "last, or refuse the log (error)",                                                     \
            .choices = dup_choices, .what = "rule of duplicates"),                                 \
        SPOT_OPTION(INPUT, "edges", 0, "FILE", reading.edges_path,                                 \
            "The inputs of tasks, lines of the action taskInputs"),                                \
        SPOT_OPTION(INPUT, "controller", 0, "FILE", reading.controller_path,                       \
            "Further lines of the controller"),                                                    \
        SPOT_OPTION(FLAG, "align", 0, NULL, rules.aligns,                                          \
            "Subtract from the clock of each host what it is surely ahead of the "                 \
            "controller's"),                                                                       \
        SPOT_OPTION(FLAG, "skip-bad", 0, NULL, reading.skips_bad,                                  \
            "Skip lines with errors: print their number and the first three")

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a log", 0, "LOG", paths, NULL, .min = 1),
    SPOT_OPTION(FLAG, "compare", 0, NULL, compares,
        "Compare two runs of the same tasks; for contention the first one has one "
        "worker"),
    READING_OPTIONS,
    SPOT_OPTION_JSON(target.is_json,
        "JSON with exact integers instead of text; a list where there are several logs"),
    SPOT_OPTION(FOLDER, "csv", 0, "DIR", csv_folder,
        "Write tasks.csv, transmits.csv, workers.csv and concurrency.csv into this "
        "folder; with --compare compare.csv"),
    SPOT_OPTION(WRITTEN, "html", 0, "FILE", html_path,
        "Write a page of one or two logs: what every worker did when, how many tasks "
        "ran, where the time went; of more than 20,000 bars how busy workers were"),
    SPOT_OPTION(WRITTEN, "chrome", 0, "FILE.json", chrome_path,
        "Write tasks and transmits of one or two logs as a Chrome trace, which Perfetto "
        "opens"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    const char *others[] = {self->reading.edges_path, self->reading.controller_path};
    size_t num_inputs = 0;

    for (size_t j = 0; j < num_logs + 2; j++) {
        const char *path = j < num_logs ? self->paths.texts[j] : others[j - num_logs];

        num_inputs += path != NULL && strcmp(path, "-") == 0;
    }
    spot_usage_refuse(call, num_inputs > 1, "- can be read only once");
    spot_usage_refuse(call, self->compares && num_logs != 2, "--compare needs two logs");
    spot_usage_refuse(call, !self->compares && self->scope != 0, "--scope is for two runs");
    spot_usage_refuse(call, num_logs > 1 && self->reading.controller_path != NULL,
        "--controller belongs to one log");
    spot_usage_refuse(call, num_logs > 1 && !self->compares && self->csv_folder != NULL,
        "--csv writes one log, or a comparison");
    spot_usage_refuse(call, num_logs > 2 && (self->html_path != NULL || self->chrome_path != NULL),
        "--html and --chrome draw one or two logs");
    self->reading.names = (spot_task_names_t) self->names;
    self->rules.dup = (spot_task_dup_t) self->dup;
    self->rules.has_last_line = self->mode_rule == 1;
}

/* A log with what it says. */
typedef struct {
    spot_task_log_t log;
    spot_task_analysis_t analysis;
    spot_task_markers_t markers;
} read_t;

/* Reads on after an error, so that all files are reported. Logs of markers have other
 * tables, and stand alone. */
static int read_all(spot_call_t *call, spot_task_run_t *runs, read_t *reads)
{
    const arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    int error = 0;

    for (size_t j = 0; j < num_logs; j++) {
        const char *path = self->paths.texts[j];
        read_t *read = &reads[j];
        int ret = spot_task_log_read(&read->log, path, &self->reading, &call->diag);

        runs[j] = (spot_task_run_t){path, &read->log, &read->analysis};
        if (ret == 0 && !read->log.is_markers) {
            ret = spot_task_analysis_init(
                &read->analysis, &read->log, &self->rules, path, &call->diag);
        } else if (ret == 0 && (num_logs > 1 || self->fits || self->csv_folder != NULL ||
                                   self->html_path != NULL || self->chrome_path != NULL)) {
            ret = spot_diag_error(&call->diag, path, 0, 0,
                "a log of markers has no comparison, laws, CSV or picture, see --json");
        } else if (ret == 0) {
            ret = spot_task_markers_init(
                &read->markers, &read->log, self->rules.dup, path, &call->diag);
        }
        if (ret == 0 && !read->log.is_markers) {
            spot_task_analysis_warn(&read->analysis, &read->log, path, &call->diag);
        }
        error = spot_error_first(error, ret);
    }
    return error;
}

/* What is printed. */
typedef struct {
    size_t num_logs;
    const spot_task_run_t *runs;        /* [num_logs] */
    const read_t *reads;                /* [num_logs] */
    spot_task_comparison_t *comparison; /* NULL: none */
} results_t;

static void put(const void *context, spot_json_t *json)
{
    const results_t *self = context;

    if (self->comparison != NULL) {
        spot_task_comparison_json(self->comparison, self->runs[0].log, json);
        return;
    }
    if (self->num_logs > 1) {
        spot_json_open(json, NULL, '[');
    }
    for (size_t j = 0; j < self->num_logs; j++) {
        if (self->reads[j].log.is_markers) {
            spot_task_markers_json(&self->reads[j].markers, json);
        } else {
            spot_task_analysis_json(&self->reads[j].analysis, &self->reads[j].log, json);
        }
    }
    if (self->num_logs > 1) {
        spot_json_close(json, ']');
    }
}

static int write_results(spot_call_t *call, const results_t *self)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    spot_document_t document;
    spot_json_t json;
    FILE *out = spot_output_begin(&output, &arguments->target, &call->diag);

    if (out == NULL) {
        return spot_output_end(&output, 0);
    }
    if (arguments->target.is_json) {
        spot_json_init(&json, out, 2);
        put(self, &json);
        return spot_output_end(&output, 0);
    }
    spot_output_document(&document, &output.terminal, out);
    if (self->comparison != NULL) {
        self->comparison->num_pairs = 0; /* too many for people */
    } else if (self->num_logs > 1) {
        spot_task_summary(&document, self->num_logs, self->runs);
        return spot_output_end(&output, spot_document_end(&document));
    }
    spot_task_text(&document, put, self);
    return spot_output_end(&output, spot_document_end(&document));
}

/* path: NULL for nothing. */
static int draw(spot_call_t *call, const results_t *results, const char *path, bool is_trace)
{
    spot_output_t output;
    FILE *out = path == NULL ? NULL : spot_output_bytes(&output, path, &call->diag);

    if (path == NULL) {
        return 0;
    }
    return spot_output_end(&output, out == NULL
                                        ? 0
                                        : spot_task_runs_draw(results->num_logs, results->runs,
                                              is_trace, path, out, &call->diag));
}

/* Of the last log; the one before it, if any, ran on one worker. */
static int write_model(spot_call_t *call, const results_t *self)
{
    const arguments_t *arguments = call->arguments;
    const char *path = arguments->target.path;
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);
    const int ret =
        out == NULL ? 0
                    : spot_task_fit(&self->runs[self->num_logs - 1], arguments->reading.edges_path,
                          self->runs, self->comparison, path, out, &call->diag);

    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    spot_task_run_t *runs = spot_calloc(num_logs, sizeof(*runs));
    read_t *reads = spot_calloc(num_logs, sizeof(*reads));
    spot_task_comparison_t comparison = {0};
    const results_t results = {num_logs, runs, reads, self->compares ? &comparison : NULL};
    int ret = runs == NULL || reads == NULL ? SPOT_ERR_NO_MEMORY : 0;

    call->is_reading = false; /* a file that cannot be read is a failure */
    ret = ret == 0 ? read_all(call, runs, reads) : ret;
    if (ret == 0 && self->compares) {
        ret = spot_task_comparison_init(
            &comparison, &runs[0], &runs[1], (spot_task_scope_t) self->scope, &call->diag);
    }
    if (ret == 0 && self->csv_folder != NULL) {
        ret = spot_task_csv(&runs[0], results.comparison, self->csv_folder, &call->diag);
    }
    ret = ret == 0 ? draw(call, &results, self->html_path, false) : ret;
    ret = ret == 0 ? draw(call, &results, self->chrome_path, true) : ret;
    if (ret == 0) {
        ret = (self->fits ? write_model : write_results)(call, &results);
    }
    spot_task_comparison_free(&comparison);
    for (size_t j = 0; reads != NULL && j < num_logs; j++) {
        spot_task_markers_free(&reads[j].markers);
        spot_task_analysis_free(&reads[j].analysis);
        spot_task_log_free(&reads[j].log);
    }
    free(reads);
    free(runs);
    return ret;
}

const spot_verb_t spot_verb_tasks = {
    .name = "tasks",
    .arguments = "LOG...",
    .summary = "Say where the time of a run went by the event log of its task graph",
    .doc = "LOG is the event log that a task-graph scheduler writes, as JSON lines or "
           "trace lines; \"-\" is standard input. Printed are exact durations of tasks "
           "and transmits, where the time of every worker went (busy, or idle by the "
           "first cause that applies: queue, comm, inputs, lost, head, tail, "
           "unplanned), how many tasks ran at once, whether delay is a host that waits "
           "for a running task (head_of_line), bounds of clocks, and with --edges the "
           "critical path and the chain of waits up to the last task. Of several logs "
           "the main figures stand side by side. Times of JSON and CSV are in ns.\n\n"
           "--compare FIRST SECOND holds tasks of the same id against each other. "
           "beta is contention: a task runs at the rate 1 / (1 + beta (k - 1)) while k "
           "tasks run; relative is (second - first) / second, ratio second / first.",
    .examples = "  spotsim tasks run.jsonl --edges edges.jsonl\n"
                "  spotsim tasks run1.jsonl run2.jsonl\n"
                "  spotsim tasks --compare one_worker.jsonl run.jsonl --scope machine\n"
                "  spotsim tasks run.jsonl --json --csv tables\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check,
    .run = run,
};

/* ---- spotsim tasks fit ---- */

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENTS, "a log", 0, "LOG", paths, NULL, .min = 1),
    SPOT_OPTION(INPUT, "solo", 0, "SOLO", solo_path,
        "A run of the same tasks on one worker: laws of run are its own, contention is "
        "what LOG adds to them"),
    READING_OPTIONS,
    SPOT_OPTION_OUTPUT(target.path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static void check_fit(spot_call_t *call)
{
    arguments_t *self = call->arguments;

    spot_usage_refuse(call, self->paths.num_texts != 1, "expected one log");
    self->fits = true;
    self->compares = self->solo_path != NULL;
    if (self->compares) {
        spot_option_list_add(&self->paths, self->paths.texts[0]);
        self->paths.texts[0] = self->solo_path;
    }
    check(call);
}

const spot_verb_t spot_verb_tasks_fit = {
    .name = "tasks fit",
    .arguments = "LOG",
    .summary = "Fit laws to the event log of a task graph, to run it again",
    .doc = "Writes a scenario of the engine tasks: laws of run by class, of decision, "
           "comm and queue, and of transmits, each the best by AIC of those that keep "
           "the mean, with comments on what it rests on. Fewer than five values, or "
           "equal ones, give their mean. Decisions need edges. Without --solo laws of "
           "run hold contention. Attempts without an end are left out.",
    .examples = "  spotsim tasks fit four.jsonl --solo one.jsonl -o model.yaml\n",
    .options = fit_options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check_fit,
    .run = run,
};
