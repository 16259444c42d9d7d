/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/provenance.h"
#include "base/verb/document.h"
#include "base/verb/table.h"
#include "reports/answer.h"
#include "reports/doubts.h"
#include "reports/draw.h"
#include "reports/markup/html.h"
#include "reports/page/page_parts.h"
#include "reports/page/page_timeline.h"
#include "reports/plan_report.h"
#include "reports/race_report.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "reports/words.h"
#include "sim/bench/engine/metric.h"
#include "sim/bench/store/head.h"

/* ---- The data of the scripts ----
 *
 * Columns are texts, numbers with blanks between them and nothing where a number is undefined:
 * ".125 3e5  .5". That is half of what arrays of JSON take, and quicker to write and to read. */

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
    const size_t axis_id = spot_study_axis_id(self->head, path);

    if (axis_id < self->head->num_axes) {
        spot_json_unsigned(&self->json, key, axis_id);
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

/* ---- What was fixed, where the numbers come from, and how to get them again ---- */

#define MAX_WRITERS 100 /* processes that are listed */
#define MAX_COMMANDS 20 /* that are shown as they were typed */

/* A table of texts: its caption and its columns, up to NULL. */
static void start_table(spot_table_t *table, const char *caption, const char *const *names)
{
    FILE *stream = spot_table_begin_text(table);

    if (stream != NULL) {
        fputs(caption, stream);
    }
    spot_table_end_caption(table, stream);
    for (; *names != NULL; names++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = *names, .kind = SPOT_TABLE_TEXT});
    }
}

/* The first bytes of a path of base/canonical as --set takes it, without \. */
static const char *shown_path(const char *path, size_t num_bytes, spot_texts_t *texts)
{
    char *shown = spot_texts_room(texts, num_bytes + 1);
    size_t num_shown = 0;

    if (shown == NULL) {
        return "";
    }
    for (size_t j = 0; j < num_bytes; j++) {
        j += path[j] == '\\' && j + 1 < num_bytes ? 1 : 0;
        shown[num_shown++] = path[j];
    }
    return shown;
}

/* ---- The scenario as every point had it ---- */

/* What the page says elsewhere, or is no parameter. */
static bool is_scenario(const char *path)
{
    static const char *const others[] = {
        "keep", "metrics", "order", "replications", "sweep", SPOT_CANONICAL_FILES};
    const size_t num_bytes = strcspn(path, ".[");

    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], path, num_bytes) == 0) {
            return false;
        }
    }
    return true;
}

/* Bytes of the path of the list that an entry lies within, the outermost one; all of the
 * path where there is none. Brackets within a key have a \ before them. */
static size_t stem_bytes(const char *path)
{
    size_t j = 0;

    while (path[j] != '\0' && path[j] != '[') {
        j += path[j] == '\\' && path[j + 1] != '\0' ? 2 : 1;
    }
    return j;
}

/* The entry behind the last of the list that this one is in, or behind this one. */
static size_t list_end(const spot_canonical_t *self, size_t first)
{
    const char *path = self->entries[first].path;
    const size_t stem = stem_bytes(path);
    size_t end = first + 1;

    while (path[stem] == '[' && end < self->num_entries &&
           strncmp(self->entries[end].path, path, stem + 1) == 0) {
        end++;
    }
    return end;
}

/* "[3].mean = " stands before a value; in plain lists nothing. */
static void add_list(const spot_canonical_t *self, size_t first, size_t end, spot_table_t *table)
{
    const size_t stem = stem_bytes(self->entries[first].path);
    FILE *stream = spot_table_begin_text(table);

    for (size_t j = first; stream != NULL && j < end; j++) {
        const char *item = self->entries[j].path + stem;
        const bool is_plain = strcspn(item, "]") + 1 == strlen(item);

        fprintf(stream, "%s%s%s%s", j == first ? "" : ", ", is_plain ? "" : item,
            is_plain ? "" : " = ", self->entries[j].text);
    }
    spot_table_end_cell(table, stream);
}

