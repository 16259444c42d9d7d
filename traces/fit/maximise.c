/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/maximise.h"

#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Replaces ln L = -infinity, which the simplex cannot order. */
#define IMPOSSIBLE (-1e30)

/* The simplex: first size, last size, most iterations. */
#define FIRST_STEP 0.5
#define LAST_SIZE 1e-7
enum { MAX_ITERATIONS = 4000 };

/* The Newton steps: most steps, longest and shortest step, and the fall of ln L that
 * rounding may cause. */
enum { MAX_NEWTON_STEPS = 60 };
#define LONGEST_STEP 0.5
#define SHORTEST_STEP 1e-9
#define ROUNDING 1e-9

#define DIFFERENCE 1e-4
#define FLAT_GRADIENT 1e-4

/* A second derivative below this is flat: a change of theta by 1 changes ln L by
 * less. */
#define FLAT_CURVATURE 1e-4

typedef struct {
    spot_log_likelihood_t log_likelihood;
    void *context;
    size_t num_parameters;
    int num_evaluations;
} target_t;

int spot_maximiser_init(spot_maximiser_t *self)
{
    memset(self, 0, sizeof(*self));
    for (size_t k = 1; k <= MAX_K; k++) {
        self->simplex[k - 1] = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, k);
        if (self->simplex[k - 1] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

void spot_maximiser_free(spot_maximiser_t *self)
{
    for (size_t k = 1; k <= MAX_K; k++) {
        gsl_multimin_fminimizer_free(self->simplex[k - 1]); /* takes NULL */
    }
    memset(self, 0, sizeof(*self));
}

static double evaluate(target_t *target, const double *theta)
{
    const double value = target->log_likelihood(theta, target->context);

    target->num_evaluations++;
    return isfinite(value) ? fmax(value, IMPOSSIBLE) : IMPOSSIBLE;
}

static double evaluate_negative(const gsl_vector *x, void *target)
{
    double theta[MAX_K];

    for (size_t j = 0; j < x->size; j++) {
        theta[j] = gsl_vector_get(x, j);
    }
    return -evaluate(target, theta);
}

/* Runs the simplex from start and returns the highest ln L, at theta. The values are
 * finite, so that iterations do not fail; a failure would end the walk. */
static double walk(
    gsl_multimin_fminimizer *simplex, target_t *target, const double *start, double *theta)
{
    const size_t k = target->num_parameters;
    double begin[MAX_K], steps[MAX_K];
    gsl_vector_view begin_view = gsl_vector_view_array(begin, k);
    gsl_vector_view steps_view = gsl_vector_view_array(steps, k);
    gsl_multimin_function function = {.f = evaluate_negative, .n = k, .params = target};

    for (size_t j = 0; j < k; j++) {
        theta[j] = begin[j] = start[j];
        steps[j] = FIRST_STEP;
    }
    if (gsl_multimin_fminimizer_set(simplex, &function, &begin_view.vector, &steps_view.vector) !=
        0) {
        return IMPOSSIBLE;
    }
    for (int j = 0; j < MAX_ITERATIONS; j++) {
        if (gsl_multimin_fminimizer_iterate(simplex) != 0 ||
            gsl_multimin_fminimizer_size(simplex) < LAST_SIZE) {
            break;
        }
    }
    for (size_t j = 0; j < k; j++) {
        theta[j] = gsl_vector_get(simplex->x, j);
    }
    return -simplex->fval;
}

/* Gradient by the 5-point rule. */
static void differentiate(target_t *target, const double *theta, double *gradient)
{
    static const double offsets[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
    double at[MAX_K] = {0};

    memcpy(at, theta, target->num_parameters * sizeof(*at));
    for (size_t j = 0; j < target->num_parameters; j++) {
        gradient[j] = 0;
        for (size_t i = 0; i < 4; i++) {
            at[j] = theta[j] + offsets[i] * DIFFERENCE;
            gradient[j] += weights[i] * evaluate(target, at) / (12 * DIFFERENCE);
        }
        at[j] = theta[j];
    }
}

static void differentiate_twice(target_t *target, spot_maximum_t *maximum)
{
    const size_t k = target->num_parameters;
    double rows[MAX_K][MAX_K], above[MAX_K], below[MAX_K];

    differentiate(target, maximum->theta, maximum->gradient);
    for (size_t j = 0; j < k; j++) {
        double at[MAX_K];

        memcpy(at, maximum->theta, sizeof(at));
        at[j] = maximum->theta[j] + DIFFERENCE;
        differentiate(target, at, above);
        at[j] = maximum->theta[j] - DIFFERENCE;
        differentiate(target, at, below);
        for (size_t i = 0; i < k; i++) {
            rows[j][i] = (above[i] - below[i]) / (2 * DIFFERENCE);
        }
    }
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < k; i++) {
            maximum->hessian[j][i] = (rows[j][i] + rows[i][j]) / 2;
        }
    }
}

static void swap(double *a, double *b)
{
    const double kept = *a;

    *a = *b;
    *b = kept;
}

/* Solves matrix * x = right in place by LU with pivots. GSL's own routines allocate, and
 * call the error handler for a singular matrix. */
static bool solve(size_t k, double matrix[MAX_K][MAX_K], double *right)
{
    for (size_t j = 0; j < k; j++) {
        size_t pivot = j;

        for (size_t i = j + 1; i < k; i++) {
            pivot = fabs(matrix[i][j]) > fabs(matrix[pivot][j]) ? i : pivot;
        }
        if (!(fabs(matrix[pivot][j]) > 0) || !isfinite(matrix[pivot][j])) {
            return false;
        }
        for (size_t i = 0; i < k; i++) {
            swap(&matrix[j][i], &matrix[pivot][i]);
        }
        swap(&right[j], &right[pivot]);
        for (size_t i = j + 1; i < k; i++) {
            const double factor = matrix[i][j] / matrix[j][j];

            for (size_t l = j; l < k; l++) {
                matrix[i][l] -= factor * matrix[j][l];
            }
            right[i] -= factor * right[j];
        }
    }
    for (size_t j = k; j-- > 0;) {
        for (size_t i = j + 1; i < k; i++) {
            right[j] -= matrix[j][i] * right[i];
        }
        right[j] /= matrix[j][j];
    }
    return true;
}

bool spot_maximum_is_flat_in(const spot_maximum_t *self, size_t parameter_id)
{
    return fabs(self->hessian[parameter_id][parameter_id]) < FLAT_CURVATURE;
}

/* Sets step to -H^-1 g, cut to the longest step. skips_flat leaves out flat parameters,
 * whose derivatives are rounding errors and would spoil the others. Returns false if H
 * is singular or the step is too short. */
static bool newton_step(const spot_maximum_t *maximum, bool skips_flat, double *step)
{
    const size_t k = maximum->num_parameters;
    double matrix[MAX_K][MAX_K], longest = 0;

    memcpy(matrix, maximum->hessian, sizeof(matrix));
    for (size_t j = 0; j < k; j++) {
        step[j] = -maximum->gradient[j];
        if (skips_flat && spot_maximum_is_flat_in(maximum, j)) {
            step[j] = 0;
            for (size_t i = 0; i < k; i++) {
                matrix[i][j] = matrix[j][i] = i == j ? -1 : 0;
            }
        }
    }
    if (!solve(k, matrix, step)) {
        return false;
    }
    for (size_t j = 0; j < k; j++) {
        if (!isfinite(step[j])) {
            return false;
        }
        longest = fmax(longest, fabs(step[j]));
        step[j] = fmax(-LONGEST_STEP, fmin(LONGEST_STEP, step[j]));
    }
    return longest >= SHORTEST_STEP;
}

/* Takes a Newton step; false: it leads down, or there is none. */
static bool advance(target_t *target, spot_maximum_t *maximum, bool skips_flat)
{
    const size_t k = maximum->num_parameters;
    double step[MAX_K], at[MAX_K] = {0}, value;

    if (!newton_step(maximum, skips_flat, step)) {
        return false;
    }
    for (size_t j = 0; j < k; j++) {
        at[j] = maximum->theta[j] + step[j];
    }
    value = evaluate(target, at);
    if (!(value >= maximum->log_likelihood - ROUNDING)) {
        return false;
    }
    memcpy(maximum->theta, at, k * sizeof(*at));
    maximum->log_likelihood = value;
    differentiate_twice(target, maximum);
    return true;
}

/* Takes Newton steps; derivatives are those of the last point. */
static void polish(target_t *target, spot_maximum_t *maximum)
{
    bool has_flat = false;

    differentiate_twice(target, maximum);
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        has_flat = has_flat || spot_maximum_is_flat_in(maximum, j);
    }
    for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
        if (!advance(target, maximum, false) && !(has_flat && advance(target, maximum, true))) {
            return;
        }
    }
}

