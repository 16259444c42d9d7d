/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/rng.h"

#define MAX_ITEMS 300

/* Items in order of their sequence: a move takes an item to the end. */
typedef struct {
    size_t num_items;
    spot_calendar_item_t items[MAX_ITEMS];
} list_t;

static size_t first_of_list(const list_t *list)
{
    size_t first = 0;

    for (size_t j = 1; j < list->num_items; j++) {
        const spot_calendar_item_t *item = &list->items[j];
        const spot_calendar_item_t *best = &list->items[first];

        if (item->tick < best->tick || (item->tick == best->tick && item->phase < best->phase)) {
            first = j;
        }
    }
    return first;
}

static spot_calendar_item_t remove_from_list(list_t *list, size_t place)
{
    const spot_calendar_item_t item = list->items[place];

    list->num_items--;
    for (size_t j = place; j < list->num_items; j++) {
        list->items[j] = list->items[j + 1];
    }
    return item;
}

static void assert_same_item(const spot_calendar_item_t *item, const spot_calendar_item_t *other)
{
    assert_int_equal(item->tick, other->tick);
    assert_int_equal(item->phase, other->phase);
    assert_int_equal(item->kind, other->kind);
    assert_int_equal(item->entity_id, other->entity_id);
    assert_int_equal(item->handle, other->handle);
}

static void add_to_both(spot_calendar_t *calendar, list_t *list, spot_calendar_item_t item)
{
    assert_int_equal(spot_calendar_add(calendar, &item, &item.handle), 0);
    for (size_t j = 0; j < list->num_items; j++) {
        assert_int_not_equal(list->items[j].handle, item.handle);
    }
    list->items[list->num_items++] = item;
}

static void take_from_both(spot_calendar_t *calendar, list_t *list)
{
    const spot_calendar_item_t expected = remove_from_list(list, first_of_list(list));
    const spot_due_t *first = spot_calendar_first(calendar);
    spot_calendar_item_t item;

    assert_int_equal(first->tick, expected.tick);
    assert_int_equal(first->phase, expected.phase);
    assert_int_equal(first->handle, expected.handle);
    item = spot_calendar_take(calendar);
    assert_same_item(&item, &expected);
}

static void cancel_in_both(spot_calendar_t *calendar, list_t *list, size_t place)
{
    const spot_calendar_item_t expected = remove_from_list(list, place);
    const spot_calendar_item_t item = spot_calendar_item(calendar, expected.handle);

    assert_same_item(&item, &expected);
    spot_calendar_cancel(calendar, expected.handle);
}

static void move_in_both(spot_calendar_t *calendar, list_t *list, size_t place, int64_t tick)
{
    spot_calendar_item_t item = remove_from_list(list, place);

    item.tick = tick;
    spot_calendar_move(calendar, item.handle, tick);
    list->items[list->num_items++] = item;
}

/* One random call of both; as many calls add as remove. */
static void change_both(
    spot_calendar_t *calendar, list_t *list, spot_rng_t *rng, uint64_t num_ticks)
{
    const int64_t tick = (int64_t) spot_rng_below(rng, num_ticks) - 3;
    const uint64_t choice = spot_rng_below(rng, 8);
    const size_t place = list->num_items == 0 ? 0 : (size_t) spot_rng_below(rng, list->num_items);

    if (choice < 3 && list->num_items < MAX_ITEMS) {
        add_to_both(calendar, list,
            (spot_calendar_item_t){.tick = tick,
                .phase = (int32_t) spot_rng_below(rng, 3) - 1,
                .kind = (int32_t) spot_rng_below(rng, 9),
                .entity_id = (int32_t) spot_rng_below(rng, 1000)});
    } else if (list->num_items == 0) {
        assert_null(spot_calendar_first(calendar));
    } else if (choice < 5) {
        take_from_both(calendar, list);
    } else if (choice < 6) {
        cancel_in_both(calendar, list, place);
    } else {
        move_in_both(calendar, list, place, tick);
    }
}

/* Few distinct ticks and phases in some runs, so that most items tie. The list of some
 * runs is short, that of others long: it starts with up to MAX_ITEMS items. */
