/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures that trace compare draws with --svg. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "traces/compare/comparison.h"

/* Draws how far all columns are from the trace beside its halves (NAME-distances), how
 * many standard errors models are from a reference, if they have one (NAME-reference),
 * and of each model or other trace, or of the halves, instances over time and gaps
 * (NAME-LABEL-WHAT). name: of the trace that the others are held against; watch: of
 * replications. Draws on after an error and returns the first one; IO, NO_MEMORY,
 * INTERRUPTED, OVERDRAW. */
SPOT_MUST_CHECK int spot_pictures_of_comparison(const spot_comparison_t *comparison,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const char *folder, const char *name, const spot_watch_t *watch, spot_diag_t *diag);
