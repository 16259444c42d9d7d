/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What colours become in the dark. Internal to the room. */
#pragma once

#include <stdbool.h>

#define SPOT_CHART_COLOUR_BYTES 8

/* Whether a text upon "#rrggbb" is dark. */
bool spot_chart_is_light(const char *colour);

/* "#rrggbb" on a dark page: inks have their counterparts there, and what
 * is too dark is mixed with white. */
void spot_chart_dark(const char *colour, char dark[SPOT_CHART_COLOUR_BYTES]);
