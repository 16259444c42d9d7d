/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/picture_population.h"

#include <inttypes.h>
#include <math.h>

#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/describe.h"
#include "traces/trace.h"

/* ---- Events by the hour of the day ---- */

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

/* ---- Instances over time ---- */

/* The population of a trace as a curve of steps. */
typedef struct {
    spot_curve_t curve; /* time in ms, and the population from then on */
    size_t num_steps;   /* points before the curve was thinned */
    double low, high;
    double mean; /* over time */
} steps_t;

static void measure(steps_t *self)
{
    const spot_curve_t *curve = &self->curve;
    spot_sum_t area = {0};

    self->num_steps = curve->num_points;
    self->low = self->high = curve->points[0].y;
    for (size_t j = 0; j + 1 < curve->num_points; j++) {
        const spot_point_t *point = &curve->points[j];

        self->low = fmin(self->low, point->y);
        self->high = fmax(self->high, point->y);
        spot_sum_add(&area, point->y * (curve->points[j + 1].x - point->x));
    }
    self->mean = spot_sum_total(&area) / curve->points[curve->num_points - 1].x;
}

/* All steps; after an error, which is that of the picture, there are none. */
static void read_steps(spot_trace_picture_t *picture, const spot_trace_t *trace, steps_t *self)
{
    double population = trace->initial;
    spot_bulks_t bulks;

    *self = (steps_t){.num_steps = 0};
    picture->error = spot_error_first(picture->error, spot_bulks_init(&bulks, trace));
    if (picture->error == 0 && (bulks.num_bulks == 0 || bulks.bulks[0].time_ms > 0)) {
        spot_trace_picture_point(picture, &self->curve, 0, population);
    }
    for (size_t j = 0; j < bulks.num_bulks && picture->error == 0; j++) {
        const spot_bulk_t *bulk = &bulks.bulks[j];
        const double size = bulk->size;

        population = bulk->before + (bulk->kind == SPOT_EVENT_ADD ? size : -size);
        if (j + 1 == bulks.num_bulks || bulks.bulks[j + 1].time_ms > bulk->time_ms) {
            spot_trace_picture_point(picture, &self->curve, (double) bulk->time_ms, population);
        }
    }
    spot_trace_picture_point(picture, &self->curve, (double) trace->end_ms, population);
    if (picture->error == 0) {
        measure(self);
    }
    spot_bulks_free(&bulks);
}

/* Whether only the first, lowest, highest and last step of a column are left: lines
 * between them then make an area. */
static bool is_dense(const steps_t *self)
{
    return self->curve.num_points < self->num_steps;
}

static void declare_panel(
    spot_trace_picture_t *picture, spot_trace_kind_t kind, double end_ms, double highest)
{
    spot_chart_panel(picture->chart,
        &(spot_chart_panel_t){
            .x = {.unit = SPOT_CHART_MS, .name = "time since the start", .high = end_ms},
            .y = {.name = spot_texts_add(
                      &picture->texts, "instances %s", spot_trace_population_word(kind)),
                .high = fmax(highest, 1)},
            .note = "○ end (censored: what follows was not observed)",
            .height_px = 300});
}

/* The mark of the end of a trace: what follows was not observed. */
static void declare_end(
    spot_trace_picture_t *picture, const spot_trace_t *trace, const char *colour)
{
    spot_chart_series(picture->chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                          .colour = colour,
                                          .marker = SPOT_CHART_CIRCLE,
                                          .is_hollow = true});
    spot_chart_add_xy(picture->chart, (double) trace->end_ms, trace->final);
}

/* ---- One trace ---- */

