/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit of a table of step times, and the table with its gaps filled. */
#pragma once

#include <stdint.h>

#include "base/diag.h"
#include "models/step_fit.h"
#include "models/step_grid.h"

/* What is given beside the table; 0, also in range: it is as the table has it. */
typedef struct {
    const char *table_path;
    int64_t num_layers;
    int64_t samples_per_step;
    int64_t micro_batch;
    spot_step_range_t range; /* of the table that is written */
} spot_step_fit_request_t;

/* Completes the settings of grid by those that are given, and fits it. BAD_INPUT: a
 * setting is missing or there are too few pairs; NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_fit_grid(const spot_step_fit_request_t *request,
    spot_step_grid_t *grid, spot_step_fit_t *fit, spot_diag_t *diag);

/* Writes the table filled by the fit. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_fit_write(const spot_step_fit_request_t *request,
    const spot_step_grid_t *grid, const spot_step_fit_t *fit, const char *path, spot_diag_t *diag);
