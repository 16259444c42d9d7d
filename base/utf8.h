/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Characters in UTF-8: their length, number and kind, and texts from outside made safe to
 * show. Whatever the program prints that a file, an option or another machine has said
 * goes through spot_utf8_shown() or spot_utf8_print(). */
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

/* Writes a code point. Returns its bytes, 1 to 4. */
size_t spot_utf8_encode(unsigned code_point, char character[4]);

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

/* Takes the colours and links of terminals off a text, in place: ESC [ ... letter, and ESC ] ...
 * BEL or ESC \ (ECMA-48). A sequence that is cut off stays. Returns the bytes that are left. */
size_t spot_utf8_uncolour(char *text, size_t num_bytes);

/* Writes all of a text from outside in that form. */
void spot_utf8_print(FILE *out, const char *text);

/* The same for one character, which *text is moved behind; at its end shown is "". */
#define SPOT_UTF8_SHOWN_CHAR_BYTES 17
void spot_utf8_show_next(const char **text, char shown[SPOT_UTF8_SHOWN_CHAR_BYTES]);

/* Whether the well-formed character of num_bytes bytes at text shows nothing itself, but
 * controls how text is shown: C0 and C1 controls, DEL, blanks other than the plain one, marks of
 * direction, tags. They make a text look like another one, or turn around what stands behind it. */
static inline bool spot_is_unseen(const char *text, size_t num_bytes)
{
    const unsigned char *bytes = (const unsigned char *) text;

    if (spot_utf8_is_layout(text, num_bytes)) {
        return true;
    }
    if (num_bytes == 1) {
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    }
    if (num_bytes == 2) {
        return bytes[0] == 0xc2 && (bytes[1] <= 0xa0 || bytes[1] == 0xad);
    }
    if (num_bytes != 3) {
        return num_bytes == 4 && bytes[0] == 0xf3; /* tags and variation selectors */
    }
    if (bytes[0] == 0xe2 && bytes[1] == 0x80) {
        return bytes[2] <= 0x8d || bytes[2] == 0xaf;
    }
    return (bytes[0] == 0xe2 && bytes[1] == 0x81 && bytes[2] >= 0x9f) ||
           (bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf);
}
