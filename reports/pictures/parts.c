/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pictures/parts.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/verb/table.h"

const spot_study_picture_t *const spot_study_pictures[] = {&spot_picture_curves,
    &spot_picture_ledger, &spot_picture_pareto, &spot_picture_differences,
    &spot_picture_sensitivity, NULL};

/* ---- Words ---- */

spot_view_t spot_view(const spot_report_t *report, size_t metric_id, spot_texts_t *texts)
{
    return (spot_view_t){
        report, report->head, texts, metric_id, spot_report_shown(report, metric_id)};
}

static const char *view_number(const spot_view_t *self, double value)
{
    const bool is_percent = self->shown.factor == 100 && self->shown.unit[0] == '\0';

    if (!isfinite(value)) {
        return "undefined";
    }
    return is_percent ? spot_texts_add(self->texts, "%.1f %%", 100 * value)
                      : spot_words_number(self->texts, self->shown.factor * value);
}

const char *spot_view_value(const spot_view_t *self, double value)
{
    const bool has_unit = self->shown.unit[0] != '\0' && isfinite(value);

    return spot_texts_add(self->texts, "%s%s%s", view_number(self, value), has_unit ? " " : "",
        has_unit ? self->shown.unit : "");
}

const char *spot_view_metric(const spot_view_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    const bool is_same = strcmp(metric->unit, self->head->metrics[self->metric_id].unit) == 0;

    return spot_words_metric(self->texts, metric, is_same ? self->shown.unit : NULL);
}

const char *spot_view_hover(
    const spot_view_t *self, size_t point_id, double value, double low, double high)
{
    const char *point = spot_words_point(self->texts, self->head, point_id, SPOT_PICTURE_CHARS);
    const char *range = "";

    if (high > low) {
        range = spot_texts_add(
            self->texts, " (%s to %s)", view_number(self, low), view_number(self, high));
    }
    return spot_texts_add(self->texts, "%s%s%s%s", point, point[0] == '\0' ? "" : ": ",
        spot_view_value(self, value), range);
}

/* "pipeline depth 8, parcae": the values of a point, without those of two axes. */
static const char *words_values(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, size_t other_id)
{
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t value_id = spot_study_value_id(head, point_id, j);
        const bool is_bare = isnan(head->axes[j].numbers[value_id]);

        if (j != left_out_id && j != other_id) {
            text = spot_texts_add(texts, "%s%s%s%s%s", text, text[0] == '\0' ? "" : ", ",
                is_bare ? "" : spot_words_key(texts, &head->axes[j]), is_bare ? "" : " ",
                spot_words_label(texts, &head->axes[j], value_id));
        }
    }
    return text;
}

const char *spot_words_cut(spot_texts_t *texts, size_t num_shown, size_t num_all, const char *what)
{
    return num_shown == num_all
               ? ""
               : spot_texts_add(texts, " · the first %zu of %zu %s", num_shown, num_all, what);
}

static double value_at(const spot_view_t *self, const double *values, size_t point_id)
{
    return values != NULL ? values[point_id]
                          : spot_report_summary(self->report, point_id, self->metric_id)->value;
}

/* "41.2 % at per minute 0.5". */
static const char *end_words(const spot_view_t *self, const double *values, size_t point_id)
{
    const char *point = spot_words_point(self->texts, self->head, point_id, SPOT_PICTURE_CHARS);

    return spot_texts_add(self->texts, "%s%s%s",
        spot_view_value(self, value_at(self, values, point_id)), point[0] == '\0' ? "" : " at ",
        point);
}

const char *spot_view_range(const spot_view_t *self, const double *values)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t low_id = 0, high_id = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double value = value_at(self, values, j);

        if (isfinite(value)) {
            low_id = value < low ? j : low_id;
            high_id = value > high ? j : high_id;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    return low > high ? ""
                      : spot_texts_add(self->texts, "from %s to %s",
                            end_words(self, values, low_id), end_words(self, values, high_id));
}

void spot_view_head(const spot_view_t *self, spot_chart_t *chart, const char *title,
    const char *description, const char *more)
{
    spot_chart_describe(chart, "%s", description);
    spot_chart_title(
        chart, "%c%s", toupper((unsigned char) title[0]), title[0] == '\0' ? "" : title + 1);
    spot_chart_note(chart, "%s%s", spot_words_run(self->texts, self->report), more);
}

/* ---- Scales ---- */

