/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of the scripts. Columns are texts, numbers with blanks between them and
 * nothing where a number is undefined: ".125 3e5  .5". That is half of what arrays of
 * JSON take, and quicker to write and to read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/palette.h"
#include "reports/shown_unit.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

/* Numbers of all columns together: 3.5 MB. */
#define MAX_NUMBERS 450000
#define MAX_LABELS 1000 /* of an axis of numbers, which need none */

#define MEAN_DIGITS 5 /* at least, and as many as its interval tells */
#define HALF_WIDTH_DIGITS 3
#define MAX_DIGITS 15

/* What of a metric is there, and how much it is wanted. */
typedef enum { WANTED_LAST, WANTED_LEDGER, WANTED_LISTED, WANTED_MAIN } wanted_t;

typedef struct {
    const spot_page_t *page;
    const spot_study_head_t *head;
    size_t num_points; /* the first ones, of which there is data */
    size_t num_parts;
    size_t *part_ids; /* [num_parts] the ledger, from below */
    wanted_t *wanted; /* [num_metrics] as the next two */
    bool *has_mean;
    bool *has_half_width;
} page_data_t;

static int
make_lists(page_data_t *self)
{
    const spot_study_head_t *head = self->head;
    const size_t most_parts =
        head->has_overview ? head->overview.num_parts : head->plot.num_stack;

    self->part_ids = spot_calloc(most_parts, sizeof(*self->part_ids));
    self->wanted = spot_calloc(head->num_metrics, sizeof(*self->wanted));
    self->has_mean = spot_calloc(head->num_metrics, sizeof(*self->has_mean));
    self->has_half_width = spot_calloc(head->num_metrics, sizeof(*self->has_half_width));
    return self->part_ids == NULL || self->wanted == NULL || self->has_mean == NULL ||
                   self->has_half_width == NULL
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

static void
free_lists(page_data_t *self)
{
    free(self->part_ids);
    free(self->wanted);
    free(self->has_mean);
    free(self->has_half_width);
}

/* The parts of the ledger: those of the study's overview, else those that its plot
 * stacks. */
static void
find_parts(page_data_t *self)
{
    const spot_study_head_t *head = self->head;

    if (head->has_overview) {
        for (; self->num_parts < head->overview.num_parts; self->num_parts++) {
            self->part_ids[self->num_parts] = head->overview.part_ids[self->num_parts];
        }
        return;
    }
    for (size_t j = 0; j < head->plot.num_stack; j++) {
        const size_t metric_id = spot_study_metric_id(head, head->plot.stack[j]);

        if (metric_id < head->num_metrics) {
            self->part_ids[self->num_parts++] = metric_id;
        }
    }
}

static void
want(page_data_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_listed; j++) {
        self->wanted[j] = WANTED_LISTED;
    }
    for (size_t j = 0; j < self->num_parts; j++) {
        const size_t metric_id = self->part_ids[j];

        if (self->wanted[metric_id] == WANTED_LAST) {
            self->wanted[metric_id] = WANTED_LEDGER;
        }
    }
    self->wanted[spot_drawn_metric(head)] = WANTED_MAIN;
}

/* Takes what is wanted most until the page is full: means before intervals. */
static void
choose(page_data_t *self)
{
    static const struct {
        wanted_t wanted;
        bool is_mean;
    } order[] = {{WANTED_MAIN, true}, {WANTED_MAIN, false}, {WANTED_LISTED, true},
        {WANTED_LEDGER, true}, {WANTED_LISTED, false}, {WANTED_LAST, true},
        {WANTED_LEDGER, false}, {WANTED_LAST, false}};
    const size_t num_points = self->head->num_points;
    size_t left;

    self->num_points = num_points < MAX_NUMBERS / 3 ? num_points : MAX_NUMBERS / 3;
    left = MAX_NUMBERS / self->num_points;
    for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
        bool *has = order[j].is_mean ? self->has_mean : self->has_half_width;

        for (size_t k = 0; k < self->head->num_metrics; k++) {
            if (self->wanted[k] == order[j].wanted && left > 0 &&
                spot_study_shows(self->head, k)) {
                has[k] = true;
                left--;
            }
        }
    }
}

/* ".125" for 0.125: the zero says nothing. */
static void
write_number(FILE *out, double value, int num_digits)
{
    char text[SPOT_LABEL_BYTES];
    const char *rest = text;

    if (!isfinite(value)) {
        return;
    }
    snprintf(text, sizeof(text), "%.*g", num_digits, value);
    if (*rest == '-') {
        putc(*rest++, out);
    }
    fputs(rest[0] == '0' && rest[1] == '.' ? rest + 1 : rest, out);
}