/* A key, its value and unit; a list as a whole. */
static void add_key(const spot_canonical_t *self, const spot_study_head_t *head, size_t first,
    size_t end, spot_table_t *table, spot_texts_t *texts)
{
    const char *path = self->entries[first].path, *text = self->entries[first].text;
    size_t num_bytes;

    spot_table_add_row(table);
    spot_table_add_text(table, shown_path(path, stem_bytes(path), texts));
    if (end > first + 1) {
        add_list(self, first, end, table);
    } else {
        const char *unit = spot_key_unit(head, path, text, &num_bytes);

        spot_table_add_text(table, spot_texts_add(texts, "%.*s", (int) num_bytes, text));
        spot_table_add_text(table, unit);
    }
}

/* The text of the study as a list, to be freed; false where it cannot be read. */
static bool read_canonical(spot_canonical_t *self, const char *path, const spot_origin_t *origin,
    spot_document_t *document)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_canonical_parse(self, path, origin->canonical, &diag);
    spot_document_fail(document, ret == SPOT_ERR_BAD_INPUT ? 0 : ret);
    spot_diag_free(&diag);
    return ret == 0;
}

/* The scenario as it was fixed. */
static void page_fixed_write(const char *path, const spot_study_head_t *head,
    const spot_origin_t *origin, spot_document_t *document)
{
    spot_table_t table = {.name = "fixed"};
    spot_canonical_t canonical = {0};

    if (origin->canonical == NULL) {
        return;
    }
    if (read_canonical(&canonical, path, origin, document)) {
        spot_document_fold(document, "What was fixed");
        start_table(&table, "The scenario of all points, defaults included, without the keys above",
            (const char *const[]){"key", "value", "unit", NULL});
        for (size_t j = 0, end; j < canonical.num_entries; j = end) {
            end = list_end(&canonical, j);
            if (is_scenario(canonical.entries[j].path)) {
                add_key(&canonical, head, j, end, &table, &document->texts);
            }
        }
        spot_document_table(document, "fixed-table", &table);
        spot_document_end_fold(document);
    } else {
        spot_document_note(document,
            "The text of the study in the database cannot be read; it stands at the end "
            "of this page as it is.");
    }
    spot_canonical_free(&canonical);
}

/* ---- Which processes wrote rows ---- */

/* Whether no earlier process is the same in what the call compares. */
static bool is_first(const spot_origin_t *origin, size_t writer_id,
    bool (*is_same)(const spot_provenance_t *a, const spot_provenance_t *b))
{
    for (size_t j = 0; j < writer_id; j++) {
        if (is_same(&origin->writers[j], &origin->writers[writer_id])) {
            return false;
        }
    }
    return true;
}

static bool is_same_program(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->commit, b->commit) == 0;
}

static bool is_same_build(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return is_same_program(a, b) && strcmp(a->compiler, b->compiler) == 0 &&
           strcmp(a->libraries, b->libraries) == 0 && strcmp(a->machine, b->machine) == 0;
}

static bool is_same_command(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return strcmp(a->command_line, b->command_line) == 0;
}

/* "2026-01-31 12:00:00": as it is noted, without the fraction. */
static const char *time_words(const char *time, spot_texts_t *texts)
{
    const int day_bytes = (int) strcspn(time, "T");
    const char *clock = time[day_bytes] == 'T' ? time + day_bytes + 1 : "";

    return spot_texts_add(texts, "%.*s%s%.*s", day_bytes, time, clock[0] == '\0' ? "" : " ",
        (int) strcspn(clock, ".Z"), clock);
}

static void add_writer(
    const spot_provenance_t *writer, size_t number, spot_table_t *table, spot_texts_t *texts)
{
    spot_table_add_row(table);
    spot_table_add_text(table, spot_texts_add(texts, "%zu", number));
    spot_table_add_text(table, time_words(writer->started, texts));
    spot_table_add_text(table, writer->ended != NULL ? time_words(writer->ended, texts)
                                                     : spot_texts_add(texts, "last seen %s",
                                                           time_words(writer->seen, texts)));
    spot_table_add_text(
        table, writer->outcome != NULL ? writer->outcome : "it runs, or was killed");
    spot_table_add_count(table, writer->rows_added);
    spot_table_add_text(table, writer->shard[0] == '\0' ? "all" : writer->shard);
    spot_table_add_count(table, writer->num_threads);
    spot_table_add_text(table, spot_texts_add(texts, "%s %s", writer->version, writer->commit));
}

