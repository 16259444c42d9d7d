/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/fit_table.h"
#include "traces/describe/hours.h"
#include "traces/fit/bootstrap.h"
#include "traces/fit/fit_hourly.h"
#include "traces/fit/fit_model.h"
#include "traces/lifetimes.h"

enum {
    OPTION_WHAT = 256,
    OPTION_FAMILIES,
    OPTION_LIKELIHOOD,
    OPTION_TICK,
    OPTION_LIMIT,
    OPTION_BOOTSTRAP,
    OPTION_EMIT,
    OPTION_START_HOUR,
    OPTION_HOURLY,
    OPTION_WHERE,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_QUIET
};

enum { LIKELIHOOD_DEFAULT, LIKELIHOOD_CONTINUOUS, LIKELIHOOD_LATTICE, LIKELIHOOD_BOTH };
static const char *const likelihoods[] = {
    "default", "continuous", "lattice", "both", NULL};

enum {
    WHAT_GAPS,
    WHAT_LIFETIMES,
    WHAT_SPELLS,
    WHAT_BULK,
    WHAT_MRP,
    WHAT_HOURLY,
    WHAT_ALL
};
static const char *const whats[] = {
    "gaps", "lifetimes", "spells", "bulk", "mrp", "hourly", "all", NULL};

enum { EMIT_NOTHING, EMIT_MRP, EMIT_SEED };
static const char *const emits[] = {"nothing", "mrp", "seed", NULL};

typedef struct {
    const char *path;
    const char *output_path;
    const char *csv_path;
    const char *where;
    const char *families;
    int what;
    int likelihood;
    int emit;
    double tick_s;  /* 0: the resolution */
    double limit_s; /* NAN: not known */
    int64_t num_rounds;
    int64_t start_hour; /* -1: that of the trace */
    int64_t seed;
    bool is_hourly;
    bool is_json;
    bool is_quiet;
} arguments_t;

