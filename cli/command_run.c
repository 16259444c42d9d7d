/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/assumed.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/verb/output.h"
#include "base/verb/terminal.h"
#include "base/watch.h"
#include "cli/command.h"
#include "reports/draw.h"
#include "reports/page/page_timeline.h"
#include "reports/run_chart.h"
#include "reports/run_result.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/engines.h"

typedef struct {
    const char *scenario_path;
    const char *trace_path;
    spot_target_t target;
    const char *events_path;
    const char *plot_path;
    const char *series_path; /* a folder */
    const char *chrome_path;
    int64_t seed;
    int64_t replication;
    bool has_theory;
    bool is_longer; /* in pictures of distributions */
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", scenario_path, NULL, .min = 1),
    SPOT_OPTION_TRACE(trace_path),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "replication", 0, "R", replication,
        "Which replication of the seed to run (default 0)"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario; may be given several times", .example = "job.reload=\"60 s\""),
    SPOT_OPTION(FLAG, "check-theory", 0, NULL, has_theory,
        "Print beside the result which share of its time the job keeps by the theory of "
        "checkpoints, see 'spotsim theory checkpoint --help'"),
    SPOT_OPTION_JSON(target.is_json, "Print the result as one JSON object"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION(WRITTEN, "events", 0, "FILE.jsonl", events_path,
        "Write the event log, one JSON object a line; - is standard output, instead of "
        "the results",
        .endings = ".jsonl or .ndjson"),
    SPOT_OPTION(WRITTEN, "plot", 0, "FILE", plot_path,
        "Draw the run over time, such as instances by what they do: FILE.svg is a "
        "picture, FILE.html a page with one that can be zoomed. Beside a picture with a "
        "distribution lie its data, FILE.csv",
        .endings = ".svg or .html"),
    SPOT_OPTION(FLAG, "ccdf", 0, NULL, is_longer,
        "Draw distributions as the share above each value, on a logarithmic axis"),
    SPOT_OPTION(FOLDER, "series", 0, "FOLDER", series_path,
        "Write each series of the engine as FOLDER/NAME.csv"),
    SPOT_OPTION(WRITTEN, "chrome", 0, "FILE.json", chrome_path,
        "Write the series over time as a Chrome trace, which Perfetto opens"),
    SPOT_OPTION_END,
};

/* A bound scenario, a worker of it and what its replication yielded. */
typedef struct {
    const arguments_t *arguments;
    const spot_experiment_t *experiment;
    const spot_outputs_t *outputs;
    const char *name; /* of the scenario, or NULL */
    const spot_assumed_t *assumed;
    bool is_quiet;
    void *worker;
    double *metrics; /* [outputs->num_metrics] */
    unsigned char warnings[SPOT_MAX_WARNINGS];
    bool is_recorded;
    spot_recording_t recording; /* if it is */
} run_t;