/* One row of all processes that are the same in what they were built with and ran on. */
static void add_build(const spot_origin_t *origin, size_t writer_id, spot_table_t *table)
{
    const spot_provenance_t *writer = &origin->writers[writer_id];
    FILE *stream;

    spot_table_add_row(table);
    stream = spot_table_begin_text(table);
    for (size_t j = writer_id; stream != NULL && j < origin->num_writers && j < MAX_WRITERS; j++) {
        if (is_same_build(writer, &origin->writers[j])) {
            fprintf(stream, "%s%zu", j == writer_id ? "" : ", ", j + 1);
        }
    }
    spot_table_end_cell(table, stream);
    spot_table_add_text(table, writer->compiler);
    spot_table_add_text(table, writer->libraries);
    spot_table_add_text(table, writer->machine);
}

static void write_writers(const spot_origin_t *origin, spot_document_t *document)
{
    spot_table_t writers = {.name = "writers"}, builds = {.name = "builds"};
    spot_texts_t *texts = &document->texts;
    bool is_mixed = false;

    start_table(&writers, "Processes that added rows; times are UTC",
        (const char *const[]){"process", "started", "ended", "how", "rows added", "shard",
            "threads", "version, commit", NULL});
    start_table(&builds, "What they were built with and ran on",
        (const char *const[]){"process", "compiler", "libraries", "machine", NULL});
    for (size_t j = 0; j < origin->num_writers; j++) {
        is_mixed = is_mixed || !is_same_program(&origin->writers[0], &origin->writers[j]);
        if (j < MAX_WRITERS) {
            add_writer(&origin->writers[j], j + 1, &writers, texts);
        }
        if (j < MAX_WRITERS && is_first(origin, j, is_same_build)) {
            add_build(origin, j, &builds);
        }
    }
    if (origin->num_writers > MAX_WRITERS) {
        spot_table_add_note(&writers, "",
            spot_texts_add(
                texts, "The first %d of %zu processes.", MAX_WRITERS, origin->num_writers));
    }
    if (is_mixed) {
        spot_document_paragraph(document,
            "Not all rows are of the same program: another version or commit may give "
            "other numbers for the same replication.");
    }
    spot_document_fold(document, "What made the rows, and when");
    spot_document_table(document, "writers-table", &writers);
    spot_document_table(document, "builds-table", &builds);
    spot_document_end_fold(document);
}

/* ---- What the rows depend on ---- */

/* A text as it is, in a place that scrolls. */
static void write_verbatim(const char *text, spot_document_t *document)
{
    spot_document_end_list(document);
    spot_html_element(document->out, "pre class=\"scroll\" tabindex=\"0\"", text);
    fputc('\n', document->out);
}

static void write_files(const char *path, const spot_origin_t *origin, spot_document_t *document)
{
    static const char prefix[] = SPOT_CANONICAL_FILES ".";
    const size_t num_bytes = sizeof(prefix) - 1;
    spot_texts_t *texts = &document->texts;
    spot_table_t table = {.name = "files"};
    spot_canonical_t canonical = {0};
    const bool is_read = read_canonical(&canonical, path, origin, document);

    start_table(
        &table, "Files that the study read", (const char *const[]){"file", "SHA-256", NULL});
    for (size_t j = 0; is_read && j < canonical.num_entries; j++) {
        const spot_canonical_entry_t *entry = &canonical.entries[j];

        if (strncmp(entry->path, prefix, num_bytes) == 0) {
            const char *name = entry->path + num_bytes;

            spot_table_add_row(&table);
            spot_table_add_text(&table, shown_path(name, strlen(name), texts));
            spot_table_add_text(&table, entry->text);
        }
    }
    if (table.num_rows > 0) {
        spot_document_table(document, "files-table", &table);
    }
    spot_document_fail(document, table.error); /* it may have no row for that reason */
    spot_table_free(&table);
    spot_canonical_free(&canonical);
}

