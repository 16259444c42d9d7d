/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sobol indices against functions whose indices are known, with and without replication
 * noise, and how often their intervals hold the truth. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/study/plan.h"
#include "tests/statistical/sensitivity_cases.h"
#include "tests/statistical/statistics.h"

#define NUM_DESIGNS 200
#define NUM_NOISE_GROUPS 10
#define CONFIDENCE 0.95

/* What is added to the value at a point in one group of replications. */
typedef enum {
    NO_NOISE,
    OWN_NOISE,    /* of each point by itself */
    COMMON_NOISE, /* the same at all points: common random numbers at their best */
    SLOPE_NOISE   /* each group tilts the function along its first and last input */
} noise_t;

typedef struct {
    known_case_t known;
    size_t num_designs;
    size_t num_samples;
    bool is_random; /* independent points instead of a Sobol sequence */
    noise_t noise;
    double noise_share; /* variance of the mean over the groups, of the known variance */
} setting_t;

/* The Saltelli points of independent base samples. */
static void random_saltelli(size_t num_samples, size_t num_inputs, uint64_t seed, double *points)
{
    double pair[2 * MAX_INPUTS];
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_TYPE, 0);
    for (size_t k = 0; k < num_samples; k++) {
        for (size_t i = 0; i < 2 * num_inputs; i++) {
            pair[i] = spot_rng_uniform(&rng);
        }
        for (size_t j = 0; j < num_inputs + 2; j++) {
            for (size_t i = 0; i < num_inputs; i++) {
                *points++ = pair[j == 1 || j == i + 2 ? num_inputs + i : i];
            }
        }
    }
}

/* The value of one group at one point; groups: two normal draws for each. */
static double noisy_value(
    const setting_t *setting, const double *point, const double *group, spot_rng_t *rng)
{
    const known_case_t *known = &setting->known;
    const double value = known->function(point);
    const double std = sqrt(setting->noise_share * known->variance * NUM_NOISE_GROUPS);

    switch (setting->noise) {
        case OWN_NOISE:
            return value + gsl_ran_gaussian_ziggurat(spot_rng_gsl(rng), std);
        case COMMON_NOISE:
            return value + std * group[0];
        case SLOPE_NOISE: /* the slopes have variance 12 / 2 each, u has 1 / 12 */
            return value +
                   std * sqrt(6) * (group[0] * point[0] + group[1] * point[known->num_inputs - 1]);
        default:
            return value;
    }
}

/* The values of a design, [num_samples][num_inputs + 2][num_groups], freed by the
 * caller. */
static double *make_values(const setting_t *setting, uint64_t seed, size_t num_groups)
{
    const size_t num_inputs = setting->known.num_inputs;
    const size_t num_points = setting->num_samples * (num_inputs + 2);
    double *points = malloc(num_points * num_inputs * sizeof(*points));
    double *values = malloc(num_points * num_groups * sizeof(*values));
    double groups[NUM_NOISE_GROUPS][2];
    spot_rng_t rng;

    assert_non_null(points);
    assert_non_null(values);
    if (setting->is_random) {
        random_saltelli(setting->num_samples, num_inputs, seed, points);
    } else {
        assert_int_equal(spot_design_saltelli(setting->num_samples, num_inputs, seed, points), 0);
    }
    spot_rng_seek(&rng, seed, 1, SPOT_STREAM_COUNT, 0);
    for (size_t g = 0; g < NUM_NOISE_GROUPS; g++) {
        groups[g][0] = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 1);
        groups[g][1] = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 1);
    }
    for (size_t j = 0; j < num_points * num_groups; j++) {
        const double *point = &points[j / num_groups * num_inputs];

        values[j] = noisy_value(setting, point, groups[j % num_groups], &rng);
    }
    free(points);
    return values;
}

/* What many designs gave. */
typedef struct {
    spot_moments_t variance;
    spot_moments_t noise;
    spot_moments_t indices[2][MAX_INPUTS]; /* first order, total */
    double num_held[2][MAX_INPUTS];
    spot_moments_t widths;
} tally_t;

