/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMETERS 3

/* A fit of either kind, as the tables show it. */
typedef struct {
    const char *family;
    int num_parameters;
    const char *names[MAX_PARAMETERS];
    double parameters[MAX_PARAMETERS];
    double errors[MAX_PARAMETERS];
    double n, num_complete;
    double log_likelihood, aic, bic, ks, ad, p_value, mean_ratio;
    double tick_s, limit_s, mean, cv; /* durations only */
    bool is_mean_exact, is_fitted, converged, is_best, is_best_mean;
    const char *note;
} row_t;

int
spot_fit_table_init(
    spot_fit_table_t *self, bool is_json, bool is_quiet, const char *trace)
{
    memset(self, 0, sizeof(*self));
    self->is_json = is_json;
    self->is_quiet = is_quiet;
    self->trace = trace != NULL ? trace : "";
    self->csv = open_memstream(&self->csv_text, &self->csv_bytes);
    if (self->csv == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (is_json) {
        spot_json_init(&self->json, stdout, 2);
        spot_json_open(&self->json, NULL, '{');
        spot_json_text(&self->json, "trace", self->trace);
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

void
spot_fit_table_finish(spot_fit_table_t *self)
{
    if (self->is_open) {
        spot_json_close(&self->json, ']');
        spot_json_close(&self->json, '}');
        fputc('\n', stdout);
        self->is_open = false;
    }
}

/* Undefined is empty. */
static void
csv_number(FILE *out, double value)
{
    if (isnan(value)) {
        fputc(',', out);
    } else {
        fprintf(out, ",%.8g", value);
    }
}

static void
csv_row(spot_fit_table_t *self, const char *what, const row_t *row, bool is_size)
{
    FILE *out = self->csv;

    fprintf(out, "%s,%s", self->trace, what);
    if (!is_size) {
        csv_number(out, row->tick_s > 0 ? row->tick_s : (double) NAN);
    }
    csv_number(out, row->n);
    if (!is_size) {
        csv_number(out, row->num_complete);
    }
    fprintf(out, ",%s,%d", row->family, row->num_parameters);
    for (int j = 0; j < MAX_PARAMETERS; j++) {
        fprintf(out, ",%s", j < row->num_parameters ? row->names[j] : "");
        csv_number(out, j < row->num_parameters ? row->parameters[j] : (double) NAN);
    }
    if (!is_size) {
        csv_number(out, row->limit_s);
    }
    csv_number(out, row->log_likelihood);
    csv_number(out, row->aic);
    csv_number(out, row->bic);
    csv_number(out, row->ks);
    csv_number(out, row->ad);
    if (!is_size) {
        csv_number(out, row->mean);
        csv_number(out, row->cv);
    }
    fputc(',', out);
    for (const char *text = row->note; *text != '\0'; text++) { /* no field to quote */
        fputc(*text == ',' ? ';' : *text, out);
    }
    fputc('\n', out);
}

void
spot_fit_table_write_csv(spot_fit_table_t *self, bool is_sizes, FILE *out)
{
    static const char parameters[] = "par1_name,par1,par2_name,par2,par3_name,par3";

    if (is_sizes) {
        fprintf(
            out, "trace,quantity,n,family,k,%s,logL,AIC,BIC,KS,AD,note\n", parameters);
    } else {
        fprintf(out,
            "trace,quantity,tick_s,n,n_uncensored,family,k,%s,limit_s,logL,AIC,BIC,KS,"
            "AD,implied_mean_s,implied_cv,"
            "note\n",
            parameters);
    }
    fflush(self->csv);
    fwrite(self->csv_text, 1, self->csv_bytes, out);
}

static void
json_row(spot_json_t *json, const row_t *row)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "family", row->family);
    spot_json_text(json, "best_aic", row->is_best ? "yes" : "no");
    spot_json_text(json, "best_mean_exact", row->is_best_mean ? "yes" : "no");
    spot_json_number(json, "n", row->n);
    spot_json_number(json, "n_d", row->num_complete);
    spot_json_open(json, "parameters", '{');
    for (int j = 0; j < row->num_parameters; j++) {
        spot_json_number(json, row->names[j], row->parameters[j]);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "standard_errors", '{');
    for (int j = 0; j < row->num_parameters; j++) {
        spot_json_number(json, row->names[j], row->errors[j]);
    }
    spot_json_close(json, '}');
    spot_json_number(json, "logL", row->log_likelihood);
    spot_json_number(json, "AIC", row->aic);
    spot_json_number(json, "BIC", row->bic);
    spot_json_number(json, "KS", row->ks);
    spot_json_number(json, "AD", row->ad);
    spot_json_number(json, "bootstrap_p", row->p_value);
    spot_json_number(json, "mean_ratio", row->mean_ratio);
    spot_json_text(json, "mean_exact", row->is_mean_exact ? "yes" : "no");
    spot_json_text(json, "converged", row->converged ? "yes" : "no");
    spot_json_text(json, "note", row->note);
    spot_json_close(json, '}');
}

/* In a column of that width; undefined is -. */
static void
text_number(int width, int num_decimals, double value)
{
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, num_decimals, value);
    }
}

