/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main effects against functions whose analysis of variance is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/effects.h"

enum { NUM_A = 4, NUM_B = 3, NUM_GRID = NUM_A * NUM_B, MAX_POINTS = 400, GROUPS = 16 };

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

typedef struct {
    size_t num_levels[2];
    size_t level_ids[MAX_POINTS * 2];
    double values[MAX_POINTS * GROUPS];
    spot_effects_data_t data;
} sample_t;

static void make_grid(sample_t *self, size_t num_groups)
{
    memset(self, 0, sizeof(*self));
    self->num_levels[0] = NUM_A;
    self->num_levels[1] = NUM_B;
    for (size_t j = 0; j < NUM_GRID; j++) {
        self->level_ids[2 * j] = j / NUM_B;
        self->level_ids[2 * j + 1] = j % NUM_B;
    }
    self->data = (spot_effects_data_t){.num_keys = 2,
        .num_points = NUM_GRID,
        .num_groups = num_groups,
        .num_levels = self->num_levels,
        .level_ids = self->level_ids,
        .values = self->values};
}

static void set(sample_t *self, size_t point_id, double value)
{
    for (size_t g = 0; g < self->data.num_groups; g++) {
        self->values[point_id * self->data.num_groups + g] = value;
    }
}

/* 10 a + 3 b: variances 100 * 15/12 and 9 * 8/12. */
static void set_additive(sample_t *self)
{
    for (size_t j = 0; j < self->data.num_points; j++) {
        set(self, j,
            10 * (double) self->level_ids[2 * j] + 3 * (double) self->level_ids[2 * j + 1]);
    }
}

static void test_additive(void **state)
{
    const double share = 125.0 / 131;

    (void) state;
    for (size_t num_groups = 1; num_groups <= GROUPS; num_groups += GROUPS - 1) {
        sample_t sample;
        spot_effects_t effects;

        make_grid(&sample, num_groups);
        set_additive(&sample);
        assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), 0);
        assert_int_equal(effects.kind, SPOT_EFFECTS_FULL);
        assert_near(effects.mean, 18, 1e-12);
        assert_near(effects.variance, 131, 1e-9);
        assert_near(effects.keys[0].share.value, share, 1e-12);
        assert_near(effects.keys[0].total.value, share, 1e-12);
        assert_near(effects.keys[1].share.value, 1 - share, 1e-12);
        assert_near(effects.keys[1].total.value, 1 - share, 1e-12);
        assert_near(effects.keys[0].range.value, 30, 1e-12);
        assert_near(effects.keys[1].range.value, 6, 1e-12);
        assert_int_equal(effects.keys[0].low_id, 0);
        assert_int_equal(effects.keys[0].high_id, 3);
        assert_near(effects.keys[1].means[1], 18, 1e-12);
        assert_true(num_groups > 1 ? effects.keys[0].range.ci_low > 29.99
                                   : isnan(effects.keys[0].range.ci_low));
        spot_effects_free(&effects);
    }
}

/* (a - 1.5) (b - 1): no key does anything alone, each is all with the other. */
static void test_interaction(void **state)
{
    sample_t sample;
    spot_effects_t effects;

    (void) state;
    make_grid(&sample, GROUPS);
    for (size_t j = 0; j < NUM_GRID; j++) {
        set(&sample, j,
            ((double) sample.level_ids[2 * j] - 1.5) * ((double) sample.level_ids[2 * j + 1] - 1));
    }
    assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), 0);
    for (size_t k = 0; k < 2; k++) {
        assert_near(effects.keys[k].share.value, 0, 1e-12);
        assert_near(effects.keys[k].total.value, 1, 1e-12);
        assert_near(effects.keys[k].range.value, 0, 1e-12);
    }
    spot_effects_free(&effects);
}

/* A point without a value: the grid is not full any more. */
static void test_hole(void **state)
{
    sample_t sample;
    spot_effects_t effects;

    (void) state;
    make_grid(&sample, GROUPS);
    set_additive(&sample);
    sample.values[5 * GROUPS + 3] = (double) NAN;
    assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), 0);
    assert_int_equal(effects.kind, SPOT_EFFECTS_PARTIAL);
    assert_int_equal(effects.num_used, NUM_GRID - 1);
    assert_true(isnan(effects.keys[0].total.value));
    assert_near(effects.keys[0].means[1], 11.5, 1e-12); /* b 0 and 1 */
    spot_effects_free(&effects);
}

static void test_outcomes(void **state)
{
    sample_t sample;
    spot_effects_t effects;

    (void) state;
    make_grid(&sample, GROUPS);
    assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), SPOT_ANALYSIS_CONSTANT);
    spot_effects_free(&effects);
    for (size_t j = NUM_B; j < NUM_GRID; j++) { /* one value of the first key is left */
        set(&sample, j, (double) NAN);
    }
    assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), SPOT_ANALYSIS_TOO_FEW);
    spot_effects_free(&effects);
    sample.data.num_groups = 2;
    assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), SPOT_ERR_BAD_PARAM);
    spot_effects_free(&effects);
}

