/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_row.h"

#include <math.h>
#include <string.h>

#include "base/csv_field.h"

bool
spot_fit_row_is_known(const spot_fit_row_t *self, int parameter_id)
{
    return parameter_id < self->num_parameters &&
           (self->arbitrary & 1u << parameter_id) == 0;
}

/* Of a parameter of durations; the others are pure numbers, zeta is ln of seconds. */
static const char *
unit_of(const char *parameter)
{
    static const char *const in_seconds[] = {
        "mu", "mu1", "mu2", "tau1", "tau2", "scale", NULL};

    for (int j = 0; in_seconds[j] != NULL; j++) {
        if (strcmp(in_seconds[j], parameter) == 0) {
            return " s";
        }
    }
    return "";
}

void
spot_fit_row_of_law(spot_fit_row_t *self, const spot_fit_t *fit)
{
    *self = (spot_fit_row_t){.family = fit->family->name,
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
        .arbitrary = fit->is_fitted ? fit->arbitrary : 0,
        .note = fit->note};
    for (int j = 0; j < self->num_parameters && j < SPOT_FIT_ROW_PARAMETERS; j++) {
        self->units[j] = unit_of(fit->family->fields[j].name);
        self->names[j] = fit->family->fields[j].name;
        self->parameters[j] = fit->is_fitted ? fit->law.parameters[j] : (double) NAN;
        self->errors[j] = fit->is_fitted ? fit->standard_errors[j] : (double) NAN;
    }
}

void
spot_fit_row_of_size(
    spot_fit_row_t *self, const spot_size_fit_t *fit, const spot_size_sample_t *sample)
{
    *self = (spot_fit_row_t){.family = fit->family->name,
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
        .arbitrary = fit->arbitrary,
        .limit_s = (double) NAN,
        .mean = (double) NAN,
        .cv = (double) NAN,
        .note = fit->note};
    for (int j = 0; j < self->num_parameters; j++) {
        self->units[j] = "";
        self->names[j] = fit->family->parameters[j];
        self->parameters[j] = fit->parameters[j];
        self->errors[j] = fit->std_errors[j];
    }
}

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

static const char *
yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

void
spot_fit_row_write_csv_head(FILE *out)
{
    fputs("trace,quantity,tick_s,n,n_uncensored,family,k", out);
    for (int j = 1; j <= SPOT_FIT_ROW_PARAMETERS; j++) {
        fprintf(out, ",par%d_name,par%d,par%d_se", j, j, j);
    }
    fputs(",limit_s,logL,AIC,BIC,KS,AD,bootstrap_p,implied_mean_s,implied_cv,mean_ratio,"
          "mean_exact,converged,note\n",
        out);
}

void
spot_fit_row_write_csv(
    const spot_fit_row_t *self, const char *trace, const char *what, FILE *out)
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
    csv_number(out, self->log_likelihood);
    csv_number(out, self->aic);
    csv_number(out, self->bic);
    csv_number(out, self->ks);
    csv_number(out, self->ad);
    csv_number(out, self->p_value);
    csv_number(out, self->mean);
    csv_number(out, self->cv);
    csv_number(out, self->mean_ratio);
    fprintf(out, ",%s,%s,", yes_or_no(self->is_mean_exact), yes_or_no(self->converged));
    for (const char *text = self->note; *text != '\0'; text++) { /* no field to quote */
        fputc(*text == ',' ? ';' : *text, out);
    }
    fputc('\n', out);
}

void
spot_fit_row_write_json(const spot_fit_row_t *self, spot_json_t *json)
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
    spot_json_number(json, "logL", self->log_likelihood);
    spot_json_number(json, "AIC", self->aic);
    spot_json_number(json, "BIC", self->bic);
    spot_json_number(json, "KS", self->ks);
    spot_json_number(json, "AD", self->ad);
    spot_json_number(json, "bootstrap_p", self->p_value);
    spot_json_number(json, "implied_mean_s", self->mean);
    spot_json_number(json, "implied_cv", self->cv);
    spot_json_number(json, "mean_ratio", self->mean_ratio);
    spot_json_boolean(json, "mean_exact", self->is_mean_exact);
    spot_json_boolean(json, "converged", self->converged);
    spot_json_text(json, "note", self->note);
    spot_json_close(json, '}');
}
