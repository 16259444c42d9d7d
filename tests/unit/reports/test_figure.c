/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/figure.h"

static void
test_scales(void **state)
{
    static const struct {
        double low, high;
        int max_steps;
        spot_scale_t expected;
    } cases[] = {
        {0, 0.57, 6, {0, 0.6, 0.1}},
        {0, 57, 6, {0, 60, 10}},
        {0, 61, 6, {0, 80, 20}},
        {0, 60, 6, {0, 60, 10}},
        {0, 1, 2, {0, 1, 0.5}},
        {0, 0, 6, {0, 1, 0.2}},
        {5, 5, 6, {5, 10, 1}},
        {0.91, 0.93, 6, {0.91, 0.93, 0.005}},
        {-3, 8, 6, {-4, 8, 2}},
        {0, 4e9, 6, {0, 4e9, 1e9}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_scale_t scale =
            spot_scale_around(cases[j].low, cases[j].high, cases[j].max_steps);
        const double slack = 1e-9 * cases[j].expected.step;

        assert_true(fabs(scale.low - cases[j].expected.low) <= slack);
        assert_true(fabs(scale.high - cases[j].expected.high) <= slack);
        assert_true(fabs(scale.step - cases[j].expected.step) <= slack);
    }
}

static void
test_lines(void **state)
{
    (void) state;
    assert_int_equal(spot_figure_num_lines("", 10), 0);
    assert_int_equal(spot_figure_num_lines("ten chars!", 10), 1);
    assert_int_equal(spot_figure_num_lines("ten chars!!", 10), 2);
    assert_int_equal(spot_figure_num_lines("äöüäöü äöü", 10), 1);
    assert_int_equal(spot_figure_num_lines("one two three four", 9), 3);
    assert_int_equal(spot_figure_num_lines("word-without-a-blank", 10), 2);
    assert_int_equal(spot_figure_num_lines("a b c d e f", 1), SPOT_PARAGRAPH_LINES);
}

static void
test_cuts(void **state)
{
    char text[64] = "äöü-äöü", kept[64] = "four", none[64] = "";

    (void) state;
    spot_figure_cut(text, 4);
    assert_string_equal(text, "äöü…");
    spot_figure_cut(kept, 4);
    assert_string_equal(kept, "four");
    spot_figure_cut(kept, 1);
    assert_string_equal(kept, "…");
    spot_figure_cut(none, 3);
    assert_string_equal(none, "");
}

/* What a call writes. */
typedef struct {
    spot_figure_t figure;
    char *text;
    size_t num_bytes;
} recorder_t;

static void
record(recorder_t *self)
{
    self->figure.out = open_memstream(&self->text, &self->num_bytes);
    assert_non_null(self->figure.out);
    self->figure.width_px = 100;
    self->figure.height_px = 200;
}

static void
assert_recorded(recorder_t *self, const char *expected)
{
    assert_int_equal(fclose(self->figure.out), 0);
    assert_non_null(strstr(self->text, expected));
    free(self->text);
}

static void
test_texts_are_quoted(void **state)
{
    recorder_t recorder;

    (void) state;
    record(&recorder);
    spot_figure_text(&recorder.figure, 50, 50, SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT,
        "it's\n`a` \"b\" \\");
    assert_recorded(
        &recorder, "set label 'it''s `a` \"b\" \\' at screen 0.5,0.75 right front");
}

/* gnuplot does not escape ">", so that "]]>" would make an SVG that is no XML. */
static void
test_texts_are_xml(void **state)
{
    recorder_t recorder;

    (void) state;
    record(&recorder);
    spot_figure_text(&recorder.figure, 0, 0, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT,
        "What does ]]> do? ]]]>> ]>, ]]\xe2\x80\xae>");
    assert_recorded(&recorder,
        "'What does ]]\xe2\x80\x8b> do? ]]]\xe2\x80\x8b>> ]>, ]]\xe2\x80\x8b>'");
}

static void
test_marks_of_direction_are_left_out(void **state)
{
    recorder_t recorder;

    (void) state;
    record(&recorder);
    spot_figure_text(&recorder.figure, 0, 0, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT,
        "a\xe2\x80\xae\xd8\x9c\xe2\x81\xa6 \xd7\x90\xe2\x80\x8e \xff\xe2\x80");
    assert_recorded(&recorder, "'a \xd7\x90 \xff\xe2\x80'");
}

/* Up to the lines that are counted, the last one with an ellipsis where there is more.
 */
static void
test_long_paragraphs_are_cut(void **state)
{
    static const struct {
        const char *text, *last;
    } cases[] = {
        {"one two three four", "'four'"}, {"one two three four five", "'four…'"}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        recorder_t recorder;

        record(&recorder);
        spot_figure_paragraph(
            &recorder.figure, 0, 100, SPOT_TEXT_NOTE, 7, cases[j].text);
        assert_int_equal(fflush(recorder.figure.out), 0);
        assert_null(strstr(recorder.text, "five"));
        assert_recorded(&recorder, cases[j].last);
    }
}

static void
test_paragraphs_are_broken_at_blanks(void **state)
{
    recorder_t recorder;

    (void) state;
    record(&recorder);
    spot_figure_paragraph(&recorder.figure, 0, 100, SPOT_TEXT_NOTE, 8, "one two three");
    assert_int_equal(fflush(recorder.figure.out), 0);
    assert_non_null(strstr(recorder.text, "set label 'one two' at screen 0,0.5 "));
    assert_recorded(&recorder, "set label 'three' at screen 0,0.42 ");
}

static void
test_end_labels_do_not_overlap(void **state)
{
    spot_end_label_t labels[] = {
        {.text = "b", .colour = "#000000", .y_px = 90},
        {.text = "a", .colour = "#000000", .y_px = 10},
        {.text = "c", .colour = "#000000", .y_px = 91},
        {.text = "d", .colour = "#000000", .y_px = 99},
    };
    recorder_t recorder;

    (void) state;
    record(&recorder);
    spot_figure_end_labels(&recorder.figure, labels, 4, 50, 100);
    assert_recorded(&recorder, "set label 'd' at screen");
    assert_string_equal(labels[0].text, "a");
    assert_true(labels[0].text_px == 10);
    for (size_t j = 1; j < 4; j++) {
        assert_true(labels[j].text_px >= labels[j - 1].text_px + 16);
    }
    assert_true(labels[3].text_px <= 100);
}

static void
test_places_in_a_panel(void **state)
{
    const spot_panel_t panel = {.left_px = 10,
        .top_px = 20,
        .width_px = 100,
        .height_px = 50,
        .x_low = 1,
        .x_high = 3,
        .y = {0, 10, 5}};

    (void) state;
    assert_true(spot_panel_x_px(&panel, 1) == 10);
    assert_true(spot_panel_x_px(&panel, 2) == 60);
    assert_true(spot_panel_y_px(&panel, 0) == 70);
    assert_true(spot_panel_y_px(&panel, 10) == 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_texts_are_quoted),
        cmocka_unit_test(test_texts_are_xml),
        cmocka_unit_test(test_marks_of_direction_are_left_out),
        cmocka_unit_test(test_long_paragraphs_are_cut),
        cmocka_unit_test(test_paragraphs_are_broken_at_blanks),
        cmocka_unit_test(test_end_labels_do_not_overlap),
        cmocka_unit_test(test_places_in_a_panel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