static void add_index(
    tally_t *self, size_t order, size_t i, const spot_sensitivity_index_t *index, double truth)
{
    assert_true(index->ci_low <= index->value && index->value <= index->ci_high);
    spot_moments_add(&self->indices[order][i], index->value);
    spot_moments_add(&self->widths, index->ci_high - index->ci_low);
    self->num_held[order][i] += index->ci_low <= truth && truth <= index->ci_high;
}

static void run_designs(const setting_t *setting, tally_t *tally)
{
    const known_case_t *known = &setting->known;

    memset(tally, 0, sizeof(*tally));
    for (uint64_t seed = 0; seed < setting->num_designs; seed++) {
        const size_t num_groups = setting->noise == NO_NOISE ? 1 : NUM_NOISE_GROUPS;
        double *values = make_values(setting, seed, num_groups);
        const spot_sensitivity_data_t data = {
            known->num_inputs, setting->num_samples, num_groups, values};
        spot_sensitivity_t result;

        assert_int_equal(spot_sensitivity_init(&result, &data, CONFIDENCE, seed), 0);
        assert_int_equal(result.num_used, setting->num_samples);
        assert_int_equal(result.num_left_out, 0);
        spot_moments_add(&tally->variance, result.variance);
        if (num_groups > 1) {
            spot_moments_add(&tally->noise, result.noise_variance);
        } else {
            assert_true(isnan(result.noise_variance));
        }
        for (size_t i = 0; i < known->num_inputs; i++) {
            add_index(tally, 0, i, &result.first[i], known->first[i]);
            add_index(tally, 1, i, &result.total[i], known->total[i]);
        }
        spot_sensitivity_free(&result);
        free(values);
    }
}

/* The means over the designs, against the truth: a bias of relevant, absolute, would
 * show. */
static void assert_unbiased(const setting_t *setting, const tally_t *tally, double relevant)
{
    const known_case_t *known = &setting->known;
    char what[64];

    for (size_t i = 0; i < known->num_inputs; i++) {
        snprintf(what, sizeof(what), "%s, first order %zu", known->name, i);
        assert_mean(what, &tally->indices[0][i], known->first[i], relevant);
        snprintf(what, sizeof(what), "%s, total %zu", known->name, i);
        assert_mean(what, &tally->indices[1][i], known->total[i], relevant);
    }
}

/* The share of all intervals that hold the truth, and the worst index's. */
static void find_coverage(
    const setting_t *setting, const tally_t *tally, double *mean, double *worst)
{
    const size_t num_inputs = setting->known.num_inputs;

    *mean = 0;
    *worst = 1;
    for (size_t order = 0; order < 2; order++) {
        for (size_t i = 0; i < num_inputs; i++) {
            const double share = tally->num_held[order][i] / (double) setting->num_designs;

            *mean += share / (2 * (double) num_inputs);
            *worst = fmin(*worst, share);
        }
    }
    print_message("%s: intervals hold the truth in %.1f %%, the worst in %.1f %%, mean "
                  "width %.3f\n",
        setting->known.name, 100 * *mean, 100 * *worst, spot_moments_mean(&tally->widths));
}

static void fill_cases(known_case_t cases[4])
{
    cases[0] = ishigami_case();
    cases[1] = g_case();
    cases[2] = additive_case();
    cases[3] = product_case();
}

/* The root mean square error of all indices over the designs. */
static double rms_error(const setting_t *setting, const tally_t *tally)
{
    const known_case_t *known = &setting->known;
    double sum = 0;

    for (size_t i = 0; i < known->num_inputs; i++) {
        const double variance_first = pow(spot_moments_std(&tally->indices[0][i]), 2);
        const double variance_total = pow(spot_moments_std(&tally->indices[1][i]), 2);

        sum += pow(spot_moments_mean(&tally->indices[0][i]) - known->first[i], 2);
        sum += pow(spot_moments_mean(&tally->indices[1][i]) - known->total[i], 2);
        sum += variance_first + variance_total;
    }
    return sqrt(sum / (2 * (double) known->num_inputs));
}

