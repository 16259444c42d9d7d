/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "traces/fit/maximise.h"

static double bump(const double *theta, void *context)
{
    (void) context;
    return 3 - pow(theta[0] - 1.25, 2);
}

/* A quadratic with correlation: H = -[[4, 1, 0], [1, 3, 0.5], [0, 0.5, 2]]. */
static const double matrix[3][3] = {{4, 1, 0}, {1, 3, 0.5}, {0, 0.5, 2}};

static double bowl(const double *theta, void *context)
{
    const double *centre = context;
    double sum = -7;

    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            sum -= 0.5 * (theta[j] - centre[j]) * matrix[j][i] * (theta[i] - centre[i]);
        }
    }
    return sum;
}

/* The valley of Rosenbrock. */
static double valley(const double *theta, void *context)
{
    (void) context;
    return -pow(1 - theta[0], 2) - 100 * pow(theta[1] - theta[0] * theta[0], 2);
}

/* Two hills, the higher one at 5. */
static double hills(const double *theta, void *context)
{
    (void) context;
    return log(exp(-pow(theta[0] + 5, 2) / 2) + 2 * exp(-pow(theta[0] - 5, 2) / 2) + 1e-300);
}

static double count_calls(const double *theta, void *context)
{
    (*(int *) context)++;
    return bump(theta, NULL);
}

static double slope(const double *theta, void *context)
{
    (void) context;
    return -exp(-theta[0]);
}

static double ridge(const double *theta, void *context)
{
    (void) context;
    return -pow(theta[0] - 2, 2);
}

/* The second parameter matters less and less. */
static double fade(const double *theta, void *context)
{
    (void) context;
    return -pow(theta[0] - 2, 2) - exp(-theta[1]) * (1 + 0.5 * sin(theta[0]));
}

static double never(const double *theta, void *context)
{
    (void) theta;
    (void) context;
    return (double) NAN;
}

/* Impossible below 1, the maximum is just there. */
static double cliff(const double *theta, void *context)
{
    (void) context;
    return theta[0] < 1 ? (double) -INFINITY : -theta[0];
}

typedef struct {
    spot_maximiser_t maximiser;
    spot_maximum_t maximum;
} fixture_t;

static int setup(void **state)
{
    static fixture_t fixture;

    *state = &fixture;
    return spot_maximiser_init(&fixture.maximiser);
}

static int teardown(void **state)
{
    spot_maximiser_free(&((fixture_t *) *state)->maximiser);
    spot_maximiser_free(&((fixture_t *) *state)->maximiser); /* a zeroed one */
    return 0;
}

static const double origin[1][3] = {{0, 0, 0}};

static void test_one_parameter(void **state)
{
    fixture_t *self = *state;
    double covariance[3][3];

    spot_maximise(&self->maximiser, 1, 1, origin, bump, NULL, &self->maximum);
    assert_true(self->maximum.converged);
    assert_true(fabs(self->maximum.theta[0] - 1.25) < 1e-9);
    assert_true(fabs(self->maximum.log_likelihood - 3) < 1e-12);
    assert_true(spot_maximum_covariance(&self->maximum, covariance));
    assert_true(fabs(covariance[0][0] - 0.5) < 1e-6);
}

static void test_three_parameters(void **state)
{
    fixture_t *self = *state;
    double centre[3] = {-2, 4, 0.5}, covariance[3][3];

    spot_maximise(&self->maximiser, 3, 1, origin, bowl, centre, &self->maximum);
    assert_true(self->maximum.converged);
    assert_true(spot_maximum_covariance(&self->maximum, covariance));
    for (int j = 0; j < 3; j++) {
        assert_true(fabs(self->maximum.theta[j] - centre[j]) < 1e-9);
        for (int i = 0; i < 3; i++) {
            double product = 0;

            assert_true(fabs(self->maximum.hessian[j][i] + matrix[j][i]) < 1e-5);
            for (int l = 0; l < 3; l++) {
                product += matrix[j][l] * covariance[l][i];
            }
            assert_true(fabs(product - (i == j)) < 1e-5);
        }
    }
}

