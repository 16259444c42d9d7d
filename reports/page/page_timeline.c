/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_timeline.h"
#include "reports/run_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/markup/html.h"
#include "reports/page/page_parts.h"
#include "reports/run_chart.h"
#include "reports/words.h"

/* ---- What a run has beside lanes over time: spans, distributions, tables ---- */

#define MAX_TABLE_ROWS 200 /* of a table that is shown */
#define MAX_CDF_POINTS 400 /* of a line */

/* ---- Spans ---- */

typedef enum {
    SPAN_AT,
    SPAN_TO,
    SPAN_LANE,
    SPAN_SLOT,
    SPAN_SLOTS,
    SPAN_COLOUR,
    SPAN_LABEL,
    NUM_SPAN_ARRAYS
} span_array_t;

static void write_span_array(
    const spot_spans_t *spans, span_array_t array, double least_ms, spot_json_t *json, FILE *out)
{
    static const char *const names[NUM_SPAN_ARRAYS] = {
        "at", "to", "lane", "slot", "slots", "colour", "label"};
    const char *between = "";
    double before_ms = 0;

    spot_json_open(json, names[array], '[');
    for (size_t j = 0; j < spans->num_spans; j++) {
        const spot_span_t *span = &spans->spans[j];
        const double length_ms = span->end_ms - span->start_ms;
        const double numbers[] = {round((span->start_ms - before_ms) * 1e6) / 1e9, length_ms / 1e3,
            (double) span->lane_id, (double) span->slot, (double) span->num_slots,
            (double) span->colour_id};

        if (length_ms < least_ms) {
            continue;
        }
        before_ms = span->start_ms;
        if (array == SPAN_LABEL) {
            spot_json_text(json, NULL, spot_span_label(spans, span));
        } else {
            fprintf(out, "%s%.15g", between, numbers[array]);
        }
        between = ",";
    }
    spot_json_close(json, ']');
}

/* What spans take of their lanes. */
static const char *taken_noun(const spot_spans_t *spans)
{
    const spot_series_kind_t *kind = spans->series->kind;

    return kind->num_columns > 4 && kind->columns[4].kind == SPOT_COLUMN_COUNT
               ? spot_series_column_name(&kind->columns[4])
               : kind->name;
}

/* What a run has beside lanes over time: the member "spans" of an open object, a table
 * of what spans are coloured by, and, for one of several runs, its distributions and its
 * tables that are shown. NO_MEMORY. */
