/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/bars_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"
#include "reports/named_rows.h"
#include "reports/palette.h"
#include "reports/picture_csv.h"
#include "reports/study_head.h"
#include "reports/study_words.h"

#define HEADING_CHARS 84
#define HEAD_FOOT_PX 16.0 /* to the middle of the legend */
#define LEGEND_LINE_PX 20.0
#define LEGEND_GAP_PX 22.0 /* between entries */
#define LEGEND_FOOT_PX 16.0
#define ROW_PX 34.0
#define LOW_ROW_PX 26.0 /* where there are many */
#define MANY_ROWS 20
#define BAR_SHARE 0.68     /* of a row */
#define FOOT_PX 56.0       /* below the bars: the axis and its name */
#define NAME_CHARS 42      /* of the longest name beside a bar */
#define NAME_GAP_PX 10.0   /* between a name and its bar */
#define SHARE_ROOM_PX 40.0 /* that a share takes within a bar */

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_figure_t figure;
    spot_bar_rows_t rows; /* drawn */
    size_t num_parts;
    size_t *part_ids;        /* [num_parts] metrics, from the left */
    size_t side_id;          /* num_metrics: none */
    spot_shown_unit_t shown; /* of the parts: factor 100 for percent */
    spot_shown_unit_t side;
    double low, high; /* of the shortest and the longest bar */
    double legend_px; /* the middle of its first line */
    size_t num_legend_lines;
    spot_named_rows_t names;
    spot_panel_t panel;
} bars_plot_t;

static bool
is_of_overview(const spot_study_head_t *head)
{
    return head->has_overview && head->overview.num_parts > 0;
}

/* Of a part that the point lacks 0: nothing is drawn of it. */
static double
mean_at(const bars_plot_t *self, size_t point_id, size_t metric_id)
{
    return spot_study_has_metric(self->head, point_id, metric_id)
               ? self->shown.factor *
                     spot_report_summary(self->report, point_id, metric_id)->value
               : 0;
}

/* The lowest num_parts parts of a bar together; NAN where one of them is undefined. */
static double
height_of(const bars_plot_t *self, size_t point_id, size_t num_parts)
{
    double height = 0;

    for (size_t k = 0; k < num_parts; k++) {
        height += mean_at(self, point_id, self->part_ids[k]);
    }
    return height;
}

static bool
is_defined(const bars_plot_t *self, size_t point_id)
{
    return isfinite(height_of(self, point_id, self->num_parts));
}

/* Whether a part can be seen in any bar. */
static bool
is_drawn(const bars_plot_t *self, size_t part_id)
{
    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const size_t point_id = self->rows.rows[j].point_id;

        if (is_defined(self, point_id) &&
            mean_at(self, point_id, self->part_ids[part_id]) > 0) {
            return true;
        }
    }
    return false;
}

static const char *
colour_of(const bars_plot_t *self, size_t part_id)
{
    return spot_palette_colour(
        self->head->colours, self->head->metrics[self->part_ids[part_id]].name, part_id);
}

/* The legend in lines that are full; returns their number. Draws where is_real. */
static size_t
lay_legend(const bars_plot_t *self, bool is_real)
{
    double x_px = SPOT_STUDY_MARGIN_PX;
    size_t num_lines = 1;
    char words[SPOT_WORDS_BYTES];

    for (size_t k = 0; k < self->num_parts; k++) {
        double width_px;

        if (!is_drawn(self, k)) {
            continue;
        }
        (void) spot_fraction_words_in(
            &self->head->metrics[self->part_ids[k]], self->shown.unit, words);
        width_px = SPOT_SWATCH_PX + 7 + SPOT_STUDY_CHAR_PX * (double) strlen(words);
        if (x_px > SPOT_STUDY_MARGIN_PX &&
            x_px + width_px > SPOT_STUDY_WIDTH_PX - SPOT_STUDY_MARGIN_PX) {
            x_px = SPOT_STUDY_MARGIN_PX;
            num_lines++;
        }
        if (is_real) {
            spot_figure_entry(&self->figure, x_px,
                self->legend_px + LEGEND_LINE_PX * (double) (num_lines - 1),
                SPOT_SWATCH_PX, colour_of(self, k), words);
        }
        x_px += width_px + LEGEND_GAP_PX;
    }
    return num_lines;
}

