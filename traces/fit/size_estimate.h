/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimates of the families of sizes. Internal to the room. The sample has at least
 * two events; the estimates handle sizes that are all 1 or all equal. */
#pragma once

#include "traces/fit/fit_size.h"

#define SPOT_SIZE_ESTIMATES(X)                                                          \
    X(geometric)                                                                        \
    X(shifted_poisson)                                                                  \
    X(zt_poisson)                                                                       \
    X(logarithmic)                                                                      \
    X(zeta)                                                                             \
    X(shifted_negbin)                                                                   \
    X(absnormal_moments)                                                                \
    X(absnormal_mle)                                                                    \
    X(seed_mixture)                                                                     \
    X(truncated_geometric)                                                              \
    X(all_or_geometric)                                                                 \
    X(zt_binomial)                                                                      \
    X(zt_betabinomial)                                                                  \
    X(truncated_negbin)

#define SPOT_SIZE_ESTIMATE_DECLARED(name)                                               \
    void spot_size_estimate_##name(const spot_size_sample_t *sample,                    \
        spot_maximiser_t *maximiser, spot_size_fit_t *fit);
SPOT_SIZE_ESTIMATES(SPOT_SIZE_ESTIMATE_DECLARED)
#undef SPOT_SIZE_ESTIMATE_DECLARED

/* Appends to the note, with "; " between parts. */
void spot_size_note(spot_size_fit_t *fit, const char *format, ...) SPOT_PRINTF(2, 3);

/* A search over the free parameters, with the others fixed at a boundary. */
typedef struct {
    size_t num_free;
    size_t free_ids[SPOT_SIZE_MAX_PARAMETERS];
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1]; /* values of the fixed ones */
    size_t num_starts;
    double starts[3][SPOT_MAXIMISE_MAX_PARAMETERS]; /* on the scales of the family */
} spot_size_search_t;

/* Runs the search, fills parameters and converged of fit, and returns ln L. */
double spot_size_maximise(const spot_size_search_t *search,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit);

/* Map a parameter to its scale, and back. */
double spot_size_scaled(spot_fit_scale_t scale, double parameter);
double spot_size_unscaled(spot_fit_scale_t scale, double theta);