static const struct argp_option options[] = {
    {"what", OPTION_WHAT, "WHAT", 0,
        "gaps, lifetimes, spells, bulk, mrp, hourly or all (default: all)", 0},
    {"families", OPTION_FAMILIES, "A,B,...", 0,
        "Only these families of durations (default: all)", 0},
    {"likelihood", OPTION_LIKELIHOOD, "continuous|lattice|both", 0,
        "Whether the recorder's tick counts (default: lattice where the resolution is "
        "30 s or more and all values are multiples; lifetimes: continuous)",
        0},
    {"tick", OPTION_TICK, "S", 0, "Tick of the lattice (default: the resolution)", 0},
    {"limit", OPTION_LIMIT, "S", 0, "Longest possible life, for bathtub", 0},
    {"bootstrap", OPTION_BOOTSTRAP, "B", 0,
        "p-values of the best families from B refitted samples (default: none)", 0},
    {"emit", OPTION_EMIT, "mrp|seed", 0,
        "Write this generator model to -o, or instead of the tables", 0},
    {"output", 'o', "FILE", 0, "Where --emit writes (default: standard output)", 0},
    {"start-hour", OPTION_START_HOUR, "H", 0,
        "Hour of the day at time 0, 0 to 23, where the trace does not say it", 0},
    {"hourly", OPTION_HOURLY, NULL, 0, "Put rates by hour into the mrp model", 0},
    {"where", OPTION_WHERE, "COLUMN=VALUE", 0, "Only these rows of a lifetimes file", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the bootstrap (default 1)", 0},
    {"json", OPTION_JSON, NULL, 0, "JSON instead of tables", 0},
    {"csv", OPTION_CSV, "FILE", 0, "Write one row a fit, 8 significant digits", 0},
    {"quiet", OPTION_QUIET, NULL, 0, "No warnings and no verdicts", 0},
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
    argp_error(state, "%s: expected one of %s, got \"%s\"", option, expected, text);
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
    if (arguments->output_path != NULL && arguments->emit == EMIT_NOTHING) {
        argp_error(state, "-o is for --emit");
    }
    if (arguments->csv_path != NULL && arguments->what != WHAT_BULK &&
        arguments->what > WHAT_SPELLS) {
        argp_error(state, "--csv: one kind of table, add --what gaps, lifetimes, spells "
                          "or bulk");
    }
    if (arguments->is_hourly && arguments->emit != EMIT_MRP) {
        argp_error(state, "--hourly is for --emit mrp");
    }
    if (arguments->start_hour > 23) {
        argp_error(state, "--start-hour: expected 0 to 23");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *self = state->input;

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
        case OPTION_BOOTSTRAP:
            self->num_rounds = spot_option_integer(state, "--bootstrap", text, 1);
            return 0;
        case OPTION_EMIT:
            self->emit = parse_choice(state, "--emit", text, emits, 1);
            return 0;
        case 'o':
            self->output_path = text;
            return 0;
        case OPTION_START_HOUR:
            self->start_hour = spot_option_integer(state, "--start-hour", text, 0);
            return 0;
        case OPTION_HOURLY:
            self->is_hourly = true;
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
            self->csv_path = text;
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

/* One run of the command. */
typedef struct {
    const arguments_t *arguments;
    bool is_lifetimes;
    spot_trace_t trace;
    spot_lifetimes_t lifetimes;
    const spot_family_t *families[SPOT_FIT_MAX_FAMILIES + 1]; /* none: all */
    spot_maximiser_t maximiser;
    spot_fit_table_t table;
    spot_diag_t diag;
    bool is_bad; /* a fit did not converge */
} task_t;

static int
take_families(task_t *self)
{
    const char *text = self->arguments->families;
    size_t num_families = 0;

    while (text != NULL && *text != '\0') {
        char name[32];
        const size_t num_bytes = strcspn(text, ",");
        const spot_family_t *family;

        snprintf(
            name, sizeof(name), "%.*s", (int) (num_bytes < 31 ? num_bytes : 31), text);
        family = spot_family_find(name);
        if (family == NULL || !spot_fit_has_family(family) ||
            num_families == SPOT_FIT_MAX_FAMILIES) {
            spot_diag_error(&self->diag, "--families", 0, 0,
                "unknown family \"%s\"; known: exponential, weibull, gamma, lognormal, "
                "loglogistic, hyperexp2, bathtub",
                name);
            return SPOT_ERR_BAD_INPUT;
        }
        self->families[num_families++] = family;
        text += num_bytes + (text[num_bytes] == ',');
    }
    return 0;
}

static int
read_input(task_t *self)
{
    const arguments_t *arguments = self->arguments;
    int ret = take_families(self);

    if (ret != 0) {
        return ret;
    }
    self->is_lifetimes = spot_lifetimes_is_file(arguments->path);
    if (!self->is_lifetimes) {
        ret = spot_trace_read(&self->trace, arguments->path, false, &self->diag);
    } else {
        ret = spot_lifetimes_read(&self->lifetimes, arguments->path, &self->diag);
        if (ret == 0 && arguments->where != NULL) {
            ret = spot_lifetimes_keep(
                &self->lifetimes, "--where", arguments->where, &self->diag);
        }
    }
    if (ret == 0 && (self->is_lifetimes ? arguments->emit != EMIT_NOTHING
                                        : arguments->where != NULL)) {
        spot_diag_error(&self->diag, arguments->path, 0, 0,
            self->is_lifetimes ? "--emit needs a trace, not a lifetimes file"
                               : "--where is for lifetimes files");
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

static double
resolution_s(const task_t *self)
{
    return self->is_lifetimes
               ? 0
               : (double) self->trace.resolution_ms / (double) SPOT_MS_PER_S;
}

/* Ranks the families with one likelihood. */
static int
fit_with_tick(
    task_t *self, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s)
{
    const double raised_s = resolution_s(self) > 0 ? resolution_s(self) : 1;
    const char *what = spot_sample_kind_names[kind];
    spot_durations_t durations;
    spot_fit_ranking_t ranking;
    spot_fit_words_t words;
    int ret = spot_durations_init(&durations, sample->values, sample->is_censored,
        sample->num_values, tick_s, raised_s);

    if (ret == 0) {
        spot_fit_rank(&ranking, &self->maximiser, &durations,
            self->families[0] != NULL ? self->families : NULL, self->arguments->limit_s);
    }
    for (size_t j = 0; ret == 0 && j < ranking.num_fits; j++) {
        self->is_bad =
            self->is_bad || (ranking.fits[j].is_fitted && !ranking.fits[j].converged);
        if (self->arguments->num_rounds > 0 && ranking.fits[j].is_fitted) {
            ret = spot_fit_bootstrap(&self->maximiser, raised_s,
                (int) self->arguments->num_rounds, (uint64_t) self->arguments->seed, 0,
                &ranking.fits[j]);
        }
    }
    if (ret == 0) {
        ret = spot_fit_words_of_law(&words, what, &ranking, sample, resolution_s(self));
    }
    if (ret == 0) {
        spot_fit_table_laws(&self->table, what, tick_s, &ranking, &words);
    }
    spot_durations_free(&durations);
    return ret;
}

static int
fit_durations(task_t *self, spot_sample_kind_t kind)
{
    const int likelihood = self->arguments->likelihood;
    spot_sample_t sample = {0};
    int ret = self->is_lifetimes ? spot_sample_init_lifetimes(&sample, &self->lifetimes)
                                 : spot_sample_init(&sample, &self->trace, kind);
    const double tick_s =
        self->arguments->tick_s > 0 ? self->arguments->tick_s : resolution_s(self);
    double chosen_s;

    if (ret != 0 || (sample.num_values == 0 && kind >= SPOT_SAMPLE_UP_SPELL)) {
        spot_sample_free(&sample);
        return ret;
    }
    chosen_s = self->arguments->tick_s > 0
                   ? tick_s
                   : spot_fit_default_tick(&sample, kind, resolution_s(self));
    if (likelihood == LIKELIHOOD_CONTINUOUS || likelihood == LIKELIHOOD_BOTH) {
        ret = fit_with_tick(self, &sample, kind, 0);
    }
    if (ret == 0 && likelihood != LIKELIHOOD_CONTINUOUS) {
        ret = fit_with_tick(
            self, &sample, kind, likelihood == LIKELIHOOD_DEFAULT ? chosen_s : tick_s);
    }
    spot_sample_free(&sample);
    return ret;
}

static int
compare_fits(const void *left, const void *right)
{
    const spot_size_fit_t *a = left, *b = right;

    if (a->is_fitted != b->is_fitted) {
        return a->is_fitted ? -1 : 1;
    }
    return !a->is_fitted ? 0 : (a->aic > b->aic) - (a->aic < b->aic);
}

/* Laws of a size alone, or given what could have been taken. */
static void
fit_sizes(
    task_t *self, const spot_size_sample_t *sample, const char *what, bool is_given)
{
    spot_size_fit_t fits[SPOT_SIZE_MAX_FAMILIES];
    spot_fit_words_t words;
    size_t num_fits = 0;

    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        if (spot_size_families[j]->is_given_limit == is_given &&
            spot_size_family_fits(spot_size_families[j], sample)) {
            spot_size_fit_t *fit = &fits[num_fits++];

            spot_fit_size(fit, spot_size_families[j], sample, &self->maximiser);
            self->is_bad = self->is_bad || (fit->is_fitted && !fit->converged);
        }
    }
    if (num_fits > 0) {
        qsort(fits, num_fits, sizeof(*fits), compare_fits);
    }
    spot_fit_words_of_sizes(&words, what, fits, num_fits, sample);
    spot_fit_table_sizes(&self->table, what, fits, num_fits, sample, &words);
}

static int
fit_bulk(task_t *self, spot_sample_kind_t kind)
{
    spot_sample_t values = {0};
    spot_size_sample_t sample = {0};
    char what[64];
    int ret = spot_sample_init(&values, &self->trace, kind);

    if (ret == 0) {
        ret = spot_size_sample_init(
            &sample, values.num_values, values.values, values.limits);
    }
    if (ret == 0) {
        snprintf(what, sizeof(what), "%s-given-n", spot_sample_kind_names[kind]);
        fit_sizes(self, &sample, spot_sample_kind_names[kind], false);
        fit_sizes(self, &sample, what, true);
    }
    spot_size_sample_free(&sample);
    spot_sample_free(&values);
    return ret;
}

static bool
is_wanted(const task_t *self, int what)
{
    return self->arguments->what == what || self->arguments->what == WHAT_ALL;
}

static int
fit_tables(task_t *self)
{
    static const struct {
        int what;
        spot_sample_kind_t kind;
    } samples[] = {{WHAT_GAPS, SPOT_SAMPLE_PREEMPT_GAP},
        {WHAT_GAPS, SPOT_SAMPLE_ADD_GAP}, {WHAT_SPELLS, SPOT_SAMPLE_UP_SPELL},
        {WHAT_SPELLS, SPOT_SAMPLE_DOWN_SPELL}, {WHAT_LIFETIMES, SPOT_SAMPLE_LIFETIME},
        {WHAT_BULK, SPOT_SAMPLE_PREEMPT_COUNT}, {WHAT_BULK, SPOT_SAMPLE_ADD_COUNT}};
    int ret = 0;

    for (size_t j = 0; j < sizeof(samples) / sizeof(samples[0]) && ret == 0; j++) {
        if (!is_wanted(self, samples[j].what) ||
            (self->is_lifetimes && samples[j].what != WHAT_LIFETIMES)) {
            continue;
        }
        ret = samples[j].what == WHAT_BULK ? fit_bulk(self, samples[j].kind)
                                           : fit_durations(self, samples[j].kind);
    }
    return ret;
}

/* Time of day at time 0, or -1 where nobody says it. */
static int64_t
start_ms(const task_t *self)
{
    return self->arguments->start_hour >= 0 ? self->arguments->start_hour * SPOT_MS_PER_H
                                            : spot_hours_start_ms(&self->trace);
}

static int
fit_hours(task_t *self, spot_fit_hourly_t *hourly)
{
    if (start_ms(self) < 0) {
        spot_diag_error(&self->diag, self->arguments->path, 0, 0,
            "the trace does not say at what hour it starts: expected --start-hour H");
        return SPOT_ERR_BAD_INPUT;
    }
    return spot_fit_hourly(hourly, &self->trace, start_ms(self));
}

static void
warn_of_seed(task_t *self, const spot_seed_t *seed)
{
    const double cv = fmax(seed->preemption.gap_cv, seed->addition.gap_cv);

    if (cv > SPOT_SEED_MAX_CV) {
        spot_diag_warn(&self->diag, self->arguments->path, 0, 0,
            "gaps have CV %.2f, those of a seed model at most 1: its events will be too "
            "evenly spread; use --emit mrp",
            cv);
    }
}

static int
write_model(task_t *self, FILE *out)
{
    spot_fit_hourly_t hourly;
    spot_fit_origin_t origin = {
        .trace = &self->trace, .source = self->arguments->path, .version = SPOT_VERSION};
    spot_seed_t seed;
    spot_mrp_t mrp;
    int ret = 0;

    if (self->arguments->is_hourly) {
        ret = fit_hours(self, &hourly);
        origin.hourly = &hourly;
    }
    if (ret == 0 && self->arguments->emit == EMIT_SEED) {
        ret = spot_fit_seed(&seed, &self->trace);
        if (ret == 0) {
            warn_of_seed(self, &seed);
            spot_seed_write(&seed, &origin, out);
        }
    } else if (ret == 0) {
        ret = spot_fit_mrp(&mrp, &self->trace, &self->maximiser);
        if (ret == 0) {
            self->is_bad = self->is_bad || !spot_mrp_converged(&mrp);
            spot_mrp_write(&mrp, &origin, out);
        }
    }
    if (ret == SPOT_ERR_BAD_INPUT && self->diag.num_errors == 0) {
        spot_diag_error(&self->diag, self->arguments->path, 0, 0,
            "no preemption and no addition: there is nothing to fit");
    }
    return ret;
}

static int
emit(task_t *self, const char *path)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, &self->diag);

    if (ret == 0) {
        ret = write_model(self, file.stream);
    }
    return spot_outfile_close(&file, ret, &self->diag);
}

static int
write_csv(task_t *self)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, self->arguments->csv_path, &self->diag);

    if (ret == 0) {
        spot_fit_table_write_csv(
            &self->table, self->arguments->what == WHAT_BULK, file.stream);
    }
    return spot_outfile_close(&file, ret, &self->diag);
}

