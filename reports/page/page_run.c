/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the page of a run has beside lanes over time: spans, distributions, tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page_internal.h"
#include "reports/page/page_timeline.h"
#include "reports/run_chart.h"

#define MAX_ROWS 200       /* of a table that is shown */
#define MAX_CDF_POINTS 400 /* of a line */

/* ---- Spans ---- */

typedef enum { AT, TO, LANE, SLOT, SLOTS, COLOUR, LABEL, NUM_ARRAYS } array_t;

static void write_array(
    const spot_spans_t *spans, array_t array, double least_ms, spot_json_t *json, FILE *out)
{
    static const char *const names[NUM_ARRAYS] = {
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
        if (array == LABEL) {
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

int spot_page_spans_write(
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
    for (array_t array = AT; array < NUM_ARRAYS; array++) {
        write_array(spans, array, least_ms, json, out);
    }
    spot_json_close(json, '}');
    return ret;
}

/* As the table of levels: what the script writes anew for a stretch. */
void spot_page_span_table_write(const spot_run_series_t *run, spot_document_t *document)
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
    for (size_t j = 0; j < series->num_rows && j < MAX_ROWS; j++) {
        spot_table_add_row(&table);
        for (size_t k = 0; k < kind->num_columns; k++) {
            add_cell(&table, series, j, k);
        }
    }
    if (series->num_rows > MAX_ROWS) {
        spot_table_add_note(&table, "",
            spot_texts_add(&table.texts,
                "The first %d of %zu rows: `spotsim run --series FOLDER` writes all.", MAX_ROWS,
                series->num_rows));
    }
    spot_document_table(
        document, spot_texts_add(&document->texts, "run-%zu-table-%zu", run_id, series_id), &table);
}

void spot_page_run_more_write(
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
