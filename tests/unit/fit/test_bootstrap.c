/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/fit/recorded.h"
#include "traces/fit/fit_law.h"

enum { NUM_ROUNDS = 399, NUM_VALUES = 40 };

static spot_maximiser_t maximiser;

static int setup(void **state)
{
    (void) state;
    return spot_maximiser_init(&maximiser);
}

static int teardown(void **state)
{
    (void) state;
    spot_maximiser_free(&maximiser);
    return 0;
}

static void fit_values(const double *values, const bool *is_censored, size_t num_values,
    double tick_s, const spot_family_t *family, spot_fit_t *fit)
{
    spot_fit_durations_t durations;

    assert_int_equal(
        spot_fit_durations_init(&durations, values, is_censored, num_values, tick_s, 1), 0);
    spot_fit_law(&maximiser, &durations, family, 1000, fit);
    spot_fit_durations_free(&durations);
}

static double p_value(spot_fit_t *fit, int num_rounds, uint64_t seed)
{
    const spot_bootstrap_t bootstrap = {num_rounds, 1, seed, 0, {0}};

    assert_int_equal(spot_fit_bootstrap(&bootstrap, &maximiser, fit), 0);
    return fit->p_value;
}

static void draw_values(const spot_law_t *law, double *values)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_VALUES; j++) {
        values[j] = law->family->draw(law->parameters, &rng);
    }
}

/* Both sides of the table have errors of their own. */
static void test_reference(void **state)
{
    enum { TRACE, QUANTITY, FAMILY, ROUNDS, P, NUM_COLUMNS };
    FILE *file = open_reference("bootstrap_p.csv");
    spot_bootstrap_t bootstrap = {NUM_ROUNDS, 0, 1, 0, {0}};
    char line[MAX_LINE], *cells[MAX_CELLS];
    int num_rows = 0;

    (void) state;
    if (file == NULL) {
        skip_without_data();
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        spot_sample_t sample;
        spot_fit_t fit;
        double resolution_s, p;

        assert_int_equal(split(line, cells), NUM_COLUMNS);
        assert_int_equal(atoi(cells[ROUNDS]), NUM_ROUNDS);
        p = atof(cells[P]);
        read_recorded(&sample, cells[TRACE], cells[QUANTITY], &resolution_s);
        fit_values(sample.values, sample.is_censored, sample.num_values, 0,
            spot_family_find(cells[FAMILY]), &fit);
        bootstrap.resolution_s = resolution_s;
        assert_int_equal(spot_fit_bootstrap(&bootstrap, &maximiser, &fit), 0);
        print_message("%s %s %s: p %.4f, reference %.4f\n", cells[TRACE], cells[QUANTITY],
            cells[FAMILY], fit.p_value, p);
        assert_true(
            fabs(fit.p_value - p) <= 4.5 * sqrt(p * (1 - p) * 2 / NUM_ROUNDS) + 2.0 / NUM_ROUNDS);
        spot_sample_free(&sample);
        num_rows++;
    }
    fclose(file);
    assert_true(num_rows > 30);
}

/* Stops after the third round. */
static void stop_after_three(void *context, int64_t num_done, int64_t num_total)
{
    assert_int_equal(num_total, NUM_ROUNDS);
    assert_true(num_done <= 3);
    atomic_store((atomic_int *) context, num_done == 3 ? 1 : 0);
}

static void test_interrupt(void **state)
{
    const spot_law_t truth = {&spot_family_exponential, {600}};
    atomic_int stop = 0;
    const spot_bootstrap_t bootstrap = {NUM_ROUNDS, 1, 1, 0, {&stop, stop_after_three, &stop}};
    double values[NUM_VALUES];
    spot_fit_t fit;

    (void) state;
    draw_values(&truth, values);
    fit_values(values, NULL, NUM_VALUES, 0, &spot_family_exponential, &fit);
    assert_int_equal(spot_fit_bootstrap(&bootstrap, &maximiser, &fit), SPOT_ERR_INTERRUPTED);
    assert_true(isnan(fit.p_value));
}

/* A law that is wrong is found out, one that is right is not; the smallest p possible is
 * one of rounds + 1. */
static void test_right_and_wrong(void **state)
{
    const spot_law_t truth = {&spot_family_lognormal, {6, 1}};
    double values[NUM_VALUES];
    spot_fit_t fit;

    (void) state;
    draw_values(&truth, values);
    fit_values(values, NULL, NUM_VALUES, 0, &spot_family_lognormal, &fit);
    assert_true(isnan(fit.p_value));
    assert_true(p_value(&fit, 99, 1) > 0.05);
    for (int j = 0; j < NUM_VALUES; j++) { /* 17 values on one spot */
        values[j] = j < 17 ? 400 + j : values[j];
    }
    fit_values(values, NULL, NUM_VALUES, 0, &spot_family_exponential, &fit);
    assert_true(p_value(&fit, 99, 1) == 0.01);
}

static void test_reproducible(void **state)
{
    const spot_law_t truth = {&spot_family_weibull, {300, 0.8}};
    double values[NUM_VALUES], p;
    spot_fit_t fit;

    (void) state;
    draw_values(&truth, values);
    fit_values(values, NULL, NUM_VALUES, 0, &spot_family_weibull, &fit);
    p = p_value(&fit, 199, 3);
    assert_true(p_value(&fit, 199, 3) == p);
    assert_true(p_value(&fit, 199, 4) != p);
    assert_true(fabs(p_value(&fit, 199, 5) - p) < 0.2);
}

/* All families go through, the limited one keeps its limit. */
static void test_every_family(void **state)
{
    const spot_law_t truth = {&spot_family_bathtub, {0.5, 150, 60, 1000}};
    double values[NUM_VALUES];
    spot_fit_t fit;

    (void) state;
    draw_values(&truth, values);
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        if (spot_fit_has_family(spot_families[j])) {
            fit_values(values, NULL, NUM_VALUES, 0, spot_families[j], &fit);
            assert_true(fit.is_fitted && fit.converged);
            assert_true(p_value(&fit, 19, 1) >= 0.05 && fit.p_value <= 1);
        }
    }
}

static void test_refusals(void **state)
{
    static const double values[] = {10, 20, 40, 90, 30};
    static const bool is_censored[] = {false, false, false, true, false};
    spot_fit_t fit;

    (void) state;
    fit_values(values, is_censored, 5, 0, &spot_family_weibull, &fit);
    assert_true(isnan(p_value(&fit, 9, 1)));
    assert_string_equal(
        fit.note, "no p-value: what the censored values would have become is not known");
    fit_values(values, NULL, 5, 10, &spot_family_weibull, &fit);
    assert_true(isnan(p_value(&fit, 9, 1)));
    assert_string_equal(fit.note,
        "no p-value: ticks have no Anderson-Darling distance, only --likelihood "
        "continuous has");
    assert_true((fit.flags & SPOT_FIT_NO_P_VALUE) != 0);
    fit_values(values, NULL, 1, 0, &spot_family_weibull, &fit);
    assert_true(isnan(p_value(&fit, 9, 1)));
    assert_string_equal(fit.note, "fewer than 2 values: no fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_right_and_wrong),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_every_family),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests_name("fit/bootstrap", tests, setup, teardown);
}