static void test_random_against_a_list(void **state)
{
    static list_t list;
    spot_calendar_t calendar;
    spot_rng_t rng;

    (void) state;
    spot_calendar_init(&calendar);
    for (uint64_t run = 0; run < 200; run++) {
        const uint64_t num_ticks = 1 + run % 7 * 13 + (run % 3 == 0 ? 100000 : 0);
        const uint64_t num_started = run % 5 * 70;

        list.num_items = 0;
        spot_rng_seek(&rng, 1, run, SPOT_STREAM_TYPE, 0);
        for (uint64_t j = 0; j < num_started; j++) {
            add_to_both(&calendar, &list,
                (spot_calendar_item_t){.tick = (int64_t) spot_rng_below(&rng, num_ticks)});
        }
        for (int j = 0; j < 600; j++) {
            change_both(&calendar, &list, &rng, num_ticks);
            assert_int_equal(calendar.num_items, list.num_items);
            spot_calendar_verify(&calendar);
        }
        while (run % 2 == 0 && list.num_items > 0) {
            take_from_both(&calendar, &list);
        }
        spot_calendar_clear(&calendar);
    }
    spot_calendar_free(&calendar);
}

static void test_order_of_ties(void **state)
{
    static const struct {
        int64_t tick;
        int32_t phase;
    } added[] = {
        {5, 1}, {5, 0}, {5, 1}, {4, 9}, {5, 0}, {INT64_MAX, INT32_MIN}, {INT64_MIN, INT32_MAX}};
    static const int32_t expected[] = {6, 3, 1, 4, 0, 2, 5};
    const size_t num_items = sizeof(added) / sizeof(added[0]);
    spot_calendar_t calendar;

    (void) state;
    spot_calendar_init(&calendar);
    for (size_t j = 0; j < num_items; j++) {
        const spot_calendar_item_t item = {
            .tick = added[j].tick, .phase = added[j].phase, .entity_id = (int32_t) j};

        assert_int_equal(spot_calendar_add(&calendar, &item, NULL), 0);
    }
    for (size_t j = 0; j < num_items; j++) {
        assert_int_equal(spot_calendar_take(&calendar).entity_id, expected[j]);
    }
    spot_calendar_free(&calendar);
}

/* An item that moves to the tick where it is goes behind its equals. */
static void test_a_move_renews_the_sequence(void **state)
{
    spot_calendar_t calendar;
    int32_t handle;

    (void) state;
    spot_calendar_init(&calendar);
    for (int32_t j = 0; j < 3; j++) {
        assert_int_equal(
            spot_calendar_add(&calendar, &(spot_calendar_item_t){.tick = 7, .entity_id = j},
                j == 0 ? &handle : NULL),
            0);
    }
    spot_calendar_move(&calendar, handle, 7);
    assert_int_equal(spot_calendar_take(&calendar).entity_id, 1);
    assert_int_equal(spot_calendar_take(&calendar).entity_id, 2);
    assert_int_equal(spot_calendar_take(&calendar).entity_id, 0);
    spot_calendar_free(&calendar);
}

/* Clearing keeps the memory, starts handles and sequence anew; after the largest number
 * of items nothing grows. */
static void test_clear_and_free(void **state)
{
    spot_calendar_t calendar;
    const void *heap;
    int32_t handle;

    (void) state;
    spot_calendar_init(&calendar);
    assert_null(spot_calendar_first(&calendar));
    for (int round = 0; round < 3; round++) {
        spot_calendar_clear(&calendar);
        for (int32_t j = 0; j < 1000; j++) {
            const spot_calendar_item_t item = {.tick = 1000 - j, .entity_id = j};

            assert_int_equal(spot_calendar_add(&calendar, &item, &handle), 0);
            assert_int_equal(handle, j);
        }
        heap = round == 0 ? calendar.heap : heap;
        assert_ptr_equal(calendar.heap, heap);
    }
    assert_int_equal(calendar.max_items, 1024);
    spot_calendar_clear(&calendar);
    assert_null(spot_calendar_first(&calendar));
    assert_int_equal(spot_calendar_add(&calendar, &(spot_calendar_item_t){.tick = 7}, &handle), 0);
    assert_int_equal(handle, 0);
    assert_int_equal(calendar.slots[0].sequence, 0);
    spot_calendar_free(&calendar);
    assert_null(spot_calendar_first(&calendar));
    spot_calendar_free(&calendar);
}

