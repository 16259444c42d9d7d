/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/curve_panels.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"
#include "reports/palette.h"
#include "reports/picture_csv.h"
#include "reports/study_curves.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define MAX_PANELS 12
#define GAP_PX 36.0         /* between panels */
#define PANEL_PX 290.0      /* height */
#define PANEL_FOOT_PX 58.0  /* below it */
#define SECOND_X_PX 42.0    /* more below it for the second labels of x */
#define Y_NAME_PX 38.0      /* above it */
#define PANEL_TITLE_PX 20.0 /* more above it where panels have titles */
#define MAX_RIGHT_PX 260.0
#define LABEL_GAP_PX 12.0 /* between labels of x */
#define MAX_MARKED 100    /* values of x that have a dot each on a curve */

typedef struct {
    const spot_curves_t *curves;
    spot_figure_t figure;
    spot_study_grid_t grid;   /* of the panels drawn */
    spot_shown_unit_t shown;  /* of y and the stack: factor 100 for percent */
    spot_shown_unit_t second; /* of the second labels of x */
} study_plot_t;

static const spot_metric_t *
metric_of(const study_plot_t *self, int32_t metric_id)
{
    return &self->curves->head->metrics[metric_id];
}

/* What y or a part of the stack is called, in the unit of y. */
static void
part_words(const study_plot_t *self, int32_t metric_id, char words[SPOT_WORDS_BYTES])
{
    const spot_metric_t *metric = metric_of(self, metric_id);
    const spot_metric_t *y = metric_of(self, self->curves->y_id);
    const bool is_alike = strcmp(metric->unit, y->unit) == 0;

    (void) spot_fraction_words_in(
        metric, is_alike ? self->shown.unit : metric->unit, words);
}

/* Room for the labels of a stack; a curve alone needs none. */
static double
right_room_px(const study_plot_t *self)
{
    const spot_curves_t *curves = self->curves;
    char words[SPOT_WORDS_BYTES];
    size_t num_chars;

    if (curves->num_parts == 0) {
        return 0;
    }
    part_words(self, curves->y_id, words);
    num_chars = strlen(words);
    for (size_t j = 0; j < curves->num_parts; j++) {
        part_words(self, curves->part_ids[j], words);
        num_chars = strlen(words) > num_chars ? strlen(words) : num_chars;
    }
    return fmin(50 + SPOT_STUDY_CHAR_PX * (double) num_chars, MAX_RIGHT_PX);
}

static void
choose_layout(study_plot_t *self)
{
    const spot_curves_t *curves = self->curves;
    const double low = curves->x_low, high = curves->x_high;
    const double widen = high > low ? 0 : fmax(fabs(low) * 0.1, 1);
    const size_t num_panels =
        curves->num_panels < MAX_PANELS ? curves->num_panels : MAX_PANELS;

    self->grid = (spot_study_grid_t){
        .num_panels = num_panels,
        .num_columns = spot_study_num_columns(num_panels),
        .gap_px = GAP_PX,
        .right_px = right_room_px(self),
        .top_px = spot_study_head_px(curves->head),
        .head_px = Y_NAME_PX + (curves->head->num_axes > 1 ? PANEL_TITLE_PX : 0),
        .panel_px = PANEL_PX,
        .foot_px = PANEL_FOOT_PX + (curves->second_x_id >= 0 ? SECOND_X_PX : 0),
        .x_low = low - widen,
        .x_high = high + widen,
    };
    self->grid.y = spot_study_y_scale(curves, num_panels, self->shown.factor);
}

/* "pipeline depth 8", "mode async, reload 10 s": where the panel is on other axes. Where
 * it has all points, "together with pipeline depth, reload": what varies too. */
static void
draw_panel_title(const study_plot_t *self, const spot_panel_t *panel, size_t panel_id)
{
    const spot_study_head_t *head = self->curves->head;
    const bool is_varied = self->curves->has_all_in_one;
    char text[516] = "", words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES] = "";
    size_t used = 0;

    for (size_t j = 0; j < head->num_axes && used < 512; j++) {
        if (j != self->curves->axis_id) {
            const size_t value_id = spot_curves_value_id(self->curves, panel_id, j);

            spot_key_words(&head->axes[j], words);
            if (!is_varied) {
                (void) spot_value_label(&head->axes[j], value_id, label);
            }
            used += (size_t) snprintf(text + used, 512 - used, "%s%s%s%s",
                used > 0    ? ", "
                : is_varied ? "together with "
                            : "",
                words, is_varied ? "" : " ", label);
        }
    }
    spot_figure_cut(text, (size_t) (panel->width_px / SPOT_STUDY_CHAR_PX));
    spot_figure_text(&self->figure, panel->left_px, panel->top_px - 40, SPOT_TEXT_LABEL,
        SPOT_ALIGN_LEFT, text);
}

