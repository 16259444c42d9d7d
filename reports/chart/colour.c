/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIGHT 0.2 /* luminance: from there on dark texts have more contrast */
#define SEEN 0.19 /* luminance: enough upon a dark page */

static const struct {
    const char *ink;
    const char *dark;
} inks[] = {{SPOT_INK, SPOT_DARK_INK}, {SPOT_INK_LABEL, SPOT_DARK_INK_LABEL},
    {SPOT_INK_QUIET, SPOT_DARK_INK_QUIET}, {SPOT_INK_AXIS, SPOT_DARK_INK_AXIS},
    {SPOT_INK_GRID, SPOT_DARK_INK_GRID}, {SPOT_INK_BAND, "#1f3d52"}, {SPOT_INK_OTHER, "#6b747e"}};

/* Red, green and blue from 0 to 1. */
static void parse(const char *colour, double parts[3])
{
    const unsigned long bytes = strtoul(colour + 1, NULL, 16);

    for (int j = 0; j < 3; j++) {
        parts[j] = (double) (bytes >> (16 - 8 * j) & 0xffU) / 255;
    }
}

/* The relative luminance of WCAG 2. */
static double luminance_of(const double parts[3])
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    double luminance = 0;

    for (int j = 0; j < 3; j++) {
        luminance += weights[j] * (parts[j] <= 0.04045 ? parts[j] / 12.92
                                                       : pow((parts[j] + 0.055) / 1.055, 2.4));
    }
    return luminance;
}

bool spot_chart_is_light(const char *colour)
{
    double parts[3];

    parse(colour, parts);
    return luminance_of(parts) > LIGHT;
}

void spot_chart_dark(const char *colour, char dark[SPOT_CHART_COLOUR_BYTES])
{
    double parts[3];
    unsigned bytes[3];

    for (size_t j = 0; j < sizeof(inks) / sizeof(inks[0]); j++) {
        if (strcmp(colour, inks[j].ink) == 0) {
            memcpy(dark, inks[j].dark, SPOT_CHART_COLOUR_BYTES);
            return;
        }
    }
    parse(colour, parts);
    while (luminance_of(parts) < SEEN) {
        for (int j = 0; j < 3; j++) {
            parts[j] += (1 - parts[j]) / 16;
        }
    }
    for (int j = 0; j < 3; j++) {
        bytes[j] = (unsigned) (parts[j] * 255 + 0.5) & 0xffU;
    }
    snprintf(dark, SPOT_CHART_COLOUR_BYTES, "#%02x%02x%02x", bytes[0], bytes[1], bytes[2]);
}
