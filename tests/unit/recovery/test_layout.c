/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who holds which stage: rows of pipelines in the order of the fleet, losses, free
 * places that are given away, and counts of stages; against plain lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/train/recovery/layout.h"

#define CAPACITY 40

typedef struct {
    spot_fleet_t fleet;
    spot_layout_t layout;
    void *memory;
} fixture_t;

static void set_up(fixture_t *self, int32_t num_ready)
{
    int32_t slots[CAPACITY];

    for (int32_t j = 0; j < num_ready; j++) {
        slots[j] = CAPACITY - 1 - j; /* slots are not in the order of arrival */
    }
    assert_int_equal(spot_fleet_init(&self->fleet, CAPACITY), 0);
    spot_fleet_clear(&self->fleet);
    spot_fleet_add(&self->fleet, slots, num_ready, 0);
    assert_int_equal(spot_fleet_finish_preparation(&self->fleet, 0), num_ready);
    self->memory = malloc(spot_layout_bytes(CAPACITY));
    assert_non_null(self->memory);
    spot_layout_start(&self->layout, self->memory, CAPACITY);
}

static void tear_down(fixture_t *self)
{
    spot_fleet_free(&self->fleet);
    free(self->memory);
}

/* The two maps say the same, and as many are held as is told. */
static void assert_consistent(const spot_layout_t *layout)
{
    int32_t num_held = 0, num_holders = 0;

    for (int32_t place = 0; place < layout->num_pipelines * layout->depth; place++) {
        const int32_t slot = layout->slots[place];

        if (slot != SPOT_LAYOUT_NONE) {
            assert_int_equal(layout->places[slot], place);
            num_held++;
        }
    }
    for (int32_t slot = 0; slot < layout->capacity; slot++) {
        num_holders += layout->places[slot] != SPOT_LAYOUT_NONE;
    }
    assert_int_equal(num_held, layout->num_held);
    assert_int_equal(num_holders, layout->num_held);
}

static void test_begins_empty(void **state)
{
    fixture_t self;

    (void) state;
    set_up(&self, 0);
    assert_int_equal(self.layout.num_pipelines, 0);
    assert_int_equal(self.layout.num_held, 0);
    assert_consistent(&self.layout);
    spot_layout_form(&self.layout, &self.fleet, 0, 5);
    assert_int_equal(self.layout.num_held, 0);
    tear_down(&self);
}

/* First the active ones in their order, then the first of standby; row by row. */
static void test_forms_in_order(void **state)
{
    fixture_t self;

    (void) state;
    set_up(&self, 9);
    spot_fleet_set_active(&self.fleet, 4); /* slots 39 38 37 36 */
    spot_fleet_remove(&self.fleet, (const int32_t[]){38}, 1);
    spot_layout_form(&self.layout, &self.fleet, 2, 3);
    assert_consistent(&self.layout);
    assert_int_equal(self.layout.num_held, 6);
    for (int32_t place = 0; place < 6; place++) {
        const int32_t expected[] = {39, 37, 36, 35, 34, 33};

        assert_int_equal(self.layout.slots[place], expected[place]);
    }
    assert_int_equal(self.layout.places[32], SPOT_LAYOUT_NONE);
    spot_layout_form(&self.layout, &self.fleet, 1, 2); /* fewer places than active ones */
    assert_consistent(&self.layout);
    assert_int_equal(self.layout.num_held, 2);
    assert_int_equal(self.layout.places[36], SPOT_LAYOUT_NONE);
    tear_down(&self);
}

/* As the fleet makes them active when it puts the announced ones last. */
static void test_forms_noticed_last(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_VICTIM, 0);
    for (int round = 0; round < 300; round++) {
        const int32_t num_ready = 1 + (int32_t) spot_rng_below(&rng, CAPACITY);
        const int32_t num_active = (int32_t) spot_rng_below(&rng, (uint64_t) num_ready + 1);
        const int32_t num_places = (int32_t) spot_rng_below(&rng, (uint64_t) num_ready + 1);
        int64_t deadlines_ms[CAPACITY];
        int32_t slots[CAPACITY];
        fixture_t self;

        set_up(&self, num_ready);
        spot_fleet_set_active(&self.fleet, num_active);
        for (int slot = 0; slot < CAPACITY; slot++) {
            const bool is_noticed = spot_rng_below(&rng, 3) == 0;

            deadlines_ms[slot] = is_noticed ? 1 : INT64_MAX;
        }
        spot_layout_form_noticed_last(&self.layout, &self.fleet, deadlines_ms, num_places, 1);
        assert_consistent(&self.layout);
        spot_fleet_put_last(&self.fleet, deadlines_ms);
        spot_fleet_set_active(&self.fleet, num_places);
        assert_int_equal(spot_fleet_list(&self.fleet, SPOT_ACTIVE, slots), num_places);
        assert_memory_equal(self.layout.slots, slots, (size_t) num_places * sizeof(*slots));
        tear_down(&self);
    }
}

static void test_loses_and_puts(void **state)
{
    fixture_t self;

    (void) state;
    set_up(&self, 8);
    spot_layout_form(&self.layout, &self.fleet, 2, 3);
    assert_int_equal(spot_layout_replicas(&self.layout, 1), 2);
    /* 38 holds stage 1 of the first pipeline; 32 holds nothing. */
    spot_layout_lose(&self.layout, (const int32_t[]){32, 38}, 2);
    assert_consistent(&self.layout);
    assert_int_equal(self.layout.num_held, 5);
    assert_int_equal(self.layout.slots[1], SPOT_LAYOUT_NONE);
    assert_int_equal(spot_layout_replicas(&self.layout, 0), 2);
    assert_int_equal(spot_layout_replicas(&self.layout, 1), 1);
    spot_layout_put(&self.layout, 33, 1);
    assert_consistent(&self.layout);
    assert_int_equal(self.layout.places[33], 1);
    assert_int_equal(spot_layout_replicas(&self.layout, 1), 2);
    spot_layout_lose(&self.layout, (const int32_t[]){33, 35}, 2);
    assert_int_equal(spot_layout_replicas(&self.layout, 1), 0);
    tear_down(&self);
}

/* At random: the count of a stage is that of its places which nobody has lost. */
static void test_random_losses(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_VICTIM, 0);
    for (int round = 0; round < 300; round++) {
        const int32_t depth = 1 + (int32_t) spot_rng_below(&rng, 7);
        const int32_t most = CAPACITY / depth;
        const int32_t num_pipelines = 1 + (int32_t) spot_rng_below(&rng, (uint64_t) most);
        int32_t num_left[8], lost[CAPACITY], num_lost = 0;
        fixture_t self;

        set_up(&self, CAPACITY);
        spot_layout_form(&self.layout, &self.fleet, num_pipelines, depth);
        for (int32_t s = 0; s < depth; s++) {
            num_left[s] = num_pipelines;
        }
        for (int32_t j = 0; j < CAPACITY; j++) {
            if (spot_rng_below(&rng, 3) == 0) {
                lost[num_lost++] = CAPACITY - 1 - j;
                if (j < num_pipelines * depth) {
                    num_left[j % depth]--;
                }
            }
        }
        spot_layout_lose(&self.layout, lost, num_lost);
        assert_consistent(&self.layout);
        for (int32_t s = 0; s < depth; s++) {
            assert_int_equal(spot_layout_replicas(&self.layout, s), num_left[s]);
        }
        tear_down(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_empty),
        cmocka_unit_test(test_forms_in_order),
        cmocka_unit_test(test_forms_noticed_last),
        cmocka_unit_test(test_loses_and_puts),
        cmocka_unit_test(test_random_losses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
