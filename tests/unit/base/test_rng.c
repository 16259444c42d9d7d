/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "tests/unit/base/support.h"

/* ---- Rng ---- */

#define NUM_DRAWS 100000

/* From the file kat_vectors of Random123. */
static void test_philox_gives_the_published_numbers(void **state)
{
    static const struct {
        uint64_t counter[4], key[2], expected[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0},
            {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX},
            {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
            {0x452821e638d01377, 0xbe5466cf34e90c6c},
            {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(vectors) / sizeof(vectors[0]); j++) {
        spot_rng_t rng;

        spot_rng_seek(&rng, 1, 2, SPOT_STREAM_GAP, 3);
        memcpy(rng.state.counter, vectors[j].counter, sizeof(rng.state.counter));
        memcpy(rng.state.key, vectors[j].key, sizeof(rng.state.key));
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(spot_rng_bits(&rng), vectors[j].expected[k]);
        }
    }
}

static void test_streams_give_the_numbers_they_always_gave(void **state)
{
    static const double expected[] = {0.5160372585520521, 0.9437827618372018, 0.9874241179837289,
        0.6272716685170187, 0.2026874322735992};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 42, 7, SPOT_STREAM_GAP, 3);
    for (size_t j = 0; j < 5; j++) {
        assert_true(spot_rng_uniform(&rng) == expected[j]);
    }
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_TYPE, 0);
    assert_true(spot_rng_uniform(&rng) == 0.7342410549001281);
    assert_true(spot_rng_uniform(&rng) == 0.49876138996507935);
}

static void test_purposes_keep_their_numbers(void **state)
{
    (void) state;
    assert_int_equal(SPOT_STREAM_TYPE, 1);
    assert_int_equal(SPOT_STREAM_GAP, 2);
    assert_int_equal(SPOT_STREAM_COUNT, 3);
    assert_int_equal(SPOT_STREAM_VICTIM, 4);
    assert_int_equal(SPOT_STREAM_LIFETIME, 5);
    assert_int_equal(SPOT_STREAM_RESTART, 6);
    assert_int_equal(SPOT_STREAM_BOOTSTRAP, 7);
    assert_int_equal(SPOT_STREAM_REFILL, 8);
}

static void test_seeking_again_starts_again(void **state)
{
    spot_rng_t rng, other;

    (void) state;
    spot_rng_seek(&rng, 42, 7, SPOT_STREAM_GAP, 3);
    spot_rng_seek(&other, 42, 7, SPOT_STREAM_GAP, 3);
    for (size_t j = 0; j < 11; j++) {
        (void) spot_rng_bits(&rng);
    }
    spot_rng_seek(&rng, 42, 7, SPOT_STREAM_GAP, 3);
    for (size_t j = 0; j < 11; j++) {
        assert_int_equal(spot_rng_bits(&rng), spot_rng_bits(&other));
    }
}

/* A stream that was left at any number goes on behind it, however far. */
static void test_skipping_goes_on_behind(void **state)
{
    enum { NUM_NUMBERS = 40 };
    uint64_t bits[2 * NUM_NUMBERS];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 42, 7, SPOT_STREAM_LIFETIME, 3);
    for (uint64_t j = 0; j < 2 * NUM_NUMBERS; j++) {
        assert_int_equal(spot_rng_position(&rng), j);
        bits[j] = spot_rng_bits(&rng);
    }
    for (uint64_t j = 0; j < NUM_NUMBERS; j++) {
        spot_rng_seek(&rng, 42, 7, SPOT_STREAM_LIFETIME, 3);
        spot_rng_skip_to(&rng, j);
        for (uint64_t k = j; k < j + NUM_NUMBERS; k++) {
            assert_int_equal(spot_rng_position(&rng), k);
            assert_int_equal(spot_rng_bits(&rng), bits[k]);
        }
    }
}

/* From each place in a block, so many as end at each. */
static void test_filling_gives_the_same_numbers(void **state)
{
    enum { MOST = 40 };
    uint64_t bits[2 * MOST], numbers[MOST];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 7, 1, SPOT_STREAM_GAP, 3);
    for (int j = 0; j < 2 * MOST; j++) {
        bits[j] = spot_rng_bits(&rng);
    }
    for (size_t first = 0; first < 20; first++) {
        for (size_t count = 0; count < MOST; count++) {
            spot_rng_seek(&rng, 7, 1, SPOT_STREAM_GAP, 3);
            for (size_t j = 0; j < first; j++) {
                (void) spot_rng_bits(&rng);
            }
            spot_rng_fill(&rng, numbers, count);
            assert_memory_equal(numbers, &bits[first], count * sizeof(*numbers));
            assert_int_equal(spot_rng_position(&rng), first + count);
            assert_int_equal(spot_rng_bits(&rng), bits[first + count]);
        }
    }
}

