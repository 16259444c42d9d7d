/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "traces/fit/fit_law.h"

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

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static spot_fit_t fit_values(const spot_family_t *family, const double *values,
    const bool *is_censored, size_t num_values, double tick_s)
{
    spot_fit_durations_t durations;
    spot_fit_t fit;

    assert_int_equal(
        spot_fit_durations_init(&durations, values, is_censored, num_values, tick_s, 5), 0);
    spot_fit_law(&maximiser, &durations, family, 5000, &fit);
    spot_fit_durations_free(&durations);
    return fit;
}

static void draw_values(
    const spot_law_t *law, double *values, size_t num_values, double tick_s, uint64_t stream)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 11, stream, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < num_values; j++) {
        values[j] = law->family->draw(law->parameters, &rng);
        if (tick_s > 0) {
            values[j] = fmax(1, ceil(values[j] / tick_s)) * tick_s;
        }
    }
}

static const double ticks_s[] = {60, 180, 60, 240, 600, 120};
static const bool last_censored[] = {false, false, false, false, true, false};

/* The exponential law on ticks is the geometric one. */
static void test_exponential_is_geometric(void **state)
{
    const double n = 6, sum = 21, p = n / sum, p_censored = 5 / sum;
    spot_fit_t fit;

    (void) state;
    fit = fit_values(&spot_family_exponential, ticks_s, NULL, 6, 60);
    assert_true(fit.is_exact && fit.converged && fit.flags == 0);
    assert_near(fit.law.parameters[0], -60 / log1p(-p), 1e-14);
    assert_near(fit.log_likelihood, n * log(p) + (sum - n) * log1p(-p), 1e-14);
    fit = fit_values(&spot_family_exponential, ticks_s, last_censored, 6, 60);
    assert_near(fit.law.parameters[0], -60 / log1p(-p_censored), 1e-14);
    assert_near(fit.log_likelihood, 5 * log(p_censored) + (sum - 5) * log1p(-p_censored), 1e-14);
    assert_near(fit.bic, log(5.0) - 2 * fit.log_likelihood, 1e-14);
}

/* Off the ticks there is no formula; the gradient is 0 all the same. */
static void test_exponential_off_ticks(void **state)
{
    static const double values[] = {61, 100, 190, 75, 30};
    const spot_fit_t fit = fit_values(&spot_family_exponential, values, NULL, 5, 60);
    double score = 0;

    (void) state;
    assert_true(!fit.is_exact && fit.converged);
    for (int j = 0; j < 5; j++) { /* d/d(1/mu) of ln(e^-a/mu - e^-b/mu) */
        const double a = fmax(0, values[j] - 60), width = values[j] - a;

        score += width / expm1(width / fit.law.parameters[0]) - a;
    }
    assert_true(fabs(score) < 1e-5);
}

/* Formulas of the exact estimates, and of their errors. */
static void test_exact_estimates(void **state)
{
    static const double values[] = {3, 5, 14, 2, 70, 9};
    double mean = 0, mean_log = 0, std = 0;
    spot_fit_t fit;

    (void) state;
    for (int j = 0; j < 6; j++) {
        mean += values[j] / 6;
        mean_log += log(values[j]) / 6;
    }
    for (int j = 0; j < 6; j++) {
        std += pow(log(values[j]) - mean_log, 2) / 6;
    }
    fit = fit_values(&spot_family_exponential, values, NULL, 6, 0);
    assert_near(fit.law.parameters[0], mean, 1e-14);
    assert_near(fit.standard_errors[0], mean / sqrt(6), 1e-6);
    assert_near(fit.mean_ratio, 1, 1e-14);
    fit = fit_values(&spot_family_exponential, values, last_censored, 6, 0);
    assert_near(fit.law.parameters[0], mean * 6 / 5, 1e-14);
    assert_near(fit.standard_errors[0], mean * 6 / 5 / sqrt(5), 1e-6);
    fit = fit_values(&spot_family_lognormal, values, NULL, 6, 0);
    assert_near(fit.law.parameters[0], mean_log, 1e-14);
    assert_near(fit.law.parameters[1], sqrt(std), 1e-14);
    assert_near(fit.standard_errors[0], sqrt(std / 6), 1e-6);
    assert_near(fit.standard_errors[1], sqrt(std / 12), 1e-6);
    fit = fit_values(&spot_family_gamma, values, NULL, 6, 0);
    assert_true(fit.is_exact && fit.is_mean_exact);
    assert_near(fit.implied_mean_s, mean, 1e-14);
}

