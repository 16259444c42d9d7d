/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/rng.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"

#include "tests/statistical/statistics.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_size.h"

#define DATA_FOLDER SHARED_DATA "traces/"

typedef spot_fit_size_family_t family_t;

static spot_maximiser_t maximiser;

static int set_up(void **state)
{
    (void) state;
    gsl_set_error_handler_off();
    return spot_maximiser_init(&maximiser);
}

static int tear_down(void **state)
{
    (void) state;
    spot_maximiser_free(&maximiser);
    return 0;
}

static const family_t *find_family(const char *name)
{
    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        if (strcmp(spot_size_families[j]->name, name) == 0) {
            return spot_size_families[j];
        }
    }
    fail_msg("no family %s", name);
    return NULL;
}

/* ---- Against the reference ---- */

enum {
    COLUMN_TRACE,
    COLUMN_QUANTITY,
    COLUMN_N,
    COLUMN_FAMILY,
    COLUMN_K,
    COLUMN_PARAMETERS, /* name and value, three times */
    COLUMN_LOG_L = 11,
    COLUMN_AIC,
    COLUMN_BIC,
    COLUMN_KS,
    COLUMN_AD,
    COLUMN_NOTE,
    NUM_COLUMNS
};

static void read_sample(spot_size_sample_t *sample, const char *trace_name, bool is_preempt)
{
    char path[512];
    spot_trace_t trace;
    spot_sample_t values;
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(path, sizeof(path), DATA_FOLDER "%s.csv", trace_name);
    assert_int_equal(spot_trace_read(&trace, path, false, &diag), 0);
    assert_int_equal(spot_sample_init(&values, &trace,
                         is_preempt ? SPOT_SAMPLE_PREEMPT_COUNT : SPOT_SAMPLE_ADD_COUNT),
        0);
    assert_int_equal(
        spot_size_sample_init(sample, values.num_values, values.values, values.limits), 0);
    spot_sample_free(&values);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

/* 8 digits of the reference are half a unit of the last one away. */
static void assert_close(const char *what, double value, const char *expected, double tolerance)
{
    const double wanted = strtod(expected, NULL);

    if (!(fabs(value - wanted) <= tolerance * fmax(1e-2, fabs(wanted)) + 1e-12)) {
        fail_msg("%s: %.10g is not %s", what, value, expected);
    }
}

/* The reference takes differences of Phi that are 0 where a size is far out in the tail
 * (1 - 1), and so has lost the larger of the two cells of this size. */
static bool is_lost_cell(const spot_fit_t *fit, const spot_size_sample_t *sample)
{
    return fit->size_family == &spot_size_seed_mixture &&
           (sample->max - 0.5 - fit->law.parameters[1]) / fit->law.parameters[2] > 8.3;
}

static void check_row(const spot_csv_row_t *row)
{
    char what[256];
    spot_size_sample_t sample;
    spot_fit_t fit;
    const char *const *fields = row->fields;

    snprintf(what, sizeof(what), "%s %s %s", fields[COLUMN_TRACE], fields[COLUMN_QUANTITY],
        fields[COLUMN_FAMILY]);
    read_sample(&sample, fields[COLUMN_TRACE], strncmp(fields[COLUMN_QUANTITY], "preempt", 7) == 0);
    spot_fit_size(&fit, find_family(fields[COLUMN_FAMILY]), &sample, &maximiser);
    assert_true(spot_size_family_fits(fit.size_family, &sample));
    assert_true(fit.is_fitted && fit.converged);
    assert_int_equal((int) sample.num_events, atoi(fields[COLUMN_N]));
    assert_int_equal(fit.size_family->num_parameters, atoi(fields[COLUMN_K]));
    for (int j = 0; j < fit.size_family->num_parameters; j++) {
        assert_string_equal(fit.size_family->parameters[j], fields[COLUMN_PARAMETERS + 2 * j]);
        assert_close(what, fit.law.parameters[j], fields[COLUMN_PARAMETERS + 2 * j + 1], 1e-6);
    }
    if (!is_lost_cell(&fit, &sample)) {
        assert_close(what, fit.log_likelihood, fields[COLUMN_LOG_L], 1e-7);
        assert_close(what, fit.aic, fields[COLUMN_AIC], 1e-7);
        assert_close(what, fit.bic, fields[COLUMN_BIC], 1e-7);
    }
    if (*fields[COLUMN_KS] != '\0') {
        assert_close(what, fit.ks, fields[COLUMN_KS], 1e-6);
        assert_close(what, fit.ad, fields[COLUMN_AD], 1e-6);
    } else {
        assert_true(isnan(fit.ks) && isnan(fit.ad));
    }
    if (strncmp(fields[COLUMN_NOTE], "logL", 4) != 0) {
        assert_string_equal(fit.note, fields[COLUMN_NOTE]);
    }
    spot_size_sample_free(&sample);
}

static void test_reference(void **state)
{
    spot_diag_t diag;
    spot_csv_t *csv;
    spot_csv_row_t row;
    size_t num_rows = 0;

    (void) state;
    spot_diag_init(&diag);
    if (spot_csv_open(&csv, DATA_FOLDER "reference/bulk_fits.csv", &diag) != 0) {
        spot_diag_free(&diag);
        skip_without_data();
    }
    while (spot_csv_next(csv, &row) == 1) {
        assert_int_equal(row.num_fields, NUM_COLUMNS);
        if (row.line > 1) {
            check_row(&row);
            num_rows++;
        }
    }
    assert_int_equal(num_rows, 161);
    spot_csv_close(csv);
    spot_diag_free(&diag);
}

/* The reference's likelihood of a size far out in the upper tail is that of the lower
 * one alone; here both are there. */
static void test_unlikely_size(void **state)
{
    const double parameters[] = {0.05, 3.1, 2.5};
    const double z = (35.5 - 3.1) / 2.5;
    const double expected = log1p(-0.05) + gsl_sf_log_erfc(z / sqrt(2)) - log(2);
    const double value = spot_size_seed_mixture.log_probability(parameters, 36, 0);

    (void) state;
    assert_true(fabs(value - expected) < 0.01); /* the cell ends at 36.5 */
    assert_true(value < expected);
}

/* ---- Laws ---- */

#define NUM_LAWS 22

/* A law and a limit for those that need one. */
typedef struct {
    const family_t *family;
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1];
    double tolerance; /* of the sum of all probabilities up to 2000 */
} law_t;

