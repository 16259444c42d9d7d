/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fleet against plain arrays that are searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/train/fleet/fleet.h"

#define CAPACITY 40

typedef struct {
    int32_t num;
    int32_t slots[CAPACITY]; /* [num] in order of arrival */
    int64_t ready_ms[CAPACITY];
} model_list_t;

typedef struct {
    model_list_t lists[SPOT_NUM_ROLES];
} model_t;

static void model_add(model_t *self, int32_t slot, spot_role_t role, int64_t ready_ms)
{
    model_list_t *list = &self->lists[role];

    list->slots[list->num] = slot;
    list->ready_ms[list->num++] = ready_ms;
}

static int32_t model_take(model_t *self, spot_role_t role, int32_t place)
{
    model_list_t *list = &self->lists[role];
    const int32_t slot = list->slots[place];

    list->num--;
    for (int32_t j = place; j < list->num; j++) {
        list->slots[j] = list->slots[j + 1];
        list->ready_ms[j] = list->ready_ms[j + 1];
    }
    return slot;
}

/* Its role, or SPOT_NUM_ROLES if the slot is free. */
static spot_role_t model_find(const model_t *self, int32_t slot, int32_t *place)
{
    for (int role = 0; role < SPOT_NUM_ROLES; role++) {
        for (*place = 0; *place < self->lists[role].num; (*place)++) {
            if (self->lists[role].slots[*place] == slot) {
                return (spot_role_t) role;
            }
        }
    }
    return SPOT_NUM_ROLES;
}

static void model_set_active(model_t *self, int32_t num_active)
{
    while (self->lists[SPOT_ACTIVE].num > num_active) {
        model_add(self, model_take(self, SPOT_ACTIVE, num_active), SPOT_STANDBY, 0);
    }
    while (self->lists[SPOT_ACTIVE].num < num_active) {
        model_add(self, model_take(self, SPOT_STANDBY, 0), SPOT_ACTIVE, 0);
    }
}

static void model_put_last(model_t *self, const int64_t *deadlines_ms)
{
    const int32_t num_standby = self->lists[SPOT_STANDBY].num;

    for (int role = SPOT_ACTIVE; role >= SPOT_STANDBY; role--) {
        const model_list_t *list = &self->lists[role];
        int32_t num_left = role == SPOT_ACTIVE ? list->num : num_standby;

        for (int32_t place = 0; num_left > 0; num_left--) {
            if (deadlines_ms[list->slots[place]] == INT64_MAX) {
                place++;
            } else {
                model_add(self, model_take(self, (spot_role_t) role, place), SPOT_STANDBY, 0);
            }
        }
    }
}

static void assert_same(const spot_fleet_t *fleet, const model_t *model)
{
    int32_t population = 0;

    spot_fleet_verify(fleet);
    for (int role = 0; role < SPOT_NUM_ROLES; role++) {
        const model_list_t *list = &model->lists[role];
        int32_t slots[CAPACITY];

        assert_int_equal(fleet->counts[role], list->num);
        assert_int_equal(spot_fleet_list(fleet, (spot_role_t) role, slots), list->num);
        assert_memory_equal(slots, list->slots, (size_t) list->num * sizeof(*slots));
        population += list->num;
    }
    assert_int_equal(spot_fleet_population(fleet), population);
    if (model->lists[SPOT_PREPPING].num == 0) {
        assert_true(spot_fleet_next_ready_ms(fleet) == INT64_MAX);
    } else {
        assert_int_equal(spot_fleet_next_ready_ms(fleet), model->lists[SPOT_PREPPING].ready_ms[0]);
    }
}

/* Free slots from one on are taken, or taken ones are freed, some at once. */
static void change_slots(
    spot_fleet_t *fleet, model_t *model, int32_t first, int32_t most, int64_t ready_ms)
{
    int32_t slots[CAPACITY], lost[CAPACITY + 1], place, count = 0, num_active = 0;
    const bool is_add = model_find(model, first, &place) == SPOT_NUM_ROLES;

    for (int32_t slot = first; slot < CAPACITY && count < most; slot++) {
        const spot_role_t before = model_find(model, slot, &place);

        if ((before == SPOT_NUM_ROLES) != is_add) {
            continue;
        }
        if (is_add) {
            model_add(model, slot, SPOT_PREPPING, ready_ms);
        } else {
            (void) model_take(model, before, place);
            lost[num_active] = slot;
            num_active += before == SPOT_ACTIVE;
        }
        slots[count++] = slot;
    }
    if (is_add) {
        spot_fleet_add(fleet, slots, count, ready_ms);
    } else {
        fleet->num_lost = 0;
        spot_fleet_remove(fleet, slots, count);
        assert_int_equal(fleet->num_lost, num_active);
        assert_memory_equal(fleet->lost, lost, (size_t) num_active * sizeof(*lost));
    }
}

