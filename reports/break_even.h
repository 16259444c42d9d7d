/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far winners are from losing, in words. */
#pragma once

#include <stdio.h>

#include "sim/analysis/winners.h"

/* "trace.frequency = 8: oobleck stays ahead of varuna while recovery.regroup is below 77
 * s (75.7 to 78.9); it is 2 s", without an end of line. */
void spot_break_even_write(
    const spot_winners_t *winners, const spot_break_even_t *item, FILE *out);

/* The one that is nearest to the value that its winner has, as a ratio; NULL: none was
 * found. O(winners * keys * break-evens). */
const spot_break_even_t *spot_break_even_nearest(const spot_winners_t *winners);

/* Writes all of them, each after before and with an end of line; or, where the study
 * asks for them and the store has none of its rows, what to do. */
void spot_break_evens_write(
    const spot_winners_t *winners, const char *before, FILE *out);
