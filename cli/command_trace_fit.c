/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/fit_task.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "traces/fit/fit_advice.h"
#include "traces/fit/fit_doubts.h"
#include "traces/fit/fit_model.h"

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
check_arguments(const spot_fit_arguments_t *arguments, struct argp_state *state)
{
    if (arguments->output_path != NULL && arguments->emit == SPOT_EMIT_NOTHING) {
        spot_option_error(state, "-o is for --emit");
    }
    if (arguments->svg_folder != NULL && arguments->what >= SPOT_WHAT_BULK &&
        arguments->what != SPOT_WHAT_ALL) {
        spot_option_error(
            state, "--svg: there are only pictures of gaps, lifetimes and spells");
    }
    if (arguments->csv_path != NULL &&
        (arguments->what == SPOT_WHAT_MRP || arguments->what == SPOT_WHAT_HOURLY)) {
        spot_option_error(state, "--csv: a model and rates by hour are no rows of fits");
    }
    if (arguments->csv_path != NULL &&
        (strcmp(arguments->csv_path, "-") == 0 || spot_fit_is_model_alone(arguments))) {
        spot_option_error(state, "--csv: expected a file, and with --emit -o FILE too");
    }
    if (arguments->is_json &&
        (arguments->what == SPOT_WHAT_MRP || spot_fit_is_model_alone(arguments))) {
        spot_option_error(state, "a model is YAML: --json needs -o FILE for it");
    }
    if (arguments->emit != SPOT_EMIT_MRP &&
        (arguments->is_hourly || arguments->has_lifetimes)) {
        spot_option_error(state, "%s is for --emit mrp",
            arguments->is_hourly ? "--hourly" : "--lifetimes");
    }
    if (arguments->tick_s > 0 && arguments->likelihood == SPOT_LIKELIHOOD_CONTINUOUS) {
        spot_option_error(state, "--tick is for the lattice likelihood");
    }
    if (arguments->cut_s > 0 && arguments->what != SPOT_WHAT_LIFETIMES &&
        arguments->what != SPOT_WHAT_ALL && !arguments->has_lifetimes) {
        spot_option_error(state, "--cut is for lifetimes");
    }
    if (arguments->num_rounds > MAX_ROUNDS) {
        spot_option_error(state, "--bootstrap: expected at most %d", MAX_ROUNDS);
    }
    if (arguments->start_hour > 23) {
        spot_option_error(state, "--start-hour: expected 0 to 23");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    spot_fit_arguments_t *self = state->input;

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
            self->output_path = spot_option_file(state, "-o", text, ".yaml or .yml");
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
            self->is_json = true;
            return 0;
        case OPTION_CSV:
            self->csv_path = spot_option_file(state, "--csv", text, ".csv");
            return 0;
        case OPTION_SVG:
            self->svg_folder = text;
            return 0;
        case OPTION_QUIET:
            self->is_quiet = true;
            return 0;
        case ARGP_KEY_END:
            check_arguments(self, state);
            break;
        default:
            break;
    }
    return spot_option_argument(state, key, text, &self->path, "a trace");
}

static int
write_csv(spot_fit_task_t *self)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, self->arguments->csv_path, &self->diag);

    if (ret == 0) {
        spot_fit_table_write_csv(&self->table, file.stream);
    }
    return spot_outfile_close(&file, ret, &self->diag);
}

static int
fit_hours(spot_fit_task_t *self)
{
    spot_fit_hourly_t hourly;
    const int ret = spot_fit_task_hours(self, &hourly);

    if (ret == 0) {
        spot_fit_table_hourly(&self->table, &hourly);
    }
    return ret;
}