/* What the curve shows. */
static void declare_words(spot_trace_picture_t *picture, const spot_trace_t *trace,
    const steps_t *steps, const char *name)
{
    const char *word = spot_trace_population_word(trace->kind);
    const char *start = spot_trace_key(trace, "start");
    char resolution[SPOT_TRACE_TIME_BYTES];
    spot_texts_t *texts = &picture->texts;

    if (trace->capacity == 1) {
        spot_chart_title(
            picture->chart, "One instance, %s %.3g %% of the time", word, 100 * steps->mean);
    } else if (steps->low == steps->high) {
        spot_chart_title(picture->chart, "%.10g instances %s all the time", steps->low, word);
    } else {
        spot_chart_title(picture->chart, "Between %.10g and %.10g instances %s, %.4g on average",
            steps->low, steps->high, word, steps->mean);
    }
    spot_trace_time_text(trace->resolution_ms, resolution);
    spot_chart_note(picture->chart,
        "%s · kind %s · resolution %s s · start %s · observed for %s · %s%s",
        spot_words_shown(texts, name), spot_trace_kind_names[trace->kind], resolution,
        spot_words_shown(texts, start == NULL ? "unknown" : start),
        spot_words_duration(texts, spot_duration_s(trace->end_ms)),
        spot_words_count(texts, (int64_t) steps->num_steps - 2, "change"),
        is_dense(steps) ? ", drawn as the lowest and highest of each column of about a "
                          "pixel"
                        : "");
    spot_chart_note(picture->chart,
        "%" PRId32 " at the start, %" PRId32
        " at the end (censored: what follows was not observed)",
        trace->initial, trace->final);
}

/* The area below the steps, the capacity, the steps (where they are dense, thin ones and
 * their mean), the mark of the end. */
static void declare_availability(
    spot_trace_picture_t *picture, const spot_trace_t *trace, const steps_t *steps)
{
    const bool is_bounded = trace->capacity != SPOT_UNBOUNDED;
    spot_texts_t *texts = &picture->texts;

    declare_panel(picture, trace->kind, (double) trace->end_ms,
        fmax(steps->high, is_bounded ? trace->capacity : 0));
    spot_trace_picture_curve(picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
            .is_alone = true,
            .is_faint = true,
            .colour = SPOT_INK_ACCENT},
        &steps->curve, 1, 0);
    if (is_bounded) {
        spot_chart_rule(
            picture->chart, &(spot_chart_rule_t){.at = trace->capacity,
                                .name = spot_texts_add(texts, "capacity %" PRId32, trace->capacity),
                                .dash = SPOT_CHART_DASHED});
    }
    if (is_dense(steps)) {
        spot_chart_rule(picture->chart, &(spot_chart_rule_t){.at = steps->mean,
                                            .name = spot_texts_add(texts, "mean %.4g", steps->mean),
                                            .colour = SPOT_INK});
    }
    spot_trace_picture_curve(picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = spot_trace_population_word(trace->kind),
            .colour = SPOT_INK_ACCENT,
            .width_px = is_dense(steps) ? 0.5 : 1.4},
        &steps->curve, 1, 0);
    declare_end(picture, trace, SPOT_INK_ACCENT);
}

int spot_trace_plot_availability(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    const char *const columns[] = {
        "time_s", spot_trace_population_word(trace->kind), "capacity", NULL};
    const double capacity = trace->capacity == SPOT_UNBOUNDED ? (double) NAN : trace->capacity;
    spot_trace_picture_t picture;
    steps_t steps = {.num_steps = 0};

    if (spot_trace_picture_begin(&picture, columns)) {
        picture.data.columns[0].num_digits = 10;
        picture.data.columns[2].num_digits = 10;
        read_steps(&picture, trace, &steps);
        spot_curve_thin(&steps.curve, 0, (double) trace->end_ms, false);
        for (size_t j = 0; j < steps.curve.num_points; j++) {
            const spot_point_t *point = &steps.curve.points[j];

            spot_trace_picture_row(&picture, NULL, 3,
                (double[]){point->x / (double) SPOT_MS_PER_S, point->y, capacity});
        }
        declare_words(&picture, trace, &steps, name);
        declare_availability(&picture, trace, &steps);
    }
    spot_curve_free(&steps.curve);
    return spot_trace_picture_end(&picture, folder, name, "availability", diag);
}

/* ---- Two traces, or a trace and a model ---- */

typedef struct {
    const spot_overlay_t *overlay;
    spot_trace_picture_t picture;
    double end_ms; /* of the longer one */
    steps_t a, b;
    spot_curve_t low;    /* of the band: time in ms, instances */
    spot_curve_t median; /* at the same times, as is the next */
    spot_curve_t high;
    double share_in_band; /* of b's time; NAN without band */
} overlay_t;

