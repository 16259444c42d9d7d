/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/fit_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "reports/table/table_machine.h"
#include "reports/table/table_terminal.h"
#include "reports/table/wrap.h"
#include "traces/fit/fit_row.h"

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

/* Undefined is empty; a law may have an infinite mean. */
static void
csv_number(FILE *out, double value)
{
    if (isinf(value)) {
        fprintf(out, ",%g", value);
    } else {
        spot_csv_field_number(out, value);
    }
}

/* The numbers of a row in the order of all forms. */
enum { LOG_LIKELIHOOD, AIC, BIC, KS, AD, P_VALUE, MEAN, CV, MEAN_RATIO, NUM_NUMBERS };

static const struct {
    const char *key; /* of CSV and JSON */
    spot_table_column_t column;
    size_t offset;
} numbers[NUM_NUMBERS] = {
#define FIXED(head, decimals)                                                           \
    {                                                                                   \
        .name = head, .is_fixed = true, .num_decimals = decimals                        \
    }
#define DIGITS(head, digits)                                                            \
    {                                                                                   \
        .name = head, .num_digits = digits                                              \
    }
#define MEMBER(member) offsetof(spot_fit_row_t, member)
    [LOG_LIKELIHOOD] = {"logL", FIXED("lnL", 3), MEMBER(log_likelihood)},
    [AIC] = {"AIC", FIXED("dAIC", 2), MEMBER(aic)},
    [BIC] = {"BIC", FIXED("BIC", 2), MEMBER(bic)},
    [KS] = {"KS", FIXED("KS", 3), MEMBER(ks)},
    [AD] = {"AD", FIXED("AD", 3), MEMBER(ad)},
    [P_VALUE] = {"bootstrap_p", FIXED("p", 3), MEMBER(p_value)},
    [MEAN] = {"implied_mean_s", DIGITS("mean", 5), MEMBER(mean)},
    [CV] = {"implied_cv", DIGITS("CV", 3), MEMBER(cv)},
    [MEAN_RATIO] = {"mean_ratio", DIGITS("m/mean", 3), MEMBER(mean_ratio)},
};

static double
number_of(const spot_fit_row_t *row, int number_id)
{
    double value;

    memcpy(&value, (const char *) row + numbers[number_id].offset, sizeof(value));
    return value;
}

static const char *
yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

static void
write_csv_head(FILE *out)
{
    fputs("trace,quantity,tick_s,n,n_uncensored,family,k", out);
    for (int j = 1; j <= SPOT_FIT_ROW_PARAMETERS; j++) {
        fprintf(out, ",par%d_name,par%d,par%d_se", j, j, j);
    }
    fputs(",limit_s", out);
    for (int j = 0; j < NUM_NUMBERS; j++) {
        fprintf(out, ",%s", numbers[j].key);
    }
    fputs(",mean_exact,converged,note\n", out);
}

static void
write_csv_row(const spot_fit_row_t *self, const char *trace, const char *what, FILE *out)
{
    fprintf(out, "%s,%s", trace, what);
    csv_number(out, self->tick_s > 0 ? self->tick_s : (double) NAN);
    csv_number(out, self->n);
    csv_number(out, self->num_complete);
    fprintf(out, ",%s,%d", self->family, self->num_parameters);
    for (int j = 0; j < SPOT_FIT_ROW_PARAMETERS; j++) {
        const bool is_known = spot_fit_row_is_known(self, j);

        fprintf(out, ",%s", j < self->num_parameters ? self->names[j] : "");
        csv_number(out, is_known ? self->parameters[j] : (double) NAN);
        csv_number(out, is_known ? self->errors[j] : (double) NAN);
    }
    csv_number(out, self->limit_s);
    for (int j = 0; j < NUM_NUMBERS; j++) {
        csv_number(out, number_of(self, j));
    }
    fprintf(out, ",%s,%s,", yes_or_no(self->is_mean_exact), yes_or_no(self->converged));
    for (const char *text = self->note; *text != '\0'; text++) { /* no field to quote */
        fputc(*text == ',' ? ';' : *text, out);
    }
    fputc('\n', out);
}

