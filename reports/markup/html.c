/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/markup/html.h"

#include <string.h>

#include "base/utf8.h"

static const char *entity(char byte)
{
    switch (byte) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return NULL;
    }
}

/* Blanks that do not break and the joiners of letters, which French, Persian and Hindi
 * are written with: U+00A0, U+2000 to U+200A, U+200C, U+200D, U+202F. */
static bool is_writing(const char *text, size_t num_bytes)
{
    const unsigned char *bytes = (const unsigned char *) text;

    if (num_bytes == 2) {
        return bytes[0] == 0xc2 && bytes[1] == 0xa0;
    }
    return num_bytes == 3 && bytes[0] == 0xe2 && bytes[1] == 0x80 &&
           (bytes[2] <= 0x8a || bytes[2] == 0x8c || bytes[2] == 0x8d || bytes[2] == 0xaf);
}

/* The element sees to the ends of lines; whatever else is not seen is to be known by its
 * number. */
static bool is_numbered(const char *text, size_t num_bytes)
{
    return num_bytes > 1 && spot_is_unseen(text, num_bytes) && !is_writing(text, num_bytes);
}

static bool is_control(unsigned char byte)
{
    return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
}

/* U+FFFE and U+FFFF, which XML has no place for. */
static bool is_no_character(const char *text, size_t num_bytes)
{
    return num_bytes == 3 && (spot_utf8_code_point(text, num_bytes) & 0xfffeU) == 0xfffeU;
}

void spot_html_bytes(FILE *out, const char *text, size_t num_bytes)
{
    while (num_bytes > 0) {
        const size_t length = spot_utf8_length(text, num_bytes);
        const char *escape = entity(*text);

        if (length == 0 || (length == 1 && is_control((unsigned char) *text)) ||
            is_no_character(text, length)) {
            fputs("\xef\xbf\xbd", out);
        } else if (is_numbered(text, length)) {
            fprintf(out, "\\u%04x", spot_utf8_code_point(text, length));
        } else if (escape != NULL) {
            fputs(escape, out);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length == 0 ? 1 : length;
        num_bytes -= length == 0 ? 1 : length;
    }
}

bool spot_html_cut(FILE *out, const char *text, size_t max_chars)
{
    const size_t num_bytes = strlen(text);
    size_t num_kept = 0;

    for (size_t j = 0; j < max_chars && num_kept < num_bytes; j++) {
        const size_t length = spot_utf8_length(text + num_kept, num_bytes - num_kept);

        num_kept += length == 0 ? 1 : length;
    }
    spot_html_bytes(out, text, num_kept);
    fputs(num_kept < num_bytes ? "\xe2\x80\xa6" : "", out);
    return num_kept < num_bytes;
}

void spot_html_text(FILE *out, const char *text)
{
    spot_html_bytes(out, text, strlen(text));
}

void spot_html_element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    spot_html_text(out, text);
    fprintf(out, "</%.*s>", (int) strcspn(tag, " "), tag);
}
