/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks UTF-8, and makes text from outside safe to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the well-formed character at text (1-4); 0 if there is none within num_bytes.
 * The Unicode Standard, table 3-7: no overlong forms, no surrogates, at most
 * U+10FFFF. */
size_t spot_utf8_length(const char *text, size_t num_bytes);

/* Number of characters in num_bytes bytes of well-formed text. */
size_t spot_utf8_count(const char *text, size_t num_bytes);

/* Cuts a text to max_chars characters, the last one then an ellipsis. text has room for
 * four more bytes. */
void spot_utf8_cut(char *text, size_t max_chars);

/* The code point of a well-formed character of num_bytes bytes. */
unsigned spot_utf8_code_point(const char *character, size_t num_bytes);

/* Whether the character of num_bytes bytes is invisible but moves others: marks of
 * direction, line and paragraph separators. With it a text from outside could look like
 * another one, or reorder the text beside it. */
bool spot_utf8_is_layout(const char *character, size_t num_bytes);

/* Writes a text from outside as messages show it: control characters and bytes that are
 * not UTF-8 as \xHH, layout characters as \uHHHH, "..." after 40 characters. Returns
 * shown. */
#define SPOT_UTF8_SHOWN_CHARS 40
#define SPOT_UTF8_SHOWN_BYTES 328
const char *spot_utf8_shown(const char *text, char shown[SPOT_UTF8_SHOWN_BYTES]);

/* Writes all of a text from outside in that form. */
void spot_utf8_print(FILE *out, const char *text);

/* The same for one character, which *text is moved behind; at its end shown is "". */
#define SPOT_UTF8_SHOWN_CHAR_BYTES 17
void spot_utf8_show_next(const char **text, char shown[SPOT_UTF8_SHOWN_CHAR_BYTES]);
