/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/fit_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/outfile.h"
#include "reports/table/table_machine.h"
#include "reports/table/table_terminal.h"
#include "reports/table/wrap.h"

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

void spot_fit_table_write_csv(spot_fit_table_t *self, FILE *out)
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

static bool is_shown(const spot_fit_table_t *self, int number_id, bool is_duration)
{
    return (number_id != P_VALUE || self->setting.num_rounds > 0) &&
           ((number_id != MEAN && number_id != CV) || is_duration);
}

static void add_columns(const spot_fit_table_t *self, bool is_duration, spot_table_t *table)
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

static void add_row(const spot_fit_table_t *self, const sample_t *sample, int fit_id,
    double best_aic, spot_table_t *table)
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

static void text_sample(spot_fit_table_t *self, const sample_t *sample)
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
            self->error, spot_table_write_terminal(&table, &self->setting.terminal, self->out));
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
static void print(spot_fit_table_t *self)
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

void spot_fit_table_init(
    spot_fit_table_t *self, const spot_fit_table_setting_t *setting, bool is_json)
{
    *self = (spot_fit_table_t){.setting = *setting, .is_json = is_json};
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

void spot_fit_table_free(spot_fit_table_t *self)
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

static void write_end(spot_fit_table_t *self, const spot_fit_words_t *words)
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

void spot_fit_table_finish(spot_fit_table_t *self, const spot_fit_words_t *words)
{
    if (self->out != NULL) {
        write_end(self, words);
        print(self);
    }
}

/* The first fit that converged is the best. */
static void put_sample(spot_fit_table_t *self, sample_t *sample)
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

void spot_fit_table_laws(spot_fit_table_t *self, const char *what, double tick_s,
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

void spot_fit_table_sizes(spot_fit_table_t *self, const char *what, const spot_fit_t *fits,
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

void spot_fit_table_hourly(spot_fit_table_t *self, const spot_fit_hourly_t *hourly)
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
        ret = spot_table_write_terminal(&table, &self->setting.terminal, self->out);
    }
    self->error = spot_error_first(self->error, ret);
    if (!self->is_json) {
        print(self);
    }
    spot_table_free(&table);
}
