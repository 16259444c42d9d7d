/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths under losses: the rules by which they get members, on
 * cases by hand and on random ones; whoever is lost, and in whatever order they are
 * told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/train/recovery/members.h"

#define CAPACITY 60
#define NUM_LAYERS 24

/* Instances with slots 0, 1, ..., all in standby, and nobody in a pipeline. */
typedef struct {
    spot_fleet_t fleet;
    spot_members_t members;
    void *memory;
} case_t;

static void init_case(case_t *self, int32_t num_instances)
{
    int32_t slots[CAPACITY];

    for (int32_t j = 0; j < num_instances; j++) {
        slots[j] = j;
    }
    assert_int_equal(spot_fleet_init(&self->fleet, CAPACITY), 0);
    spot_fleet_clear(&self->fleet);
    spot_fleet_add(&self->fleet, slots, num_instances, 0);
    (void) spot_fleet_finish_preparation(&self->fleet, 0);
    self->memory = calloc(1, spot_members_bytes(CAPACITY, NUM_LAYERS));
    assert_non_null(self->memory);
    spot_members_start(&self->members, self->memory, CAPACITY, NUM_LAYERS);
}

static void free_case(case_t *self)
{
    spot_fleet_free(&self->fleet);
    free(self->memory);
}

static void form(case_t *self, const spot_template_set_t *set)
{
    spot_members_form(&self->members, &self->fleet, set);
    spot_fleet_set_active(&self->fleet, (int32_t) spot_template_set_instances(set));
    spot_members_settle(&self->members);
}

static void assert_sizes(const spot_members_t *self, int32_t count, const int32_t *sizes)
{
    assert_int_equal(self->num_pipelines, count);
    assert_memory_equal(self->sizes, sizes, (size_t) count * sizeof(*sizes));
}

/* Whole pipelines: each has all layers once, in order, and nobody is in two. */
static void assert_whole(const spot_members_t *self)
{
    bool is_in[CAPACITY] = {false};
    int32_t next = 0;

    for (int32_t d = 0; d < self->num_pipelines; d++) {
        int32_t layer = 0;

        assert_true(self->sizes[d] > 0);
        for (int32_t s = 0; s < self->sizes[d]; s++) {
            const spot_member_t *member = &self->members[next++];

            assert_int_equal(member->pipeline, d);
            assert_false(is_in[member->slot]);
            is_in[member->slot] = true;
            assert_int_equal(member->due.first, layer);
            layer = member->due.end;
        }
        assert_int_equal(layer, NUM_LAYERS);
    }
    assert_int_equal(next, self->num_members);
}

/* ---- By hand ---- */

static void lose(case_t *self, const int32_t *lost, int32_t num_lost, int32_t min_size)
{
    spot_fleet_remove(&self->fleet, lost, num_lost);
    spot_members_lose(&self->members, lost, num_lost);
    spot_members_mend(&self->members, min_size);
    assert_whole(&self->members);
}

/* Pipelines of 3, 4 and 6 with slots 0-2, 3-6 and 7-12. */
static const spot_template_set_t three = {3, {{3, 1}, {4, 1}, {6, 1}}};

static void test_smaller_template(void **state)
{
    static const int32_t lost[] = {9, 11}, sizes[] = {3, 4, 4};
    case_t self;

    (void) state;
    init_case(&self, 13);
    form(&self, &three);
    assert_whole(&self.members);
    lose(&self, lost, 2, 3);
    assert_sizes(&self.members, 3, sizes);
    /* Slots 7, 8, 10, 12 had layers 0-3, 4-7, 12-15, 20-23 and get 6 each: slot 8 gets
     * 8-11, and 6-7 it has. */
    assert_int_equal(self.members.members[8].slot, 8);
    assert_int_equal(self.members.members[8].due.first, 6);
    assert_int_equal(spot_members_most_missing(&self.members), 4);
    assert_true(spot_members_hold_all(&self.members));
    free_case(&self);
}

static void test_takes_from_the_biggest(void **state)
{
    static const int32_t lost[] = {0, 2}, sizes[] = {3, 4, 4};
    case_t self;

    (void) state;
    init_case(&self, 13);
    form(&self, &three);
    lose(&self, lost, 2, 3);
    assert_sizes(&self.members, 3, sizes);
    /* Slot 1 stays, the last stages of the six come, deepest last. */
    assert_int_equal(self.members.members[0].slot, 1);
    assert_int_equal(self.members.members[1].slot, 11);
    assert_int_equal(self.members.members[2].slot, 12);
    free_case(&self);
}

static void test_merges(void **state)
{
    static const spot_template_set_t threes = {1, {{3, 4}}};
    static const int32_t two[] = {0, 3}, one[] = {0}, empty[] = {0, 1, 2};
    static const int32_t merged[] = {4, 3, 3}, healthy[] = {5, 3, 3}, gone[] = {3, 3, 3};
    case_t self;

    (void) state;
    init_case(&self, 12);
    form(&self, &threes);
    lose(&self, two, 2, 3); /* 2 and 2: none can give */
    assert_sizes(&self.members, 3, merged);
    free_case(&self);
    init_case(&self, 12);
    form(&self, &threes);
    lose(&self, one, 1, 3); /* 2 alone goes to the first of the others */
    assert_sizes(&self.members, 3, healthy);
    free_case(&self);
    init_case(&self, 12);
    form(&self, &threes);
    lose(&self, empty, 3, 3);
    assert_sizes(&self.members, 3, gone);
    free_case(&self);
}

