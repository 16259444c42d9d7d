/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/chart.h"
#include "reports/chart/svg.h"
#include "tests/unit/reports/declared.h"

static const char *const kinds[] = {
    "line", "steps", "points", "area", "area-steps", "bars", "spans", "strokes"};

static const char *const markers[] = {"", " circle", " square", " triangle", " diamond", " down"};

static void put(FILE *out, const char *name, const char *text)
{
    if (text != NULL) {
        fprintf(out, " %s'%s'", name, text);
    }
}

static void put_axis(FILE *out, const char *name, const spot_chart_axis_t *axis)
{
    static const char *const scales[] = {"", " log", " rows"};
    static const char *const units[] = {"", " percent", " ms", " s"};

    fprintf(out, "  %s%s%s", name, scales[axis->kind], units[axis->unit]);
    put(out, "", axis->name);
    if (axis->high > axis->low) {
        fprintf(out, " from %.6g to %.6g", axis->low, axis->high);
    }
    fprintf(out, "%s%s", axis->has_zero ? " with 0" : "", axis->is_hidden ? " hidden" : "");
    if (axis->group > 0) {
        fprintf(out, " group %d", axis->group);
    }
    put(out, "high ", axis->high_name);
    put(out, "low ", axis->low_name);
    fputc('\n', out);
}

static void put_row(FILE *out, const spot_chart_row_t *row)
{
    fputs("  row", out);
    put(out, "", row->name);
    put(out, "under ", row->heading);
    put(out, "note ", row->note);
    put(out, "empty ", row->empty);
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        put(out, "side ", row->sides[j]);
    }
    fputc('\n', out);
}

static void put_datum(FILE *out, const char *kind, const spot_chart_datum_t *datum)
{
    fprintf(out, "    %s %.6g %.6g", kind, datum->x, datum->y);
    if (datum->x_low < datum->x_high) {
        fprintf(out, " x %.6g to %.6g", datum->x_low, datum->x_high);
    }
    if (datum->y_low < datum->y_high) {
        fprintf(out, " y %.6g to %.6g", datum->y_low, datum->y_high);
    }
    put(out, "", datum->label);
    put(out, "hover ", datum->hover);
    fprintf(out, "%s%s%s\n", datum->colour == NULL ? "" : " ",
        datum->colour == NULL ? "" : datum->colour, datum->is_hollow ? " hollow" : "");
}

static void put_series(FILE *out, const spot_series_node_t *series)
{
    static const char *const dashes[] = {"", " dashed", " dotted"};
    const spot_chart_series_t *look = &series->look;

    fprintf(out, "  series of %s", kinds[look->kind]);
    put(out, "", look->name);
    fprintf(out, " %s%s%s%s", look->colour == NULL ? "ink" : look->colour, markers[look->marker],
        look->is_hollow ? " hollow" : "", dashes[look->dash]);
    if (look->thickness > 0) {
        fprintf(out, " thick %.3g", look->thickness);
    }
    fputc('\n', out);
    for (size_t j = 0; j < series->num_data; j++) {
        put_datum(out, kinds[look->kind], &series->data[j]);
    }
}

static void put_panel(FILE *out, const spot_panel_node_t *panel)
{
    fprintf(out, "panel%s", panel->look.is_below ? " below" : "");
    put(out, "", panel->look.title);
    put(out, "note ", panel->look.note);
    put(out, "empty ", panel->look.empty);
    put(out, "second ", panel->look.second_name);
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        put(out, "side ", panel->look.side_names[j]);
    }
    fputc('\n', out);
    put_axis(out, "x", &panel->look.x);
    put_axis(out, "y", &panel->look.y);
    for (size_t j = 0; j < panel->num_rows; j++) {
        put_row(out, &panel->rows[j]);
    }
    for (size_t j = 0; j < panel->num_x_labels; j++) {
        fprintf(out, "  tick %.6g", panel->x_labels[j].x);
        put(out, "", panel->x_labels[j].label);
        put(out, "", panel->x_labels[j].second);
        fputc('\n', out);
    }
    for (size_t j = 0; j < panel->num_rules; j++) {
        fprintf(out, "  rule at %.6g", panel->rules[j].at);
        put(out, "", panel->rules[j].name);
        fputc('\n', out);
    }
    for (size_t j = 0; j < panel->num_series; j++) {
        put_series(out, &panel->series[j]);
    }
}

static void put_chart(FILE *out, const spot_chart_t *chart)
{
    fprintf(out, "title '%s'\n", chart->title);
    for (size_t j = 0; j < chart->num_notes; j++) {
        fprintf(out, "note '%s'\n", chart->notes[j]);
    }
    for (size_t j = 0; j < chart->num_feet; j++) {
        fprintf(out, "foot '%s'\n", chart->feet[j]);
    }
    fprintf(out, "described '%s'\n", chart->description);
    for (size_t j = 0; j < chart->num_panels; j++) {
        put_panel(out, &chart->panels[j]);
    }
    for (size_t j = 0; j < chart->num_entries; j++) {
        const spot_chart_entry_t *look = &chart->entries[j].look;

        if (chart->entries[j].item_id < 0) {
            fprintf(out, "%s", look->is_heading ? "heading" : "entry");
            put(out, "", look->text);
            put(out, "sign ", look->sign);
            fprintf(out, " %s%s%s\n", look->colour == NULL ? "ink" : look->colour,
                markers[look->marker], look->is_hollow ? " hollow" : "");
        }
    }
}

static void assert_svg(char *text, size_t num_svg)
{
    size_t num_found = 0;

    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\""));
    for (const char *at = strstr(text, "<svg"); at != NULL; at = strstr(at + 1, "<svg")) {
        num_found++;
    }
    assert_int_equal(num_found, num_svg);
    free(text);
}

char *declared_svg(spot_declare_t declare, const void *context)
{
    spot_chart_t *chart = spot_chart_new();
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(chart);
    assert_non_null(out);
    assert_int_equal(declare(chart, context), 0);
    assert_int_equal(spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_chart_free(chart);
    return text;
}

/* As a file and in a page. */
static void assert_drawn(spot_declare_t declare, const void *context)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_svg(declared_svg(declare, context), 1);
    assert_non_null(out);
    assert_int_equal(spot_draw_page(declare, context, false, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_svg(text, 2);
}

char *declared_text(spot_declare_t declare, const void *context)
{
    spot_chart_t *chart = spot_chart_new();
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(chart);
    assert_non_null(out);
    assert_int_equal(declare(chart, context), 0);
    assert_int_equal(spot_chart_error(chart), 0);
    put_chart(out, chart);
    spot_chart_free(chart);
    assert_int_equal(fclose(out), 0);
    assert_drawn(declare, context);
    return text;
}

char *declared_csv(const spot_study_picture_t *picture, const spot_report_t *report)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_study_picture_write_csv(picture, report, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

char *declared_description(const spot_study_picture_t *picture, const spot_report_t *report)
{
    spot_chart_t *chart = spot_chart_new();
    char *text;

    assert_non_null(chart);
    assert_int_equal(picture->declare(chart, report), 0);
    text = strdup(chart->description);
    assert_non_null(text);
    spot_chart_free(chart);
    return text;
}

size_t declared_count(const char *text, const char *kind)
{
    char start[32];
    size_t num_found = 0;

    snprintf(start, sizeof(start), "\n    %s ", kind);
    for (text = strstr(text, start); text != NULL; text = strstr(text + 1, start)) {
        num_found++;
    }
    return num_found;
}
