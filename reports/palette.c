/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/palette.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *category;
    const char *colour;
} categories[] = {
    {"useful", "#5fb89a"},
    {"goodput", "#5fb89a"},
    {"training", "#5fb89a"},
    {"unsaved", "#b5dccd"},
    {"redundant", "#7d9cc9"},
    {"lost", "#d55e00"},
    {"stalled", "#cc79a7"},
    {"reloading", "#f4df7d"},
    {"reconfiguring", "#e8a735"},
    {"standby", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"waiting", "#8b949e"},
    {"preempted", "#d55e00"},
    {"added", "#0072b2"},
    {"stopped", "#8b949e"},
    {"rolled back", "#57606a"},
};

/* For names of other engines. */
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
spot_palette_colour(const char *name, size_t place)
{
    for (size_t j = 0; j < sizeof(categories) / sizeof(categories[0]); j++) {
        if (has_word(name, categories[j].category)) {
            return categories[j].colour;
        }
    }
    return others[place % (sizeof(others) / sizeof(others[0]))];
}
