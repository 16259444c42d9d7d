/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of durations by maximum likelihood: one family, or all of them ranked by AIC. No
 * correction of bias, location 0. What cannot be fitted, or only in part, says so: an
 * estimate is never given without its doubts. */
#ifndef SPOT_TRACES_FIT_FIT_LAW_H
#define SPOT_TRACES_FIT_FIT_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/fit/durations.h"
#include "traces/fit/maximise.h"
#include "traces/laws/law.h"

#define SPOT_FIT_MAX_FAMILIES 7
#define SPOT_FIT_NOTE_BYTES 256

/* Why something about a fit is missing or means nothing; note has the words. */
typedef enum {
    SPOT_FIT_TOO_FEW = 1 << 0,    /* fewer than 2 values, or none is complete: no fit */
    SPOT_FIT_DEGENERATE = 1 << 1, /* all equal, or all in the first tick */
    SPOT_FIT_NO_LIMIT = 1 << 2,   /* bathtub without limit_s: no fit */
    SPOT_FIT_BEYOND_LIMIT = 1 << 3, /* a value that the limit rules out: no fit */
    SPOT_FIT_ARBITRARY = 1 << 4,    /* a parameter does not matter: mu1 = mu2, w = 1 */
    SPOT_FIT_FLAT = 1 << 5,         /* mu1 far below the tick */
    SPOT_FIT_RAISED = 1 << 6,       /* values of 0 counted as one tick */
    SPOT_FIT_NO_ERRORS = 1 << 7,    /* standard errors do not exist */
    SPOT_FIT_NOT_CONVERGED = 1 << 8,
    SPOT_FIT_NO_P_VALUE = 1 << 9 /* the bootstrap does not know such a fit */
} spot_fit_flag_t;

/* Where only lnL, AIC, BIC, KS and AD of a fit mean anything. */
#define SPOT_FIT_NOT_COMPARABLE (SPOT_FIT_ARBITRARY | SPOT_FIT_FLAT)

/* All numbers but the sample's are NAN where there is no fit. */
typedef struct {
    const spot_family_t *family;
    bool is_fitted;
    bool is_exact;      /* by formula, without search */
    bool is_mean_exact; /* the family keeps the sample's mean: exactly so if continuous
                         * and uncensored */
    bool converged;
    unsigned flags;     /* spot_fit_flag_t */
    unsigned arbitrary; /* bit j: parameter j does not matter, its value is chance */
    char note[SPOT_FIT_NOTE_BYTES];
    size_t num_values;
    size_t num_complete;
    double tick_s; /* of the likelihood; 0: continuous */
    spot_law_t law;
    double standard_errors[SPOT_LAW_MAX_PARAMETERS]; /* [num_parameters], from the
                                                      * observed information */
    double log_likelihood; /* lattice: of probabilities, never to be compared with a
                            * continuous one */
    double aic;
    double bic; /* k ln num_complete - 2 lnL */
    double ks;
    double ad;
    double implied_mean_s; /* INFINITY: the law has none */
    double implied_cv;
    double mean_ratio; /* implied mean over that of the sample, censored values taken as
                        * they are */
    double p_value;    /* of AD by bootstrap; NAN: not computed */
    int num_evaluations;
} spot_fit_t;

/* One family. limit_s is the longest possible life, NAN: not known. Allocates nothing
 * but for a root. */
void spot_fit_law(spot_maximiser_t *maximiser, spot_durations_t *durations,
    const spot_family_t *family, double limit_s, spot_fit_t *fit);

typedef struct {
    size_t num_fits;
    spot_fit_t
        fits[SPOT_FIT_MAX_FAMILIES]; /* [num_fits] by AIC, at last those without */
    int best_id;                     /* of the lowest AIC that converged, -1: none */
    int best_mean_id; /* the same among families that keep the mean: what generators use
                       */
} spot_fit_ranking_t;

/* The families, in any order, NULL-terminated; NULL: all seven that are fitted, bathtub
 * only with a limit. */
void spot_fit_rank(spot_fit_ranking_t *self, spot_maximiser_t *maximiser,
    spot_durations_t *durations, const spot_family_t *const *families, double limit_s);

/* Whether a family can be fitted at all. */
bool spot_fit_has_family(const spot_family_t *family);

#endif