/* On the grid of the band, as far as b goes. */
static double measure_share(const overlay_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    size_t num_times = 0, num_within = 0, step_id = 0;

    for (size_t j = 0; j < band->num_times && self->picture.error == 0; j++) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double population;

        if (time_ms > (double) self->overlay->b->end_ms) {
            break;
        }
        population = spot_curve_at(&self->b.curve, &step_id, time_ms);
        num_times++;
        num_within += population >= band->low[j] && population <= band->high[j];
    }
    return num_times > 0 ? (double) num_within / (double) num_times : (double) NAN;
}

/* The band, in groups of equal number where a picture cannot show all: the lowest low
 * and the highest high of each, and the first median. */
static void add_band(overlay_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    const size_t stride =
        (band->num_times + 2 * SPOT_MAX_COLUMNS - 1) / (size_t) (2 * SPOT_MAX_COLUMNS);

    for (size_t j = 0; j < band->num_times; j += stride) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double low = band->low[j], high = band->high[j];

        for (size_t k = j; k < j + stride && k < band->num_times; k++) {
            low = fmin(low, band->low[k]);
            high = fmax(high, band->high[k]);
        }
        spot_trace_picture_point(&self->picture, &self->low, time_ms, low);
        spot_trace_picture_point(&self->picture, &self->median, time_ms, band->median[j]);
        spot_trace_picture_point(&self->picture, &self->high, time_ms, high);
    }
}

/* The share needs all steps, the picture does not. */
static void read_overlay(overlay_t *self)
{
    const spot_overlay_t *overlay = self->overlay;
    const bool has_band = overlay->band.num_replications > 0;

    self->end_ms = (double) overlay->b->end_ms;
    if (overlay->a != NULL) {
        self->end_ms = fmax(self->end_ms, (double) overlay->a->end_ms);
        read_steps(&self->picture, overlay->a, &self->a);
        spot_curve_thin(&self->a.curve, 0, self->end_ms, false);
    }
    read_steps(&self->picture, overlay->b, &self->b);
    self->share_in_band = has_band ? measure_share(self) : (double) NAN;
    spot_curve_thin(&self->b.curve, 0, self->end_ms, false);
    if (has_band) {
        add_band(self);
    }
}

static void add_overlay_rows(overlay_t *self)
{
    spot_trace_picture_rows(&self->picture, "a", &self->a.curve, SPOT_MS_PER_S);
    spot_trace_picture_rows(&self->picture, "b", &self->b.curve, SPOT_MS_PER_S);
    for (size_t j = 0; j < self->high.num_points; j++) {
        spot_trace_picture_row(&self->picture, "band", 4,
            (double[]){self->low.points[j].x / (double) SPOT_MS_PER_S, self->median.points[j].y,
                self->low.points[j].y, self->high.points[j].y});
    }
}

static void declare_overlay_words(overlay_t *self, const char *name)
{
    const spot_overlay_t *overlay = self->overlay;
    const char *word = spot_trace_population_word(overlay->b->kind);
    spot_chart_t *chart = self->picture.chart;
    spot_texts_t *texts = &self->picture.texts;

    if (isfinite(self->share_in_band)) {
        spot_chart_title(chart, "B is within the 5–95 %% band of A for %.3g %% of its time",
            100 * self->share_in_band);
    } else if (overlay->a != NULL) {
        spot_chart_title(chart, "Instances %s: %.4g on average in A, %.4g in B", word, self->a.mean,
            self->b.mean);
    } else {
        spot_chart_title(chart, "Instances %s: %.4g on average in B", word, self->b.mean);
    }
    spot_chart_note(chart, "%s · A: %s · B: %s", spot_words_shown(texts, name),
        spot_words_shown(texts, overlay->a_label), spot_words_shown(texts, overlay->b_label));
    if (overlay->band.num_replications > 0) {
        spot_chart_note(chart, "band: 5–95 %% of %zu replications of A at each time",
            overlay->band.num_replications);
    }
    if (is_dense(&self->b)) {
        spot_chart_note(chart, "B as its lowest and highest of each column of about a pixel");
    }
}