static void test_print_state(void **state)
{
    spot_calendar_t calendar;
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void) state;
    assert_non_null(out);
    spot_calendar_init(&calendar);
    assert_int_equal(
        spot_calendar_add(&calendar,
            &(spot_calendar_item_t){.tick = -5, .phase = 1, .kind = 2, .entity_id = 3}, NULL),
        0);
    spot_calendar_print_state(&calendar, out);
    fclose(out);
    assert_string_equal(text, "calendar: tick -5, phase 1, kind 2, entity 3, handle 0, "
                              "sequence 0\n");
    spot_calendar_free(&calendar);
}

enum { NUM_SLOTS = 90 };

/* The lowest of the slots that are due first. */
static int32_t first_slot(const double *times_s)
{
    int32_t first = 0;

    for (int32_t j = 1; j < NUM_SLOTS; j++) {
        first = times_s[j] < times_s[first] ? j : first;
    }
    return first;
}

/* In memory of the caller, with times that are doubles: against a plain search. */
static void test_lent_memory(void **state)
{
    double times_s[NUM_SLOTS];
    spot_calendar_t calendar;
    void *memory = malloc(spot_calendar_bytes(NUM_SLOTS));
    spot_rng_t rng;

    (void) state;
    assert_non_null(memory);
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_BOOTSTRAP, 0);
    spot_calendar_init_in(&calendar, memory, NUM_SLOTS, spot_tick_of_double((double) INFINITY));
    for (int j = 0; j < NUM_SLOTS; j++) {
        times_s[j] = (double) INFINITY;
    }
    for (int round = 0; round < 20000; round++) {
        const int32_t slot = (int32_t) spot_rng_below(&rng, NUM_SLOTS);
        const spot_due_t *due;

        times_s[slot] =
            spot_rng_below(&rng, 10) == 0 ? (double) INFINITY : (double) spot_rng_below(&rng, 200);
        spot_calendar_move(&calendar, slot, spot_tick_of_double(times_s[slot]));
        spot_calendar_verify(&calendar);
        due = spot_calendar_first(&calendar);
        assert_int_equal(due->handle, first_slot(times_s));
        assert_true(spot_double_of_tick(due->tick) == times_s[due->handle]);
    }
    assert_int_equal(
        spot_calendar_add(&calendar, &(spot_calendar_item_t){0}, NULL), SPOT_ERR_NO_MEMORY);
    spot_calendar_cancel(&calendar, 5);
    assert_int_equal(spot_calendar_add(&calendar, &(spot_calendar_item_t){0}, NULL), 0);
    spot_calendar_verify(&calendar);
    spot_calendar_free(&calendar);
    free(memory);
}

/* Doubles as ticks: in their order, without loss. */
static void test_ticks_of_doubles(void **state)
{
    static const double times[] = {0, 5e-324, 1e-310, 2.2250738585072014e-308, 0.1, 1,
        1.0000000000000002, 86400, 1e300, 1.7976931348623157e308, (double) INFINITY};
    const size_t num_times = sizeof(times) / sizeof(times[0]);

    (void) state;
    assert_int_equal(spot_tick_of_double(-0.0), 0);
    for (size_t j = 0; j < num_times; j++) {
        assert_true(spot_double_of_tick(spot_tick_of_double(times[j])) == times[j]);
        assert_true(j == 0 || spot_tick_of_double(times[j - 1]) < spot_tick_of_double(times[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_against_a_list),
        cmocka_unit_test(test_order_of_ties),
        cmocka_unit_test(test_a_move_renews_the_sequence),
        cmocka_unit_test(test_clear_and_free),
        cmocka_unit_test(test_print_state),
        cmocka_unit_test(test_lent_memory),
        cmocka_unit_test(test_ticks_of_doubles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
