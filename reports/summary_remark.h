/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a figure must say beside itself. */
#pragma once

#include "sim/analysis/summary.h"

#define SPOT_REMARK_BYTES 160

/* "of 563 of 1000", "437 of 1000 cut off", "> 432000", "heavy tail", or several, with
 * ";" between them; "" for nothing. Returns text. */
const char *spot_summary_remark(
    const spot_summary_t *summary, char text[SPOT_REMARK_BYTES]);