/* Both labels of a value of x; returns the characters of the longer one. */
static int
x_labels(const study_plot_t *self, size_t panel_id, size_t x_id,
    char first[SPOT_LABEL_BYTES], char second[SPOT_LABEL_BYTES])
{
    const spot_curves_t *curves = self->curves;
    const int32_t second_id = curves->second_x_id;
    const int num_first =
        snprintf(first, SPOT_LABEL_BYTES, "%.4g", spot_curves_x(curves, panel_id, x_id));
    const int num_second = spot_short_number(
        second_id < 0 ? (double) NAN
                      : self->second.factor *
                            spot_curves_at(curves, panel_id, x_id, second_id)->value,
        second);

    return num_first > num_second ? num_first : num_second;
}

/* Whether there is room for the labels of every stride-th value of x. */
static bool
labels_fit(
    const study_plot_t *self, const spot_panel_t *panel, size_t panel_id, size_t stride)
{
    char first[SPOT_LABEL_BYTES], second[SPOT_LABEL_BYTES];
    double free_px = 0;

    for (size_t j = 0; j < spot_curves_num_x(self->curves, panel_id); j += stride) {
        const int num_chars = x_labels(self, panel_id, j, first, second);
        const double half_px = (SPOT_STUDY_CHAR_PX * num_chars + LABEL_GAP_PX) / 2;
        const double x_px =
            spot_panel_x_px(panel, spot_curves_x(self->curves, panel_id, j));

        if (x_px - half_px < free_px) {
            return false;
        }
        free_px = x_px + half_px;
    }
    return true;
}

/* Labels as many values of x as have room, each n-th, and a second time with the mean of
 * another metric. */
static void
write_x_ticks(const study_plot_t *self, const spot_panel_t *panel, size_t panel_id)
{
    const size_t num_x = spot_curves_num_x(self->curves, panel_id);
    char first[SPOT_LABEL_BYTES], second[SPOT_LABEL_BYTES];
    size_t stride = 1;

    while (stride < num_x && !labels_fit(self, panel, panel_id, stride)) {
        stride++;
    }
    fputs("set xtics ()\n", self->figure.out);
    for (size_t j = 0; j < num_x; j += stride) {
        const double x = spot_curves_x(self->curves, panel_id, j);

        (void) x_labels(self, panel_id, j, first, second);
        fprintf(self->figure.out, "set xtics add ('%s' %.10g)\n", first, x);
        if (second[0] != '\0') {
            spot_figure_text(&self->figure, spot_panel_x_px(panel, x),
                panel->top_px + panel->height_px + 58, SPOT_TEXT_NOTE, SPOT_ALIGN_CENTER,
                second);
        }
    }
}

/* Whether a name stands below a panel without touching that of its neighbour. */
static bool
name_fits(const spot_panel_t *panel, const char *words)
{
    return SPOT_STUDY_CHAR_PX * (double) spot_utf8_count(words, strlen(words)) <=
           panel->width_px + GAP_PX;
}

/* The names of both rows of labels, in the middle below them. What the study calls them
 * gives way to their own names where it is too long. */
static void
draw_x_names(const study_plot_t *self, const spot_panel_t *panel)
{
    const spot_curves_t *curves = self->curves;
    const spot_plot_request_t *plot = &curves->head->plot;
    char words[SPOT_WORDS_BYTES];

    spot_x_words(curves->head, curves->axis_id, words);
    if (!name_fits(panel, words)) {
        spot_axis_words(&curves->head->axes[curves->axis_id], words);
    }
    spot_figure_x_name(&self->figure, panel, 35, words);
    if (curves->second_x_id >= 0) {
        const bool is_named =
            plot->second_x_label != NULL && name_fits(panel, plot->second_x_label);

        spot_metric_words_in(
            metric_of(self, curves->second_x_id), self->second.unit, words);
        spot_figure_text(&self->figure, panel->left_px + panel->width_px / 2,
            panel->top_px + panel->height_px + 75, SPOT_TEXT_NOTE, SPOT_ALIGN_CENTER,
            is_named ? plot->second_x_label : words);
    }
}

/* x, mean and interval of y, heights of the stack; nothing, which is a gap, where
 * something is undefined. */
