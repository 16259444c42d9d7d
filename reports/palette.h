/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of pictures: the same category has the same colour everywhere. Based on Okabe
 * and Ito, "Color Universal Design" (2008), which is safe for colour blindness. */
#ifndef SPOT_REPORTS_PALETTE_H
#define SPOT_REPORTS_PALETTE_H

#include <stddef.h>

#include "sim/engine/metric.h"

#define SPOT_INK "#1f2328"       /* titles, curves */
#define SPOT_INK_LABEL "#3d444d" /* labels */
#define SPOT_INK_QUIET "#6e7781" /* notes, second rows */
#define SPOT_INK_AXIS "#c4c9cf"  /* axes and leaders */
#define SPOT_INK_GRID "#e9ebee"
#define SPOT_INK_ACCENT "#0072b2" /* a curve that stands alone */
#define SPOT_INK_LOSS "#d55e00"   /* what was lost, the second of two curves */
#define SPOT_INK_BAND "#d6e6f2"   /* behind curves */
#define SPOT_INK_OTHER "#aab1b8"  /* curves that are not the point */

/* The colour, "#rrggbb", of a category such as "prepping", or of a metric made from it
 * such as "prepping_fraction", by the table of the experiment. Other names get one by
 * their place in the picture. */
const char *spot_palette_colour(
    const spot_colour_t *colours, const char *name, size_t place);

/* That of the place-th of several curves: dark enough for a thin line. They come again
 * after SPOT_NUM_LINE_COLOURS. */
#define SPOT_NUM_LINE_COLOURS 10
const char *spot_palette_line_colour(size_t place);

#endif