/* An exact estimate is what the search finds: with one value a hair off, so that there
 * is no formula, or with the formula. */
static void test_exact_is_maximum(void **state)
{
    const spot_law_t truth = {&spot_family_gamma, {0.7, 400}};
    const spot_family_t *const families[] = {
        &spot_family_exponential, &spot_family_weibull, &spot_family_gamma, &spot_family_lognormal};
    double values[60];
    spot_fit_durations_t durations;

    (void) state;
    draw_values(&truth, values, 60, 0, 1);
    assert_int_equal(spot_fit_durations_init(&durations, values, NULL, 60, 0, 5), 0);
    for (int f = 0; f < 4; f++) {
        const spot_fit_t fit = fit_values(families[f], values, NULL, 60, 0);
        spot_law_t law = fit.law;

        assert_true(fit.is_exact);
        for (int j = 0; j < families[f]->num_parameters; j++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                law = fit.law;
                law.parameters[j] += sign * 1e-4 * fit.standard_errors[j];
                assert_true(
                    spot_fit_durations_log_likelihood(&durations, &law) < fit.log_likelihood);
            }
        }
    }
    spot_fit_durations_free(&durations);
}

/* A random point within that width of a law, each parameter on its own scale. */
static void move(spot_law_t *law, double width, spot_rng_t *rng)
{
    double *p = law->parameters;

    for (int j = 0; j < law->family->num_parameters; j++) {
        const double u = width * (2 * spot_rng_uniform(rng) - 1);

        if (law->family->num_parameters == 3 && j == 0) {
            const double odds = p[0] / (1 - p[0]) * exp(u);

            p[0] = odds / (1 + odds);
        } else if (law->family == &spot_family_lognormal && j == 0) {
            p[0] += u;
        } else {
            p[j] *= exp(u);
        }
    }
}

/* The highest ln L of a walk uphill by random steps from a random start. */
static double climb(spot_fit_durations_t *durations, const spot_law_t *from, spot_rng_t *rng)
{
    enum { NUM_STEPS = 60 };
    spot_law_t best = *from;
    double highest = -HUGE_VAL;

    for (int k = 0; k < NUM_STEPS; k++) {
        spot_law_t law = best;
        double value;

        move(&law, k == 0 ? 6 : 3.0 / k, rng);
        value = spot_fit_durations_log_likelihood(durations, &law);
        if (value > highest) {
            highest = value;
            best = law;
        }
    }
    return highest;
}

static void assert_nothing_better(
    spot_fit_durations_t *durations, const spot_family_t *family, spot_rng_t *rng)
{
    enum { NUM_TRIES = 300 / SPOT_FEWER };
    spot_fit_t fit;

    spot_fit_law(&maximiser, durations, family, 5000, &fit);
    if (!fit.is_fitted || !fit.converged) {
        fail_msg("%s(%g, %g, %g): %.10g, %s", family->name, fit.law.parameters[0],
            fit.law.parameters[1], fit.law.parameters[2], fit.log_likelihood, fit.note);
    }
    for (int j = 0; j < NUM_TRIES; j++) {
        const double value = climb(durations, &fit.law, rng);

        if (value > fit.log_likelihood + 1e-6) {
            fail_msg("%s: %.10g, random search %.10g", family->name, fit.log_likelihood, value);
        }
    }
}

/* No random search finds better, for any family, sample and likelihood. */
static void test_nothing_better(void **state)
{
    static const spot_law_t truths[] = {{&spot_family_hyperexp2, {0.6, 60, 1500}},
        {&spot_family_weibull, {400, 0.6}}, {&spot_family_bathtub, {0.5, 300, 90, 5000}},
        {&spot_family_lognormal, {5, 1}}};
    enum { NUM_VALUES = 25, NUM_SAMPLES = 16 };
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_TYPE, 0);
    for (int i = 0; i < NUM_SAMPLES; i++) {
        const double tick_s = i % 2 == 0 ? 0 : 60;
        double values[NUM_VALUES];
        bool is_censored[NUM_VALUES];
        spot_fit_durations_t durations;

        draw_values(&truths[i / 4], values, NUM_VALUES, tick_s, (uint64_t) (10 + i));
        for (int j = 0; j < NUM_VALUES; j++) {
            values[j] = fmin(values[j], 4800);
            is_censored[j] = i % 4 >= 2 && j % 3 == 0;
        }
        assert_int_equal(
            spot_fit_durations_init(&durations, values, is_censored, NUM_VALUES, tick_s, 5), 0);
        for (int f = 0; f < SPOT_FIT_MAX_FAMILIES; f++) {
            assert_nothing_better(&durations, spot_families[f], &rng);
        }
        spot_fit_durations_free(&durations);
    }
}

