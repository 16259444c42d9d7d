/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_fit_file.h"

#include "base/outfile.h"
#include "base/units.h"

/* A setting is of the command line, else of the table's header. */
static int settle(int64_t given, int64_t *setting, const char *key, const char *option,
    const spot_step_fit_request_t *request, spot_diag_t *diag)
{
    if (given > 0) {
        *setting = given;
    }
    if (*setting > 0) {
        return 0;
    }
    return spot_diag_error(diag, request->table_path, 0, 0,
        "no \"# %s: N\" above the columns: expected it, or %s N", key, option);
}

static int settle_all(
    const spot_step_fit_request_t *request, spot_step_grid_t *grid, spot_diag_t *diag)
{
    const int errors[] = {
        settle(request->num_layers, &grid->num_layers, "layers", "--layers", request, diag),
        settle(request->samples_per_step, &grid->samples_per_step, "samples_per_step",
            "--samples-per-step", request, diag),
        settle(request->micro_batch, &grid->micro_batch, "micro_batch", "--micro-batch", request,
            diag),
    };

    return spot_error_first(spot_error_first(errors[0], errors[1]), errors[2]);
}

int spot_step_fit_grid(const spot_step_fit_request_t *request, spot_step_grid_t *grid,
    spot_step_fit_t *fit, spot_diag_t *diag)
{
    int ret = settle_all(request, grid, diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_step_fit(fit, grid);
    if (ret == SPOT_ERR_BAD_PARAM) {
        return spot_diag_error(diag, request->table_path, 0, 0,
            "%zu measured or estimated pairs: expected at least %d", fit->num_pairs,
            SPOT_STEP_FIT_MIN_PAIRS);
    }
    if (ret == 0 && fit->num_estimated > 0) {
        spot_diag_warn(diag, request->table_path, 0, 0,
            "%zu of %zu pairs are estimated: no measurement is behind the formula there",
            fit->num_estimated, fit->num_pairs);
    }
    if (ret == 0 && !fit->is_determined) {
        spot_diag_warn(diag, request->table_path, 0, 0,
            "the pairs do not tell the terms of the formula apart (are there several D "
            "and several P?): other D and P than theirs may be far off");
    }
    return ret;
}

/* What the command line leaves open is as the table has it. */
static spot_step_range_t range_to_fill(
    const spot_step_fit_request_t *request, const spot_step_grid_t *grid)
{
    spot_step_range_t range = spot_step_grid_range(grid);
    const spot_step_range_t *given = &request->range;

    if (given->max_pipelines > 0) {
        range.min_pipelines = given->min_pipelines;
        range.max_pipelines = given->max_pipelines;
    }
    if (given->max_depth > 0) {
        range.min_depth = given->min_depth;
        range.max_depth = given->max_depth;
    }
    if (given->max_instances > 0) {
        range.max_instances = given->max_instances;
    }
    if (range.max_instances > SPOT_MAX_INSTANCES) {
        range.max_instances = SPOT_MAX_INSTANCES;
    }
    return range;
}

int spot_step_fit_write(const spot_step_fit_request_t *request, const spot_step_grid_t *grid,
    const spot_step_fit_t *fit, const char *path, spot_diag_t *diag)
{
    static const char *const remarks[] = {"spotsim model fit: step times as given, and "
                                          "fitted ones for pairs that are missing",
        NULL};
    const spot_step_range_t range = range_to_fill(request, grid);
    spot_step_grid_t full;
    spot_outfile_t file;
    int ret = spot_step_fit_fill(fit, grid, &range, &full);

    if (ret == 0) {
        ret = spot_outfile_init(&file, path, diag);
        if (ret == 0) {
            spot_step_grid_write(&full, remarks, file.stream);
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_step_grid_free(&full);
    return ret;
}
