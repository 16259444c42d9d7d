/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of one run: instances over time, stacked by what they do, with losses,
 * additions and pauses visible, and the progress curve below. */
#ifndef SPOT_REPORTS_TIMELINE_PLOT_H
#define SPOT_REPORTS_TIMELINE_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "sim/engine/timeline.h"

/* Draws to svg_path with gnuplot. More than a few thousand segments are thinned to bins
 * that keep every category's share of time. CHILD with the reason in diag. */
SPOT_MUST_CHECK int spot_timeline_plot(
    const spot_timeline_t *timeline, const char *svg_path, spot_diag_t *diag);

SPOT_MUST_CHECK int spot_timeline_plot_script(
    const spot_timeline_t *timeline, const char *svg_path, FILE *out);

#endif
