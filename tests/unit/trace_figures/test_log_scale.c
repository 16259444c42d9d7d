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

#include "reports/traces/log_scale.h"

static void
assert_ticks(const spot_log_scale_t *scale, const char *expected)
{
    char text[512] = "";
    size_t used = 0;

    for (size_t j = 0; j < scale->num_ticks; j++) {
        used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%s",
            j == 0 ? "" : ",", scale->ticks[j].text);
        assert_true(scale->ticks[j].value >= scale->low * (1 - 1e-12));
        assert_true(scale->ticks[j].value <= scale->high * (1 + 1e-12));
    }
    assert_string_equal(text, expected);
}

static void
test_durations(void **state)
{
    static const struct {
        double low_s, high_s;
        double expected_low_s, expected_high_s;
        const char *ticks;
    } cases[] = {
        {40, 4000, 40, 4000, "1 min,2 min,5 min,10 min,20 min,1 h"},
        {40, 4e6, 40, 4e6, "1 min,10 min,1 h,6 h,1 d,10 d"},
        {61, 119, 60, 120, "1 min,2 min"},
        {60, 60, 60, 120, "1 min,2 min"},
        {1, 5, 1, 5, "1 s,2 s,5 s"},
        {0.004, 0.02, 0.001, 0.1, "0.001 s,0.01 s,0.1 s"},
        {0.5, 30, 0.5, 30, "1 s,2 s,5 s,10 s,20 s"},
        {5e6, 3e9, 5e6, 3e9, "100 d,1000 d,10000 d"},
        {0, 0, 1e-6, 1e-5, "1e-06 s,1e-05 s"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_log_scale_t scale =
            spot_log_scale_durations(cases[j].low_s, cases[j].high_s);

        assert_true(fabs(scale.low / cases[j].expected_low_s - 1) < 1e-12);
        assert_true(fabs(scale.high / cases[j].expected_high_s - 1) < 1e-12);
        assert_ticks(&scale, cases[j].ticks);
    }
}

/* Whatever comes: some ticks, in order, around or within. */
static void
test_any_durations(void **state)
{
    (void) state;
    for (int low = -20; low < 20; low++) {
        for (int width = 0; width < 40; width++) {
            const double low_s = pow(10, low / 1.7);
            const spot_log_scale_t scale =
                spot_log_scale_durations(low_s, low_s * pow(10, width / 2.3));

            assert_true(scale.num_ticks >= 2 && scale.num_ticks <= SPOT_MAX_TICKS);
            assert_true(scale.low > 0 && scale.low < scale.high);
            for (size_t j = 1; j < scale.num_ticks; j++) {
                assert_true(scale.ticks[j].value > scale.ticks[j - 1].value);
            }
        }
    }
    assert_true(spot_log_scale_durations(1e-300, 1e300).num_ticks <= SPOT_MAX_TICKS);
}

static void
test_shares(void **state)
{
    static const struct {
        double low, expected_low;
        const char *ticks;
    } cases[] = {
        {1, 0.5, "50 %,100 %"},
        {0.25, 0.2, "20 %,50 %,100 %"},
        {0.005, 0.005, "0.5 %,1 %,2 %,5 %,10 %,20 %,50 %,100 %"},
        {0.0005, 0.0005, "0.1 %,1 %,10 %,100 %"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_log_scale_t scale = spot_log_scale_shares(cases[j].low);

        assert_true(fabs(scale.low / cases[j].expected_low - 1) < 1e-12);
        assert_true(scale.high == 1);
        assert_ticks(&scale, cases[j].ticks);
    }
}

/* A percent sign is a format to gnuplot. */
static void
test_ticks_are_written(void **state)
{
    const spot_log_scale_t scale = spot_log_scale_shares(0.5);
    spot_figure_t figure = {.width_px = 1, .height_px = 1};
    char *text = NULL;
    size_t num_bytes;

    (void) state;
    figure.out = open_memstream(&text, &num_bytes);
    assert_non_null(figure.out);
    spot_figure_log_ticks(&figure, "y", &scale);
    assert_int_equal(fclose(figure.out), 0);
    assert_string_equal(text, "set ytics ('50 %%' -0.3010299957, '100 %%' 0)\n");
    free(text);
}

static void
test_words(void **state)
{
    static const struct {
        double duration_s;
        const char *expected;
    } cases[] = {{3000 * 86400.0, "3000 d"}, {0, "0 s"}, {0.25, "0.25 s"}, {60, "60 s"},
        {120, "2 min"}, {4000, "66.7 min"}, {7200, "2 h"}, {40920, "11.4 h"},
        {172800, "2 d"}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char words[SPOT_DURATION_WORDS_BYTES];

        spot_duration_words(cases[j].duration_s, words);
        assert_string_equal(words, cases[j].expected);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_any_durations),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_ticks_are_written),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