static void
write_json_row(const spot_fit_row_t *self, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "family", self->family);
    spot_json_boolean(json, "best_aic", self->is_best);
    spot_json_boolean(json, "best_mean_exact", self->is_best_mean);
    spot_json_number(json, "n", self->n);
    spot_json_number(json, "n_d", self->num_complete);
    spot_json_open(json, "parameters", '{');
    for (int j = 0; j < self->num_parameters; j++) {
        spot_json_number(json, self->names[j],
            spot_fit_row_is_known(self, j) ? self->parameters[j] : (double) NAN);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "arbitrary", '[');
    for (int j = 0; j < self->num_parameters; j++) {
        if (!spot_fit_row_is_known(self, j)) {
            spot_json_text(json, NULL, self->names[j]);
        }
    }
    spot_json_close(json, ']');
    spot_json_open(json, "standard_errors", '{');
    for (int j = 0; j < self->num_parameters; j++) {
        spot_json_number(json, self->names[j], self->errors[j]);
    }
    spot_json_close(json, '}');
    for (int j = 0; j < NUM_NUMBERS; j++) {
        spot_json_number(json, numbers[j].key, number_of(self, j));
    }
    spot_json_boolean(json, "mean_exact", self->is_mean_exact);
    spot_json_boolean(json, "converged", self->converged);
    spot_json_text(json, "note", self->note);
    spot_json_close(json, '}');
}