static void
write_row(const study_plot_t *self, size_t panel_id, size_t x_id, double x)
{
    const spot_curves_t *curves = self->curves;
    const spot_summary_t *y = spot_curves_at(curves, panel_id, x_id, curves->y_id);
    FILE *out = self->figure.out;

    if (spot_curves_is_defined(curves, panel_id, x_id)) {
        fprintf(out, "%.10g %.6g %.6g %.6g", x, self->shown.factor * y->value,
            self->shown.factor * fmin(y->value, y->ci_low),
            self->shown.factor * fmax(y->value, y->ci_high));
        for (size_t k = 1; k <= curves->num_parts; k++) {
            fprintf(out, " %.6g",
                self->shown.factor * spot_curves_height(curves, panel_id, x_id, k));
        }
    }
    fputc('\n', out);
}

/* A row for each x; a single x is drawn as a bar. */
static void
write_data(const study_plot_t *self, const spot_panel_t *panel, size_t panel_id)
{
    const double quarter = (panel->x_high - panel->x_low) / 4;

    fprintf(self->figure.out, "$panel%zu << EOD\n", panel_id);
    if (self->curves->x_low == self->curves->x_high && !self->curves->has_all_in_one) {
        write_row(self, panel_id, 0, panel->x_low + quarter);
        write_row(self, panel_id, 0, panel->x_high - quarter);
    } else {
        for (size_t j = 0; j < spot_curves_num_x(self->curves, panel_id); j++) {
            write_row(self, panel_id, j, spot_curves_x(self->curves, panel_id, j));
        }
    }
    fputs("EOD\n", self->figure.out);
}

/* Dots with their intervals. */
static void
write_scatter(const study_plot_t *self, size_t panel_id)
{
    fprintf(self->figure.out,
        "plot $panel%zu using 1:3:(0):($4-$3) with vectors nohead lw 0.8 lc rgb '%s', "
        "\\\n"
        "$panel%zu using 1:2 with points pt 7 ps 0.45 lc rgb '%s'\n",
        panel_id, SPOT_INK_OTHER, panel_id, SPOT_INK_ACCENT);
}

/* The stack from its top down, each part from 0, so that no seams show; then the band
 * and the curve. */
static void
write_plot(const study_plot_t *self, size_t panel_id)
{
    const spot_curves_t *curves = self->curves;
    const char *ink = curves->num_parts > 0 ? SPOT_INK : SPOT_INK_ACCENT;
    FILE *out = self->figure.out;

    fputs("plot ", out);
    for (size_t k = curves->num_parts; k-- > 0;) {
        fprintf(out,
            "$panel%zu using 1:%zu with filledcurves y1=0 fillcolor rgb '%s' fillstyle "
            "solid 1 noborder, \\\n",
            panel_id, k + 5,
            spot_palette_colour(
                curves->head->colours, metric_of(self, curves->part_ids[k])->name, k));
    }
    for (size_t k = 0; k + 1 < curves->num_parts; k++) {
        fprintf(out, "$panel%zu using 1:%zu with lines lw 1 lc rgb '#ffffff', \\\n",
            panel_id, k + 5);
    }
    fprintf(out,
        "$panel%zu using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle "
        "transparent solid 0.2 noborder, \\\n"
        "$panel%zu using 1:2 with %s lc rgb '%s'\n",
        panel_id, ink, panel_id,
        spot_curves_num_x(curves, panel_id) <= MAX_MARKED
            ? "linespoints lw 2 pt 7 ps 0.35"
            : "lines lw 1.2",
        ink);
}

/* Names at the right end: the curve, then the parts that can be seen from the top. */
static void
draw_end_labels(const study_plot_t *self, const spot_panel_t *panel, size_t panel_id)
{
    const spot_curves_t *curves = self->curves;
    spot_end_label_t *labels = spot_calloc(1 + curves->num_parts, sizeof(*labels));
    const size_t last_x = spot_curves_num_x(curves, panel_id) - 1;
    size_t num_labels = 0;

    if (labels == NULL || !spot_curves_is_defined(curves, panel_id, last_x)) {
        free(labels);
        return;
    }
    labels[num_labels++] = (spot_end_label_t){
        .colour = SPOT_INK,
        .y_px = spot_panel_y_px(
            panel, self->shown.factor *
                       spot_curves_at(curves, panel_id, last_x, curves->y_id)->value),
        .swatch_px = 2,
    };
    part_words(self, curves->y_id, labels[0].text);
    for (size_t k = curves->num_parts; k-- > 0;) {
        const spot_metric_t *metric = metric_of(self, curves->part_ids[k]);
        const double low = spot_curves_height(curves, panel_id, last_x, k);
        const double high = spot_curves_height(curves, panel_id, last_x, k + 1);

        if (high > low) {
            spot_end_label_t *label = &labels[num_labels++];

            *label = (spot_end_label_t){
                .colour = spot_palette_colour(curves->head->colours, metric->name, k),
                .y_px = spot_panel_y_px(panel, self->shown.factor * (low + high) / 2),
                .swatch_px = SPOT_SWATCH_PX,
            };
            part_words(self, curves->part_ids[k], label->text);
        }
    }
    spot_figure_end_labels(&self->figure, labels, num_labels,
        panel->left_px + panel->width_px, panel->top_px + panel->height_px);
    free(labels);
}

