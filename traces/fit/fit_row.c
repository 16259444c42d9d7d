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
spot_fit_row_init(spot_fit_row_t *self, const spot_fit_t *fit)
{
    const spot_family_t *family = fit->family;
    const bool has_limit = fit->is_fitted && family != NULL && family->num_settings > 0;

    *self = (spot_fit_row_t){.family = fit->name,
        .num_parameters =
            family != NULL ? family->num_parameters : fit->size_family->num_parameters,
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
        .limit_s =
            has_limit ? fit->law.parameters[family->num_parameters] : (double) NAN,
        .mean = fit->implied_mean_s,
        .cv = fit->implied_cv,
        .is_mean_exact = fit->is_mean_exact,
        .is_fitted = fit->is_fitted,
        .converged = fit->converged,
        .arbitrary = fit->is_fitted ? fit->arbitrary : 0,
        .note = fit->note};
    for (int j = 0; j < self->num_parameters && j < SPOT_FIT_ROW_PARAMETERS; j++) {
        self->names[j] =
            family != NULL ? family->fields[j].name : fit->size_family->parameters[j];
        self->units[j] = family != NULL ? unit_of(self->names[j]) : "";
        self->parameters[j] = fit->is_fitted ? fit->law.parameters[j] : (double) NAN;
        self->errors[j] = fit->is_fitted ? fit->standard_errors[j] : (double) NAN;
    }
}
