/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "reports/traces/fit_table.h"
#include "reports/traces/trace_pictures.h"
#include "traces/fit/fit_task.h"

/* In the order of spot_likelihood_t, spot_what_t, spot_emit_t. */
static const char *const likelihoods[] = {"default", "continuous", "lattice", "both", NULL};
static const char *const whats[] = {
    "gaps", "lifetimes", "spells", "bulk", "mrp", "hourly", "all", NULL};
static const char *const emits[] = {"nothing", "block", "mrp", "replay", "seed", NULL};

typedef struct {
    spot_fit_request_t request;
    const char *csv_path;
    const char *svg_folder; /* NULL: no pictures */
    bool is_json;
} arguments_t;

static const arguments_t initial = {
    .request = {.what = SPOT_WHAT_ALL, .limit_s = (double) NAN, .start_hour = -1, .seed = 1}};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a trace", 0, "TRACE", request.path, NULL, .min = 1),
    SPOT_OPTION(CHOICE, "what", 0, "WHAT", request.what,
        "gaps, lifetimes, spells, bulk (sizes), mrp (a model), hourly (rates), or all "
        "tables that the trace has values for (default: all)",
        .choices = whats),
    SPOT_OPTION(TEXT, "families", 0, "LIST", request.families,
        "Only these families of durations, A,B,... (default: all)"),
    SPOT_OPTION(CHOICE, "likelihood", 0, "KIND", request.likelihood,
        "continuous, lattice or both: whether the recorder's tick counts (default: "
        "lattice where the resolution is 30 s or more and all values are multiples; "
        "lifetimes: continuous)",
        .min = 1, .choices = likelihoods),
    SPOT_OPTION(SECONDS, "tick", 0, "S", request.tick_s,
        "Tick of the lattice (default: the resolution)", .min = 1, .is_real = true),
    SPOT_OPTION(SECONDS, "limit", 0, "S", request.limit_s, "Longest possible life, for bathtub",
        .min = 1, .is_real = true),
    SPOT_OPTION(SECONDS, "cut", 0, "S", request.cut_s,
        "Lives of S and more are censored there, as before a wall: what dies behind it "
        "is the overrun of a deadline",
        .min = 1, .is_real = true),
    SPOT_OPTION(COUNT, "bootstrap", 0, "B", request.num_rounds,
        "p-values of all families from B refitted samples each (default: none); only of "
        "continuous likelihoods without censoring",
        .min = 1, .max = 1000000 /* rounds beyond this only cost time */),
    SPOT_OPTION(CHOICE, "emit", 0, "MODEL", request.emit,
        "Write a generator model, block, mrp, replay or seed, to -o or instead of the "
        "tables",
        .min = 1, .choices = emits),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", request.model_path,
        "Where --emit writes (default: standard output)", .endings = ".yaml or .yml"),
    SPOT_OPTION(COUNT, "start-hour", 0, "H", request.start_hour,
        "Hour of the day at time 0, 0 to 23, where the trace does not say it", .max = 23),
    SPOT_OPTION(FLAG, "hourly", 0, NULL, request.is_hourly, "Put rates by hour into the mrp model"),
    SPOT_OPTION(FLAG, "lifetimes", 0, NULL, request.has_lifetimes,
        "Put the law of the lifetimes into the mrp model, as deadlines besides the "
        "events"),
    SPOT_OPTION(
        TEXT, "where", 0, "COLUMN=VALUE", request.where, "Only these rows of a lifetimes file"),
    SPOT_OPTION_SEED(request.seed),
    SPOT_OPTION_JSON(is_json, "JSON instead of tables"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path, "Write one row a fit, 8 significant digits",
        .endings = ".csv"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw into this folder: NAME-preempt-gap-fit.svg, NAME-preempt-gap-qq.svg "
        "and the like, each with its points as CSV"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_fit_request_t *request = &arguments->request;
    const char *csv_path = arguments->csv_path;
    const bool is_alone = spot_fit_is_model_alone(request);
    const int what = request->what;
    const struct {
        bool is_wrong;
        const char *message;
    } rules[] = {
        {request->model_path != NULL && request->emit == SPOT_EMIT_NOTHING, "-o is for --emit"},
        {arguments->svg_folder != NULL && what >= SPOT_WHAT_BULK && what != SPOT_WHAT_ALL,
            "--svg: there are only pictures of gaps, lifetimes and spells"},
        {csv_path != NULL && (what == SPOT_WHAT_MRP || what == SPOT_WHAT_HOURLY),
            "--csv: a model and rates by hour are no rows of fits"},
        {csv_path != NULL && (strcmp(csv_path, "-") == 0 || is_alone),
            "--csv: expected a file, and with --emit -o FILE too"},
        {arguments->is_json && (what == SPOT_WHAT_MRP || is_alone),
            "a model is YAML: --json needs -o FILE for it"},
        {request->emit != SPOT_EMIT_MRP && request->is_hourly, "--hourly is for --emit mrp"},
        {request->emit != SPOT_EMIT_MRP && request->has_lifetimes, "--lifetimes is for --emit mrp"},
        {request->tick_s > 0 && request->likelihood == SPOT_LIKELIHOOD_CONTINUOUS,
            "--tick is for the lattice likelihood"},
        {request->cut_s > 0 && what != SPOT_WHAT_LIFETIMES && what != SPOT_WHAT_ALL &&
                !request->has_lifetimes,
            "--cut is for lifetimes"},
    };

    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        spot_usage_refuse(call, rules[j].is_wrong, rules[j].message);
    }
}