/* Every part of the name counts with all its 64 bits. */
static void test_streams_with_other_names_are_other_streams(void **state)
{
    static const struct {
        uint64_t seed, replication, purpose, entity;
    } names[] = {
        {42, 7, 2, 3},
        {43, 7, 2, 3},
        {42, 8, 2, 3},
        {42, 7, 3, 3},
        {42, 7, 2, 4},
        {42 + (UINT64_C(1) << 32), 7, 2, 3},
        {42, 7 + (UINT64_C(1) << 32), 2, 3},
        {42, 7, 2, 3 + (UINT64_C(1) << 32)},
        {7, 42, 2, 3},
        {42, 7, 3, 2},
        {0, 0, 1, 0},
    };
    const size_t num_streams = sizeof(names) / sizeof(names[0]);
    uint64_t bits[sizeof(names) / sizeof(names[0])][5];

    (void) state;
    for (size_t j = 0; j < num_streams; j++) {
        spot_rng_t rng;

        spot_rng_seek(&rng, names[j].seed, names[j].replication, (spot_stream_t) names[j].purpose,
            names[j].entity);
        for (size_t k = 0; k < 5; k++) {
            bits[j][k] = spot_rng_bits(&rng);
        }
    }
    for (size_t j = 0; j < num_streams * 5; j++) {
        for (size_t k = 0; k < j; k++) {
            assert_true(bits[j / 5][j % 5] != bits[k / 5][k % 5]);
        }
    }
}

static void test_uniform_is_in_the_half_open_unit_interval(void **state)
{
    const double se = 1 / sqrt(12.0 * NUM_DRAWS);
    spot_moments_t moments = {0};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_GAP, 1);
    for (int j = 0; j < NUM_DRAWS; j++) {
        const double value = spot_rng_uniform(&rng);

        assert_true(value >= 0 && value < 1);
        spot_moments_add(&moments, value);
    }
    assert_true(fabs(spot_moments_mean(&moments) - 0.5) <= 4.5 * se);
    assert_true(se <= 0.01 * 0.5);
}

/* The largest and the smallest double, by putting the bits into the stream. */
static void test_uniform_at_the_ends_of_the_bits(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_GAP, 1);
    (void) spot_rng_bits(&rng);
    rng.state.numbers[1] = UINT64_MAX;
    rng.state.numbers[2] = 2047;
    rng.state.numbers[3] = 2048;
    assert_true(spot_rng_uniform(&rng) == 1 - 0x1p-53);
    assert_true(spot_rng_uniform(&rng) == 0);
    assert_true(gsl_rng_uniform(spot_rng_gsl(&rng)) == 0x1p-53);
}

static void test_gsl_sees_the_same_stream(void **state)
{
    spot_rng_t rng, same;
    gsl_rng *gsl;

    (void) state;
    spot_rng_seek(&rng, 42, 7, SPOT_STREAM_GAP, 3);
    spot_rng_seek(&same, 42, 7, SPOT_STREAM_GAP, 3);
    gsl = spot_rng_gsl(&rng);
    assert_string_equal(gsl_rng_name(gsl), "spot_philox4x64");
    assert_true(gsl_rng_max(gsl) == UINT64_MAX);
    assert_int_equal(gsl_rng_min(gsl), 0);
    for (size_t j = 0; j < 9; j++) {
        assert_int_equal(gsl_rng_get(gsl), spot_rng_bits(&same));
        assert_true(gsl_rng_uniform(gsl) == spot_rng_uniform(&same));
    }
    assert_true(gsl_rng_uniform_int(gsl, 6) < 6);
}

static void test_gsl_alloc_and_clone_work(void **state)
{
    const uint64_t seed = UINT64_C(0x123456789abcdef0);
    gsl_rng *rng = gsl_rng_alloc(&spot_rng_philox4x64);
    gsl_rng *clone;
    spot_rng_t same;

    (void) state;
    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    spot_rng_seek(&same, seed, 0, (spot_stream_t) 0, 0);
    for (size_t j = 0; j < 6; j++) {
        assert_int_equal(gsl_rng_get(rng), spot_rng_bits(&same));
    }
    clone = gsl_rng_clone(rng);
    assert_non_null(clone);
    for (size_t j = 0; j < 6; j++) {
        const uint64_t bits = gsl_rng_get(rng);

        assert_int_equal(gsl_rng_get(clone), bits);
        assert_int_equal(spot_rng_bits(&same), bits);
    }
    gsl_rng_set(rng, 0);
    gsl_rng_set(clone, 1);
    assert_true(gsl_rng_get(rng) != gsl_rng_get(clone));
    gsl_rng_free(clone);
    gsl_rng_free(rng);
}

