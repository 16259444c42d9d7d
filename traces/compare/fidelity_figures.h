/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples and figures of one observation. Internal to traces/compare. */
#pragma once

#include "traces/compare/fidelity.h"

/* Sets the number of values, whose contents may be undefined. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fidelity_sample_resize(
    spot_fidelity_sample_t *self, size_t num_values);

/* Fills the samples, the counts and the figures; sorts the samples. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fidelity_take_figures(
    spot_fidelity_t *self, const spot_observation_t *observation);