int
spot_fit_table_init(
    spot_fit_table_t *self, const spot_fit_table_setting_t *setting, bool is_json)
{
    memset(self, 0, sizeof(*self));
    self->setting = *setting;
    self->is_json = is_json;
    self->csv = open_memstream(&self->csv_text, &self->csv_bytes);
    if (self->csv == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (is_json) {
        spot_json_init(&self->json, stdout, 2);
        spot_json_open(&self->json, NULL, '{');
        spot_json_text(&self->json, "trace", self->setting.trace);
        spot_json_integer(&self->json, "bootstrap_rounds", setting->num_rounds);
        spot_json_integer(&self->json, "seed", setting->seed);
        spot_json_open(&self->json, "samples", '[');
        self->is_open = true;
    }
    return 0;
}

void
spot_fit_table_free(spot_fit_table_t *self)
{
    if (self->csv != NULL) {
        fclose(self->csv);
    }
    free(self->csv_text);
    memset(self, 0, sizeof(*self));
}

static void
json_words(spot_json_t *json, const spot_fit_words_t *words)
{
    spot_json_open(json, "verdict", '[');
    for (size_t j = 0; j < words->num_lines; j++) {
        spot_json_text(json, NULL, words->lines[j]);
    }
    spot_json_close(json, ']');
}

void
spot_fit_table_finish(spot_fit_table_t *self, const spot_fit_words_t *words)
{

    if (self->is_open) {
        spot_json_close(&self->json, ']');
        json_words(&self->json, words);
        spot_json_close(&self->json, '}');
        fputc('\n', stdout);
        self->is_open = false;
    }
    if (self->is_json || self->setting.is_quiet) {
        return;
    }
    if (self->has_fits) {
        fputs(legend, stdout);
        if (self->setting.num_rounds > 0) {
            printf("bootstrap   %lld rounds, seed %lld\n",
                (long long) self->setting.num_rounds, (long long) self->setting.seed);
        }
        putchar('\n');
    }
    for (size_t j = 0; j < words->num_lines; j++) {
        spot_wrap_write(stdout, words->lines[j], self->setting.terminal.width, 0);
        putchar('\n');
    }
}

void
spot_fit_table_write_csv(spot_fit_table_t *self, FILE *out)
{
    write_csv_head(out);
    fflush(self->csv);
    fwrite(self->csv_text, 1, self->csv_bytes, out);
}

static void
write_parameter(const spot_fit_row_t *row, int j, FILE *out)
{
    fprintf(out, "%s%s ", j == 0 ? "" : " ", row->names[j]);
    if (!row->converged) {
        fputs("-", out);
    } else if (!spot_fit_row_is_known(row, j)) {
        fputs("arbitrary", out);
    } else if (isnan(row->errors[j])) {
        fprintf(out, "%.5g%s (-)", row->parameters[j], row->units[j]);
    } else {
        fprintf(out, row->errors[j] < 1000 ? "%.5g%s (%.3g)" : "%.5g%s (%.0f)",
            row->parameters[j], row->units[j], row->errors[j]);
    }
}

static bool
is_shown(const spot_fit_table_t *self, int number_id, bool is_duration)
{
    return (number_id != P_VALUE || self->setting.num_rounds > 0) &&
           ((number_id != MEAN && number_id != CV) || is_duration);
}

static void
add_columns(const spot_fit_table_t *self, bool is_duration, spot_table_t *table)
{
    const spot_table_column_t keys[] = {
        {.name = "", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "family", .kind = SPOT_TABLE_TEXT, .is_key = true},
    };
    const spot_table_column_t texts[] = {
        {.name = "exact", .kind = SPOT_TABLE_TEXT},
        {.name = "conv", .kind = SPOT_TABLE_TEXT},
        {.name = "parameters (standard errors)", .kind = SPOT_TABLE_PROSE},
    };

    for (size_t j = 0; j < 2; j++) {
        spot_table_add_column(table, keys[j]);
    }
    for (int j = 0; j < NUM_NUMBERS; j++) {
        if (is_shown(self, j, is_duration)) {
            spot_table_add_column(table, numbers[j].column);
        }
    }
    for (size_t j = 0; j < 3; j++) {
        spot_table_add_column(table, texts[j]);
    }
}

/* A law may have no mean, which is said; without a fit its moments mean nothing. */
static void
add_number(
    const spot_fit_row_t *row, int number_id, double best_aic, spot_table_t *table)
{
    const bool is_moment = number_id == MEAN || number_id == CV;
    double value = number_of(row, number_id);

    value = is_moment && !row->converged ? (double) NAN : value;
    value -= number_id == AIC ? best_aic : 0;
    if (isinf(value) && number_id >= MEAN) {
        spot_table_add_text(table, "inf");
    } else {
        spot_table_add_number(table, value);
    }
}

static void
add_row(const spot_fit_table_t *self, const spot_fit_row_t *row, double best_aic,
    bool is_duration, spot_table_t *table)
{
    const char marks[] = {row->is_best ? '*' : ' ', row->is_best_mean ? '+' : ' ', '\0'};
    FILE *parameters;

    spot_table_add_row(table);
    spot_table_add_text(table, marks);
    spot_table_add_text(table, row->family);
    if (!row->is_fitted) {
        spot_table_add_rest(table, row->note);
        return;
    }
    for (int j = 0; j < NUM_NUMBERS; j++) {
        if (is_shown(self, j, is_duration)) {
            add_number(row, j, best_aic, table);
        }
    }
    spot_table_add_text(table, yes_or_no(row->is_mean_exact));
    spot_table_add_text(table, row->converged ? "yes" : "NO");
    parameters = spot_table_begin_text(table);
    for (int j = 0; parameters != NULL && j < row->num_parameters; j++) {
        write_parameter(row, j, parameters);
    }
    if (parameters != NULL) {
        fprintf(parameters, "%s%s", row->note[0] != '\0' ? " " : "", row->note);
    }
    spot_table_end_cell(table, parameters);
}

/* Whether no family has a fit, all for the same reason: the verdict has it once. */
static bool
is_nothing_to_show(const spot_fit_row_t *rows, size_t num_rows)
{
    for (size_t j = 0; j < num_rows; j++) {
        if (rows[j].is_fitted || strcmp(rows[j].note, rows[0].note) != 0) {
            return false;
        }
    }
    return true;
}

static double
lowest_aic(const spot_fit_row_t *rows, size_t num_rows)
{
    double lowest = (double) INFINITY;

    for (size_t j = 0; j < num_rows; j++) {
        if (rows[j].is_best) {
            return rows[j].aic;
        }
        lowest = rows[j].is_fitted ? fmin(lowest, rows[j].aic) : lowest;
    }
    return lowest;
}

static void
text_sample(spot_fit_table_t *self, const spot_fit_row_t *rows, size_t num_rows,
    bool is_duration, const spot_fit_words_t *words)
{
    const bool is_empty = is_nothing_to_show(rows, num_rows);
    spot_table_t table = {.name = "fits"};
    int ret = 0;

    add_columns(self, is_duration, &table);
    for (size_t j = 0; j < num_rows && !is_empty; j++) {
        add_row(self, &rows[j], lowest_aic(rows, num_rows), is_duration, &table);
    }
    if (!is_empty) {
        ret = spot_table_write_terminal(&table, &self->setting.terminal, stdout);
        self->has_fits = true;
    }
    self->error = spot_error_first(self->error, ret);
    spot_table_free(&table);
    for (size_t j = 0; j < words->num_lines && (!self->setting.is_quiet || is_empty);
         j++) {
        fputs("   ", stdout);
        spot_wrap_write(stdout, words->lines[j], self->setting.terminal.width - 3, 3);
        putchar('\n');
    }
    putchar('\n');
}

static void
put_sample(spot_fit_table_t *self, const char *what, const char *unit,
    const char *likelihood, size_t n, const spot_fit_row_t *rows, size_t num_rows,
    const spot_fit_words_t *words)
{
    for (size_t j = 0; j < num_rows; j++) {
        write_csv_row(&rows[j], self->setting.trace, what, self->csv);
        self->has_fits = self->has_fits || rows[j].is_fitted;
    }
    if (!self->is_json) {
        printf("%s: n %zu, n_d %.0f, in %s, %s\n", what, n,
            num_rows > 0 ? rows[0].num_complete : 0, unit, likelihood);
        text_sample(self, rows, num_rows, strcmp(unit, "s") == 0, words);
        return;
    }
    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "sample", what);
    spot_json_text(&self->json, "unit", unit);
    spot_json_text(&self->json, "likelihood", likelihood);
    spot_json_open(&self->json, "fits", '[');
    for (size_t j = 0; j < num_rows; j++) {
        write_json_row(&rows[j], &self->json);
    }
    spot_json_close(&self->json, ']');
    json_words(&self->json, words);
    spot_json_close(&self->json, '}');
}

