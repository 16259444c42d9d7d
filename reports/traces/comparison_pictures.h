/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pictures trace compare draws with --svg. All calls draw on after an error and
 * return the first one; files are called NAME-WHAT or NAME-LABEL-WHAT. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "traces/compare/comparison.h"
#include "traces/trace.h"

/* Where they go to. */
typedef struct {
    const char *folder;
    const char *name;  /* of the trace that the others are held against */
    const char *label; /* of what is held against it */
} spot_picture_place_t;

/* How far all columns are from the trace beside its halves (WHAT distances), and how
 * many standard errors models are from a reference, if they have one (WHAT reference).
 */
SPOT_MUST_CHECK int spot_pictures_of_comparison(const spot_comparison_t *comparison,
    const char *folder, const char *name, spot_diag_t *diag);

/* Instances over time and gaps of the second half over those of the first. */
SPOT_MUST_CHECK int spot_pictures_of_halves(const spot_comparison_t *comparison,
    const char *folder, const char *name, spot_diag_t *diag);

/* Those of other over those of trace, the one of the comparison. */
SPOT_MUST_CHECK int spot_pictures_of_other(const spot_comparison_t *comparison,
    const spot_trace_t *trace, const spot_trace_t *other,
    const spot_picture_place_t *place, spot_diag_t *diag);

/* Those of trace over the bands of what a model makes of it. INTERRUPTED too. */
SPOT_MUST_CHECK int spot_pictures_of_model(const spot_comparison_t *comparison,
    const spot_replicate_t *replicate, const spot_trace_t *trace,
    const spot_picture_place_t *place, spot_diag_t *diag);
