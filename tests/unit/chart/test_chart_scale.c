/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/chart/sheet.h"

/* All of a scale's promises; px from 0 to 100. */
static void assert_scale(
    spot_chart_scale_kind_t kind, spot_chart_unit_t unit, double low, double high, bool is_round)
{
    spot_scale_t scale;

    spot_scale_init(&scale, kind, unit, low, high, is_round, 8);
    if (!isfinite(scale.low) || !isfinite(scale.high) || !(scale.low < scale.high)) {
        fail_msg("%.17g to %.17g becomes %.17g to %.17g", low, high, scale.low, scale.high);
    }
    assert_true(kind != SPOT_CHART_LOG || scale.low > 0);
    if (scale.num_ticks < 2 || scale.num_ticks > 9) {
        fail_msg("%zu ticks from %.17g to %.17g", scale.num_ticks, low, high);
    }
    scale.high_px = 100;
    for (size_t j = 0; j < scale.num_ticks; j++) {
        const double px = spot_scale_px(&scale, scale.ticks[j].value);

        assert_true(px >= -0.01 && px <= 100.01);
        assert_null(strstr(scale.ticks[j].label, "e+"));
        assert_null(strstr(scale.ticks[j].label, "nan"));
        assert_true(strlen(scale.ticks[j].label) < SPOT_CHART_TICK_BYTES - 1);
        for (size_t k = 0; k < j; k++) {
            assert_true(scale.ticks[k].value < scale.ticks[j].value);
            if (strcmp(scale.ticks[k].label, scale.ticks[j].label) == 0) {
                fail_msg("two ticks \"%s\" from %.17g to %.17g", scale.ticks[k].label, low, high);
            }
        }
    }
}

static void any_range_has_ticks(void **state)
{
    uint64_t dice = 1;

    (void) state;
    for (int j = 0; j < 20000; j++) {
        double parts[3];

        for (int k = 0; k < 3; k++) {
            dice = dice * 6364136223846793005U + 1442695040888963407U;
            parts[k] = (double) (dice >> 33) / 2147483648.0;
        }
        parts[0] = (parts[0] - 0.5) * pow(10, 40 * parts[1] - 20);
        parts[1] = parts[0] + pow(10, 40 * parts[2] - 20);
        assert_scale(SPOT_CHART_LINEAR, (spot_chart_unit_t) (j % 4), parts[0], parts[1], j % 8 < 4);
        assert_scale(SPOT_CHART_LOG, (spot_chart_unit_t) (j % 4), fabs(parts[0]),
            fabs(parts[0]) + parts[1] - parts[0], false);
    }
}

static void odd_ranges_have_ticks(void **state)
{
    static const double odd[][2] = {{0, 0}, {1, 1}, {-3, -3}, {1, 0}, {5, 5.000000001},
        {1e300, 1e300}, {-1e308, 1e308}, {0, 1e-300}, {1e-320, 1}, {0, HUGE_VAL},
        {HUGE_VAL, -HUGE_VAL}, {5e6, 5e6 + 3}, {1e15, 1e15 + 1}, {0.1, 0.1000001}, {-1, 1e-9},
        {1e-12, 1.1e-12}};

    (void) state;
    for (size_t j = 0; j < sizeof(odd) / sizeof(odd[0]); j++) {
        for (int unit = 0; unit < 4; unit++) {
            assert_scale(SPOT_CHART_LINEAR, (spot_chart_unit_t) unit, odd[j][0], odd[j][1], true);
            assert_scale(SPOT_CHART_LINEAR, (spot_chart_unit_t) unit, odd[j][0], odd[j][1], false);
            assert_scale(SPOT_CHART_LOG, (spot_chart_unit_t) unit, odd[j][0], odd[j][1], false);
        }
    }
    assert_scale(SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, (double) NAN, (double) NAN, true);
    assert_scale(SPOT_CHART_LOG, SPOT_CHART_S, (double) NAN, (double) NAN, false);
}

