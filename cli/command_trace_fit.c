/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/fit_table.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "cli/progress_line.h"
#include "traces/fit/fit_task.h"

enum {
    OPTION_WHAT = 256,
    OPTION_FAMILIES,
    OPTION_LIKELIHOOD,
    OPTION_TICK,
    OPTION_LIMIT,
    OPTION_CUT,
    OPTION_BOOTSTRAP,
    OPTION_EMIT,
    OPTION_START_HOUR,
    OPTION_HOURLY,
    OPTION_LIFETIMES,
    OPTION_WHERE,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_SVG,
    OPTION_QUIET
};

/* Rounds beyond this only cost time. */
#define MAX_ROUNDS 1000000

/* In the order of spot_likelihood_t, spot_what_t, spot_emit_t. */
static const char *const likelihoods[] = {
    "default", "continuous", "lattice", "both", NULL};
static const char *const whats[] = {
    "gaps", "lifetimes", "spells", "bulk", "mrp", "hourly", "all", NULL};
static const char *const emits[] = {"nothing", "block", "mrp", "replay", "seed", NULL};

typedef struct {
    spot_fit_request_t request;
    const char *csv_path;
    const char *svg_folder; /* NULL: no pictures */
    bool is_json;
    bool is_quiet;
} arguments_t;

