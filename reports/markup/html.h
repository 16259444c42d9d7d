/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing HTML, and the texts of SVG, to a stream: whatever comes from outside is text,
 * never markup. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text from outside, for elements and for attributes in double quotes: & < > " ' are
 * escaped; bytes that are not UTF-8, U+FFFE, U+FFFF and control characters of ASCII
 * become U+FFFD; other characters that show nothing but control how text is shown, marks
 * of direction and C1 controls, are shown as \uHHHH, without the blanks and joiners of
 * other scripts. */
void spot_html_text(FILE *out, const char *text);

/* The same of the first max_chars characters, and an ellipsis for the others. Returns
 * whether there are others. */
bool spot_html_cut(FILE *out, const char *text, size_t max_chars);

/* The same of a text of num_bytes bytes. */
void spot_html_bytes(FILE *out, const char *text, size_t num_bytes);

/* <tag>text</tag>; the tag, e.g. "th scope=\"row\"", is markup of ours. */
void spot_html_element(FILE *out, const char *tag, const char *text);