/* "11.1": the estimate that stands beside a bar. */
static void
side_text(const bars_plot_t *self, size_t point_id, char text[SPOT_LABEL_BYTES])
{
    (void) spot_short_number(
        self->side.factor *
            spot_report_summary(self->report, point_id, self->side_id)->value,
        text);
}

/* What stands at the right of the bars is called. */
static void
side_words(const bars_plot_t *self, char words[SPOT_WORDS_BYTES])
{
    if (self->head->plot.second_x_label != NULL) {
        snprintf(words, SPOT_WORDS_BYTES, "%s", self->head->plot.second_x_label);
    } else {
        spot_metric_words_in(
            &self->head->metrics[self->side_id], self->side.unit, words);
    }
}

static void
row_words(const void *context, size_t row_id, char text[SPOT_POINT_BYTES])
{
    const bars_plot_t *self = context;

    spot_bar_row_words(&self->rows, row_id, NAME_CHARS, text);
}

/* Of the shortest and the longest bar. */
static void
find_range(bars_plot_t *self)
{
    self->low = HUGE_VAL;
    self->high = 0;
    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const double height =
            height_of(self, self->rows.rows[j].point_id, self->num_parts);

        self->low = fmin(self->low, height); /* skips NAN */
        self->high = fmax(self->high, height);
    }
}

/* Headings take room among the rows, and numbers at the right of them. */
static void
choose_panel(bars_plot_t *self)
{
    const double row_px = self->rows.num_rows > MANY_ROWS ? LOW_ROW_PX : ROW_PX;
    const double right_px = self->side_id < self->head->num_metrics ? 90 : 40;
    double x_high;

    find_range(self);
    x_high = self->high > 0 ? self->high : 1;
    if (self->shown.factor == 100 && self->high < 100.001) {
        x_high = 100; /* shares add up to the whole but for rounding */
    }
    self->num_legend_lines = lay_legend(self, false);
    self->legend_px = spot_study_head_px(self->head) + HEAD_FOOT_PX;
    self->names = (spot_named_rows_t){self->rows.num_rows, NAME_GAP_PX, row_words, self};
    self->panel = spot_named_rows_panel(&self->names,
        self->legend_px + LEGEND_LINE_PX * (double) self->num_legend_lines +
            LEGEND_FOOT_PX,
        row_px, 0, x_high);
    self->panel.width_px = SPOT_STUDY_WIDTH_PX - self->panel.left_px - right_px;
    self->panel.height_px = row_px * self->rows.height;
    self->panel.y = (spot_scale_t){self->rows.height, 0, self->rows.height};
}

static void
draw_head(const bars_plot_t *self)
{
    const spot_study_head_t *head = self->head;
    char note[SPOT_NOTE_BYTES];
    size_t used;

    spot_study_run_words(self->report, note);
    used = strlen(note);
    if (self->report->max_rows > 1) {
        used += (size_t) snprintf(note + used, sizeof(note) - used, " · %s",
            spot_estimate_words(&head->metrics[self->part_ids[0]]));
    }
    if (self->rows.num_rows < head->num_points) {
        snprintf(note + used, sizeof(note) - used,
            self->rows.is_spread ? " · %zu of %zu points, spread evenly"
                                 : " · the first %zu of %zu points",
            self->rows.num_rows, head->num_points);
    }
    spot_study_head_draw_note(&self->figure, head, note);
}

/* "52 %" within a part of a bar that has room for it. */
static void
draw_share(const bars_plot_t *self, double low, double high, double y_px)
{
    const double low_px = spot_panel_x_px(&self->panel, low);
    const double high_px = spot_panel_x_px(&self->panel, high);
    char text[SPOT_LABEL_BYTES];

    if (high_px - low_px < SHARE_ROOM_PX) {
        return;
    }
    if (self->shown.factor == 100) {
        snprintf(text, sizeof(text), "%.0f %%", high - low);
    } else {
        (void) spot_short_number(high - low, text);
    }
    spot_figure_text(&self->figure, (low_px + high_px) / 2, y_px, SPOT_TEXT_DARK,
        SPOT_ALIGN_CENTER, text);
}

