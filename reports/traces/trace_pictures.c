/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/traces/trace_figures.h"
#include "traces/describe/describe.h"

/* shown: as the user wrote it, behind option. */
static int check_folder(
    const char *folder, const char *option, const char *shown, spot_diag_t *diag)
{
    struct stat status;
    int reason = 0;

    if (stat(folder, &status) != 0) {
        reason = errno;
    } else if (!S_ISDIR(status.st_mode)) {
        reason = ENOTDIR;
    } else if (access(folder, W_OK | X_OK) != 0) {
        reason = errno;
    }
    if (reason != 0) {
        spot_diag_error(diag, shown, 0, 0, "%s: expected a folder to write pictures to: %s", option,
            strerror(reason));
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

int spot_pictures_check(const char *option, const char *folder, spot_diag_t *diag)
{
    struct stat status;
    const char *slash;
    size_t num_bytes;
    char *parent;
    int ret;

    if (folder == NULL || stat(folder, &status) == 0) {
        return folder == NULL ? 0 : check_folder(folder, option, folder, diag);
    }
    if (folder[0] == '\0') {
        spot_diag_error(diag, option, 0, 0, "expected the name of a folder");
        return SPOT_ERR_BAD_INPUT;
    }
    num_bytes = strlen(folder);
    while (num_bytes > 1 && folder[num_bytes - 1] == '/') {
        num_bytes--;
    }
    parent = spot_text_copy(folder, num_bytes);
    if (parent == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    slash = strrchr(parent, '/');
    parent[slash == NULL ? 0 : slash == parent ? 1 : slash - parent] = '\0';
    ret = check_folder(parent[0] == '\0' ? "." : parent, option, folder, diag);
    free(parent);
    return ret;
}

const char *spot_pictures_name(spot_texts_t *texts, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *suffix = strstr(name, ".csv");

    return spot_texts_add(texts, "%.*s",
        (int) (suffix != NULL && suffix > name ? (size_t) (suffix - name) : strlen(name)), name);
}

/* Samples that a trace of this kind can have. */
static bool is_possible(const spot_trace_t *trace, spot_sample_kind_t kind)
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

static int draw_sample(const spot_trace_t *trace, spot_sample_kind_t kind, const char *folder,
    const char *name, spot_diag_t *diag)
{
    const double resolution_s = spot_duration_s(trace->resolution_ms);
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

int spot_pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    static const spot_sample_kind_t kinds[] = {SPOT_SAMPLE_PREEMPT_GAP, SPOT_SAMPLE_ADD_GAP,
        SPOT_SAMPLE_UP_SPELL, SPOT_SAMPLE_DOWN_SPELL, SPOT_SAMPLE_LIFETIME};
    int ret = spot_trace_plot_availability(trace, folder, name, diag);
    int error = spot_trace_plot_hours(trace, spot_hours_start_ms(trace), folder, name, diag);

    ret = ret != 0 ? ret : error;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        if (is_possible(trace, kinds[j])) {
            error = draw_sample(trace, kinds[j], folder, name, diag);
            ret = ret != 0 ? ret : error;
        }
    }
    return ret;
}

int spot_pictures_of_lifetimes(
    const spot_lifetimes_t *lifetimes, const char *folder, const char *name, spot_diag_t *diag)
{
    spot_sample_t sample;
    int ret = spot_sample_init_lifetimes(&sample, lifetimes);

    if (ret == 0) {
        ret = spot_trace_plot_survival(
            &(spot_fitted_sample_t){.kind = SPOT_SAMPLE_LIFETIME, .sample = &sample}, folder, name,
            diag);
    }
    spot_sample_free(&sample);
    return ret;
}

int spot_pictures_of_fit(const spot_fit_ranking_t *ranking, const spot_sample_t *sample,
    spot_sample_kind_t kind, spot_trace_kind_t trace_kind, double tick_s, const char *folder,
    const char *name, spot_diag_t *diag)
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
            laws[fitted.num_laws++] =
                (spot_labelled_law_t){ranking->fits[j].family->name, ranking->fits[j].law};
        }
    }
    ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    error = spot_trace_plot_quantiles(&fitted, folder, name, diag);
    return ret != 0 ? ret : error;
}
