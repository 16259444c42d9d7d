/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bind.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/yaml.h"
#include "tests/unit/base/support.h"
#include "traces/laws/law.h"

static const spot_law_t laws[] = {
    {&spot_family_exponential, {500}},
    {&spot_family_weibull, {300, 0.6}},
    {&spot_family_weibull, {300, 3}},
    {&spot_family_gamma, {0.4, 900}},
    {&spot_family_gamma, {1, 900}},
    {&spot_family_gamma, {60, 10}},
    {&spot_family_lognormal, {6, 1.2}},
    {&spot_family_loglogistic, {200, 2.7}},
    {&spot_family_hyperexp2, {0.7, 30, 2000}},
    {&spot_family_bathtub, {0.4, 12000, 3000, 90000}},
    {&spot_family_bathtub, {0.4, 1e9, 1e12, 90000}}, /* uniform */
    {&spot_family_deadline, {6, 2, 3000, 200, 900}},
    {&spot_family_deadline, {6, 2, 3000, 1, 0}}, /* all at the wall */
    {&spot_family_deadline, {6, 1, (double) INFINITY, 1, 0}},
};
enum { NUM_LAWS = sizeof(laws) / sizeof(laws[0]) };

static void assert_near(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1e-300, fabs(expected)))) {
        fail_msg("%s: %.17g is not %.17g", what, value, expected);
    }
}

static double survival(const spot_law_t *law, double t_s)
{
    return exp(law->family->log_survival(law->parameters, t_s));
}

/* Where S is smooth. */
static bool is_near_a_corner(const spot_law_t *law, double t_s)
{
    const double *p = law->parameters;

    if (law->family == &spot_family_deadline) {
        return fabs(t_s / p[2] - 1) < 1e-3 || fabs(t_s / (p[2] + p[4]) - 1) < 1e-3;
    }
    return law->family == &spot_family_bathtub && fabs(t_s / p[3] - 1) < 1e-3;
}

static void test_density_is_slope(void **state)
{
    static const double ps[] = {1e-3, 0.03, 0.2, 0.5, 0.8, 0.97, 0.999};

    (void) state;
    for (int j = 0; j < NUM_LAWS; j++) {
        for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
            const double t_s = spot_law_quantile(&laws[j], ps[i]), h = 1e-4 * t_s;
            const double slope =
                (8 * (survival(&laws[j], t_s - h) - survival(&laws[j], t_s + h)) -
                    survival(&laws[j], t_s - 2 * h) + survival(&laws[j], t_s + 2 * h)) /
                (12 * h);

            if (!is_near_a_corner(&laws[j], t_s)) {
                assert_near(laws[j].family->name,
                    exp(laws[j].family->log_density(laws[j].parameters, t_s)), slope, 1e-7);
            }
        }
    }
}

/* E(T) = int S dt and E(T^2) = int 2 t S dt, by Simpson's rule in ln t. */
static void integrate(const spot_law_t *law, double *mean, double *mean_square)
{
    enum { NUM_STEPS = 400000 };
    const double low = -25, high = 40, step = (high - low) / NUM_STEPS;

    *mean = exp(low);
    *mean_square = exp(2 * low);
    for (int j = 0; j <= NUM_STEPS; j++) {
        const double t_s = exp(low + j * step);
        const double weight = (j == 0 || j == NUM_STEPS ? 1 : 2 + 2 * (j % 2)) / 3.0;
        const double s = weight * step * t_s * survival(law, t_s);

        *mean += s;
        *mean_square += 2 * t_s * s;
    }
}

static void test_moments(void **state)
{
    (void) state;
    for (int j = 0; j < NUM_LAWS; j++) {
        const spot_family_t *family = laws[j].family;
        const double jump = family->num_settings > 0 ? 1e-4 : 1e-7; /* at a wall */
        double mean, mean_square;

        integrate(&laws[j], &mean, &mean_square);
        assert_near(family->name, family->moment(laws[j].parameters, 1), mean, jump);
        assert_near(family->name, family->moment(laws[j].parameters, 2), mean_square, jump);
        assert_near(
            family->name, spot_law_cv(&laws[j]), sqrt(mean_square / (mean * mean) - 1), 10 * jump);
    }
}