/* Independent base samples are what the bootstrap assumes: coverage is near 95 %. A
 * share of 200 has a standard error of 1.5 %; the mean over the inputs must be within
 * 92-97 %, each index within 95 % +- 4.5 standard errors. On four times as many Sobol
 * points the same intervals are on the safe side, and the error is less than half of
 * what as many random ones would have, which is half of what was seen. */
static void test_known_functions(void **state)
{
    known_case_t cases[4];

    (void) state;
    fill_cases(cases);
    for (size_t j = 0; j < 4; j++) {
        setting_t setting = {
            .known = cases[j], .num_designs = NUM_DESIGNS, .num_samples = 256, .is_random = true};
        double mean, worst, random_error, sobol_error;
        tally_t tally;

        run_designs(&setting, &tally);
        assert_unbiased(&setting, &tally, 0.1);
        assert_mean("variance", &tally.variance, cases[j].variance, 0.2 * cases[j].variance);
        find_coverage(&setting, &tally, &mean, &worst);
        assert_true(mean >= 0.92 && mean <= 0.97);
        assert_true(worst >= 0.95 - MAX_Z * sqrt(0.95 * 0.05 / NUM_DESIGNS));
        random_error = rms_error(&setting, &tally);

        setting.is_random = false;
        setting.num_samples *= 4;
        run_designs(&setting, &tally);
        assert_unbiased(&setting, &tally, 0.02);
        find_coverage(&setting, &tally, &mean, &worst);
        assert_true(mean >= 0.95);
        assert_true(worst >= 0.95 - MAX_Z * sqrt(0.95 * 0.05 / NUM_DESIGNS));
        sobol_error = rms_error(&setting, &tally);
        print_message("%s: error %.5f with random points, %.5f with Sobol points\n", cases[j].name,
            random_error, sobol_error);
        assert_true(sobol_error < random_error / 2 / 2);
    }
}

/* Noise of known size, independent or common, must not move the indices, the variance or
 * what is said of the noise. */
static void check_noise(noise_t noise, double noise_share, double noise_seen, double least_coverage)
{
    known_case_t cases[4];

    fill_cases(cases);
    for (size_t j = 0; j < 4; j++) {
        const setting_t setting = {.known = cases[j],
            .num_designs = NUM_DESIGNS,
            .num_samples = 512,
            .is_random = true,
            .noise = noise,
            .noise_share = noise_share};
        const double variance = cases[j].variance;
        double mean, worst;
        tally_t tally;

        run_designs(&setting, &tally);
        assert_unbiased(&setting, &tally, 0.12);
        assert_mean("variance", &tally.variance, variance, 0.2 * variance);
        assert_mean("noise", &tally.noise, noise_seen * variance, 0.1 * variance);
        find_coverage(&setting, &tally, &mean, &worst);
        assert_true(mean >= least_coverage);
    }
}

static void test_own_noise(void **state)
{
    (void) state;
    check_noise(OWN_NOISE, 0.5, 0.5, 0.95);
}

/* Noise that all points share leaves no trace at all. */
static void test_common_noise(void **state)
{
    setting_t setting = {.known = ishigami_case(), .num_samples = 256};
    double *quiet, *noisy;
    spot_sensitivity_t without, with;

    (void) state;
    quiet = make_values(&setting, 3, 1);
    setting.noise = COMMON_NOISE;
    setting.noise_share = 10;
    noisy = make_values(&setting, 3, NUM_NOISE_GROUPS);
    assert_int_equal(spot_sensitivity_init(
                         &without, &(spot_sensitivity_data_t){3, 256, 1, quiet}, CONFIDENCE, 1),
        0);
    assert_int_equal(
        spot_sensitivity_init(
            &with, &(spot_sensitivity_data_t){3, 256, NUM_NOISE_GROUPS, noisy}, CONFIDENCE, 1),
        0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(without.first[i].value - with.first[i].value) <= 1e-9);
        assert_true(fabs(without.total[i].value - with.total[i].value) <= 1e-9);
        assert_true(fabs(without.total[i].ci_high - with.total[i].ci_high) <= 1e-9);
    }
    assert_true(fabs(with.variance / without.variance - 1) <= 1e-9);
    assert_true(fabs(with.noise_variance) <= 1e-9 * with.variance);
    spot_sensitivity_free(&without);
    spot_sensitivity_free(&with);
    free(quiet);
    free(noisy);
}

