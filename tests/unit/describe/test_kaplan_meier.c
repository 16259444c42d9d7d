/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>
#include <math.h>

#include "tests/unit/describe/near.h"
#include "traces/describe/sample.h"

/* Deaths at 2, 2, 5; censored at 2 (still at risk then), 4 and 6. */
static void test_by_hand(void **state)
{
    const double values[] = {5, 2, 4, 2, 6, 2};
    const bool is_censored[] = {false, false, true, true, true, false};
    spot_kaplan_meier_t survival;

    (void) state;
    assert_int_equal(spot_kaplan_meier_init(&survival, values, is_censored, 6), 0);
    assert_int_equal(survival.num_steps, 2);
    assert_int_equal(survival.num_deaths, 3);
    assert_true(survival.steps[0].time == 2 && survival.steps[1].time == 5);
    assert_int_equal(survival.steps[0].num_at_risk, 6);
    assert_int_equal(survival.steps[0].num_deaths, 2);
    assert_int_equal(survival.steps[1].num_at_risk, 2);
    assert_near(survival.steps[0].survival, 4.0 / 6);
    assert_near(survival.steps[1].survival, 4.0 / 6 / 2);
    assert_near(spot_kaplan_meier_survival(&survival, 1.9), 1);
    assert_near(spot_kaplan_meier_survival(&survival, 2), 4.0 / 6);
    assert_near(spot_kaplan_meier_survival(&survival, 4.9), 4.0 / 6);
    assert_near(spot_kaplan_meier_survival(&survival, 99), 2.0 / 6);
    assert_true(spot_kaplan_meier_median(&survival) == 5);
    assert_near(spot_kaplan_meier_restricted_mean(&survival), 2 + 3 * 4.0 / 6 + 2.0 / 6);
    spot_kaplan_meier_free(&survival);
}

static void test_none_and_no_death(void **state)
{
    const double values[] = {3, 1};
    const bool is_censored[] = {true, true};
    spot_kaplan_meier_t survival;

    (void) state;
    assert_int_equal(spot_kaplan_meier_init(&survival, values, is_censored, 0), 0);
    assert_true(isnan(spot_kaplan_meier_median(&survival)));
    assert_true(isnan(spot_kaplan_meier_restricted_mean(&survival)));
    spot_kaplan_meier_free(&survival);
    assert_int_equal(spot_kaplan_meier_init(&survival, values, is_censored, 2), 0);
    assert_true(!!isinf(spot_kaplan_meier_median(&survival)));
    assert_near(spot_kaplan_meier_restricted_mean(&survival), 3);
    assert_near(spot_kaplan_meier_survival(&survival, 2), 1);
    spot_kaplan_meier_free(&survival);
}

/* (3/4) (2/3) is 1/2, whatever the doubles say: of 4 m one quarter dies, then all but
 * 3 k are censored, of these a third dies. */
static void test_exactly_half(void **state)
{
    double values[80];
    bool is_censored[80];

    (void) state;
    for (size_t m = 1; m <= 20; m++) {
        for (size_t k = 1; k <= m; k++) {
            spot_kaplan_meier_t survival;

            for (size_t j = 0; j < 4 * m; j++) {
                const size_t num_left = 4 * m - j;

                is_censored[j] = j >= m && (num_left > 3 * k || num_left <= 2 * k);
                values[j] = j < m ? 1 : num_left > 3 * k ? 2 : num_left > 2 * k ? 3 : 4;
            }
            assert_int_equal(spot_kaplan_meier_init(&survival, values, is_censored, 4 * m), 0);
            assert_true(spot_kaplan_meier_median(&survival) == 3);
            spot_kaplan_meier_free(&survival);
        }
    }
}

/* The product over the times of deaths, each factor counted anew. */
static double survival_at(const double *values, const bool *is_censored, size_t num, double time)
{
    double survival = 1;

    for (int t = 0; t <= (int) time; t++) {
        double num_at_risk = 0, num_deaths = 0;

        for (size_t j = 0; j < num; j++) {
            num_at_risk += values[j] >= t ? 1 : 0;
            num_deaths += values[j] == t && !is_censored[j] ? 1 : 0;
        }
        if (num_deaths > 0) {
            survival *= 1 - num_deaths / num_at_risk;
        }
    }
    return survival;
}

static void test_by_definition(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

    (void) state;
    assert_non_null(rng);
    gsl_rng_set(rng, 3);
    for (int round = 0; round < 300; round++) {
        const size_t num = 1 + gsl_rng_uniform_int(rng, 20);
        double values[20], max = 0, area = 0;
        bool is_censored[20];
        spot_kaplan_meier_t survival;

        for (size_t j = 0; j < num; j++) {
            values[j] = (double) gsl_rng_uniform_int(rng, 15);
            is_censored[j] = gsl_rng_uniform_int(rng, 3) == 0;
            max = fmax(max, values[j]);
        }
        assert_int_equal(spot_kaplan_meier_init(&survival, values, is_censored, num), 0);
        for (int t = 0; t < 15; t++) {
            assert_near(
                spot_kaplan_meier_survival(&survival, t), survival_at(values, is_censored, num, t));
            area += t < max ? survival_at(values, is_censored, num, t) : 0;
        }
        assert_near(spot_kaplan_meier_restricted_mean(&survival), area);
        assert_true(survival.max == max);
        spot_kaplan_meier_free(&survival);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_none_and_no_death),
        cmocka_unit_test(test_exactly_half),
        cmocka_unit_test(test_by_definition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
