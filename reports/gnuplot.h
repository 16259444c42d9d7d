/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running gnuplot as a child. A picture appears whole or not at all: gnuplot writes it
 * under a temporary name that becomes the final one when gnuplot has succeeded. */
#ifndef SPOT_REPORTS_GNUPLOT_H
#define SPOT_REPORTS_GNUPLOT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "reports/picture_format.h"

/* Writes a script to out; picture_path NULL: the picture, an SVG, goes to gnuplot's
 * standard output; else see spot_figure_begin(). Returns 0 or an error. */
typedef int (*spot_gnuplot_script_t)(
    const void *context, const char *picture_path, FILE *out);

/* Runs gnuplot on what script writes. CHILD with the reason in diag where gnuplot is
 * missing or fails, IO where the picture cannot be written, or the error of script. The
 * user's gnuplot settings are not read. */
SPOT_MUST_CHECK int spot_gnuplot_run(spot_gnuplot_script_t script, const void *context,
    const char *picture_path, spot_diag_t *diag);

/* The same into an open stream; path is what messages call the picture. */
SPOT_MUST_CHECK int spot_gnuplot_draw(spot_gnuplot_script_t script, const void *context,
    FILE *picture, const char *path, spot_diag_t *diag);

/* Both in another format than SVG: made by rsvg-convert, which keeps the layout of the
 * SVG; where that is missing or fails, by gnuplot alone, which comes near to it. */
SPOT_MUST_CHECK int spot_gnuplot_run_as(spot_gnuplot_script_t script,
    const void *context, spot_picture_format_t format, const char *picture_path,
    spot_diag_t *diag);
SPOT_MUST_CHECK int spot_gnuplot_draw_as(spot_gnuplot_script_t script,
    const void *context, spot_picture_format_t format, FILE *picture, const char *path,
    spot_diag_t *diag);

#endif
