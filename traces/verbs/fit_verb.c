/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/outfile.h"
#include "base/verb/table.h"
#include "base/verb/terminal.h"
#include "base/verb/verb.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_generator.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"
#include "traces/fit/fit_task.h"
#include "traces/fit/fit_words.h"
#include "traces/trace.h"
#include "traces/verbs/trace_picture.h"
#include "traces/verbs/trace_report.h"

typedef struct {
    const char *trace;  /* its name, "" for a lifetimes file */
    bool is_quiet;      /* no verdicts, no legend */
    bool is_obtainable; /* a trace of kind availability: nothing ran */
    int64_t num_rounds; /* of the bootstrap, 0: none */
    int64_t seed;
    spot_terminal_t terminal; /* of standard output */
    spot_diag_t *diag;        /* why that could not be written */
} fit_table_setting_t;

typedef struct {
    fit_table_setting_t setting;
    bool is_json;
    bool is_open;  /* the JSON object */
    bool has_fits; /* a legend is due */
    int error;     /* the first one of printing */
    spot_json_t json;
    FILE *out; /* text of a sample, or all of the JSON, in memory; NULL: no memory */
    char *text;
    size_t text_bytes;
    FILE *csv; /* rows in memory; NULL: no memory */
    char *csv_text;
    size_t csv_bytes;
} fit_table_t;

/* ---- The report of a fit ---- */

/* Tables of fits: text on standard output as they come, JSON at their end, rows of CSV kept
 * until they are asked for. */

static const char legend[] =
    "*  best: the lowest AIC of the fits that converged\n"
    "+  the lowest AIC of those whose mean is that of the sample\n"
    "n, n_d      values; those seen to their end, the others are censored\n"
    "dAIC        AIC above that of the best; below 2 is hardly a difference\n"
    "KS, AD      Kolmogorov-Smirnov and Anderson-Darling distance, to compare rows\n"
    "p           of AD by --bootstrap, how often a true law looks as bad\n"
    "mean, CV    of a law of durations: in s, and standard deviation / mean\n"
    "m/mean      mean of the law / mean of the sample, which is too low where values\n"
    "            are censored; inf: the law has none\n"
    "exact       whether the family keeps the mean (on ticks: but for half a tick)\n"
    "arbitrary   the likelihood does not depend on it: any value is as good\n"
    "conv        whether the search ended at a maximum\n"
    "(...)       standard error, in the unit of the parameter; -: there is none\n";

/* One sample: its fits by AIC. */
typedef struct {
    const char *what, *unit, *likelihood;
    const spot_fit_t *fits; /* [num_fits] */
    size_t num_fits;
    int best_id, best_mean_id; /* -1: none */
    bool is_duration;
    const spot_fit_words_t *words;
} sample_t;

/* The numbers of a fit in the order of all forms. */
enum { LOG_LIKELIHOOD, AIC, BIC, KS, AD, P_VALUE, MEAN, CV, MEAN_RATIO, NUM_NUMBERS };

static const struct {
    const char *key; /* of CSV and JSON */
    spot_table_column_t column;
    size_t offset;
} numbers[NUM_NUMBERS] = {
#define FIXED(head, decimals)                                                                      \
    {                                                                                              \
        .name = head, .is_fixed = true, .num_decimals = decimals                                   \
    }
#define DIGITS(head, digits)                                                                       \
    {                                                                                              \
        .name = head, .num_digits = digits                                                         \
    }
#define MEMBER(member) offsetof(spot_fit_t, member)
    [LOG_LIKELIHOOD] = {"logL", FIXED("lnL", 3), MEMBER(log_likelihood)},
    [AIC] = {"AIC", FIXED("dAIC", 2), MEMBER(aic)},
    [BIC] = {"BIC", FIXED("BIC", 2), MEMBER(bic)},
    [KS] = {"KS", FIXED("KS", 3), MEMBER(ks)},
    [AD] = {"AD", FIXED("AD", 3), MEMBER(ad)},
    [P_VALUE] = {"bootstrap_p", FIXED("p", 3), MEMBER(p_value)},
    [MEAN] = {"implied_mean_s", DIGITS("mean", 5), MEMBER(implied_mean_s)},
    [CV] = {"implied_cv", DIGITS("CV", 3), MEMBER(implied_cv)},
    [MEAN_RATIO] = {"mean_ratio", DIGITS("m/mean", 3), MEMBER(mean_ratio)},
};

