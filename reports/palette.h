/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of pictures: the same category has the same colour everywhere. Based on Okabe
 * and Ito, "Color Universal Design" (2008), which is safe for colour blindness. */
#pragma once

#include <stddef.h>

#include "reports/chart/ink.h"
#include "sim/engine/metric.h"

/* The colour, "#rrggbb", of a category such as "prepping", or of a metric made from it
 * such as "prepping_fraction", by the table of the experiment. Other names get one by
 * their place in the picture. */
const char *spot_palette_colour(
    const spot_colour_t *colours, const char *name, size_t place);

/* That of the place-th of several curves: dark enough for a thin line. They come again
 * after SPOT_NUM_LINE_COLOURS. */
#define SPOT_NUM_LINE_COLOURS 10
const char *spot_palette_line_colour(size_t place);