/* ---- How to repeat it ---- */

/* The name without its folder, which is of no use to others. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* As a shell reads it: whatever is not plain stands in single quotes. */
static const char *shell_word(const char *word, spot_texts_t *texts)
{
    const size_t num_plain = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_.,@%+="
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ:-");
    FILE *stream;

    if (word[0] != '\0' && word[0] != '-' && word[num_plain] == '\0') {
        return word;
    }
    stream = spot_texts_begin(texts);
    if (stream != NULL) {
        fputs(word[0] == '-' ? "./'" : "'", stream);
        for (; *word != '\0'; word++) {
            fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, stream);
        }
        fputc('\'', stream);
    }
    return spot_texts_end(texts, stream);
}

/* One line a command, each once. The program calls itself by two words, which stand in
 * quotes as if they were one. */
static void write_commands(const spot_origin_t *origin, spot_document_t *document)
{
    FILE *stream = spot_texts_begin(&document->texts);
    size_t num_commands = 0;

    for (size_t j = 0; stream != NULL && j < origin->num_writers && j < MAX_WRITERS; j++) {
        static const char start[] = "'spotsim ";
        const char *line = origin->writers[j].command_line;
        const char *end = line[0] == '\0' ? NULL : strchr(line + 1, '\'');

        if (line[0] == '\0' || !is_first(origin, j, is_same_command) ||
            num_commands++ >= MAX_COMMANDS) {
            continue;
        }
        if (strncmp(line, start, sizeof(start) - 1) == 0 && end != NULL) {
            fprintf(stream, "%.*s%s\n", (int) (end - line - 1), line + 1, end + 1);
        } else {
            fprintf(stream, "%s\n", line);
        }
    }
    if (num_commands > MAX_COMMANDS) {
        fprintf(stream, "# ... and %zu more\n", num_commands - MAX_COMMANDS);
    }
    spot_document_paragraph(document, "Commands that made the rows:");
    write_verbatim(spot_texts_end(&document->texts, stream), document);
}

/* Provenance, and how to repeat the study and its page. */
static void page_origin_write(
    const char *path, const spot_origin_t *origin, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const char *name = shell_word(file_name(path), texts);

    spot_document_paragraph(
        document, "All of this page is made from the database %s.", file_name(path));
    if (origin->num_writers > 0) {
        write_writers(origin, document);
    }
    spot_document_fold(document, "How to repeat it");
    spot_document_paragraph(document,
        "With the same version (spotsim --version prints yours), the same study and "
        "files. The results do not depend on the number of threads or parts.");
    if (origin->num_writers > 0) {
        write_commands(origin, document);
    }
    spot_document_paragraph(document,
        "This page, made by spotsim %s %s, and the rows as CSV:", spot_build_info.version,
        spot_build_info.commit);
    write_verbatim(
        spot_texts_add(
            texts, "spotsim report %s -o report.html\nspotsim export %s -o rows.csv\n", name, name),
        document);
    spot_document_end_fold(document);
    if (origin->canonical != NULL) {
        spot_document_fold(document, "What the rows depend on");
        write_files(path, origin, document);
        spot_document_paragraph(document,
            "The study as one text, with all defaults. Its SHA-256 is %s: two databases "
            "with the same one, made by the same version, have the same rows, as far as "
            "both go.",
            origin->canonical_sha256);
        write_verbatim(origin->canonical, document);
        spot_document_end_fold(document);
    }
}

/* ---- Pictures ---- */

/* One of reports/study_pictures.h; NULL: the study has no such picture. */
static const spot_study_picture_t *find_picture(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; name != NULL && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (strcmp(picture->name, name) == 0) {
            return picture->problem(page->report) == NULL ? picture : NULL;
        }
    }
    return NULL;
}

/* ---- Doubts ---- */

/* The doubts about the numbers, folded, with their number above; nothing where there are
 * none. */