/* What the rows below have in common, up to the next heading. */
static void
draw_heading(const bars_plot_t *self, size_t row_id)
{
    const double row = self->rows.rows[row_id].middle - 0.92;
    char text[SPOT_POINT_BYTES];

    spot_bar_group_words(&self->rows, row_id, HEADING_CHARS, text);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX,
        spot_panel_y_px(&self->panel, row), SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, text);
}

/* The name of a row, the shares in its bar and the number behind it. */
static void
draw_bar_texts(const bars_plot_t *self, size_t row_id)
{
    const spot_panel_t *panel = &self->panel;
    const size_t point_id = self->rows.rows[row_id].point_id;
    const double y_px = spot_panel_y_px(panel, self->rows.rows[row_id].middle);
    char side[SPOT_LABEL_BYTES];

    if (self->rows.rows[row_id].is_first) {
        draw_heading(self, row_id);
    }
    spot_named_rows_name(&self->names, &self->figure, panel, row_id, y_px);
    if (!is_defined(self, point_id)) {
        spot_figure_text(&self->figure, panel->left_px + 6, y_px, SPOT_TEXT_NOTE,
            SPOT_ALIGN_LEFT, "undefined in all replications");
    }
    for (size_t k = 0; is_defined(self, point_id) && k < self->num_parts; k++) {
        draw_share(
            self, height_of(self, point_id, k), height_of(self, point_id, k + 1), y_px);
    }
    if (self->side_id < self->head->num_metrics) {
        side_text(self, point_id, side);
        spot_figure_text(&self->figure, SPOT_STUDY_WIDTH_PX - SPOT_STUDY_MARGIN_PX, y_px,
            SPOT_TEXT_LABEL, SPOT_ALIGN_RIGHT, side);
    }
}

/* What the bars are parts of, and whether they are all of it. */
static const char *
axis_words(const bars_plot_t *self)
{
    const bool has_all = self->low > 99.9 && self->high < 100.1;

    if (self->shown.factor != 100) {
        return "the parts one after the other";
    }
    if (!has_all) {
        return "share; what is not shown makes up the rest";
    }
    return is_of_overview(self->head) ? "share of the paid instance time"
                                      : "share of the whole";
}

static void
draw_names(const bars_plot_t *self)
{
    const spot_panel_t *panel = &self->panel;
    char words[SPOT_WORDS_BYTES];

    spot_figure_x_name(&self->figure, panel, 36, axis_words(self));
    if (self->side_id < self->head->num_metrics) {
        side_words(self, words);
        spot_figure_text(&self->figure, SPOT_STUDY_WIDTH_PX - SPOT_STUDY_MARGIN_PX,
            panel->top_px - 12, SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, words);
    }
}

/* A line for each bar that has the part: its middle and its edges. */
static void
write_part(const bars_plot_t *self, size_t part_id)
{
    FILE *out = self->figure.out;

    fprintf(out, "$part%zu << EOD\n", part_id);
    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const size_t point_id = self->rows.rows[j].point_id;
        const double low = height_of(self, point_id, part_id);
        const double high = height_of(self, point_id, part_id + 1);
        const double y = self->rows.rows[j].middle;

        if (is_defined(self, point_id) && high > low) {
            fprintf(out, "%.6g %.6g %.6g %.6g %.6g %.6g\n", (low + high) / 2, y, low,
                high, y - BAR_SHARE / 2, y + BAR_SHARE / 2);
        }
    }
    fputs("EOD\n", out);
}

