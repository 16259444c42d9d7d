/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/run_series.h"

#define COLUMN(of_kind, its_name, its_unit)                                                        \
    {                                                                                              \
        .kind = SPOT_COLUMN_##of_kind, .name = its_name, .unit = its_unit                          \
    }

static const char *const fates[] = {"served", "left", NULL};
static const spot_series_column_t queue_columns[] = {COLUMN(INSTANT, "time", ""),
    COLUMN(COUNT, "length", "customers"), COLUMN(NUMBER, "busy", "servers"),
    COLUMN(TEXT, "remark", "")};
static const spot_series_column_t fate_columns[] = {COLUMN(INSTANT, "time", ""),
    {.kind = SPOT_COLUMN_CATEGORY, .name = "fate", .unit = "", .categories = fates},
    COLUMN(COUNT, "count", "1"), COLUMN(CATEGORY, "other", "")};
static const spot_series_column_t served_columns[] = {COLUMN(INSTANT, "time", ""),
    {.kind = SPOT_COLUMN_COUNT, .name = "num_served", .unit = "1", .label = "customers served"}};

static const spot_series_kind_t queue = {
    "queue", "", SPOT_SERIES_LEVELS, 1000000000, 3, .columns = queue_columns};
static const spot_series_kind_t fate = {
    "fate", "", SPOT_SERIES_EVENTS, 1, 3, .columns = fate_columns};
static const spot_series_kind_t served = {
    "served", "", SPOT_SERIES_CURVE, 1000, 2, .columns = served_columns};
static const spot_series_kind_t plain = {
    "plain", "", SPOT_SERIES_TABLE, 1000, 4, .columns = queue_columns};

static void add(spot_recording_t *recording, size_t series_id, int64_t ticks, spot_cell_t first,
    spot_cell_t second)
{
    const spot_cell_t cells[] = {{.integer = ticks}, first, second};

    assert_int_equal(spot_series_add(&recording->series[series_id], cells), 0);
}