static bool is_level(const spot_maximum_t *maximum)
{
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        if (!(fabs(maximum->gradient[j]) < FLAT_GRADIENT)) {
            return false;
        }
    }
    return maximum->log_likelihood > IMPOSSIBLE;
}

void spot_maximise(spot_maximiser_t *self, size_t num_parameters, size_t num_starts,
    const double (*starts)[MAX_K], spot_log_likelihood_t log_likelihood, void *context,
    spot_maximum_t *maximum)
{
    target_t target = {
        .log_likelihood = log_likelihood, .context = context, .num_parameters = num_parameters};

    spot_bug_assert(num_parameters >= 1 && num_parameters <= MAX_K && num_starts >= 1);
    memset(maximum, 0, sizeof(*maximum));
    maximum->num_parameters = num_parameters;
    for (size_t j = 0; j < num_starts; j++) {
        double theta[MAX_K];
        const double value = walk(self->simplex[num_parameters - 1], &target, starts[j], theta);

        if (j == 0 || value > maximum->log_likelihood + ROUNDING) {
            memcpy(maximum->theta, theta, num_parameters * sizeof(*theta));
            maximum->log_likelihood = value;
        }
    }
    polish(&target, maximum);
    maximum->converged = is_level(maximum);
    maximum->num_evaluations = target.num_evaluations;
}