static int page_spans_write(
    const spot_spans_t *spans, size_t max_pieces, spot_json_t *json, FILE *out)
{
    double least_ms;
    size_t num_shorter;
    const int ret = spot_spans_least(spans,
        max_pieces > SPOT_TIMELINE_DATA_SPANS ? max_pieces : SPOT_TIMELINE_DATA_SPANS, &least_ms,
        &num_shorter);

    spot_json_open(json, "spans", '{');
    spot_json_text(json, "name", spans->series->kind->help);
    spot_json_text(json, "unit", taken_noun(spans));
    spot_json_open(json, "lanes", '[');
    for (size_t j = 0; j < spans->num_lanes; j++) {
        spot_json_open(json, NULL, '{');
        spot_json_text(json, "name", spans->lanes[j].name);
        spot_json_number(json, "slots", (double) spans->lanes[j].num_slots);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_open(json, "colours", '[');
    for (size_t j = 0; j < spans->num_colours; j++) {
        spot_json_open(json, NULL, '{');
        spot_json_text(json, "name", spans->colours[j].name);
        spot_json_text(json, "colour", spans->colours[j].colour);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_number(json, "shorter", (double) num_shorter);
    spot_json_number(json, "least_ms", least_ms);
    for (span_array_t array = SPAN_AT; array < NUM_SPAN_ARRAYS; array++) {
        write_span_array(spans, array, least_ms, json, out);
    }
    spot_json_close(json, '}');
    return ret;
}

/* As the table of levels: what the script writes anew for a stretch. */
static void page_span_table_write(const spot_run_series_t *run, spot_document_t *document)
{
    const spot_spans_t *spans = &run->spans;
    spot_table_t table = {.name = "timeline"};
    double sum_ms = 0;

    for (size_t j = 0; j < spans->num_colours; j++) {
        sum_ms += spans->colours[j].name == NULL ? 0 : spans->colours[j].sum_ms;
    }
    if (sum_ms <= 0) {
        return;
    }
    spot_table_add_columns(&table, 3,
        (const spot_table_column_t[]){{.name = "category", .kind = SPOT_TABLE_TEXT},
            {.name = "share"}, {.name = "on average", .unit = taken_noun(spans)}});
    for (size_t j = 0; j < spans->num_colours; j++) {
        const spot_span_colour_t *colour = &spans->colours[j];

        if (colour->sum_ms > 0) {
            spot_table_add_row(&table);
            spot_table_add_text(&table, colour->name);
            spot_table_add_format(&table, "%.1f %%", 100 * colour->sum_ms / sum_ms);
            spot_table_set_value(&table, colour->sum_ms / sum_ms);
            spot_table_add_format(&table, "%.2f", colour->sum_ms / run->end_ms);
            spot_table_set_value(&table, colour->sum_ms / run->end_ms);
        }
    }
    table.caption =
        spot_texts_add(&table.texts, "Shares of %s, the whole run", spans->series->kind->help);
    spot_document_table(document, "timeline-spans", &table);
}

/* ---- Distributions ---- */

static void write_cdf(const spot_cdf_t *cdf, spot_document_t *document)
{
    FILE *out = document->out;

    fputs("<figure class=\"picture\" role=\"group\">\n<div class=\"distribution\" "
          "role=\"img\" aria-label=\"",
        out);
    spot_html_text(out, cdf->series[0]->kind->help);
    fputs("\">\n", out);
    spot_document_fail(document, spot_draw_page(spot_cdf_declare, cdf, true, out));
    fputs("</div>\n</figure>\n", out);
}

/* ---- Tables ---- */

static void add_cell(
    spot_table_t *table, const spot_series_t *series, size_t row_id, size_t column_id)
{
    const spot_series_kind_t *kind = series->kind;
    const spot_cell_t *cell = &series->cells[row_id * kind->num_columns + column_id];

    switch (kind->columns[column_id].kind) {
        case SPOT_COLUMN_CATEGORY:
        case SPOT_COLUMN_TEXT:
            spot_table_add_text(table, spot_series_text(series, row_id, column_id));
            return;
        case SPOT_COLUMN_NUMBER:
            spot_table_add_number(table, cell->number);
            return;
        default:
            spot_table_add_count(table, cell->integer);
    }
}

static void write_shown(
    const spot_series_t *series, size_t run_id, size_t series_id, spot_document_t *document)
{
    const spot_series_kind_t *kind = series->kind;
    spot_table_t table = {.name = kind->name, .caption = kind->help};

    for (size_t k = 0; k < kind->num_columns; k++) {
        const spot_series_column_t *column = &kind->columns[k];
        const char *unit = spot_series_column_unit(kind, column);

        spot_table_add_column(&table,
            (spot_table_column_t){.name = spot_series_column_name(column),
                .unit = strcmp(unit, "1") == 0 ? NULL : unit,
                .kind = column->kind >= SPOT_COLUMN_CATEGORY ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER,
                .is_fixed = column->num_decimals > 0,
                .num_decimals = spot_series_decimals(column)});
    }
    for (size_t j = 0; j < series->num_rows && j < MAX_TABLE_ROWS; j++) {
        spot_table_add_row(&table);
        for (size_t k = 0; k < kind->num_columns; k++) {
            add_cell(&table, series, j, k);
        }
    }
    if (series->num_rows > MAX_TABLE_ROWS) {
        spot_table_add_note(&table, "",
            spot_texts_add(&table.texts,
                "The first %d of %zu rows: `spotsim run --series FOLDER` writes all.",
                MAX_TABLE_ROWS, series->num_rows));
    }
    spot_document_table(
        document, spot_texts_add(&document->texts, "run-%zu-table-%zu", run_id, series_id), &table);
}

static void page_run_more_write(
    const spot_run_series_t *run, size_t run_id, spot_document_t *document)
{
    const spot_recording_t *recording = run->recording;
    bool is_open = false;

    for (size_t j = 0; j < recording->num_series; j++) {
        const spot_series_t *series = &recording->series[j];
        const bool is_table = series->kind->shape == SPOT_SERIES_SHOWN_TABLE;

        if (!is_table && !spot_cdf_fits(series)) {
            continue;
        }
        if (!is_open) {
            fprintf(document->out, "<div class=\"timeline-more\" data-run=\"%zu\"%s>\n", run_id,
                run_id == 0 ? "" : " hidden");
            is_open = true;
        }
        if (is_table) {
            write_shown(series, run_id, j, document);
        } else {
            write_cdf(&(spot_cdf_t){.num_runs = 1,
                          .series = {series},
                          .is_longer = run->is_longer,
                          .max_points = MAX_CDF_POINTS},
                document);
        }
    }
    fputs(is_open ? "</div>\n" : "", document->out);
}

/* ---- Lanes over time ---- */

#define MAX_ROWS 150000        /* of a page of one run: 3 MB */
#define MAX_BYTES 70000        /* of several: some hours take 6 kB, a busy month 300 kB */
#define MAX_SPAN_BYTES 1500000 /* of several that have spans */
#define LABEL_CHARS 120

/* ---- The data of the script ---- */

typedef struct {
    spot_json_t json;
    FILE *out;
    const spot_run_series_t *run;
    size_t max_rows;
    size_t num_points; /* of the lane that is written, as bins */
    size_t max_points;
    spot_bin_t *points; /* [num_points] */
} data_t;

static bool is_thinned(const data_t *self, const spot_lane_t *lane)
{
    return (lane->kind <= SPOT_LANE_TOTAL ? lane->series->num_rows : lane->curve.num_points) >
           self->max_rows;
}

/* Marks stand in the middle of their bins; of the others it is known where bins are. */
static void gather_bins(data_t *self, const spot_lane_t *lane)
{
    spot_lane_bins(lane, self->run->end_ms, SPOT_TIMELINE_DATA_BINS, self->points);
    for (size_t j = 0; j < SPOT_TIMELINE_DATA_BINS; j++) {
        spot_bin_t *bin = &self->points[j];

        if (lane->kind == SPOT_LANE_TOTAL) {
            bin->value = bin->high;
        } else if (lane->kind == SPOT_LANE_MARKS) {
            bin->start_ms += self->run->end_ms / SPOT_TIMELINE_DATA_BINS / 2;
            bin->low = (double) bin->num_marks;
        }
        if (lane->kind != SPOT_LANE_MARKS || bin->num_marks > 0) {
            self->points[self->num_points++] = *bin;
        }
    }
}

static int gather(data_t *self, const spot_lane_t *lane)
{
    const bool has_bins = is_thinned(self, lane) && lane->kind != SPOT_LANE_CURVE;
    spot_curve_t thinned = {0};
    const spot_curve_t *curve = &lane->curve;
    int ret = 0;

    if (is_thinned(self, lane) && !has_bins) {
        ret = spot_lane_thin(lane, self->run->end_ms, SPOT_TIMELINE_DATA_COLUMNS, &thinned);
        curve = &thinned;
    }
    self->num_points = 0;
    if (ret == 0) {
        ret = SPOT_ARRAY_ROOM(self, points, has_bins ? SPOT_TIMELINE_DATA_BINS : curve->num_points);
    }
    if (ret == 0 && has_bins) {
        gather_bins(self, lane);
    }
    for (size_t j = 0; ret == 0 && !has_bins && j < curve->num_points; j++) {
        self->points[self->num_points++] =
            (spot_bin_t){.start_ms = curve->points[j].x, .value = curve->points[j].y};
    }
    spot_curve_free(&thinned);
    return ret;
}

typedef enum { AT, VALUES, MORE } array_t;

/* Numbers are written without the blanks of spot_json_t, which would be a quarter of the
 * data. Of averages, three digits are more than a screen can show. */
static void write_array(data_t *self, array_t array, const spot_lane_t *lane)
{
    static const char *const names[] = {"at", "values", "more"};
    const int num_digits = lane->kind == SPOT_LANE_CURVE                             ? 9
                           : lane->kind == SPOT_LANE_LEVEL && is_thinned(self, lane) ? 3
                                                                                     : 6;
    double before_ms = 0;

    spot_json_open(&self->json, names[array], '[');
    for (size_t j = 0; j < self->num_points; j++) {
        const spot_bin_t *point = &self->points[j];

        fputs(j == 0 ? "" : ",", self->out);
        if (array == AT) {
            fprintf(self->out, "%.15g", round((point->start_ms - before_ms) * 1e6) / 1e9);
            before_ms = point->start_ms;
        } else {
            fprintf(self->out, "%.*g", num_digits, array == VALUES ? point->value : point->low);
        }
    }
    spot_json_close(&self->json, ']');
}

static int write_lane(data_t *self, const spot_lane_t *lane)
{
    static const char *const kinds[] = {"level", "total", "marks", "curve"};
    const bool has_bins = is_thinned(self, lane) && lane->kind != SPOT_LANE_CURVE;
    const char sign[] = {lane->sign == '\0' ? '.' : lane->sign, '\0'};
    const int ret = gather(self, lane);

    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "kind", kinds[lane->kind]);
    spot_json_text(&self->json, "name", lane->name);
    spot_json_text(&self->json, "unit", lane->unit);
    spot_json_text(&self->json, "colour", lane->colour);
    spot_json_text(&self->json, "sign", sign);
    spot_json_number(&self->json, "bin_ms",
        has_bins ? self->run->end_ms / SPOT_TIMELINE_DATA_BINS : (double) NAN);
    if (!has_bins || lane->kind == SPOT_LANE_MARKS) {
        write_array(self, AT, lane);
    }
    write_array(self, VALUES, lane);
    if (has_bins && lane->kind != SPOT_LANE_LEVEL) {
        write_array(self, MORE, lane);
    }
    spot_json_close(&self->json, '}');
    return ret;
}

int spot_timeline_data_write(const spot_run_series_t *run, size_t max_rows, FILE *out)
{
    spot_texts_t texts = {0};
    FILE *stream = spot_texts_begin(&texts);
    data_t self = {.out = stream,
        .run = run,
        .max_rows = max_rows > SPOT_TIMELINE_DATA_BINS ? max_rows : SPOT_TIMELINE_DATA_BINS};
    int ret = 0;

    if (stream != NULL) {
        spot_json_init(&self.json, stream, 0);
        spot_json_open(&self.json, NULL, '{');
        spot_json_number(&self.json, "end_ms", run->end_ms);
        spot_json_open(&self.json, "lanes", '[');
        for (size_t j = 0; ret == 0 && j < run->num_lanes; j++) {
            const spot_lane_t *lane = &run->lanes[j];

            if (spot_lane_is_shown(lane)) {
                ret = write_lane(&self, lane);
            }
        }
        spot_json_close(&self.json, ']');
        if (ret == 0 && run->spans.num_spans > 0) {
            ret = page_spans_write(&run->spans, max_rows, &self.json, stream);
            spot_json_boolean(
                &self.json, "spans_first", run->spans.series == run->recording->series);
            if (run->gathered != NULL) {
                spot_json_text(&self.json, "gathered", run->gathered);
            }
        }
        spot_json_close(&self.json, '}');
    }
    spot_page_json_escaped(out, spot_texts_end(&texts, stream));
    free(self.points);
    ret = spot_error_first(ret, texts.error);
    spot_texts_free(&texts);
    return ret;
}

/* ---- Tables of the whole run, whose rows the script writes anew ---- */

#define NUM_COLUMNS 4

/* "2.25 USD": two decimals, unless it is whole. */
static void add_amount(spot_table_t *table, double value, const char *unit, const char *divisor)
{
    spot_table_add_format(table, "%.*f%s%s%s", value == round(value) ? 0 : 2, value,
        unit[0] == '\0' ? "" : " ", unit, divisor);
    spot_table_set_value(table, value);
}

static void add_row(const spot_run_series_t *run, const spot_lane_t *lane, spot_table_t *table)
{
    const size_t num_points = lane->curve.num_points;

    spot_table_add_row(table);
    spot_table_add_text(table, lane->name);
    if (lane->kind == SPOT_LANE_LEVEL) {
        const double share = lane->sum / spot_run_lane_total(lane)->sum;

        spot_table_add_format(table, "%.1f %%", 100 * share);
        spot_table_set_value(table, share);
        add_amount(table, lane->sum / run->end_ms, "", "");
    } else if (lane->kind == SPOT_LANE_MARKS) {
        add_amount(table, (double) num_points, "", "");
        add_amount(table, lane->sum, "", "");
    } else {
        add_amount(table, lane->sum, lane->unit, "");
        add_amount(table, lane->sum / run->end_ms * SPOT_MS_PER_H, lane->unit, "/h");
        add_amount(table, lane->curve.points[num_points - 1].y, lane->unit, "");
    }
}

/* A table of the lanes of a kind; of levels, those of one stack, in the order of the
 * legend: the stack from its top down. */
static void write_table(const spot_run_series_t *run, spot_lane_kind_t kind,
    const spot_lane_t *total, spot_document_t *document)
{
    static const struct {
        const char *id, *caption;
        const char *names[NUM_COLUMNS];
    } tables[] = {
        [SPOT_LANE_LEVEL] = {"timeline-level", "Shares", {"category", "share", "on average"}},
        [SPOT_LANE_MARKS] = {"timeline-marks", "Events",
            {"what happened", "times", "count in all"}},
        [SPOT_LANE_CURVE] = {
            "timeline-curve", "Progress", {"what", "change", "rate", "at the end"}}};
    const bool is_first = total == NULL || total == spot_run_lane(run, SPOT_LANE_TOTAL);
    spot_table_t table = {.name = "timeline"};
    size_t stack = 1;

    for (size_t j = 0; j < NUM_COLUMNS && tables[kind].names[j] != NULL; j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = tables[kind].names[j],
                                          .unit = total != NULL && j == 2 ? total->name : NULL,
                                          .kind = j == 0 ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER});
    }
    for (size_t j = 0; j < run->num_lanes; j++) {
        const spot_lane_t *lane = &run->lanes[kind == SPOT_LANE_LEVEL ? run->num_lanes - 1 - j : j];

        if (lane->kind == kind && spot_lane_is_shown(lane) &&
            (total == NULL || spot_run_lane_total(lane) == total)) {
            add_row(run, lane, &table);
        }
    }
    for (const spot_lane_t *lane = run->lanes; total != NULL && lane < total; lane++) {
        stack += lane->kind == SPOT_LANE_TOTAL;
    }
    if (table.num_rows > 0) {
        table.caption = spot_texts_add(&table.texts, "%s%s%s, the whole run", tables[kind].caption,
            is_first ? "" : " of ", is_first ? "" : total->name);
        spot_document_table(document,
            is_first ? tables[kind].id
                     : spot_texts_add(&document->texts, "%s-%zu", tables[kind].id, stack),
            &table);
    }
    spot_document_fail(document, table.error); /* it may have no row for that reason */
    spot_table_free(&table);
}

