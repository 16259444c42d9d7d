/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture can be as a file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef enum {
    SPOT_FORMAT_SVG,
    SPOT_FORMAT_PNG, /* twice the size of the SVG in pixels */
    SPOT_FORMAT_PDF,
    SPOT_NUM_FORMATS
} spot_picture_format_t;

/* "svg": what its files end in. */
const char *spot_format_suffix(spot_picture_format_t format);

/* Whether what was drawn is whole, by its first and its last bytes: programs that draw
 * take no notice of a full disk. */
bool spot_format_is_whole(spot_picture_format_t format, FILE *drawn);