/* So many that two digits of half the width have their decimals, and one to round by. */
static int
mean_digits(double mean, double half_width)
{
    const double num_digits = floor(log10(fabs(mean))) - floor(log10(half_width)) + 3;

    return half_width > 0 ? (int) fmax(MEAN_DIGITS, fmin(num_digits, MAX_DIGITS))
                          : MEAN_DIGITS;
}

/* One of the columns that are made of the points. */
typedef struct {
    enum { COLUMN_MEAN, COLUMN_HALF_WIDTH, COLUMN_VALUE_ID } what;
    size_t id; /* of the metric, or of the axis */
} column_t;

static void
write_cell(const page_data_t *self, column_t column, size_t point_id, FILE *out)
{
    const spot_summary_t *summary;
    double half_width;

    if (column.what == COLUMN_VALUE_ID) {
        fprintf(out, "%zu", spot_study_value_id(self->head, point_id, column.id));
        return;
    }
    summary = spot_report_summary(self->page->report, point_id, column.id);
    half_width = summary->half_width;
    if (column.what == COLUMN_MEAN) {
        write_number(out, summary->value, mean_digits(summary->value, half_width));
    } else {
        write_number(out, half_width, HALF_WIDTH_DIGITS);
    }
}

static int
write_column(
    const page_data_t *self, column_t column, const char *key, spot_json_t *json)
{
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    for (size_t j = 0; j < self->num_points; j++) {
        if (j > 0) {
            putc(' ', text.stream);
        }
        write_cell(self, column, j, text.stream);
    }
    ret = spot_page_text_end(&text, 0);
    if (ret == 0) {
        spot_json_text(json, key, text.text);
    }
    spot_page_text_free(&text);
    return ret;
}

/* The values as the pictures call them; many numbers as numbers only. */
static void
write_values(const spot_axis_t *axis, spot_json_t *json)
{
    char label[SPOT_VALUE_LABEL_BYTES];
    const bool has_numbers = spot_axis_is_numeric(axis);
    const bool has_labels = !has_numbers || axis->num_values <= MAX_LABELS;

    spot_json_open(json, "labels", '[');
    for (size_t j = 0; has_labels && j < axis->num_values; j++) {
        spot_json_text(json, NULL, spot_value_label(axis, j, label));
    }
    spot_json_close(json, ']');
    spot_json_open(json, "numbers", '[');
    for (size_t j = 0; has_numbers && j < axis->num_values; j++) {
        spot_json_number(json, NULL, axis->numbers[j]);
    }
    spot_json_close(json, ']');
}

static int
write_axes(const page_data_t *self, spot_json_t *json)
{
    char words[SPOT_WORDS_BYTES];
    int ret = 0;

    spot_json_open(json, "axes", '[');
    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];

        spot_axis_words(axis, words);
        spot_json_open(json, NULL, '{');
        spot_json_text(json, "path", axis->path);
        spot_json_text(json, "words", words);
        spot_json_text(json, "unit", axis->unit);
        write_values(axis, json);
        ret = write_column(self, (column_t){COLUMN_VALUE_ID, j}, "value_ids", json);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    return ret;
}

/* The unit in which people read a duration, if it is another one. */
static void
write_shown_unit(const page_data_t *self, size_t metric_id, spot_json_t *json)
{
    spot_shown_unit_t shown;
    double largest = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double value =
            spot_report_summary(self->page->report, j, metric_id)->value;

        largest = isfinite(value) ? fmax(largest, fabs(value)) : largest;
    }
    shown = spot_shown_unit(&self->head->metrics[metric_id], largest);
    if (shown.factor != 1) {
        spot_json_number(json, "shown_factor", shown.factor);
        spot_json_text(json, "shown_unit", shown.unit);
    }
}