static void draw_deadlines(spot_rng_t *rng, int64_t deadlines_ms[CAPACITY])
{
    for (int slot = 0; slot < CAPACITY; slot++) {
        const bool is_noticed = spot_rng_below(rng, 3) == 0;

        deadlines_ms[slot] = is_noticed ? slot : INT64_MAX;
    }
}

static void run_random(spot_fleet_t *fleet, spot_rng_t *rng)
{
    int64_t deadlines_ms[CAPACITY];
    const int64_t preparation_ms = (int64_t) spot_rng_below(rng, 20);
    model_t model;
    int64_t now_ms = 0;

    memset(&model, 0, sizeof(model));
    for (int j = 0; j < 400; j++) {
        model_list_t *prepping = &model.lists[SPOT_PREPPING];
        const int64_t num_usable = model.lists[SPOT_ACTIVE].num + model.lists[SPOT_STANDBY].num;

        now_ms += (int64_t) spot_rng_below(rng, 3);
        if (spot_rng_below(rng, 4) == 0) {
            const int32_t num_active = (int32_t) spot_rng_below(rng, (uint64_t) num_usable + 1);

            if (spot_rng_below(rng, 3) == 0) {
                draw_deadlines(rng, deadlines_ms);
                model_put_last(&model, deadlines_ms);
                spot_fleet_put_last(fleet, deadlines_ms);
                assert_same(fleet, &model);
            }
            model_set_active(&model, num_active);
            spot_fleet_set_active(fleet, num_active);
        } else if (spot_rng_below(rng, 4) == 0) {
            int32_t num_ready = 0;

            while (prepping->num > 0 && prepping->ready_ms[0] <= now_ms) {
                model_add(&model, model_take(&model, SPOT_PREPPING, 0), SPOT_STANDBY, 0);
                num_ready++;
            }
            assert_int_equal(spot_fleet_finish_preparation(fleet, now_ms), num_ready);
        } else {
            const int32_t first = (int32_t) spot_rng_below(rng, CAPACITY);
            const int32_t most = (int32_t) spot_rng_below(rng, 4);

            change_slots(fleet, &model, first, most, now_ms + preparation_ms);
        }
        assert_same(fleet, &model);
    }
}

static void test_random_against_arrays(void **state)
{
    spot_fleet_t fleet;
    spot_rng_t rng;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, CAPACITY), 0);
    for (uint64_t run = 0; run < 60; run++) {
        spot_rng_seek(&rng, 1, run, SPOT_STREAM_TYPE, 0);
        spot_fleet_clear(&fleet);
        run_random(&fleet, &rng);
    }
    spot_fleet_free(&fleet);
}

static void assert_order(const spot_fleet_t *fleet, spot_role_t role, const char *expected)
{
    char order[CAPACITY + 1];
    int32_t slots[CAPACITY];
    const int32_t count = spot_fleet_list(fleet, role, slots);

    for (int32_t j = 0; j < count; j++) {
        order[j] = (char) ('a' + slots[j]);
    }
    order[count] = '\0';
    assert_string_equal(order, expected);
}

/* Pipelines fill from the front of standby; a surplus leaves from the end of active and
 * keeps its order. */
static void test_order(void **state)
{
    spot_fleet_t fleet;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, 8), 0);
    spot_fleet_add(&fleet, (int32_t[]){0, 1, 2, 3, 4, 5}, 6, 0);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 0), 6);
    spot_fleet_set_active(&fleet, 5);
    assert_order(&fleet, SPOT_ACTIVE, "abcde");
    assert_order(&fleet, SPOT_STANDBY, "f");
    spot_fleet_remove(&fleet, (int32_t[]){1}, 1);
    assert_int_equal(fleet.num_lost, 1);
    assert_int_equal(fleet.lost[0], 1);
    spot_fleet_set_active(&fleet, 2);
    assert_order(&fleet, SPOT_ACTIVE, "ac");
    assert_order(&fleet, SPOT_STANDBY, "fde");
    spot_fleet_set_active(&fleet, 4);
    assert_order(&fleet, SPOT_ACTIVE, "acfd");
    spot_fleet_set_active(&fleet, 0);
    assert_order(&fleet, SPOT_ACTIVE, "");
    assert_order(&fleet, SPOT_STANDBY, "eacfd");
    spot_fleet_free(&fleet);
}

