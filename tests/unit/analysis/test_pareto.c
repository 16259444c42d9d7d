/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/bench/analysis/pareto.h"

static spot_choice_t choice(double cost, double gain, double half_width)
{
    return (spot_choice_t){
        cost, gain, cost - half_width, cost + half_width, gain - half_width, gain + half_width};
}

static bool is_same_cost(const spot_choice_t *a, const spot_choice_t *b)
{
    return a->cost == b->cost && a->cost_low == b->cost_low && a->cost_high == b->cost_high;
}

static bool is_same_gain(const spot_choice_t *a, const spot_choice_t *b)
{
    return a->gain == b->gain && a->gain_low == b->gain_low && a->gain_high == b->gain_high;
}

/* The definition, choice by choice: an executable specification. */
static spot_choice_fate_t slow_fate(
    const spot_choice_t *choices, size_t num_choices, const spot_choice_t *self)
{
    spot_choice_fate_t fate = SPOT_CHOICE_FRONT;

    if (!isfinite(self->cost) || !isfinite(self->gain)) {
        return SPOT_CHOICE_LEFT_OUT;
    }
    for (size_t j = 0; j < num_choices; j++) {
        const spot_choice_t *other = &choices[j];
        const bool counts = isfinite(other->cost) && isfinite(other->gain);

        if (counts && other->cost <= self->cost && other->gain >= self->gain &&
            (other->cost < self->cost || other->gain > self->gain)) {
            const bool costs_less = other->cost_high < self->cost_low;
            const bool gains_more = other->gain_low > self->gain_high;

            fate = fate == SPOT_CHOICE_FRONT ? SPOT_CHOICE_DOMINATED : fate;
            if ((costs_less && (gains_more || is_same_gain(self, other))) ||
                (gains_more && is_same_cost(self, other))) {
                fate = SPOT_CHOICE_SURELY_WORSE;
            }
        }
    }
    return fate;
}

static void assert_same_as_slow(const spot_choice_t *choices, size_t num_choices, size_t *counts)
{
    spot_choice_fate_t *fates = calloc(num_choices + 1, sizeof(*fates));

    assert_non_null(fates);
    assert_int_equal(spot_pareto_find(choices, num_choices, fates), 0);
    for (size_t j = 0; j < num_choices; j++) {
        assert_int_equal(fates[j], slow_fate(choices, num_choices, &choices[j]));
        counts[fates[j]]++;
    }
    free(fates);
}

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double) (*state >> 40) / (double) (UINT64_C(1) << 24);
}

/* On a grid of few values, so that there are ties, or on many; some are undefined, some
 * have no interval. */
static void test_random(void **state)
{
    enum { MAX_CHOICES = 60 };
    spot_choice_t choices[MAX_CHOICES];
    size_t counts[4] = {0};
    uint64_t seed = 6;

    (void) state;
    for (int round = 0; round < 3000; round++) {
        const size_t num_choices = (size_t) (draw(&seed) * (MAX_CHOICES + 1));
        const double grid = round % 2 == 0 ? 6 : 1e6;

        for (size_t j = 0; j < num_choices; j++) {
            choices[j] = choice(floor(draw(&seed) * grid) / grid, floor(draw(&seed) * grid) / grid,
                0.3 * floor(draw(&seed) * 8) / 8 * (round % 3) / 2);
            if (draw(&seed) < 0.05) {
                choices[j].gain = (double) NAN;
            }
            if (draw(&seed) < 0.1) {
                choices[j].cost_low = choices[j].cost_high = (double) NAN;
                choices[j].gain_low = choices[j].gain_high = (double) NAN;
            }
        }
        assert_same_as_slow(choices, num_choices, counts);
    }
    for (int fate = 0; fate < 4; fate++) {
        assert_true(counts[fate] > 1000); /* each fate is met */
    }
}

/* Equal ones share the front; the same gain for more is surely worse, but what is worse
 * in both is so only where no interval touches. */
static void test_by_hand(void **state)
{
    const spot_choice_t choices[] = {choice(1, 1, 0.1), choice(1, 1, 0.1), choice(2, 1, 0.1),
        choice(3, 0.5, 0.1), choice(3, 4, 0.1), choice(1.25, 0.875, 0.125),
        choice((double) INFINITY, 9, 0)};
    const spot_choice_fate_t expected[] = {SPOT_CHOICE_FRONT, SPOT_CHOICE_FRONT,
        SPOT_CHOICE_SURELY_WORSE, SPOT_CHOICE_SURELY_WORSE, SPOT_CHOICE_FRONT,
        SPOT_CHOICE_DOMINATED, SPOT_CHOICE_LEFT_OUT};
    spot_choice_fate_t fates[7];

    (void) state;
    assert_int_equal(spot_pareto_find(choices, 7, fates), 0);
    for (size_t j = 0; j < 7; j++) {
        assert_int_equal(fates[j], expected[j]);
    }
    assert_int_equal(spot_pareto_find(choices, 0, fates), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