static void
text_row(const row_t *row, double best_aic)
{
    printf("%c%c %-19s", row->is_best ? '*' : ' ', row->is_best_mean ? '+' : ' ',
        row->family);
    if (!row->is_fitted) {
        printf(" %s\n", row->note);
        return;
    }
    printf(" %10.3f %8.2f %10.2f", row->log_likelihood, row->aic - best_aic, row->bic);
    text_number(6, 3, row->ks);
    text_number(7, 3, row->ad);
    text_number(6, 3, row->p_value);
    printf(" %6.3g %-5s %-9s ", row->mean_ratio, row->is_mean_exact ? "yes" : "no",
        row->converged ? "yes" : "NO");
    for (int j = 0; j < row->num_parameters; j++) {
        printf(" %s %.5g", row->names[j], row->parameters[j]);
        if (isnan(row->errors[j])) {
            printf(" (-)");
        } else {
            printf(" (%.2g)", row->errors[j]);
        }
    }
    printf("%s%s\n", *row->note != '\0' ? "  " : "", row->note);
}

static void
put_rows(spot_fit_table_t *self, const char *what, const row_t *rows, size_t num_rows,
    const char *likelihood, bool is_size)
{
    double best_aic = (double) INFINITY;

    for (size_t j = 0; j < num_rows; j++) {
        csv_row(self, what, &rows[j], is_size);
        best_aic = rows[j].is_fitted ? fmin(best_aic, rows[j].aic) : best_aic;
    }
    if (self->is_json) {
        for (size_t j = 0; j < num_rows; j++) {
            json_row(&self->json, &rows[j]);
        }
        return;
    }
    printf("%s: n %.0f, n_d %.0f, %s\n", what, num_rows > 0 ? rows[0].n : 0,
        num_rows > 0 ? rows[0].num_complete : 0, likelihood);
    printf("   family                    lnL     dAIC        BIC     KS      AD      p "
           "m/mean exact converged  parameters (standard errors)\n");
    for (size_t j = 0; j < num_rows; j++) {
        text_row(&rows[j], best_aic);
    }
}

static void
open_sample(spot_fit_table_t *self, const char *what, const char *likelihood)
{
    if (self->is_json) {
        spot_json_open(&self->json, NULL, '{');
        spot_json_text(&self->json, "sample", what);
        spot_json_text(&self->json, "likelihood", likelihood);
        spot_json_open(&self->json, "fits", '[');
    }
}

static void
close_sample(spot_fit_table_t *self, const spot_fit_words_t *words)
{
    if (self->is_json) {
        spot_json_close(&self->json, ']');
        spot_json_open(&self->json, "verdict", '[');
        for (size_t j = 0; j < words->num_lines; j++) {
            spot_json_text(&self->json, NULL, words->lines[j]);
        }
        spot_json_close(&self->json, ']');
        spot_json_close(&self->json, '}');
        return;
    }
    for (size_t j = 0; j < words->num_lines && !self->is_quiet; j++) {
        printf("   %s\n", words->lines[j]);
    }
    putchar('\n');
}

