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
#include "tests/unit/chart/random_chart.h"

#define NUM_CHARTS 200
#define TOUCH_PX                                                                                   \
    0.5 /* that boxes may share: they are a little larger than their text                          \
         */

static bool overlap(const spot_box_t *a, const spot_box_t *b)
{
    return fmin(a->right, b->right) - fmax(a->left, b->left) > TOUCH_PX &&
           fmin(a->bottom, b->bottom) - fmax(a->top, b->top) > TOUCH_PX;
}

/* Prints what overlaps or leaves the picture; returns how often. */
static size_t count_overlaps(const spot_sheet_t *sheet, unsigned seed)
{
    size_t num_bad = 0;

    for (size_t j = 0; j < sheet->items.num_texts; j++) {
        const spot_sheet_text_t *a = &sheet->items.texts[j];
        const spot_box_t box = spot_sheet_text_box(sheet, a);

        for (size_t k = 0; k < j; k++) {
            const spot_sheet_text_t *b = &sheet->items.texts[k];
            const spot_box_t other = spot_sheet_text_box(sheet, b);

            if (overlap(&box, &other)) {
                num_bad++;
                print_error("chart %u, %g px: \"%.*s\" (%d) at %.0f %.0f and \"%.*s\" (%d) at "
                            "%.0f %.0f overlap\n",
                    seed, sheet->width_px, (int) a->line.num_bytes, a->line.text, (int) a->style,
                    a->x, a->y, (int) b->line.num_bytes, b->line.text, (int) b->style, b->x, b->y);
            }
        }
        if (box.left < -TOUCH_PX || box.right > sheet->width_px + TOUCH_PX || box.top < -TOUCH_PX ||
            box.bottom > sheet->height_px + TOUCH_PX) {
            num_bad++;
            print_error("chart %u: \"%.*s\" (%d) at %.0f %.0f is outside of %g x %g\n", seed,
                (int) a->line.num_bytes, a->line.text, (int) a->style, a->x, a->y, sheet->width_px,
                sheet->height_px);
        }
    }
    return num_bad;
}

/* Panels neither overlap nor leave the picture. */
static void assert_panels_apart(const spot_sheet_t *sheet)
{
    for (size_t j = 0; j < sheet->num_places; j++) {
        const spot_box_t *box = &sheet->places[j].box;

        assert_true(box->right > box->left && box->bottom > box->top);
        assert_true(box->left >= 0 && box->right <= sheet->width_px);
        assert_true(box->top >= 0 && box->bottom <= sheet->height_px);
        for (size_t k = 0; k < j; k++) {
            assert_false(overlap(box, &sheet->places[k].box));
        }
    }
}

static void no_label_overlaps_another(void **state)
{
    static const double widths[] = {SPOT_CHART_WIDE_PX, SPOT_CHART_NARROW_PX};

    size_t num_bad = 0;

    (void) state;
    for (unsigned seed = 0; seed < NUM_CHARTS; seed++) {
        for (size_t j = 0; j < 2; j++) {
            spot_chart_t *chart = spot_chart_new();
            spot_sheet_t sheet;

            assert_non_null(chart);
            random_chart_declare(chart, seed);
            assert_int_equal(spot_sheet_init(&sheet, chart, widths[j], true), 0);
            num_bad += count_overlaps(&sheet, seed);
            assert_panels_apart(&sheet);
            spot_sheet_free(&sheet);
            spot_chart_free(chart);
        }
    }
    assert_int_equal(num_bad, 0);
}

/* Where a text stands, or false. */
static bool find_text(const spot_sheet_t *sheet, const char *text, spot_box_t *box)
{
    size_t num_found = 0;

    for (size_t j = 0; j < sheet->items.num_texts; j++) {
        const spot_chart_line_t *line = &sheet->items.texts[j].line;

        if (strlen(text) == line->num_bytes && memcmp(line->text, text, line->num_bytes) == 0) {
            *box = spot_sheet_text_box(sheet, &sheet->items.texts[j]);
            num_found++;
        }
    }
    assert_true(num_found <= 1);
    return num_found == 1;
}

static void declare_names(spot_chart_t *chart)
{
    static const char *const names[] = {"first", "second", "third"};

    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.group = 1}});
    for (int k = 0; k < 3; k++) {
        spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE, .name = names[k]});
        for (int j = 0; j < 9; j++) {
            spot_chart_add_xy(chart, j, 0.001 * k);
        }
        spot_chart_add_xy(chart, 9, 100); /* all end at the very top */
    }
    spot_chart_rule(chart, &(spot_chart_rule_t){.at = 50, .name = "the limit"});
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.group = 1}, .is_below = true, .height_px = 20});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STROKES, .name = "strokes"});
    spot_chart_add_xy(chart, 3, 1);
}

/* At the ends in a wide picture, not above the panel; in the legend of a narrow one. */
static void all_names_are_there(void **state)
{
    static const char *const names[] = {"first", "second", "third", "the limit", "strokes"};
    static const double widths[] = {SPOT_CHART_WIDE_PX, SPOT_CHART_NARROW_PX};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_chart_t *chart = spot_chart_new();
        spot_sheet_t sheet;

        assert_non_null(chart);
        declare_names(chart);
        assert_int_equal(spot_sheet_init(&sheet, chart, widths[j], true), 0);
        for (size_t k = 0; k < 5; k++) {
            const spot_box_t *panel = &sheet.places[k == 4].box;
            spot_box_t box = {{0, 0, 0, 0}};

            if (!find_text(&sheet, names[k], &box)) {
                fail_msg("\"%s\" is missing at %g px", names[k], widths[j]);
            }
            if (j == 0) {
                assert_true(box.left > panel->right);
                assert_true(box.bottom > panel->top && box.top < panel->bottom + 1);
            } else {
                assert_true(box.bottom <= panel->top || k == 3);
            }
        }
        spot_sheet_free(&sheet);
        spot_chart_free(chart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_label_overlaps_another),
        cmocka_unit_test(all_names_are_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