static void assert_no_fit(const spot_fit_t *fit, unsigned flag, const char *words)
{
    assert_false(fit->is_fitted);
    assert_true((fit->flags & flag) != 0);
    assert_string_equal(fit->note, words);
    assert_true(isnan(fit->log_likelihood) && isnan(fit->aic) && isnan(fit->ks) &&
                isnan(fit->law.parameters[0]) && isnan(fit->standard_errors[0]));
}

static void test_no_fit(void **state)
{
    static const double equal[] = {60, 60, 60}, beyond[] = {10, 6000, 30};
    static const double at_limit[] = {10, 5000, 30};
    static const bool all[] = {true, true, true}, second[] = {false, true, false};
    spot_fit_t fit;

    (void) state;
    fit = fit_values(&spot_family_exponential, equal, NULL, 0, 0);
    assert_no_fit(&fit, SPOT_FIT_TOO_FEW, "fewer than 2 values: no fit");
    fit = fit_values(&spot_family_exponential, equal, NULL, 1, 60);
    assert_no_fit(&fit, SPOT_FIT_TOO_FEW, "fewer than 2 values: no fit");
    fit = fit_values(&spot_family_exponential, equal, all, 3, 0);
    assert_no_fit(
        &fit, SPOT_FIT_TOO_FEW, "all values are censored, no life was seen to its end: no fit");
    for (int f = 1; f < 7; f++) {
        fit = fit_values(spot_families[f], equal, NULL, 3, 0);
        assert_no_fit(&fit, SPOT_FIT_DEGENERATE,
            "degenerate: all complete values are equal: no fit but the exponential");
        fit = fit_values(spot_families[f], equal, NULL, 3, 60);
        assert_no_fit(&fit, SPOT_FIT_DEGENERATE,
            "degenerate: all complete values are in the first tick: no fit but the "
            "exponential");
        fit = fit_values(spot_families[f], equal, NULL, 3, 30);
        assert_no_fit(&fit, SPOT_FIT_DEGENERATE,
            "degenerate: all complete values are equal: no fit but the exponential");
    }
    fit = fit_values(&spot_family_bathtub, beyond, NULL, 3, 0);
    assert_no_fit(&fit, SPOT_FIT_BEYOND_LIMIT, "6000 s is beyond the limit of 5000 s: no fit");
    fit = fit_values(&spot_family_bathtub, at_limit, second, 3, 0);
    assert_no_fit(&fit, SPOT_FIT_BEYOND_LIMIT,
        "a value was censored at the limit of 5000 s, which is to say beyond it: no "
        "fit");
    fit = fit_values(&spot_family_bathtub, at_limit, NULL, 3, 0);
    assert_no_fit(&fit, SPOT_FIT_BEYOND_LIMIT,
        "a value is at the limit of 5000 s, where the likelihood is infinite: no fit, "
        "expected a limit beyond it");
    assert_true(fit_values(&spot_family_bathtub, at_limit, NULL, 3, 10).is_fitted);
}

static void test_degenerate_exponential(void **state)
{
    static const double equal[] = {60, 60, 60}, in_first[] = {0, 7, 60};
    spot_fit_t fit;

    (void) state;
    fit = fit_values(&spot_family_exponential, equal, NULL, 3, 0);
    assert_true(fit.is_fitted);
    assert_near(fit.law.parameters[0], 60, 1e-14);
    assert_string_equal(fit.note, "degenerate: all complete values are equal");
    fit = fit_values(&spot_family_exponential, equal, NULL, 3, 60);
    assert_true(fit.is_fitted && fit.law.parameters[0] < 6);
    assert_true(fabs(fit.log_likelihood) < 1e-12);
    assert_true((fit.flags & SPOT_FIT_DEGENERATE) != 0);
    assert_true((fit.flags & SPOT_FIT_NO_ERRORS) != 0);
    assert_true(fit.arbitrary == 1 && isnan(fit.mean_ratio) && !fit.is_mean_exact);
    fit = fit_values(&spot_family_exponential, in_first, NULL, 3, 60);
    assert_true(fit.is_fitted && (fit.flags & SPOT_FIT_RAISED) != 0);
    assert_true((fit.flags & SPOT_FIT_DEGENERATE) != 0);
}

