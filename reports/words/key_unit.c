/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How a key ends, and the unit that this says. The longer ending comes first. */
static const char *const endings[][2] = {
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
static bool ends_with_word(const char *key, const char *word)
{
    const size_t num_bytes = strlen(key), word_bytes = strlen(word);
    const char *place = key + num_bytes - word_bytes;

    return num_bytes >= word_bytes && strcmp(place, word) == 0 &&
           (place == key || place[-1] == '_' || place[-1] == '.');
}

/* The unit of prices: that of a cost by the hour, where the study has such a metric. */
static const char *unit_of_prices(const spot_study_head_t *head)
{
    for (size_t j = 0; head != NULL && j < head->num_metrics; j++) {
        const char *per = strchr(head->metrics[j].unit, '/');

        if (head->metrics[j].kind == SPOT_METRIC_COST && per != NULL && strcmp(per, "/h") == 0) {
            return head->metrics[j].unit;
        }
    }
    return "USD/h";
}

static const char *unit_of_number(const spot_study_head_t *head, const char *path)
{
    if (ends_with_word(path, "usd_per_h")) {
        return unit_of_prices(head);
    }
    for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
        if (ends_with_word(path, endings[j][0])) {
            return endings[j][1];
        }
    }
    return strstr(path, ".price.") != NULL || ends_with_word(path, "price") ? unit_of_prices(head)
                                                                            : "";
}

const char *spot_key_unit(
    const spot_study_head_t *head, const char *path, const char *text, size_t *num_bytes)
{
    char *end;

    (void) strtod(text, &end);
    *num_bytes = strlen(text);
    if (end == text) {
        return "";
    }
    if (*end == '\0') {
        return unit_of_number(head, path);
    }
    if (*end != ' ' || strlen(end + 1) > 8 || strpbrk(end + 1, " ,:{}[]\"'") != NULL) {
        return "";
    }
    *num_bytes = (size_t) (end - text);
    return end + 1;
}
