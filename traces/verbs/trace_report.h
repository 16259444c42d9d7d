/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown of a trace: its figures as text, and which pictures there are of a trace, of a fit
 * and of a comparison.
 *
 * Pictures go to a folder that an option names, which the program checks before long work. The
 * calls below write all pictures that can be drawn. Each is described in trace_picture.h. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/verb/output.h"
#include "traces/compare/comparison.h"
#include "traces/describe/describe.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* ---- Figures as text ---- */

/* Prints the figures in groups, some ten lines. For kind availability the labels speak
 * of obtainable instances, as nothing ran. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_describe_print(
    const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out);

/* ---- Pictures of a trace and of a fit ---- */

/* The name of a file without its folder and ".csv" or ".csv.gz": that of its pictures
 * too. */
const char *spot_pictures_name(spot_texts_t *texts, const char *path);

/* ---- Pictures of a comparison ---- */

/* WHAT "distances": how far all columns are from the trace beside its halves. Columns:
 * row, series, value, half_width. No value at all cannot be drawn. */
SPOT_MUST_CHECK int spot_trace_plot_distances(
    const spot_comparison_t *comparison, const char *folder, const char *name, spot_diag_t *diag);

/* WHAT "reference": how many standard errors the means of models are from those of a
 * reference, with the same columns; nothing where there is no reference. */
SPOT_MUST_CHECK int spot_trace_plot_reference(
    const spot_comparison_t *comparison, const char *folder, const char *name, spot_diag_t *diag);