static double draw_gaussian(gsl_rng *rng)
{
    return 10 + gsl_ran_gaussian_ziggurat(rng, 2);
}

static double draw_exponential(gsl_rng *rng)
{
    return gsl_ran_exponential(rng, 3);
}

static double draw_poisson(gsl_rng *rng)
{
    return gsl_ran_poisson(rng, 4);
}

/* Mean and variance against the law's. variance_sd: the standard deviation of
 * (x - mean)^2, so that the error of the sample variance is variance_sd / sqrt(n). */
static void test_gsl_distributions_have_their_moments(void **state)
{
    static const struct {
        double (*draw)(gsl_rng *rng);
        double mean, variance, variance_sd;
    } laws[] = {
        {draw_gaussian, 10, 4, 4 * 1.4142135623730951},
        {draw_exponential, 3, 9, 9 * 2.8284271247461903},
        {draw_poisson, 4, 4, 6},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(laws) / sizeof(laws[0]); j++) {
        const double mean_se = sqrt(laws[j].variance / NUM_DRAWS);
        const double variance_se = laws[j].variance_sd / sqrt(NUM_DRAWS);
        spot_moments_t moments = {0};
        double variance;
        spot_rng_t rng;

        spot_rng_seek(&rng, 2024, 0, SPOT_STREAM_GAP, j);
        for (int k = 0; k < NUM_DRAWS; k++) {
            spot_moments_add(&moments, laws[j].draw(spot_rng_gsl(&rng)));
        }
        variance = spot_moments_std(&moments) * spot_moments_std(&moments);
        assert_true(fabs(spot_moments_mean(&moments) - laws[j].mean) <= 4.5 * mean_se);
        assert_true(fabs(variance - laws[j].variance) <= 4.5 * variance_se);
        assert_true(mean_se <= 0.01 * laws[j].mean);
        assert_true(variance_se <= 0.01 * laws[j].variance);
    }
}

/* The draws of gsl, but for the rounding of the logarithm. */
static void test_exponential_is_that_of_gsl(void **state)
{
    spot_rng_t rng, other;

    (void) state;
    spot_rng_seek(&rng, 2024, 1, SPOT_STREAM_GAP, 0);
    spot_rng_seek(&other, 2024, 1, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_DRAWS; j++) {
        const double expected = gsl_ran_exponential(spot_rng_gsl(&other), 3);

        assert_true(fabs(spot_rng_exponential(&rng, 3) - expected) <= 1e-15 * (expected + 3));
    }
    assert_int_equal(spot_rng_position(&rng), NUM_DRAWS);
    rng.state.numbers[0] = UINT64_MAX;
    rng.state.numbers[1] = 0;
    rng.state.num_used = 0;
    assert_true(fabs(spot_rng_exponential(&rng, 1) - 53 * log(2)) <= 1e-14);
    assert_true(spot_rng_exponential(&rng, 1) == 0);
}

/* Chi-square of counts that should all be the same. */
static double chi_square(const int64_t *counts, size_t num_cells, double num_values)
{
    const double expected = num_values / (double) num_cells;
    double sum = 0;

    for (size_t j = 0; j < num_cells; j++) {
        sum += ((double) counts[j] - expected) * ((double) counts[j] - expected);
    }
    return sum / expected;
}

/* A right generator fails one seed in 1e5. */
static void assert_even(const int64_t *counts, size_t num_cells)
{
    assert_true(chi_square(counts, num_cells, NUM_DRAWS) <=
                gsl_cdf_chisq_Qinv(1e-5, (double) (num_cells - 1)));
}

static void test_below_is_uniform(void **state)
{
    static const size_t limits[] = {2, 3, 7, 10, 64, 100};

    (void) state;
    for (size_t j = 0; j < sizeof(limits) / sizeof(limits[0]); j++) {
        int64_t counts[100] = {0};
        spot_rng_t rng;

        spot_rng_seek(&rng, 5, 0, SPOT_STREAM_VICTIM, limits[j]);
        for (int k = 0; k < NUM_DRAWS; k++) {
            const uint64_t value = spot_rng_below(&rng, limits[j]);

            assert_true(value < limits[j]);
            counts[value]++;
        }
        assert_even(counts, limits[j]);
    }
}

