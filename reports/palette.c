/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/palette.h"

#include <stdbool.h>
#include <string.h>

/* For names without a colour of their own. */
static const char *const others[] = {
    "#68b9ea", "#e8a735", "#5fb89a", "#cc79a7", "#f4df7d", "#7d9cc9", "#d55e00"};

/* Whether word stands in name between its ends or underscores. */
static bool
has_word(const char *name, const char *word)
{
    const size_t num_bytes = strlen(word);

    for (const char *place = strstr(name, word); place != NULL;
         place = strstr(place + 1, word)) {
        if ((place == name || place[-1] == '_') &&
            (place[num_bytes] == '\0' || place[num_bytes] == '_')) {
            return true;
        }
    }
    return false;
}

const char *
spot_palette_colour(const spot_colour_t *colours, const char *name, size_t place)
{
    for (; colours != NULL && colours->word != NULL; colours++) {
        if (has_word(name, colours->word)) {
            return colours->colour;
        }
    }
    return others[place % (sizeof(others) / sizeof(others[0]))];
}

const char *
spot_palette_line_colour(size_t place)
{
    static const char *const lines[SPOT_NUM_LINE_COLOURS] = {"#0072b2", "#d55e00",
        "#2f9e77", "#cc79a7", "#e0a100", "#57606a", "#56b4e9", "#7a4fa3", "#8c564b",
        "#17a2a2"};

    return lines[place % SPOT_NUM_LINE_COLOURS];
}