static const struct argp_option options[] = {
    {"what", OPTION_WHAT, "WHAT", 0,
        "gaps, lifetimes, spells, bulk (sizes), mrp (a model), hourly (rates), or all "
        "tables that the trace has values for (default: all)",
        0},
    {"families", OPTION_FAMILIES, "LIST", 0,
        "Only these families of durations, A,B,... (default: all)", 0},
    {"likelihood", OPTION_LIKELIHOOD, "KIND", 0,
        "continuous, lattice or both: whether the recorder's tick counts (default: "
        "lattice where the resolution is "
        "30 s or more and all values are multiples; lifetimes: continuous)",
        0},
    {"tick", OPTION_TICK, "S", 0, "Tick of the lattice (default: the resolution)", 0},
    {"limit", OPTION_LIMIT, "S", 0, "Longest possible life, for bathtub", 0},
    {"cut", OPTION_CUT, "S", 0,
        "Lives of S and more are censored there, as before a wall: what dies behind it "
        "is the overrun of a deadline",
        0},
    {"bootstrap", OPTION_BOOTSTRAP, "B", 0,
        "p-values of all families from B refitted samples each (default: none); only of "
        "continuous likelihoods without censoring",
        0},
    {"emit", OPTION_EMIT, "MODEL", 0,
        "Write a generator model, block, mrp, replay or seed, to -o or instead of the "
        "tables",
        0},
    {"output", 'o', "FILE", 0, "Where --emit writes (default: standard output)", 0},
    {"start-hour", OPTION_START_HOUR, "H", 0,
        "Hour of the day at time 0, 0 to 23, where the trace does not say it", 0},
    {"hourly", OPTION_HOURLY, NULL, 0, "Put rates by hour into the mrp model", 0},
    {"lifetimes", OPTION_LIFETIMES, NULL, 0,
        "Put the law of the lifetimes into the mrp model, as deadlines besides the "
        "events",
        0},
    {"where", OPTION_WHERE, "COLUMN=VALUE", 0, "Only these rows of a lifetimes file", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the bootstrap (default 1)", 0},
    {"json", OPTION_JSON, NULL, 0, "JSON instead of tables", 0},
    {"csv", OPTION_CSV, "FILE", 0, "Write one row a fit, 8 significant digits", 0},
    {"svg", OPTION_SVG, "DIR", 0,
        "Draw into this folder: NAME-preempt-gap-fit.svg, NAME-preempt-gap-qq.svg "
        "and the like, each with its points as CSV (needs gnuplot)",
        0},
    {"quiet", OPTION_QUIET, NULL, 0, "No warnings, verdicts and legend", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static int
parse_choice(struct argp_state *state, const char *option, const char *text,
    const char *const *choices, int first)
{
    char expected[128] = "";

    for (int j = first; choices[j] != NULL; j++) {
        if (strcmp(choices[j], text) == 0) {
            return j;
        }
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
            "%s%s", j == first ? "" : ", ", choices[j]);
    }
    spot_option_error(
        state, "%s: expected one of %s, got \"%s\"", option, expected, text);
    return first;
}

static double
parse_seconds(struct argp_state *state, const char *option, const char *text)
{
    return (double) spot_option_seconds_ms(state, option, text) / (double) SPOT_MS_PER_S;
}

static void
check_arguments(const arguments_t *arguments, struct argp_state *state)
{
    const spot_fit_request_t *request = &arguments->request;

    if (request->model_path != NULL && request->emit == SPOT_EMIT_NOTHING) {
        spot_option_error(state, "-o is for --emit");
    }
    if (arguments->svg_folder != NULL && request->what >= SPOT_WHAT_BULK &&
        request->what != SPOT_WHAT_ALL) {
        spot_option_error(
            state, "--svg: there are only pictures of gaps, lifetimes and spells");
    }
    if (arguments->csv_path != NULL &&
        (request->what == SPOT_WHAT_MRP || request->what == SPOT_WHAT_HOURLY)) {
        spot_option_error(state, "--csv: a model and rates by hour are no rows of fits");
    }
    if (arguments->csv_path != NULL &&
        (strcmp(arguments->csv_path, "-") == 0 || spot_fit_is_model_alone(request))) {
        spot_option_error(state, "--csv: expected a file, and with --emit -o FILE too");
    }
    if (arguments->is_json &&
        (request->what == SPOT_WHAT_MRP || spot_fit_is_model_alone(request))) {
        spot_option_error(state, "a model is YAML: --json needs -o FILE for it");
    }
    if (request->emit != SPOT_EMIT_MRP &&
        (request->is_hourly || request->has_lifetimes)) {
        spot_option_error(state, "%s is for --emit mrp",
            request->is_hourly ? "--hourly" : "--lifetimes");
    }
    if (request->tick_s > 0 && request->likelihood == SPOT_LIKELIHOOD_CONTINUOUS) {
        spot_option_error(state, "--tick is for the lattice likelihood");
    }
    if (request->cut_s > 0 && request->what != SPOT_WHAT_LIFETIMES &&
        request->what != SPOT_WHAT_ALL && !request->has_lifetimes) {
        spot_option_error(state, "--cut is for lifetimes");
    }
    if (request->num_rounds > MAX_ROUNDS) {
        spot_option_error(state, "--bootstrap: expected at most %d", MAX_ROUNDS);
    }
    if (request->start_hour > 23) {
        spot_option_error(state, "--start-hour: expected 0 to 23");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    spot_fit_request_t *self = &arguments->request;

    switch (key) {
        case OPTION_WHAT:
            self->what = parse_choice(state, "--what", text, whats, 0);
            return 0;
        case OPTION_FAMILIES:
            self->families = text;
            return 0;
        case OPTION_LIKELIHOOD:
            self->likelihood = parse_choice(state, "--likelihood", text, likelihoods, 1);
            return 0;
        case OPTION_TICK:
            self->tick_s = parse_seconds(state, "--tick", text);
            return 0;
        case OPTION_LIMIT:
            self->limit_s = parse_seconds(state, "--limit", text);
            return 0;
        case OPTION_CUT:
            self->cut_s = parse_seconds(state, "--cut", text);
            return 0;
        case OPTION_BOOTSTRAP:
            self->num_rounds = spot_option_integer(state, "--bootstrap", text, 1);
            return 0;
        case OPTION_EMIT:
            self->emit = parse_choice(state, "--emit", text, emits, 1);
            return 0;
        case 'o':
            self->model_path = spot_option_file(state, "-o", text, ".yaml or .yml");
            return 0;
        case OPTION_START_HOUR:
            self->start_hour = spot_option_integer(state, "--start-hour", text, 0);
            return 0;
        case OPTION_HOURLY:
            self->is_hourly = true;
            return 0;
        case OPTION_LIFETIMES:
            self->has_lifetimes = true;
            return 0;
        case OPTION_WHERE:
            self->where = text;
            return 0;
        case OPTION_SEED:
            self->seed = spot_option_integer(state, "--seed", text, 0);
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case OPTION_CSV:
            arguments->csv_path = spot_option_file(state, "--csv", text, ".csv");
            return 0;
        case OPTION_SVG:
            arguments->svg_folder = text;
            return 0;
        case OPTION_QUIET:
            arguments->is_quiet = true;
            return 0;
        case ARGP_KEY_END:
            check_arguments(arguments, state);
            break;
        default:
            break;
    }
    return spot_option_argument(state, key, text, &self->path, "a trace");
}

/* What the fits are given to. */
typedef struct {
    const arguments_t *arguments;
    spot_fit_task_t *task;
    spot_fit_table_t table;
    spot_progress_line_t line;
    char unit[64];     /* of the line */
    int picture_error; /* the first one; the tables are still printed */
} output_t;

/* Where both likelihoods are asked for, that of the lattice is drawn. */
static int
draw(output_t *self, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s,
    const spot_fit_ranking_t *ranking)
{
    const arguments_t *arguments = self->arguments;
    char *name;
    int ret = SPOT_ERR_NO_MEMORY;

    if (arguments->svg_folder == NULL ||
        (arguments->request.likelihood == SPOT_LIKELIHOOD_BOTH && !(tick_s > 0))) {
        return 0;
    }
    name = spot_pictures_name(arguments->request.path);
    if (name != NULL) {
        ret = spot_pictures_of_fit(ranking, sample, kind, self->task->trace.kind, tick_s,
            arguments->svg_folder, name, self->task->diag);
    }
    free(name);
    return ret;
}

static void
take_laws(void *context, const spot_sample_t *sample, spot_sample_kind_t kind,
    double tick_s, const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    output_t *self = context;
    int error;

    spot_progress_line_finish(&self->line);
    error = draw(self, sample, kind, tick_s, ranking);
    spot_fit_table_laws(
        &self->table, spot_sample_kind_names[kind], tick_s, ranking, words);
    self->picture_error = spot_error_first(self->picture_error, error);
}

static void
take_sizes(void *context, const char *what, const spot_size_fit_t *fits, size_t num_fits,
    const spot_size_sample_t *sample, const spot_fit_words_t *words)
{
    output_t *self = context;

    spot_fit_table_sizes(&self->table, what, fits, num_fits, sample, words);
}

static void
take_hourly(void *context, const spot_fit_hourly_t *hourly)
{
    output_t *self = context;

    spot_fit_table_hourly(&self->table, hourly);
}

static spot_watch_t
watch_rounds(void *context, const char *family)
{
    output_t *self = context;

    spot_progress_line_finish(&self->line);
    snprintf(self->unit, sizeof(self->unit), "rounds of %s", family);
    return spot_progress_line_start(&self->line, self->unit, self->arguments->is_quiet);
}

static int
write_csv(output_t *self)
{
    spot_outfile_t file;
    const int ret =
        spot_outfile_init(&file, self->arguments->csv_path, self->task->diag);

    if (ret == 0) {
        spot_fit_table_write_csv(&self->table, file.stream);
    }
    return spot_outfile_close(&file, ret, self->task->diag);
}

/* A model on standard output stands alone. */
static int
fit_and_print(output_t *self)
{
    const arguments_t *arguments = self->arguments;
    const spot_fit_request_t *request = &arguments->request;
    const spot_trace_t *trace = &self->task->trace;
    const char *name = spot_trace_key(trace, "name");
    const spot_fit_table_setting_t setting = {.trace = name != NULL ? name : "",
        .is_quiet = arguments->is_quiet,
        .is_obtainable =
            !self->task->is_lifetimes && trace->kind == SPOT_TRACE_AVAILABILITY,
        .num_rounds = request->num_rounds,
        .seed = request->seed};
    const bool is_alone = spot_fit_is_model_alone(request);
    spot_fit_words_t words = {0};
    int ret = spot_fit_table_init(&self->table, &setting, arguments->is_json);

    if (ret == 0) {
        ret = spot_command_check_outputs((spot_command_files_t){1, &request->path},
            (spot_command_files_t){
                2, (const char *[]){request->model_path, arguments->csv_path}},
            self->task->diag);
    }
    if (ret == 0) {
        ret = spot_fit_task_run(self->task);
        spot_progress_line_finish(&self->line);
    }
    if (ret == 0 && !is_alone && arguments->csv_path != NULL) {
        ret = write_csv(self);
    }
    if (ret == 0 && !is_alone && request->what != SPOT_WHAT_MRP) {
        ret = spot_fit_task_advice(self->task, self->table.has_fits, &words);
    }
    spot_fit_table_finish(&self->table, &words);
    return ret == 0 ? self->picture_error : ret;
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {.request = {.what = SPOT_WHAT_ALL,
                                 .limit_s = (double) NAN,
                                 .start_hour = -1,
                                 .seed = 1}};
    output_t output = {.arguments = &arguments};
    spot_diag_t diag;
    spot_fit_task_t task = {.request = &arguments.request,
        .sink = {&output, take_laws, take_sizes, take_hourly, watch_rounds},
        .diag = &diag};
    int exit_code, ret;

    output.task = &task;
    spot_command_parse(&spot_command_trace_fit, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    spot_diag_init(&diag);
    ret = spot_pictures_check("--svg", arguments.svg_folder, &diag);
    ret = ret == 0 ? spot_fit_task_read(&task) : ret;
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = fit_and_print(&output);
        if (arguments.is_quiet) {
            spot_diag_drop_warnings(&diag);
        }
        exit_code = spot_command_finish(&diag, ret);
        exit_code =
            exit_code == SPOT_EXIT_GOOD && task.is_bad ? SPOT_EXIT_FAILED : exit_code;
    }
    spot_fit_table_free(&output.table);
    spot_fit_task_free(&task);
    return exit_code;
}

const spot_command_t spot_command_trace_fit = {
    .name = "trace fit",
    .arguments = "TRACE",
    .summary = "Fit laws to a trace, rank them, write a generator model",
    .doc =
        "One table for each sample, best AIC first (*); among the families whose mean "
        "is that of the sample the best is marked +. Below each table stands in words "
        "which family it is, how sure that is and what it gets wrong. A fitted trace "
        "describes that day and that zone. Exit code 1: a fit did not converge, beside "
        "a model only one that the model uses. A sample that is too small for a fit, "
        "or whose best law is a limit of its family, says so and is no failure.\n\n"
        "Models: block puts pieces of the recording together, mrp (a Markov renewal "
        "process) and seed (the notebook's independent events) have parameters only, "
        "replay is the recording itself.",
    .examples = "  spotsim trace fit trace.csv --what gaps\n"
                "  spotsim trace fit trace.csv --what gaps --likelihood continuous "
                "--bootstrap 399\n"
                "  spotsim trace fit trace.csv --emit block -o model.yaml\n"
                "  spotsim trace fit trace.csv --emit mrp > model.yaml\n"
                "  spotsim trace fit lifetimes.csv --limit 90000\n"
                "  spotsim trace fit lifetimes.csv --cut 86400\n",
    .options = options,
    .run = run,
};