static double number_of(const spot_fit_t *fit, int number_id)
{
    double value;

    memcpy(&value, (const char *) fit + numbers[number_id].offset, sizeof(value));
    return value;
}

static int num_parameters_of(const spot_fit_t *fit)
{
    return fit->family != NULL ? fit->family->num_parameters : fit->size_family->num_parameters;
}

static const char *parameter_name(const spot_fit_t *fit, int j)
{
    return fit->family != NULL ? fit->family->fields[j].name : fit->size_family->parameters[j];
}

/* Of a parameter of durations; the others are pure numbers, zeta is ln of seconds. */
static const char *parameter_unit(const spot_fit_t *fit, int j)
{
    static const char *const in_seconds[] = {"mu", "mu1", "mu2", "tau1", "tau2", "scale", NULL};

    for (int k = 0; fit->family != NULL && in_seconds[k] != NULL; k++) {
        if (strcmp(in_seconds[k], parameter_name(fit, j)) == 0) {
            return " s";
        }
    }
    return "";
}

/* Whether the fit has that parameter, and its value means something. */
static bool is_known(const spot_fit_t *fit, int j)
{
    return j < num_parameters_of(fit) && !(fit->is_fitted && (fit->arbitrary & 1u << j) != 0);
}

static const char *yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

/* ---- CSV ---- */

static const char csv_head[] =
    "trace,quantity,tick_s,n,n_uncensored,family,k,par1_name,par1,par1_se,par2_name,"
    "par2,par2_se,par3_name,par3,par3_se,limit_s,logL,AIC,BIC,KS,AD,bootstrap_p,"
    "implied_mean_s,implied_cv,mean_ratio,mean_exact,converged,note\n";

/* Undefined is empty; a law may have an infinite mean. */
static void csv_number(FILE *out, double value)
{
    if (isinf(value)) {
        fprintf(out, ",%g", value);
    } else {
        spot_csv_field_number(out, value);
    }
}

static void write_csv_row(const spot_fit_t *fit, const char *trace, const char *what, FILE *out)
{
    const int num_parameters = num_parameters_of(fit);
    const bool has_limit = fit->is_fitted && fit->family != NULL && fit->family->num_settings > 0;

    fprintf(out, "%s,%s", trace, what);
    csv_number(out, fit->tick_s > 0 ? fit->tick_s : (double) NAN);
    csv_number(out, (double) fit->num_values);
    csv_number(out, (double) fit->num_complete);
    fprintf(out, ",%s,%d", fit->name, num_parameters);
    for (int j = 0; j < SPOT_SIZE_MAX_PARAMETERS; j++) {
        fprintf(out, ",%s", j < num_parameters ? parameter_name(fit, j) : "");
        csv_number(out, is_known(fit, j) ? fit->law.parameters[j] : (double) NAN);
        csv_number(out, is_known(fit, j) ? fit->standard_errors[j] : (double) NAN);
    }
    csv_number(out, has_limit ? fit->law.parameters[num_parameters] : (double) NAN);
    for (int j = 0; j < NUM_NUMBERS; j++) {
        csv_number(out, number_of(fit, j));
    }
    fprintf(out, ",%s,%s,", yes_or_no(fit->is_mean_exact), yes_or_no(fit->converged));
    for (const char *text = fit->note; *text != '\0'; text++) { /* no field to quote */
        fputc(*text == ',' ? ';' : *text, out);
    }
    fputc('\n', out);
}

/* The rows so far, columns first. */
static void fit_table_write_csv(fit_table_t *self, FILE *out)
{
    fputs(csv_head, out);
    if (self->csv != NULL) {
        fflush(self->csv);
        fwrite(self->csv_text, 1, self->csv_bytes, out);
    }
}

/* ---- JSON ---- */