static void write_tables(const spot_run_series_t *run, spot_document_t *document)
{
    fputs("<div class=\"timeline-tables\">\n", document->out);
    for (size_t j = 0; j < run->num_lanes; j++) {
        if (run->lanes[j].kind == SPOT_LANE_TOTAL) {
            write_table(run, SPOT_LANE_LEVEL, &run->lanes[j], document);
        }
    }
    write_table(run, SPOT_LANE_MARKS, NULL, document);
    write_table(run, SPOT_LANE_CURVE, NULL, document);
    page_span_table_write(run, document);
    fputs("</div>\n", document->out);
}

/* ---- A run on a page ---- */

/* In place of the picture where it is not seen. */
static const char *what_is_drawn(const spot_run_series_t *run, spot_texts_t *texts)
{
    const char *levels = "";

    if (run->levels != NULL) {
        levels = spot_texts_add(texts, "%s over time%s, ", spot_run_series_level_noun(run),
            run->num_levels > 1 ? " by category" : "");
    }
    return spot_texts_add(texts, "%s%s%s%s%s: the tables below have the totals", levels,
        run->events != NULL ? "marks of what happened, " : "",
        run->spans.num_spans > 0 ? run->spans.series->kind->help : "",
        run->spans.num_spans > 0 ? ", " : "",
        run->curve != NULL ? spot_run_series_curve_noun(run) : "and no curve");
}

