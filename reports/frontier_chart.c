/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/frontier_chart.h"

#include <math.h>

#include "base/memory.h"
#include "reports/words.h"

#define ROOM 1.08 /* above the dearest plan */

static void declare_gaps(spot_chart_t *chart, const spot_frontier_t *self, double high)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                 .name = "no plan",
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = SPOT_INK_OTHER,
                                 .is_alone = true,
                                 .is_faint = true});
    for (size_t j = 0; j < self->num_points; j++) {
        spot_chart_add_xy(
            chart, self->points[j].slo_ms, isnan(self->points[j].exact) ? high : (double) NAN);
    }
}

static void declare_costs(spot_chart_t *chart, const spot_frontier_t *self, bool is_exact)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                 .name = is_exact ? "exact" : "greedy",
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = is_exact ? SPOT_INK_ACCENT : SPOT_INK_LOSS,
                                 .dash = is_exact ? SPOT_CHART_SOLID : SPOT_CHART_DASHED,
                                 .marker = is_exact ? SPOT_CHART_CIRCLE : SPOT_CHART_SQUARE,
                                 .is_hollow = !is_exact});
    for (size_t j = 0; j < self->num_points; j++) {
        spot_chart_add_xy(chart, self->points[j].slo_ms,
            is_exact ? self->points[j].exact : self->points[j].greedy);
    }
}

int spot_frontier_declare(spot_chart_t *chart, const void *context)
{
    const spot_frontier_t *self = context;
    spot_texts_t texts = {0};
    size_t num_unsolved = 0;
    double high = 0;
    int ret;

    for (size_t j = 0; j < self->num_points; j++) {
        num_unsolved += isnan(self->points[j].exact) ? 1 : 0;
        high = fmax(high, fmax(self->points[j].exact, self->points[j].greedy));
    }
    high = high > 0 ? ROOM * high : 1;
    spot_chart_title(chart, "What does a tighter latency objective cost?");
    spot_chart_note(chart, "%s%spercentile %.6g of the latencies · %zu objective%s",
        self->name == NULL ? "" : spot_words_shown(&texts, self->name),
        self->name == NULL ? "" : " · ", self->percentile, self->num_points,
        self->num_points == 1 ? "" : "s");
    spot_chart_describe(chart,
        "Cost per hour of the cheapest configuration by latency objective, from %.6g ms "
        "to %.6g ms; the exact planner finds none for %zu of %zu objectives.",
        self->points[0].slo_ms, self->points[self->num_points - 1].slo_ms, num_unsolved,
        self->num_points);
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.name = "latency objective (ms)"},
                                .y = {.name = "cost per hour", .high = high},
                                .empty = num_unsolved == self->num_points
                                             ? "no configuration meets any of these objectives"
                                             : NULL});
    if (num_unsolved > 0 && num_unsolved < self->num_points) {
        declare_gaps(chart, self, high);
    }
    for (int is_exact = 0; is_exact <= 1 && num_unsolved < self->num_points; is_exact++) {
        declare_costs(chart, self, is_exact != 0);
    }
    ret = texts.error;
    spot_texts_free(&texts);
    return ret != 0 ? ret : spot_chart_error(chart);
}
