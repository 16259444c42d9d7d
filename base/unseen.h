/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Characters that show nothing themselves, but control how text is shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/utf8.h"

/* Whether the well-formed character of num_bytes bytes at text is one: C0 and C1
 * controls, DEL, blanks other than the plain one, marks of direction, tags. They make a
 * text look like another one, or turn around what stands behind it. */
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