spot_chart_axis_t spot_picture_x_axis(
    spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id)
{
    static const char in_s[] = " (s)";
    const bool is_time = strcmp(head->axes[axis_id].unit, "s") == 0;
    const char *name = spot_words_x(texts, head, axis_id);
    const size_t num_bytes = strlen(name);

    if (is_time && num_bytes >= strlen(in_s) &&
        strcmp(name + num_bytes - strlen(in_s), in_s) == 0) {
        /* the scale chooses s, min, h or d */
        name = spot_texts_add(texts, "%.*s", (int) (num_bytes - strlen(in_s)), name);
    }
    return (spot_chart_axis_t){.name = name, .unit = is_time ? SPOT_CHART_S : SPOT_CHART_NUMBER};
}

size_t spot_spread(size_t place, size_t num_shown, size_t num_all)
{
    return num_shown < 2 ? (num_all - 1) / 2
                         : (place * (num_all - 1) + (num_shown - 1) / 2) / (num_shown - 1);
}

/* ---- Frames ---- */

bool spot_frame_has(const spot_frames_t *self, const spot_frame_t *frame, size_t point_id)
{
    const spot_curves_t *curves = self->curves;

    for (size_t j = 0; j < curves->head->num_axes; j++) {
        if (j != curves->axis_id && j != self->axis_id &&
            spot_curves_value_id(curves, frame->curve_ids[0], j) !=
                spot_study_value_id(curves->head, point_id, j)) {
            return false;
        }
    }
    return true;
}

void spot_frames_init(spot_frames_t *self, const spot_curves_t *curves, size_t axis_id,
    size_t left_out_id, size_t max_frames)
{
    *self = (spot_frames_t){.curves = curves, .axis_id = axis_id};
    for (size_t j = 0; j < curves->num_panels; j++) {
        const size_t point_id = spot_curves_point(curves, j, 0);
        spot_frame_t *frame = self->frames, *end = frame + self->num_frames;

        if (axis_id != SIZE_MAX && spot_curves_value_id(curves, j, axis_id) == left_out_id) {
            continue;
        }
        self->num_wanted++;
        while (frame < end && (axis_id == SIZE_MAX || !spot_frame_has(self, frame, point_id))) {
            frame++;
        }
        if (frame == end && self->num_frames < max_frames) {
            self->num_frames++;
        }
        if (frame < self->frames + self->num_frames && frame->num_curves < SPOT_MAX_FRAME_CURVES) {
            frame->curve_ids[frame->num_curves++] = j;
            self->num_drawn++;
        }
    }
}

const char *spot_frame_words(
    const spot_frames_t *self, const spot_frame_t *frame, spot_texts_t *texts)
{
    const spot_curves_t *curves = self->curves;
    const char *text = "";

    if (!curves->has_all_in_one) {
        text = words_values(texts, curves->head, spot_curves_point(curves, frame->curve_ids[0], 0),
            curves->axis_id, self->axis_id);
    }
    for (size_t j = 0; curves->has_all_in_one && j < curves->head->num_axes; j++) {
        if (j != curves->axis_id) {
            text = spot_texts_add(texts, "%s%s%s", text, text[0] == '\0' ? "together with " : ", ",
                spot_words_key(texts, &curves->head->axes[j]));
        }
    }
    return text[0] == '\0' ? NULL : text;
}

/* ---- Data ---- */

int spot_study_picture_write_csv(
    const spot_study_picture_t *self, const spot_report_t *report, FILE *out)
{
    spot_table_t table = {0};
    int ret = self->fill(report, &table);

    ret = ret == 0 ? spot_table_write_csv(&table, out) : ret;
    spot_table_free(&table);
    return ret;
}

void spot_picture_column(spot_table_t *table, const char *format, ...)
{
    char name[256];
    va_list values;

    va_start(values, format);
    (void) vsnprintf(name, sizeof(name), format, values);
    va_end(values);
    spot_table_add_column(table, (spot_table_column_t){.name = name, .num_digits = 8});
}

void spot_picture_point_columns(spot_table_t *table, const spot_study_head_t *head)
{
    spot_picture_column(table, "point");
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        spot_picture_column(
            table, "%s%s%s", axis->path, axis->unit[0] == '\0' ? "" : "_", axis->unit);
    }
}

void spot_picture_point_row(spot_table_t *table, const spot_study_head_t *head, size_t point_id)
{
    spot_table_add_row(table);
    spot_table_add_count(table, (int64_t) point_id);
    for (size_t k = 0; k < head->num_axes; k++) {
        const spot_axis_t *axis = &head->axes[k];
        const size_t value_id = spot_study_value_id(head, point_id, k);

        if (isfinite(axis->numbers[value_id])) {
            spot_table_add_number(table, axis->numbers[value_id]);
        } else {
            spot_table_add_text(table, axis->texts[value_id]);
        }
    }
}

