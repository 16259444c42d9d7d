/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where commands draw to with --svg, and which pictures there are of a trace. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* Checks before long work that pictures can be written to the folder of an option such
 * as "--svg", or that the folder can be made. folder NULL: there are no pictures.
 * BAD_INPUT with the reason in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_pictures_check(const char *option, const char *folder, spot_diag_t *diag);

/* The name of a file without its folder and ".csv" or ".csv.gz": that of its pictures
 * too. */
const char *spot_pictures_name(spot_texts_t *texts, const char *path);

/* Availability, hours, and the survival of gaps, spells and lifetimes. Draws on after an
 * error; returns the first one. */
SPOT_MUST_CHECK int spot_pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag);

/* The survival of lifetimes. */
SPOT_MUST_CHECK int spot_pictures_of_lifetimes(
    const spot_lifetimes_t *lifetimes, const char *folder, const char *name, spot_diag_t *diag);

/* Survival and quantiles of a sample with the laws that were fitted to it. */
SPOT_MUST_CHECK int spot_pictures_of_fit(const spot_fit_ranking_t *ranking,
    const spot_sample_t *sample, spot_sample_kind_t kind, spot_trace_kind_t trace_kind,
    double tick_s, const char *folder, const char *name, spot_diag_t *diag);
