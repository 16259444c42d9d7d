/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubles as decimal text and back, the one place of the project that does it in bulk: rows of a
 * store on their way out, logs on their way in. The bytes of the text and the value that is read
 * are those of printf and strtod of the GNU C library in the locale C, at a fraction of their
 * time. Owns nothing; all functions can be called from any thread.
 *
 *     char text[SPOT_NUMBER_TEXT_BYTES];
 *     spot_number_text(0.1 + 0.2, text);           "0.30000000000000004"
 *     end = spot_number_read("1.5e3 s", &value);   1500, end is at " s"
 *
 * Writing is Schubfach (Giulietti, "The Schubfach way to render doubles", 2022), reading is the
 * method of Eisel and Lemire (Lemire, "Number parsing at a gigabyte per second", Software:
 * Practice and Experience 51, 2021); both share a table of powers of ten. The rare number that a
 * method cannot decide goes to printf or strtod. std::to_chars and std::from_chars were tried and
 * are as fast: docs/developers.md has the figures and says why they are not used. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Writes the shortest of %.15g, %.16g and %.17g that reads back as the same double. Returns its
 * length. */
#define SPOT_NUMBER_TEXT_BYTES 32
size_t spot_number_text(double value, char text[SPOT_NUMBER_TEXT_BYTES]);

/* The end of the decimal number at the start of text, as long as possible; NULL: none.
 * Its form is [-+]digits[.digits][e[-+]digits] or [-+].digits[e[-+]digits]. */
const char *spot_number_end(const char *text);

/* The same, and sets *value to the double nearest to it, ties to even: infinite above DBL_MAX, -0
 * for "-0". Without a number *value stays. */
const char *spot_number_read(const char *text, double *value);

/* A strict decimal number of that form, nothing before or after it, finite. -0 is read
 * as 0. BAD_INPUT. */
SPOT_MUST_CHECK int spot_number_parse(const char *text, double *value);

/* A strict decimal integer: [-+]digits, no leading zeros, within int64_t. BAD_INPUT. */
SPOT_MUST_CHECK int spot_integer_parse(const char *text, int64_t *value);
