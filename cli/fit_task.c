/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_task.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

bool
spot_fit_is_model_alone(const spot_fit_arguments_t *arguments)
{
    return arguments->emit != SPOT_EMIT_NOTHING &&
           (arguments->output_path == NULL || strcmp(arguments->output_path, "-") == 0);
}

double
spot_fit_task_resolution_s(const spot_fit_task_t *self)
{
    return self->is_lifetimes ? 0 : spot_duration_s(self->trace.resolution_ms);
}

void
spot_fit_task_not_converged(spot_fit_task_t *self, const char *what, const char *family)
{
    if (self->arguments->emit != SPOT_EMIT_NOTHING) {
        return;
    }
    self->is_bad = true;
    spot_diag_warn(&self->diag, self->arguments->path, 0, 0,
        "%s: the fit of %s did not converge: its numbers are no estimates", what,
        family);
}

static bool
has_family(const spot_fit_task_t *self, const spot_family_t *family)
{
    for (size_t j = 0; self->families[j] != NULL; j++) {
        if (self->families[j] == family) {
            return true;
        }
    }
    return false;
}

/* Twice the same is once. */
static int
take_families(spot_fit_task_t *self)
{
    const char *text = self->arguments->families;
    size_t num_families = 0;

    while (text != NULL) {
        char name[32];
        const size_t num_bytes = strcspn(text, ",");
        const spot_family_t *family;

        snprintf(
            name, sizeof(name), "%.*s", (int) (num_bytes < 31 ? num_bytes : 31), text);
        family = spot_family_find(name);
        if (family == NULL || !spot_fit_has_family(family)) {
            spot_diag_error(&self->diag, "--families", 0, 0,
                "unknown family \"%s\"; known: exponential, weibull, gamma, lognormal, "
                "loglogistic, hyperexp2, bathtub",
                name);
            return SPOT_ERR_BAD_INPUT;
        }
        if (!has_family(self, family)) {
            self->families[num_families++] = family;
        }
        text = text[num_bytes] == ',' ? text + num_bytes + 1 : NULL;
    }
    return 0;
}

/* Why there is no sample of what is asked for, or NULL; --what all leaves it out. */
static const char *
what_is_missing(const spot_fit_task_t *self)
{
    const spot_fit_arguments_t *arguments = self->arguments;
    const bool is_named = !self->is_lifetimes && self->trace.kind == SPOT_TRACE_NAMED;

    if (self->is_lifetimes && arguments->emit != SPOT_EMIT_NOTHING) {
        return "--emit needs a trace, not a lifetimes file";
    }
    if (self->is_lifetimes && arguments->what != SPOT_WHAT_LIFETIMES &&
        arguments->what != SPOT_WHAT_ALL) {
        return "a lifetimes file has lifetimes only: expected --what lifetimes";
    }
    if (self->is_lifetimes && !(arguments->tick_s > 0) &&
        arguments->likelihood >= SPOT_LIKELIHOOD_LATTICE) {
        return "a lifetimes file has no resolution: the lattice likelihood needs --tick";
    }
    if (!self->is_lifetimes && arguments->where != NULL) {
        return "--where is for lifetimes files";
    }
    if (!is_named && !self->is_lifetimes &&
        (arguments->what == SPOT_WHAT_LIFETIMES || arguments->has_lifetimes ||
            arguments->cut_s > 0)) {
        return "only a trace of kind named knows lifetimes";
    }
    if (arguments->what == SPOT_WHAT_SPELLS && self->trace.capacity != 1) {
        return "only a trace of capacity 1 has spells";
    }
    return NULL;
}

int
spot_fit_task_read(spot_fit_task_t *self)
{
    const spot_fit_arguments_t *arguments = self->arguments;
    const char *missing;
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
    missing = ret == 0 ? what_is_missing(self) : NULL;
    if (missing != NULL) {
        spot_diag_error(&self->diag, arguments->path, 0, 0, "%s", missing);
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

void
spot_fit_task_free(spot_fit_task_t *self)
{
    spot_fit_table_free(&self->table);
    spot_maximiser_free(&self->maximiser);
    spot_lifetimes_free(&self->lifetimes);
    spot_trace_free(&self->trace);
}
