/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each family is fitted: its unconstrained parameters, where the search starts, and
 * the exact estimate where there is one. Internal to the room. */
#ifndef SPOT_TRACES_FIT_FIT_FAMILIES_H
#define SPOT_TRACES_FIT_FIT_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/fit/durations.h"
#include "traces/fit/maximise.h"
#include "traces/fit/scale.h"
#include "traces/laws/law.h"

#define SPOT_FIT_MAX_STARTS 4

typedef struct {
    const spot_family_t *family;
    spot_scale_t scales[SPOT_MAXIMISE_MAX_PARAMETERS]; /* [num_parameters] */
    /* Fills the starts in theta and returns their number. */
    size_t (*starts)(const spot_durations_t *durations,
        double starts[SPOT_FIT_MAX_STARTS][SPOT_MAXIMISE_MAX_PARAMETERS]);
    /* The estimate itself in theta; false: there is none for such a sample. NULL: never.
     */
    bool (*exact)(const spot_durations_t *durations, double *theta);
} spot_fit_family_t;

/* The row of a family, or NULL: it is not fitted. */
const spot_fit_family_t *spot_fit_family_find(const spot_family_t *family);

/* Parameters of a law from theta; settings stay. */
void spot_fit_family_law(
    const spot_fit_family_t *self, const double *theta, double *parameters);

#endif
