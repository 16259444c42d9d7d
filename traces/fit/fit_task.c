/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_task.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "traces/fit/fit_advice.h"
#include "traces/fit/fit_model.h"

bool spot_fit_is_model_alone(const spot_fit_request_t *request)
{
    return request->emit != SPOT_EMIT_NOTHING &&
           (request->model_path == NULL || strcmp(request->model_path, "-") == 0);
}

double spot_fit_task_resolution_s(const spot_fit_task_t *self)
{
    return self->is_lifetimes ? 0 : spot_duration_s(self->trace.resolution_ms);
}

static bool has_family(const spot_fit_task_t *self, const spot_family_t *family)
{
    for (size_t j = 0; self->families[j] != NULL; j++) {
        if (self->families[j] == family) {
            return true;
        }
    }
    return false;
}

/* Twice the same is once. */
static int take_families(spot_fit_task_t *self)
{
    const char *text = self->request->families;
    size_t num_families = 0;

    while (text != NULL) {
        char name[32];
        const size_t num_bytes = strcspn(text, ",");
        const spot_family_t *family;

        snprintf(name, sizeof(name), "%.*s", (int) (num_bytes < 31 ? num_bytes : 31), text);
        family = spot_family_find(name);
        if (family == NULL || !spot_fit_has_family(family)) {
            return spot_diag_error(self->diag, "--families", 0, 0,
                "unknown family \"%s\"; known: exponential, weibull, gamma, lognormal, "
                "loglogistic, hyperexp2, bathtub",
                name);
        }
        if (!has_family(self, family)) {
            self->families[num_families++] = family;
        }
        text = text[num_bytes] == ',' ? text + num_bytes + 1 : NULL;
    }
    return 0;
}

/* Why there is no sample of what is asked for, or NULL; --what all leaves it out. */
static const char *what_is_missing(const spot_fit_task_t *self)
{
    const spot_fit_request_t *request = self->request;
    const bool is_named = !self->is_lifetimes && self->trace.kind == SPOT_TRACE_NAMED;

    if (self->is_lifetimes && request->emit != SPOT_EMIT_NOTHING) {
        return "--emit needs a trace, not a lifetimes file";
    }
    if (self->is_lifetimes && request->what != SPOT_WHAT_LIFETIMES &&
        request->what != SPOT_WHAT_ALL) {
        return "a lifetimes file has lifetimes only: expected --what lifetimes";
    }
    if (self->is_lifetimes && !(request->tick_s > 0) &&
        request->likelihood >= SPOT_LIKELIHOOD_LATTICE) {
        return "a lifetimes file has no resolution: the lattice likelihood needs --tick";
    }
    if (!self->is_lifetimes && request->where != NULL) {
        return "--where is for lifetimes files";
    }
    if (!is_named && !self->is_lifetimes &&
        (request->what == SPOT_WHAT_LIFETIMES || request->has_lifetimes || request->cut_s > 0)) {
        return "only a trace of kind named knows lifetimes";
    }
    if (request->what == SPOT_WHAT_SPELLS && self->trace.capacity != 1) {
        return "only a trace of capacity 1 has spells";
    }
    return NULL;
}

int spot_fit_task_read(spot_fit_task_t *self)
{
    const spot_fit_request_t *request = self->request;
    const char *missing;
    int ret = take_families(self);

    if (ret != 0) {
        return ret;
    }
    self->is_lifetimes = spot_lifetimes_is_file(request->path);
    if (!self->is_lifetimes) {
        ret = spot_trace_read(&self->trace, request->path, false, self->diag);
    } else {
        ret = spot_lifetimes_read(&self->lifetimes, request->path, self->diag);
        if (ret == 0 && request->where != NULL) {
            ret = spot_lifetimes_keep(&self->lifetimes, "--where", request->where, self->diag);
        }
    }
    missing = ret == 0 ? what_is_missing(self) : NULL;
    if (missing != NULL) {
        ret = spot_diag_error(self->diag, request->path, 0, 0, "%s", missing);
    }
    return ret;
}

int spot_fit_task_run(spot_fit_task_t *self)
{
    const spot_fit_request_t *request = self->request;
    const bool is_model_wanted =
        request->emit != SPOT_EMIT_NOTHING || request->what == SPOT_WHAT_MRP;
    spot_fit_hourly_t hourly;
    int ret = spot_maximiser_init(&self->maximiser);

    if (ret == 0 && is_model_wanted) {
        ret = spot_fit_task_emit(self);
    }
    if (ret != 0 || spot_fit_is_model_alone(request)) {
        return ret;
    }
    ret = spot_fit_task_samples(self);
    if (ret == 0 && request->what == SPOT_WHAT_HOURLY) {
        ret = spot_fit_task_hours(self, &hourly);
        if (ret == 0) {
            self->sink.hourly(self->sink.context, &hourly);
        }
    }
    return ret;
}

int spot_fit_task_advice(spot_fit_task_t *self, bool has_fits, spot_fit_words_t *words)
{
    const spot_fit_request_t *request = self->request;
    spot_fit_advice_t advice = {.path = request->path,
        .model_path = request->emit != SPOT_EMIT_NOTHING ? request->model_path : NULL,
        .is_lifetimes = self->is_lifetimes,
        .is_obtainable = !self->is_lifetimes && self->trace.kind == SPOT_TRACE_AVAILABILITY,
        .is_tested = request->num_rounds > 0 || request->what == SPOT_WHAT_BULK || !has_fits,
        .resolution_s = spot_fit_task_resolution_s(self)};
    spot_fit_lifetime_t lifetime;
    spot_fit_words_t doubts;
    int ret = 0;

    if (!self->is_lifetimes) {
        ret = spot_fit_num_events(&advice.num_events, &self->trace);
    }
    if (ret == 0 && !self->is_lifetimes) {
        ret = spot_fit_doubts(&doubts, &self->trace, NULL);
        advice.doubts = &doubts;
    }
    if (ret == 0 && (self->is_lifetimes || request->cut_s > 0)) {
        ret = spot_fit_task_lifetime(self, &lifetime);
        advice.lifetime = lifetime.law.family != NULL ? &lifetime.law : NULL;
        advice.lifetime_ks = lifetime.ks;
        advice.cut = lifetime.cut;
    }
    spot_fit_words_of_trace(words, &advice);
    return ret;
}

void spot_fit_task_free(spot_fit_task_t *self)
{
    spot_maximiser_free(&self->maximiser);
    spot_lifetimes_free(&self->lifetimes);
    spot_trace_free(&self->trace);
}
