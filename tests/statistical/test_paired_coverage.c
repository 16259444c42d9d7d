/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of paired differences hold the truth as often as they say, however the pairs
 * are correlated; and are narrower than unpaired ones by the factor of theory. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/intervals.h"
#include "base/rng.h"
#include "base/stats.h"
#include "statistics.h"

enum { NUM_SAMPLES = 20000 };

/* Of so many pairs of normals: x has mean 1 and standard deviation 1, y mean 0.75 and
 * spread, and the correlation is known. */
typedef struct {
    size_t num_pairs;
    double correlation;
    double spread;
    double confidence;
} case_t;

static spot_paired_t draw_sample(const case_t *self, uint64_t sample_id)
{
    spot_paired_t paired = {0};
    spot_rng_t rng;

    spot_rng_seek(&rng, 12, sample_id, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < self->num_pairs; j++) {
        const double common = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 1);
        const double own = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 1);
        const double mixed =
            self->correlation * common + sqrt(1 - self->correlation * self->correlation) * own;

        spot_paired_add(&paired, 1 + common, 0.75 + self->spread * mixed);
    }
    return paired;
}

static void test_intervals_hold_the_truth(void **state)
{
    static const case_t cases[] = {
        {2, 0.5, 1, 0.95},
        {10, 0.9, 1, 0.95},
        {10, 0, 1, 0.95},
        {10, -0.7, 3, 0.9},
        {64, 0.99, 1.1, 0.99},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const case_t *c = &cases[j];
        spot_moments_t is_held = {0};

        for (uint64_t k = 0; k < NUM_SAMPLES; k++) {
            const spot_paired_t paired = draw_sample(c, k);

            spot_moments_add(&is_held, fabs(spot_paired_mean(&paired) - 0.25) <=
                                               spot_paired_half_width(&paired, c->confidence)
                                           ? 1
                                           : 0);
        }
        /* normal quantiles instead of Student's would show for 2 and for 10 pairs */
        assert_mean("coverage", &is_held, c->confidence, 0.02);
    }
}

/* Student's factor of Welch's degrees of freedom over that of pairs. */
static double student_ratio(const case_t *self)
{
    const double p_above = (1 - self->confidence) / 2;
    const double pairs = (double) self->num_pairs - 1;
    const double square = self->spread * self->spread;
    const double welch = pairs * (1 + square) * (1 + square) / (1 + square * square);

    return gsl_cdf_tdist_Qinv(p_above, welch) / gsl_cdf_tdist_Qinv(p_above, pairs);
}

/* Variances: 1 + s^2 unpaired, 1 + s^2 - 2 r s paired. */
static void test_the_gain_is_that_of_theory(void **state)
{
    static const case_t cases[] = {
        {1000, 0.9, 1, 0.95},
        {1000, 0, 2, 0.95},
        {1000, -0.7, 1, 0.95},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const case_t *c = &cases[j];
        const double unpaired = 1 + c->spread * c->spread;
        const double truth =
            sqrt(unpaired / (unpaired - 2 * c->correlation * c->spread)) * student_ratio(c);
        spot_moments_t gains = {0};

        for (uint64_t k = 0; k < 1000; k++) {
            const spot_paired_t paired = draw_sample(c, k);

            spot_moments_add(&gains, spot_paired_gain(&paired, c->confidence) / truth);
        }
        assert_mean("unpaired over paired width", &gains, 1, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_hold_the_truth),
        cmocka_unit_test(test_the_gain_is_that_of_theory),
    };

    return cmocka_run_group_tests_name("paired_coverage", tests, NULL, NULL);
}