/* Whether the engine has what the options ask for. */
static int check_options(const run_t *self, spot_diag_t *diag)
{
    const arguments_t *arguments = self->arguments;
    const spot_run_view_t *view = self->experiment->view;
    const struct {
        bool is_missing;
        const char *option, *what;
    } checks[] = {
        {arguments->has_theory && (view == NULL || !view->knows_theory), "--check-theory",
            "has no theory to check"},
        {arguments->events_path != NULL && (view == NULL || view->events == NULL), "--events",
            "has no event log"},
        {arguments->plot_path != NULL && self->outputs->num_series == 0, "--plot",
            "records no series, so nothing can be drawn"},
        {arguments->series_path != NULL && self->outputs->num_series == 0, "--series",
            "records no series"},
        {arguments->chrome_path != NULL && self->outputs->num_series == 0, "--chrome",
            "records no series"},
    };
    int ret = 0;

    for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
        if (checks[j].is_missing) {
            spot_diag_error(diag, checks[j].option, 0, 0, "the engine %s %s",
                self->experiment->name, checks[j].what);
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    return ret;
}

static void write_json(const run_t *self, const spot_run_result_t *result, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_run_result_json(result, &json);
    spot_assumed_json(self->assumed, &json);
    spot_json_close(&json, '}');
}

/* Of a line that goes on. */
#define HANGING 2

/* Writes what results take for granted, on top of them: one line, broken where it is
 * wider than the terminal; nothing where there is none. */
static void output_assumed(const spot_output_t *self, const spot_assumed_t *assumed)
{
    spot_texts_t texts = {.error = 0};

    if (assumed->num_items > 0) {
        spot_wrap_write(self->stream,
            spot_texts_add(&texts, "%s\n", spot_assumed_words(&texts, assumed)),
            self->terminal.width, HANGING);
    }
    spot_texts_free(&texts);
}

static int write_view(const run_t *self, spot_diag_t *diag)
{
    const arguments_t *arguments = self->arguments;
    const spot_run_result_t result = {self->experiment, self->worker, self->name, self->outputs,
        self->metrics, self->warnings, (uint64_t) arguments->seed,
        (uint64_t) arguments->replication, arguments->has_theory};
    spot_output_t output;
    FILE *out = spot_output_begin(&output, &arguments->target, diag);
    int ret = 0;

    if (out != NULL && arguments->target.is_json) {
        write_json(self, &result, out);
    } else if (out != NULL) {
        output_assumed(&output, self->assumed);
        ret = spot_run_result_text(&result, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

static int write_events(const run_t *self, const char *path, spot_diag_t *diag)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, diag);

    if (out != NULL) {
        self->experiment->view->events(self->worker, out);
    }
    return spot_output_end(&output, 0);
}

static int write_page(const spot_run_series_t *run, const char *path, spot_diag_t *diag)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, diag);

    return spot_output_end(&output, out == NULL ? 0 : spot_page_run_write(run, path, out, diag));
}

static int write_chrome(const run_t *self, const char *path, spot_diag_t *diag)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, diag);

    return spot_output_end(
        &output, out == NULL ? 0 : spot_chrome_trace_write(&self->recording, out));
}

static int write_picture(const spot_run_series_t *run, const char *path, spot_diag_t *diag)
{
    const spot_cdf_t cdf = {.num_runs = 1, .series = {spot_cdf_find(run->recording)}};
    int ret = spot_run_series_check(run, path, diag) ? 0 : SPOT_ERR_BAD_PARAM;

    ret = ret == 0 ? spot_draw_file(spot_run_declare, run, SPOT_FORMAT_SVG, path, diag) : ret;
    return ret == 0 && cdf.series[0] != NULL && spot_has_suffix(path, ".svg")
               ? spot_cdf_write_beside(&cdf, path, diag)
               : ret;
}

static int write_plot(const run_t *self, const char *path, spot_diag_t *diag)
{
    spot_run_series_t run;
    int ret = spot_run_series_init(&run, &self->recording, self->experiment->colours);

    run.is_longer = self->arguments->is_longer;
    if (ret == 0) {
        ret = (spot_has_suffix(path, ".html") ? write_page : write_picture)(&run, path, diag);
    }
    spot_run_series_free(&run);
    return ret;
}

/* Not where standard output is that of another one. */
static bool is_view_printed(const arguments_t *arguments)
{
    return arguments->target.path != NULL || (!spot_files_is_dash(arguments->events_path) &&
                                                 !spot_files_is_dash(arguments->plot_path) &&
                                                 !spot_files_is_dash(arguments->chrome_path));
}

static int write_outputs(const run_t *self, spot_diag_t *diag)
{
    const arguments_t *arguments = self->arguments;
    const spot_run_view_t *view = self->experiment->view;
    int ret;

    if (view != NULL && view->progress != NULL && !self->is_quiet) {
        view->progress(self->worker, stderr);
    }
    ret = is_view_printed(arguments) ? write_view(self, diag) : 0;
    if (ret == 0 && arguments->events_path != NULL) {
        ret = write_events(self, arguments->events_path, diag);
    }
    if (ret == 0 && arguments->plot_path != NULL) {
        ret = write_plot(self, arguments->plot_path, diag);
    }
    if (ret == 0 && arguments->series_path != NULL) {
        ret = spot_recording_csv_write(&self->recording, arguments->series_path, &spot_stop, diag);
    }
    if (ret == 0 && arguments->chrome_path != NULL) {
        ret = write_chrome(self, arguments->chrome_path, diag);
    }
    return ret;
}

