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

#include "reports/chart/layout.h"
#include "reports/chart/svg.h"
#include "tests/unit/chart/random_chart.h"

#define NUM_CHARTS 200

typedef void (*declare_t)(spot_chart_t *chart);

/* The SVG of a declaration; the caller frees. */
static char *draw(declare_t declare, double width_px)
{
    spot_chart_t *chart = spot_chart_new();
    char *svg = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&svg, &num_bytes);

    assert_non_null(chart);
    assert_non_null(out);
    declare(chart);
    assert_int_equal(spot_chart_svg(chart, width_px, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_chart_free(chart);
    return svg;
}

/* ---- Form ---- */

/* Elements are closed in their order, attributes quoted, and nothing else is markup:
 * what an XML parser checks, as far as this kit writes. */
static void assert_well_formed(const char *svg)
{
    char open[16][16];
    size_t depth = 0;

    for (const char *at = strchr(svg, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        const size_t length = strcspn(at + 1, " >/");
        size_t num_quotes = 0;

        assert_non_null(end);
        for (const char *byte = at + 1; byte < end; byte++) {
            num_quotes += *byte == '"';
            assert_true(*byte != '<');
        }
        assert_int_equal(num_quotes % 2, 0);
        if (at[1] == '?') {
            continue;
        }
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_memory_equal(at + 2, open[depth], strlen(open[depth]));
        } else if (end[-1] != '/') {
            assert_true(depth < 16 && length < 16);
            memcpy(open[depth], at + 1, length);
            open[depth++][length] = '\0';
        }
    }
    assert_int_equal(depth, 0);
}

/* No place of a path is not a number or far away. */
static void assert_no_odd_numbers(const char *svg)
{
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    for (const char *d = strstr(svg, " d=\""); d != NULL; d = strstr(d + 1, " d=\"")) {
        size_t num_digits = 0;

        for (const char *byte = d + 4; *byte != '"'; byte++) {
            num_digits = *byte >= '0' && *byte <= '9' ? num_digits + 1 : 0;
            assert_true(num_digits <= 4);
        }
    }
}

static void any_declaration_is_drawn(void **state)
{
    (void) state;
    for (unsigned seed = 0; seed < NUM_CHARTS; seed++) {
        char *wide = random_chart_svg(seed, SPOT_CHART_WIDE_PX, false);
        char *narrow = random_chart_svg(seed, SPOT_CHART_NARROW_PX, true);

        assert_non_null(wide);
        assert_non_null(narrow);
        assert_well_formed(wide);
        assert_well_formed(narrow);
        assert_no_odd_numbers(wide);
        assert_no_odd_numbers(narrow);
        assert_null(strstr(wide, "\xef\xbf\xbe")); /* U+FFFE is not XML */
        assert_null(strstr(wide, "\xe2\x80\xae")); /* nor does a name turn others */
        free(wide);
        free(narrow);
    }
}

static void declare_texts(spot_chart_t *chart)
{
    spot_chart_title(chart, "<a & \"b\"> 'c'");
    spot_chart_describe(chart, "curves & bands");
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.name = "x < y"}});
}

static void texts_are_escaped(void **state)
{
    char *svg = draw(declare_texts, SPOT_CHART_WIDE_PX);

    (void) state;
    assert_non_null(strstr(svg, "<title>&lt;a &amp; &quot;b&quot;&gt; &#39;c&#39;</title>"));
    assert_non_null(strstr(svg, "<desc>curves &amp; bands</desc>"));
    assert_non_null(strstr(svg, ">x &lt; y</text>"));
    free(svg);
}

/* ---- What is drawn ---- */

static void declare_gap(spot_chart_t *chart)
{
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.low = 0, .high = 4}});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE});
    for (int j = 0; j < 5; j++) {
        spot_chart_add_xy(chart, j, j == 2 ? (double) NAN : j);
    }
}

static size_t count(const char *text, const char *part)
{
    size_t num = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        num++;
    }
    return num;
}

/* The d of the first path of a class and width. */
static void find_path(const char *svg, const char *start, char d[4096])
{
    const char *at = strstr(svg, start);
    size_t length;

    assert_non_null(at);
    at = strstr(at, " d=\"");
    assert_non_null(at);
    length = strcspn(at + 4, "\"");
    assert_true(length < 4096);
    memcpy(d, at + 4, length);
    d[length] = '\0';
}