static int write_data(const spot_run_series_t *run, const char *label, size_t max_rows, FILE *out)
{
    int ret;

    fputs("<script type=\"application/json\" class=\"timeline-data\" data-label=\"", out);
    spot_html_text(out, label);
    fputs("\">", out);
    ret = spot_timeline_data_write(run, max_rows, out);
    fputs("</script>\n", out);
    return ret;
}

/* The figure, in which the static picture stands where no script runs, the data and the
 * tables. */
static int write_timeline(
    const spot_run_series_t *run, const char *label, bool is_drawn, size_t max_rows, FILE *out)
{
    spot_document_t document;
    int ret = 0;

    spot_document_to_page(&document, out);
    fputs("<div class=\"timeline\">\n<figure class=\"picture\" role=\"group\" "
          "aria-label=\"",
        out);
    spot_html_text(out, label);
    fputs("\">\n<div class=\"static\"", out);
    if (is_drawn) {
        fputs(" role=\"img\" aria-label=\"", out);
        spot_html_text(out, what_is_drawn(run, &document.texts));
        fputs("\">\n", out);
        ret = spot_draw_page(spot_timeline_declare, run, false, out);
    } else {
        fputs(">\n", out);
        spot_html_element(out, "h3", label);
    }
    fputs("</div>\n<div class=\"timeline-live\" hidden></div>\n</figure>\n", out);
    if (ret == 0) {
        ret = write_data(run, label, max_rows, out);
    }
    write_tables(run, &document);
    page_run_more_write(run, 0, &document);
    fputs("</div>\n", out);
    if (run->more != NULL) {
        spot_page_picture_write(
            &(spot_page_picture_t){.declare = run->more, .context = run->more_context}, &document);
    }
    spot_document_fail(&document, ret);
    return spot_document_end(&document);
}

