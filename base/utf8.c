/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include <string.h>

static bool is_between(unsigned char byte, unsigned low, unsigned high)
{
    return byte >= low && byte <= high;
}

size_t spot_utf8_length(const char *text, size_t num_bytes)
{
    const unsigned char *byte = (const unsigned char *) text;
    size_t length;
    unsigned low = 0x80, high = 0xbf; /* of the second byte */

    if (num_bytes == 0) {
        return 0;
    }
    if (byte[0] < 0x80) {
        return 1;
    }
    if (is_between(byte[0], 0xc2, 0xdf)) {
        length = 2;
    } else if (is_between(byte[0], 0xe0, 0xef)) {
        length = 3;
        low = byte[0] == 0xe0 ? 0xa0 : low;
        high = byte[0] == 0xed ? 0x9f : high;
    } else if (is_between(byte[0], 0xf0, 0xf4)) {
        length = 4;
        low = byte[0] == 0xf0 ? 0x90 : low;
        high = byte[0] == 0xf4 ? 0x8f : high;
    } else {
        return 0;
    }
    if (num_bytes < length || !is_between(byte[1], low, high)) {
        return 0;
    }
    for (size_t j = 2; j < length; j++) {
        if (!is_between(byte[j], 0x80, 0xbf)) {
            return 0;
        }
    }
    return length;
}

size_t spot_utf8_count(const char *text, size_t num_bytes)
{
    size_t num_characters = 0;

    for (size_t j = 0; j < num_bytes; j++) {
        num_characters += ((unsigned char) text[j] & 0xc0) != 0x80;
    }
    return num_characters;
}

/* U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: no more than 3 bytes. */
size_t spot_utf8_encode(unsigned code_point, char character[4])
{
    static const unsigned heads[] = {0, 0xC0, 0xE0, 0xF0};
    const size_t num_more = code_point < 0x80      ? 0
                            : code_point < 0x800   ? 1
                            : code_point < 0x10000 ? 2
                                                   : 3;

    character[0] = (char) (heads[num_more] | code_point >> 6 * num_more);
    for (size_t j = 1; j <= num_more; j++) {
        character[j] = (char) (0x80 | (code_point >> 6 * (num_more - j) & 0x3F));
    }
    return num_more + 1;
}

bool spot_utf8_is_layout(const char *character, size_t num_bytes)
{
    const unsigned char *byte = (const unsigned char *) character;

    if (num_bytes == 2) {
        return byte[0] == 0xd8 && byte[1] == 0x9c;
    }
    if (num_bytes != 3 || byte[0] != 0xe2) {
        return false;
    }
    return (byte[1] == 0x80 &&
               (is_between(byte[2], 0x8e, 0x8f) || is_between(byte[2], 0xa8, 0xae))) ||
           (byte[1] == 0x81 && is_between(byte[2], 0xa6, 0xa9));
}

void spot_utf8_cut(char *text, size_t max_chars)
{
    size_t num_chars = 0;
    char *last = text; /* the character that makes room for the ellipsis */

    for (char *byte = text; *byte != '\0'; byte++) {
        if (((unsigned char) *byte & 0xc0) != 0x80) {
            num_chars++;
            last = num_chars == max_chars ? byte : last;
        }
        if (num_chars > max_chars) {
            strcpy(last, "…");
            return;
        }
    }
}

unsigned spot_utf8_code_point(const char *character, size_t num_bytes)
{
    const unsigned char *byte = (const unsigned char *) character;
    unsigned number = num_bytes == 1 ? byte[0] : byte[0] & (0x7fU >> num_bytes);

    for (size_t j = 1; j < num_bytes; j++) {
        number = number << 6 | (byte[j] & 0x3fU);
    }
    return number;
}

/* C0, DEL, and the C1 controls U+0080 to U+009F. */
static bool is_control(const unsigned char *byte)
{
    return byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] < 0xa0);
}

void spot_utf8_show_next(const char **text, char shown[SPOT_UTF8_SHOWN_CHAR_BYTES])
{
    const unsigned char *byte = (const unsigned char *) *text;
    const size_t length = spot_utf8_length(*text, strnlen(*text, 4));
    char *end = shown;

    *shown = '\0';
    if (*byte == '\0') {
        return;
    }
    if (length == 0 || is_control(byte)) {
        for (size_t k = 0; k == 0 || k < length; k++) {
            end += sprintf(end, "\\x%02x", byte[k]);
        }
    } else if (spot_utf8_is_layout(*text, length)) {
        sprintf(shown, "\\u%04x", spot_utf8_code_point(*text, length));
    } else {
        memcpy(shown, *text, length);
        shown[length] = '\0';
    }
    *text += length == 0 ? 1 : length;
}

const char *spot_utf8_shown(const char *text, char shown[SPOT_UTF8_SHOWN_BYTES])
{
    char *end = shown;

    for (int j = 0; j < SPOT_UTF8_SHOWN_CHARS; j++) {
        char character[SPOT_UTF8_SHOWN_CHAR_BYTES];

        spot_utf8_show_next(&text, character);
        end = stpcpy(end, character);
    }
    strcpy(end, *text == '\0' ? "" : "...");
    return shown;
}

/* The bytes of the sequence at text, which begins with ESC; 0: it is none, or is cut off. */
static size_t sequence_length(const char *text, size_t num_bytes)
{
    const bool is_link = num_bytes > 1 && text[1] == ']';
    size_t j = 2;

    if (num_bytes < 3 || (text[1] != '[' && !is_link)) {
        return 0;
    }
    while (j < num_bytes &&
           (is_link ? text[j] != '\a' && text[j] != '\x1b' : text[j] >= 0x20 && text[j] < 0x40)) {
        j++;
    }
    if (is_link) {
        j += j + 1 < num_bytes && text[j] == '\x1b' && text[j + 1] == '\\';
        return j < num_bytes && (text[j] == '\a' || text[j] == '\\') ? j + 1 : 0;
    }
    return j < num_bytes && text[j] >= 0x40 && text[j] < 0x7f ? j + 1 : 0;
}

size_t spot_utf8_uncolour(char *text, size_t num_bytes)
{
    size_t num_left = 0;

    for (size_t j = 0; j < num_bytes;) {
        const size_t length = text[j] == '\x1b' ? sequence_length(text + j, num_bytes - j) : 0;

        if (length == 0) {
            text[num_left++] = text[j];
        }
        j += length == 0 ? 1 : length;
    }
    return num_left;
}

void spot_utf8_print(FILE *out, const char *text)
{
    while (*text != '\0') {
        char character[SPOT_UTF8_SHOWN_CHAR_BYTES];

        spot_utf8_show_next(&text, character);
        fputs(character, out);
    }
}