static const law_t laws[NUM_LAWS] = {
    {&spot_size_geometric, {0.3}, 1e-12},
    {&spot_size_geometric, {1}, 1e-12},
    {&spot_size_shifted_poisson, {1.7}, 1e-12},
    {&spot_size_shifted_poisson, {0}, 1e-12},
    {&spot_size_zt_poisson, {2.2}, 1e-12},
    {&spot_size_logarithmic, {0.8}, 1e-12},
    {&spot_size_zeta, {2.5}, 1e-4},
    {&spot_size_shifted_negbin, {0.6, 0.3}, 1e-12},
    {&spot_size_shifted_negbin, {(double) INFINITY, 1, 1.7}, 1e-12},
    {&spot_size_absnormal_mle, {1.5, 2}, 1e-12},
    {&spot_size_absnormal_mle, {-40, 0.3}, 1e-12},
    {&spot_size_absnormal_mle, {3, 0}, 1e-12},
    {&spot_size_seed_mixture, {0.1, 2.5, 2}, 1e-12},
    {&spot_size_truncated_geometric, {0.2}, 1e-12},
    {&spot_size_truncated_geometric, {1e-13}, 1e-12},
    {&spot_size_truncated_geometric, {0}, 1e-12},
    {&spot_size_all_or_geometric, {0.4, 0.2}, 1e-12},
    {&spot_size_zt_binomial, {0.1}, 1e-12},
    {&spot_size_zt_betabinomial, {0.5, 2}, 1e-12},
    {&spot_size_zt_betabinomial, {0, 0.7}, 1e-12},
    {&spot_size_truncated_negbin, {0.4, 0.1}, 1e-12},
    {&spot_size_truncated_negbin, {2.5, 0}, 1e-12},
};

/* All probabilities together are 1, and the mean is the one that is told. */
static void test_laws_are_distributions(void **state)
{
    (void) state;
    for (int j = 0; j < NUM_LAWS; j++) {
        const law_t *law = &laws[j];
        const int32_t limit = law->family->is_given_limit ? 17 : 0;
        double sum = 0, mean = 0;

        for (int32_t k = 1; k <= (limit > 0 ? limit : 2000); k++) {
            const double p = exp(law->family->log_probability(law->parameters, k, limit));

            sum += p;
            mean += k * p;
        }
        if (!(fabs(sum - 1) <= law->tolerance)) {
            fail_msg("%s: the sum is %.17g", law->family->name, sum);
        }
        if (law->family->mean != NULL && law->family != &spot_size_zeta) {
            assert_true(fabs(law->family->mean(law->parameters) / mean - 1) < 1e-9);
        }
    }
    assert_true(isinf(spot_size_zeta.mean((const double[]){1.9})));
    assert_true(fabs(spot_size_zeta.mean((const double[]){3}) -
                     1.6449340668482264 / 1.2020569031595943) < 1e-12);
}

