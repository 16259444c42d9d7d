/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a picture is drawn: a function declares it in a chart (base/verb/chart.h), and
 * the calls below take that function. The SVG is written here; rsvg-convert makes PNG
 * and PDF of it. A picture appears whole or not at all. The palette of all pictures is here
 * too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/verb/chart.h"
#include "sim/bench/store/head.h"

/* The colour, "#rrggbb", of a category such as "prepping", or of a metric made from it
 * such as "prepping_fraction", by the table of the experiment. Other names get one by
 * their place in the picture. */
const char *spot_palette_colour(const spot_colour_t *colours, const char *name, size_t place);

/* That of the place-th of several curves: dark enough for a thin line. They come again
 * after SPOT_NUM_LINE_COLOURS. */
#define SPOT_NUM_LINE_COLOURS 10
const char *spot_palette_line_colour(size_t place);

/* A bound, which does not compete for the best. */
bool spot_series_is_bound(const spot_study_head_t *head, size_t axis_id, size_t value_id);

/* The look of a value where each is a series of its own: colour, marker, dash. A bound
 * is quiet and dashed. */
spot_chart_series_t spot_series_look(
    const spot_study_head_t *head, size_t axis_id, size_t value_id);

typedef enum {
    SPOT_FORMAT_SVG,
    SPOT_FORMAT_PNG, /* twice the size of the SVG in pixels */
    SPOT_FORMAT_PDF,
    SPOT_NUM_FORMATS
} spot_picture_format_t;

/* "svg": what its files end in. */
const char *spot_format_suffix(spot_picture_format_t format);

/* Whether what was drawn is whole, by its first and its last bytes: programs that draw
 * take no notice of a full disk. */
bool spot_format_is_whole(spot_picture_format_t format, FILE *drawn);

/* All calls: the error of declare, NO_MEMORY, IO. Where PNG or PDF is asked for: CHILD
 * with the reason in diag if rsvg-convert is missing or fails, INTERRUPTED if spot_stop
 * is set. */

/* To a file, written under a temporary name first. path NULL: standard output. */
SPOT_MUST_CHECK int spot_draw_file(spot_declare_t declare, const void *context,
    spot_picture_format_t format, const char *path, spot_diag_t *diag);

/* Into a page: a wide and a narrow SVG, <svg class="chart wide"> and <svg class="chart
 * narrow">, of which the page shows one. They have no style of their own but that of
 * spot_chart_svg_style(). Without the title where has_title is false: the page has it as
 * its heading then. */
SPOT_MUST_CHECK int spot_draw_page(
    spot_declare_t declare, const void *context, bool has_title, FILE *out);