int spot_page_run_write(
    const spot_run_series_t *run, const char *path, FILE *out, spot_diag_t *diag)
{
    const spot_page_asset_t scripts[] = {{spot_page_base_js, spot_page_base_js_end},
        {spot_page_lanes_js, spot_page_lanes_js_end},
        {spot_page_timeline_js, spot_page_timeline_js_end}};
    spot_page_frame_t frame;
    FILE *body;
    int ret;

    if (!spot_run_series_check(run, path, diag)) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = spot_page_frame_begin(&frame, run->title, &body);
    if (ret == 0) {
        spot_html_element(body, "p class=\"note\"", run->note);
        fputs("\n</header>\n<main id=\"content\">\n", body);
        ret = write_timeline(
            run, "Timeline of the run", true, run->max_rows > 0 ? run->max_rows : MAX_ROWS, body);
        fputs("</main>\n", body);
    }
    return spot_page_frame_end(&frame, ret, scripts, sizeof(scripts) / sizeof(scripts[0]), out);
}

/* ---- The runs of a study, of which one is shown at a time ---- */

/* What the series of a run are, in their own words. */
static void write_intro(const spot_recording_t *recording, FILE *out)
{
    const char *before = "<details>\n<summary>What is shown</summary>\n<p>Runs over time: ";

    for (size_t j = 0; j < recording->num_series; j++) {
        if (recording->series[j].kind->shape != SPOT_SERIES_TABLE &&
            recording->series[j].kind->shape != SPOT_SERIES_LONG_TABLE) {
            fputs(before, out);
            spot_html_text(out, recording->series[j].kind->help);
            before = "; ";
        }
    }
    fputs(before[0] == ';' ? ".</p>\n</details>\n" : "", out);
}