/* Noise that depends on the point but is the same for all base samples does not average
 * out over them: only leaving out groups shows it. */
static void test_slope_noise(void **state)
{
    (void) state;
    check_noise(SLOPE_NOISE, 0.02, 0.02, 0.9);
}

/* Common noise moves numerator and variance together, and a ratio of unbiased sums is
 * not unbiased: without the jackknife the indices are off by 0.01. */
static void test_ratio_bias(void **state)
{
    const setting_t setting = {.known = product_case(),
        .num_designs = 2000,
        .num_samples = 128,
        .noise = SLOPE_NOISE,
        .noise_share = 0.05};
    tally_t tally;

    (void) state;
    run_designs(&setting, &tally);
    assert_unbiased(&setting, &tally, 0.05);
}

static spot_sensitivity_data_t small_data(double *values, size_t num_samples, size_t num_groups)
{
    for (size_t j = 0; j < num_samples * 4 * num_groups; j++) {
        values[j] = sin((double) (j * j));
    }
    return (spot_sensitivity_data_t){2, num_samples, num_groups, values};
}

static void assert_no_indices(const spot_sensitivity_t *result)
{
    for (size_t i = 0; i < result->num_inputs; i++) {
        assert_true(isnan(result->first[i].value));
        assert_true(isnan(result->first[i].ci_low));
        assert_true(isnan(result->total[i].value));
        assert_true(isnan(result->total[i].ci_high));
    }
}

static void assert_outcome(const spot_sensitivity_data_t *data, int outcome, size_t num_left_out)
{
    spot_sensitivity_t result;

    assert_int_equal(spot_sensitivity_init(&result, data, CONFIDENCE, 1), outcome);
    assert_int_equal(result.num_inputs, data->num_inputs);
    assert_int_equal(result.num_left_out, num_left_out);
    assert_int_equal(result.num_used + num_left_out, data->num_samples);
    if (outcome != 0) {
        assert_no_indices(&result);
    }
    spot_sensitivity_free(&result);
    spot_sensitivity_free(&result);
}

static void test_outcomes(void **state)
{
    enum { LEAST = SPOT_SENSITIVITY_MIN_SAMPLES, NUM_GROUPS = 4 };
    double values[(LEAST + 2) * 4 * NUM_GROUPS];
    spot_sensitivity_data_t data = small_data(values, LEAST, 1);

    (void) state;
    assert_outcome(&data, 0, 0);
    values[5] = (double) NAN;
    assert_outcome(&data, SPOT_ANALYSIS_TOO_FEW, 1);
    data = small_data(values, LEAST + 2, 1);
    values[4] = (double) NAN;
    values[7] = (double) INFINITY;
    values[4 * (LEAST + 2) - 1] = (double) NAN;
    assert_outcome(&data, 0, 2);
    data = small_data(values, 0, 1);
    assert_outcome(&data, SPOT_ANALYSIS_TOO_FEW, 0);

    data = small_data(values, LEAST, 1);
    for (size_t j = 0; j < LEAST * 4; j++) {
        values[j] = 0.1;
    }
    assert_outcome(&data, SPOT_ANALYSIS_CONSTANT, 0);
    data = small_data(values, LEAST, NUM_GROUPS); /* groups differ, points do not */
    for (size_t j = 0; j < LEAST * 4 * NUM_GROUPS; j++) {
        values[j] = (double) (j % NUM_GROUPS) / 10;
    }
    assert_outcome(&data, SPOT_ANALYSIS_CONSTANT, 0);
    data = small_data(values, LEAST, NUM_GROUPS); /* every group says something else */
    assert_outcome(&data, SPOT_ANALYSIS_NOISE, 0);
}

