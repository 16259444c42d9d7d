/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranked fits: one ranking of each sample and likelihood. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/fit/fit_law.h"
#include "traces/fit/fit_task.h"
#include "traces/fit/fit_words.h"

/* Values of 0 are raised to the resolution; a lifetimes file has none. */
#define FINE_TICK_S 1

static double raised_s(const spot_fit_task_t *self)
{
    const double resolution_s = spot_fit_task_resolution_s(self);

    return resolution_s > 0 ? resolution_s : FINE_TICK_S;
}

static int rank(spot_fit_task_t *self, const spot_sample_t *sample,
    const spot_family_t *const *families, double tick_s, spot_fit_ranking_t *ranking)
{
    spot_fit_durations_t durations;
    const int ret = spot_fit_durations_init(&durations, sample->values, sample->is_censored,
        sample->num_values, tick_s, raised_s(self));

    if (ret == 0) {
        spot_fit_rank(ranking, &self->maximiser, &durations, families[0] != NULL ? families : NULL,
            self->request->limit_s);
    }
    spot_fit_durations_free(&durations);
    return ret;
}

/* A warning, and the exit code. Beside a model only what the model is made of counts. */
static void say_not_converged(spot_fit_task_t *self, const char *what, const char *family)
{
    if (self->request->emit != SPOT_EMIT_NOTHING) {
        return;
    }
    self->is_bad = true;
    spot_diag_warn(self->diag, self->request->path, 0, 0,
        "%s: the fit of %s did not converge: its numbers are no estimates", what, family);
}

static int bootstrap(spot_fit_task_t *self, spot_fit_t *fit)
{
    return spot_fit_bootstrap(&(spot_bootstrap_t){.num_rounds = (int) self->request->num_rounds,
                                  .resolution_s = raised_s(self),
                                  .seed = (uint64_t) self->request->seed,
                                  .watch = self->sink.rounds(self->sink.context, fit->name)},
        &self->maximiser, fit);
}

/* Ranks the families with one likelihood. */
static int fit_with_tick(
    spot_fit_task_t *self, const spot_sample_t *sample, spot_sample_kind_t kind, double tick_s)
{
    const spot_fit_request_t *request = self->request;
    const char *what = spot_sample_kind_names[kind];
    const spot_fit_view_t view = {.what = what,
        .is_first = request->likelihood != SPOT_LIKELIHOOD_BOTH || !(tick_s > 0),
        .resolution_s = spot_fit_task_resolution_s(self),
        .tick_s = tick_s,
        .is_life = kind == SPOT_SAMPLE_LIFETIME,
        .lacks_limit =
            kind == SPOT_SAMPLE_LIFETIME && self->families[0] == NULL && isnan(request->limit_s)};
    spot_fit_ranking_t ranking;
    spot_fit_words_t words;
    int ret = rank(self, sample, self->families, tick_s, &ranking);

    for (size_t j = 0; ret == 0 && j < ranking.num_fits; j++) {
        spot_fit_t *fit = &ranking.fits[j];

        if (fit->is_fitted && !fit->converged && fit->arbitrary == 0) {
            say_not_converged(self, what, fit->name);
        }
        if (request->num_rounds > 0 && fit->is_fitted) {
            ret = bootstrap(self, fit);
        }
    }
    ret = ret == 0 ? spot_fit_words_of_law(&words, &view, &ranking, sample) : ret;
    if (ret == 0) {
        self->sink.laws(self->sink.context, sample, kind, tick_s, &ranking, &words);
    }
    return ret;
}

static int sample_of(spot_sample_t *sample, spot_fit_cut_t *cut, const spot_fit_task_t *self,
    spot_sample_kind_t kind)
{
    const int ret = self->is_lifetimes ? spot_sample_init_lifetimes(sample, &self->lifetimes)
                                       : spot_sample_init(sample, &self->trace, kind);

    *cut = (spot_fit_cut_t){0};
    if (ret == 0 && kind == SPOT_SAMPLE_LIFETIME && self->request->cut_s > 0) {
        spot_fit_cut(cut, sample, self->request->cut_s);
    }
    return ret;
}

/* Whether --what all passes over a sample: what a trace of that kind never has. */
static bool is_never_there(const spot_fit_task_t *self, spot_sample_kind_t kind)
{
    return !self->is_lifetimes &&
           (kind == SPOT_SAMPLE_LIFETIME
                   ? self->trace.kind != SPOT_TRACE_NAMED
                   : kind >= SPOT_SAMPLE_UP_SPELL && self->trace.capacity != 1);
}

static int fit_durations(spot_fit_task_t *self, spot_sample_kind_t kind)
{
    const spot_fit_request_t *request = self->request;
    const double resolution_s = spot_fit_task_resolution_s(self);
    const double tick_s = request->tick_s > 0 ? request->tick_s : resolution_s;
    spot_sample_t sample = {0};
    spot_fit_cut_t cut;
    int ret = sample_of(&sample, &cut, self, kind);

    if (ret == 0 && (request->likelihood == SPOT_LIKELIHOOD_CONTINUOUS ||
                        request->likelihood == SPOT_LIKELIHOOD_BOTH)) {
        ret = fit_with_tick(self, &sample, kind, 0);
    }
    if (ret == 0 && request->likelihood != SPOT_LIKELIHOOD_CONTINUOUS) {
        const bool is_default =
            request->likelihood == SPOT_LIKELIHOOD_DEFAULT && !(request->tick_s > 0);

        ret = fit_with_tick(self, &sample, kind,
            is_default ? spot_fit_default_tick(&sample, kind, resolution_s) : tick_s);
    }
    spot_sample_free(&sample);
    return ret;
}