void spot_maximum_differentiate(
    spot_maximum_t *maximum, spot_log_likelihood_t log_likelihood, void *context)
{
    target_t target = {.log_likelihood = log_likelihood,
        .context = context,
        .num_parameters = maximum->num_parameters};

    maximum->log_likelihood = evaluate(&target, maximum->theta);
    differentiate_twice(&target, maximum);
    maximum->converged = is_level(maximum);
    maximum->num_evaluations += target.num_evaluations;
}

/* Cholesky: a matrix that is not positive definite has a pivot <= 0. Scaled to a unit
 * diagonal, a pivot below MIN_PIVOT is the rounding error of a flat direction. */
#define MIN_PIVOT 1e-8

static bool is_definite(size_t k, double information[MAX_K][MAX_K])
{
    double root[MAX_K][MAX_K] = {{0}};

    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i <= j; i++) {
            double sum = information[j][i];

            for (size_t l = 0; l < i; l++) {
                sum -= root[j][l] * root[i][l];
            }
            if (i == j && !(sum > MIN_PIVOT * information[j][j])) {
                return false;
            }
            root[j][i] = i == j ? sqrt(sum) : sum / root[i][i];
        }
    }
    return true;
}

bool spot_maximum_covariance(const spot_maximum_t *self, double covariance[MAX_K][MAX_K])
{
    const size_t k = self->num_parameters;
    double information[MAX_K][MAX_K];
    bool is_good = true;

    for (size_t j = 0; j < MAX_K; j++) {
        for (size_t i = 0; i < MAX_K; i++) {
            covariance[j][i] = (double) NAN;
            information[j][i] = -self->hessian[j][i];
            is_good = is_good && isfinite(information[j][i]);
        }
    }
    if (!is_good || !is_definite(k, information)) {
        return false;
    }
    for (size_t j = 0; j < k; j++) {
        double matrix[MAX_K][MAX_K], column[MAX_K] = {0};

        memcpy(matrix, information, sizeof(matrix));
        column[j] = 1;
        if (!solve(k, matrix, column)) {
            return false;
        }
        for (size_t i = 0; i < k; i++) {
            covariance[i][j] = column[i];
        }
    }
    return true;
}

#define PRECISION 1e-14
enum { MAX_ROOT_ITERATIONS = 200 };

bool spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root)
{
    const double at_low = function(low, context), at_high = function(high, context);
    gsl_function target = {.function = function, .params = context};
    gsl_root_fsolver *solver;

    if (at_low == 0 || at_high == 0) {
        *root = at_low == 0 ? low : high;
        return true;
    }
    if (!isfinite(at_low) || !isfinite(at_high) || (at_low < 0) == (at_high < 0)) {
        return false;
    }
    solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL) {
        return false;
    }
    if (gsl_root_fsolver_set(solver, &target, low, high) == 0) {
        for (int j = 0; j < MAX_ROOT_ITERATIONS; j++) {
            const double a = gsl_root_fsolver_x_lower(solver);
            const double b = gsl_root_fsolver_x_upper(solver);

            if (fabs(b - a) <= PRECISION * fmax(fabs(a), fabs(b)) ||
                gsl_root_fsolver_iterate(solver) != 0) {
                break;
            }
        }
    }
    *root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return isfinite(*root);
}
