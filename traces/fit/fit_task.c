/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "traces/fit/fit_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/provenance.h"
#include "base/units.h"
#include "traces/describe/describe.h"
#include "traces/fit/fit_generator.h"
#include "traces/fit/fit_words.h"

/* The law of the lives to generate from. */
typedef struct {
    spot_law_t law; /* family NULL: there is none */
    double ks;      /* of its fit */
    spot_fit_cut_t cut;
} fit_lifetime_t;

static double fit_task_resolution_s(const spot_fit_task_t *self);

/* ---- The fits of samples ---- */

/* Values of 0 are raised to the resolution; a lifetimes file has none. */
#define FINE_TICK_S 1

static double raised_s(const spot_fit_task_t *self)
{
    const double resolution_s = fit_task_resolution_s(self);

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
        .resolution_s = fit_task_resolution_s(self),
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
    const double resolution_s = fit_task_resolution_s(self);
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
static void choose_lifetime(fit_lifetime_t *self, const spot_fit_ranking_t *ranking)
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

/* Behind a cut with deaths a deadline; else the best law if it has a limit, else the
 * best one that keeps the mean. */
static int fit_task_lifetime(spot_fit_task_t *self, fit_lifetime_t *lifetime)
{
    static const spot_family_t *const before_deadline[] = {&spot_family_lognormal, NULL};
    spot_fit_ranking_t ranking;
    spot_sample_t sample = {0};
    int ret;

    *lifetime = (fit_lifetime_t){.ks = (double) NAN};
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

/* The fits of all samples that are wanted, to the sink. */
static int fit_task_samples(spot_fit_task_t *self)
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

/* ---- The generator model that is written ---- */

/* The folder a file is in, without links, with one slash at its end. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t) (slash - path));
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    char *text = NULL;

    if (real != NULL) {
        const size_t num_bytes = strlen(real);

        text = spot_calloc(num_bytes + 2, 1);
        if (text != NULL) {
            snprintf(text, num_bytes + 2, "%s%s", real, num_bytes > 1 ? "/" : "");
        }
    }
    free(real);
    free(folder);
    return text;
}

/* Bytes of the folder that both are in. */
static size_t common_bytes(const char *folder, const char *other)
{
    size_t common = 0;

    for (size_t j = 0; folder[j] != '\0' && folder[j] == other[j]; j++) {
        common = folder[j] == '/' ? j + 1 : common;
    }
    return common;
}

/* folder/name as seen from another folder, of which the first bytes are the same. */
static char *relative(const char *folder, const char *name, const char *from, size_t common)
{
    size_t num_up = 0, num_bytes;
    char *text;

    for (const char *c = from + common; *c != '\0'; c++) {
        num_up += *c == '/' ? 1 : 0;
    }
    num_bytes = num_up * strlen("../") + strlen(folder + common) + strlen(name) + 1;
    text = spot_calloc(num_bytes, 1);
    if (text == NULL) {
        return NULL;
    }
    for (size_t j = 0; j < num_up; j++) {
        memcpy(text + j * strlen("../"), "../", strlen("../"));
    }
    snprintf(text + num_up * strlen("../"), num_bytes - num_up * strlen("../"), "%s%s",
        folder + common, name);
    return text;
}

char *spot_fit_path_from_model(const char *path, const char *model_path)
{
    const bool is_file = model_path != NULL && strcmp(model_path, "-") != 0;
    const char *slash = strrchr(path, '/');
    char *folder = folder_of(path);
    char *from = is_file ? folder_of(model_path) : strdup("/");
    char *seen = NULL;

    if (folder != NULL && from != NULL) {
        const size_t common = common_bytes(folder, from);
        const bool is_relative = is_file && common > strlen("/");

        seen = relative(folder, slash != NULL ? slash + 1 : path, is_relative ? from : "",
            is_relative ? common : 0);
    }
    free(from);
    free(folder);
    return seen;
}

/* The longest horizon_s of a model. */
#define MAX_HORIZON_S 3e9

/* Time of day at time 0; -1: unknown. */
static int64_t start_ms(const spot_fit_task_t *self)
{
    return self->request->start_hour >= 0 ? self->request->start_hour * SPOT_MS_PER_H
                                          : spot_hours_start_ms(&self->trace);
}

/* Rates by hour of day. BAD_INPUT: the hour of the start is not known. */
static int fit_task_hours(spot_fit_task_t *self, spot_fit_hourly_t *hourly)
{
    if (start_ms(self) < 0) {
        return spot_diag_error(self->diag, self->request->path, 0, 0,
            "the trace does not say at what hour it starts: expected --start-hour H");
    }
    return spot_fit_hourly(hourly, &self->trace, start_ms(self));
}

static int emit_seed(spot_fit_task_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    spot_seed_t seed;
    const int ret = spot_fit_seed(&seed, &self->trace);

    if (ret == 0) {
        const double cv = fmax(seed.preemption.gap_cv, seed.addition.gap_cv);

        if (cv > SPOT_SEED_MAX_CV) {
            spot_diag_warn(self->diag, self->request->path, 0, 0,
                "gaps have CV %.2f, those of a seed model at most 1: its events will be "
                "too evenly spread; use --emit block or --emit mrp",
                cv);
        }
        spot_seed_write(&seed, origin, out);
    }
    return ret;
}

/* What the comments of the model say from there on. */
static void warn_from(spot_fit_task_t *self, const spot_fit_words_t *doubts, size_t first)
{
    for (size_t j = first; j < doubts->num_lines; j++) {
        spot_diag_warn(self->diag, self->request->path, 0, 0, "%s", doubts->lines[j]);
    }
}

/* What --hourly and --lifetimes add to an mrp model. */
static int take_extras(spot_fit_task_t *self, spot_fit_origin_t *origin, spot_fit_hourly_t *hourly,
    fit_lifetime_t *lifetime, spot_fit_words_t *doubts)
{
    const size_t first = doubts->num_lines;
    int ret = 0;

    if (self->request->is_hourly) {
        ret = fit_task_hours(self, hourly);
        origin->hourly = hourly;
    }
    if (ret != 0 || !self->request->has_lifetimes) {
        return ret;
    }
    ret = fit_task_lifetime(self, lifetime);
    if (ret == 0 && lifetime->law.family == NULL) {
        ret = spot_diag_error(self->diag, self->request->path, 0, 0,
            "--lifetimes: no law could be fitted, see --what lifetimes");
    }
    if (ret == 0) {
        spot_diag_warn(self->diag, self->request->path, 0, 0,
            "--lifetimes: deadlines come on top of the events, which have every "
            "preemption of the trace already: the model preempts more than was seen");
        origin->lifetime = &lifetime->law;
        spot_fit_say_far_life(doubts, &lifetime->law, lifetime->ks);
        warn_from(self, doubts, first);
    }
    return ret;
}

/* Which parts of the model are no estimates. */
static void take_failures(spot_fit_task_t *self, const spot_mrp_t *mrp, spot_fit_words_t *doubts)
{
    const size_t first = doubts->num_lines;

    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        if (!mrp->gaps[j].converged) {
            spot_fit_say(doubts,
                "The gaps of %s: the fit of %s did not converge, its numbers are no "
                "estimates.",
                spot_mrp_class_names[j], mrp->gaps[j].law.family->name);
        }
    }
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        if (!mrp->bulks[j].converged) {
            spot_fit_say(doubts,
                "The sizes of %s: the fit of %s did not converge, its numbers are no "
                "estimates.",
                spot_mrp_type_names[j], spot_size_all_or_geometric.name);
        }
    }
    self->is_bad = self->is_bad || doubts->num_lines > first;
    warn_from(self, doubts, first);
}