/* Limits are what the laws come to: a to 0, theta to 0, a and b to infinity. */
static void test_boundaries_are_limits(void **state)
{
    const double near_a[] = {1e-9, 0.7}, at_a[] = {0, 0.7};
    const double near_p[] = {1e-10}, at_p[] = {0};
    const double near_b[] = {3e8, 7e8}, at_b[] = {(double) INFINITY, (double) INFINITY, 0.3};
    const double near_r[] = {1e10, 1 / (1 + 1.7e-10)}, at_r[] = {(double) INFINITY, 1, 1.7};

    (void) state;
    for (int32_t k = 1; k <= 9; k++) {
        assert_true(fabs(spot_size_zt_betabinomial.log_probability(near_a, k, 9) -
                         spot_size_zt_betabinomial.log_probability(at_a, k, 9)) < 1e-7);
        assert_true(fabs(spot_size_truncated_geometric.log_probability(near_p, k, 9) -
                         spot_size_truncated_geometric.log_probability(at_p, k, 9)) < 1e-8);
        assert_true(fabs(spot_size_zt_betabinomial.log_probability(near_b, k, 9) -
                         spot_size_zt_betabinomial.log_probability(at_b, k, 9)) < 1e-6);
        assert_true(fabs(spot_size_shifted_negbin.log_probability(near_r, k, 0) -
                         spot_size_shifted_negbin.log_probability(at_r, k, 0)) < 1e-6);
        assert_true(fabs(spot_size_truncated_negbin.log_probability(near_r, k, 9) -
                         spot_size_truncated_negbin.log_probability(at_r, k, 9)) < 1e-6);
    }
    for (int32_t n = 0; n < 200; n += 7) { /* across the change of method */
        assert_true(
            fabs(spot_size_log_rising(1, n) - lgamma(n + 1.0)) <= 1e-12 * (1 + lgamma(n + 1.0)));
    }
}

/* ---- Recovery ---- */

#define NUM_REPLICATIONS 64
#define NUM_DRAWS 3000

static double draw(const law_t *law, int32_t limit, spot_rng_t *rng)
{
    double left = spot_rng_uniform(rng);
    int32_t k = 1;

    for (;; k++) {
        left -= exp(law->family->log_probability(law->parameters, k, limit));
        if (left < 0 || k == limit || k > 100000) {
            return k;
        }
    }
}

/* Fits of draws from a law: over the replications the estimate less the truth, in
 * standard errors, has mean 0 and standard deviation 1. */
static void check_recovery(const law_t *law, uint64_t entity)
{
    const int num_parameters = law->family->num_parameters;
    static double values[NUM_DRAWS];
    static int32_t limits[NUM_DRAWS];
    spot_moments_t estimates[SPOT_SIZE_MAX_PARAMETERS] = {{0}};
    spot_moments_t errors[SPOT_SIZE_MAX_PARAMETERS] = {{0}};

    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        spot_rng_t rng;
        spot_size_sample_t sample;
        spot_fit_t fit;

        spot_rng_seek(&rng, 20, r, SPOT_STREAM_COUNT, entity);
        for (int j = 0; j < NUM_DRAWS; j++) {
            limits[j] = (int32_t) spot_rng_below(&rng, 24) + 2;
            values[j] = draw(law, law->family->is_given_limit ? limits[j] : 0, &rng);
        }
        assert_int_equal(spot_size_sample_init(&sample, NUM_DRAWS, values,
                             law->family->is_given_limit ? limits : NULL),
            0);
        spot_fit_size(&fit, law->family, &sample, &maximiser);
        assert_true(fit.is_fitted && fit.converged);
        for (int j = 0; j < num_parameters; j++) {
            spot_moments_add(&estimates[j], fit.law.parameters[j]);
            spot_moments_add(&errors[j], fit.standard_errors[j]);
        }
        spot_size_sample_free(&sample);
    }
    for (int j = 0; j < num_parameters; j++) {
        const double se = spot_moments_stderr(&estimates[j]);
        const double ratio = spot_moments_mean(&errors[j]) / spot_moments_std(&estimates[j]);
        const double bias = spot_moments_mean(&estimates[j]) - law->parameters[j];

        print_message("%s %s: z %.2f, told/seen error %.2f\n", law->family->name,
            law->family->parameters[j], bias / se, ratio);
        assert_z(law->family->name, bias / se);
        /* the std of 64 values has a relative error of 0.09 */
        assert_true(ratio > 0.65 && ratio < 1.5);
        /* and a bias of 15 % would show */
        assert_true(se * POWER_Z < 0.15 * law->parameters[j]);
    }
}

