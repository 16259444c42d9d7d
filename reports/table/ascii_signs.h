/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs of ours in ASCII, for terminals without UTF-8. */
#pragma once

/* "0.31 ±0.02" becomes "0.31+-0.02", and "a long na…   1" "a long na... 1": in place,
 * as wide as before where blanks follow, so that columns stay in line. Any other "±"
 * becomes "+-", "…" "..." and "·" "-", whoever wrote it: nothing but blanks is taken
 * away. What else is not ASCII is from outside, and stays. O(bytes). */
void spot_ascii_signs(char *text);