static int emit_mrp(
    spot_fit_task_t *self, spot_fit_origin_t *origin, spot_fit_words_t *doubts, FILE *out)
{
    spot_fit_hourly_t hourly;
    fit_lifetime_t lifetime;
    spot_mrp_t mrp;
    int ret = take_extras(self, origin, &hourly, &lifetime, doubts);

    ret = ret == 0 ? spot_fit_mrp(&mrp, &self->trace, &self->maximiser) : ret;
    if (ret == 0) {
        take_failures(self, &mrp, doubts);
        spot_mrp_write(&mrp, origin, out);
    }
    return ret;
}

/* Counts the preemptions and additions of a trace. NO_MEMORY. O(events). */
static int fit_num_events(size_t *num_events, const spot_trace_t *trace)
{
    spot_bulks_t bulks;
    const int ret = spot_bulks_init(&bulks, trace);

    *num_events = 0;
    for (size_t j = 0; ret == 0 && j < bulks.num_bulks; j++) {
        *num_events += bulks.bulks[j].kind != SPOT_EVENT_STOP ? 1 : 0;
    }
    spot_bulks_free(&bulks);
    return ret;
}

static int emit_recorded(spot_fit_task_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    const bool is_block = self->request->emit == SPOT_EMIT_BLOCK;
    char *path = spot_fit_path_from_model(self->request->path, self->request->model_path);
    size_t num_events;
    int ret = fit_num_events(&num_events, &self->trace);

    if (path == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    } else if (ret == 0 && is_block && num_events == 0) {
        ret = SPOT_ERR_BAD_INPUT;
    } else if (ret == 0) {
        spot_recorded_write(is_block ? "block" : "replay", path, num_events, origin, out);
    }
    free(path);
    return ret;
}

/* A model that no reader takes is of no use: theirs are the limits. */
static int check_limits(spot_fit_task_t *self, spot_emit_t emit)
{
    const spot_trace_t *trace = &self->trace;
    const char *path = self->request->path;
    const int32_t capacity = spot_trace_most(trace);

    if (capacity > SPOT_MAX_INSTANCES) {
        return spot_diag_error(self->diag, path, 0, 0,
            "%s of %ld instances: a model has at most %d, so there is none of this "
            "trace",
            trace->capacity == SPOT_UNBOUNDED ? "a population" : "a capacity", (long) capacity,
            SPOT_MAX_INSTANCES);
    }
    if (emit != SPOT_EMIT_SEED && trace->resolution_ms > SPOT_MS_PER_D) {
        return spot_diag_error(self->diag, path, 0, 0,
            "resolution_s %.10g: a model has a tick of at most 86400 s, so there is "
            "none of this trace",
            fit_task_resolution_s(self));
    }
    if (spot_duration_s(trace->end_ms) > MAX_HORIZON_S) {
        return spot_diag_error(self->diag, path, 0, 0,
            "a length of %.10g s: a model has at most %.10g s, so there is none of "
            "this trace",
            spot_duration_s(trace->end_ms), MAX_HORIZON_S);
    }
    return 0;
}