static void test_below_one_is_zero(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_VICTIM, 0);
    for (int j = 0; j < 100; j++) {
        assert_int_equal(spot_rng_below(&rng, 1), 0);
    }
}

/* With a limit of 3 * 2^62 the remainder of a draw would be small twice as often, and a
 * scaled draw without rejection would be a multiple of three twice as often. */
static void test_below_is_unbiased_for_large_limits(void **state)
{
    const uint64_t limit = UINT64_C(3) << 62;
    int64_t thirds[3] = {0}, remainders[3] = {0};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 5, 1, SPOT_STREAM_VICTIM, 0);
    for (int j = 0; j < NUM_DRAWS; j++) {
        const uint64_t value = spot_rng_below(&rng, limit);

        assert_true(value < limit);
        thirds[value >> 62]++;
        remainders[value % 3]++;
    }
    assert_even(thirds, 3);
    assert_even(remainders, 3);
}

/* Just above 2^63 nearly half of the bits are drawn in vain, just below none. */
static void test_below_near_half_the_range(void **state)
{
    static const uint64_t limits[] = {
        (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1};
    static const double draws_each[] = {1, 1, 2};

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        int64_t halves[2] = {0}, parities[2] = {0};
        double num_draws;
        spot_rng_t rng;

        spot_rng_seek(&rng, 5, 2, SPOT_STREAM_VICTIM, j);
        for (int k = 0; k < NUM_DRAWS; k++) {
            const uint64_t value = spot_rng_below(&rng, limits[j]);

            assert_true(value < limits[j]);
            halves[value >> 62 & 1]++;
            parities[value & 1]++;
        }
        num_draws = (double) spot_rng_position(&rng);
        assert_even(halves, 2);
        assert_even(parities, 2);
        assert_true(fabs(num_draws / NUM_DRAWS - draws_each[j]) <= 0.03);
    }
}

/* ---- Parts ---- */

/* Parts come as often as their weights say; parts of weight 0 never. */
static void test_draws(void **state)
{
    static const double weights[] = {0, 3, 0, 1, 4, 0};
    enum { NUM_PARTS = sizeof(weights) / sizeof(weights[0]), NUM_PART_DRAWS = 40000 };
    int counts[NUM_PARTS] = {0};
    spot_parts_t parts = {0};
    spot_rng_t rng;

    (void) state;
    assert_true(spot_parts_sum(&parts) == 0);
    for (size_t j = 0; j < NUM_PARTS; j++) {
        assert_int_equal(spot_parts_add(&parts, weights[j]), 0);
    }
    assert_true(spot_parts_sum(&parts) == 8);
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_JOB_SIZE, 0);
    for (int j = 0; j < NUM_PART_DRAWS; j++) {
        counts[spot_parts_draw(&parts, &rng)]++;
    }
    for (size_t j = 0; j < NUM_PARTS; j++) {
        const double p = weights[j] / 8;
        const double std = sqrt(NUM_PART_DRAWS * p * (1 - p));

        assert_true(fabs(counts[j] - NUM_PART_DRAWS * p) <= 4.5 * std);
    }
    free(parts.until);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_gives_the_published_numbers),
        cmocka_unit_test(test_streams_give_the_numbers_they_always_gave),
        cmocka_unit_test(test_purposes_keep_their_numbers),
        cmocka_unit_test(test_seeking_again_starts_again),
        cmocka_unit_test(test_skipping_goes_on_behind),
        cmocka_unit_test(test_filling_gives_the_same_numbers),
        cmocka_unit_test(test_streams_with_other_names_are_other_streams),
        cmocka_unit_test(test_uniform_is_in_the_half_open_unit_interval),
        cmocka_unit_test(test_uniform_at_the_ends_of_the_bits),
        cmocka_unit_test(test_gsl_sees_the_same_stream),
        cmocka_unit_test(test_gsl_alloc_and_clone_work),
        cmocka_unit_test(test_gsl_distributions_have_their_moments),
        cmocka_unit_test(test_exponential_is_that_of_gsl),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_below_one_is_zero),
        cmocka_unit_test(test_below_is_unbiased_for_large_limits),
        cmocka_unit_test(test_below_near_half_the_range),
        cmocka_unit_test(test_draws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
