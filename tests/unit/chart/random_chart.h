/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts of all that a declaration can have, at random, for tests. */
#pragma once

#include "base/verb/chart.h"

/* The same for the same seed. */
void random_chart_declare(spot_chart_t *chart, unsigned seed);

/* The whole SVG of a width, or NULL where the declaration fails; the caller frees. */
char *random_chart_svg(unsigned seed, double width_px, bool is_inline);
