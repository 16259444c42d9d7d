/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/engine/calendar.h"

#define MAX_ITEMS 300

/* Items in order of adding. */
typedef struct {
    size_t num_items;
    spot_calendar_item_t items[MAX_ITEMS];
} list_t;

static size_t
first_of_list(const list_t *list)
{
    size_t first = 0;

    for (size_t j = 1; j < list->num_items; j++) {
        const spot_calendar_item_t *item = &list->items[j];
        const spot_calendar_item_t *best = &list->items[first];

        if (item->time_ms < best->time_ms ||
            (item->time_ms == best->time_ms && item->kind < best->kind)) {
            first = j;
        }
    }
    return first;
}

static void
assert_same_item(const spot_calendar_item_t *item, const spot_calendar_item_t *other)
{
    assert_int_equal(item->time_ms, other->time_ms);
    assert_int_equal(item->kind, other->kind);
    assert_int_equal(item->entity_id, other->entity_id);
}

static void
add_to_both(spot_calendar_t *calendar, list_t *list, spot_calendar_item_t item)
{
    assert_int_equal(
        spot_calendar_add(calendar, item.time_ms, item.kind, item.entity_id), 0);
    list->items[list->num_items++] = item;
}

static void
take_from_both(spot_calendar_t *calendar, list_t *list)
{
    const size_t first = first_of_list(list);
    const spot_calendar_item_t expected = list->items[first];
    spot_calendar_item_t item;

    assert_same_item(spot_calendar_first(calendar), &expected);
    item = spot_calendar_take(calendar);
    assert_same_item(&item, &expected);
    list->num_items--;
    for (size_t j = first; j < list->num_items; j++) {
        list->items[j] = list->items[j + 1];
    }
}

/* Few distinct times and kinds, so that most items tie. */
static void
test_random_against_a_list(void **state)
{
    spot_calendar_t calendar;
    spot_rng_t rng;

    (void) state;
    spot_calendar_init(&calendar);
    for (uint64_t run = 0; run < 100; run++) {
        const uint64_t num_times = 1 + run % 7 * 13;
        list_t list = {.num_items = 0};

        spot_rng_seek(&rng, 1, run, SPOT_STREAM_TYPE, 0);
        for (int32_t j = 0; j < 600; j++) {
            const int64_t time_ms = (int64_t) spot_rng_below(&rng, num_times) - 3;
            const int32_t kind = (int32_t) spot_rng_below(&rng, 3) - 1;
            const bool is_growing = j < 300 || spot_rng_below(&rng, 2) == 0;

            if (is_growing && list.num_items < MAX_ITEMS) {
                add_to_both(&calendar, &list,
                    (spot_calendar_item_t){
                        .time_ms = time_ms, .kind = kind, .entity_id = j});
            }
            if (list.num_items > 0 && spot_rng_below(&rng, 3) == 0) {
                take_from_both(&calendar, &list);
            }
        }
        while (list.num_items > 0) {
            take_from_both(&calendar, &list);
        }
        assert_null(spot_calendar_first(&calendar));
    }
    spot_calendar_free(&calendar);
}

static void
test_order_of_ties(void **state)
{
    static const spot_calendar_item_t added[] = {{5, 1, 0, 0}, {5, 0, 1, 0},
        {5, 1, 2, 0}, {4, 9, 3, 0}, {5, 0, 4, 0}, {INT64_MAX, INT32_MIN, 5, 0},
        {INT64_MIN, INT32_MAX, 6, 0}};
    static const int32_t expected[] = {6, 3, 1, 4, 0, 2, 5};
    const size_t num_items = sizeof(added) / sizeof(added[0]);
    spot_calendar_t calendar;

    (void) state;
    spot_calendar_init(&calendar);
    for (size_t j = 0; j < num_items; j++) {
        assert_int_equal(spot_calendar_add(&calendar, added[j].time_ms, added[j].kind,
                             added[j].entity_id),
            0);
    }
    for (size_t j = 0; j < num_items; j++) {
        assert_int_equal(spot_calendar_take(&calendar).entity_id, expected[j]);
    }
    spot_calendar_free(&calendar);
}

/* Clearing keeps the memory and starts the order of adding anew. */
static void
test_clear_and_free(void **state)
{
    spot_calendar_t calendar;
    size_t max_items;

    (void) state;
    spot_calendar_init(&calendar);
    assert_null(spot_calendar_first(&calendar));
    spot_calendar_clear(&calendar);
    for (int32_t j = 0; j < 1000; j++) {
        assert_int_equal(spot_calendar_add(&calendar, 1000 - j, 0, j), 0);
    }
    max_items = calendar.max_items;
    spot_calendar_clear(&calendar);
    assert_null(spot_calendar_first(&calendar));
    assert_int_equal(calendar.max_items, max_items);
    assert_int_equal(spot_calendar_add(&calendar, 7, 2, 3), 0);
    assert_int_equal(spot_calendar_first(&calendar)->sequence, 0);
    spot_calendar_free(&calendar);
    assert_null(spot_calendar_first(&calendar));
    spot_calendar_free(&calendar);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_against_a_list),
        cmocka_unit_test(test_order_of_ties),
        cmocka_unit_test(test_clear_and_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
