/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that cannot run, in words: one sentence for each reason. */
#ifndef SPOT_REPORTS_UNABLE_H
#define SPOT_REPORTS_UNABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/store/head.h"

#define SPOT_UNABLE_BYTES 1536

/* Writes to text, without a period: "12 of 120 points (recovery bamboo) cannot run:
 * ...". *kind_id is where to look from, 0 at first, and then that of the next sentence.
 * Returns false where there is no further one. O(points * axes). */
bool spot_unable_next(
    const spot_study_head_t *head, size_t *kind_id, char text[SPOT_UNABLE_BYTES]);

#endif
