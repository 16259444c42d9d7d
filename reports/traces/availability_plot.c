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
#include "reports/traces/trace_steps.h"

#define PANEL_PX 280.0

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
write_title(const availability_t *self, char title[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_trace_t *trace = self->trace;
    const spot_trace_steps_t *steps = self->steps;
    const char *word = spot_trace_steps_word(trace);

    if (trace->capacity == 1) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "One instance, %s %.3g %% of the time",
            word, 100 * steps->mean);
    } else if (steps->low == steps->high) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "%.10g instances %s all the time",
            steps->low, word);
    } else {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES,
            "Between %.10g and %.10g instances %s, %.4g on average", steps->low,
            steps->high, word, steps->mean);
    }
}

static void
write_note(const availability_t *self, char note[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_trace_t *trace = self->trace;
    const char *start = spot_trace_key(trace, "start");
    char name[SPOT_UTF8_SHOWN_BYTES], resolution[SPOT_TRACE_TIME_BYTES];
    char shown_start[SPOT_UTF8_SHOWN_BYTES], end[SPOT_DURATION_WORDS_BYTES];
    int used;

    spot_trace_time_text(trace->resolution_ms, resolution);
    spot_duration_words((double) trace->end_ms / (double) SPOT_MS_PER_S, end);
    used = snprintf(note, SPOT_PICTURE_TEXT_BYTES,
        "%s · kind %s · resolution %s s · start %s · observed for %s · %zu change%s",
        spot_utf8_shown(self->name, name), spot_trace_kind_names[trace->kind],
        resolution, spot_utf8_shown(start == NULL ? "unknown" : start, shown_start), end,
        self->steps->num_steps - 2, self->steps->num_steps == 3 ? "" : "s");
    if (spot_trace_steps_is_dense(self->steps)) {
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            ", drawn as the lowest and highest of each column of about a pixel");
    }
}

/* What both ends are. */
static void
draw_ends(
    const spot_figure_t *figure, const availability_t *self, const spot_panel_t *panel)
{
    char text[160];

    snprintf(text, sizeof(text),
        "● %" PRId32 " at the start    ○ %" PRId32
        " at the end (censored: what follows was not observed)",
        self->trace->initial, self->trace->final);
    spot_figure_text(figure, panel->left_px + panel->width_px, panel->top_px - 18,
        SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, text);
}

static void
draw_labels(
    const spot_figure_t *figure, const availability_t *self, const spot_panel_t *panel)
{
    spot_end_label_t labels[3];
    size_t num_labels = 0;

    if (is_bounded(self->trace)) {
        labels[num_labels] = (spot_end_label_t){.colour = SPOT_INK_QUIET,
            .y_px = spot_panel_y_px(panel, self->trace->capacity),
            .swatch_px = 2};
        snprintf(labels[num_labels].text, sizeof(labels[0].text), "capacity %" PRId32,
            self->trace->capacity);
        num_labels++;
    }
    if (spot_trace_steps_is_dense(self->steps)) {
        labels[num_labels] = (spot_end_label_t){.colour = SPOT_INK,
            .y_px = spot_panel_y_px(panel, self->steps->mean),
            .swatch_px = 2};
        snprintf(labels[num_labels].text, sizeof(labels[0].text), "mean %.4g",
            self->steps->mean);
        num_labels++;
    }
    labels[num_labels] = (spot_end_label_t){.colour = SPOT_INK_ACCENT,
        .y_px = spot_panel_y_px(panel, self->trace->final),
        .swatch_px = 2};
    snprintf(labels[num_labels].text, sizeof(labels[0].text), "%s",
        spot_trace_steps_word(self->trace));
    num_labels++;
    spot_figure_end_labels(figure, labels, num_labels, panel->left_px + panel->width_px,
        panel->top_px + panel->height_px);
}

/* The area below the steps, the capacity, the steps (where they are dense, thin ones and
 * their mean), the marks of both ends. */
static void
write_plot(const spot_figure_t *figure, const availability_t *self, double end)
{
    fprintf(figure->out,
        "$start << EOD\n0 %" PRId32 "\nEOD\n"
        "$end << EOD\n%.10g %" PRId32 "\nEOD\n"
        "plot $steps with fillsteps fillcolor rgb '%s' fillstyle transparent solid 0.12 "
        "noborder, \\\n",
        self->trace->initial, end, self->trace->final, SPOT_INK_ACCENT);
    if (is_bounded(self->trace)) {
        fprintf(figure->out, "%" PRId32 " with lines lw 1.2 dt (6,4) lc rgb '%s', \\\n",
            self->trace->capacity, SPOT_INK_QUIET);
    }
    fprintf(figure->out, "$steps with steps lw %g lc rgb '%s', \\\n",
        spot_trace_steps_is_dense(self->steps) ? 0.5 : 1.4, SPOT_INK_ACCENT);
    if (spot_trace_steps_is_dense(self->steps)) {
        fprintf(figure->out, "%.7g with lines lw 1.6 lc rgb '%s', \\\n",
            self->steps->mean, SPOT_INK);
    }
    fprintf(figure->out,
        "$start with points pt 7 ps 0.7 lc rgb '%s', \\\n"
        "$end with points pt 7 ps 0.7 lc rgb '#ffffff', \\\n"
        "$end with points pt 6 ps 0.7 lw 1.4 lc rgb '%s'\n",
        SPOT_INK_ACCENT, SPOT_INK_ACCENT);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const availability_t *self = context;
    const spot_trace_t *trace = self->trace;
    const spot_time_unit_t unit = spot_figure_time_unit(trace->end_ms);
    const double end = (double) trace->end_ms / (double) unit.unit_ms;
    const double highest =
        fmax(fmax(self->steps->high, 1), is_bounded(trace) ? trace->capacity : 0);
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    char x_name[32], y_name[32];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_title(self, title);
    write_note(self, note);
    top_px = spot_trace_picture_begin(&figure, out, picture_path, title, note,
        SPOT_PICTURE_TOP_PX + PANEL_PX + SPOT_PICTURE_FOOT_PX);
    panel = spot_trace_picture_panel(
        top_px + SPOT_PICTURE_TOP_PX, PANEL_PX, 0, end, spot_trace_steps_scale(highest));
    snprintf(x_name, sizeof(x_name), "time since the start (%s)", unit.name);
    snprintf(y_name, sizeof(y_name), "instances %s", spot_trace_steps_word(trace));
    spot_trace_picture_axis_names(&figure, &panel, x_name, y_name);
    draw_ends(&figure, self, &panel);
    draw_labels(&figure, self, &panel);
    spot_figure_panel(&figure, &panel, "%.10g");
    fprintf(out, "set xtics 0,%.6g\n", spot_scale_around(0, end, 10).step);
    spot_trace_steps_write_data(self->steps, "steps", unit, out);
    write_plot(&figure, self, end);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
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
                                          .write_script = write_script,
                                          .context = &context},
            diag);
    }
    spot_trace_steps_free(&steps);
    return ret;
}
