/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed form of repeated subtraction against the loop, bit for bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/schedule/vc.h"

static double loop_after(double work, double rate, int64_t num_seconds)
{
    for (int64_t j = 0; j < num_seconds; j++) {
        work -= rate;
    }
    return work;
}

static int64_t loop_seconds(double work, double rate)
{
    int64_t num_seconds = 0;

    for (; work > 0; work -= rate) {
        num_seconds++;
    }
    return num_seconds;
}

static void assert_same(double work, double rate, int64_t num_seconds)
{
    const double expected = loop_after(work, rate, num_seconds);
    const double got = spot_work_after(work, rate, num_seconds);

    if (memcmp(&expected, &got, sizeof(got)) != 0) {
        fail_msg("%.17g - %lld * %.17g: expected %.17g, got %.17g", work, (long long) num_seconds,
            rate, expected, got);
    }
}

static void assert_same_end(double work, double rate)
{
    const int64_t expected = loop_seconds(work, rate);
    const int64_t got = spot_work_seconds(work, rate);

    if (expected != got) {
        fail_msg("%.17g by %.17g: expected %lld s, got %lld s", work, rate, (long long) expected,
            (long long) got);
    }
    assert_same(work, rate, expected);
}

/* Rates of jobs that share GPUs, fractions that doubles hold exactly, and steps in the
 * middle between two doubles. */
static const double rates[] = {0.444, 0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.96, 0.97, 0.999, 1,
    1.0 / 3, 1.498, 1.25, 0.1, 0.001, 2, 0x1p-20, 0x1.8p-3, 0x1.0000000000001p-1,
    0x1.fffffffffffffp-1, 3.7};

#define NUM_RATES (sizeof(rates) / sizeof(rates[0]))

static void test_known_ends(void **state)
{
    (void) state;
    assert_int_equal(spot_work_seconds(600, 1), 600);
    assert_int_equal(spot_work_seconds(0, 0.8), 0);
    assert_int_equal(spot_work_seconds(-3, 0.8), 0);
    assert_int_equal(spot_work_seconds(0.5, 1), 1);
    assert_int_equal(spot_work_seconds(1001, 1000), 2);
    assert_true(spot_work_after(600, 1, 599) == 1);
    /* 1 - ten times 0.1 is above 0 in double, and 0 in exact arithmetic */
    assert_int_equal(spot_work_seconds(1, 0.1), 11);
    /* the published mini case: 700 s of work at 0.8 */
    assert_int_equal(spot_work_seconds(700, 0.8), loop_seconds(700, 0.8));
}

static void test_each_second(void **state)
{
    static const double works[] = {1, 7, 64, 500, 1000, 1023.5, 4096, 0x1.fp10, 3000.7};

    (void) state;
    for (size_t j = 0; j < NUM_RATES; j++) {
        for (size_t k = 0; k < sizeof(works) / sizeof(works[0]); k++) {
            double expected = works[k];

            for (int64_t s = 0; s <= 3000; s++) {
                const double got = spot_work_after(works[k], rates[j], s);

                assert_memory_equal(&expected, &got, sizeof(got));
                expected -= rates[j];
            }
            assert_same_end(works[k], rates[j] < 0.001 ? 0.01 : rates[j]);
        }
    }
}

static void test_random(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 5000; j++) {
        const double thousandths = 1 + floor(1999 * spot_rng_uniform(&rng));
        const double by_kind[] = {thousandths / 1000, spot_rng_uniform(&rng) + 1e-3,
            rates[spot_rng_bits(&rng) % NUM_RATES], ldexp(1 + j % 255, -(j % 11))};
        const double rate = by_kind[spot_rng_bits(&rng) % 4];
        const double longest = j % 100 == 0 ? 1e6 : 3000;
        const double seconds = floor(longest * spot_rng_uniform(&rng)) + 1;
        /* whole seconds of work, or what earlier subtractions have left */
        const double work =
            j % 2 == 0 ? floor(seconds * rate) + 1 : loop_after(seconds * rate + 1, 0.7, 1) + 0.8;

        assert_same(work, rate, (int64_t) (seconds * spot_rng_uniform(&rng)));
        assert_same_end(work, rate);
    }
}

/* Two pieces give the bits of one. */
static void test_pieces(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 5000; j++) {
        const double rate = (444 + floor(1054 * spot_rng_uniform(&rng))) / 1000;
        const double work = floor(1e6 * spot_rng_uniform(&rng)) + 1;
        const int64_t all = (int64_t) (work / rate * spot_rng_uniform(&rng));
        const int64_t first = (int64_t) ((double) all * spot_rng_uniform(&rng));
        const double once = spot_work_after(work, rate, all);
        const double twice = spot_work_after(spot_work_after(work, rate, first), rate, all - first);

        assert_memory_equal(&once, &twice, sizeof(once));
        assert_true(all + spot_work_seconds(once, rate) == spot_work_seconds(work, rate));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_ends),
        cmocka_unit_test(test_each_second),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
