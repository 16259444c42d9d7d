/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of the scripts. Columns are texts, numbers with blanks between them and
 * nothing where a number is undefined: ".125 3e5  .5". That is half of what arrays of
 * JSON take, and quicker to write and to read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/page/page_internal.h"
#include "reports/palette.h"
#include "reports/words.h"

/* Numbers of all columns together: 3.5 MB. */
#define MAX_NUMBERS 450000
#define MAX_LABELS 1000 /* of an axis of numbers, which need none */

#define MEAN_DIGITS 5 /* at least, and as many as its interval tells */
#define HALF_WIDTH_DIGITS 3
#define MAX_DIGITS 15

/* What of a metric is there, and how much it is wanted. */
typedef struct {
    enum { WANTED_LAST, WANTED_LEDGER, WANTED_LISTED, WANTED_MAIN } wanted;
    bool has_mean, has_half_width;
} choice_t;

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t num_points; /* the first ones, of which there is data */
    choice_t *choices; /* [num_metrics] */
    spot_texts_t texts;
    spot_json_t json;
} page_data_t;

/* The parts of the ledger, from below: those of the study's overview, else those that
 * its plot stacks. */
static size_t num_parts(const spot_study_head_t *head)
{
    return head->has_overview ? head->overview.num_parts : head->plot.num_stack;
}

/* num_metrics: the study has no such metric. */
static size_t part_metric_id(const spot_study_head_t *head, size_t part_id)
{
    return head->has_overview ? head->overview.part_ids[part_id]
                              : spot_study_metric_id(head, head->plot.stack[part_id]);
}

static void want(page_data_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < num_parts(head); j++) {
        const size_t metric_id = part_metric_id(head, j);

        if (metric_id < head->num_metrics) {
            self->choices[metric_id].wanted = WANTED_LEDGER;
        }
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        self->choices[j].wanted = WANTED_LISTED;
    }
    self->choices[spot_drawn_metric(head)].wanted = WANTED_MAIN;
}

/* Takes what is wanted most until the page is full: means before intervals. */
static void choose(page_data_t *self)
{
    static const struct {
        int wanted;
        bool is_mean;
    } order[] = {{WANTED_MAIN, true}, {WANTED_MAIN, false}, {WANTED_LISTED, true},
        {WANTED_LEDGER, true}, {WANTED_LISTED, false}, {WANTED_LAST, true}, {WANTED_LEDGER, false},
        {WANTED_LAST, false}};
    const size_t num_points = self->head->num_points;
    size_t left;

    self->num_points = num_points < MAX_NUMBERS / 3 ? num_points : MAX_NUMBERS / 3;
    left = MAX_NUMBERS / self->num_points;
    for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
        for (size_t k = 0; k < self->head->num_metrics; k++) {
            choice_t *choice = &self->choices[k];

            if ((int) choice->wanted == order[j].wanted && left > 0 &&
                spot_study_shows(self->head, k)) {
                *(order[j].is_mean ? &choice->has_mean : &choice->has_half_width) = true;
                left--;
            }
        }
    }
}

