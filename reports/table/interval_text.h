/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mean and its interval as text. */
#pragma once

#define SPOT_INTERVAL_BYTES 336 /* the longest number, and what stands beside it */

/* "3313 ±117": two digits of half the width tell how many of the mean are shown.
 * "3313.2" where half_width is not above 0 (NAN: there is none). Returns text. */
const char *spot_interval_text(
    double mean, double half_width, char text[SPOT_INTERVAL_BYTES]);