static void undefined_is_a_gap(void **state)
{
    char *svg = draw(declare_gap, SPOT_CHART_WIDE_PX);
    char d[4096];

    (void) state;
    find_path(svg, "<path class=\"l\"", d);
    assert_int_equal(count(d, "M") + count(d, "m"), 2); /* two pieces */
    free(svg);
}

static void declare_beyond(spot_chart_t *chart)
{
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.low = 0, .high = 10}, .y = {.low = 0, .high = 1}});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE, .colour = "#123456"});
    for (int j = -5; j < 20; j++) {
        spot_chart_add(
            chart, &(spot_chart_datum_t){
                       .x = j, .y = j % 2 == 0 ? 1e9 : -3, .y_low = -1e300, .y_high = 1e300});
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS});
    spot_chart_add(
        chart, &(spot_chart_datum_t){
                   .x = 5, .y = 0.5, .x_low = -40, .x_high = 99, .y_low = -7, .y_high = 8});
    spot_chart_add_xy(chart, 11, 0.5);
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA});
    spot_chart_add_xy(chart, -3, 4);
    spot_chart_add_xy(chart, 30, 5);
    spot_chart_rule(chart, &(spot_chart_rule_t){.at = 3});
}

static bool is_of_panel(const spot_mark_t *mark)
{
    return mark->kind != SPOT_MARK_LINE || strcmp(mark->class, "l") == 0;
}

static void what_is_beyond_the_ends_is_cut_off(void **state)
{
    spot_chart_t *chart = spot_chart_new();
    spot_sheet_t sheet;
    size_t num_marks = 0, num_signs = 0;

    (void) state;
    assert_non_null(chart);
    declare_beyond(chart);
    assert_int_equal(spot_sheet_init(&sheet, chart, SPOT_CHART_WIDE_PX, true), 0);
    for (size_t j = 0; j < sheet.items.num_marks; j++) {
        const spot_mark_t *mark = &sheet.items.marks[j];
        const spot_box_t *box = &sheet.places[0].box;
        const size_t end = spot_sheet_mark_end(&sheet.items, j);

        for (size_t k = mark->first_point; k < end && is_of_panel(mark); k++) {
            const spot_px_t *point = &sheet.items.points[k];

            assert_true(
                isnan(point->x) || (point->x >= box->left - 0.2 && point->x <= box->right + 0.2));
            assert_true(
                isnan(point->y) || (point->y >= box->top - 0.2 && point->y <= box->bottom + 0.2));
            num_signs += mark->kind == SPOT_MARK_SIGN;
        }
        num_marks += is_of_panel(mark) && end > mark->first_point + 1;
    }
    assert_true(num_marks >= 4);    /* area, band, intervals, line, rule */
    assert_int_equal(num_signs, 1); /* one of two points is within */
    spot_sheet_free(&sheet);
    spot_chart_free(chart);
}

static void declare_without_intervals(spot_chart_t *chart)
{
    spot_chart_panel(chart, &(spot_chart_panel_t){.title = NULL});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS});
    for (int j = 0; j < 3; j++) {
        spot_chart_add(chart, &(spot_chart_datum_t){.x = j,
                                  .y = j,
                                  .y_low = j == 1 ? 0.5 : (double) NAN,
                                  .y_high = j == 1 ? 1.5 : (double) NAN});
    }
}

static void points_without_an_interval_are_drawn(void **state)
{
    char *svg = draw(declare_without_intervals, SPOT_CHART_WIDE_PX);
    char d[4096];

    (void) state;
    find_path(svg, "class=\"o\"", d);
    assert_int_equal(count(d, "h0"), 3);
    free(svg);
}

static void declare_inline(spot_chart_t *chart)
{
    declare_without_intervals(chart);
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE, .colour = "#000080"});
    spot_chart_add_xy(chart, 0, 0);
    spot_chart_add_xy(chart, 1, 1);
}

/* A part of a page has no style and no ids of its own, and each colour its counterpart.
 */
