/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on lines of a terminal, broken at blanks. Widths are in characters; escape codes
 * take no room. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Of num_bytes bytes of text. */
int spot_wrap_width(const char *text, size_t num_bytes);

/* The bytes of text that go on a line of this width: up to a blank or the end. A word
 * that is wider stays whole. *next: the bytes up to the next line. */
size_t spot_wrap_line(const char *text, int width, size_t *next);

/* Writes text, whose lines are broken where they are wider than width and go on below
 * their own first letter, or hanging blanks right of it; SPOT_WRAP_BELOW: below what
 * follows the first gap of several blanks, as in "lifetimes    12: 7 preempted", where
 * that is in the left half of the line. */
#define SPOT_WRAP_BELOW (-1)
void spot_wrap_write(FILE *out, const char *text, int width, int hanging);
