/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours and looks of pictures: the same category has the same colour everywhere, and a
 * value of a key looks the same in all pictures of a study. Based on Okabe and Ito,
 * "Color Universal Design" (2008), which is safe for colour blindness. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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

/* The key whose values have looks of their own: that of the curves, else of the
 * baseline, else the first one without numbers; num_axes: none. */
size_t spot_series_axis(const spot_study_head_t *head);

/* A bound, which does not compete for the best. */
bool spot_series_is_bound(const spot_study_head_t *head, size_t axis_id, size_t value_id);

/* The look of a value where each is a series of its own: colour, marker, dash. A bound
 * is quiet and dashed. */
spot_chart_series_t spot_series_look(
    const spot_study_head_t *head, size_t axis_id, size_t value_id);