/* A value of 0 counts as one tick, of the lattice or of the recorder. */
static void test_zeros(void **state)
{
    static const double zeros[] = {0, 120, 0, 60}, raised[] = {60, 120, 60, 60};
    static const double raised_5[] = {5, 120, 5, 60};

    (void) state;
    for (int f = 0; f < 6; f++) {
        const spot_fit_t fit = fit_values(spot_families[f], zeros, NULL, 4, 60);
        const spot_fit_t other = fit_values(spot_families[f], raised, NULL, 4, 60);
        const spot_fit_t plain = fit_values(spot_families[f], zeros, NULL, 4, 0);
        const spot_fit_t other_5 = fit_values(spot_families[f], raised_5, NULL, 4, 0);

        assert_true(fit.log_likelihood == other.log_likelihood);
        assert_true(plain.log_likelihood == other_5.log_likelihood);
        assert_true((fit.flags & SPOT_FIT_RAISED) != 0 && (other.flags & SPOT_FIT_RAISED) == 0);
        assert_int_equal(strncmp(fit.note, "2 values of 0 s count as one tick", 33), 0);
    }
}

/* Of a life that began as the recording ended nothing was seen: S(0) = 1. */
static void test_censored_zeros(void **state)
{
    static const double with[] = {0, 60, 300, 0, 600, 420};
    static const bool is_censored[] = {true, false, false, true, false, true};
    static const double without[] = {60, 300, 600, 420};
    static const bool is_censored_too[] = {false, false, false, true};

    (void) state;
    for (int f = 0; f < 6; f++) {
        for (double tick_s = 0; tick_s <= 60; tick_s += 60) {
            const spot_fit_t fit = fit_values(spot_families[f], with, is_censored, 6, tick_s);
            const spot_fit_t other =
                fit_values(spot_families[f], without, is_censored_too, 4, tick_s);

            assert_true(fabs(fit.log_likelihood - other.log_likelihood) < 1e-7);
            assert_int_equal(fit.num_values, 6);
            assert_int_equal(fit.num_complete, 3);
            assert_int_equal(fit.flags & SPOT_FIT_RAISED, 0);
        }
    }
    assert_true(
        fabs(fit_values(&spot_family_exponential, with, is_censored, 6, 0).law.parameters[0] -
             1380.0 / 3) < 1e-9);
}

/* Where the mixture is none, its row says so and has no errors; AIC punishes it. */
static void test_arbitrary(void **state)
{
    static const double regular[] = {90, 100, 105, 110, 95, 101};
    static const double burst[] = {60, 60, 60, 60, 60, 60, 6000, 7200, 4800, 12000};
    spot_fit_t fit, exponential;

    (void) state;
    fit = fit_values(&spot_family_hyperexp2, regular, NULL, 6, 0);
    exponential = fit_values(&spot_family_exponential, regular, NULL, 6, 0);
    assert_true(fit.is_fitted && (fit.flags & SPOT_FIT_ARBITRARY) != 0);
    assert_true(isnan(fit.standard_errors[0]));
    assert_true(fit.arbitrary == 1 && fit.is_mean_exact);
    assert_near(fit.log_likelihood, exponential.log_likelihood, 1e-9);
    assert_true(fit.aic > exponential.aic + 3.9);
    fit = fit_values(&spot_family_hyperexp2, burst, NULL, 10, 60);
    assert_true((fit.flags & SPOT_FIT_FLAT) != 0 && fit.converged);
    assert_string_equal(
        fit.note, "flat: mu1 is far below the tick, its value arbitrary; no standard errors");
    assert_true(fit.law.parameters[1] <= fit.law.parameters[2]);
    assert_true(fit.arbitrary == 1u << 1 && fit.is_mean_exact);
}

/* Lives that are still going on: a part of them may last for ever, so there is no mean.
 */
static void test_arbitrary_mean(void **state)
{
    static const double lives[] = {600, 600, 1200, 3000};
    static const bool is_censored[] = {false, false, false, true};
    spot_fit_t fit;

    (void) state;
    fit = fit_values(&spot_family_hyperexp2, lives, is_censored, 4, 60);
    assert_true(fit.is_fitted && (fit.arbitrary & 1u << 2) != 0);
    assert_true(isnan(fit.mean_ratio) && isnan(fit.implied_mean_s));
    assert_false(fit.is_mean_exact);
    assert_true(isfinite(fit.aic) && isfinite(fit.bic));
}

/* One complete value says how often, not how spread. A time constant beyond all bounds
 * is a uniform part. */
