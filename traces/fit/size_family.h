/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of the sizes of events, k >= 1, that can be fitted: a family is one const table.
 * Some give the size alone, others the size given how many instances there could have
 * been: those running for a preemption, those missing for an addition. */
#ifndef SPOT_TRACES_FIT_SIZE_FAMILY_H
#define SPOT_TRACES_FIT_SIZE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fit/maximise.h"
#include "traces/fit/scale.h"

/* Estimated ones; a boundary may need one more number behind them. */
#define SPOT_SIZE_MAX_PARAMETERS 3

typedef struct spot_size_sample spot_size_sample_t;
typedef struct spot_size_fit spot_size_fit_t;

typedef struct {
    const char *name;
    const char *doc;
    int num_parameters;
    bool is_given_limit; /* the law of a size given its limit */
    bool is_likeliest;   /* the estimate is the maximum of the likelihood */
    const char *parameters[SPOT_SIZE_MAX_PARAMETERS]; /* names */
    spot_scale_t scales[SPOT_SIZE_MAX_PARAMETERS];
    /* ln P(size); -INFINITY where it cannot be. A parameter at its boundary is the
     * limit of the law there. */
    double (*log_probability)(const double *parameters, int32_t size, int32_t limit);
    /* Of one event; INFINITY where there is none. NULL: by summation up to the limit. */
    double (*mean)(const double *parameters);
    /* Fills parameters, converged, and note where there is something to say. */
    void (*estimate)(const spot_size_sample_t *sample, spot_maximiser_t *maximiser,
        spot_size_fit_t *fit);
} spot_size_family_table_t;

/* In the order of the specification. */
extern const spot_size_family_table_t spot_size_geometric;       /* p */
extern const spot_size_family_table_t spot_size_shifted_poisson; /* lam */
extern const spot_size_family_table_t spot_size_zt_poisson;      /* lam */
extern const spot_size_family_table_t spot_size_logarithmic;     /* p */
extern const spot_size_family_table_t spot_size_zeta;            /* s */
extern const spot_size_family_table_t
    spot_size_shifted_negbin; /* r, p; r INFINITY: shifted Poisson, then its rate is a
                                 third number behind them */
extern const spot_size_family_table_t spot_size_absnormal_moments; /* mu, sigma */
extern const spot_size_family_table_t spot_size_absnormal_mle;     /* mu, sigma */
extern const spot_size_family_table_t spot_size_seed_mixture;      /* p_big, mu, sigma */

/* Given the limit n. */
extern const spot_size_family_table_t spot_size_truncated_geometric; /* p; 0: uniform */
extern const spot_size_family_table_t spot_size_all_or_geometric;    /* pi_all, p */
extern const spot_size_family_table_t spot_size_zt_binomial;         /* q */
extern const spot_size_family_table_t
    spot_size_zt_betabinomial; /* a, b; a = 0: the limit; both INFINITY: zt-binomial,
                                  then q is a third number behind them */
extern const spot_size_family_table_t
    spot_size_truncated_negbin; /* r, p; r INFINITY: truncated Poisson, then its rate is
                                   a third number behind them */

/* Every family, NULL-terminated. */
#define SPOT_SIZE_MAX_FAMILIES 14
extern const spot_size_family_table_t *const spot_size_families[];

/* Sizes above this are big in the seed mixture: uniform up to SPOT_SIZE_BIG_MAX. */
#define SPOT_SIZE_REGULAR_MAX 10
#define SPOT_SIZE_BIG_MAX 31

/* ln P at a size that no instance of the seed mixture can have. */
#define SPOT_SIZE_LOG_FLOOR (-690.77552789821368) /* ln 1e-300 */

/* ln(x (x + 1) ... (x + n - 1)), without cancellation for a large x. x > 0. */
double spot_size_log_rising(double x, int32_t n);

/* Mean of a law for one limit. O(limit). */
double spot_size_mean_given(
    const spot_size_family_table_t *family, const double *parameters, int32_t limit);

#endif
