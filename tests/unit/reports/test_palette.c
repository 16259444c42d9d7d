/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/draw.h"
#include "sim/train/experiment.h"

static const char *const categories[] = {"prepping", "standby", "reconfiguring", "reloading",
    "stalled", "useful", "lost", "unsaved", "redundant", "waiting"};

#define NUM_CATEGORIES (sizeof(categories) / sizeof(categories[0]))

static void test_each_category_has_its_own_colour(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_CATEGORIES; j++) {
        for (size_t k = 0; k < j; k++) {
            assert_string_not_equal(spot_palette_colour(spot_train_colours, categories[j], 0),
                spot_palette_colour(spot_train_colours, categories[k], 0));
        }
        /* The place does not matter. */
        assert_string_equal(spot_palette_colour(spot_train_colours, categories[j], 0),
            spot_palette_colour(spot_train_colours, categories[j], 1));
    }
}

static void test_metrics_have_the_colour_of_their_category(void **state)
{
    (void) state;
    assert_string_equal(spot_palette_colour(spot_train_colours, "prepping_fraction", 3),
        spot_palette_colour(spot_train_colours, "prepping", 0));
    assert_string_equal(spot_palette_colour(spot_train_colours, "job_waiting_fraction", 3),
        spot_palette_colour(spot_train_colours, "waiting", 0));
    assert_string_equal(spot_palette_colour(spot_train_colours, "goodput_fraction", 3),
        spot_palette_colour(spot_train_colours, "useful", 0));
    assert_string_not_equal(spot_palette_colour(spot_train_colours, "almost", 0),
        spot_palette_colour(spot_train_colours, "lost", 0));
    assert_string_not_equal(spot_palette_colour(spot_train_colours, "losted", 0),
        spot_palette_colour(spot_train_colours, "lost", 0));
}

static void test_other_names_by_place(void **state)
{
    (void) state;
    assert_string_equal(spot_palette_colour(spot_train_colours, "queue", 2),
        spot_palette_colour(spot_train_colours, "job", 2));
    assert_string_not_equal(spot_palette_colour(spot_train_colours, "queue", 2),
        spot_palette_colour(spot_train_colours, "queue", 3));
    assert_int_equal(spot_palette_colour(spot_train_colours, "queue", 1000)[0], '#');
    assert_string_equal(spot_palette_colour(NULL, "useful", 2),
        spot_palette_colour(spot_train_colours, "queue", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_category_has_its_own_colour),
        cmocka_unit_test(test_metrics_have_the_colour_of_their_category),
        cmocka_unit_test(test_other_names_by_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