static void write_json_fit(const sample_t *sample, int fit_id, spot_json_t *json)
{
    const spot_fit_t *fit = &sample->fits[fit_id];
    const int num_parameters = num_parameters_of(fit);

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "family", fit->name);
    spot_json_boolean(json, "best_aic", fit_id == sample->best_id);
    spot_json_boolean(json, "best_mean_exact", fit_id == sample->best_mean_id);
    spot_json_number(json, "n", (double) fit->num_values);
    spot_json_number(json, "n_d", (double) fit->num_complete);
    spot_json_open(json, "parameters", '{');
    for (int j = 0; j < num_parameters; j++) {
        spot_json_number(
            json, parameter_name(fit, j), is_known(fit, j) ? fit->law.parameters[j] : (double) NAN);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "arbitrary", '[');
    for (int j = 0; j < num_parameters; j++) {
        if (!is_known(fit, j)) {
            spot_json_text(json, NULL, parameter_name(fit, j));
        }
    }
    spot_json_close(json, ']');
    spot_json_open(json, "standard_errors", '{');
    for (int j = 0; j < num_parameters; j++) {
        spot_json_number(json, parameter_name(fit, j), fit->standard_errors[j]);
    }
    spot_json_close(json, '}');
    for (int j = 0; j < NUM_NUMBERS; j++) {
        spot_json_number(json, numbers[j].key, number_of(fit, j));
    }
    spot_json_boolean(json, "mean_exact", fit->is_mean_exact);
    spot_json_boolean(json, "converged", fit->converged);
    spot_json_text(json, "note", fit->note);
    spot_json_close(json, '}');
}

static void json_words(spot_json_t *json, const spot_fit_words_t *words)
{
    spot_json_open(json, "verdict", '[');
    for (size_t j = 0; j < words->num_lines; j++) {
        spot_json_text(json, NULL, words->lines[j]);
    }
    spot_json_close(json, ']');
}

static void json_sample(spot_json_t *json, const sample_t *sample)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "sample", sample->what);
    spot_json_text(json, "unit", sample->unit);
    spot_json_text(json, "likelihood", sample->likelihood);
    spot_json_open(json, "fits", '[');
    for (int j = 0; j < (int) sample->num_fits; j++) {
        write_json_fit(sample, j, json);
    }
    spot_json_close(json, ']');
    json_words(json, sample->words);
    spot_json_close(json, '}');
}

/* ---- Text ---- */

static void write_parameter(const spot_fit_t *fit, int j, FILE *out)
{
    const double value = fit->law.parameters[j], error = fit->standard_errors[j];
    const char *unit = parameter_unit(fit, j);

    fprintf(out, "%s%s ", j == 0 ? "" : " ", parameter_name(fit, j));
    if (!fit->converged) {
        fputs("-", out);
    } else if (!is_known(fit, j)) {
        fputs("arbitrary", out);
    } else if (isnan(error)) {
        fprintf(out, "%.5g%s (-)", value, unit);
    } else {
        fprintf(out, error < 1000 ? "%.5g%s (%.3g)" : "%.5g%s (%.0f)", value, unit, error);
    }
}

static bool is_shown(const fit_table_t *self, int number_id, bool is_duration)
{
    return (number_id != P_VALUE || self->setting.num_rounds > 0) &&
           ((number_id != MEAN && number_id != CV) || is_duration);
}

