/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitting samples of a law returns the law, and the standard errors agree with the
 * spread of the estimates: 64 replications of each family, continuous, on ticks,
 * censored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>

#include "base/rng.h"
#include "tests/statistical/statistics.h"
#include "traces/fit/fit_law.h"

enum { NUM_REPLICATIONS = 64, NUM_VALUES = 800, MAX_PARAMETERS = 3 };

#define TICK_S 60.0
#define MEAN_CENSORED_S 1500.0 /* mean of the exponential times of censoring */

typedef enum { CONTINUOUS, LATTICE, CENSORED, NUM_WAYS } way_t;
static const char *const ways[] = {"continuous", "lattice", "censored"};

static const spot_law_t truths[] = {
    {&spot_family_exponential, {500}},
    {&spot_family_weibull, {600, 0.7}},
    {&spot_family_gamma, {0.6, 900}},
    {&spot_family_lognormal, {6, 1}},
    {&spot_family_loglogistic, {400, 1.6}},
    {&spot_family_hyperexp2, {0.6, 150, 1500}},
    {&spot_family_bathtub, {0.5, 600, 250, 3000}},
};
enum { NUM_FAMILIES = sizeof(truths) / sizeof(truths[0]) };

/* One entity of the stream for each sample. */
static void make_sample(
    const spot_law_t *law, way_t way, uint64_t replication, double *values, bool *is_censored)
{
    spot_rng_t rng, censoring;

    spot_rng_seek(&rng, 20, replication, SPOT_STREAM_LIFETIME, (uint64_t) way);
    spot_rng_seek(&censoring, 20, replication, SPOT_STREAM_REFILL, (uint64_t) way);
    for (int j = 0; j < NUM_VALUES; j++) {
        const double value_s = law->family->draw(law->parameters, &rng);
        const double seen_s = gsl_ran_exponential(spot_rng_gsl(&censoring), MEAN_CENSORED_S);

        is_censored[j] = way == CENSORED && seen_s < value_s;
        values[j] = is_censored[j]   ? seen_s
                    : way == LATTICE ? fmax(1, ceil(value_s / TICK_S)) * TICK_S
                                     : value_s;
    }
}

static void check(const spot_law_t *truth, way_t way, spot_maximiser_t *maximiser)
{
    static double values[NUM_VALUES];
    static bool is_censored[NUM_VALUES];
    const int k = truth->family->num_parameters;
    spot_moments_t estimates[MAX_PARAMETERS] = {{0}}, errors[MAX_PARAMETERS] = {{0}};

    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        spot_fit_durations_t durations;
        spot_fit_t fit;

        make_sample(truth, way, r, values, is_censored);
        assert_int_equal(spot_fit_durations_init(&durations, values, is_censored, NUM_VALUES,
                             way == LATTICE ? TICK_S : 0, TICK_S),
            0);
        spot_fit_law(maximiser, &durations, truth->family, 3000, &fit);
        assert_true(fit.is_fitted && fit.converged && fit.flags == 0);
        for (int j = 0; j < k; j++) {
            /* The truth is within the stated errors. */
            assert_z(truth->family->fields[j].name,
                (fit.law.parameters[j] - truth->parameters[j]) / fit.standard_errors[j]);
            spot_moments_add(&estimates[j], fit.law.parameters[j]);
            spot_moments_add(&errors[j], fit.standard_errors[j]);
        }
        spot_fit_durations_free(&durations);
    }
    for (int j = 0; j < k; j++) {
        const double std = spot_moments_std(&estimates[j]);
        const double error = spot_moments_mean(&errors[j]);
        char what[128];

        snprintf(what, sizeof(what), "%s %s %s", truth->family->name, ways[way],
            truth->family->fields[j].name);
        /* The bias of the estimate itself is of order error^2/value; power: one and
         * a half errors of one sample. */
        assert_mean(what, &estimates[j], truth->parameters[j], 1.5 * error);
        /* The std of 64 values is known to 1/sqrt(2 * 63) = 8.9 %. */
        print_message("    std/error %.3f\n", std / error);
        assert_z(what, log(std / error) * sqrt(2.0 * (NUM_REPLICATIONS - 1)));
    }
}

static void check_way(way_t way)
{
    spot_maximiser_t maximiser;

    assert_int_equal(spot_maximiser_init(&maximiser), 0);
    for (int j = 0; j < NUM_FAMILIES; j++) {
        check(&truths[j], way, &maximiser);
    }
    spot_maximiser_free(&maximiser);
}

static void test_continuous(void **state)
{
    (void) state;
    check_way(CONTINUOUS);
}

static void test_lattice(void **state)
{
    (void) state;
    check_way(LATTICE);
}

static void test_censored(void **state)
{
    (void) state;
    check_way(CENSORED);
}

/* The wrong likelihood would show: continuous on data of ticks is off by half a tick. */
static void test_power_against_ticks(void **state)
{
    static double values[NUM_VALUES];
    static bool is_censored[NUM_VALUES];
    const spot_law_t truth = {&spot_family_exponential, {100}};
    spot_moments_t right = {0}, wrong = {0};
    spot_maximiser_t maximiser;

    (void) state;
    assert_int_equal(spot_maximiser_init(&maximiser), 0);
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        make_sample(&truth, LATTICE, r, values, is_censored);
        for (int is_lattice = 0; is_lattice < 2; is_lattice++) {
            spot_fit_durations_t durations;
            spot_fit_t fit;

            assert_int_equal(spot_fit_durations_init(&durations, values, NULL, NUM_VALUES,
                                 is_lattice ? TICK_S : 0, TICK_S),
                0);
            spot_fit_law(&maximiser, &durations, truth.family, (double) NAN, &fit);
            spot_moments_add(is_lattice ? &right : &wrong, fit.law.parameters[0]);
            spot_fit_durations_free(&durations);
        }
    }
    spot_maximiser_free(&maximiser);
    assert_mean("lattice", &right, 100, 5);
    assert_true(fabs(spot_moments_mean(&wrong) - 100) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_censored),
        cmocka_unit_test(test_power_against_ticks),
    };

    return cmocka_run_group_tests_name("fit recovery", tests, NULL, NULL);
}