/* A model on standard output stands alone. */
static int
fit(spot_fit_task_t *self)
{
    const spot_fit_arguments_t *arguments = self->arguments;
    const bool is_model_wanted =
        arguments->emit != SPOT_EMIT_NOTHING || arguments->what == SPOT_WHAT_MRP;
    int ret = spot_command_check_outputs((spot_command_files_t){1, &arguments->path},
        (spot_command_files_t){
            2, (const char *[]){arguments->output_path, arguments->csv_path}},
        &self->diag);

    ret = ret == 0 ? spot_maximiser_init(&self->maximiser) : ret;
    if (ret == 0 && is_model_wanted) {
        ret = spot_fit_task_emit(self, arguments->output_path);
    }
    if (ret != 0 || spot_fit_is_model_alone(arguments)) {
        return ret;
    }
    ret = spot_fit_task_tables(self);
    if (ret == 0 && arguments->what == SPOT_WHAT_HOURLY) {
        ret = fit_hours(self);
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        ret = write_csv(self);
    }
    return ret;
}

/* What all tables have in common; behind a model that is alone there is nothing to say.
 */
static int
take_closing_words(spot_fit_task_t *self, spot_fit_words_t *words)
{
    const spot_fit_arguments_t *arguments = self->arguments;
    spot_fit_advice_t advice = {.path = arguments->path,
        .model_path =
            arguments->emit != SPOT_EMIT_NOTHING ? arguments->output_path : NULL,
        .is_lifetimes = self->is_lifetimes,
        .is_obtainable =
            !self->is_lifetimes && self->trace.kind == SPOT_TRACE_AVAILABILITY,
        .is_tested = arguments->num_rounds > 0 || arguments->what == SPOT_WHAT_BULK ||
                     !self->table.has_fits,
        .resolution_s = spot_fit_task_resolution_s(self)};
    spot_fit_lifetime_t lifetime;
    spot_fit_words_t doubts;
    int ret = 0;

    if (!self->is_lifetimes) {
        ret = spot_fit_num_events(&advice.num_events, &self->trace);
    }
    if (ret == 0 && !self->is_lifetimes) {
        ret = spot_fit_doubts(&doubts, &self->trace, NULL);
        advice.doubts = &doubts;
    }
    if (ret == 0 && (self->is_lifetimes || arguments->cut_s > 0)) {
        ret = spot_fit_task_lifetime(self, &lifetime);
        advice.lifetime = lifetime.law.family != NULL ? &lifetime.law : NULL;
        advice.lifetime_ks = lifetime.ks;
        advice.cut = lifetime.cut;
    }
    spot_fit_words_of_trace(words, &advice);
    return ret;
}

static int
fit_and_print(spot_fit_task_t *self)
{
    const spot_fit_arguments_t *arguments = self->arguments;
    const char *name = spot_trace_key(&self->trace, "name");
    const spot_fit_table_setting_t setting = {.trace = name != NULL ? name : "",
        .is_quiet = arguments->is_quiet,
        .is_obtainable =
            !self->is_lifetimes && self->trace.kind == SPOT_TRACE_AVAILABILITY,
        .num_rounds = arguments->num_rounds,
        .seed = arguments->seed};
    spot_fit_words_t words = {0};
    int ret = spot_fit_table_init(&self->table, &setting, arguments->is_json);

    if (ret == 0) {
        ret = fit(self);
    }
    if (ret == 0 && !spot_fit_is_model_alone(arguments) &&
        arguments->what != SPOT_WHAT_MRP) {
        ret = take_closing_words(self, &words);
    }
    spot_fit_table_finish(&self->table, &words);
    return ret == 0 ? self->picture_error : ret;
}

static int
run(int argc, char **argv)
{
    spot_fit_arguments_t arguments = {
        .what = SPOT_WHAT_ALL, .limit_s = (double) NAN, .start_hour = -1, .seed = 1};
    spot_fit_task_t task = {.arguments = &arguments};
    int exit_code, ret;

    spot_command_parse(&spot_command_trace_fit, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    spot_diag_init(&task.diag);
    ret = spot_pictures_check("--svg", arguments.svg_folder, &task.diag);
    ret = ret == 0 ? spot_fit_task_read(&task) : ret;
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&task.diag, ret);
    } else {
        ret = fit_and_print(&task);
        if (arguments.is_quiet) {
            spot_diag_drop_warnings(&task.diag);
        }
        exit_code = spot_command_finish(&task.diag, ret);
        exit_code =
            exit_code == SPOT_EXIT_GOOD && task.is_bad ? SPOT_EXIT_FAILED : exit_code;
    }
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
