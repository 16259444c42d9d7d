/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The probability of recovery from peers' memory against every set of lost instances,
 * the sum with alternating signs, and a closed form for pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/checkpoint_theory.h"

static double probability(int64_t num_instances, int64_t group_size, int64_t num_lost)
{
    double p = -1;

    assert_int_equal(spot_peer_recovery_probability(num_instances, group_size, num_lost, &p), 0);
    return p;
}

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void test_published_values(void **state)
{
    (void) state;
    assert_true(fabs(probability(16, 2, 2) - 0.933333) < 5e-7);
    assert_true(fabs(probability(16, 2, 3) - 0.8) < 1e-12);
    assert_true(fabs(probability(16, 2, 4) - 0.615385) < 5e-7);
}

static int count_bits(uint32_t bits)
{
    int count = 0;

    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* Whether each group keeps a survivor when the instances of a bit set are lost. */
static bool keeps_all(uint32_t lost, int64_t num_instances, int64_t group_size)
{
    uint32_t groups = 0;

    for (int64_t j = 0; j < num_instances; j++) {
        if (((lost >> j) & 1) == 0) {
            groups |= UINT32_C(1) << spot_peer_group_of(num_instances, group_size, j);
        }
    }
    return groups == (UINT32_C(1) << spot_peer_groups(num_instances, group_size)) - 1;
}

static void test_every_set(void **state)
{
    (void) state;
    for (int64_t n = 1; n <= 13; n++) {
        for (int64_t m = 1; m <= n + 1; m++) {
            uint32_t num_sets[14] = {0}, num_kept[14] = {0};

            for (uint32_t lost = 0; lost < UINT32_C(1) << n; lost++) {
                const int num_lost = count_bits(lost);

                num_sets[num_lost]++;
                num_kept[num_lost] += keeps_all(lost, n, m) ? 1U : 0U;
            }
            for (int64_t k = 0; k <= n; k++) {
                assert_close(
                    probability(n, m, k), (double) num_kept[k] / (double) num_sets[k], 1e-12);
            }
        }
    }
}

/* Groups hold their size, but for the last one, and are as many as fit. */
static void test_groups(void **state)
{
    (void) state;
    for (int64_t n = 1; n <= 40; n++) {
        for (int64_t m = 1; m <= 12; m++) {
            int64_t counts[40] = {0};
            const int64_t num_groups = spot_peer_groups(n, m);

            for (int64_t j = 0; j < n; j++) {
                counts[spot_peer_group_of(n, m, j)]++;
            }
            for (int64_t j = 0; j < num_groups - 1; j++) {
                assert_int_equal(counts[j], m);
            }
            assert_true(counts[num_groups - 1] < 2 * m);
            assert_true(counts[num_groups - 1] >= m || n < m);
        }
    }
}

static long double choose(int64_t n, int64_t k)
{
    long double product = 1;

    if (k < 0 || k > n) {
        return 0;
    }
    for (int64_t j = 1; j <= k; j++) {
        product = product * (long double) (n - k + j) / (long double) j;
    }
    return product;
}

/* Sum over j of (-1)^j C(g,j) C(N-jm,k-jm) / C(N,k), where it does not cancel. */
static void test_alternating_sum(void **state)
{
    (void) state;
    for (int64_t m = 2; m <= 4; m++) {
        for (int64_t g = 1; g <= 16; g++) {
            for (int64_t k = 0; k <= 8 && k <= m * g; k++) {
                long double sum = 0;

                for (int64_t j = 0; j <= g; j++) {
                    sum += (j % 2 == 0 ? 1 : -1) * choose(g, j) * choose(m * g - j * m, k - j * m);
                }
                assert_true(
                    fabs(probability(m * g, m, k) - (double) (sum / choose(m * g, k))) < 1e-12);
            }
        }
    }
}

/* Pairs: 2^k C(g,k) / C(2g,k), also where it is tiny. */
static void test_large_fleets(void **state)
{
    static const int64_t counts[] = {1, 2, 10, 50, 200, 400};

    (void) state;
    for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
        long double expected = 1;

        for (int64_t r = 0; r < counts[j]; r++) {
            expected *= (long double) (1000 - 2 * r) / (long double) (1000 - r);
        }
        assert_close(probability(1000, 2, counts[j]), (double) expected, 1e-9);
    }
    assert_true(probability(1000, 2, 501) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_every_set),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_alternating_sum),
        cmocka_unit_test(test_large_fleets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