/* Base samples that are left out are as if they had not been there. */
static void test_left_out_is_gone(void **state)
{
    const setting_t setting = {.known = product_case(), .num_samples = 128};
    const size_t num_values = 128 * 7;
    double *values = make_values(&setting, 1, 1);
    double *more = malloc((num_values + 7) * sizeof(*more));
    spot_sensitivity_t one, other;

    (void) state;
    assert_non_null(more);
    memcpy(more, values, 70 * sizeof(*more));
    for (size_t j = 0; j < 7; j++) {
        more[70 + j] = j == 3 ? (double) NAN : 1e6;
    }
    memcpy(more + 77, values + 70, (num_values - 70) * sizeof(*more));
    assert_int_equal(
        spot_sensitivity_init(&one, &(spot_sensitivity_data_t){5, 128, 1, values}, CONFIDENCE, 9),
        0);
    assert_int_equal(
        spot_sensitivity_init(&other, &(spot_sensitivity_data_t){5, 129, 1, more}, CONFIDENCE, 9),
        0);
    assert_int_equal(other.num_left_out, 1);
    assert_true(one.mean == other.mean && one.variance == other.variance);
    assert_memory_equal(one.first, other.first, 5 * sizeof(*one.first));
    assert_memory_equal(one.total, other.total, 5 * sizeof(*one.total));
    spot_sensitivity_free(&one);
    spot_sensitivity_free(&other);
    free(values);
    free(more);
}

/* Indices do not depend on the metric's unit or zero; an input without effect has
 * exactly none. */
static void test_invariance(void **state)
{
    const setting_t setting = {.known = ishigami_case(), .num_samples = 256};
    double *values = make_values(&setting, 1, 1);
    spot_sensitivity_t one, other;

    (void) state;
    for (size_t k = 0; k < 256; k++) {
        values[5 * k + 4] = values[5 * k]; /* as if input 2 did nothing */
    }
    assert_int_equal(
        spot_sensitivity_init(&one, &(spot_sensitivity_data_t){3, 256, 1, values}, CONFIDENCE, 9),
        0);
    for (size_t j = 0; j < 256 * 5; j++) {
        values[j] = 1e4 - 1024 * values[j];
    }
    assert_int_equal(
        spot_sensitivity_init(&other, &(spot_sensitivity_data_t){3, 256, 1, values}, CONFIDENCE, 9),
        0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(one.first[i].value - other.first[i].value) <= 1e-9);
        assert_true(fabs(one.total[i].ci_low - other.total[i].ci_low) <= 1e-9);
    }
    assert_true(one.first[2].value == 0 && one.first[2].ci_high == 0);
    assert_true(one.total[2].value == 0 && one.total[2].ci_low == 0);
    spot_sensitivity_free(&one);
    spot_sensitivity_free(&other);
    free(values);
}

static void assert_bad(size_t num_inputs, size_t num_groups, double confidence)
{
    static const double values[1] = {0};
    const spot_sensitivity_data_t data = {num_inputs, 0, num_groups, values};
    spot_sensitivity_t result;

    assert_int_equal(spot_sensitivity_init(&result, &data, confidence, 1), SPOT_ERR_BAD_PARAM);
    spot_sensitivity_free(&result);
}

static void test_bad_parameters(void **state)
{
    (void) state;
    assert_bad(0, 1, 0.95);
    assert_bad(2, 0, 0.95);
    assert_bad(2, SPOT_MIN_GROUPS - 1, 0.95);
    assert_bad(2, SPOT_MAX_GROUPS + 1, 0.95);
    assert_bad(2, 1, 0);
    assert_bad(2, 1, 1);
    assert_bad(2, 1, (double) NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_functions),
        cmocka_unit_test(test_own_noise),
        cmocka_unit_test(test_common_noise),
        cmocka_unit_test(test_slope_noise),
        cmocka_unit_test(test_ratio_bias),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_left_out_is_gone),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_bad_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