void
spot_fit_table_laws(spot_fit_table_t *self, const char *what, double tick_s,
    const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    spot_fit_row_t rows[SPOT_FIT_MAX_FAMILIES];
    char likelihood[64] = "continuous likelihood";

    if (tick_s > 0) {
        snprintf(
            likelihood, sizeof(likelihood), "lattice likelihood, tick %.6g s", tick_s);
    }
    for (size_t j = 0; j < ranking->num_fits; j++) {
        spot_fit_row_init(&rows[j], &ranking->fits[j]);
        rows[j].is_best = (int) j == ranking->best_id;
        rows[j].is_best_mean = (int) j == ranking->best_mean_id;
    }
    put_sample(self, what, "s", likelihood,
        ranking->num_fits > 0 ? ranking->fits[0].num_values : 0, rows, ranking->num_fits,
        words);
}

void
spot_fit_table_sizes(spot_fit_table_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const spot_size_sample_t *sample, const spot_fit_words_t *words)
{
    spot_fit_row_t rows[SPOT_SIZE_MAX_FAMILIES];
    bool has_best = false, has_mean = false;

    for (size_t j = 0; j < num_fits; j++) {
        const bool is_good = fits[j].is_fitted && fits[j].converged;

        spot_fit_row_init(&rows[j], &fits[j]);
        rows[j].is_best = !has_best && is_good;
        rows[j].is_best_mean = !has_mean && is_good && fits[j].is_mean_exact;
        has_best = has_best || rows[j].is_best;
        has_mean = has_mean || rows[j].is_best_mean;
    }
    put_sample(self, what,
        self->setting.is_obtainable ? "instances obtainable" : "instances",
        "likelihood of sizes", (size_t) sample->num_events, rows, num_fits, words);
}

void
spot_fit_table_hourly(spot_fit_table_t *self, const spot_fit_hourly_t *hourly)
{
    spot_table_t table = {.name = "hours"};
    int ret;

    spot_table_add_column(&table, (spot_table_column_t){.name = "hour"});
    spot_table_add_column(&table,
        (spot_table_column_t){.name = "preempt", .is_fixed = true, .num_decimals = 3});
    spot_table_add_column(&table,
        (spot_table_column_t){.name = "add", .is_fixed = true, .num_decimals = 3});
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        spot_table_add_row(&table);
        spot_table_add_count(&table, j);
        spot_table_add_number(&table, hourly->preempt[j]);
        spot_table_add_number(&table, hourly->add[j]);
    }
    if (self->is_json) {
        ret = spot_table_write_json(&table, &self->json);
    } else {
        puts("hourly: rates by hour of day, mean 1");
        ret = spot_table_write_terminal(&table, &self->setting.terminal, stdout);
    }
    self->error = spot_error_first(self->error, ret);
    spot_table_free(&table);
}