/* The band; where B would hide it, its edges instead. */
static void declare_band(overlay_t *self, bool is_hidden)
{
    const spot_chart_series_t edge = {
        .kind = SPOT_CHART_STEPS, .colour = SPOT_INK_ACCENT, .width_px = 1};
    spot_chart_series_t named_edge = edge;

    named_edge.name = SPOT_TRACE_BAND_NAME;
    if (is_hidden) {
        spot_trace_picture_curve(&self->picture, &edge, &self->low, 1, 0);
        spot_trace_picture_curve(&self->picture, &named_edge, &self->high, 1, 0);
    } else {
        spot_chart_series(self->picture.chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                                   .is_alone = true,
                                                   .name = SPOT_TRACE_BAND_NAME,
                                                   .colour = SPOT_INK_BAND});
        for (size_t j = 0; j < self->high.num_points; j++) {
            spot_chart_add(self->picture.chart, &(spot_chart_datum_t){.x = self->low.points[j].x,
                                                    .y = self->high.points[j].y,
                                                    .y_low = self->low.points[j].y});
        }
    }
    spot_trace_picture_curve(&self->picture, &spot_trace_picture_median, &self->median, 1, 0);
}

/* The steps of A or B under the name "A: LABEL", and the mark of the end. */
static void declare_steps(overlay_t *self, char letter, const char *colour)
{
    const bool is_a = letter == 'A';
    const steps_t *steps = is_a ? &self->a : &self->b;
    const char *label = is_a ? self->overlay->a_label : self->overlay->b_label;
    spot_texts_t *texts = &self->picture.texts;

    spot_trace_picture_curve(&self->picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = spot_texts_add(texts, "%c: %s", letter, spot_words_shown(texts, label)),
            .colour = colour,
            .dash = is_a && !is_dense(steps) ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = is_dense(steps) ? 0.5 : 1.4},
        &steps->curve, 1, 0);
    declare_end(&self->picture, is_a ? self->overlay->a : self->overlay->b, colour);
}

static double highest(const overlay_t *self)
{
    const int32_t capacity = self->overlay->b->capacity;
    double high = fmax(fmax(self->a.high, self->b.high), capacity != SPOT_UNBOUNDED ? capacity : 1);

    for (size_t j = 0; j < self->high.num_points; j++) {
        high = fmax(high, self->high.points[j].y);
    }
    return high;
}

/* What there is of band, capacity, A and B. */
static void declare_overlay(overlay_t *self)
{
    const spot_overlay_t *overlay = self->overlay;
    const int32_t capacity = overlay->b->capacity;
    const bool has_band = self->low.num_points > 0;
    const bool is_behind = has_band && is_dense(&self->b);

    declare_panel(&self->picture, overlay->b->kind, self->end_ms, highest(self));
    if (capacity != SPOT_UNBOUNDED) {
        spot_chart_rule(self->picture.chart,
            &(spot_chart_rule_t){.at = capacity,
                .name = spot_texts_add(&self->picture.texts, "capacity%s %" PRId32,
                    overlay->a != NULL ? " of B" : "", capacity),
                .dash = SPOT_CHART_DOTTED});
    }
    if (is_behind) {
        declare_steps(self, 'B', SPOT_INK_OTHER);
    }
    if (has_band) {
        declare_band(self, is_behind);
    }
    if (overlay->a != NULL) {
        declare_steps(self, 'A', SPOT_INK_ACCENT);
    }
    if (!is_behind) {
        declare_steps(self, 'B', SPOT_INK);
    }
}

int spot_trace_plot_overlay(
    const spot_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    const char *const columns[] = {
        "series", "time_s", spot_trace_population_word(self->b->kind), "low", "high", NULL};
    overlay_t overlay = {.overlay = self};

    if (spot_trace_picture_begin(&overlay.picture, columns)) {
        read_overlay(&overlay);
        add_overlay_rows(&overlay);
        declare_overlay_words(&overlay, name);
        declare_overlay(&overlay);
    }
    spot_curve_free(&overlay.a.curve);
    spot_curve_free(&overlay.b.curve);
    spot_curve_free(&overlay.low);
    spot_curve_free(&overlay.median);
    spot_curve_free(&overlay.high);
    return spot_trace_picture_end(&overlay.picture, folder, name, "compare", diag);
}