/* A model on standard output stands alone. */
static int
fit(task_t *self)
{
    const arguments_t *arguments = self->arguments;
    const bool is_model_alone =
        arguments->emit != EMIT_NOTHING && arguments->output_path == NULL;
    spot_fit_hourly_t hourly;
    int ret = spot_maximiser_init(&self->maximiser);

    if (ret == 0 && arguments->emit != EMIT_NOTHING) {
        ret = emit(self, arguments->output_path);
    }
    if (ret != 0 || is_model_alone) {
        return ret;
    }
    ret = fit_tables(self);
    if (ret == 0 && arguments->what == WHAT_MRP && !self->is_lifetimes &&
        arguments->emit == EMIT_NOTHING) {
        ret = write_model(self, stdout);
    }
    if (ret == 0 && arguments->what == WHAT_HOURLY && !self->is_lifetimes) {
        ret = fit_hours(self, &hourly);
        if (ret == 0) {
            spot_fit_table_hourly(&self->table, &hourly);
        }
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        ret = write_csv(self);
    }
    return ret;
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {
        .what = WHAT_ALL, .limit_s = (double) NAN, .start_hour = -1, .seed = 1};
    task_t task = {.arguments = &arguments};
    int exit_code, ret;

    spot_command_parse(&spot_command_trace_fit, argc, argv, parse, &arguments);
    spot_diag_init(&task.diag);
    ret = read_input(&task);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&task.diag, ret);
    } else {
        const bool is_model_alone =
            arguments.emit != EMIT_NOTHING && arguments.output_path == NULL;

        ret = spot_fit_table_init(&task.table, arguments.is_json && !is_model_alone,
            arguments.is_quiet, spot_trace_key(&task.trace, "name"));
        ret = ret == 0 ? fit(&task) : ret;
        spot_fit_table_finish(&task.table);
        if (arguments.is_quiet && ret == 0) {
            spot_diag_free(&task.diag);
            spot_diag_init(&task.diag);
        }
        exit_code = spot_command_finish(&task.diag, ret);
        exit_code =
            exit_code == SPOT_EXIT_GOOD && task.is_bad ? SPOT_EXIT_FAILED : exit_code;
    }
    spot_fit_table_free(&task.table);
    spot_maximiser_free(&task.maximiser);
    spot_lifetimes_free(&task.lifetimes);
    spot_trace_free(&task.trace);
    return exit_code;
}

const spot_command_t spot_command_trace_fit = {
    .name = "trace fit",
    .arguments = "TRACE",
    .summary = "Fit laws to a trace, rank them, write a generator model",
    .doc =
        "One table for each sample, best AIC first (*); among the families whose mean "
        "is that of the sample the best is marked +, for generators need it. A "
        "fitted trace describes that day and that zone. Exit code 1: a fit did not "
        "converge.",
    .examples = "  spotsim trace fit trace.csv --what gaps\n"
                "  spotsim trace fit trace.csv --emit mrp -o model.yaml\n"
                "  spotsim trace fit lifetimes.csv --limit 90000\n",
    .options = options,
    .run = run,
};