/* A run that is not shown at first. */
static int write_other(const spot_run_series_t *run, const char *label, size_t run_id, FILE *out)
{
    spot_document_t document;
    const int ret = write_data(run, label, 0, out);

    spot_document_to_page(&document, out);
    page_run_more_write(run, run_id, &document);
    spot_document_fail(&document, ret);
    return spot_document_end(&document);
}

/* The runs whose series a store keeps, on a page of its study. */
typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_series_list_t *series;
    FILE *out;
} kept_runs_t;

/* The first one, run 0, is shown; of the others there are data alone. Takes what it
 * writes from *num_left bytes; an empty run is none. */
static int write_one(const kept_runs_t *self, size_t series_id, size_t *num_runs,
    spot_texts_t *texts, size_t *num_left)
{
    const bool is_first = *num_runs == 0;
    const spot_series_id_t *id = &self->series->ids[series_id];
    const char *words = spot_words_point(texts, self->head, id->point_id, LABEL_CHARS);
    const char *label = spot_texts_add(
        texts, "%s%sreplication %" PRId64, words, words[0] == '\0' ? "" : ", ", id->replication);
    FILE *out = spot_texts_begin(texts);
    spot_recording_t recording;
    spot_run_series_t run = {0};
    const char *text;
    int ret =
        spot_store_read_series(self->report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, self->head->colours);
    }
    if (ret == 0 && is_first) {
        write_intro(&recording, self->out);
        fputs("<div class=\"timelines\">\n", self->out);
    }
    if (ret == 0 && out != NULL && spot_run_series_check(&run, NULL, NULL)) {
        ret = is_first ? write_timeline(&run, label, false, 0, out)
                       : write_other(&run, label, *num_runs, out);
        ++*num_runs;
    }
    text = spot_texts_end(texts, out);
    fputs(text, self->out);
    *num_left += is_first && run.spans.num_spans > 0 ? MAX_SPAN_BYTES : 0;
    *num_left -= strlen(text) < *num_left ? strlen(text) : *num_left;
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* The events of a run; SIZE_MAX: it is empty. */
static int count_events(const kept_runs_t *self, const spot_series_id_t *id, size_t *num_events)
{
    spot_recording_t recording;
    spot_run_series_t run = {0};
    int ret =
        spot_store_read_series(self->report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, NULL);
    }
    *num_events = ret != 0 || !spot_run_series_check(&run, NULL, NULL) ? SIZE_MAX
                  : run.events == NULL                                 ? 0
                                                                       : run.events->num_rows;
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* The run that is shown first: in the middle of those that had events, else the first
 * that is not empty, of which there are *num_full. */