static void test_no_moments(void **state)
{
    const spot_law_t no_mean = {&spot_family_loglogistic, {200, 0.9}};
    const spot_law_t no_cv = {&spot_family_loglogistic, {200, 1.5}};

    (void) state;
    assert_true(isinf(no_mean.family->moment(no_mean.parameters, 1)));
    assert_true(isinf(spot_law_cv(&no_mean)));
    assert_true(isfinite(no_cv.family->moment(no_cv.parameters, 1)));
    assert_true(isinf(spot_law_cv(&no_cv)));
}

static void test_quantile(void **state)
{
    static const double ps[] = {1e-12, 1e-5, 0.1, 0.5, 0.9, 1 - 1e-9};

    (void) state;
    for (int j = 0; j < NUM_LAWS; j++) {
        assert_true(spot_law_quantile(&laws[j], 0) == 0);
        for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
            const double t_s = spot_law_quantile(&laws[j], ps[i]);
            const double target = log1p(-ps[i]);

            assert_true(
                laws[j].family->log_survival(laws[j].parameters, t_s * (1 + 1e-11)) <= target);
            assert_true(
                laws[j].family->log_survival(laws[j].parameters, t_s * (1 - 1e-11)) >= target);
        }
    }
}

/* ln S for S near 1 and near 0, against sums and series that do not cancel. */
static void test_tails(void **state)
{
    const double gamma_20[] = {20, 1}, gamma_3000[] = {3000, 1};
    const double hyper[] = {0.25, 3, 5}, normal[] = {0, 1};
    const double sharp[] = {0.3, 1000, 1e-40, 5000};
    double sum = 0, term = 1, z = 30, x = 2000;

    (void) state;
    for (int k = 0; k < 20; k++) { /* Q(n, x) = e^-x sum of x^k/k! */
        sum += term;
        term *= x / (k + 1);
    }
    assert_near("gamma far", spot_family_gamma.log_survival(gamma_20, x), log(sum) - x, 1e-13);
    x = 5200; /* Q = e^-x x^(n-1)/(n-1)! (1 + (n-1)/x + ...) */
    sum = 0;
    term = 1;
    for (int k = 1; k < 3000; k++) {
        sum += term;
        term *= (3000 - k) / x;
    }
    assert_near("gamma of large shape", spot_family_gamma.log_survival(gamma_3000, x),
        2999 * log(x) - x - lgamma(3000) + log(sum), 1e-9);
    assert_near("gamma near 0", spot_family_gamma.log_survival(gamma_20, 0.01),
        -exp(20 * log(0.01) - 0.01 - lgamma(21)) * (1 + 0.01 / 21 + 1e-4 / 462), 1e-9);
    assert_near("gamma below all doubles", spot_family_gamma.log_survival(gamma_3000, 1e-3), 0, 0);
    assert_near(
        "hyperexp2 far", spot_family_hyperexp2.log_survival(hyper, 1e5), log(0.75) - 2e4, 1e-15);
    assert_near("hyperexp2 near 0", spot_family_hyperexp2.log_survival(hyper, 1e-9),
        -1e-9 * (0.25 / 3 + 0.75 / 5), 1e-9);
    assert_near("lognormal far", spot_family_lognormal.log_survival(normal, exp(z)),
        -z * z / 2 - log(z * sqrt(2 * 3.14159265358979324)) +
            log1p(-1 / (z * z) + 3 / pow(z, 4) - 15 / pow(z, 6) + 105 / pow(z, 8)),
        1e-13);
    assert_near("lognormal near 0", spot_family_lognormal.log_survival(normal, exp(-z)),
        -exp(gsl_sf_log_erfc(z / sqrt(2.0))) / 2, 1e-12);
    assert_near("bathtub early", spot_family_bathtub.log_survival(sharp, 1e-8),
        -0.3 * 1e-11 / -expm1(-5.0), 1e-9);
    assert_near("bathtub late", spot_family_bathtub.log_survival(sharp, 4999),
        log(0.7 + 0.3 * (exp(-4.999) - exp(-5)) / -expm1(-5.0)), 1e-13);
}

