/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a trace as text for a terminal. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/texts.h"
#include "reports/table/terminal.h"
#include "traces/compare/comparison.h"
#include "traces/describe/describe.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* Prints the figures in groups, some ten lines. For kind availability the labels speak
 * of obtainable instances, as nothing ran. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_describe_print(
    const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out);

/* ---- Comparison table ---- */

/* How near models come to a recorded trace, as tables for a terminal. */

/* The figures of the trace, its halves and the models; their distances to it; and how
 * much nearer each model is than the one of the seed study. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out);

/* ---- Trace pictures ---- */

/* Where commands draw to with --svg, and which pictures there are of a trace. */

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

/* ---- Comparison pictures ---- */

/* The pictures that trace compare draws with --svg. */

/* Draws how far all columns are from the trace beside its halves (NAME-distances), how
 * many standard errors models are from a reference, if they have one (NAME-reference),
 * and of each model or other trace, or of the halves, instances over time and gaps
 * (NAME-LABEL-WHAT). name: of the trace that the others are held against; watch: of
 * replications. Draws on after an error and returns the first one; IO, NO_MEMORY,
 * INTERRUPTED, OVERDRAW. */
SPOT_MUST_CHECK int spot_pictures_of_comparison(const spot_comparison_t *comparison,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const char *folder, const char *name, const spot_watch_t *watch, spot_diag_t *diag);
