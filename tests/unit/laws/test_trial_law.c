/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials until a success: the cells change no result of the formula, and the law is the
 * geometric one. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "traces/laws/law.h"

#define NUM_NUMBERS (UINT64_C(1) << 53)

/* Per minute of twelve trials: the seed study's, many, few, nearly always, next to
 * never.
 */
static const double ps[] = {
    0.16338, 0.14366, 0.5, 0.05, 0.001, 0.9, 0.999999, 1e-9, 1e-17, 0.33, 0.07};

#define NUM_PS (sizeof(ps) / sizeof(ps[0]))

/* The formula itself. */
static int64_t expected_trials(double num_trials, double p, uint64_t number)
{
    const double num_failures = log(1 - (double) number * 0x1p-53) * (num_trials / log1p(-p));

    return num_failures < 0x1p52 ? 1 + (int64_t) num_failures : SPOT_TRIALS_NEVER;
}

static void check(const spot_trial_law_t *law, double p, uint64_t number)
{
    const int64_t trials = spot_trial_law_invert(law, number);
    const int64_t expected = expected_trials(12, p, number);

    if (trials != expected) {
        fail_msg("p %g, number %llu: %lld trials, expected %lld", p, (unsigned long long) number,
            (long long) trials, (long long) expected);
    }
}

static void test_cells_change_nothing(void **state)
{
    spot_rng_t rng;

    (void) state;
    for (size_t j = 0; j < NUM_PS; j++) {
        spot_trial_law_t law;

        spot_trial_law_init(&law, 12, ps[j]);
        spot_rng_seek(&rng, 1, j, SPOT_STREAM_GAP, 0);
        for (int k = 0; k < 200000; k++) {
            check(&law, ps[j], spot_rng_bits(&rng) >> 11);
        }
    }
}

/* Where one more failure begins, and where a cell does. */
static void test_edges(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_PS; j++) {
        spot_trial_law_t law;
        size_t num_limits = 0;

        spot_trial_law_init(&law, 12, ps[j]);
        for (uint64_t cell = 0; cell < SPOT_TRIAL_CELLS; cell++) {
            const uint64_t start = cell * (NUM_NUMBERS / SPOT_TRIAL_CELLS);

            check(&law, ps[j], start);
            check(&law, ps[j], start + 1);
            check(&law, ps[j], start + NUM_NUMBERS / SPOT_TRIAL_CELLS - 1);
            num_limits += law.cells[cell].limit != UINT32_MAX;
        }
        for (int64_t failures = 1; failures < 4000; failures++) {
            const double u = -expm1((double) failures * log1p(-ps[j]) / 12);
            const uint64_t number = (uint64_t) (u * 0x1p53);

            for (uint64_t k = 0; k < 9 && number >= 4 && number < NUM_NUMBERS - 5; k++) {
                check(&law, ps[j], number - 4 + k);
                check(&law, ps[j], (number - 4 + k) ^ (UINT64_C(1) << 12));
            }
        }
        if (ps[j] >= 0.05 && ps[j] <= 0.5) {
            assert_true(num_limits > 50); /* the cells are in use */
        }
    }
}

static void test_never_and_always(void **state)
{
    spot_trial_law_t law;

    (void) state;
    spot_trial_law_init(&law, 12, 0);
    assert_int_equal(spot_trial_law_invert(&law, 0), SPOT_TRIALS_NEVER);
    assert_int_equal(spot_trial_law_invert(&law, NUM_NUMBERS - 1), SPOT_TRIALS_NEVER);
    spot_trial_law_init(&law, 12, 1);
    assert_int_equal(spot_trial_law_invert(&law, 0), 1);
    assert_int_equal(spot_trial_law_invert(&law, NUM_NUMBERS / 2), 1);
    assert_int_equal(spot_trial_law_invert(&law, NUM_NUMBERS - 1), 1);
}

/* Chi-square over 1 ... 200 trials and more, a false alarm in a million. */
static void test_law_is_geometric(void **state)
{
    enum { NUM_CLASSES = 200, NUM_DRAWS = 1000000 };
    const double q = pow(1 - 0.16338, 1. / 12);
    double counts[NUM_CLASSES + 1] = {0}, chi2 = 0;
    spot_trial_law_t law;
    spot_rng_t rng;

    (void) state;
    spot_trial_law_init(&law, 12, 0.16338);
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_GAP, 1);
    for (int j = 0; j < NUM_DRAWS; j++) {
        const int64_t trials = spot_trial_law_invert(&law, spot_rng_bits(&rng) >> 11);

        counts[trials <= NUM_CLASSES ? trials - 1 : NUM_CLASSES]++;
    }
    for (int k = 0; k <= NUM_CLASSES; k++) {
        const double expected = NUM_DRAWS * pow(q, k) * (k < NUM_CLASSES ? 1 - q : 1);

        chi2 += (counts[k] - expected) * (counts[k] - expected) / expected;
    }
    assert_true(gsl_cdf_chisq_Q(chi2, NUM_CLASSES) > 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_change_nothing),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_never_and_always),
        cmocka_unit_test(test_law_is_geometric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