/* Who stays where it is copies nothing; who comes gets a whole stage. */
static void test_forms_with_new(void **state)
{
    static const spot_template_set_t two = {1, {{4, 2}}}, more = {1, {{4, 3}}};
    case_t self;
    int32_t num_new = 0;

    (void) state;
    init_case(&self, 12);
    form(&self, &two);
    spot_members_form(&self.members, &self.fleet, &more);
    assert_whole(&self.members);
    for (int32_t j = 0; j < 12; j++) {
        const spot_member_t *member = &self.members.members[j];

        if (member->held.end == 0) {
            num_new++;
            assert_true(member->slot >= 8);
        } else {
            assert_memory_equal(&member->held, &member->due, sizeof(member->due));
        }
    }
    assert_int_equal(num_new, 4);
    assert_int_equal(spot_members_most_missing(&self.members), NUM_LAYERS / 4);
    assert_true(spot_members_hold_all(&self.members));
    free_case(&self);
}

/* ---- At random ---- */

static void shuffle(spot_rng_t *rng, int32_t *values, int32_t count)
{
    for (int32_t j = count - 1; j > 0; j--) {
        const int32_t k = (int32_t) (spot_rng_uniform(rng) * (j + 1));
        const int32_t value = values[j];

        values[j] = values[k];
        values[k] = value;
    }
}

static spot_template_set_t random_set(spot_rng_t *rng, int32_t min_size)
{
    spot_template_set_t set = {0};

    for (int32_t n = min_size; n <= min_size + 4; n++) {
        const int32_t count = (int32_t) (3 * spot_rng_uniform(rng));

        if (count > 0) {
            set.groups[set.num_groups++] = (spot_template_group_t){n, count};
        }
    }
    if (set.num_groups == 0) {
        set = (spot_template_set_t){1, {{min_size, 2}}};
    }
    return set;
}

/* Whether each layer is held by one who is not lost, counted one by one. */
static bool is_alive(const spot_members_t *before, const int32_t *lost, int32_t num_lost)
{
    for (int32_t layer = 0; layer < NUM_LAYERS; layer++) {
        bool has_holder = false;

        for (int32_t j = 0; j < before->num_members; j++) {
            const spot_member_t *member = &before->members[j];
            bool is_lost = false;

            for (int32_t k = 0; k < num_lost; k++) {
                is_lost = is_lost || lost[k] == member->slot;
            }
            has_holder =
                has_holder || (!is_lost && member->held.first <= layer && layer < member->held.end);
        }
        if (!has_holder) {
            return false;
        }
    }
    return true;
}

/* Some losses one after the other, told in two orders: the same pipelines, all of them
 * big enough, with all who are left. */
static void check_losses(spot_rng_t *rng, int32_t min_size)
{
    const spot_template_set_t set = random_set(rng, min_size);
    const int32_t num_instances = (int32_t) spot_template_set_instances(&set);
    int32_t slots[CAPACITY], num_left = num_instances;
    case_t self, other;

    init_case(&self, num_instances);
    init_case(&other, num_instances);
    form(&self, &set);
    form(&other, &set);
    for (int32_t j = 0; j < num_instances; j++) {
        slots[j] = j;
    }
    shuffle(rng, slots, num_instances);
    while (num_left > min_size) {
        const int32_t most = num_left - min_size;
        const int32_t num_lost = 1 + (int32_t) (spot_rng_uniform(rng) * most);
        const bool holds_all = is_alive(&self.members, slots + num_left - num_lost, num_lost);

        num_left -= num_lost;
        spot_members_lose(&self.members, slots + num_left, num_lost);
        shuffle(rng, slots + num_left, num_lost);
        spot_members_lose(&other.members, slots + num_left, num_lost);
        assert_true(spot_members_hold_all(&self.members) == holds_all);
        spot_members_mend(&self.members, min_size);
        spot_members_mend(&other.members, min_size);
        assert_whole(&self.members);
        assert_int_equal(self.members.num_members, num_left);
        assert_int_equal(other.members.num_members, num_left);
        assert_memory_equal(
            self.members.members, other.members.members, (size_t) num_left * sizeof(spot_member_t));
        for (int32_t d = 0; d < self.members.num_pipelines; d++) {
            assert_true(self.members.sizes[d] >= min_size);
        }
        spot_members_settle(&self.members);
        spot_members_settle(&other.members);
    }
    free_case(&self);
    free_case(&other);
}

static void test_random_losses(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 1);
    for (int j = 0; j < 3000; j++) {
        check_losses(&rng, 1 + j % 4);
    }
}

/* The set of the pipelines is what they are made of. */
static void test_set(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 2);
    for (int j = 0; j < 300; j++) {
        const spot_template_set_t set = random_set(&rng, 1 + j % 4);
        spot_template_set_t again;
        case_t self;

        init_case(&self, (int32_t) spot_template_set_instances(&set));
        form(&self, &set);
        again = spot_members_set(&self.members);
        assert_int_equal(again.num_groups, set.num_groups);
        assert_memory_equal(
            again.groups, set.groups, (size_t) set.num_groups * sizeof(set.groups[0]));
        free_case(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smaller_template),
        cmocka_unit_test(test_takes_from_the_biggest),
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_forms_with_new),
        cmocka_unit_test(test_random_losses),
        cmocka_unit_test(test_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