/* Nothing that a search may try gives a NaN or a survival above 1, or reaches the error
 * handler of the library, which would end the program. */
static void test_extremes(void **state)
{
    static const double values[] = {1e-300, 1e-100, 1e-9, 0.5, 1, 2, 37, 1e5, 1e9, 1e100, 1e300};
    static const double times_s[] = {
        0, 1e-300, 1e-30, 1e-3, 1, 36.9, 37, 1e4, 86400, 1e5, 1e30, 1e300};
    enum { NUM = sizeof(values) / sizeof(values[0]) };

    (void) state;
    for (int f = 0; spot_families[f] != NULL; f++) {
        const spot_family_t *family = spot_families[f];

        for (int i = 0; i < NUM * NUM * NUM; i++) {
            double p[SPOT_LAW_MAX_PARAMETERS] = {
                values[i % NUM], values[i / NUM % NUM], values[i / NUM / NUM]};
            double before = 0;

            if (family == &spot_family_hyperexp2 || family == &spot_family_bathtub) {
                p[0] = fmin(p[0], 1);
            }
            if (family == &spot_family_lognormal || family == &spot_family_deadline) {
                p[0] = fmin(p[0], 700);
            }
            p[3] = family == &spot_family_deadline ? 60 : 86400;
            p[4] = 600;
            for (size_t k = 0; k < sizeof(times_s) / sizeof(times_s[0]); k++) {
                const double log_s = family->log_survival(p, times_s[k]);

                if (isnan(family->log_density(p, times_s[k])) || !(log_s <= 1e-15) ||
                    !(log_s <= before || log_s <= before * (1 - 1e-9) + 1e-9)) {
                    fail_msg("%s(%g, %g, %g) at %g: ln S %g after %g, ln f %g", family->name, p[0],
                        p[1], p[2], times_s[k], log_s, before, family->log_density(p, times_s[k]));
                }
                before = log_s;
            }
            if (!(family->moment(p, 1) >= 0) || !(family->moment(p, 2) >= 0)) {
                fail_msg("%s(%g, %g, %g): mean %g, mean square %g", family->name, p[0], p[1], p[2],
                    family->moment(p, 1), family->moment(p, 2));
            }
        }
    }
}

/* Kolmogorov's distance to F: correct draws exceed 2.4 once in 5e4. */
static void test_draws(void **state)
{
    enum { NUM_DRAWS = 20000 };
    static double values[NUM_DRAWS];

    (void) state;
    for (int j = 0; j < NUM_LAWS; j++) {
        double largest = 0, shifted = 0;
        spot_rng_t rng;

        spot_rng_seek(&rng, 7, 0, SPOT_STREAM_LIFETIME, (uint64_t) j);
        for (int i = 0; i < NUM_DRAWS; i++) {
            values[i] = laws[j].family->draw(laws[j].parameters, &rng);
        }
        spot_sort(values, NUM_DRAWS);
        for (int i = 0; i < NUM_DRAWS; i++) {
            const double f = 1 - survival(&laws[j], values[i]);
            const double g = 1 - survival(&laws[j], 1.1 * values[i]);
            const bool is_atom = i + 1 < NUM_DRAWS && values[i + 1] == values[i];

            if (!is_atom) {
                largest = fmax(largest, fabs(f - (i + 1.0) / NUM_DRAWS));
                shifted = fmax(shifted, fabs(g - (i + 1.0) / NUM_DRAWS));
            }
        }
        print_message("%s: sqrt(n) D %.2f, with 10 %% longer times %.1f\n", laws[j].family->name,
            sqrt(NUM_DRAWS) * largest, sqrt(NUM_DRAWS) * shifted);
        assert_true(sqrt(NUM_DRAWS) * largest <= 2.4);
        assert_true(sqrt(NUM_DRAWS) * shifted > 2.4);
    }
}

typedef struct {
    spot_law_t law;
} target_t;

static const spot_field_t target_fields[] = {
    {.name = "gap",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(target_t, law),
        .bind = spot_law_bind,
        .expected = spot_law_expected},
    {.name = NULL},
};

