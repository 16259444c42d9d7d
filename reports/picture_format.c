/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/picture_format.h"

#include <string.h>

#define MAX_EDGE 32 /* bytes that are looked at */

/* Blanks and ends of lines may follow the last bytes of a text. */
static const struct {
    const char *suffix;
    const char *first;
    size_t num_first;
    const char *last;
    size_t num_last;
} formats[SPOT_NUM_FORMATS] = {
    [SPOT_FORMAT_SVG] = {"svg", "<", 1, "</svg>", 6},
    [SPOT_FORMAT_PNG] = {"png", "\x89PNG\r\n\x1a\n", 8, "\0\0\0\0IEND\xae\x42\x60\x82",
        12},
    [SPOT_FORMAT_PDF] = {"pdf", "%PDF-", 5, "%%EOF", 5},
};

const char *
spot_format_suffix(spot_picture_format_t format)
{
    return formats[format].suffix;
}

bool
spot_format_is_whole(spot_picture_format_t format, FILE *drawn)
{
    const size_t num_first = formats[format].num_first;
    const size_t num_last = formats[format].num_last;
    char bytes[MAX_EDGE];
    size_t num_bytes;

    rewind(drawn);
    num_bytes = fread(bytes, 1, num_first, drawn);
    if (num_bytes < num_first || memcmp(bytes, formats[format].first, num_first) != 0 ||
        fseek(drawn, -(long) sizeof(bytes), SEEK_END) != 0) {
        return false;
    }
    num_bytes = fread(bytes, 1, sizeof(bytes), drawn);
    while (
        num_bytes > 0 && (bytes[num_bytes - 1] == ' ' || bytes[num_bytes - 1] == '\n')) {
        num_bytes--;
    }
    return num_bytes >= num_last &&
           memcmp(bytes + num_bytes - num_last, formats[format].last, num_last) == 0;
}