/* ".125" for 0.125: the zero says nothing. */
static void write_number(FILE *out, double value, int num_digits)
{
    char text[SPOT_NUMBER_TEXT_BYTES];
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
static int mean_digits(double mean, double half_width)
{
    const double num_digits = floor(log10(fabs(mean))) - floor(log10(half_width)) + 3;

    return half_width > 0 ? (int) fmax(MEAN_DIGITS, fmin(num_digits, MAX_DIGITS)) : MEAN_DIGITS;
}

/* One of the columns that are made of the points; id: of the axis, or of the metric. */
typedef void write_cell_t(const page_data_t *self, size_t point_id, size_t id, FILE *out);

static void write_value_id(const page_data_t *self, size_t point_id, size_t id, FILE *out)
{
    fprintf(out, "%zu", spot_study_value_id(self->head, point_id, id));
}

static void write_mean(const page_data_t *self, size_t point_id, size_t id, FILE *out)
{
    const spot_summary_t *summary = spot_report_summary(self->report, point_id, id);

    write_number(out, summary->value, mean_digits(summary->value, summary->half_width));
}

static void write_half_width(const page_data_t *self, size_t point_id, size_t id, FILE *out)
{
    write_number(
        out, spot_report_summary(self->report, point_id, id)->half_width, HALF_WIDTH_DIGITS);
}

static void write_column(page_data_t *self, const char *key, write_cell_t *write_cell, size_t id)
{
    FILE *stream = spot_texts_begin(&self->texts);

    for (size_t j = 0; stream != NULL && j < self->num_points; j++) {
        if (j > 0) {
            putc(' ', stream);
        }
        write_cell(self, j, id, stream);
    }
    spot_json_text(&self->json, key, spot_texts_end(&self->texts, stream));
}

/* The values as the pictures call them; many numbers as numbers only. */
static void write_axis(page_data_t *self, size_t axis_id)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    const bool has_numbers = spot_axis_is_numeric(axis);
    const bool has_labels = !has_numbers || axis->num_values <= MAX_LABELS;
    spot_json_t *json = &self->json;

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "path", axis->path);
    spot_json_text(json, "words", spot_words_axis(&self->texts, axis));
    spot_json_text(json, "unit", axis->unit);
    spot_json_open(json, "labels", '[');
    for (size_t j = 0; has_labels && j < axis->num_values; j++) {
        spot_json_text(json, NULL, spot_words_label(&self->texts, axis, j));
    }
    spot_json_close(json, ']');
    spot_json_open(json, "numbers", '[');
    for (size_t j = 0; has_numbers && j < axis->num_values; j++) {
        spot_json_number(json, NULL, axis->numbers[j]);
    }
    spot_json_close(json, ']');
    write_column(self, "value_ids", write_value_id, axis_id);
    spot_json_close(json, '}');
}

/* factor and unit: as its values are shown. */
static void write_metric(page_data_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    const spot_shown_unit_t shown = spot_report_shown(self->report, metric_id);
    const char *label = spot_metric_label(metric);
    const bool is_fraction = spot_metric_factor(metric) != 1;
    spot_json_t *json = &self->json;

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", metric->name);
    spot_json_text(json, "words", label);
    spot_json_text(json, "title",
        is_fraction ? spot_texts_add(&self->texts, "%s (%%)", label)
                    : spot_words_metric(&self->texts, metric, shown.unit));
    spot_json_text(json, "unit", is_fraction ? "%" : shown.unit);
    spot_json_number(json, "factor", shown.factor);
    spot_json_boolean(json, "is_listed", metric_id < self->head->num_listed);
    spot_json_boolean(json, "is_total", !spot_study_shows(self->head, metric_id));
    if (self->choices[metric_id].has_mean) {
        write_column(self, "mean", write_mean, metric_id);
    }
    if (self->choices[metric_id].has_half_width) {
        write_column(self, "half_width", write_half_width, metric_id);
    }
    spot_json_close(json, '}');
}

