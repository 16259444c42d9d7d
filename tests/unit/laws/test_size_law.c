/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "traces/laws/law.h"

/* More sizes than any law here has. */
#define UNLIMITED SPOT_MAX_INSTANCES

typedef spot_size_family_parameters_t parameters_t;

static const spot_size_big_t no_big = {0};

static void make_law(spot_size_law_t *law, spot_size_family_t family, double a, double b)
{
    const parameters_t parameters = {family, a, b};

    assert_int_equal(spot_size_law_init(law, &parameters, &no_big, UNLIMITED), 0);
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static double p_of_size(const spot_size_law_t *law, size_t size)
{
    return law->cumulative[size - 1] - (size == 1 ? 0 : law->cumulative[size - 2]);
}

/* |round X| is k where X is in the cell of k or of -k, and 0 counts as 1. */
static double p_of_folded(double k, double mean, double std)
{
    const double above =
        gsl_cdf_gaussian_P(k + 0.5 - mean, std) - gsl_cdf_gaussian_P(k - 0.5 - mean, std);
    const double below =
        gsl_cdf_gaussian_P(-k + 0.5 - mean, std) - gsl_cdf_gaussian_P(-k - 0.5 - mean, std);
    const double zero = gsl_cdf_gaussian_P(0.5 - mean, std) - gsl_cdf_gaussian_P(-0.5 - mean, std);

    return above + below + (k == 1 ? zero : 0);
}

static double p_of_family(const parameters_t *law, unsigned k)
{
    const double a = law->a, b = law->b, excess = a - 1, rest = b * b - excess;

    switch (law->family) {
        case SPOT_SIZE_NORMAL:
            return p_of_folded(k, a, b);
        case SPOT_SIZE_MOMENTS:
            return rest > 0 ? gsl_ran_negative_binomial_pdf(
                                  k - 1, excess / (b * b), excess * excess / rest)
                            : gsl_ran_poisson_pdf(k - 1, excess);
        case SPOT_SIZE_GEOMETRIC:
            return gsl_ran_geometric_pdf(k, a);
        case SPOT_SIZE_NEGBIN:
            return gsl_ran_negative_binomial_pdf(k - 1, b, a);
        case SPOT_SIZE_FIXED:
            break;
    }
    return k == a ? 1 : 0;
}

/* The table against closed forms: the laws of the seed study and corners of each. */
static void test_tables_are_the_closed_forms(void **state)
{
    static const parameters_t laws[] = {
        {SPOT_SIZE_NORMAL, 70.0 / 29, 2.086165648825032},
        {SPOT_SIZE_NORMAL, 61.0 / 24, 1.9456261184790364},
        {SPOT_SIZE_NORMAL, 0, 1},
        {SPOT_SIZE_NORMAL, -5, 2},
        {SPOT_SIZE_NORMAL, 40, 0.3},
        {SPOT_SIZE_MOMENTS, 70.0 / 29, 2.086165648825032},
        {SPOT_SIZE_MOMENTS, 3, 1},
        {SPOT_SIZE_MOMENTS, 1.25, 4},
        {SPOT_SIZE_GEOMETRIC, 0.47, 0},
        {SPOT_SIZE_GEOMETRIC, 0.01, 0},
        {SPOT_SIZE_NEGBIN, 0.68, 0.325},
        {SPOT_SIZE_NEGBIN, 12, 0.9},
        {SPOT_SIZE_FIXED, 3, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(laws) / sizeof(laws[0]); j++) {
        spot_size_law_t law;

        make_law(&law, laws[j].family, laws[j].a, laws[j].b);
        assert_true(law.cumulative[law.num_sizes - 1] == 1);
        for (size_t k = 1; k <= law.num_sizes; k++) {
            assert_near(p_of_size(&law, k), p_of_family(&laws[j], (unsigned) k), 1e-12);
        }
        assert_true(p_of_family(&laws[j], (unsigned) law.num_sizes + 1) < 1e-15);
        spot_size_law_free(&law);
    }
}

static void test_laws_of_one_size(void **state)
{
    static const struct {
        parameters_t parameters;
        size_t size;
    } laws[] = {
        {{SPOT_SIZE_FIXED, 1, 0}, 1},
        {{SPOT_SIZE_FIXED, 7, 0}, 7},
        {{SPOT_SIZE_NORMAL, 2.6, 0}, 3},
        {{SPOT_SIZE_NORMAL, -2.6, 0}, 3},
        {{SPOT_SIZE_NORMAL, 0.2, 0}, 1},
        {{SPOT_SIZE_GEOMETRIC, 1, 0}, 1},
        {{SPOT_SIZE_NEGBIN, 5, 1}, 1},
        {{SPOT_SIZE_MOMENTS, 1, 0}, 1},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(laws) / sizeof(laws[0]); j++) {
        spot_size_law_t law;

        make_law(&law, laws[j].parameters.family, laws[j].parameters.a, laws[j].parameters.b);
        assert_int_equal(law.num_sizes, laws[j].size);
        assert_true(p_of_size(&law, laws[j].size) == 1);
        spot_size_law_free(&law);
    }
}

/* Mean and standard deviation of the tabulated law. */
static void moments_of(const spot_size_law_t *self, double *mean, double *std)
{
    spot_sum_t sum = {0}, sum_squares = {0};
    double below = 0;

    for (size_t j = 0; j < self->num_sizes; j++) {
        const double p = self->cumulative[j] - below, k = (double) j + 1;

        below = self->cumulative[j];
        spot_sum_add(&sum, k * p);
        spot_sum_add(&sum_squares, k * k * p);
    }
    *mean = spot_sum_total(&sum);
    *std = sqrt(fmax(0, spot_sum_total(&sum_squares) - *mean * *mean));
}

/* What the notebook's law really has: its mean is above the one that it is given. */
static void test_moments_of_the_folded_law(void **state)
{
    static const struct {
        double mean, std, folded_mean, folded_std;
    } laws[] = {
        {70.0 / 29, 2.086165648825032, 2.7593380, 1.6571349},
        {61.0 / 24, 1.9456261184790364, 2.7972302, 1.6100888},
        {0, 1, 1.1465058, 0.3895929},
    };
    double mean, std;

    (void) state;
    for (size_t j = 0; j < sizeof(laws) / sizeof(laws[0]); j++) {
        spot_size_law_t law;

        make_law(&law, SPOT_SIZE_NORMAL, laws[j].mean, laws[j].std);
        moments_of(&law, &mean, &std);
        assert_near(mean, laws[j].folded_mean, 5e-8);
        assert_near(std, laws[j].folded_std, 5e-8);
        spot_size_law_free(&law);
    }
}

/* relative: of both. A law that is narrower than Poisson cannot be had: it is Poisson.
 */
static void check_moments(double mean, double std, double relative)
{
    const double expected = fmax(std, sqrt(mean - 1));
    double law_mean, law_std;
    spot_size_law_t law;

    make_law(&law, SPOT_SIZE_MOMENTS, mean, std);
    moments_of(&law, &law_mean, &law_std);
    assert_near(law_mean, mean, relative * mean);
    assert_near(law_std, expected, relative * expected);
    spot_size_law_free(&law);
}

static void test_moments_law_has_its_moments(void **state)
{
    static const double means[] = {1.01, 1.5, 70.0 / 29, 61.0 / 24, 3, 10, 64, 1000};

    (void) state;
    check_moments(1, 0, 1e-9);
    for (size_t j = 0; j < sizeof(means) / sizeof(means[0]); j++) {
        const double poisson = sqrt(means[j] - 1);

        check_moments(means[j], 0, 1e-9);
        check_moments(means[j], poisson / 2, 1e-9);
        check_moments(means[j], poisson * 1.001, 1e-9);
        check_moments(means[j], poisson * 2, 1e-9);
        check_moments(means[j], poisson * 5, 1e-9);
    }
    check_moments(70.0 / 29, 2.086165648825032, 1e-9);
}

/* From exactly Poisson to where it differs: r goes from infinity to finite. */
static void test_moments_law_near_poisson(void **state)
{
    static const double means[] = {1.01, 2.4, 3, 10, 64, 1000};

    (void) state;
    for (size_t j = 0; j < sizeof(means) / sizeof(means[0]); j++) {
        check_moments(means[j], sqrt(means[j] - 1), 1e-9);
        for (double above = 1e-16; above < 1e-3; above *= 3) {
            check_moments(means[j], sqrt((means[j] - 1) * (1 + above)), 1e-7);
        }
    }
}

static void test_big_events_are_mixed_in(void **state)
{
    const parameters_t regular = {SPOT_SIZE_MOMENTS, 61.0 / 24, 1.9456261184790364};
    const spot_size_big_t big = {1.0 / 17, 11, 31}, always = {1, 4, 4};
    double mean, std;
    spot_size_law_t law;

    (void) state;
    assert_int_equal(spot_size_law_init(&law, &regular, &big, UNLIMITED), 0);
    for (unsigned k = 1; k <= law.num_sizes; k++) {
        const double p_big = k >= 11 && k <= 31 ? 1.0 / 21 : 0;

        assert_near(p_of_size(&law, k), p_big / 17 + 16.0 / 17 * p_of_family(&regular, k), 1e-12);
    }
    moments_of(&law, &mean, &std);
    assert_near(mean, 16.0 / 17 * 61 / 24 + 21.0 / 17, 1e-9);
    spot_size_law_free(&law);

    assert_int_equal(spot_size_law_init(&law, &regular, &always, UNLIMITED), 0);
    assert_int_equal(law.num_sizes, 4);
    assert_true(p_of_size(&law, 4) == 1);
    spot_size_law_free(&law);
}

/* The largest size stands for itself and all above it. */
static void test_truncation_at_the_largest_size(void **state)
{
    const parameters_t regular = {SPOT_SIZE_NORMAL, 70.0 / 29, 2.086165648825032};
    const spot_size_big_t big = {0.25, 3, 40};
    spot_size_law_t law, whole;

    (void) state;
    assert_int_equal(spot_size_law_init(&whole, &regular, &big, UNLIMITED), 0);
    assert_true(whole.num_sizes >= 40);
    for (int64_t max_size = 1; max_size <= 40; max_size++) {
        assert_int_equal(spot_size_law_init(&law, &regular, &big, max_size), 0);
        assert_int_equal(law.num_sizes, max_size);
        assert_true(law.cumulative[max_size - 1] == 1);
        for (int64_t k = 1; k < max_size; k++) {
            assert_true(law.cumulative[k - 1] == whole.cumulative[k - 1]);
        }
        spot_size_law_free(&law);
    }
    spot_size_law_free(&whole);
}

/* A stream whose next uniform number is u, a multiple of 2^-53. */
static void set_next(spot_rng_t *rng, double u)
{
    spot_rng_seek(rng, 1, 0, SPOT_STREAM_COUNT, 0);
    rng->state.num_used = 3;
    rng->state.numbers[3] = (uint64_t) (u * 0x1p53) << 11;
}

static void check_inversion(const spot_size_law_t *law, double u)
{
    size_t size = 1;
    spot_rng_t rng;

    if (u < 0 || u >= 1) {
        return;
    }
    u = floor(u * 0x1p53) * 0x1p-53;
    while (law->cumulative[size - 1] <= u) {
        size++;
    }
    set_next(&rng, u);
    assert_int_equal(spot_size_law_draw(law, &rng), size);
}

/* Everywhere, and just below, at and above each step and each cell of the guide table.
 */
static void test_draws_are_inversions(void **state)
{
    static const parameters_t laws[] = {
        {SPOT_SIZE_NORMAL, 70.0 / 29, 2.086165648825032},
        {SPOT_SIZE_NORMAL, 40, 0.3},
        {SPOT_SIZE_MOMENTS, 1.25, 4},
        {SPOT_SIZE_GEOMETRIC, 0.01, 0},
        {SPOT_SIZE_FIXED, 49, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(laws) / sizeof(laws[0]); j++) {
        spot_size_law_t law;

        make_law(&law, laws[j].family, laws[j].a, laws[j].b);
        for (int i = 0; i <= 10000; i++) {
            check_inversion(&law, i / 10001.0);
        }
        for (size_t k = 0; k < law.num_sizes; k++) {
            const double step = law.cumulative[k];
            const double guide = (double) k / (double) law.num_guides;

            for (int i = -2; i <= 2; i++) {
                check_inversion(&law, step + i * 0x1p-53);
                check_inversion(&law, guide + i * 0x1p-53);
            }
        }
        spot_size_law_free(&law);
    }
}

/* Steps where the guide table's cells begin: u just below one is not yet of its cell,
 * though u * num_guides may round up to it. */
static void test_guides_at_steps_of_equal_sizes(void **state)
{
    const parameters_t none = {SPOT_SIZE_FIXED, 1, 0};

    (void) state;
    for (int64_t high = 2; high <= 300; high++) {
        const spot_size_big_t uniform = {1, 1, high};
        spot_size_law_t law;

        assert_int_equal(spot_size_law_init(&law, &none, &uniform, UNLIMITED), 0);
        assert_int_equal(law.num_sizes, high);
        for (int64_t k = 1; k < high; k++) {
            const double step = (double) k / (double) high;

            check_inversion(&law, step);
            check_inversion(&law, nextafter(step, 0));
            check_inversion(&law, nextafter(step, 1));
        }
        spot_size_law_free(&law);
    }
}

/* The draws against the closed form, and against one with a mean that is 2 % larger. */
static void test_draws_follow_the_law(void **state)
{
    enum { NUM_DRAWS = 200000, MAX_SIZE = 64 };
    const parameters_t preempt = {SPOT_SIZE_MOMENTS, 70.0 / 29, 2.086165648825032};
    const parameters_t other = {SPOT_SIZE_MOMENTS, 1.02 * 70 / 29, 2.086165648825032};
    double observed[MAX_SIZE] = {0}, expected[MAX_SIZE], biased[MAX_SIZE];
    spot_moments_t sizes = {0};
    spot_size_law_t law;
    spot_rng_t rng;

    (void) state;
    assert_int_equal(spot_size_law_init(&law, &preempt, &no_big, MAX_SIZE), 0);
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_COUNT, 0);
    for (int j = 0; j < NUM_DRAWS; j++) {
        const int32_t size = spot_size_law_draw(&law, &rng);

        assert_true(size >= 1 && size <= MAX_SIZE);
        observed[size - 1]++;
        spot_moments_add(&sizes, size);
    }
    for (unsigned k = 1; k <= MAX_SIZE; k++) {
        expected[k - 1] = NUM_DRAWS * p_of_family(&preempt, k);
        biased[k - 1] = NUM_DRAWS * p_of_family(&other, k);
    }
    assert_counts("sizes", observed, expected, MAX_SIZE);
    assert_true(chi_square_z(observed, biased, MAX_SIZE) > POWER_Z);
    assert_mean("mean size", &sizes, preempt.a, 0.02 * preempt.a);
    spot_size_law_free(&law);
}

static void test_one_uniform_number_a_draw(void **state)
{
    spot_rng_t rng, other;
    spot_size_law_t law;

    (void) state;
    make_law(&law, SPOT_SIZE_NORMAL, 2.4, 2.1);
    spot_rng_seek(&rng, 5, 3, SPOT_STREAM_COUNT, 1);
    spot_rng_seek(&other, 5, 3, SPOT_STREAM_COUNT, 1);
    for (int j = 0; j < 1000; j++) {
        (void) spot_size_law_draw(&law, &rng);
        (void) spot_rng_uniform(&other);
    }
    assert_true(spot_rng_bits(&rng) == spot_rng_bits(&other));
    spot_size_law_free(&law);
}

static void test_free_accepts_nothing(void **state)
{
    spot_size_law_t law;

    (void) state;
    memset(&law, 0, sizeof(law));
    spot_size_law_free(&law);
    spot_size_law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_are_the_closed_forms),
        cmocka_unit_test(test_laws_of_one_size),
        cmocka_unit_test(test_moments_of_the_folded_law),
        cmocka_unit_test(test_moments_law_has_its_moments),
        cmocka_unit_test(test_moments_law_near_poisson),
        cmocka_unit_test(test_big_events_are_mixed_in),
        cmocka_unit_test(test_truncation_at_the_largest_size),
        cmocka_unit_test(test_draws_are_inversions),
        cmocka_unit_test(test_guides_at_steps_of_equal_sizes),
        cmocka_unit_test(test_draws_follow_the_law),
        cmocka_unit_test(test_one_uniform_number_a_draw),
        cmocka_unit_test(test_free_accepts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
