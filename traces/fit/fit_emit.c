/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generator models of a trace, as YAML. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/units.h"
#include "traces/describe/describe.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_advice.h"
#include "traces/fit/fit_model.h"
#include "traces/fit/fit_task.h"
#include "traces/trace.h"

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

int spot_fit_task_hours(spot_fit_task_t *self, spot_fit_hourly_t *hourly)
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
    spot_fit_lifetime_t *lifetime, spot_fit_words_t *doubts)
{
    const size_t first = doubts->num_lines;
    int ret = 0;

    if (self->request->is_hourly) {
        ret = spot_fit_task_hours(self, hourly);
        origin->hourly = hourly;
    }
    if (ret != 0 || !self->request->has_lifetimes) {
        return ret;
    }
    ret = spot_fit_task_lifetime(self, lifetime);
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
    spot_fit_lifetime_t lifetime;
    spot_mrp_t mrp;
    int ret = take_extras(self, origin, &hourly, &lifetime, doubts);

    ret = ret == 0 ? spot_fit_mrp(&mrp, &self->trace, &self->maximiser) : ret;
    if (ret == 0) {
        take_failures(self, &mrp, doubts);
        spot_mrp_write(&mrp, origin, out);
    }
    return ret;
}

static int emit_recorded(spot_fit_task_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    const bool is_block = self->request->emit == SPOT_EMIT_BLOCK;
    char *path = spot_fit_path_from_model(self->request->path, self->request->model_path);
    size_t num_events;
    int ret = spot_fit_num_events(&num_events, &self->trace);

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
            spot_fit_task_resolution_s(self));
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

int spot_fit_task_emit(spot_fit_task_t *self)
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
