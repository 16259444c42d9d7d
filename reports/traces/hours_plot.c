/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/traces/log_scale.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "traces/describe/hours.h"

#define PANEL_PX 170.0
#define PANEL_HEAD_PX 44.0
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

/* All rates; the bars as long as they do not press the rates down to nothing, as those
 * of hours that were hardly exposed would. */
static spot_scale_t
choose_scale(const hours_row_t *row)
{
    double rate_per_h = 0, high_per_h = 0;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            rate_per_h = fmax(rate_per_h, hour->rate_per_h);
            high_per_h = fmax(high_per_h, hour->high_per_h);
        }
    }
    if (rate_per_h > 0) {
        high_per_h = fmin(high_per_h, MAX_OVER_RATE * rate_per_h);
    }
    return spot_scale_around(0, high_per_h, 4);
}

/* Bars that go beyond the panel end at its edge. */
static size_t
write_data(const hours_row_t *row, size_t row_id, double top, FILE *out)
{
    size_t num_cut = 0;

    fprintf(out, "$hours%zu << EOD\n", row_id);
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            fprintf(out, "%g %.8g %.8g %.8g\n", (double) j + 0.5, hour->rate_per_h,
                fmin(hour->low_per_h, top), fmin(hour->high_per_h, top));
            num_cut += hour->high_per_h > top;
        }
    }
    fputs("EOD\n", out);
    return num_cut;
}

static void
draw_label(
    const spot_figure_t *figure, const hours_row_t *row, const spot_panel_t *panel)
{
    spot_end_label_t label = {.colour = SPOT_INK_QUIET,
        .y_px = spot_panel_y_px(panel, row->rate_per_h),
        .swatch_px = 2};

    snprintf(label.text, sizeof(label.text), "mean %.4g per hour", row->rate_per_h);
    spot_figure_end_labels(figure, &label, 1, panel->left_px + panel->width_px,
        panel->top_px + panel->height_px);
}

static void
draw_row(
    const spot_figure_t *figure, const hours_plot_t *self, size_t row_id, double top_px)
{
    const hours_row_t *row = &self->rows[row_id];
    const spot_panel_t panel = spot_trace_picture_panel(
        top_px + PANEL_HEAD_PX, PANEL_PX, 0, SPOT_HOURS_PER_DAY, choose_scale(row));
    char y_name[160];
    size_t num_cut;

    spot_figure_panel(figure, &panel, "%g");
    fprintf(figure->out, "set xtics 0,3\n");
    num_cut = write_data(row, row_id, panel.y.high, figure->out);
    snprintf(y_name, sizeof(y_name), "%s per exposed hour%s",
        row->words[self->is_obtainable].events,
        num_cut > 0 ? " (bars that reach the top edge go on beyond it)" : "");
    spot_trace_picture_axis_names(figure, &panel,
        row_id == 0                             ? ""
        : self->is_start_known                  ? "hour of day (h)"
        : self->observed_h > SPOT_HOURS_PER_DAY ? "hours since start, modulo 24 (h)"
                                                : "hours since start (h)",
        y_name);
    if (row->num_exposed == 0) {
        spot_figure_text(figure, panel.left_px + panel.width_px / 2,
            panel.top_px + panel.height_px / 2, SPOT_TEXT_NOTE, SPOT_ALIGN_CENTER,
            "never exposed: no such event was possible");
        fprintf(figure->out, "plot %g notitle with lines lc rgb '#ffffff'\n", -1.0);
    } else {
        draw_label(figure, row, &panel);
        fprintf(figure->out,
            "plot %.8g with lines lw 1.2 dt (6,4) lc rgb '%s', \\\n"
            "$hours%zu using 1:2:3:4 with yerrorbars pt 7 ps 0.6 lw 1.6 lc rgb '%s'\n",
            row->rate_per_h, SPOT_INK_QUIET, row_id, row->colour);
    }
    spot_figure_end_panel(figure);
}

/* What can be seen: hours that are apart from the mean. */
static void
write_title(const hours_plot_t *self, char title[SPOT_PICTURE_TEXT_BYTES])
{
    const hours_row_t *loss = &self->rows[0], *gain = &self->rows[1];

    snprintf(title, SPOT_PICTURE_TEXT_BYTES,
        "Hours apart from the mean rate: %d of %d for %s, %d of %d for %s",
        loss->num_apart, loss->num_exposed, loss->words[self->is_obtainable].plural,
        gain->num_apart, gain->num_exposed, gain->words[self->is_obtainable].plural);
}

static void
write_note(const hours_plot_t *self, char note[SPOT_PICTURE_TEXT_BYTES])
{
    char name[SPOT_UTF8_SHOWN_BYTES], observed[SPOT_DURATION_WORDS_BYTES];

    spot_duration_words(self->observed_h * 3600, observed);
    snprintf(note, SPOT_PICTURE_TEXT_BYTES,
        "%s · observed for %s · %s · bars: Poisson 95 %% intervals, of which about "
        "one in 20 misses the mean by chance, more where events come in bursts · "
        "exposed: with an instance %s, or below the capacity",
        spot_utf8_shown(self->name, name), observed,
        self->is_start_known ? "hour of day as the trace's start says"
                             : "the hour of day of the start is unknown",
        self->is_obtainable ? "obtainable" : "running");
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const hours_plot_t *self = context;
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    spot_figure_t figure;
    double top_px;

    write_title(self, title);
    write_note(self, note);
    top_px = spot_trace_picture_begin(&figure, out, picture_path, title, note,
        2 * (PANEL_HEAD_PX + PANEL_PX) + 24 + SPOT_PICTURE_FOOT_PX);
    draw_row(&figure, self, 0, top_px);
    draw_row(&figure, self, 1, top_px + PANEL_HEAD_PX + PANEL_PX + 24);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
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
                                          .write_script = write_script,
                                          .context = &plot},
            diag);
    }
    return ret;
}