/* Each series has ticks of its own; the run ends with the last row, if not later. */
static void test_times_are_ms(void **state)
{
    const spot_series_kind_t *const kinds[] = {&plain, &fate, &queue, &served, &queue};
    spot_recording_t recording;
    spot_run_series_t run;

    (void) state;
    assert_int_equal(spot_recording_init(&recording, 5, kinds), 0);
    recording.end_ticks = 8999; /* of the first series */
    add(&recording, 1, 3, (spot_cell_t){.text = "left"}, (spot_cell_t){.integer = 2});
    add(&recording, 1, 4, (spot_cell_t){.text = "?"}, (spot_cell_t){.integer = 5});
    add(&recording, 1, 9, (spot_cell_t){.text = "served"}, (spot_cell_t){.integer = 1});
    add(&recording, 2, 1500, (spot_cell_t){.integer = 7}, (spot_cell_t){.number = (double) NAN});
    add(&recording, 4, 3000000, (spot_cell_t){.integer = 1}, (spot_cell_t){.number = 0});
    add(&recording, 3, 25, (spot_cell_t){.integer = 4}, (spot_cell_t){.integer = 0});
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    assert_true(spot_run_series_check(&run, "x", NULL));
    assert_true(run.end_ms == 9000);
    assert_ptr_equal(run.levels, &recording.series[2]); /* the first of its shape */
    assert_true(spot_run_time_ms(run.levels, 0) == 0.0015);
    assert_true(spot_run_time_ms(run.events, 0) == 3000);
    assert_true(spot_run_time_ms(run.curve, 0) == 25);
    assert_int_equal(run.num_levels, 2);
    assert_true(spot_run_value(run.levels, 0, 1) == 7);
    assert_true(spot_run_value(run.levels, 0, 2) == 0);
    assert_int_equal(run.num_lanes, 2 + 1 + 2 + 1 + 2 + 1);
    assert_int_equal(run.lanes[2].kind, SPOT_LANE_TOTAL);
    assert_ptr_equal(spot_run_lane_total(run.lanes), &run.lanes[2]);
    assert_ptr_equal(run.lanes[3].series, &recording.series[4]); /* another stack */
    assert_true(run.lanes[3].sum == 9000 - 3);
    assert_int_equal(run.lanes[5].kind, SPOT_LANE_TOTAL);
    assert_ptr_equal(spot_run_lane_total(&run.lanes[3]), &run.lanes[5]);
    assert_string_equal(run.lanes[6].name, "served");
    assert_int_equal(run.lanes[6].curve.num_points, 1);
    assert_true(run.lanes[6].curve.points[0].x == 9000);
    assert_true(run.lanes[6].sum == 1);
    assert_string_equal(run.lanes[7].name, "left"); /* "?" is none of the categories */
    assert_int_equal(run.lanes[7].curve.num_points, 1);
    assert_true(run.lanes[7].sum == 2);
    assert_int_equal(run.lanes[8].kind, SPOT_LANE_CURVE);
    assert_string_equal(run.title, "");
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

/* Rows that last no time or change nothing are no points. */
static void test_steps(void **state)
{
    static const double rows[][2] = {{0, 1}, {10, 5}, {10, 1}, {20, 2}, {30, 2}, {40, 7}, {40, 3}};
    static const spot_series_kind_t kind = {
        "queue", "", SPOT_SERIES_LEVELS, 1000, 2, .columns = queue_columns};
    const spot_series_kind_t *const kinds[] = {&kind};
    spot_recording_t recording;
    spot_run_series_t run;

    (void) state;
    assert_int_equal(spot_recording_init(&recording, 1, kinds), 0);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        add(&recording, 0, (int64_t) rows[j][0], (spot_cell_t){.integer = (int64_t) rows[j][1]},
            (spot_cell_t){.integer = 0});
    }
    recording.end_ticks = 50;
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    for (size_t j = 0; j < 2; j++) {
        const spot_curve_t *curve = &run.lanes[j].curve;

        assert_int_equal(curve->num_points, 3);
        assert_true(curve->points[0].x == 0 && curve->points[0].y == 1);
        assert_true(curve->points[1].x == 20 && curve->points[1].y == 2);
        assert_true(curve->points[2].x == 40 && curve->points[2].y == 3);
        assert_true(run.lanes[j].sum == 20 * 1 + 20 * 2 + 10 * 3);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

static void test_words_are_of_the_columns(void **state)
{
    static const spot_series_column_t plain_columns[] = {
        COLUMN(INSTANT, "time", ""), COLUMN(NUMBER, "load", "1")};
    static const spot_series_kind_t load = {
        "load", "", SPOT_SERIES_LEVELS, 1, 2, .columns = plain_columns};
    const spot_series_kind_t *const kinds[] = {&queue, &served};
    const spot_series_kind_t *const others[] = {&load};
    spot_recording_t recording;
    spot_run_series_t run;

    (void) state;
    assert_int_equal(spot_recording_init(&recording, 2, kinds), 0);
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    assert_string_equal(spot_run_series_level_noun(&run), "customers");
    assert_string_equal(run.lanes[0].name, "length");
    assert_string_equal(run.lanes[1].name, "busy");
    assert_string_equal(spot_run_series_curve_noun(&run), "customers served");
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    assert_int_equal(spot_recording_init(&recording, 1, others), 0);
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    assert_string_equal(spot_run_series_level_noun(&run), "load"); /* has no unit */
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

/* A store may come from anybody: columns that do not fit the shape are not drawn. */
static void test_what_has_no_shape(void **state)
{
    static const spot_series_kind_t bad[] = {
        {"text", "", SPOT_SERIES_LEVELS, 1, 4, .columns = queue_columns},
        {"alone", "", SPOT_SERIES_CURVE, 1, 1, .columns = queue_columns},
        {"late", "", SPOT_SERIES_LEVELS, 1, 2, .columns = queue_columns + 1},
        {"short", "", SPOT_SERIES_EVENTS, 1, 2, .columns = fate_columns},
        {"count", "", SPOT_SERIES_EVENTS, 1, 3, .columns = queue_columns},
        {"names", "", SPOT_SERIES_CURVE, 1, 2, .columns = fate_columns}};
    const spot_series_kind_t *kinds[6];
    spot_recording_t recording;
    spot_run_series_t run;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < 6; j++) {
        kinds[j] = &bad[j];
    }
    assert_int_equal(spot_recording_init(&recording, 6, kinds), 0);
    recording.end_ticks = 5;
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    spot_diag_init(&diag);
    assert_false(spot_run_series_check(&run, "run.svg", &diag));
    assert_string_equal(
        diag.items[0].text, "run.svg: nothing can be drawn: the run has no series over time");
    spot_diag_free(&diag);
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_are_ms),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_words_are_of_the_columns),
        cmocka_unit_test(test_what_has_no_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
