/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/trace_figures.h"
#include "traces/describe/hours.h"

char *
spot_pictures_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *suffix = strstr(name, ".csv");

    return spot_text_copy(
        name, suffix != NULL && suffix > name ? (size_t) (suffix - name) : strlen(name));
}

/* As many points of a band as a picture can show. */
#define MAX_BAND_POINTS 1600

/* Samples that a trace of this kind can have. */
static bool
is_possible(const spot_trace_t *trace, spot_sample_kind_t kind)
{
    switch (kind) {
        case SPOT_SAMPLE_UP_SPELL:
        case SPOT_SAMPLE_DOWN_SPELL:
            return trace->capacity == 1;
        case SPOT_SAMPLE_LIFETIME:
            return trace->kind == SPOT_TRACE_NAMED;
        default:
            return true;
    }
}

static int
draw_sample(const spot_trace_t *trace, spot_sample_kind_t kind, const char *folder,
    const char *name, spot_diag_t *diag)
{
    const double resolution_s = (double) trace->resolution_ms / (double) SPOT_MS_PER_S;
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        const spot_fitted_sample_t fitted = {.kind = kind,
            .is_obtainable = trace->kind == SPOT_TRACE_AVAILABILITY,
            .sample = &sample,
            .tick_s = spot_fit_default_tick(&sample, kind, resolution_s)};

        ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    }
    spot_sample_free(&sample);
    return ret;
}

int
spot_pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    static const spot_sample_kind_t kinds[] = {SPOT_SAMPLE_PREEMPT_GAP,
        SPOT_SAMPLE_ADD_GAP, SPOT_SAMPLE_UP_SPELL, SPOT_SAMPLE_DOWN_SPELL,
        SPOT_SAMPLE_LIFETIME};
    int ret = spot_trace_plot_availability(trace, folder, name, diag);
    int error =
        spot_trace_plot_hours(trace, spot_hours_start_ms(trace), folder, name, diag);

    ret = ret != 0 ? ret : error;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        if (is_possible(trace, kinds[j])) {
            error = draw_sample(trace, kinds[j], folder, name, diag);
            ret = ret != 0 ? ret : error;
        }
    }
    return ret;
}

int
spot_pictures_of_lifetimes(const spot_lifetimes_t *lifetimes, const char *folder,
    const char *name, spot_diag_t *diag)
{
    spot_sample_t sample;
    int ret = spot_sample_init_lifetimes(&sample, lifetimes);

    if (ret == 0) {
        ret = spot_trace_plot_survival(
            &(spot_fitted_sample_t){.kind = SPOT_SAMPLE_LIFETIME, .sample = &sample},
            folder, name, diag);
    }
    spot_sample_free(&sample);
    return ret;
}

int
spot_pictures_of_fit(const spot_fit_ranking_t *ranking, const spot_sample_t *sample,
    spot_sample_kind_t kind, spot_trace_kind_t trace_kind, double tick_s,
    const char *folder, const char *name, spot_diag_t *diag)
{
    spot_labelled_law_t laws[SPOT_FIT_MAX_FAMILIES];
    spot_fitted_sample_t fitted = {.kind = kind,
        .is_obtainable = trace_kind == SPOT_TRACE_AVAILABILITY,
        .sample = sample,
        .tick_s = tick_s,
        .laws = laws};
    int ret, error;

    for (size_t j = 0; j < ranking->num_fits; j++) {
        if (ranking->fits[j].is_fitted) {
            laws[fitted.num_laws++] = (spot_labelled_law_t){
                ranking->fits[j].family->name, ranking->fits[j].law};
        }
    }
    ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    error = spot_trace_plot_quantiles(&fitted, folder, name, diag);
    return ret != 0 ? ret : error;
}

/* NAME-LABEL-compare. */
static int
draw_overlay(const spot_overlay_t *overlay, const char *folder, const char *name,
    spot_diag_t *diag)
{
    const size_t num_bytes = strlen(name) + strlen(overlay->a_label) + 2;
    char *full_name = spot_calloc(num_bytes, 1);
    int ret = SPOT_ERR_NO_MEMORY;

    if (full_name != NULL) {
        snprintf(full_name, num_bytes, "%s-%s", name, overlay->a_label);
        ret = spot_trace_plot_overlay(overlay, folder, full_name, diag);
    }
    free(full_name);
    return ret;
}

int
spot_pictures_of_traces(const spot_trace_t *a, const spot_trace_t *b, const char *label,
    const char *folder, const char *name, spot_diag_t *diag)
{
    return draw_overlay(
        &(spot_overlay_t){.a = a, .b = b, .a_label = label, .b_label = name}, folder,
        name, diag);
}

int
spot_pictures_of_model(const spot_replicate_t *replicate, const spot_trace_t *trace,
    const char *label, const char *folder, const char *name, spot_diag_t *diag)
{
    spot_band_t band;
    int ret = spot_band_init(&band, replicate, MAX_BAND_POINTS);

    if (ret == 0) {
        ret = draw_overlay(&(spot_overlay_t){.b = trace,
                               .a_label = label,
                               .b_label = name,
                               .num_replications = (size_t) replicate->num_replications,
                               .num_times = band.num_points,
                               .time_s = band.time_s,
                               .low = band.low,
                               .high = band.high},
            folder, name, diag);
    }
    spot_band_free(&band);
    return ret;
}
