/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A curve as one line of text: a character a point, its height one of eight. Points are
 * as far apart as characters are, also where the numbers they belong to are not: a line
 * says how a curve goes, a picture how steep it is. */
#pragma once

#include <stddef.h>

#include "reports/table/terminal.h"

#define SPOT_SPARKLINE_CHARS 120
#define SPOT_SPARKLINE_BYTES (3 * SPOT_SPARKLINE_CHARS + 1)

/* Writes values[num_values] between low and high, which may be those of several lines:
 * at most max_chars characters, each then the mean of some points side by side. NAN is a
 * blank; where all is the same, it is in the middle. Returns text. */
const char *spot_sparkline(const double *values, size_t num_values, double low,
    double high, size_t max_chars, bool is_utf8, char text[SPOT_SPARKLINE_BYTES]);