static void test_recovery(void **state)
{
    static const law_t truths[] = {
        {&spot_size_geometric, {0.3}, 0},
        {&spot_size_shifted_poisson, {1.7}, 0},
        {&spot_size_zt_poisson, {2.2}, 0},
        {&spot_size_logarithmic, {0.8}, 0},
        {&spot_size_zeta, {2.5}, 0},
        {&spot_size_shifted_negbin, {0.8, 0.25}, 0},
        {&spot_size_absnormal_mle, {3.5, 2}, 0},
        {&spot_size_truncated_geometric, {0.2}, 0},
        {&spot_size_all_or_geometric, {0.3, 0.25}, 0},
        {&spot_size_zt_binomial, {0.3}, 0},
        {&spot_size_zt_betabinomial, {1.5, 2.5}, 0},
        {&spot_size_truncated_negbin, {1.5, 0.3}, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(truths) / sizeof(truths[0]); j++) {
        check_recovery(&truths[j], j);
    }
}

/* ---- Edges ---- */

#define NUM_EDGE 6

static void fit_values(spot_fit_t *fit, const family_t *family, const double *values,
    const int32_t *limits, size_t num_values)
{
    spot_size_sample_t sample;

    assert_int_equal(spot_size_sample_init(&sample, num_values, values, limits), 0);
    spot_fit_size(fit, family, &sample, &maximiser);
    spot_size_sample_free(&sample);
}

/* Every family has a certain law, which it names as such. */
static void test_all_ones(void **state)
{
    const double ones[NUM_EDGE] = {1, 1, 1, 1, 1, 1};
    const int32_t limits[NUM_EDGE] = {1, 5, 5, 7, 2, 9};

    (void) state;
    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        spot_fit_t fit;

        fit_values(&fit, spot_size_families[j], ones, limits, NUM_EDGE);
        assert_true(fit.is_fitted);
        assert_true(fit.converged);
        assert_true(fabs(fit.log_likelihood) < 1e-9);
        assert_true(fabs(fit.mean_ratio - 1) < 1e-9);
        assert_non_null(strstr(fit.note, "degenerate: all sizes are 1"));
    }
}

/* Less spread than a Poisson number: without the limit of the law the search would run
 * away. The limit is the maximum: the score is 0, and no other number is likelier. */
static void test_truncated_poisson(void **state)
{
    const double values[] = {2, 3, 3, 2, 3, 4, 2, 3, 3, 2, 4, 3};
    const int32_t limits[] = {9, 12, 7, 5, 6, 12, 15, 9, 4, 12, 9, 11};
    const double rates[] = {0.8, 0.99, 1.01, 1.3}, shapes[] = {10, 1e3, 1e6};
    spot_size_sample_t sample;
    spot_fit_t fit;

    (void) state;
    assert_int_equal(spot_size_sample_init(&sample, 12, values, limits), 0);
    spot_fit_size(&fit, &spot_size_truncated_negbin, &sample, &maximiser);
    assert_true(fit.is_fitted && fit.converged);
    assert_non_null(strstr(fit.note, "r=inf: truncated Poisson of rate "));
    assert_true(isinf(fit.law.parameters[0]) && fabs(fit.mean_ratio - 1) < 1e-12);
    for (int j = 0; j < 4; j++) {
        const double rate = fit.law.parameters[2] * rates[j];
        const double other[] = {(double) INFINITY, 1, rate};

        assert_true(spot_size_log_likelihood(fit.size_family, other, &sample) < fit.log_likelihood);
        for (int i = 0; i < 3; i++) {
            const double finite[] = {shapes[i], shapes[i] / (shapes[i] + rate)};

            assert_true(
                spot_size_log_likelihood(fit.size_family, finite, &sample) < fit.log_likelihood);
        }
    }
    spot_size_sample_free(&sample);
}

static void test_all_is_taken(void **state)
{
    const double values[NUM_EDGE] = {3, 5, 5, 7, 2, 9};
    const int32_t limits[NUM_EDGE] = {3, 5, 5, 7, 2, 9};

    (void) state;
    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        spot_fit_t fit;

        if (spot_size_families[j]->is_given_limit) {
            fit_values(&fit, spot_size_families[j], values, limits, NUM_EDGE);
            assert_true(fit.is_fitted);
            assert_true(fit.converged);
            assert_non_null(strstr(fit.note, "degenerate: every event takes all"));
            assert_int_equal(
                fit.arbitrary, spot_size_families[j] == &spot_size_all_or_geometric ? 1u << 1 : 0);
        }
    }
}