static int bind_text(const char *text, target_t *target, spot_diag_t *diag)
{
    spot_yaml_t yaml;
    int error;

    memset(target, 0, sizeof(*target));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&yaml, "law.yaml", text, strlen(text), diag), 0);
    error = spot_bind_document(target_fields, yaml.root, diag, target);
    spot_yaml_free(&yaml);
    return error;
}

static void assert_refused(const char *text, const char *report)
{
    target_t target;
    spot_diag_t diag;

    assert_int_equal(bind_text(text, &target, &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, report);
    spot_diag_free(&diag);
}

static void test_yaml(void **state)
{
    target_t target;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        bind_text("gap: {family: hyperexp2, p1: 0.5, mu1: 3, mu2: 40}\n", &target, &diag), 0);
    assert_ptr_equal(target.law.family, &spot_family_hyperexp2);
    assert_true(target.law.parameters[0] == 0.5 && target.law.parameters[1] == 3 &&
                target.law.parameters[2] == 40);
    spot_diag_free(&diag);
    assert_int_equal(bind_text("gap: {law: deadline, zeta: 12.2, sigma: 3.6, "
                               "deadline_s: 86400, overrun_mean_s: 1356, "
                               "overrun_max_s: 3000}\n",
                         &target, &diag),
        0);
    assert_true(target.law.parameters[2] == 86400 && target.law.parameters[4] == 3000);
    spot_diag_free(&diag);
    assert_int_equal(bind_text("gap: {law: deadline, zeta: 1, sigma: 2}\n", &target, &diag), 0);
    assert_true(isinf(target.law.parameters[2]));
    spot_diag_free(&diag);
}

#define EXPECTED_MAP                                                                               \
    "law.yaml:1:6: gap: expected {family: exponential|weibull|gamma|lognormal|"                    \
    "loglogistic|hyperexp2|bathtub|deadline, PARAMETER: NUMBER, ...}"

static void test_yaml_errors(void **state)
{
    (void) state;
    assert_refused("gap: {family: weibul, scale: 3, shape: 1}\n",
        "law.yaml:1:15: gap: unknown family \"weibul\", did you mean \"weibull\"?\n");
    assert_refused("gap: {scale: 3, shape: 1}\n", EXPECTED_MAP ", got a map\n");
    assert_refused("gap: weibull\n", EXPECTED_MAP ", got \"weibull\"\n");
    assert_refused("gap: {family: weibull, law: weibull, scale: 3, shape: 1}\n",
        EXPECTED_MAP ", got a map: both family and law are given\n");
    assert_refused("gap: {family: weibull, scale: 0, shape: 1}\n",
        "law.yaml:1:31: gap.scale: expected a number from 1e-300 to 1e+300, got "
        "\"0\"\n");
    assert_refused("gap: {family: gamma, scale: 3}\n", "law.yaml:1:6: missing key \"gap.shape\"\n");
    assert_refused("gap: {family: hyperexp2, p1: 1.5, mu1: 3, mu2: 40}\n",
        "law.yaml:1:30: gap.p1: expected a number from 0 to 1, got \"1.5\"\n");
    assert_refused(
        "gap: {family: exponential, mu: 5, sigma: 2}\n", "law.yaml:1:35: unknown key \"sigma\"\n");
    assert_refused("gap: {law: deadline, zeta: 1, sigma: 2, deadline_s: -1}\n",
        "law.yaml:1:53: gap.deadline_s: expected a number of seconds above 0, or none, "
        "got \"-1\"\n");
    assert_refused("gap: {law: deadline, zeta: 1, sigma: 2, deadline_s: never}\n",
        "law.yaml:1:53: gap.deadline_s: expected a number of seconds above 0, or none, "
        "got \"never\"\n");
    assert_refused("gap: {family: exponential, mu: .inf}\n",
        "law.yaml:1:32: gap.mu: expected a number from 1e-300 to 1e+300, got "
        "\".inf\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_is_slope),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_no_moments),
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_yaml_errors),
    };

    return cmocka_run_group_tests_name("laws/law", tests, NULL, NULL);
}