static void doubts_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_doubts_t *self;
    const int ret = spot_report_doubts(report, &self);
    size_t num_severe = 0;

    spot_document_fail(document, ret);
    if (ret != 0 || self->num_items == 0) {
        return;
    }
    for (size_t j = 0; j < self->num_items; j++) {
        num_severe += self->items[j].is_severe;
    }
    spot_document_fold(document,
        spot_texts_add(&document->texts,
            num_severe > 0 ? "%s about these numbers, %zu severe" : "%s about these numbers",
            spot_words_count(&document->texts, (int64_t) self->num_items, "doubt"), num_severe));
    for (size_t j = 0; j < self->num_items; j++) {
        spot_document_item(document, "%s%s%s", self->items[j].is_severe ? "Severe: " : "",
            self->items[j].text, self->items[j].places);
    }
    spot_document_end_fold(document);
}

void spot_page_doubts_write(const spot_page_t *page)
{
    const spot_doubts_t *doubts;
    const int ret = spot_report_doubts(page->report, &doubts);

    spot_document_fail(page->document, ret);
    if (ret == 0 && doubts->num_items > 0) {
        fputs("<div id=\"warnings\">\n", page->out);
        doubts_write(page->report, page->document);
        spot_document_end_list(page->document);
        fputs("</div>\n", page->out);
    }
}

/* ---- What the study asks for ---- */

static bool has_race(const spot_page_t *page)
{
    return page->head->optimise.metric != NULL;
}

static bool has_best(const spot_page_t *page)
{
    return page->head->best.is_asked;
}

static bool has_baseline(const spot_page_t *page)
{
    return page->report->pairs != NULL;
}

static bool is_for_sensitivity(const spot_page_t *page)
{
    return page->head->plan.kind == SPOT_PLAN_SENSITIVITY;
}

static bool has_runs(const spot_page_t *page)
{
    return page->series->num_ids > 0;
}

static void write_timelines(const spot_page_t *page)
{
    spot_page_timelines_write(page->report, page->series, page->document);
}

/* ---- Of every study ---- */

/* Where page_explorer.js puts its controls and its chart. */
static void write_explorer(const spot_page_t *page)
{
    fputs("<noscript><p class=\"note\">This part needs scripts; the pictures and tables "
          "of the page do without.</p></noscript>\n"
          "<div id=\"explorer-place\" class=\"scripted\" hidden></div>\n",
        page->out);
}

/* The script shows the other points, and takes the note away. */
static void write_points(const spot_page_t *page)
{
    const size_t num_rows = spot_page_rows(page->head);

    if (num_rows < page->head->num_points) {
        fprintf(page->out,
            "<p class=\"note\" id=\"points-note\">The first %zu of %zu points; with "
            "scripts all of them.</p>\n",
            num_rows, page->head->num_points);
    }
    spot_point_table_write((spot_point_table_t){.report = page->report, .is_plain = true},
        "points-table", "Estimates with half widths of their 95 % confidence intervals",
        page->document);
}

/* What the metrics mean, folded. */
static void metrics_write(const spot_study_head_t *head, spot_document_t *document)
{
    static const spot_table_column_t columns[] = {
        {.name = "metric", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "in words", .kind = SPOT_TABLE_TEXT},
        {.name = "unit", .kind = SPOT_TABLE_TEXT},
        {.name = "what it is", .kind = SPOT_TABLE_PROSE},
    };
    spot_table_t table = {.name = "metrics", .caption = "Metrics of a replication"};

    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_metrics; j++) {
        const spot_metric_t *metric = &head->metrics[j];

        spot_table_add_row(&table);
        spot_table_add_text(&table, metric->name);
        spot_table_add_text(&table, spot_words_metric(&document->texts, metric, metric->unit));
        spot_table_add_text(&table, metric->kind == SPOT_METRIC_SHARE ? "fraction"
                                    : strcmp(metric->unit, "1") == 0  ? ""
                                                                      : metric->unit);
        spot_table_add_text(&table, metric->help);
    }
    spot_document_fold(document, "What the metrics mean");
    spot_document_table(document, "metrics-table", &table);
    spot_document_end_fold(document);
}

