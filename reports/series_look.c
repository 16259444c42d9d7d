/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/series_look.h"

#include <math.h>
#include <string.h>

#include "reports/palette.h"

#define NUM_FILLED (SPOT_CHART_NUM_MARKERS - 1)
#define NUM_COMBINATIONS (2 * NUM_FILLED - 1)

size_t
spot_series_axis(const spot_study_head_t *head)
{
    for (size_t j = 0; head->plot.curves != NULL && j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, head->plot.curves) == 0) {
            return j;
        }
    }
    if (head->has_baseline) {
        return head->baseline_axis_id;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        if (isnan(head->axes[j].numbers[0])) {
            return j;
        }
    }
    return head->num_axes;
}

bool
spot_series_is_bound(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    const spot_best_t *best = &head->best;

    return best->is_asked && best->axis_id == axis_id &&
           !spot_study_value_competes(head, value_id);
}

const char *
spot_series_colour(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    return spot_series_is_bound(head, axis_id, value_id)
               ? SPOT_INK_OTHER
               : spot_palette_line_colour(value_id);
}

spot_chart_marker_t
spot_series_marker(size_t value_id)
{
    const size_t place = value_id % NUM_COMBINATIONS;

    return (spot_chart_marker_t) (SPOT_CHART_CIRCLE + (int) (place % NUM_FILLED));
}

bool
spot_series_is_hollow(size_t value_id)
{
    return value_id % NUM_COMBINATIONS >= NUM_FILLED;
}