static void a_part_of_a_page_follows_it(void **state)
{
    spot_chart_t *chart = spot_chart_new();
    char *svg = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&svg, &num_bytes);

    (void) state;
    assert_non_null(chart);
    spot_chart_title(chart, "seen in the page");
    declare_inline(chart);
    assert_int_equal(spot_chart_svg_inline(chart, SPOT_CHART_NARROW_PX, false, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(svg, "<svg class=\"chart narrow\" width=\"344\""));
    assert_null(strstr(svg, "<style"));
    assert_null(strstr(svg, "id=\""));
    assert_null(strstr(svg, "xmlns"));
    assert_null(strstr(svg, "<title>"));
    assert_null(strstr(svg, ">seen in the page</text>"));
    assert_non_null(strstr(svg, "aria-label=\"seen in the page\""));
    assert_non_null(strstr(svg, " color=\"#000080\""));
    assert_null(strstr(svg, "style="));
    spot_chart_free(chart);
    free(svg);
}

/* Which colours of markup get a rule, each once. */
static void each_colour_has_its_counterpart(void **state)
{
    static const char markup[] =
        "<path color=\"#000080\" d=\"\"/><path class=\"l\" color=\"#000080\"/>"
        "<path color=\"#ffffff\"/><p> color=&quot;#000001&quot; color=\"red\" color=\"#00000\""
        " color=\"#0000022\"</p> color=\"#000003";
    char *style = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&style, &num_bytes);
    const char *rule, *next;

    (void) state;
    assert_int_equal(spot_chart_svg_style(markup, sizeof(markup) - 1, out), 0);
    assert_int_equal(fclose(out), 0);
    rule = strstr(style, ".chart [color=\"#000080\"]{color:#");
    assert_non_null(rule);
    next = strstr(strchr(rule, '}'), "[color=");
    assert_null(next); /* white needs no other colour */
    free(style);
}

/* ---- Size ---- */

static void declare_many(spot_chart_t *chart)
{
    spot_chart_panel(chart, &(spot_chart_panel_t){.title = NULL});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS});
    for (int j = 0; j < 10000; j++) {
        const double x = (j * 7919) % 10007, y = (j * 104729) % 10007;

        spot_chart_add(chart, &(spot_chart_datum_t){.x = x,
                                  .y = y,
                                  .y_low = y - 500,
                                  .y_high = y + 500,
                                  .label = j % 3 == 0 ? "a label" : NULL});
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE});
    for (int j = 0; j < 100000; j++) {
        spot_chart_add_xy(chart, j / 10.0, (j * 7919) % 10007);
    }
}

static void ten_thousand_points_stay_small(void **state)
{
    char *svg = draw(declare_many, SPOT_CHART_WIDE_PX);

    (void) state;
    assert_true(strlen(svg) < 400000);
    free(svg);
}

static void declare_run(spot_chart_t *chart)
{
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.unit = SPOT_CHART_MS}});
    for (int k = 0; k < 8; k++) {
        spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS});
        for (int j = 0; j < 20000; j++) {
            spot_chart_add_xy(chart, j * 129600.0, (j * (7919 + k)) % 17);
        }
    }
}

static void a_long_run_stays_small(void **state)
{
    char *svg = draw(declare_run, SPOT_CHART_WIDE_PX);

    (void) state;
    assert_true(strlen(svg) < 200000);
    free(svg);
}

/* ---- Declarations ---- */

static void what_belongs_nowhere_is_an_error(void **state)
{
    spot_chart_t *chart = spot_chart_new();
    char *svg = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&svg, &num_bytes);

    (void) state;
    assert_non_null(chart);
    spot_chart_add_xy(chart, 0, 0);
    assert_int_equal(spot_chart_error(chart), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out), SPOT_ERR_BAD_PARAM);
    spot_chart_free(chart);
    fclose(out);
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_declaration_is_drawn),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(undefined_is_a_gap),
        cmocka_unit_test(what_is_beyond_the_ends_is_cut_off),
        cmocka_unit_test(points_without_an_interval_are_drawn),
        cmocka_unit_test(a_part_of_a_page_follows_it),
        cmocka_unit_test(each_colour_has_its_counterpart),
        cmocka_unit_test(ten_thousand_points_stay_small),
        cmocka_unit_test(a_long_run_stays_small),
        cmocka_unit_test(what_belongs_nowhere_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
