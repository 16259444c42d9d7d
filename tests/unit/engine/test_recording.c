/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/engine/series.h"

static const spot_series_column_t columns[] = {
    {.name = "time", .unit = "", .kind = SPOT_COLUMN_INSTANT},
    {.name = "who", .unit = "", .kind = SPOT_COLUMN_TEXT},
    {.name = "length", .unit = "jobs", .kind = SPOT_COLUMN_COUNT}};
static const spot_series_kind_t first = {
    "first", "a", SPOT_SERIES_TABLE, 1000000000, 3, .columns = columns};
static const spot_series_kind_t second = {
    "second", "b", SPOT_SERIES_CURVE, 1, 1, .columns = columns};

/* Texts stay where they are found as the rows grow. */
static void test_rows_come_back(void **state)
{
    const spot_series_kind_t *const kinds[] = {&first, &second};
    spot_recording_t recording;
    spot_series_t *series;

    (void) state;
    assert_int_equal(spot_recording_init(&recording, 2, kinds), 0);
    series = &recording.series[0];
    for (int64_t j = 0; j < 1000; j++) {
        char text[16];

        snprintf(text, sizeof(text), "%d", (int) j * 7);
        assert_int_equal(spot_series_add(series, (const spot_cell_t[]){{.integer = j / 3},
                                                     {.text = text}, {.integer = -j}}),
            0);
    }
    assert_int_equal(series->num_rows, 1000);
    for (int64_t j = 0; j < 1000; j++) {
        const spot_cell_t *cells = &series->cells[j * 3];
        char text[16];

        snprintf(text, sizeof(text), "%d", (int) j * 7);
        assert_true(cells[0].integer == j / 3 && cells[2].integer == -j);
        assert_string_equal(spot_series_text(series, (size_t) j, 1), text);
    }
    spot_series_verify(series);
    assert_int_equal(recording.series[1].num_rows, 0);
    spot_recording_free(&recording);
    assert_int_equal(recording.num_series, 0);
    spot_recording_free(&recording);
}

static void test_units_of_times_are_ticks(void **state)
{
    (void) state;
    assert_string_equal(spot_series_column_unit(&first, &columns[0]), "ns");
    assert_string_equal(spot_series_column_unit(&second, &columns[0]), "s");
    assert_string_equal(spot_series_column_unit(&second, &columns[2]), "jobs");
}

/* What is kept is zeroed, and freed with the recording. */
static void test_memory_is_kept(void **state)
{
    spot_recording_t recording = {0};
    char *kept[10];

    (void) state;
    for (size_t j = 0; j < 10; j++) {
        kept[j] = spot_arena_take(&recording.kept, 1, j);
        assert_non_null(kept[j]);
        for (size_t k = 0; k < j; k++) {
            assert_int_equal(kept[j][k], 0);
            kept[j][k] = (char) j;
        }
    }
    for (size_t j = 1; j < 10; j++) {
        assert_int_equal(kept[j][j - 1], j);
    }
    spot_recording_free(&recording);
}

static void test_a_name_of_its_own_stays(void **state)
{
    spot_recording_t recording = {0};

    (void) state;
    assert_int_equal(spot_recording_name(&recording, NULL, 3, 7), 0);
    assert_null(recording.title);
    assert_string_equal(recording.note, "seed 3, replication 7");
    assert_int_equal(spot_recording_name(&recording, "desk", 1, 2), 0);
    assert_int_equal(spot_recording_name(&recording, "other", 1, 2), 0);
    assert_string_equal(recording.title, "desk");
    assert_string_equal(recording.note, "seed 3, replication 7");
    spot_recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_back),
        cmocka_unit_test(test_units_of_times_are_ticks),
        cmocka_unit_test(test_memory_is_kept),
        cmocka_unit_test(test_a_name_of_its_own_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