static void
row_of_law(row_t *row, const spot_fit_t *fit)
{
    *row = (row_t){.family = fit->family->name,
        .num_parameters = fit->family->num_parameters,
        .n = (double) fit->num_values,
        .num_complete = (double) fit->num_complete,
        .log_likelihood = fit->log_likelihood,
        .aic = fit->aic,
        .bic = fit->bic,
        .ks = fit->ks,
        .ad = fit->ad,
        .p_value = fit->p_value,
        .mean_ratio = fit->mean_ratio,
        .tick_s = fit->tick_s,
        .limit_s = fit->is_fitted && fit->family->num_settings > 0
                       ? fit->law.parameters[fit->family->num_parameters]
                       : (double) NAN,
        .mean = fit->implied_mean_s,
        .cv = fit->implied_cv,
        .is_mean_exact = fit->is_mean_exact,
        .is_fitted = fit->is_fitted,
        .converged = fit->converged,
        .note = fit->note};
    for (int j = 0; j < row->num_parameters && j < MAX_PARAMETERS; j++) {
        row->names[j] = fit->family->fields[j].name;
        row->parameters[j] = fit->is_fitted ? fit->law.parameters[j] : (double) NAN;
        row->errors[j] = fit->is_fitted ? fit->standard_errors[j] : (double) NAN;
    }
}

void
spot_fit_table_laws(spot_fit_table_t *self, const char *what, double tick_s,
    const spot_fit_ranking_t *ranking, const spot_fit_words_t *words)
{
    row_t rows[SPOT_FIT_MAX_FAMILIES];
    char likelihood[64] = "continuous likelihood";

    if (tick_s > 0) {
        snprintf(
            likelihood, sizeof(likelihood), "lattice likelihood, tick %.6g s", tick_s);
    }
    for (size_t j = 0; j < ranking->num_fits; j++) {
        row_of_law(&rows[j], &ranking->fits[j]);
        rows[j].is_best = (int) j == ranking->best_id;
        rows[j].is_best_mean = (int) j == ranking->best_mean_id;
    }
    open_sample(self, what, likelihood);
    put_rows(self, what, rows, ranking->num_fits, likelihood, false);
    close_sample(self, words);
}

static void
row_of_size(row_t *row, const spot_size_fit_t *fit, const spot_size_sample_t *sample)
{
    *row = (row_t){.family = fit->family->name,
        .num_parameters = fit->family->num_parameters,
        .n = sample->num_events,
        .num_complete = sample->num_events,
        .log_likelihood = fit->log_likelihood,
        .aic = fit->aic,
        .bic = fit->bic,
        .ks = fit->ks,
        .ad = fit->ad,
        .p_value = (double) NAN,
        .mean_ratio = fit->mean_ratio,
        .is_mean_exact = fit->is_mean_exact,
        .is_fitted = fit->is_fitted,
        .converged = fit->converged,
        .note = fit->note};
    for (int j = 0; j < row->num_parameters; j++) {
        row->names[j] = fit->family->parameters[j];
        row->parameters[j] = fit->parameters[j];
        row->errors[j] = fit->std_errors[j];
    }
}

void
spot_fit_table_sizes(spot_fit_table_t *self, const char *what,
    const spot_size_fit_t *fits, size_t num_fits, const spot_size_sample_t *sample,
    const spot_fit_words_t *words)
{
    row_t rows[SPOT_SIZE_MAX_FAMILIES];
    bool has_mean = false;

    for (size_t j = 0; j < num_fits; j++) {
        row_of_size(&rows[j], &fits[j], sample);
        rows[j].is_best = j == 0 && fits[j].is_fitted;
        rows[j].is_best_mean = !has_mean && fits[j].is_mean_exact;
        has_mean = has_mean || fits[j].is_mean_exact;
    }
    open_sample(self, what, "of sizes");
    put_rows(self, what, rows, num_fits, "likelihood of sizes", true);
    close_sample(self, words);
}

void
spot_fit_table_hourly(spot_fit_table_t *self, const spot_fit_hourly_t *hourly)
{
    if (!self->is_json) {
        printf("hourly: rates by hour of day, mean 1\n   hour preempt   add\n");
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        if (self->is_json) {
            spot_json_open(&self->json, NULL, '{');
            spot_json_integer(&self->json, "hour", j);
            spot_json_number(&self->json, "preempt", hourly->preempt[j]);
            spot_json_number(&self->json, "add", hourly->add[j]);
            spot_json_close(&self->json, '}');
        } else {
            printf("   %4d %7.3f %5.3f\n", j, hourly->preempt[j], hourly->add[j]);
        }
    }
}
