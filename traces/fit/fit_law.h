/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits laws of durations by maximum likelihood: one family, or all of them ranked by
 * AIC, with location 0 and no correction of bias. Flags and a note say what could not be
 * fitted or means nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/watch.h"
#include "traces/fit/durations.h"
#include "traces/fit/maximise.h"
#include "traces/laws/law.h"

#define SPOT_FIT_MAX_FAMILIES 7
#define SPOT_FIT_NOTE_BYTES 256

/* Why a part of a fit is missing or means nothing; note has the sentence. */
typedef enum {
    SPOT_FIT_TOO_FEW = 1 << 0,      /* fewer than 2 values, or no complete one: no fit */
    SPOT_FIT_DEGENERATE = 1 << 1,   /* all equal, or all in the first tick */
    SPOT_FIT_NO_LIMIT = 1 << 2,     /* bathtub without limit_s: no fit */
    SPOT_FIT_BEYOND_LIMIT = 1 << 3, /* a value is impossible under the limit: no fit */
    SPOT_FIT_ARBITRARY = 1 << 4,    /* a parameter does not matter: mu1 = mu2, w = 1 */
    SPOT_FIT_FLAT = 1 << 5,         /* mu1 far below the tick */
    SPOT_FIT_RAISED = 1 << 6,       /* values of 0 counted as one tick */
    SPOT_FIT_NO_ERRORS = 1 << 7,    /* standard errors do not exist */
    SPOT_FIT_NOT_CONVERGED = 1 << 8,
    SPOT_FIT_NO_P_VALUE = 1 << 9 /* the bootstrap does not cover this fit */
} spot_fit_flag_t;

/* With one of these flags, only lnL, AIC, BIC, KS and AD of a fit mean anything. */
#define SPOT_FIT_NOT_COMPARABLE (SPOT_FIT_ARBITRARY | SPOT_FIT_FLAT)

/* A fit of durations or of sizes. Without a fit, all numbers but those of the sample are
 * NAN. */
typedef struct {
    const char *name;                           /* of the family */
    const spot_family_t *family;                /* of durations, else NULL */
    const struct spot_size_family *size_family; /* of sizes, else NULL */
    spot_maximiser_t *maximiser;                /* borrowed, of sizes */
    bool is_fitted;
    bool is_exact;      /* by formula, without search */
    bool is_mean_exact; /* the family keeps the mean of the sample: exactly if continuous
                         * and uncensored */
    bool converged;
    unsigned flags;                 /* spot_fit_flag_t */
    unsigned arbitrary;             /* bit j: parameter j does not matter, its value is chance */
    char note[SPOT_FIT_NOTE_BYTES]; /* sentences on the flags, or "" */
    size_t num_values;
    size_t num_complete;
    double tick_s;                                   /* of the likelihood; 0: continuous */
    spot_law_t law;                                  /* of sizes: the parameters */
    double standard_errors[SPOT_LAW_MAX_PARAMETERS]; /* [num_parameters], from the
                                                      * observed information */
    double log_likelihood; /* lattice: of probabilities, not comparable with a continuous
                            * one */
    double aic;
    double bic; /* k ln num_complete - 2 lnL */
    double ks;
    double ad;
    double implied_mean_s; /* INFINITY: the law has none */
    double implied_cv;
    double mean_ratio; /* implied mean / mean of the sample, where censored values count
                        * as complete */
    double p_value;    /* of AD by bootstrap; NAN: not computed */
    int num_evaluations;
} spot_fit_t;

/* Fits one family. limit_s is the longest possible life, NAN: unknown. Allocates nothing
 * but a root solver. */
void spot_fit_law(spot_maximiser_t *maximiser, spot_fit_durations_t *durations,
    const spot_family_t *family, double limit_s, spot_fit_t *fit);

typedef struct {
    size_t num_fits;
    /* [num_fits] by AIC; families without a fit come last. */
    spot_fit_t fits[SPOT_FIT_MAX_FAMILIES];
    int best_id;      /* lowest AIC that converged; -1: none */
    int best_mean_id; /* the same among families that keep the mean, for generators */
} spot_fit_ranking_t;

/* Fits and ranks families (NULL-terminated, in any order); NULL: all seven, bathtub only
 * with a limit. */
void spot_fit_rank(spot_fit_ranking_t *self, spot_maximiser_t *maximiser,
    spot_fit_durations_t *durations, const spot_family_t *const *families, double limit_s);

/* Whether the room can fit a family. */
bool spot_fit_has_family(const spot_family_t *family);

/* For this room: sets all numbers to NAN. */
void spot_fit_clear(spot_fit_t *fit);

/* For this room: sets the flags (spot_fit_flag_t) and appends the formatted words to the
 * note. */
SPOT_PRINTF(3, 4)
void spot_fit_note(spot_fit_t *fit, unsigned flags, const char *format, ...);

/* ---- The p-value of a fit ----
 * By parametric bootstrap of the Anderson-Darling distance. Stute, Gonzalez Manteiga,
 * Presedo Quindimil, Metrika 40, 1993. */

typedef struct {
    int num_rounds;      /* >= 1 */
    double resolution_s; /* > 0 */
    uint64_t seed;
    uint64_t replication;
    spot_watch_t watch; /* counts rounds */
} spot_bootstrap_t;

/* Sets fit->p_value to (1 + #{AD* >= AD})/(rounds + 1). Each round draws as many values
 * from the fit as the sample has, rounds them up to resolution_s (one at least) and fits
 * the family again. Round r has its own stream (SPOT_STREAM_BOOTSTRAP, replication,
 * entity r), so that the numbers do not depend on the spread of rounds over threads.
 *
 * p_value stays NAN, with the reason in fit->note, on a lattice (AD is undefined there)
 * and with censored values (the law of the censoring is unknown). It stays NAN without a
 * note after a fit that failed or did not converge.
 *
 * NO_MEMORY, INTERRUPTED. */
SPOT_MUST_CHECK int spot_fit_bootstrap(
    const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit);

/* For this room: one row per family, with its unconstrained parameters, the starts of
 * the search, and the exact estimate if there is one. */
#define SPOT_FIT_MAX_STARTS 4

typedef struct {
    const spot_family_t *family;
    spot_fit_scale_t scales[SPOT_MAXIMISE_MAX_PARAMETERS]; /* [num_parameters] */
    /* Fills the starts in theta and returns their number. */
    size_t (*starts)(const spot_fit_durations_t *durations,
        double starts[SPOT_FIT_MAX_STARTS][SPOT_MAXIMISE_MAX_PARAMETERS]);
    /* Sets theta to the exact estimate; false: none exists for this sample. NULL: the
     * family has none. */
    bool (*exact)(const spot_fit_durations_t *durations, double *theta);
} spot_fit_family_t;

/* The row of a family, or NULL if it cannot be fitted. */
const spot_fit_family_t *spot_fit_family_find(const spot_family_t *family);

/* Sets the parameters of a law from theta; its settings stay unchanged. */
void spot_fit_family_law(const spot_fit_family_t *self, const double *theta, double *parameters);
