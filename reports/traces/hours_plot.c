/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "traces/describe/hours.h"

#define MAX_OVER_RATE 3 /* how far the bars may go beyond the highest rate */

typedef struct {
    const char *plural;
    const char *events;
} row_words_t;

typedef struct {
    spot_event_kind_t kind;
    row_words_t words[2]; /* running, obtainable */
    const char *colour;
    spot_hours_t hours;
    double rate_per_h; /* of all hours; NAN where nothing was exposed */
    int num_exposed;   /* hours */
    int num_apart;     /* hours whose interval does not have that rate in it */
} hours_row_t;

typedef struct {
    const char *name;
    bool is_start_known;
    bool is_obtainable; /* else running */
    double observed_h;
    hours_row_t rows[2];
} hours_plot_t;

static int
row_init(hours_row_t *self, const spot_trace_t *trace, int64_t start_ms)
{
    const int ret = spot_hours_init(&self->hours, trace, self->kind, start_ms);
    double num_events = 0, exposed_s = 0;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        num_events += (double) self->hours.hours[j].num_events;
        exposed_s += self->hours.hours[j].exposed_s;
        self->num_exposed += self->hours.hours[j].exposed_s > 0;
    }
    self->rate_per_h = exposed_s > 0 ? num_events * 3600 / exposed_s : (double) NAN;
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &self->hours.hours[j];

        self->num_apart +=
            self->rate_per_h < hour->low_per_h || self->rate_per_h > hour->high_per_h;
    }
    return ret;
}

static void
write_points(const void *context, FILE *out)
{
    const hours_plot_t *self = context;

    fprintf(out, "event,%s,events,exposed_h,per_exposed_h,low95_per_h,high95_per_h\n",
        self->is_start_known ? "hour_of_day" : "hour_since_start");
    for (size_t k = 0; k < 2; k++) {
        for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
            const spot_hour_t *hour = &self->rows[k].hours.hours[j];

            fprintf(out, "%s,%zu,%" PRId64, spot_event_kind_names[self->rows[k].kind], j,
                hour->num_events);
            spot_csv_field_number(out, hour->exposed_s / 3600);
            spot_csv_field_number(out, hour->rate_per_h);
            spot_csv_field_number(out, hour->low_per_h);
            spot_csv_field_number(out, hour->high_per_h);
            fputc('\n', out);
        }
    }
}

/* The end of the axis: all rates, and intervals as far as they do not press the rates
 * down to nothing, as those of hours that were hardly exposed would. */
static double
find_high(const hours_row_t *row)
{
    double rate_per_h = 0, high_per_h = 0;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            rate_per_h = fmax(rate_per_h, hour->rate_per_h);
            high_per_h = fmax(high_per_h, hour->high_per_h);
        }
    }
    return rate_per_h > 0 ? fmin(high_per_h, MAX_OVER_RATE * rate_per_h) : high_per_h;
}

static void
declare_rates(const hours_row_t *row, spot_chart_t *chart)
{
    char mean[64];

    snprintf(mean, sizeof(mean), "mean %.4g per hour", row->rate_per_h);
    spot_chart_rule(chart, &(spot_chart_rule_t){.direction = SPOT_CHART_HORIZONTAL,
                               .at = row->rate_per_h,
                               .name = mean,
                               .dash = SPOT_CHART_DASHED});
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS, .colour = row->colour});
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            spot_chart_add(chart, &(spot_chart_datum_t){.x = (double) j + 0.5,
                                      .y = hour->rate_per_h,
                                      .y_low = hour->low_per_h,
                                      .y_high = hour->high_per_h});
        }
    }
}

/* Intervals that go beyond the panel end at its edge. */
static void
declare_row(const hours_plot_t *self, size_t row_id, spot_chart_t *chart)
{
    const hours_row_t *row = &self->rows[row_id];
    const double high = find_high(row);
    size_t num_cut = 0;
    char y_name[160];

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        num_cut += hour->exposed_s > 0 && hour->high_per_h > high;
    }
    snprintf(y_name, sizeof(y_name), "%s per exposed hour%s",
        row->words[self->is_obtainable].events,
        num_cut > 0 ? " (bars that reach the top edge go on beyond it)" : "");
    spot_chart_panel(chart,
        &(spot_chart_panel_t){.x = {.name = self->is_start_known ? "hour of day (h)"
                                            : self->observed_h > SPOT_HOURS_PER_DAY
                                                ? "hours since start, modulo 24 (h)"
                                                : "hours since start (h)",
                                  .high = SPOT_HOURS_PER_DAY,
                                  .group = 1},
            .y = {.name = y_name, .high = high},
            .empty = row->num_exposed == 0 ? "never exposed: no such event was possible"
                                           : NULL,
            .is_below = row_id > 0,
            .height_px = 170});
    for (int hour = 0; hour <= SPOT_HOURS_PER_DAY; hour += 3) {
        char label[8];

        snprintf(label, sizeof(label), "%d", hour);
        spot_chart_tick(chart, hour, label, NULL);
    }
    if (row->num_exposed > 0) {
        declare_rates(row, chart);
    }
}

/* What can be seen: hours that are apart from the mean. */
static int
declare(spot_chart_t *chart, const void *context)
{
    const hours_plot_t *self = context;
    const hours_row_t *loss = &self->rows[0], *gain = &self->rows[1];
    char name[SPOT_UTF8_SHOWN_BYTES], observed[SPOT_DURATION_WORDS_BYTES];

    spot_duration_words(self->observed_h * 3600, observed);
    spot_chart_title(chart,
        "Hours apart from the mean rate: %d of %d for %s, %d of %d for %s",
        loss->num_apart, loss->num_exposed, loss->words[self->is_obtainable].plural,
        gain->num_apart, gain->num_exposed, gain->words[self->is_obtainable].plural);
    spot_chart_note(chart,
        "%s · observed for %s · %s · bars: Poisson 95 %% intervals, of which about "
        "one in 20 misses the mean by chance, more where events come in bursts · "
        "exposed: with an instance %s, or below the capacity",
        spot_utf8_shown(self->name, name), observed,
        self->is_start_known ? "hour of day as the trace's start says"
                             : "the hour of day of the start is unknown",
        self->is_obtainable ? "obtainable" : "running");
    declare_row(self, 0, chart);
    declare_row(self, 1, chart);
    return spot_chart_error(chart);
}

int
spot_trace_plot_hours(const spot_trace_t *trace, int64_t start_ms, const char *folder,
    const char *name, spot_diag_t *diag)
{
    hours_plot_t plot = {
        .name = name,
        .is_start_known = start_ms >= 0,
        .is_obtainable = trace->kind == SPOT_TRACE_AVAILABILITY,
        .observed_h = (double) trace->end_ms / (double) SPOT_MS_PER_H,
        .rows = {{.kind = SPOT_EVENT_PREEMPT,
                     .words = {{"preemptions", "preemption events"},
                         {"fewer obtainable", "events of fewer obtainable"}},
                     .colour = SPOT_INK_LOSS},
            {.kind = SPOT_EVENT_ADD,
                .words = {{"additions", "addition events"},
                    {"more obtainable", "events of more obtainable"}},
                .colour = SPOT_INK_ACCENT}},
    };
    int ret = row_init(&plot.rows[0], trace, start_ms);

    if (ret == 0) {
        ret = row_init(&plot.rows[1], trace, start_ms);
    }
    if (ret == 0) {
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .what = "hours",
                                          .write_points = write_points,
                                          .declare = declare,
                                          .context = &plot},
            diag);
    }
    return ret;
}