static void write_parameters(const spot_page_t *page)
{
    spot_settings_write(page->head, page->document);
    page_fixed_write(page->source->path, page->head, page->origin, page->document);
    metrics_write(page->head, page->document);
}

static void write_origin_section(const spot_page_t *page)
{
    page_origin_write(page->source->path, page->origin, page->document);
}

/* ---- All sections ---- */

/* A picture, by name, or a part under a heading of its own, which may start with its
 * picture. */
typedef struct {
    const char *picture; /* NULL: none */
    const char *name;    /* id of the part; NULL: there is none */
    const char *title;
    bool (*exists)(const spot_page_t *page); /* NULL: always */
    void (*write)(const spot_page_t *page);  /* or this: */
    void (*write_report)(const spot_report_t *report, spot_document_t *document);
    bool is_of_study; /* says something before there are replications, too */
} section_t;

/* In the order of the page. The links to all of them stand behind the first one, the
 * main picture. */
static const section_t sections[] = {
    {.picture = "curves"},
    {.picture = "ledger"},
    {.name = "explorer", .title = "Explore the points", .write = write_explorer},
    {.picture = "pareto"},
    {.name = "race",
        .title = "The best point",
        .exists = has_race,
        .write_report = spot_race_write},
    {.name = "winners",
        .title = "Which value wins where",
        .exists = has_best,
        .write_report = spot_winners_write},
    {.picture = "differences",
        .name = "differences",
        .title = "Compared with the baseline",
        .exists = has_baseline,
        .write_report = spot_differences_write},
    {.picture = "sensitivity",
        .name = "sobol-indices",
        .title = "Sobol indices of the keys",
        .exists = is_for_sensitivity,
        .write_report = spot_sensitivity_write},
    {.name = "timelines",
        .title = "Single runs over time",
        .exists = has_runs,
        .write = write_timelines},
    {.name = "parameters",
        .title = "What was varied and what was fixed",
        .write = write_parameters,
        .is_of_study = true},
    {.name = "points", .title = "All points", .write = write_points},
    {.name = "origin",
        .title = "Where it comes from, and how to repeat it",
        .write = write_origin_section,
        .is_of_study = true},
};

#define NUM_SECTIONS (sizeof(sections) / sizeof(sections[0]))

/* Whether the page has the part of a section. */
static bool has_part(const spot_page_t *page, const section_t *section)
{
    return section->name != NULL && (section->is_of_study || page->report->num_rows > 0) &&
           (section->exists == NULL || section->exists(page));
}

static void write_contents(const spot_page_t *page)
{
    spot_document_end_section(page->document);
    fputs("<nav class=\"contents\" aria-label=\"Sections\">\n<ul>\n", page->out);
    for (size_t j = 1; j < NUM_SECTIONS; j++) {
        const spot_study_picture_t *picture = find_picture(page, sections[j].picture);
        const bool is_part = has_part(page, &sections[j]);

        if (is_part || picture != NULL) {
            fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n",
                is_part ? sections[j].name : picture->name,
                is_part ? sections[j].title : picture->title);
        }
    }
    fputs("</ul>\n</nav>\n", page->out);
}

static void write_part(const spot_page_t *page, const section_t *section)
{
    if (section->write != NULL) {
        section->write(page);
    } else {
        section->write_report(page->report, page->document);
    }
}

bool spot_page_part_write(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; j < NUM_SECTIONS; j++) {
        const section_t *section = &sections[j];

        if (section->name != NULL && strcmp(section->name, name) == 0 && has_part(page, section)) {
            write_part(page, section);
            return true;
        }
    }
    return false;
}

static void write_section(const spot_page_t *page, const section_t *section)
{
    const spot_study_picture_t *picture = find_picture(page, section->picture);
    const bool is_part = has_part(page, section);

    if (is_part) {
        spot_document_section(page->document, section->name, section->title);
    }
    if (picture != NULL) {
        spot_page_picture_write(&(spot_page_picture_t){.name = is_part ? NULL : picture->name,
                                    .declare = picture->declare,
                                    .context = page->report},
            page->document);
    }
    if (is_part) {
        write_part(page, section);
    }
}