static void
draw_bars(const bars_plot_t *self)
{
    FILE *out = self->figure.out;

    for (size_t k = 0; k < self->num_parts; k++) {
        if (is_drawn(self, k)) {
            write_part(self, k);
        }
    }
    fputs("plot ", out);
    for (size_t k = 0; k < self->num_parts; k++) {
        if (is_drawn(self, k)) {
            fprintf(out,
                "$part%zu using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '%s' "
                "fillstyle solid 1 noborder, \\\n",
                k, colour_of(self, k));
        }
    }
    fputs("NaN\n", out); /* there may be no bar at all */
}

static void
write_bars(bars_plot_t *self, const char *picture_path, FILE *out)
{
    const double step = spot_scale_around(0, self->panel.x_high, 10).step;

    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
        self->panel.top_px + self->panel.height_px + FOOT_PX, picture_path);
    draw_head(self);
    (void) lay_legend(self, true);
    for (size_t j = 0; j < self->rows.num_rows; j++) {
        draw_bar_texts(self, j);
    }
    draw_names(self);
    spot_named_rows_grid(&self->figure);
    fprintf(out, "set xtics 0,%.6g format '%s'\n", step,
        self->shown.factor == 100 ? "%g %%" : "%g");
    spot_figure_panel(&self->figure, &self->panel, "");
    draw_bars(self);
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

/* The overview's parts add up to the whole; those of the plot may be some of them. */
static int
choose_parts(const spot_study_head_t *head, size_t **part_ids, size_t *num_parts)
{
    const bool is_whole = is_of_overview(head);
    const size_t num_wanted = is_whole ? head->overview.num_parts : head->plot.num_stack;

    *num_parts = 0;
    *part_ids = spot_calloc(num_wanted, sizeof(**part_ids));
    for (size_t j = 0; *part_ids != NULL && j < num_wanted; j++) {
        const size_t metric_id = is_whole
                                     ? head->overview.part_ids[j]
                                     : spot_study_metric_id(head, head->plot.stack[j]);

        if (metric_id < head->num_metrics) {
            (*part_ids)[(*num_parts)++] = metric_id;
        }
    }
    return *part_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* BAD_PARAM: there is no stack. The caller frees the part_ids. */
static int
choose_metrics(bars_plot_t *self)
{
    const spot_study_head_t *head = self->head;
    const int ret = choose_parts(head, &self->part_ids, &self->num_parts);
    double largest = 0;

    self->side_id = spot_study_metric_id(head, head->plot.second_x);
    if (ret != 0 || self->num_parts == 0) {
        return ret != 0 ? ret : SPOT_ERR_BAD_PARAM;
    }
    for (size_t k = 0; k < self->num_parts; k++) {
        largest = fmax(largest, spot_report_largest(self->report, self->part_ids[k]));
    }
    self->shown = spot_metric_shown(&head->metrics[self->part_ids[0]], largest);
    if (self->side_id < head->num_metrics) {
        self->side = spot_second_shown(self->report, self->side_id);
    }
    return 0;
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const spot_report_t *report = context;
    const spot_study_head_t *head = report->head;
    bars_plot_t self = {.report = report, .head = head};
    int ret = choose_metrics(&self);

    if (ret == 0) {
        ret = spot_bar_rows_init(&self.rows, head);
    }
    if (ret == 0) {
        choose_panel(&self);
        write_bars(&self, picture_path, out);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    free(self.part_ids);
    return ret;
}

int
spot_bars_plot(const spot_report_t *report, const char *svg_path, spot_diag_t *diag)
{
    return spot_gnuplot_run(write_script, report, svg_path, diag);
}

int
spot_bars_plot_script(const spot_report_t *report, const char *svg_path, FILE *out)
{
    return write_script(report, svg_path, out);
}

const char *
spot_bars_plot_problem(const spot_report_t *report)
{
    const char *problem = "the study kept no metrics that add up to a whole";
    size_t *part_ids, num_parts;

    if (choose_parts(report->head, &part_ids, &num_parts) == 0 && num_parts > 0) {
        problem = spot_metrics_problem(report, num_parts, part_ids);
    }
    free(part_ids);
    return problem;
}

int
spot_bars_csv_write(const spot_report_t *report, FILE *out)
{
    size_t *part_ids, num_parts;
    int ret = choose_parts(report->head, &part_ids, &num_parts);

    if (ret == 0) {
        ret = spot_picture_csv_write(report, num_parts, part_ids, out);
    }
    free(part_ids);
    return ret;
}

/* The mean share of a part over the points that have all parts. */
static double
mean_share(const bars_plot_t *self, size_t part_id)
{
    double sum = 0;
    size_t num_points = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (is_defined(self, j)) {
            sum += mean_at(self, j, self->part_ids[part_id]) / self->shown.factor;
            num_points++;
        }
    }
    return num_points > 0 ? sum / (double) num_points : (double) NAN;
}

/* The part that the rest takes from: named for goodput or useful time. */
static size_t
useful_part(const bars_plot_t *self)
{
    for (size_t k = 0; k < self->num_parts; k++) {
        const char *name = self->head->metrics[self->part_ids[k]].name;

        if (strncmp(name, "goodput", 7) == 0 || strncmp(name, "useful", 6) == 0) {
            return k;
        }
    }
    return self->num_parts;
}

/* The point where a part has the lowest or the highest mean; there is one. */
static size_t
find_end(const bars_plot_t *self, size_t part_id, bool is_high)
{
    const size_t metric_id = self->part_ids[part_id];
    size_t found_id = SIZE_MAX;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!is_defined(self, j)) {
            continue;
        }
        if (found_id == SIZE_MAX ||
            (is_high ? mean_at(self, j, metric_id) > mean_at(self, found_id, metric_id)
                     : mean_at(self, j, metric_id) <
                           mean_at(self, found_id, metric_id))) {
            found_id = j;
        }
    }
    return found_id;
}