static void test_valley(void **state)
{
    static const double starts[2][3] = {{-1.2, 1}, {3, -3}};
    fixture_t *self = *state;

    spot_maximise(&self->maximiser, 2, 2, starts, valley, NULL, &self->maximum);
    assert_true(self->maximum.converged);
    assert_true(fabs(self->maximum.theta[0] - 1) < 1e-8);
    assert_true(fabs(self->maximum.theta[1] - 1) < 1e-8);
}

static void test_best_start_wins(void **state)
{
    static const double starts[3][3] = {{-5}, {5}, {-4}}, equal[2][3] = {{0}, {2.5}};
    fixture_t *self = *state;

    spot_maximise(&self->maximiser, 1, 3, starts, hills, NULL, &self->maximum);
    assert_true(fabs(self->maximum.theta[0] - 5) < 1e-6);
    spot_maximise(&self->maximiser, 1, 2, equal, bump, NULL, &self->maximum);
    assert_true(fabs(self->maximum.theta[0] - 1.25) < 1e-9);
}

static void test_counts_evaluations(void **state)
{
    fixture_t *self = *state;
    int num_calls = 0;

    spot_maximise(&self->maximiser, 1, 1, origin, count_calls, &num_calls, &self->maximum);
    assert_int_equal(self->maximum.num_evaluations, num_calls);
    self->maximum.theta[0] = 1;
    spot_maximum_differentiate(&self->maximum, count_calls, &num_calls);
    assert_int_equal(self->maximum.num_evaluations, num_calls);
    assert_true(fabs(self->maximum.gradient[0] - 0.5) < 1e-9);
    assert_false(self->maximum.converged);
}

/* A function that rises for ever ends flat; nothing is known about theta. */
static void test_no_maximum(void **state)
{
    fixture_t *self = *state;
    double covariance[3][3];

    spot_maximise(&self->maximiser, 1, 1, origin, slope, NULL, &self->maximum);
    assert_true(self->maximum.log_likelihood > -1e-4);
    spot_maximise(&self->maximiser, 2, 1, origin, ridge, NULL, &self->maximum);
    assert_true(fabs(self->maximum.theta[0] - 2) < 1e-6);
    assert_false(spot_maximum_covariance(&self->maximum, covariance));
    assert_true(isnan(covariance[0][0]));
}

/* A parameter that ran away does not keep the other one from its maximum. */
static void test_flat_direction(void **state)
{
    fixture_t *self = *state;

    spot_maximise(&self->maximiser, 2, 1, origin, fade, NULL, &self->maximum);
    assert_true(self->maximum.converged);
    assert_true(fabs(self->maximum.theta[0] - 2) < 1e-4);
    assert_false(spot_maximum_is_flat_in(&self->maximum, 0));
    assert_true(spot_maximum_is_flat_in(&self->maximum, 1));
}

static void test_impossible(void **state)
{
    static const double starts[2][3] = {{0}, {1.1}};
    fixture_t *self = *state;

    spot_maximise(&self->maximiser, 1, 1, origin, never, NULL, &self->maximum);
    assert_false(self->maximum.converged);
    assert_true(self->maximum.log_likelihood == -1e30);
    spot_maximise(&self->maximiser, 1, 2, starts, cliff, NULL, &self->maximum);
    assert_false(self->maximum.converged);
    assert_true(fabs(self->maximum.theta[0] - 1) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_parameter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_three_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_valley, setup, teardown),
        cmocka_unit_test_setup_teardown(test_best_start_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts_evaluations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_maximum, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flat_direction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_impossible, setup, teardown),
    };

    return cmocka_run_group_tests_name("fit/maximise", tests, NULL, NULL);
}