static void test_little_is_known(void **state)
{
    static const double values[] = {100, 200, 300, 400};
    static const bool but_one[] = {true, false, true, true};
    double uniform[50];
    spot_fit_t fit;

    (void) state;
    fit = fit_values(&spot_family_exponential, values, but_one, 4, 0);
    assert_near(fit.law.parameters[0], 1000, 1e-14);
    fit = fit_values(&spot_family_weibull, values, but_one, 4, 0);
    assert_no_fit(&fit, SPOT_FIT_DEGENERATE,
        "degenerate: all complete values are equal: no fit but the exponential");
    for (int j = 0; j < 50; j++) {
        uniform[j] = 50 + 100 * j;
    }
    fit = fit_values(&spot_family_bathtub, uniform, NULL, 50, 0);
    assert_true(fit.is_fitted && fit.converged);
    assert_near(fit.log_likelihood, -50 * log(5000), 1e-3);
    assert_true((fit.flags & (SPOT_FIT_ARBITRARY | SPOT_FIT_NO_ERRORS)) != 0);
    assert_true(isnan(fit.standard_errors[0]));
}

static void test_ranking(void **state)
{
    const spot_law_t truth = {&spot_family_lognormal, {5, 1.5}};
    const spot_family_t *const chosen[] = {&spot_family_weibull, &spot_family_bathtub, NULL};
    static double values[300];
    spot_fit_durations_t durations;
    spot_fit_ranking_t ranking;

    (void) state;
    draw_values(&truth, values, 300, 0, 2);
    assert_int_equal(spot_fit_durations_init(&durations, values, NULL, 300, 0, 5), 0);
    spot_fit_rank(&ranking, &maximiser, &durations, NULL, (double) NAN);
    assert_int_equal(ranking.num_fits, 6);
    for (size_t j = 1; j < ranking.num_fits; j++) {
        assert_true(ranking.fits[j - 1].aic <= ranking.fits[j].aic);
    }
    assert_ptr_equal(ranking.fits[ranking.best_id].family, &spot_family_lognormal);
    assert_int_equal(ranking.best_id, 0);
    assert_ptr_equal(ranking.fits[ranking.best_mean_id].family, &spot_family_hyperexp2);
    spot_fit_rank(&ranking, &maximiser, &durations, NULL, 1e6);
    assert_int_equal(ranking.num_fits, 7);
    spot_fit_rank(&ranking, &maximiser, &durations, chosen, (double) NAN);
    assert_int_equal(ranking.num_fits, 2);
    assert_false(ranking.fits[1].is_fitted);
    assert_string_equal(ranking.fits[1].note, "no limit of the life is given: no fit");
    assert_int_equal(ranking.best_mean_id, -1);
    assert_false(spot_fit_has_family(&spot_family_deadline));
    spot_fit_durations_free(&durations);
    assert_int_equal(spot_fit_durations_init(&durations, values, NULL, 1, 0, 5), 0);
    spot_fit_rank(&ranking, &maximiser, &durations, NULL, (double) NAN);
    assert_true(ranking.num_fits == 6 && ranking.best_id == -1);
    spot_fit_durations_free(&durations);
}

static void test_default_tick(void **state)
{
    double values[] = {300, 0, 1200.0000001}, odd[] = {300, 450, 600};
    const spot_sample_t sample = {.num_values = 3, .values = values};
    const spot_sample_t other = {.num_values = 3, .values = odd};

    (void) state;
    assert_true(spot_fit_default_tick(&sample, SPOT_SAMPLE_ADD_GAP, 300) == 300);
    assert_true(spot_fit_default_tick(&sample, SPOT_SAMPLE_LIFETIME, 300) == 0);
    assert_true(spot_fit_default_tick(&sample, SPOT_SAMPLE_UP_SPELL, 30) == 30);
    assert_true(spot_fit_default_tick(&sample, SPOT_SAMPLE_UP_SPELL, 20) == 0);
    assert_true(spot_fit_default_tick(&other, SPOT_SAMPLE_ADD_GAP, 300) == 0);
    assert_true(spot_fit_default_tick(&other, SPOT_SAMPLE_ADD_GAP, 150) == 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_is_geometric),
        cmocka_unit_test(test_exponential_off_ticks),
        cmocka_unit_test(test_exact_estimates),
        cmocka_unit_test(test_exact_is_maximum),
        cmocka_unit_test(test_nothing_better),
        cmocka_unit_test(test_no_fit),
        cmocka_unit_test(test_degenerate_exponential),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_censored_zeros),
        cmocka_unit_test(test_arbitrary),
        cmocka_unit_test(test_arbitrary_mean),
        cmocka_unit_test(test_little_is_known),
        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_default_tick),
    };

    return cmocka_run_group_tests_name("fit/law", tests, setup, teardown);
}