/* A run that did nothing, or not all, is written, and fails. */
static int check_failure(const run_t *self, spot_diag_t *diag)
{
    const spot_run_view_t *view = self->experiment->view;
    const char *reason = view == NULL || view->failure == NULL ? NULL : view->failure(self->worker);

    if (reason == NULL) {
        return 0;
    }
    spot_diag_error(diag, self->arguments->scenario_path, 0, 0, "%s", reason);
    return SPOT_ERR_NOTHING_DONE;
}

static bool is_recorded(const arguments_t *self)
{
    return self->events_path != NULL || self->plot_path != NULL || self->series_path != NULL ||
           self->chrome_path != NULL;
}

static int simulate(run_t *self, const void *scenario, spot_diag_t *diag)
{
    const arguments_t *arguments = self->arguments;
    const spot_replication_t wanted = {.seed = (uint64_t) arguments->seed,
        .replication = (uint64_t) arguments->replication,
        .stop = &spot_stop};
    int ret;

    self->is_recorded = is_recorded(arguments);
    self->metrics = spot_calloc(self->outputs->num_metrics, sizeof(*self->metrics));
    ret = self->metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;
    if (ret == 0 && self->is_recorded) {
        ret =
            spot_recording_init(&self->recording, self->outputs->num_series, self->outputs->series);
    }
    ret = ret != 0 ? ret : self->experiment->open(&self->worker, scenario);
    if (ret == 0) {
        ret = self->experiment->run(self->worker, &wanted, self->metrics, self->warnings,
            self->is_recorded ? &self->recording : NULL);
    }
    if (ret == 0) {
        spot_metrics_derive(self->outputs->metrics, self->outputs->num_metrics, self->metrics);
    }
    if (ret == 0 && self->is_recorded) {
        ret = spot_recording_name(&self->recording, self->name, wanted.seed, wanted.replication);
    }
    ret = ret != 0 ? ret : write_outputs(self, diag);
    ret = ret != 0 ? ret : check_failure(self, diag);
    self->experiment->close(self->worker);
    spot_recording_free(&self->recording);
    free(self->metrics);
    return ret;
}

static int run_scenario(spot_call_t *call, const spot_bound_scenario_t *bound)
{
    const arguments_t *arguments = call->arguments;
    spot_diag_t *diag = &call->diag;
    run_t self = {.arguments = arguments,
        .is_quiet = call->is_quiet,
        .experiment = bound->experiment,
        .outputs = bound->experiment->outputs(bound->scenario),
        .name = bound->name,
        .assumed = &bound->assumed};
    int ret = check_options(&self, diag);

    if (ret == 0 && arguments->series_path != NULL) {
        ret = spot_recording_csv_check(arguments->series_path, diag);
    }
    return ret == 0 ? simulate(&self, bound->scenario, diag) : ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_scenario_changes_t changes = {.trace_path = arguments->trace_path,
        .num_sets = arguments->sets.num_texts,
        .sets = arguments->sets.texts,
        .is_recorded = is_recorded(arguments)};
    spot_bound_scenario_t bound;
    int ret = spot_bound_scenario_read(
        &bound, spot_engines, arguments->scenario_path, &changes, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = run_scenario(call, &bound);
    }
    spot_bound_scenario_free(&bound);
    return ret;
}

const spot_verb_t spot_verb_run = {
    .name = "run",
    .arguments = "SCENARIO",
    .summary = "Run one replication of a scenario and print where the time and the money went",
    .doc = "SCENARIO is a YAML file, see spotsim-scenario(5), of any engine that "
           "`spotsim engine` lists. The same seed and replication give the same run "
           "everywhere. --trace, --check-theory and --events are for engines that have "
           "them, such as train.",
    .examples = "  spotsim run seed-64.yaml\n"
                "  spotsim run seed-64.yaml --seed 7 --plot run.svg\n"
                "  spotsim run seed-64.yaml --set \"horizon=30 d\" --plot run.html\n"
                "  spotsim run seed-64.yaml --trace p3.csv --set horizon=trace-end --json\n"
                "  spotsim run seed-64.yaml --series run\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
