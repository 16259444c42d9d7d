/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

/* The reason for no p-value, "" if the fit already has a note of it, or NULL. */
static const char *
obstacle(const spot_fit_t *fit)
{
    if (!fit->is_fitted || !fit->converged) {
        return "";
    }
    if (fit->tick_s > 0) {
        return "no p-value: ticks have no Anderson-Darling distance, only --likelihood "
               "continuous has";
    }
    if (fit->num_complete < fit->num_values) {
        return "no p-value: what the censored values would have become is not known";
    }
    return NULL;
}

/* A draw rounded up as the recorder sees it. If that reaches the limit of the law, where
 * the likelihood does not exist, the draw stays unrounded. */
static double
draw(const spot_law_t *law, double resolution_s, spot_rng_t *rng)
{
    const double value_s = law->family->draw(law->parameters, rng);
    const double seen_s =
        fmax(1, ceil(value_s / resolution_s - SPOT_FIT_ON_TICK)) * resolution_s;
    const double limit_s = law->family->num_settings > 0
                               ? law->parameters[law->family->num_parameters]
                               : (double) INFINITY;

    return fmin(seen_s < limit_s ? seen_s : value_s, SPOT_FIT_LONGEST_S);
}

/* Sets ad to AD*; INFINITY if the drawn values cannot be fitted. */
static int
run_round(spot_maximiser_t *maximiser, const spot_fit_t *fit, double resolution_s,
    spot_rng_t *rng, double *values, double *ad)
{
    const double limit_s = fit->law.parameters[fit->family->num_parameters];
    spot_durations_t durations;
    spot_fit_t again;
    int error;

    for (size_t j = 0; j < fit->num_values; j++) {
        values[j] = draw(&fit->law, resolution_s, rng);
    }
    error =
        spot_durations_init(&durations, values, NULL, fit->num_values, 0, resolution_s);
    if (error == 0) {
        spot_fit_law(maximiser, &durations, fit->family, limit_s, &again);
        *ad = again.is_fitted ? again.ad : (double) INFINITY;
    }
    spot_durations_free(&durations);
    return error;
}

int
spot_fit_bootstrap(
    const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit)
{
    const char *reason = obstacle(fit);
    double *values;
    int num_as_bad = 0, error = 0;
    spot_rng_t rng;

    spot_bug_assert(self->num_rounds >= 1 && self->resolution_s > 0);
    fit->p_value = (double) NAN;
    if (reason != NULL) {
        if (reason[0] != '\0') {
            spot_fit_note(fit, SPOT_FIT_NO_P_VALUE, "%s", reason);
        }
        return 0;
    }
    values = spot_calloc(fit->num_values, sizeof(*values));
    if (values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int j = 0; j < self->num_rounds && error == 0; j++) {
        double ad = (double) NAN;

        spot_rng_seek(
            &rng, self->seed, self->replication, SPOT_STREAM_BOOTSTRAP, (uint64_t) j);
        error = spot_watch_is_stopped(&self->watch)
                    ? SPOT_ERR_INTERRUPTED
                    : run_round(maximiser, fit, self->resolution_s, &rng, values, &ad);
        num_as_bad += ad >= fit->ad ? 1 : 0;
        if (error == 0) {
            spot_watch_report(&self->watch, j + 1, self->num_rounds);
        }
    }
    free(values);
    if (error == 0) {
        fit->p_value = (1.0 + num_as_bad) / (self->num_rounds + 1.0);
    }
    return error;
}