/* All sections in order, with links to them behind the first one. */
static void page_sections_write(const spot_page_t *page)
{
    const spot_page_preface_t *preface = page->source->preface;

    for (size_t j = 0; page->document->error == 0 && j < NUM_SECTIONS; j++) {
        if (j > 0 || preface == NULL) {
            write_section(page, &sections[j]);
        } else {
            spot_page_picture_write(&(spot_page_picture_t){.name = "alternatives",
                                        .declare = preface->declare,
                                        .context = preface->context},
                page->document);
        }
        if (j == 0) {
            write_contents(page);
        }
    }
    spot_document_end_section(page->document);
}

/* ---- The page of a study ---- */

/* Of a name. */
#define NAME_CHARS 120

/* In the order in which they run. */
static const spot_page_asset_t scripts[] = {
    {spot_page_chart, spot_page_chart_end},
    {spot_page_base_js, spot_page_base_js_end},
    {spot_page_js, spot_page_js_end},
    {spot_page_explorer_js, spot_page_explorer_js_end},
    {spot_page_table_js, spot_page_table_js_end},
    {spot_page_lanes_js, spot_page_lanes_js_end},
    {spot_page_timeline_js, spot_page_timeline_js_end},
};

/* Question, answer, and what both rest on. */
static void write_summary(const spot_page_t *page)
{
    spot_texts_t *texts = &page->document->texts;
    FILE *out = page->out, *answer = spot_texts_begin(texts);

    if (answer != NULL && page->source->preface == NULL) {
        spot_document_fail(page->document, spot_answer_write(page->report, answer));
    }
    spot_html_element(out, "p id=\"answer\"", spot_texts_end(texts, answer));
    fputs("\n<p class=\"note\"><bdi>", out);
    (void) spot_html_cut(out, page->head->name, NAME_CHARS);
    fprintf(out, "</bdi> · %s · %s · seed %llu</p>\n",
        spot_words_count(texts, (int64_t) page->head->num_points, "point"),
        spot_words_replications(texts, page->report), (unsigned long long) page->head->seed);
    if (page->head->assumed.num_items > 0) {
        spot_html_element(out, "p id=\"assumed\" class=\"note\"",
            spot_assumed_words(texts, &page->head->assumed));
        fputs("\n", out);
    }
    spot_page_doubts_write(page);
    fputs("</header>\n<main id=\"content\">\n", out);
}

/* ---- All ---- */

static int write_page(const spot_page_t *page)
{
    write_summary(page);
    if (page->source->preface != NULL) {
        page->source->preface->write(page->source->preface->context, page->document);
        spot_document_end_section(page->document);
    }
    page_sections_write(page);
    spot_document_end_section(page->document);
    fputs("</main>\n", page->out);
    spot_page_data_write(page->report, page->document);
    return spot_document_end(page->document);
}

int spot_page_write(const spot_page_source_t *source, FILE *out)
{
    const spot_report_t *report = source->report;
    spot_origin_t origin = {0};
    spot_series_list_t series = {0};
    spot_page_frame_t frame;
    spot_document_t document;
    spot_page_t page = {.source = source,
        .report = report,
        .head = report->head,
        .origin = &origin,
        .series = &series,
        .document = &document};
    int ret = spot_page_frame_begin(&frame, spot_study_title(report->head), &page.out);

    if (ret == 0) {
        ret = spot_origin_read(&origin, report->store);
    }
    if (ret == 0) {
        ret = spot_series_list_read(&series, report->store);
    }
    if (ret == 0) {
        spot_document_to_page(&document, page.out);
        ret = write_page(&page);
    }
    ret = spot_page_frame_end(&frame, ret, scripts, sizeof(scripts) / sizeof(scripts[0]), out);
    spot_series_list_free(&series);
    spot_origin_free(&origin);
    return ret;
}