/* "12.0 % at checkpoint, per minute 0.5". */
static void
describe_end(const bars_plot_t *self, size_t part_id, bool is_high, FILE *out)
{
    const size_t point_id = find_end(self, part_id, is_high);
    const size_t metric_id = self->part_ids[part_id];
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    spot_point_words(self->head, point_id, NAME_CHARS, point);
    spot_value_words(
        &self->shown, mean_at(self, point_id, metric_id) / self->shown.factor, value);
    fprintf(out, "%s%s%s", value, point[0] != '\0' ? " at " : "", point);
}

/* ". The largest is standby, 20.3 % on average; goodput is from 12.0 % at ... to ...".
 */
static void
describe_parts(const bars_plot_t *self, size_t largest_id, FILE *out)
{
    const size_t useful_id = useful_part(self);
    const size_t told_id = useful_id < self->num_parts ? useful_id : largest_id;
    const spot_metric_t *metric = &self->head->metrics[self->part_ids[largest_id]];
    char words[SPOT_WORDS_BYTES], value[SPOT_LABEL_BYTES];

    (void) spot_fraction_words_in(metric, self->shown.unit, words);
    spot_value_words(&self->shown, mean_share(self, largest_id), value);
    fprintf(out, ". The largest is %s, %s on average over the points", words, value);
    (void) spot_fraction_words_in(
        &self->head->metrics[self->part_ids[told_id]], self->shown.unit, words);
    fprintf(out, "; %s is from ", words);
    describe_end(self, told_id, false, out);
    fputs(" to ", out);
    describe_end(self, told_id, true, out);
}

void
spot_bars_describe(const spot_report_t *report, FILE *out)
{
    bars_plot_t self = {.report = report, .head = report->head};
    size_t largest_id = 0;

    if (choose_metrics(&self) != 0) {
        free(self.part_ids);
        return;
    }
    for (size_t k = 1; k < self.num_parts; k++) {
        largest_id =
            mean_share(&self, k) > mean_share(&self, largest_id) ? k : largest_id;
    }
    fprintf(out, "Where the %stime of each point goes, as a bar of %zu parts",
        is_of_overview(report->head) ? "paid " : "", self.num_parts);
    if (isfinite(mean_share(&self, largest_id))) {
        describe_parts(&self, largest_id, out);
    }
    fputc('.', out);
    free(self.part_ids);
}
