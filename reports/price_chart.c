/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/price_chart.h"

#include <stdio.h>

int spot_price_declare(spot_chart_t *chart, const void *context)
{
    const spot_price_picture_t *self = context;
    const spot_price_steps_t *steps = self->steps;
    char unit[32];

    snprintf(unit, sizeof(unit), "price (%s/h)", steps->currency);
    spot_chart_title(chart, "%s", self->title);
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.unit = SPOT_CHART_MS, .name = "time"},
                                .y = {.name = unit, .has_zero = true}});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS});
    for (size_t j = 0; j < steps->num_steps; j++) {
        spot_chart_add_xy(chart, (double) steps->steps[j].start_ms, steps->steps[j].usd_per_h);
    }
    spot_chart_add_xy(chart, (double) self->end_ms, steps->steps[steps->num_steps - 1].usd_per_h);
    return spot_chart_error(chart);
}
