/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events per exposed hour in each hour of the day. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "reports/traces/trace_picture.h"
#include "traces/describe/describe.h"

#define MAX_OVER_RATE 3 /* how far the bars may go beyond the highest rate */

typedef struct {
    spot_event_kind_t kind;
    const char *plural;
    const char *events;
    const char *colour;
    spot_hours_t hours;
    double rate_per_h; /* of all hours; NAN where nothing was exposed */
    int num_exposed;   /* hours */
    int num_apart;     /* hours whose interval does not have that rate in it */
    double high_per_h; /* the end of the axis */
    int num_cut;       /* intervals that go beyond it */
} row_t;

/* The end of the axis has room for all rates, and for intervals as far as they do not
 * press the rates down to nothing, as those of hours that were hardly exposed would. */
static int read_row(row_t *self, const spot_trace_t *trace, int64_t start_ms)
{
    const int ret = spot_hours_init(&self->hours, trace, self->kind, start_ms);
    double num_events = 0, exposed_s = 0, highest_per_h = 0;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &self->hours.hours[j];

        num_events += (double) hour->num_events;
        exposed_s += hour->exposed_s;
        if (hour->exposed_s > 0) {
            self->num_exposed++;
            highest_per_h = fmax(highest_per_h, hour->rate_per_h);
            self->high_per_h = fmax(self->high_per_h, hour->high_per_h);
        }
    }
    self->rate_per_h = exposed_s > 0 ? num_events * 3600 / exposed_s : (double) NAN;
    if (highest_per_h > 0) {
        self->high_per_h = fmin(self->high_per_h, MAX_OVER_RATE * highest_per_h);
    }
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &self->hours.hours[j];

        self->num_apart +=
            self->rate_per_h < hour->low_per_h || self->rate_per_h > hour->high_per_h;
        self->num_cut += hour->exposed_s > 0 && hour->high_per_h > self->high_per_h;
    }
    return ret;
}

static void add_rows(spot_trace_picture_t *picture, const row_t *row)
{
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        spot_trace_picture_row(picture, spot_event_kind_names[row->kind], 6,
            (double[]){(double) j, (double) hour->num_events, hour->exposed_s / 3600,
                hour->rate_per_h, hour->low_per_h, hour->high_per_h});
    }
}

static void declare_rates(spot_trace_picture_t *picture, const row_t *row)
{
    spot_chart_rule(picture->chart,
        &(spot_chart_rule_t){.at = row->rate_per_h,
            .name = spot_texts_add(&picture->texts, "mean %.4g per hour", row->rate_per_h),
            .dash = SPOT_CHART_DASHED});
    spot_chart_series(
        picture->chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS, .colour = row->colour});
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            spot_chart_add(picture->chart, &(spot_chart_datum_t){.x = (double) j + 0.5,
                                               .y = hour->rate_per_h,
                                               .y_low = hour->low_per_h,
                                               .y_high = hour->high_per_h});
        }
    }
}

static void declare_row(
    spot_trace_picture_t *picture, const row_t *row, const char *x_name, bool is_below)
{
    spot_chart_panel(picture->chart,
        &(spot_chart_panel_t){.x = {.name = x_name, .high = SPOT_HOURS_PER_DAY, .group = 1},
            .y = {.name = spot_texts_add(&picture->texts, "%s per exposed hour%s", row->events,
                      row->num_cut > 0 ? " (bars that reach the top edge go on beyond it)" : ""),
                .high = row->high_per_h},
            .empty = row->num_exposed == 0 ? "never exposed: no such event was possible" : NULL,
            .is_below = is_below,
            .height_px = 170});
    for (int hour = 0; hour <= SPOT_HOURS_PER_DAY; hour += 3) {
        spot_chart_tick(picture->chart, hour, spot_texts_add(&picture->texts, "%d", hour), NULL);
    }
    if (row->num_exposed > 0) {
        declare_rates(picture, row);
    }
}

int spot_trace_plot_hours(const spot_trace_t *trace, int64_t start_ms, const char *folder,
    const char *name, spot_diag_t *diag)
{
    static const row_t kinds[2][2] = {
        {{.kind = SPOT_EVENT_PREEMPT,
             .plural = "preemptions",
             .events = "preemption events",
             .colour = SPOT_INK_LOSS},
            {.kind = SPOT_EVENT_ADD,
                .plural = "additions",
                .events = "addition events",
                .colour = SPOT_INK_ACCENT}},
        {{.kind = SPOT_EVENT_PREEMPT,
             .plural = "fewer obtainable",
             .events = "events of fewer obtainable",
             .colour = SPOT_INK_LOSS},
            {.kind = SPOT_EVENT_ADD,
                .plural = "more obtainable",
                .events = "events of more obtainable",
                .colour = SPOT_INK_ACCENT}},
    };
    const bool is_known = start_ms >= 0;
    const double observed_s = spot_duration_s(trace->end_ms);
    const char *x_name = is_known ? "hour of day (h)"
                         : observed_s > SPOT_HOURS_PER_DAY * 3600
                             ? "hours since start, modulo 24 (h)"
                             : "hours since start (h)";
    const char *const columns[] = {"event", is_known ? "hour_of_day" : "hour_since_start", "events",
        "exposed_h", "per_exposed_h", "low95_per_h", "high95_per_h", NULL};
    const row_t *kind = kinds[trace->kind == SPOT_TRACE_AVAILABILITY];
    row_t loss = kind[0], gain = kind[1];
    spot_trace_picture_t picture;

    if (spot_trace_picture_begin(&picture, columns)) {
        picture.error = read_row(&loss, trace, start_ms);
        picture.error = spot_error_first(picture.error, read_row(&gain, trace, start_ms));
        add_rows(&picture, &loss);
        add_rows(&picture, &gain);
        spot_chart_title(picture.chart,
            "Hours apart from the mean rate: %d of %d for %s, %d of %d for %s", loss.num_apart,
            loss.num_exposed, loss.plural, gain.num_apart, gain.num_exposed, gain.plural);
        spot_chart_note(picture.chart,
            "%s · observed for %s · %s · bars: Poisson 95 %% intervals, of which about "
            "one in 20 misses the mean by chance, more where events come in bursts · "
            "exposed: with an instance %s, or below the capacity",
            spot_words_shown(&picture.texts, name), spot_words_duration(&picture.texts, observed_s),
            is_known ? "hour of day as the trace's start says"
                     : "the hour of day of the start is unknown",
            spot_trace_population_word(trace->kind));
        declare_row(&picture, &loss, x_name, false);
        declare_row(&picture, &gain, x_name, true);
    }
    return spot_trace_picture_end(&picture, folder, name, "hours", diag);
}
