/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How a key ends, and the unit that this says. The longer ending comes first. */
static const char *const endings[][2] = {
    {"usd_per_h", "USD/h"},
    {"bytes_per_s", "bytes/s"},
    {"per_minute", "1/min"},
    {"per_hour", "1/h"},
    {"per_h", "1/h"},
    {"bytes", "bytes"},
    {"gbps", "Gbit/s"},
    {"ms", "ms"},
    {"s", "s"},
};

/* "mean_s" ends with the word s, "samples" does not. */
static bool
ends_with_word(const char *key, const char *word)
{
    const size_t num_bytes = strlen(key), word_bytes = strlen(word);
    const char *place = key + num_bytes - word_bytes;

    return num_bytes >= word_bytes && strcmp(place, word) == 0 &&
           (place == key || place[-1] == '_' || place[-1] == '.');
}

static const char *
unit_of_number(const char *path)
{
    for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
        if (ends_with_word(path, endings[j][0])) {
            return endings[j][1];
        }
    }
    return strstr(path, ".price.") != NULL || ends_with_word(path, "price") ? "USD/h"
                                                                            : "";
}

const char *
spot_key_unit(const char *path, const char *text, size_t *num_bytes)
{
    char *end;

    (void) strtod(text, &end);
    *num_bytes = strlen(text);
    if (end == text) {
        return "";
    }
    if (*end == '\0') {
        return unit_of_number(path);
    }
    if (*end != ' ' || strlen(end + 1) > 8 || strpbrk(end + 1, " ,:{}[]\"'") != NULL) {
        return "";
    }
    *num_bytes = (size_t) (end - text);
    return end + 1;
}
