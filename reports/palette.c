/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/palette.h"

#include <math.h>
#include <string.h>

#define NUM_FILLED (SPOT_CHART_NUM_MARKERS - 1)
#define NUM_COMBINATIONS (2 * NUM_FILLED - 1)

/* Whether word stands in name between its ends or underscores. */
static bool has_word(const char *name, const char *word)
{
    const size_t num_bytes = strlen(word);

    for (const char *place = strstr(name, word); place != NULL; place = strstr(place + 1, word)) {
        if ((place == name || place[-1] == '_') &&
            (place[num_bytes] == '\0' || place[num_bytes] == '_')) {
            return true;
        }
    }
    return false;
}

const char *spot_palette_colour(const spot_colour_t *colours, const char *name, size_t place)
{
    for (; colours != NULL && colours->word != NULL; colours++) {
        if (has_word(name, colours->word)) {
            return colours->colour;
        }
    }
    return spot_chart_fill(place);
}

const char *spot_palette_line_colour(size_t place)
{
    static const char *const lines[SPOT_NUM_LINE_COLOURS] = {"#0072b2", "#d55e00", "#2f9e77",
        "#cc79a7", "#e0a100", "#57606a", "#56b4e9", "#7a4fa3", "#8c564b", "#17a2a2"};

    return lines[place % SPOT_NUM_LINE_COLOURS];
}

size_t spot_series_axis(const spot_study_head_t *head)
{
    size_t bare_id = head->num_axes;

    for (size_t j = head->num_axes; j-- > 0;) {
        if (head->plot.curves != NULL && strcmp(head->axes[j].path, head->plot.curves) == 0) {
            return j;
        }
        bare_id = isnan(head->axes[j].numbers[0]) ? j : bare_id;
    }
    return head->has_baseline ? head->baseline_axis_id : bare_id;
}

bool spot_series_is_bound(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    return head->best.is_asked && head->best.axis_id == axis_id &&
           !spot_study_value_competes(head, value_id);
}

spot_chart_series_t spot_series_look(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    /* Of nine combinations the last four markers are hollow, so that they meet another
     * colour when they come again. */
    const size_t place = value_id % NUM_COMBINATIONS;
    const bool is_bound = spot_series_is_bound(head, axis_id, value_id);

    return (spot_chart_series_t){
        .colour = is_bound ? SPOT_INK_OTHER : spot_palette_line_colour(value_id),
        .marker = (spot_chart_marker_t) (SPOT_CHART_CIRCLE + (int) (place % NUM_FILLED)),
        .is_hollow = place >= NUM_FILLED,
        .dash = is_bound ? SPOT_CHART_DASHED : SPOT_CHART_SOLID};
}