void spot_picture_estimate_columns(spot_table_t *table, const char *name, const char *what)
{
    static const char *const ends[] = {"_mean", "_ci95_low", "_ci95_high"};

    for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
        spot_picture_column(table, "%s%s%s", name, what, ends[j]);
    }
}

void spot_picture_estimate(spot_table_t *table, double value, double low, double high)
{
    spot_table_add_number(table, value);
    spot_table_add_number(table, low);
    spot_table_add_number(table, high);
}

void spot_picture_fill_metrics(
    spot_table_t *table, const spot_report_t *report, size_t num_metrics, const size_t *metric_ids)
{
    spot_picture_point_columns(table, report->head);
    for (size_t k = 0; k < num_metrics; k++) {
        spot_picture_estimate_columns(table, report->head->metrics[metric_ids[k]].name, "");
    }
    for (size_t j = 0; j < report->head->num_points; j++) {
        spot_picture_point_row(table, report->head, j);
        for (size_t k = 0; k < num_metrics; k++) {
            const spot_summary_t *summary = spot_report_summary(report, j, metric_ids[k]);

            spot_picture_estimate(table, summary->value, summary->ci_low, summary->ci_high);
        }
    }
}

/* ---- Rows of bars ---- */

/* num_axes: the points are not drawn in groups. */
static size_t choose_row_axis(const spot_study_head_t *head)
{
    size_t first_id = head->num_axes, wanted_id = head->num_axes;

    if (head->num_axes < 2 || head->plan.kind == SPOT_PLAN_ZIP ||
        spot_plan_is_design(head->plan.kind)) {
        return head->num_axes;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        if (isnan(axis->numbers[0])) {
            return j;
        }
        first_id = first_id == head->num_axes && axis->num_values > 1 ? j : first_id;
        if (head->plot.x != NULL && strcmp(axis->path, head->plot.x) == 0) {
            wanted_id = j;
        }
    }
    return wanted_id < head->num_axes ? wanted_id : first_id;
}

static void add_row(spot_bar_rows_t *self, size_t point_id, bool is_first)
{
    self->rows[self->num_rows++] = (spot_bar_row_t){point_id, is_first};
}

/* As many whole groups as there is room for, spread evenly; of one that is too large the
 * rows are. */
static void add_groups(spot_bar_rows_t *self, const spot_point_lines_t *groups)
{
    size_t num_largest = 1, num_shown;

    for (size_t j = 0; j < groups->num_lines; j++) {
        const size_t num_rows = groups->starts[j + 1] - groups->starts[j];

        num_largest = num_rows > num_largest ? num_rows : num_largest;
    }
    num_shown = num_largest < SPOT_MAX_BARS ? SPOT_MAX_BARS / num_largest : 1;
    num_shown = num_shown < groups->num_lines ? num_shown : groups->num_lines;
    for (size_t j = 0; j < num_shown; j++) {
        const size_t group_id = spot_spread(j, num_shown, groups->num_lines);
        const size_t start = groups->starts[group_id];
        const size_t num_all = groups->starts[group_id + 1] - start;
        const size_t num_rows = num_all < SPOT_MAX_BARS ? num_all : SPOT_MAX_BARS;

        for (size_t k = 0; k < num_rows; k++) {
            add_row(self, groups->point_ids[start + spot_spread(k, num_rows, num_all)], k == 0);
        }
    }
    self->is_spread = self->num_rows < self->head->num_points;
}

int spot_bar_rows_init(spot_bar_rows_t *self, const spot_study_head_t *head)
{
    spot_point_lines_t groups = {0};
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->head = head;
    self->row_axis_id = choose_row_axis(head);
    if (self->row_axis_id < head->num_axes) {
        ret = spot_point_lines_init(&groups, head, self->row_axis_id, false);
        if (ret == 0) {
            add_groups(self, &groups);
        }
        spot_point_lines_free(&groups);
        return ret;
    }
    for (size_t j = 0; j < head->num_points && j < SPOT_MAX_BARS; j++) {
        add_row(self, j, false);
    }
    return 0;
}

const char *spot_bar_row_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts)
{
    const size_t point_id = self->rows[row_id].point_id;

    return self->row_axis_id < self->head->num_axes
               ? spot_words_point_label(texts, self->head, point_id, self->row_axis_id)
               : spot_words_point(texts, self->head, point_id, SPOT_PICTURE_CHARS);
}

const char *spot_bar_group_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts)
{
    const spot_axis_t *axis = &self->head->axes[self->row_axis_id];
    const char *words = words_values(
        texts, self->head, self->rows[row_id].point_id, self->row_axis_id, self->row_axis_id);

    return spot_axis_is_numeric(axis)
               ? spot_texts_add(texts, "%s, by %s", words, spot_words_key(texts, axis))
               : words;
}
