/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generator models of a trace, as YAML. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/fit_task.h"
#include "traces/describe/describe.h"
#include "traces/describe/hours.h"
#include "traces/fit/fit_model.h"

/* Time of day at time 0, or -1 where nobody says it. */
static int64_t
start_ms(const spot_fit_task_t *self)
{
    return self->arguments->start_hour >= 0 ? self->arguments->start_hour * SPOT_MS_PER_H
                                            : spot_hours_start_ms(&self->trace);
}

int
spot_fit_task_hours(spot_fit_task_t *self, spot_fit_hourly_t *hourly)
{
    if (start_ms(self) < 0) {
        spot_diag_error(&self->diag, self->arguments->path, 0, 0,
            "the trace does not say at what hour it starts: expected --start-hour H");
        return SPOT_ERR_BAD_INPUT;
    }
    return spot_fit_hourly(hourly, &self->trace, start_ms(self));
}

static int
emit_seed(spot_fit_task_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    spot_seed_t seed;
    const int ret = spot_fit_seed(&seed, &self->trace);

    if (ret == 0) {
        const double cv = fmax(seed.preemption.gap_cv, seed.addition.gap_cv);

        if (cv > SPOT_SEED_MAX_CV) {
            spot_diag_warn(&self->diag, self->arguments->path, 0, 0,
                "gaps have CV %.2f, those of a seed model at most 1: its events will be "
                "too evenly spread; use --emit block or --emit mrp",
                cv);
        }
        spot_seed_write(&seed, origin, out);
    }
    return ret;
}

/* What --hourly and --lifetimes add to an mrp model. */
static int
take_extras(spot_fit_task_t *self, spot_fit_origin_t *origin, spot_fit_hourly_t *hourly,
    spot_law_t *lifetime)
{
    int ret = 0;

    if (self->arguments->is_hourly) {
        ret = spot_fit_task_hours(self, hourly);
        origin->hourly = hourly;
    }
    if (ret != 0 || !self->arguments->has_lifetimes) {
        return ret;
    }
    ret = spot_fit_task_lifetime(self, lifetime);
    if (ret == 0 && lifetime->family == NULL) {
        spot_diag_error(&self->diag, self->arguments->path, 0, 0,
            "--lifetimes: no law could be fitted, see --what lifetimes");
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0) {
        spot_diag_warn(&self->diag, self->arguments->path, 0, 0,
            "--lifetimes: deadlines come on top of the events, which have every "
            "preemption of the trace already: the model preempts more than was seen");
        origin->lifetime = lifetime;
    }
    return ret;
}

static int
emit_mrp(spot_fit_task_t *self, spot_fit_origin_t *origin, FILE *out)
{
    spot_fit_hourly_t hourly;
    spot_law_t lifetime;
    spot_mrp_t mrp;
    int ret = take_extras(self, origin, &hourly, &lifetime);

    if (ret == 0) {
        ret = spot_fit_mrp(&mrp, &self->trace, &self->maximiser);
    }
    if (ret == 0) {
        if (!spot_mrp_converged(&mrp)) {
            spot_fit_task_not_converged(self, "mrp", "a gap or a size");
        }
        spot_mrp_write(&mrp, origin, out);
    }
    return ret;
}

/* Bytes of the folder a path is in, with the last slash. */
static size_t
folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (size_t) (slash - path) + 1 : 0;
}

/* NULL: no memory, or no such folder any more. */
static char *
absolute_path(const char *path)
{
    char *folder = getcwd(NULL, 0);
    char *text = NULL;

    if (folder != NULL) {
        const size_t num_bytes = strlen(folder) + strlen(path) + 2;

        text = malloc(num_bytes);
        if (text != NULL) {
            snprintf(text, num_bytes, "%s/%s", folder, path);
        }
    }
    free(folder);
    return text;
}

/* The trace as the model will see it: paths in a model start at its folder. A model on
 * standard output is taken to stay in the current one. NULL as above. */
static char *
path_from_model(const char *trace_path, const char *model_path)
{
    const size_t trace_bytes = folder_bytes(trace_path);
    const size_t model_bytes = model_path == NULL ? 0 : folder_bytes(model_path);

    if (trace_bytes == model_bytes &&
        strncmp(trace_path, model_path != NULL ? model_path : "", model_bytes) == 0) {
        return strdup(trace_path + trace_bytes);
    }
    return model_bytes == 0 || trace_path[0] == '/' ? strdup(trace_path)
                                                    : absolute_path(trace_path);
}

static int
emit_recorded(spot_fit_task_t *self, const spot_fit_origin_t *origin,
    const char *model_path, FILE *out)
{
    const bool is_block = self->arguments->emit == SPOT_EMIT_BLOCK;
    char *path = path_from_model(self->arguments->path, model_path);
    size_t num_events;
    int ret = spot_fit_num_events(&num_events, &self->trace);

    if (path == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    } else if (ret == 0 && is_block && num_events == 0) {
        ret = SPOT_ERR_BAD_INPUT;
    } else if (ret == 0) {
        spot_recorded_write(
            is_block ? "block" : "replay", path, num_events, origin, out);
    }
    free(path);
    return ret;
}

static int
write_model(spot_fit_task_t *self, const char *model_path, FILE *out)
{
    spot_fit_origin_t origin = {
        .trace = &self->trace, .source = self->arguments->path, .version = SPOT_VERSION};
    int ret;

    switch ((spot_emit_t) self->arguments->emit) {
        case SPOT_EMIT_BLOCK:
        case SPOT_EMIT_REPLAY:
            ret = emit_recorded(self, &origin, model_path, out);
            break;
        case SPOT_EMIT_SEED:
            ret = emit_seed(self, &origin, out);
            break;
        case SPOT_EMIT_NOTHING:
        case SPOT_EMIT_MRP:
        default:
            ret = emit_mrp(self, &origin, out);
            break;
    }
    if (ret == SPOT_ERR_BAD_INPUT && self->diag.num_errors == 0) {
        spot_diag_error(&self->diag, self->arguments->path, 0, 0,
            "no preemption and no addition: there is nothing to fit, only --emit replay "
            "has a model of it");
    }
    return ret;
}

int
spot_fit_task_emit(spot_fit_task_t *self, const char *path)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, &self->diag);

    if (ret == 0) {
        ret = write_model(self, path, file.stream);
    }
    return spot_outfile_close(&file, ret, &self->diag);
}