static void test_all_equal(void **state)
{
    const double values[NUM_EDGE] = {4, 4, 4, 4, 4, 4};

    (void) state;
    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        spot_fit_t fit;

        if (!spot_size_families[j]->is_given_limit) {
            fit_values(&fit, spot_size_families[j], values, NULL, NUM_EDGE);
            assert_true(fit.is_fitted && fit.converged);
            assert_true(isfinite(fit.log_likelihood));
            assert_true((strstr(fit.note, "degenerate: all sizes are equal") != NULL) ==
                        (spot_size_families[j]->num_parameters > 1));
        }
    }
}

static void test_too_few(void **state)
{
    const double values[] = {12, 13, 14};
    spot_fit_t fit;
    spot_size_sample_t sample;

    (void) state;
    fit_values(&fit, &spot_size_geometric, values, NULL, 1);
    assert_false(fit.is_fitted);
    assert_string_equal(fit.note, "fewer than 2 events: no fit");
    fit_values(&fit, &spot_size_geometric, values, NULL, 0);
    assert_false(fit.is_fitted);
    fit_values(&fit, &spot_size_seed_mixture, values, NULL, 3);
    assert_false(fit.is_fitted);
    assert_true(isnan(fit.law.parameters[0]));
    assert_string_equal(fit.note, "fewer than 2 sizes up to 10");
    assert_int_equal(
        spot_size_sample_init(&sample, 1, (const double[]){0}, NULL), SPOT_ERR_BAD_PARAM);
    spot_size_sample_free(&sample);
    assert_int_equal(spot_size_sample_init(&sample, 1, (const double[]){5}, (const int32_t[]){4}),
        SPOT_ERR_BAD_PARAM);
    spot_size_sample_free(&sample);
}

/* The seed mixture has a row only where an event is big, and counts what it cannot
 * make. */
static void test_seed_mixture(void **state)
{
    const double regular[] = {1, 2, 3, 10}, big[] = {1, 2, 2, 1, 11, 900};
    spot_size_sample_t sample;
    spot_fit_t fit;

    (void) state;
    assert_int_equal(spot_size_sample_init(&sample, 4, regular, NULL), 0);
    assert_false(spot_size_family_fits(&spot_size_seed_mixture, &sample));
    assert_false(spot_size_family_fits(&spot_size_zt_binomial, &sample));
    assert_true(spot_size_family_fits(&spot_size_zeta, &sample));
    spot_size_sample_free(&sample);
    assert_int_equal(spot_size_sample_init(&sample, 6, big, NULL), 0);
    assert_true(spot_size_family_fits(&spot_size_seed_mixture, &sample));
    spot_fit_size(&fit, &spot_size_seed_mixture, &sample, &maximiser);
    assert_string_equal(fit.note, "logL uses a floor of 1e-300 per impossible count");
    assert_true(fit.log_likelihood < SPOT_SIZE_LOG_FLOOR);
    spot_size_sample_free(&sample);
}

/* Against the sum term by term, in which nothing cancels. */
static void test_log_rising(void **state)
{
    static const double starts[] = {1e-3, 1, 70.5, 1e4, 1e9, 1e15};
    static const int32_t lengths[] = {1, 64, 65, 90, 5000};

    (void) state;
    for (size_t j = 0; j < sizeof(starts) / sizeof(starts[0]); j++) {
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            double sum = 0;

            for (int32_t k = 0; k < lengths[i]; k++) {
                sum += log(starts[j] + k);
            }
            assert_true(
                fabs(spot_size_log_rising(starts[j], lengths[i]) - sum) < 1e-12 * (1 + fabs(sum)));
        }
    }
}

/* Variance and mean above one are equal but for rounding: the likelihood rises for ever
 * larger r. */
static void test_shifted_negbin_without_spread(void **state)
{
    static const double values[] = {1, 3};
    spot_fit_t fit;

    (void) state;
    fit_values(&fit, &spot_size_shifted_negbin, values, NULL, 2);
    assert_true(fit.converged && isinf(fit.law.parameters[0]));
    assert_true(fit.law.parameters[2] == 1);
    assert_true(fabs(fit.log_likelihood - (-2 - log(2))) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_rising),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_unlikely_size),
        cmocka_unit_test(test_laws_are_distributions),
        cmocka_unit_test(test_boundaries_are_limits),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_all_ones),
        cmocka_unit_test(test_truncated_poisson),
        cmocka_unit_test(test_all_is_taken),
        cmocka_unit_test(test_all_equal),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_shifted_negbin_without_spread),
        cmocka_unit_test(test_seed_mixture),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
