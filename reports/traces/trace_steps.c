/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_steps.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"

/* The population after all that happens at the time of a bulk. */
static double
population_after(const spot_bulk_t *bulk)
{
    const double size = bulk->size;

    return bulk->before + (bulk->kind == SPOT_EVENT_ADD ? size : -size);
}

static int
add_points(spot_curve_t *curve, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    double population = trace->initial;
    int ret = 0;

    if (bulks->num_bulks == 0 || bulks->bulks[0].time_ms > 0) {
        ret = spot_curve_add(curve, 0, population);
    }
    for (size_t j = 0; j < bulks->num_bulks && ret == 0; j++) {
        const int64_t time_ms = bulks->bulks[j].time_ms;

        population = population_after(&bulks->bulks[j]);
        if (j + 1 == bulks->num_bulks || bulks->bulks[j + 1].time_ms > time_ms) {
            ret = spot_curve_add(curve, (double) time_ms, population);
        }
    }
    return ret == 0 ? spot_curve_add(curve, (double) trace->end_ms, population) : ret;
}

static void
measure(spot_trace_steps_t *self)
{
    const spot_curve_t *curve = &self->curve;
    const double end_ms = curve->points[curve->num_points - 1].x;
    spot_sum_t area = {0};

    self->num_steps = curve->num_points;
    self->low = self->high = curve->points[0].y;
    for (size_t j = 0; j + 1 < curve->num_points; j++) {
        const spot_point_t *point = &curve->points[j];

        self->low = fmin(self->low, point->y);
        self->high = fmax(self->high, point->y);
        spot_sum_add(&area, point->y * (curve->points[j + 1].x - point->x));
    }
    self->mean = spot_sum_total(&area) / end_ms;
}

int
spot_trace_steps_init(spot_trace_steps_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks;
    int ret = spot_bulks_init(&bulks, trace);

    memset(self, 0, sizeof(*self));
    if (ret == 0) {
        ret = add_points(&self->curve, trace, &bulks);
    }
    if (ret == 0) {
        measure(self);
    }
    spot_bulks_free(&bulks);
    return ret;
}

void
spot_trace_steps_free(spot_trace_steps_t *self)
{
    spot_curve_free(&self->curve);
    memset(self, 0, sizeof(*self));
}

bool
spot_trace_steps_is_dense(const spot_trace_steps_t *self)
{
    return self->curve.num_points < self->num_steps;
}

const char *
spot_trace_steps_word(const spot_trace_t *trace)
{
    return trace->kind == SPOT_TRACE_AVAILABILITY ? "obtainable" : "running";
}

void
spot_trace_steps_declare(const spot_trace_steps_t *self,
    const spot_chart_series_t *series, spot_chart_t *chart)
{
    spot_chart_series(chart, series);
    for (size_t j = 0; j < self->curve.num_points; j++) {
        spot_chart_add_xy(chart, self->curve.points[j].x, self->curve.points[j].y);
    }
}

void
spot_trace_steps_panel(
    const spot_trace_t *trace, double end_ms, double highest, spot_chart_t *chart)
{
    char y_name[32];

    snprintf(y_name, sizeof(y_name), "instances %s", spot_trace_steps_word(trace));
    spot_chart_panel(chart,
        &(spot_chart_panel_t){
            .x = {.unit = SPOT_CHART_MS, .name = "time since the start", .high = end_ms},
            .y = {.name = y_name, .high = fmax(highest, 1)},
            .note = "○ end (censored: what follows was not observed)",
            .height_px = 300});
}

void
spot_trace_steps_declare_end(
    const spot_trace_t *trace, const char *colour, spot_chart_t *chart)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                 .colour = colour,
                                 .marker = SPOT_CHART_CIRCLE,
                                 .is_hollow = true});
    spot_chart_add_xy(chart, (double) trace->end_ms, trace->final);
}
