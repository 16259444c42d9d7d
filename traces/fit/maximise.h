/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maximises a log-likelihood over at most three unconstrained parameters: a simplex from
 * several starts (Nelder and Mead, The Computer Journal 7, 1965), then Newton steps with
 * numerical derivatives, which also give the standard errors. */
#pragma once

#include <gsl/gsl_multimin.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define SPOT_MAXIMISE_MAX_PARAMETERS 3

/* ln L at theta, [num_parameters]. A value that is not finite counts as impossible. */
typedef double (*spot_log_likelihood_t)(const double *theta, void *context);

/* Workspace for any number of parameters and calls, for one thread. */
typedef struct {
    gsl_multimin_fminimizer *simplex[SPOT_MAXIMISE_MAX_PARAMETERS]; /* of 1, 2, 3 */
} spot_maximiser_t;

/* A maximum; gradient and hessian are those at theta. */
typedef struct {
    size_t num_parameters;
    double theta[SPOT_MAXIMISE_MAX_PARAMETERS];
    double log_likelihood; /* -1e30: impossible at every start */
    double gradient[SPOT_MAXIMISE_MAX_PARAMETERS];
    double hessian[SPOT_MAXIMISE_MAX_PARAMETERS][SPOT_MAXIMISE_MAX_PARAMETERS];
    bool converged;      /* all of gradient is within 1e-4 of 0 */
    int num_evaluations; /* of the likelihood */
} spot_maximum_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_maximiser_init(spot_maximiser_t *self);
void spot_maximiser_free(spot_maximiser_t *self);

/* Searches from each start and keeps the best; a later one must be better by 1e-9.
 * 1 <= num_parameters <= SPOT_MAXIMISE_MAX_PARAMETERS, num_starts >= 1, starts finite.
 * Allocates nothing. Takes hundreds of evaluations for each start. */
void spot_maximise(spot_maximiser_t *self, size_t num_parameters, size_t num_starts,
    const double (*starts)[SPOT_MAXIMISE_MAX_PARAMETERS], spot_log_likelihood_t log_likelihood,
    void *context, spot_maximum_t *maximum);

/* Computes gradient, Hessian and ln L at a theta found otherwise, e.g. by formula. The
 * caller sets theta and num_parameters of maximum; num_evaluations grows. */
void spot_maximum_differentiate(
    spot_maximum_t *maximum, spot_log_likelihood_t log_likelihood, void *context);

/* Whether ln L hardly depends on theta[parameter_id] at the maximum. */
bool spot_maximum_is_flat_in(const spot_maximum_t *self, size_t parameter_id);

/* Inverse of the observed information. Returns false, with all NAN, if the information
 * is not finite or not positive definite: ln L does not fall to all sides of theta. */
bool spot_maximum_covariance(const spot_maximum_t *self,
    double covariance[SPOT_MAXIMISE_MAX_PARAMETERS][SPOT_MAXIMISE_MAX_PARAMETERS]);

/* ---- The root of a function of one variable ----
 * Brent, Algorithms for Minimization without Derivatives, 1973. */

typedef double (*spot_root_function_t)(double x, void *context);

/* Sets root to the zero of the function between low and high, to 1e-14 relative. Returns
 * false if its sign does not change there, it is not finite at an end, or memory is
 * short. */
bool spot_root_find(
    spot_root_function_t function, void *context, double low, double high, double *root);

/* Scales that map a parameter of a law to an unconstrained number, for searches and
 * standard errors. */
typedef enum {
    SPOT_FIT_SCALE_PLAIN,
    SPOT_FIT_SCALE_LOG,  /* above 0 */
    SPOT_FIT_SCALE_LOGIT /* between 0 and 1 */
} spot_fit_scale_t;

/* d parameter / d theta at the value of the parameter. */
static inline double spot_fit_scale_slope(spot_fit_scale_t scale, double parameter)
{
    return scale == SPOT_FIT_SCALE_LOG     ? parameter
           : scale == SPOT_FIT_SCALE_LOGIT ? parameter * (1 - parameter)
                                           : 1;
}