static void
draw_panel(const study_plot_t *self, size_t panel_id)
{
    const spot_panel_t panel = spot_study_panel(&self->grid, panel_id);
    const size_t num_columns = self->grid.num_columns;
    const bool is_first = panel_id % num_columns == 0;
    const bool is_last =
        (panel_id + 1) % num_columns == 0 || panel_id + 1 == self->grid.num_panels;
    char words[SPOT_WORDS_BYTES];

    draw_panel_title(self, &panel, panel_id);
    if (is_first) {
        spot_metric_words_in(
            metric_of(self, self->curves->y_id), self->shown.unit, words);
        spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, panel.top_px - 18,
            SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, words);
    }
    if (is_last && self->curves->num_parts > 0) {
        draw_end_labels(self, &panel, panel_id);
    }
    if (self->curves->is_scattered) {
        spot_study_round_x_ticks(&self->figure, &panel);
    } else {
        write_x_ticks(self, &panel, panel_id);
    }
    draw_x_names(self, &panel);
    spot_figure_panel(&self->figure, &panel,
        !is_first                   ? ""
        : self->shown.factor == 100 ? "%g %%"
                                    : "%g");
    write_data(self, &panel, panel_id);
    (self->curves->is_scattered ? write_scatter : write_plot)(self, panel_id);
    spot_figure_end_panel(&self->figure);
}

static void
write_panels(const spot_curves_t *curves, const char *picture_path, FILE *out)
{
    study_plot_t plot = {.curves = curves,
        .shown = spot_report_shown(curves->report, (size_t) curves->y_id)};

    if (curves->second_x_id >= 0) {
        plot.second = spot_second_shown(curves->report, (size_t) curves->second_x_id);
    }
    choose_layout(&plot);
    spot_figure_begin(&plot.figure, out, SPOT_STUDY_WIDTH_PX,
        spot_study_grid_px(&plot.grid), picture_path);
    spot_study_head_draw(&plot.figure, curves, plot.grid.num_panels);
    for (size_t j = 0; j < plot.grid.num_panels; j++) {
        draw_panel(&plot, j);
    }
    spot_figure_end(&plot.figure);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const spot_curves_t *curves = context;
    int ret = 0;

    if (curves->has_curve_axis) {
        ret = spot_curve_panels_write(curves, picture_path, out);
    } else {
        write_panels(curves, picture_path, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* Gathers what is to be drawn; BAD_PARAM with the reason in diag if there is nothing. */
static int
gather(spot_curves_t *curves, const spot_report_t *report, const char *svg_path,
    spot_diag_t *diag)
{
    const char *problem = NULL;
    const int ret = spot_curves_init(curves, report, &problem);

    if (problem != NULL) {
        spot_diag_error(diag, svg_path, 0, 0, "nothing can be drawn: %s", problem);
    }
    return ret;
}

int
spot_study_plot_check(
    const spot_report_t *report, const char *svg_path, spot_diag_t *diag)
{
    spot_curves_t curves;
    const int ret = gather(&curves, report, svg_path, diag);

    spot_curves_free(&curves);
    return ret;
}

int
spot_study_plot(const spot_report_t *report, const char *svg_path, spot_diag_t *diag)
{
    spot_curves_t curves;
    int ret = gather(&curves, report, svg_path, diag);

    if (ret == 0) {
        ret = spot_metrics_check(
            report, 1 + curves.num_parts, curves.metric_ids, svg_path, diag);
    }
    if (ret == 0) {
        ret = spot_gnuplot_run(write_script, &curves, svg_path, diag);
    }
    spot_curves_free(&curves);
    return ret;
}

int
spot_study_plot_script(const spot_report_t *report, const char *svg_path, FILE *out)
{
    spot_curves_t curves;
    const char *problem = NULL;
    int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0) {
        ret = write_script(&curves, svg_path, out);
    }
    spot_curves_free(&curves);
    return ret;
}

int
spot_study_csv_write(const spot_report_t *report, FILE *out)
{
    size_t num_metrics;
    spot_curves_t curves;
    const char *problem = NULL;
    int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0) {
        num_metrics = 1 + curves.num_parts;
        if (curves.second_x_id >= 0) {
            curves.metric_ids[num_metrics++] = (size_t) curves.second_x_id;
        }
        ret = spot_picture_csv_write(report, num_metrics, curves.metric_ids, out);
    }
    spot_curves_free(&curves);
    return ret;
}