static void add_columns(const fit_table_t *self, bool is_duration, spot_table_t *table)
{
    spot_table_add_column(
        table, (spot_table_column_t){.name = "", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(
        table, (spot_table_column_t){.name = "family", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (int j = 0; j < NUM_NUMBERS; j++) {
        if (is_shown(self, j, is_duration)) {
            spot_table_add_column(table, numbers[j].column);
        }
    }
    spot_table_add_column(table, (spot_table_column_t){.name = "exact", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(table, (spot_table_column_t){.name = "conv", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(table,
        (spot_table_column_t){.name = "parameters (standard errors)", .kind = SPOT_TABLE_PROSE});
}

/* A law may have no mean, which is said; without a fit its moments mean nothing. */
static void add_number(const spot_fit_t *fit, int number_id, double best_aic, spot_table_t *table)
{
    const bool is_moment = number_id == MEAN || number_id == CV;
    double value = number_of(fit, number_id);

    value = is_moment && !fit->converged ? (double) NAN : value;
    value -= number_id == AIC ? best_aic : 0;
    if (isinf(value) && number_id >= MEAN) {
        spot_table_add_text(table, "inf");
    } else {
        spot_table_add_number(table, value);
    }
}

static void add_row(const fit_table_t *self, const sample_t *sample, int fit_id, double best_aic,
    spot_table_t *table)
{
    const spot_fit_t *fit = &sample->fits[fit_id];
    FILE *parameters;

    spot_table_add_row(table);
    spot_table_add_format(table, "%c%c", fit_id == sample->best_id ? '*' : ' ',
        fit_id == sample->best_mean_id ? '+' : ' ');
    spot_table_add_text(table, fit->name);
    if (!fit->is_fitted) {
        spot_table_add_rest(table, fit->note);
        return;
    }
    for (int j = 0; j < NUM_NUMBERS; j++) {
        if (is_shown(self, j, sample->is_duration)) {
            add_number(fit, j, best_aic, table);
        }
    }
    spot_table_add_text(table, yes_or_no(fit->is_mean_exact));
    spot_table_add_text(table, fit->converged ? "yes" : "NO");
    parameters = spot_table_begin_text(table);
    for (int j = 0; parameters != NULL && j < num_parameters_of(fit); j++) {
        write_parameter(fit, j, parameters);
    }
    if (parameters != NULL) {
        fprintf(parameters, "%s%s", fit->note[0] != '\0' ? " " : "", fit->note);
    }
    spot_table_end_cell(table, parameters);
}

/* Whether no family has a fit, all for the same reason: the verdict has it once. */
static bool is_nothing_to_show(const sample_t *sample)
{
    for (size_t j = 0; j < sample->num_fits; j++) {
        if (sample->fits[j].is_fitted || strcmp(sample->fits[j].note, sample->fits[0].note) != 0) {
            return false;
        }
    }
    return true;
}

static double lowest_aic(const sample_t *sample)
{
    double lowest = (double) INFINITY;

    if (sample->best_id >= 0) {
        return sample->fits[sample->best_id].aic;
    }
    for (size_t j = 0; j < sample->num_fits; j++) {
        lowest = fmin(lowest, sample->fits[j].aic); /* NAN without a fit */
    }
    return lowest;
}

static void text_sample(fit_table_t *self, const sample_t *sample)
{
    const spot_fit_words_t *words = sample->words;
    const bool is_empty = is_nothing_to_show(sample);
    spot_table_t table = {.name = "fits"};

    fprintf(self->out, "%s: n %zu, n_d %zu, in %s, %s\n", sample->what,
        sample->num_fits > 0 ? sample->fits[0].num_values : 0,
        sample->num_fits > 0 ? sample->fits[0].num_complete : 0, sample->unit, sample->likelihood);
    add_columns(self, sample->is_duration, &table);
    for (int j = 0; j < (int) sample->num_fits && !is_empty; j++) {
        add_row(self, sample, j, lowest_aic(sample), &table);
    }
    if (!is_empty) {
        self->error = spot_error_first(
            self->error, spot_output_put_table(&table, &self->setting.terminal, self->out));
        self->has_fits = true;
    }
    spot_table_free(&table);
    for (size_t j = 0; j < words->num_lines && (!self->setting.is_quiet || is_empty); j++) {
        fputs("   ", self->out);
        spot_wrap_write(self->out, words->lines[j], self->setting.terminal.width - 3, 3);
        fputc('\n', self->out);
    }
    fputc('\n', self->out);
}

/* ---- Samples as they come ---- */

/* Prints what is written so far, of which a signal leaves whole lines. */
static void print(fit_table_t *self)
{
    spot_outfile_t file;
    int ret = fflush(self->out) != 0 ? SPOT_ERR_NO_MEMORY
                                     : spot_outfile_init(&file, NULL, self->setting.diag);

    if (ret == 0) {
        fwrite(self->text, 1, self->text_bytes, file.stream);
        ret = spot_outfile_close(&file, 0, self->setting.diag);
    }
    rewind(self->out);
    self->error = spot_error_first(self->error, ret);
}

/* Copies the setting, borrows its text. */
static void fit_table_init(fit_table_t *self, const fit_table_setting_t *setting, bool is_json)
{
    *self = (fit_table_t){.setting = *setting, .is_json = is_json};
    self->csv = open_memstream(&self->csv_text, &self->csv_bytes);
    self->out = open_memstream(&self->text, &self->text_bytes);
    self->error = self->csv == NULL || self->out == NULL ? SPOT_ERR_NO_MEMORY : 0;
    if (is_json && self->out != NULL) {
        spot_json_init(&self->json, self->out, 2);
        spot_json_open(&self->json, NULL, '{');
        spot_json_text(&self->json, "trace", self->setting.trace);
        spot_json_integer(&self->json, "bootstrap_rounds", setting->num_rounds);
        spot_json_integer(&self->json, "seed", setting->seed);
        spot_json_open(&self->json, "samples", '[');
        self->is_open = true;
    }
}

static void fit_table_free(fit_table_t *self)
{
    if (self->csv != NULL) {
        fclose(self->csv);
    }
    free(self->csv_text);
    if (self->out != NULL) {
        fclose(self->out);
    }
    free(self->text);
}

static void write_end(fit_table_t *self, const spot_fit_words_t *words)
{
    if (self->is_open) {
        spot_json_close(&self->json, ']');
        json_words(&self->json, words);
        spot_json_close(&self->json, '}');
        fputc('\n', self->out);
        self->is_open = false;
    }
    if (self->is_json || self->setting.is_quiet) {
        return;
    }
    if (self->has_fits) {
        fputs(legend, self->out);
        if (self->setting.num_rounds > 0) {
            fprintf(self->out, "bootstrap   %lld rounds, seed %lld\n",
                (long long) self->setting.num_rounds, (long long) self->setting.seed);
        }
        fputc('\n', self->out);
    }
    for (size_t j = 0; j < words->num_lines; j++) {
        spot_wrap_write(self->out, words->lines[j], self->setting.terminal.width, 0);
        fputc('\n', self->out);
    }
}

/* Legend and closing words; ends the JSON. */
static void fit_table_finish(fit_table_t *self, const spot_fit_words_t *words)
{
    if (self->out != NULL) {
        write_end(self, words);
        print(self);
    }
}

/* The first fit that converged is the best. */
static void put_sample(fit_table_t *self, sample_t *sample)
{
    sample->best_id = sample->best_mean_id = -1;
    for (int j = (int) sample->num_fits - 1; j >= 0; j--) {
        const spot_fit_t *fit = &sample->fits[j];
        const bool is_good = fit->is_fitted && fit->converged;

        sample->best_id = is_good ? j : sample->best_id;
        sample->best_mean_id = is_good && fit->is_mean_exact ? j : sample->best_mean_id;
    }
    for (size_t j = 0; self->csv != NULL && j < sample->num_fits; j++) {
        write_csv_row(&sample->fits[j], self->setting.trace, sample->what, self->csv);
        self->has_fits = self->has_fits || sample->fits[j].is_fitted;
    }
    if (self->out != NULL && self->is_json) {
        json_sample(&self->json, sample);
    } else if (self->out != NULL) {
        text_sample(self, sample);
        print(self);
    }
}

/* One sample each. */
static void fit_table_laws(fit_table_t *self, const char *what, double tick_s,
    const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    char likelihood[64] = "continuous likelihood";
    sample_t sample = {.what = what,
        .unit = "s",
        .likelihood = likelihood,
        .fits = ranking->fits,
        .num_fits = ranking->num_fits,
        .is_duration = true,
        .words = words};

    if (tick_s > 0) {
        snprintf(likelihood, sizeof(likelihood), "lattice likelihood, tick %.6g s", tick_s);
    }
    put_sample(self, &sample);
}

static void fit_table_sizes(fit_table_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const spot_fit_words_t *words)
{
    sample_t sample = {.what = what,
        .unit = self->setting.is_obtainable ? "instances obtainable" : "instances",
        .likelihood = "likelihood of sizes",
        .fits = fits,
        .num_fits = num_fits,
        .words = words};

    put_sample(self, &sample);
}

static void fit_table_hourly(fit_table_t *self, const spot_fit_hourly_t *hourly)
{
    spot_table_t table = {.name = "hours"};
    int ret;

    if (self->out == NULL) {
        return;
    }
    spot_table_add_column(&table, (spot_table_column_t){.name = "hour"});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "preempt", .is_fixed = true, .num_decimals = 3});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "add", .is_fixed = true, .num_decimals = 3});
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        spot_table_add_row(&table);
        spot_table_add_count(&table, j);
        spot_table_add_number(&table, hourly->preempt[j]);
        spot_table_add_number(&table, hourly->add[j]);
    }
    if (self->is_json) {
        ret = spot_table_write_json(&table, &self->json);
    } else {
        fputs("hourly: rates by hour of day, mean 1\n", self->out);
        ret = spot_output_put_table(&table, &self->setting.terminal, self->out);
    }
    self->error = spot_error_first(self->error, ret);
    if (!self->is_json) {
        print(self);
    }
    spot_table_free(&table);
}

/* ---- The command ---- */

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
    fit_table_t table;
    spot_counter_t line;
    char unit[64];     /* of the line */
    int picture_error; /* the first one; the tables are still printed */
} output_t;

/* Survival and quantiles of a sample with the laws that were fitted to it. */
static int pictures_of_fit(const spot_fit_ranking_t *ranking, const spot_sample_t *sample,
    spot_sample_kind_t kind, spot_trace_kind_t trace_kind, double tick_s, const char *folder,
    const char *name, spot_diag_t *diag)
{
    spot_labelled_law_t laws[SPOT_FIT_MAX_FAMILIES];
    spot_fitted_sample_t fitted = {.kind = kind,
        .is_obtainable = trace_kind == SPOT_TRACE_AVAILABILITY,
        .sample = sample,
        .tick_s = tick_s,
        .laws = laws};
    int ret, error;

    for (size_t j = 0; j < ranking->num_fits; j++) {
        if (ranking->fits[j].is_fitted) {
            laws[fitted.num_laws++] =
                (spot_labelled_law_t){ranking->fits[j].family->name, ranking->fits[j].law};
        }
    }
    ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    error = spot_trace_plot_quantiles(&fitted, folder, name, diag);
    return ret != 0 ? ret : error;
}

/* Where both likelihoods are asked for, that of the lattice is drawn. */
static int draw(output_t *self, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s,
    const spot_fit_ranking_t *ranking)
{
    const arguments_t *arguments = self->arguments;

    if (arguments->svg_folder == NULL ||
        (arguments->request.likelihood == SPOT_LIKELIHOOD_BOTH && !(tick_s > 0))) {
        return 0;
    }
    return pictures_of_fit(ranking, sample, kind, self->task->trace.kind, tick_s,
        arguments->svg_folder, spot_pictures_name(&self->call->texts, arguments->request.path),
        self->task->diag);
}

static void take_laws(void *context, const spot_sample_t *sample, spot_sample_kind_t kind,
    double tick_s, const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    output_t *self = context;
    int error;

    spot_counter_finish(&self->line);
    error = draw(self, sample, kind, tick_s, ranking);
    fit_table_laws(&self->table, spot_sample_kind_names[kind], tick_s, ranking, words);
    self->picture_error = spot_error_first(self->picture_error, error);
}

static void take_sizes(void *context, const char *what, const spot_fit_t *fits, size_t num_fits,
    const spot_size_sample_t *sample, const spot_fit_words_t *words)
{
    output_t *self = context;

    (void) sample;
    fit_table_sizes(&self->table, what, fits, num_fits, words);
}

static void take_hourly(void *context, const spot_fit_hourly_t *hourly)
{
    output_t *self = context;

    fit_table_hourly(&self->table, hourly);
}

static spot_watch_t watch_rounds(void *context, const char *family)
{
    output_t *self = context;

    spot_counter_finish(&self->line);
    snprintf(self->unit, sizeof(self->unit), "rounds of %s", family);
    return spot_counter_watch(&self->line, self->unit, self->call->is_quiet);
}

static int write_csv(output_t *self)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, self->arguments->csv_path, self->task->diag);

    if (out != NULL) {
        fit_table_write_csv(&self->table, out);
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
    const fit_table_setting_t setting = {.trace = name != NULL ? name : "",
        .is_quiet = self->call->is_quiet,
        .is_obtainable = !self->task->is_lifetimes && trace->kind == SPOT_TRACE_AVAILABILITY,
        .num_rounds = request->num_rounds,
        .seed = request->seed,
        .terminal = spot_terminal_of_output(false),
        .diag = &self->call->diag};
    const bool is_alone = spot_fit_is_model_alone(request);
    spot_fit_words_t words = {0};
    int ret;

    fit_table_init(&self->table, &setting, arguments->is_json);
    ret = spot_fit_task_run(self->task);
    spot_counter_finish(&self->line);
    if (ret == 0 && !is_alone && arguments->csv_path != NULL) {
        ret = write_csv(self);
    }
    if (ret == 0 && !is_alone && request->what != SPOT_WHAT_MRP) {
        ret = spot_fit_task_advice(self->task, self->table.has_fits, &words);
    }
    fit_table_finish(&self->table, &words);
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
    fit_table_free(&output.table);
    spot_fit_task_free(&task);
    return ret;
}

const spot_verb_t spot_verb_trace_fit = {
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