/* On stderr now, and for the comments of the model; the recording itself has none. */
static int take_doubts(spot_fit_task_t *self, spot_emit_t emit, spot_fit_words_t *doubts)
{
    const char *model = emit == SPOT_EMIT_BLOCK ? "block" : emit == SPOT_EMIT_SEED ? "seed" : "mrp";
    int ret;

    *doubts = (spot_fit_words_t){0};
    if (emit == SPOT_EMIT_REPLAY) {
        return 0;
    }
    ret = spot_fit_doubts(doubts, &self->trace, model);
    if (ret == 0) {
        warn_from(self, doubts, 0);
    }
    return ret;
}

static int write_model(spot_fit_task_t *self, spot_emit_t emit, FILE *out)
{
    spot_fit_words_t doubts;
    spot_fit_origin_t origin = {.trace = &self->trace,
        .source = self->request->path,
        .version = spot_build_info.version,
        .doubts = &doubts};
    int ret = take_doubts(self, emit, &doubts);

    if (ret != 0) {
        return ret;
    }
    switch (emit) {
        case SPOT_EMIT_BLOCK:
        case SPOT_EMIT_REPLAY:
            ret = emit_recorded(self, &origin, out);
            break;
        case SPOT_EMIT_SEED:
            ret = emit_seed(self, &origin, out);
            break;
        case SPOT_EMIT_NOTHING:
        case SPOT_EMIT_MRP:
        default:
            ret = emit_mrp(self, &origin, &doubts, out);
            break;
    }
    if (ret == SPOT_ERR_BAD_INPUT && self->diag->num_errors == 0) {
        spot_diag_error(self->diag, self->request->path, 0, 0,
            "no preemption and no addition: there is nothing to fit, only --emit replay "
            "has a model of it");
    }
    return ret;
}

/* Standard output is opened when the model is there: fits take long. */
static int print_model(spot_fit_task_t *self, spot_emit_t emit)
{
    spot_outfile_t file;
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = stream == NULL ? SPOT_ERR_NO_MEMORY : write_model(self, emit, stream);

    if (stream != NULL && fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = spot_outfile_init(&file, NULL, self->diag);
        if (ret == 0) {
            fwrite(text, 1, num_bytes, file.stream);
        }
        ret = spot_outfile_close(&file, ret, self->diag);
    }
    free(text);
    return ret;
}

/* Writes the generator model that is asked for, or mrp. */
static int fit_task_emit(spot_fit_task_t *self)
{
    const spot_emit_t emit = (spot_emit_t) self->request->emit;
    const char *path = self->request->model_path;
    spot_outfile_t file;
    int ret = check_limits(self, emit);

    if (ret == 0 && (path == NULL || spot_files_is_dash(path))) {
        return print_model(self, emit);
    }
    if (ret != 0) {
        return ret;
    }
    ret = spot_outfile_init(&file, path, self->diag);
    ret = ret == 0 ? write_model(self, emit, file.stream) : ret;
    return spot_outfile_close(&file, ret, self->diag);
}

/* ---- The task ---- */

bool spot_fit_is_model_alone(const spot_fit_request_t *request)
{
    return request->emit != SPOT_EMIT_NOTHING &&
           (request->model_path == NULL || strcmp(request->model_path, "-") == 0);
}

/* Of the recorder in s, 0: a lifetimes file. */
static double fit_task_resolution_s(const spot_fit_task_t *self)
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
    ret = spot_lifetimes_is_file(request->path);
    if (ret < 0) {
        return ret;
    }
    self->is_lifetimes = ret == 1;
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
        ret = fit_task_emit(self);
    }
    if (ret != 0 || spot_fit_is_model_alone(request)) {
        return ret;
    }
    ret = fit_task_samples(self);
    if (ret == 0 && request->what == SPOT_WHAT_HOURLY) {
        ret = fit_task_hours(self, &hourly);
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
        .resolution_s = fit_task_resolution_s(self)};
    fit_lifetime_t lifetime;
    spot_fit_words_t doubts;
    int ret = 0;

    if (!self->is_lifetimes) {
        ret = fit_num_events(&advice.num_events, &self->trace);
    }
    if (ret == 0 && !self->is_lifetimes) {
        ret = spot_fit_doubts(&doubts, &self->trace, NULL);
        advice.doubts = &doubts;
    }
    if (ret == 0 && (self->is_lifetimes || request->cut_s > 0)) {
        ret = fit_task_lifetime(self, &lifetime);
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