/* Of a sample that was cut the law before the deadline. */
static void choose_lifetime(spot_fit_lifetime_t *self, const spot_fit_ranking_t *ranking)
{
    const bool has_wall = self->cut.num_deaths > 0;
    const bool has_limit =
        ranking->best_id >= 0 && ranking->fits[ranking->best_id].family == &spot_family_bathtub;
    const int id = has_wall || has_limit ? ranking->best_id : ranking->best_mean_id;

    if (id < 0) {
        return;
    }
    self->ks = ranking->fits[id].ks;
    if (has_wall) {
        spot_fit_deadline(&self->law, &ranking->fits[id].law, &self->cut);
    } else {
        self->law = ranking->fits[id].law;
    }
}

int spot_fit_task_lifetime(spot_fit_task_t *self, spot_fit_lifetime_t *lifetime)
{
    static const spot_family_t *const before_deadline[] = {&spot_family_lognormal, NULL};
    spot_fit_ranking_t ranking;
    spot_sample_t sample = {0};
    int ret;

    *lifetime = (spot_fit_lifetime_t){.ks = (double) NAN};
    ret = sample_of(&sample, &lifetime->cut, self, SPOT_SAMPLE_LIFETIME);
    if (ret == 0) {
        ret = rank(self, &sample, lifetime->cut.num_deaths > 0 ? before_deadline : self->families,
            0, &ranking);
    }
    if (ret == 0) {
        choose_lifetime(lifetime, &ranking);
    }
    spot_sample_free(&sample);
    return ret;
}

/* By AIC; behind them what could not be fitted. */
static int compare_fits(const void *left, const void *right)
{
    const spot_fit_t *a = left, *b = right;

    if (a->is_fitted != b->is_fitted) {
        return a->is_fitted ? -1 : 1;
    }
    return !a->is_fitted ? 0 : (a->aic > b->aic) - (a->aic < b->aic);
}

/* Laws of a size alone, or given what could have been taken. */
static void fit_sizes(
    spot_fit_task_t *self, const spot_size_sample_t *sample, const char *what, bool is_given)
{
    spot_fit_t fits[SPOT_SIZE_MAX_FAMILIES];
    spot_fit_words_t words;
    size_t num_fits = 0;

    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        if (spot_size_families[j]->is_given_limit == is_given &&
            spot_size_family_fits(spot_size_families[j], sample)) {
            spot_fit_t *fit = &fits[num_fits++];

            spot_fit_size(fit, spot_size_families[j], sample, &self->maximiser);
            if (fit->is_fitted && !fit->converged && (fit->flags & SPOT_FIT_DEGENERATE) == 0) {
                say_not_converged(self, what, fit->name);
            }
        }
    }
    if (num_fits > 0) {
        qsort(fits, num_fits, sizeof(*fits), compare_fits);
    }
    spot_fit_words_of_sizes(&words, what, fits, num_fits, sample);
    self->sink.sizes(self->sink.context, what, fits, num_fits, sample, &words);
}

static int fit_bulk(spot_fit_task_t *self, spot_sample_kind_t kind)
{
    spot_size_sample_t sample = {0};
    char what[64];
    const int ret = spot_size_sample_of_trace(&sample, &self->trace, kind);

    if (ret == 0) {
        snprintf(what, sizeof(what), "%s-given-n", spot_sample_kind_names[kind]);
        fit_sizes(self, &sample, spot_sample_kind_names[kind], false);
        fit_sizes(self, &sample, what, true);
    }
    spot_size_sample_free(&sample);
    return ret;
}

int spot_fit_task_samples(spot_fit_task_t *self)
{
    static const struct {
        spot_what_t what;
        spot_sample_kind_t kind;
    } samples[] = {{SPOT_WHAT_GAPS, SPOT_SAMPLE_PREEMPT_GAP}, {SPOT_WHAT_GAPS, SPOT_SAMPLE_ADD_GAP},
        {SPOT_WHAT_SPELLS, SPOT_SAMPLE_UP_SPELL}, {SPOT_WHAT_SPELLS, SPOT_SAMPLE_DOWN_SPELL},
        {SPOT_WHAT_LIFETIMES, SPOT_SAMPLE_LIFETIME}, {SPOT_WHAT_BULK, SPOT_SAMPLE_PREEMPT_COUNT},
        {SPOT_WHAT_BULK, SPOT_SAMPLE_ADD_COUNT}};
    const int wanted = self->request->what;
    int ret = 0;

    for (size_t j = 0; j < sizeof(samples) / sizeof(samples[0]) && ret == 0; j++) {
        if ((wanted != (int) samples[j].what && wanted != SPOT_WHAT_ALL) ||
            (self->is_lifetimes && samples[j].what != SPOT_WHAT_LIFETIMES) ||
            is_never_there(self, samples[j].kind)) {
            continue;
        }
        ret = samples[j].what == SPOT_WHAT_BULK ? fit_bulk(self, samples[j].kind)
                                                : fit_durations(self, samples[j].kind);
    }
    return ret;
}
