/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "reports/traces/trace_steps.h"

typedef struct {
    const spot_trace_t *trace;
    const spot_trace_steps_t *steps;
    const char *name;
} availability_t;

static bool
is_bounded(const spot_trace_t *trace)
{
    return trace->capacity != SPOT_UNBOUNDED;
}

static void
write_points(const void *context, FILE *out)
{
    const availability_t *self = context;
    const spot_curve_t *curve = &self->steps->curve;

    fprintf(out, "time_s,%s,capacity\n", spot_trace_steps_word(self->trace));
    for (size_t j = 0; j < curve->num_points; j++) {
        fprintf(out, "%.10g", curve->points[j].x / (double) SPOT_MS_PER_S);
        spot_csv_field_number(out, curve->points[j].y);
        if (is_bounded(self->trace)) {
            fprintf(out, ",%" PRId32 "\n", self->trace->capacity);
        } else {
            fputs(",\n", out);
        }
    }
}

/* What the curve shows. */
static void
declare_title(const availability_t *self, spot_chart_t *chart)
{
    const spot_trace_steps_t *steps = self->steps;
    const char *word = spot_trace_steps_word(self->trace);

    if (self->trace->capacity == 1) {
        spot_chart_title(
            chart, "One instance, %s %.3g %% of the time", word, 100 * steps->mean);
    } else if (steps->low == steps->high) {
        spot_chart_title(chart, "%.10g instances %s all the time", steps->low, word);
    } else {
        spot_chart_title(chart, "Between %.10g and %.10g instances %s, %.4g on average",
            steps->low, steps->high, word, steps->mean);
    }
}

static void
declare_note(const availability_t *self, spot_chart_t *chart)
{
    const spot_trace_t *trace = self->trace;
    const char *start = spot_trace_key(trace, "start");
    char name[SPOT_UTF8_SHOWN_BYTES], resolution[SPOT_TRACE_TIME_BYTES];
    char shown_start[SPOT_UTF8_SHOWN_BYTES], end[SPOT_DURATION_WORDS_BYTES];

    spot_trace_time_text(trace->resolution_ms, resolution);
    spot_duration_words((double) trace->end_ms / (double) SPOT_MS_PER_S, end);
    spot_chart_note(chart,
        "%s · kind %s · resolution %s s · start %s · observed for %s · %zu change%s%s",
        spot_utf8_shown(self->name, name), spot_trace_kind_names[trace->kind],
        resolution, spot_utf8_shown(start == NULL ? "unknown" : start, shown_start), end,
        self->steps->num_steps - 2, self->steps->num_steps == 3 ? "" : "s",
        spot_trace_steps_is_dense(self->steps)
            ? ", drawn as the lowest and highest of each column of about a pixel"
            : "");
    spot_chart_note(chart,
        "%" PRId32 " at the start, %" PRId32
        " at the end (censored: what follows was not observed)",
        trace->initial, trace->final);
}

/* The area below the steps, the capacity, the steps (where they are dense, thin ones and
 * their mean), the mark of the end. */
static int
declare(spot_chart_t *chart, const void *context)
{
    const availability_t *self = context;
    const spot_trace_t *trace = self->trace;
    const bool is_dense = spot_trace_steps_is_dense(self->steps);
    char text[64];

    declare_title(self, chart);
    declare_note(self, chart);
    spot_trace_steps_panel(trace, (double) trace->end_ms,
        fmax(self->steps->high, is_bounded(trace) ? trace->capacity : 0), chart);
    spot_trace_steps_declare(self->steps,
        &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
            .is_alone = true,
            .is_faint = true,
            .colour = SPOT_INK_ACCENT},
        chart);
    if (is_bounded(trace)) {
        snprintf(text, sizeof(text), "capacity %" PRId32, trace->capacity);
        spot_chart_rule(
            chart, &(spot_chart_rule_t){
                       .at = trace->capacity, .name = text, .dash = SPOT_CHART_DASHED});
    }
    if (is_dense) {
        snprintf(text, sizeof(text), "mean %.4g", self->steps->mean);
        spot_chart_rule(
            chart, &(spot_chart_rule_t){
                       .at = self->steps->mean, .name = text, .colour = SPOT_INK});
    }
    spot_trace_steps_declare(self->steps,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = spot_trace_steps_word(trace),
            .colour = SPOT_INK_ACCENT,
            .width_px = is_dense ? 0.5 : 1.4},
        chart);
    spot_trace_steps_declare_end(trace, SPOT_INK_ACCENT, chart);
    return spot_chart_error(chart);
}

int
spot_trace_plot_availability(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    spot_trace_steps_t steps;
    const availability_t context = {trace, &steps, name};
    int ret = spot_trace_steps_init(&steps, trace);

    if (ret == 0) {
        spot_curve_thin(&steps.curve, 0, (double) trace->end_ms, false);
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .what = "availability",
                                          .write_points = write_points,
                                          .declare = declare,
                                          .context = &context},
            diag);
    }
    spot_trace_steps_free(&steps);
    return ret;
}
