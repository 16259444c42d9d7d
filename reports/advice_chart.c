/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/advice_chart.h"

#include <math.h>
#include <string.h>

#include "reports/palette.h"

/* Markets that have a colour of their own. */
enum { MAX_MARKETS = 5 };

/* The distinct markets in the order in which they were proposed; returns their number.
 */
static int find_markets(const spot_advice_result_t *self, const char *markets[MAX_MARKETS])
{
    int num_markets = 0;

    for (size_t j = 0; j < self->num_searched; j++) {
        int market_id = 0;

        while (market_id < num_markets && strcmp(markets[market_id], self->searched[j].kind) != 0) {
            market_id++;
        }
        if (market_id == num_markets && num_markets < MAX_MARKETS) {
            markets[num_markets++] = self->searched[j].kind;
        }
    }
    return num_markets;
}

/* The alternatives of a market; hollow ones do not keep what is asked for. */
static void declare_market(
    spot_chart_t *chart, const spot_advice_result_t *self, const char *market, int market_id)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                 .name = market,
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = spot_palette_line_colour((size_t) market_id),
                                 .marker = SPOT_CHART_CIRCLE});
    for (size_t j = 0; j < self->num_searched; j++) {
        const spot_advice_searched_t *item = &self->searched[j];

        if (strcmp(item->kind, market) == 0 && isfinite(item->cost)) {
            spot_chart_add(
                chart, &(spot_chart_datum_t){
                           .x = (double) item->size, .y = item->cost, .is_hollow = !item->is_met});
        }
    }
}

int spot_advice_declare(spot_chart_t *chart, const void *context)
{
    const spot_advice_result_t *self = context;
    const spot_advised_t *best = &self->advised[0];
    const char *markets[MAX_MARKETS];
    const int num_markets = find_markets(self, markets);
    spot_texts_t texts = {.error = 0};
    int ret;

    spot_chart_title(chart, "What each alternative costs, by the size of the fleet");
    spot_chart_note(chart, "%zu alternatives · filled: keeps the goal%s", self->num_searched,
        isfinite(self->budget) ? " and the budget" : "");
    spot_chart_describe(chart,
        "Mean cost of %zu alternatives by the number of instances; the answer has %lld "
        "instances and costs %.6g %s on average.",
        self->num_searched, (long long) best->size, best->figures.cost, self->cost_unit);
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.name = "instances"},
                   .y = {.name = spot_texts_add(&texts, "mean cost (%s)", self->cost_unit)}});
    for (int j = 0; j < num_markets; j++) {
        declare_market(chart, self, markets[j], j);
    }
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                   .name = self->verdict == SPOT_VERDICT_YES ? "the answer" : "the nearest",
                   .name_at = SPOT_CHART_NAME_LEGEND,
                   .marker = SPOT_CHART_DIAMOND,
                   .marker_px = 6});
    spot_chart_add(
        chart, &(spot_chart_datum_t){.x = (double) best->size,
                   .y = best->figures.cost,
                   .label = self->verdict == SPOT_VERDICT_YES ? "the answer" : "the nearest"});
    ret = texts.error;
    spot_texts_free(&texts);
    return ret != 0 ? ret : spot_chart_error(chart);
}
