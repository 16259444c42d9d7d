/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row per family: its unconstrained parameters, the starts of the search, and the
 * exact estimate if there is one. Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "traces/fit/durations.h"
#include "traces/fit/maximise.h"
#include "traces/laws/law.h"

#define SPOT_FIT_MAX_STARTS 4

typedef struct {
    const spot_family_t *family;
    spot_fit_scale_t scales[SPOT_MAXIMISE_MAX_PARAMETERS]; /* [num_parameters] */
    /* Fills the starts in theta and returns their number. */
    size_t (*starts)(const spot_durations_t *durations,
        double starts[SPOT_FIT_MAX_STARTS][SPOT_MAXIMISE_MAX_PARAMETERS]);
    /* Sets theta to the exact estimate; false: none exists for this sample. NULL: the
     * family has none. */
    bool (*exact)(const spot_durations_t *durations, double *theta);
} spot_fit_family_t;

/* The row of a family, or NULL if it cannot be fitted. */
const spot_fit_family_t *spot_fit_family_find(const spot_family_t *family);

/* Sets the parameters of a law from theta; its settings stay unchanged. */
void spot_fit_family_law(
    const spot_fit_family_t *self, const double *theta, double *parameters);