static int choose_first(const kept_runs_t *self, size_t *first_id, size_t *num_full)
{
    const size_t num_ids = self->series->num_ids;
    size_t *lively = spot_calloc(num_ids, sizeof(*lively)), num_lively = 0;
    int ret = lively == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *first_id = *num_full = 0;
    for (size_t j = 0; ret == 0 && j < num_ids; j++) {
        size_t num_events;

        ret = count_events(self, &self->series->ids[j], &num_events);
        if (num_events == SIZE_MAX) {
            continue;
        }
        if (num_events > 0) {
            lively[num_lively++] = j;
        }
        *first_id = *num_full == 0 ? j : *first_id;
        ++*num_full;
    }
    *first_id = num_lively > 0 ? lively[num_lively / 2] : *first_id;
    free(lively);
    return ret;
}

void spot_page_timelines_write(
    const spot_report_t *report, const spot_series_list_t *series, spot_document_t *document)
{
    const kept_runs_t self = {report, report->head, series, document->out};
    size_t num_written = 0, num_left = MAX_BYTES, first_id, num_full;
    spot_texts_t texts = {0};
    int ret = choose_first(&self, &first_id, &num_full);

    if (ret == 0) {
        ret = write_one(&self, first_id, &num_written, &texts, &num_left);
    }
    for (size_t j = 0; ret == 0 && j < series->num_ids && num_written < num_full && num_left > 0;
         j++) {
        if (j != first_id) {
            ret = write_one(&self, j, &num_written, &texts, &num_left);
        }
    }
    fputs("</div>\n", self.out);
    if (num_written < num_full) {
        fprintf(self.out,
            "<p class=\"note\">The page has %zu of the %zu runs whose series the "
            "database "
            "keeps; <code>spotsim run --set KEY=VALUE --replication R --plot "
            "run.html</code> makes a page of another one.</p>\n",
            num_written, num_full);
    }
    spot_document_fail(document, spot_error_first(ret, texts.error));
    spot_texts_free(&texts);
}

int spot_recording_draw(const spot_recording_view_t *view, bool is_trace, const char *path,
    FILE *out, spot_diag_t *diag)
{
    spot_run_series_t series = {0};
    int ret;

    if (is_trace) {
        return spot_chrome_trace_write(view->recording, out);
    }
    ret = spot_run_series_init(&series, view->recording, view->colours);
    series.title = view->title;
    series.max_rows = view->max_rows;
    series.gathered = view->gathered;
    series.more = view->more;
    series.more_context = view->more_context;
    ret = ret == 0 ? spot_page_run_write(&series, path, out, diag) : ret;
    spot_run_series_free(&series);
    return ret;
}