static void write_ledger(page_data_t *self)
{
    const spot_study_head_t *head = self->head;
    spot_json_t *json = &self->json;

    spot_json_open(json, "ledger", '[');
    for (size_t j = 0; j < num_parts(head); j++) {
        const size_t metric_id = part_metric_id(head, j);

        if (metric_id < head->num_metrics) {
            spot_json_open(json, NULL, '{');
            spot_json_unsigned(json, "metric_id", metric_id);
            spot_json_text(json, "colour",
                spot_palette_colour(head->colours, head->metrics[metric_id].name, j));
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, ']');
}

static void write_axis_id(page_data_t *self, const char *key, const char *path)
{
    for (size_t j = 0; path != NULL && j < self->head->num_axes; j++) {
        if (strcmp(self->head->axes[j].path, path) == 0) {
            spot_json_unsigned(&self->json, key, j);
        }
    }
}

/* What the study wants to see first. Bounds are values that do not compete with the
 * others, as an ideal system does: drawn in grey. */
static void write_plot(page_data_t *self)
{
    const spot_study_head_t *head = self->head;
    const spot_best_t *best = &head->best;
    const bool has_bounds = best->is_asked && best->is_left_out != NULL;
    spot_json_t *json = &self->json;

    spot_json_open(json, "plot", '{');
    write_axis_id(self, "x", head->plot.x);
    write_axis_id(self, "curves", head->plot.curves);
    spot_json_unsigned(json, "y", spot_drawn_metric(head));
    spot_json_text(json, "x_label", head->plot.x_label);
    spot_json_open(json, "bounds", '[');
    for (size_t j = 0; has_bounds && j < head->axes[best->axis_id].num_values; j++) {
        if (!spot_study_value_competes(head, j)) {
            spot_json_unsigned(json, NULL, j);
        }
    }
    spot_json_close(json, ']');
    spot_json_unsigned(json, "bounds_axis", has_bounds ? best->axis_id : head->num_axes);
    spot_json_text(json, "bounds_colour", SPOT_INK_OTHER);
    spot_json_close(json, '}');
    spot_json_open(json, "lines", '[');
    for (size_t j = 0; j < SPOT_NUM_LINE_COLOURS; j++) {
        spot_json_text(json, NULL, spot_palette_line_colour(j));
    }
    spot_json_close(json, ']');
}

static void write_object(page_data_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;
    spot_json_t *json = &self->json;

    spot_json_init(json, out, 0);
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", head->name);
    spot_json_unsigned(json, "num_points", self->num_points);
    spot_json_unsigned(json, "num_points_of_study", head->num_points);
    spot_json_boolean(json, "is_design", spot_plan_is_design(head->plan.kind));
    spot_json_open(json, "axes", '[');
    for (size_t j = 0; j < head->num_axes; j++) {
        write_axis(self, j);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "metrics", '[');
    for (size_t j = 0; j < head->num_metrics; j++) {
        write_metric(self, j);
    }
    spot_json_close(json, ']');
    write_ledger(self);
    write_plot(self);
    spot_json_close(json, '}');
}

/* Bytes of what stands at text and has to go; 0: it stays. A control character as JSON
 * escapes it is \u00HH, or short as \n is. */
static size_t unseen_bytes(const char *text)
{
    const size_t length = spot_utf8_length(text, strnlen(text, 4));

    if (*text != '\\') {
        return length > 0 && spot_is_unseen(text, length) ? length : 0;
    }
    if (strncmp(text, "\\u00", 4) == 0) {
        return 6;
    }
    return text[1] != '\0' && strchr("bfnrt", text[1]) != NULL ? 2 : 0;
}

void spot_page_json_escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t num_unseen = unseen_bytes(text);
        const size_t num_kept = *text == '\\' ? 2 : 1;

        if (num_unseen > 0) {
            putc(' ', out);
        } else if (*text == '<') {
            fputs("\\u003c", out);
        } else {
            fwrite(text, 1, num_kept, out);
        }
        text += num_unseen > 0 ? num_unseen : num_kept;
    }
}

void spot_page_data_write(const spot_report_t *report, spot_document_t *document)
{
    page_data_t self = {.report = report, .head = report->head};
    FILE *stream = spot_texts_begin(&self.texts);

    self.choices = spot_calloc(self.head->num_metrics, sizeof(*self.choices));
    if (self.choices != NULL && stream != NULL) {
        want(&self);
        choose(&self);
        write_object(&self, stream);
        fputs("<script type=\"application/json\" id=\"data\">", document->out);
        spot_page_json_escaped(document->out, spot_texts_end(&self.texts, stream));
        fputs("</script>\n", document->out);
    } else {
        (void) spot_texts_end(&self.texts, stream);
        spot_document_fail(document, SPOT_ERR_NO_MEMORY);
    }
    spot_document_fail(document, self.texts.error);
    free(self.choices);
    spot_texts_free(&self.texts);
}
