/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pictures the commands about traces draw with --svg. */
#ifndef SPOT_CLI_PICTURES_H
#define SPOT_CLI_PICTURES_H

#include "base/diag.h"
#include "base/error.h"
#include "traces/compare/replicate.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* The name of a file without its folder and ".csv" or ".csv.gz": that of its pictures
 * too. NULL: no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_pictures_name(const char *path);

/* Availability, hours, and the survival of gaps, spells and lifetimes. Draws on after an
 * error; returns the first one. */
SPOT_MUST_CHECK int spot_pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag);

/* The survival of lifetimes. */
SPOT_MUST_CHECK int spot_pictures_of_lifetimes(const spot_lifetimes_t *lifetimes,
    const char *folder, const char *name, spot_diag_t *diag);

/* Survival and quantiles of a sample with the laws that were fitted to it. */
SPOT_MUST_CHECK int spot_pictures_of_fit(const spot_fit_ranking_t *ranking,
    const spot_sample_t *sample, spot_sample_kind_t kind, spot_trace_kind_t trace_kind,
    double tick_s, const char *folder, const char *name, spot_diag_t *diag);

/* Both populations over time. The files are called after b and label, as in tables. */
SPOT_MUST_CHECK int spot_pictures_of_traces(const spot_trace_t *a, const spot_trace_t *b,
    const char *label, const char *folder, const char *name, spot_diag_t *diag);

/* A trace over the band of what a model makes of it. INTERRUPTED too. */
SPOT_MUST_CHECK int spot_pictures_of_model(const spot_replicate_t *replicate,
    const spot_trace_t *trace, const char *label, const char *folder, const char *name,
    spot_diag_t *diag);

#endif
