/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that a running job takes off by the second: the closed form of a loop that
 * subtracts a rate from a double once a second. The result has the bits of the loop.
 * Work and rates are whole thousandths of a second, which doubles hold exactly, or, in
 * the compatible mode, seconds that are rounded in every subtraction. */
#pragma once

#include <stdint.h>

/* work - rate - rate ..., num_seconds times. rate > 0. O(octaves of the result). */
double spot_work_after(double work, double rate, int64_t num_seconds);

/* After how many subtractions the work is 0 or below. O(octaves of work / rate). */
int64_t spot_work_seconds(double work, double rate);
