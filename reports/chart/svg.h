/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chart as SVG: a document of its own, or a part of a page. */
#pragma once

#include <stdio.h>

#include "base/verb/chart.h"

/* A document with its style, on white. width_px: SPOT_CHART_WIDE_PX or another one.
 * NO_MEMORY, IO, or the error of the declaration. */
SPOT_MUST_CHECK int spot_chart_svg(spot_chart_t *self, double width_px, FILE *out);

/* A part of a page, of class "chart wide" or "chart narrow" by its width, which takes
 * its style from spot_chart_svg_style(). has_title: else its title stands in the page.
 */
SPOT_MUST_CHECK int spot_chart_svg_inline(
    spot_chart_t *self, double width_px, bool has_title, FILE *out);

/* The CSS of the parts that stand in markup, the num_bytes bytes of a page. Its colours
 * follow the reader's preference, dark or light, and paper is always light: each colour
 * that a part has gets a rule with its counterpart, so no element has a style of its
 * own. NO_MEMORY. O(num_bytes) */
SPOT_MUST_CHECK int spot_chart_svg_style(const char *markup, size_t num_bytes, FILE *out);
