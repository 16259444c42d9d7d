/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the sizes of events, k >= 1: by maximum likelihood or, if the family has another
 * estimate, by that.
 *
 * This module owns the families, one const table each, the sample of sizes and the fit.
 * Some families are laws of the size alone, others of the size given its limit: the
 * instances running for a preemption, those missing to the capacity for an addition.
 * They have likelihoods; the laws that are drawn (spot_size_law_t, traces/laws/law.h)
 * have cumulative probabilities, and no limit.
 *
 * Use: spot_size_sample_of_trace(), spot_fit_size() with each of spot_size_families that
 * spot_size_family_fits(), spot_size_sample_free(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/maximise.h"

/* Most parameters estimated. A law at a boundary may need one more number after them. */
#define SPOT_SIZE_MAX_PARAMETERS 3

typedef struct spot_size_sample spot_size_sample_t;

typedef struct spot_fit_size_family {
    const char *name;
    const char *doc;
    int num_parameters;
    const char *parameters[SPOT_SIZE_MAX_PARAMETERS]; /* names */
    spot_fit_scale_t scales[SPOT_SIZE_MAX_PARAMETERS];
    /* ln P(size); -INFINITY if impossible. A parameter at its boundary gives the limit
     * of the law there. */
    double (*log_probability)(const double *parameters, int32_t size, int32_t limit);
    /* Fills parameters and, if needed, note; sets is_fitted or converged to false if
     * there is no estimate. The sample has at least two events, which may be all equal.
     */
    void (*estimate)(const spot_size_sample_t *sample, spot_fit_t *fit);
    /* Mean size of an event; INFINITY if it does not exist. NULL: by summation up to the
     * limit. */
    double (*mean)(const double *parameters);
    bool is_given_limit; /* the law of a size given its limit */
    bool is_by_moments;  /* the estimate is not the maximum of the likelihood */
} spot_fit_size_family_t;

/* In the order of the specification. */
extern const spot_fit_size_family_t spot_size_geometric;       /* p */
extern const spot_fit_size_family_t spot_size_shifted_poisson; /* lam */
extern const spot_fit_size_family_t spot_size_zt_poisson;      /* lam */
extern const spot_fit_size_family_t spot_size_logarithmic;     /* p */
extern const spot_fit_size_family_t spot_size_zeta;            /* s */
/* r, p. With r INFINITY it is shifted Poisson, and its rate is a third number. */
extern const spot_fit_size_family_t spot_size_shifted_negbin;

extern const spot_fit_size_family_t spot_size_absnormal_mle; /* mu, sigma */
extern const spot_fit_size_family_t spot_size_seed_mixture;  /* p_big, mu, sigma */

/* Given the limit n. */
extern const spot_fit_size_family_t spot_size_truncated_geometric; /* p; 0: uniform */
extern const spot_fit_size_family_t spot_size_all_or_geometric;    /* pi_all, p */
extern const spot_fit_size_family_t spot_size_zt_binomial;         /* q */
/* a, b. a = 0: the limit of the law. Both INFINITY: zt-binomial, and q is a third
 * number. */
extern const spot_fit_size_family_t spot_size_zt_betabinomial;
/* r, p. With r INFINITY it is truncated Poisson, and its rate is a third number. */
extern const spot_fit_size_family_t spot_size_truncated_negbin;

/* Every family, NULL-terminated. */
#define SPOT_SIZE_MAX_FAMILIES 14
extern const spot_fit_size_family_t *const spot_size_families[];

/* Sizes above this are big in the seed mixture: uniform up to a bound. */
#define SPOT_SIZE_REGULAR_MAX 10

/* ln P at a size that is impossible in the seed mixture. */
#define SPOT_SIZE_LOG_FLOOR (-690.77552789821368) /* ln 1e-300 */

/* ln(x (x + 1) ... (x + n - 1)), without cancellation for a large x. x > 0. */
double spot_size_log_rising(double x, int32_t n);

/* Events of the same size and limit are one cell. */
typedef struct {
    int32_t size;  /* >= 1 */
    int32_t limit; /* the largest possible size, >= size; 0 in a sample without limits */
    double weight; /* number of such events */
} spot_size_cell_t;

struct spot_size_sample {
    double num_events;
    size_t num_cells;
    spot_size_cell_t *cells; /* [num_cells] by size, then limit */
    int32_t min, max;        /* sizes; 0 without events */
    double mean;             /* NAN without events */
    double std;              /* with n - 1; NAN for fewer than 2 */
    bool has_limits;
    bool is_all; /* every size is its limit; false without limits */
};

/* values: sizes, whole and >= 1; limits: the largest possible sizes, or NULL; both
 * [num_values], as in spot_sample_t. Copies both. BAD_PARAM, NO_MEMORY; free self even
 * then. O(n log n). */
SPOT_MUST_CHECK int spot_size_sample_init(
    spot_size_sample_t *self, size_t num_values, const double *values, const int32_t *limits);
/* The sizes of the events of one kind, SPOT_SAMPLE_*_COUNT. NO_MEMORY; free self, which
 * was zeroed, even then. */
SPOT_MUST_CHECK int spot_size_sample_of_trace(
    spot_size_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind);
void spot_size_sample_free(spot_size_sample_t *self);

/* Whether a table of fits has a row for the family: laws given the limit need limits,
 * the seed mixture needs a big event. */
bool spot_size_family_fits(const spot_fit_size_family_t *family, const spot_size_sample_t *sample);

/* Fits one family. Does not fail: without a fit, the note says why. KS and AD are NAN
 * for a law given the limit; a standard error is NAN at a boundary. */
void spot_fit_size(spot_fit_t *self, const spot_fit_size_family_t *family,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser);

/* ln L of the sample under parameters; -INFINITY: impossible. O(cells). */
double spot_size_log_likelihood(const spot_fit_size_family_t *family, const double *parameters,
    const spot_size_sample_t *sample);