/* What the fits are given to. */
typedef struct {
    spot_call_t *call;
    const arguments_t *arguments;
    spot_fit_task_t *task;
    spot_fit_table_t table;
    spot_progress_line_t line;
    char unit[64];     /* of the line */
    int picture_error; /* the first one; the tables are still printed */
} output_t;

/* Where both likelihoods are asked for, that of the lattice is drawn. */
static int draw(output_t *self, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s,
    const spot_fit_ranking_t *ranking)
{
    const arguments_t *arguments = self->arguments;

    if (arguments->svg_folder == NULL ||
        (arguments->request.likelihood == SPOT_LIKELIHOOD_BOTH && !(tick_s > 0))) {
        return 0;
    }
    return spot_pictures_of_fit(ranking, sample, kind, self->task->trace.kind, tick_s,
        arguments->svg_folder, spot_pictures_name(&self->call->texts, arguments->request.path),
        self->task->diag);
}

static void take_laws(void *context, const spot_sample_t *sample, spot_sample_kind_t kind,
    double tick_s, const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    output_t *self = context;
    int error;

    spot_progress_finish(&self->line);
    error = draw(self, sample, kind, tick_s, ranking);
    spot_fit_table_laws(&self->table, spot_sample_kind_names[kind], tick_s, ranking, words);
    self->picture_error = spot_error_first(self->picture_error, error);
}

static void take_sizes(void *context, const char *what, const spot_fit_t *fits, size_t num_fits,
    const spot_size_sample_t *sample, const spot_fit_words_t *words)
{
    output_t *self = context;

    (void) sample;
    spot_fit_table_sizes(&self->table, what, fits, num_fits, words);
}

static void take_hourly(void *context, const spot_fit_hourly_t *hourly)
{
    output_t *self = context;

    spot_fit_table_hourly(&self->table, hourly);
}

static spot_watch_t watch_rounds(void *context, const char *family)
{
    output_t *self = context;

    spot_progress_finish(&self->line);
    snprintf(self->unit, sizeof(self->unit), "rounds of %s", family);
    return spot_progress_watch(&self->line, self->unit, self->call->is_quiet);
}

static int write_csv(output_t *self)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, self->arguments->csv_path, self->task->diag);

    if (out != NULL) {
        spot_fit_table_write_csv(&self->table, out);
    }
    return spot_output_end(&output, self->table.error);
}

/* A model on standard output stands alone. */
static int fit_and_print(output_t *self)
{
    const arguments_t *arguments = self->arguments;
    const spot_fit_request_t *request = &arguments->request;
    const spot_trace_t *trace = &self->task->trace;
    const char *name = spot_trace_key(trace, "name");
    const spot_fit_table_setting_t setting = {.trace = name != NULL ? name : "",
        .is_quiet = self->call->is_quiet,
        .is_obtainable = !self->task->is_lifetimes && trace->kind == SPOT_TRACE_AVAILABILITY,
        .num_rounds = request->num_rounds,
        .seed = request->seed,
        .terminal = spot_terminal_of_output(false),
        .diag = &self->call->diag};
    const bool is_alone = spot_fit_is_model_alone(request);
    spot_fit_words_t words = {0};
    int ret;

    spot_fit_table_init(&self->table, &setting, arguments->is_json);
    ret = spot_fit_task_run(self->task);
    spot_progress_finish(&self->line);
    if (ret == 0 && !is_alone && arguments->csv_path != NULL) {
        ret = write_csv(self);
    }
    if (ret == 0 && !is_alone && request->what != SPOT_WHAT_MRP) {
        ret = spot_fit_task_advice(self->task, self->table.has_fits, &words);
    }
    spot_fit_table_finish(&self->table, &words);
    ret = ret == 0 ? self->table.error : ret;
    return ret == 0 ? self->picture_error : ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    output_t output = {.call = call, .arguments = arguments};
    spot_fit_task_t task = {.request = &arguments->request,
        .sink = {&output, take_laws, take_sizes, take_hourly, watch_rounds},
        .diag = &call->diag};
    int ret;

    output.task = &task;
    ret = spot_fit_task_read(&task);
    if (ret == 0) {
        call->is_reading = false;
        ret = fit_and_print(&output);
    }
    ret = ret == 0 && task.is_bad ? SPOT_EXIT_FAILED : ret;
    spot_fit_table_free(&output.table);
    spot_fit_task_free(&task);
    return ret;
}

const spot_command_t spot_command_trace_fit = {
    .name = "trace fit",
    .arguments = "TRACE",
    .summary = "Fit laws to a trace, rank them, write a generator model",
    .doc = "One table for each sample, best AIC first (*); + marks the best of the "
           "families whose mean is that of the sample. The words below say which "
           "family it is, how sure that is and what it gets wrong. A fitted trace "
           "describes that day and that zone. Exit code 1: a fit did not converge, "
           "beside a model only one that the model uses. A sample that is too small "
           "for a fit, or whose best law is a limit of its family, is no failure.\n\n"
           "Models: block puts pieces of the recording together, mrp (a Markov "
           "renewal process) and seed (the notebook's independent events) have "
           "parameters only, replay is the recording itself.",
    .examples = "  spotsim trace fit trace.csv --what gaps\n"
                "  spotsim trace fit trace.csv --what gaps --likelihood continuous \\\n"
                "      --bootstrap 399\n"
                "  spotsim trace fit trace.csv --emit block -o model.yaml\n"
                "  spotsim trace fit trace.csv --emit mrp > model.yaml\n"
                "  spotsim trace fit lifetimes.csv --limit 90000\n"
                "  spotsim trace fit lifetimes.csv --cut 86400\n",
    .options = options,
    .quiet = "No warnings, verdicts, legend and progress",
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