/* Normal enough: twelve uniforms. */
static double noise(spot_rng_t *rng)
{
    double sum = -6;

    for (int j = 0; j < 12; j++) {
        sum += (double) spot_rng_below(rng, 1000000) / 1e6;
    }
    return sum;
}

/* Noise of a group that all points share, and as much of each point by itself. */
static void add_noise(sample_t *self, double size, uint64_t trial)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_RESAMPLE, trial);
    for (size_t g = 0; g < GROUPS; g++) {
        const double common = noise(&rng);

        for (size_t j = 0; j < self->data.num_points; j++) {
            self->values[j * GROUPS + g] += size * (common + noise(&rng));
        }
    }
}

/* Noise alone is told as such, but for a few trials. */
static void test_noise_only(void **state)
{
    int num_told = 0;

    (void) state;
    for (uint64_t trial = 0; trial < 300; trial++) {
        sample_t sample;
        spot_effects_t effects;

        make_grid(&sample, GROUPS);
        add_noise(&sample, 1, trial);
        num_told += spot_effects_init(&effects, &sample.data, 0.95) == SPOT_ANALYSIS_NOISE;
        spot_effects_free(&effects);
    }
    assert_in_range(num_told, 275, 300);
}

/* With noise of 64 in the variance of the group means, 4 in that of the means, shares
 * are right on average: with the noise left in they would be 0.94 * 128/138 of it. The
 * intervals hold as often as they say. */
static void test_noise_is_taken_out(void **state)
{
    const double share = 125.0 / 131;
    double sum_share = 0, sum_variance = 0;
    int num_held = 0, num_ranges_held = 0;

    (void) state;
    for (uint64_t trial = 0; trial < 400; trial++) {
        sample_t sample;
        spot_effects_t effects;

        make_grid(&sample, GROUPS);
        set_additive(&sample);
        add_noise(&sample, 8, trial);
        assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), 0);
        sum_share += effects.keys[0].share.value;
        sum_variance += effects.variance;
        num_held += effects.keys[0].share.ci_low <= share && share <= effects.keys[0].share.ci_high;
        num_ranges_held +=
            effects.keys[0].range.ci_low <= 30 && 30 <= effects.keys[0].range.ci_high;
        spot_effects_free(&effects);
    }
    assert_near(sum_share / 400, share, 0.005);
    assert_near(sum_variance / 400, 131, 2.0);
    assert_in_range(num_held, 360, 400);
    assert_in_range(num_ranges_held, 370, 400);
}

/* Points all over a square: 4 x + y has shares of 16/17 and 1/17, of which ten parts
 * each leave a hundredth within them. */
static void test_sampled(void **state)
{
    double sum_share = 0;
    int num_held = 0;

    (void) state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        sample_t sample;
        spot_effects_t effects;
        spot_rng_t rng;

        make_grid(&sample, GROUPS);
        spot_rng_seek(&rng, 11, 0, SPOT_STREAM_RESAMPLE, trial);
        sample.data.is_sampled = true;
        sample.data.num_points = MAX_POINTS;
        sample.num_levels[0] = sample.num_levels[1] = 10;
        for (size_t j = 0; j < MAX_POINTS; j++) {
            const double x = (double) spot_rng_below(&rng, 1000000) / 1e6;
            const double y = (double) spot_rng_below(&rng, 1000000) / 1e6;

            sample.level_ids[2 * j] = (size_t) (10 * x);
            sample.level_ids[2 * j + 1] = (size_t) (10 * y);
            set(&sample, j, 4 * x + y);
        }
        assert_int_equal(spot_effects_init(&effects, &sample.data, 0.95), 0);
        assert_int_equal(effects.kind, SPOT_EFFECTS_SAMPLED);
        assert_true(isnan(effects.keys[0].total.value));
        assert_true(effects.keys[0].range.ci_low > 3);
        sum_share += effects.keys[1].share.value;
        num_held += effects.keys[0].share.ci_low <= 0.99 * 16 / 17 &&
                    0.99 * 16 / 17 <= effects.keys[0].share.ci_high;
        spot_effects_free(&effects);
    }
    assert_near(sum_share / 100, 0.99 / 17, 0.008); /* uncorrected: 0.08 */
    assert_in_range(num_held, 85, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_additive),
        cmocka_unit_test(test_interaction),
        cmocka_unit_test(test_hole),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_noise_only),
        cmocka_unit_test(test_noise_is_taken_out),
        cmocka_unit_test(test_sampled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
