/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The maximum of a log-likelihood over at most three unconstrained parameters: simplex
 * from several starts, then Newton steps with differences, which also give the standard
 * errors. Nelder and Mead, The Computer Journal 7, 1965. */
#ifndef SPOT_TRACES_FIT_MAXIMISE_H
#define SPOT_TRACES_FIT_MAXIMISE_H

#include <gsl/gsl_multimin.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define SPOT_MAXIMISE_MAX_PARAMETERS 3

/* ln L at theta, [num_parameters]. Whatever is not finite counts as impossible. */
typedef double (*spot_log_likelihood_t)(const double *theta, void *context);

/* Workspace for any number of parameters and any number of calls. One thread. */
typedef struct {
    gsl_multimin_fminimizer *simplex[SPOT_MAXIMISE_MAX_PARAMETERS]; /* of 1, 2, 3 */
} spot_maximiser_t;

/* derivatives are those at theta */
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

/* From each of the starts, of which the best wins, a later one by 1e-9 at least.
 * 1 <= num_parameters <= SPOT_MAXIMISE_MAX_PARAMETERS, num_starts >= 1, starts finite.
 * Allocates nothing. Hundreds of evaluations for each start. */
void spot_maximise(spot_maximiser_t *self, size_t num_parameters, size_t num_starts,
    const double (*starts)[SPOT_MAXIMISE_MAX_PARAMETERS],
    spot_log_likelihood_t log_likelihood, void *context, spot_maximum_t *maximum);

/* Gradient, Hessian and ln L at a theta that is known otherwise, e.g. exactly; theta and
 * num_parameters of maximum are set by the caller, num_evaluations grows. */
void spot_maximum_differentiate(
    spot_maximum_t *maximum, spot_log_likelihood_t log_likelihood, void *context);

/* Whether theta[parameter_id] hardly matters there: any value would do. */
bool spot_maximum_is_flat_in(const spot_maximum_t *self, size_t parameter_id);

/* Inverse of the observed information. false, and all NAN: there is no such matrix, or
 * it is not positive definite, because ln L does not fall to all sides of theta. */
bool spot_maximum_covariance(const spot_maximum_t *self,
    double covariance[SPOT_MAXIMISE_MAX_PARAMETERS][SPOT_MAXIMISE_MAX_PARAMETERS]);

#endif