/* Who goes soon goes behind all others, those in use before those who are not. */
static void test_put_last(void **state)
{
    const int64_t deadlines_ms[8] = {INT64_MAX, 7, INT64_MAX, INT64_MAX, 7, 9, INT64_MAX, 3};
    spot_fleet_t fleet;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, 8), 0);
    spot_fleet_add(&fleet, (int32_t[]){0, 1, 2, 3, 4, 5, 6}, 7, 0);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 0), 7);
    spot_fleet_add(&fleet, (int32_t[]){7}, 1, 10); /* not ready: it stays */
    spot_fleet_set_active(&fleet, 4);
    spot_fleet_put_last(&fleet, deadlines_ms);
    spot_fleet_verify(&fleet);
    assert_order(&fleet, SPOT_ACTIVE, "acd");
    assert_order(&fleet, SPOT_STANDBY, "gbef");
    assert_order(&fleet, SPOT_PREPPING, "h");
    spot_fleet_free(&fleet);
}

/* Oldest first, up to and including the instant. */
static void test_preparation(void **state)
{
    spot_fleet_t fleet;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, 8), 0);
    assert_true(spot_fleet_next_ready_ms(&fleet) == INT64_MAX);
    spot_fleet_add(&fleet, (int32_t[]){7}, 1, 0);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 0), 1);
    spot_fleet_add(&fleet, (int32_t[]){2, 0}, 2, 10);
    spot_fleet_add(&fleet, (int32_t[]){5}, 1, 11);
    assert_int_equal(spot_fleet_next_ready_ms(&fleet), 10);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 9), 0);
    assert_order(&fleet, SPOT_PREPPING, "caf");
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 10), 2);
    assert_order(&fleet, SPOT_PREPPING, "f");
    assert_order(&fleet, SPOT_STANDBY, "hca");
    assert_int_equal(spot_fleet_next_ready_ms(&fleet), 11);
    spot_fleet_remove(&fleet, (int32_t[]){5}, 1);
    assert_int_equal(fleet.num_lost, 0); /* it was not active */
    assert_true(spot_fleet_next_ready_ms(&fleet) == INT64_MAX);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, INT64_MAX - 1), 0);
    assert_int_equal(spot_fleet_population(&fleet), 3);
    spot_fleet_free(&fleet);
}

/* The first instances: ready, but for the last ones. */
static void test_initial(void **state)
{
    const int32_t slots[] = {0, 1, 2, 3, 4};
    spot_fleet_t fleet;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, 8), 0);
    spot_fleet_add_initial(&fleet, slots, 5, 3, 40, 5); /* 8 ticks in 4 parts */
    assert_int_equal(spot_fleet_population(&fleet), 5);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 0), 2);
    assert_int_equal(spot_fleet_next_ready_ms(&fleet), 10);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 10), 1);
    assert_int_equal(spot_fleet_next_ready_ms(&fleet), 20);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 30), 2);
    spot_fleet_verify(&fleet);
    spot_fleet_clear(&fleet);
    spot_fleet_add_initial(&fleet, slots, 2, 9, 10, 5); /* more than there are */
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 0), 1);
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 5), 1);
    spot_fleet_free(&fleet);
}

static void test_roles_and_free(void **state)
{
    static const char *const names[] = {"prepping", "standby", "active"};
    spot_fleet_t fleet;

    (void) state;
    for (int role = 0; role < SPOT_NUM_ROLES; role++) {
        assert_string_equal(spot_role_names[role], names[role]);
    }
    memset(&fleet, 0, sizeof(fleet));
    spot_fleet_free(&fleet);
    assert_int_equal(spot_fleet_init(&fleet, 1), 0);
    spot_fleet_verify(&fleet);
    spot_fleet_free(&fleet);
    spot_fleet_free(&fleet);
}

/* One instance prepares all the time while others arrive behind it and leave again: what
 * is left of them must not pile up. */
static void test_arrivals_that_leave(void **state)
{
    spot_fleet_t fleet;

    (void) state;
    assert_int_equal(spot_fleet_init(&fleet, CAPACITY), 0);
    spot_fleet_add(&fleet, (int32_t[]){0}, 1, 1000000);
    for (int32_t j = 0; j < 100 * CAPACITY; j++) {
        spot_fleet_add(&fleet, (int32_t[]){1 + j % 2}, 1, 1000001 + j);
        if (j > 0) {
            spot_fleet_remove(&fleet, (int32_t[]){1 + (j - 1) % 2}, 1);
        }
        spot_fleet_verify(&fleet);
        assert_int_equal(fleet.counts[SPOT_PREPPING], 2);
        assert_int_equal(spot_fleet_next_ready_ms(&fleet), 1000000);
    }
    assert_int_equal(spot_fleet_finish_preparation(&fleet, 1000000), 1);
    assert_int_equal(spot_fleet_next_ready_ms(&fleet), 1000000 + 100 * CAPACITY);
    spot_fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_against_arrays),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_put_last),
        cmocka_unit_test(test_preparation),
        cmocka_unit_test(test_arrivals_that_leave),
        cmocka_unit_test(test_initial),
        cmocka_unit_test(test_roles_and_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
