/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of laws of the sizes of events, k >= 1, one const table each. Some are laws
 * of the size alone, others of the size given its limit: the instances running for a
 * preemption, those missing to the capacity for an addition. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traces/fit/fit_law.h"

/* Most parameters estimated. A law at a boundary may need one more number after them. */
#define SPOT_SIZE_MAX_PARAMETERS 3

typedef struct spot_size_sample spot_size_sample_t;

typedef struct spot_size_family {
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
} spot_size_family_table_t;

/* In the order of the specification. */
extern const spot_size_family_table_t spot_size_geometric;       /* p */
extern const spot_size_family_table_t spot_size_shifted_poisson; /* lam */
extern const spot_size_family_table_t spot_size_zt_poisson;      /* lam */
extern const spot_size_family_table_t spot_size_logarithmic;     /* p */
extern const spot_size_family_table_t spot_size_zeta;            /* s */
/* r, p. With r INFINITY it is shifted Poisson, and its rate is a third number. */
extern const spot_size_family_table_t spot_size_shifted_negbin;
extern const spot_size_family_table_t spot_size_absnormal_moments; /* mu, sigma */
extern const spot_size_family_table_t spot_size_absnormal_mle;     /* mu, sigma */
extern const spot_size_family_table_t spot_size_seed_mixture;      /* p_big, mu, sigma */

/* Given the limit n. */
extern const spot_size_family_table_t spot_size_truncated_geometric; /* p; 0: uniform */
extern const spot_size_family_table_t spot_size_all_or_geometric;    /* pi_all, p */
extern const spot_size_family_table_t spot_size_zt_binomial;         /* q */
/* a, b. a = 0: the limit of the law. Both INFINITY: zt-binomial, and q is a third
 * number. */
extern const spot_size_family_table_t spot_size_zt_betabinomial;
/* r, p. With r INFINITY it is truncated Poisson, and its rate is a third number. */
extern const spot_size_family_table_t spot_size_truncated_negbin;

/* Every family, NULL-terminated. */
#define SPOT_SIZE_MAX_FAMILIES 14
extern const spot_size_family_table_t *const spot_size_families[];

/* Sizes above this are big in the seed mixture: uniform up to SPOT_SIZE_BIG_MAX. */
#define SPOT_SIZE_REGULAR_MAX 10
#define SPOT_SIZE_BIG_MAX 31

/* ln P at a size that is impossible in the seed mixture. */
#define SPOT_SIZE_LOG_FLOOR (-690.77552789821368) /* ln 1e-300 */

/* ln(x (x + 1) ... (x + n - 1)), without cancellation for a large x. x > 0. */
double spot_size_log_rising(double x, int32_t n);

/* Mean of a law for one limit. O(limit). */
double spot_size_mean_given(
    const spot_size_family_table_t *family, const double *parameters, int32_t limit);
