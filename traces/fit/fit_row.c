/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_row.h"

#include <math.h>
#include <string.h>

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