static int
write_metric(const page_data_t *self, size_t metric_id, spot_json_t *json)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    char words[SPOT_WORDS_BYTES];
    const bool is_fraction = spot_fraction_words(metric, words);
    int ret = 0;

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", metric->name);
    spot_json_text(json, "words", words);
    spot_json_text(json, "unit", is_fraction ? "%" : metric->unit);
    spot_json_text(json, "help", metric->help);
    spot_json_boolean(json, "is_fraction", is_fraction);
    spot_json_boolean(json, "is_listed", metric_id < self->head->num_listed);
    if (!spot_study_shows(self->head, metric_id)) {
        spot_json_boolean(json, "is_total", true);
    }
    write_shown_unit(self, metric_id, json);
    if (self->has_mean[metric_id]) {
        ret = write_column(self, (column_t){COLUMN_MEAN, metric_id}, "mean", json);
    }
    if (ret == 0 && self->has_half_width[metric_id]) {
        ret = write_column(
            self, (column_t){COLUMN_HALF_WIDTH, metric_id}, "half_width", json);
    }
    spot_json_close(json, '}');
    return ret;
}

static void
write_ledger(const page_data_t *self, spot_json_t *json)
{
    spot_json_open(json, "ledger", '[');
    for (size_t j = 0; j < self->num_parts; j++) {
        const size_t metric_id = self->part_ids[j];

        spot_json_open(json, NULL, '{');
        spot_json_unsigned(json, "metric_id", metric_id);
        spot_json_text(json, "colour",
            spot_palette_colour(
                self->head->colours, self->head->metrics[metric_id].name, j));
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void
write_axis_id(
    const page_data_t *self, const char *key, const char *path, spot_json_t *json)
{
    for (size_t j = 0; path != NULL && j < self->head->num_axes; j++) {
        if (strcmp(self->head->axes[j].path, path) == 0) {
            spot_json_unsigned(json, key, j);
        }
    }
}

/* Values that do not compete with the others, as an ideal system does: drawn in grey. */
static void
write_bounds(const spot_study_head_t *head, spot_json_t *json)
{
    const spot_best_t *best = &head->best;

    if (!best->is_asked || best->is_left_out == NULL) {
        return;
    }
    spot_json_unsigned(json, "bounds_axis", best->axis_id);
    spot_json_open(json, "bounds", '[');
    for (size_t j = 0; j < head->axes[best->axis_id].num_values; j++) {
        if (!spot_study_value_competes(head, j)) {
            spot_json_unsigned(json, NULL, j);
        }
    }
    spot_json_close(json, ']');
    spot_json_text(json, "bounds_colour", SPOT_INK_OTHER);
}

/* What the study wants to see first. */
static void
write_plot(const page_data_t *self, spot_json_t *json)
{
    const spot_plot_request_t *plot = &self->head->plot;

    spot_json_open(json, "plot", '{');
    write_axis_id(self, "x", plot->x, json);
    write_axis_id(self, "curves", plot->curves, json);
    spot_json_unsigned(json, "y", spot_drawn_metric(self->head));
    spot_json_text(json, "x_label", plot->x_label);
    write_bounds(self->head, json);
    spot_json_close(json, '}');
    spot_json_open(json, "lines", '[');
    for (size_t j = 0; j < SPOT_NUM_LINE_COLOURS; j++) {
        spot_json_text(json, NULL, spot_palette_line_colour(j));
    }
    spot_json_close(json, ']');
}

static int
write_object(const page_data_t *self, FILE *out)
{
    spot_json_t json;
    int ret;

    spot_json_init(&json, out, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "name", self->head->name);
    spot_json_unsigned(&json, "num_points", self->num_points);
    spot_json_unsigned(&json, "num_points_of_study", self->head->num_points);
    spot_json_boolean(&json, "is_design", spot_plan_is_design(self->head->plan.kind));
    ret = write_axes(self, &json);
    spot_json_open(&json, "metrics", '[');
    for (size_t j = 0; ret == 0 && j < self->head->num_metrics; j++) {
        ret = write_metric(self, j, &json);
    }
    spot_json_close(&json, ']');
    write_ledger(self, &json);
    write_plot(self, &json);
    spot_json_close(&json, '}');
    return ret;
}

int
spot_page_data_write(const spot_page_t *page)
{
    page_data_t self = {.page = page, .head = page->head};
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    ret = make_lists(&self);
    if (ret == 0) {
        find_parts(&self);
        want(&self);
        choose(&self);
        ret = write_object(&self, text.stream);
    }
    ret = spot_page_text_end(&text, ret);
    if (ret == 0) {
        fputs("<script type=\"application/json\" id=\"data\">", page->out);
        spot_page_json_escaped(page->out, text.text);
        fputs("</script>\n", page->out);
    }
    spot_page_text_free(&text);
    free_lists(&self);
    return ret;
}