static void assert_labels(spot_chart_scale_kind_t kind, spot_chart_unit_t unit, double low,
    double high, const char *wanted)
{
    spot_scale_t scale;
    char labels[512] = "";

    spot_scale_init(&scale, kind, unit, low, high, false, 6);
    for (size_t j = 0; j < scale.num_ticks; j++) {
        strcat(labels, j > 0 ? "|" : "");
        strcat(labels, scale.ticks[j].label);
    }
    assert_string_equal(labels, wanted);
}

static void labels_are_round(void **state)
{
    (void) state;
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, 0, 1, "0|0.2|0.4|0.6|0.8|1.0");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_PERCENT, 0, 90, "0 %|20 %|40 %|60 %|80 %");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, -30, 30, "−20|0|20");
    assert_labels(
        SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, 5e6, 5e6 + 3, "5000000|5000001|5000002|5000003");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, 0, 60e6, "0|20 M|40 M|60 M");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_MS, 0, 355 * 60e3, "0|1|2|3|4|5");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_S, 0, 30 * 86400, "0|10|20|30");
    assert_labels(SPOT_CHART_LINEAR, SPOT_CHART_NUMBER, 0, 3e-9, "0|1·10⁻⁹|2·10⁻⁹|3·10⁻⁹");
    assert_labels(SPOT_CHART_LOG, SPOT_CHART_NUMBER, 1, 100, "1|10|100");
    assert_labels(SPOT_CHART_LOG, SPOT_CHART_NUMBER, 2, 40, "2|5|10|20");
    assert_labels(SPOT_CHART_LOG, SPOT_CHART_S, 30, 10000, "30 s|1 min|10 min|30 min|1 h");
    assert_labels(SPOT_CHART_LOG, SPOT_CHART_PERCENT, 0.5, 100, "1 %|10 %|100 %");
}

static void times_have_one_unit(void **state)
{
    spot_scale_t scale;

    (void) state;
    spot_scale_init(&scale, SPOT_CHART_LINEAR, SPOT_CHART_MS, 0, 355 * 60e3, false, 6);
    assert_string_equal(scale.time_name, "h");
    spot_scale_init(&scale, SPOT_CHART_LINEAR, SPOT_CHART_S, 0, 30 * 86400, true, 6);
    assert_string_equal(scale.time_name, "d");
}

/* ---- Texts ---- */

static void texts_wrap_at_blanks(void **state)
{
    spot_chart_line_t lines[3];
    const char *text = "  one two  three\nfour";
    size_t num_lines;

    (void) state;
    num_lines = spot_chart_text_wrap(text, 10, 45, 3, lines);
    assert_int_equal(num_lines, 3);
    assert_int_equal(lines[0].num_bytes, 7);
    assert_memory_equal(lines[0].text, "one two", 7);
    assert_memory_equal(lines[1].text, "three", 5);
    assert_memory_equal(lines[2].text, "four", 4);
    num_lines = spot_chart_text_wrap(text, 10, 45, 2, lines);
    assert_int_equal(num_lines, 2);
    assert_true(lines[1].is_cut);
    assert_int_equal(spot_chart_text_wrap("", 10, 45, 3, lines), 0);
    assert_int_equal(spot_chart_text_wrap(" \n ", 10, 45, 3, lines), 0);
}

static void no_line_is_too_long(void **state)
{
    static const char *const texts[] = {"a word and another one, of different lengths",
        "averylongwordthatdoesnotfitintoanylineofthepicture", "größer als 5 °C, überall",
        "\xff\xfe\xfd bytes", "漢字漢字漢字漢字漢字漢字", "😀😀😀😀😀😀"};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        for (double max_px = 30; max_px < 300; max_px += 7) {
            spot_chart_line_t lines[4];
            const size_t num_lines = spot_chart_text_wrap(texts[j], 12, max_px, 4, lines);

            assert_in_range(num_lines, 1, 4);
            for (size_t k = 0; k < num_lines; k++) {
                assert_true(spot_chart_line_px(&lines[k], 12) <= max_px);
                assert_true(lines[k].num_bytes > 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_range_has_ticks),
        cmocka_unit_test(odd_ranges_have_ticks),
        cmocka_unit_test(labels_are_round),
        cmocka_unit_test(times_have_one_unit),
        cmocka_unit_test(texts_wrap_at_blanks),
        cmocka_unit_test(no_line_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
