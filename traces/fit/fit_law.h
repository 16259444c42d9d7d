/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits laws of durations by maximum likelihood: one family, or all of them ranked by
 * AIC, with location 0 and no correction of bias. Flags and a note say what could not be
 * fitted or means nothing.
 *
 * This module owns the sample of a fit (equal values are grouped, sums and logarithms
 * are precomputed, values that could spoil a fit are counted), the way in which each
 * family is fitted, the distances of a law from the sample, the bootstrap of its
 * p-value, and lives that end at a wall.
 *
 * Use: spot_fit_durations_init() of values, spot_fit_rank() with a maximiser, look at
 * fits[best_id]; spot_fit_durations_free(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/watch.h"
#include "traces/describe/sample.h"
#include "traces/fit/maximise.h"
#include "traces/laws/law.h"

/* ---- The sample of a fit ---- */

/* Smallest tick that is worth a likelihood of its own, in s. */
#define SPOT_FIT_MIN_TICK_S 30

/* All values that are equal. */
typedef struct {
    double value_s;    /* > 0 */
    double log_value;  /* ln value_s */
    size_t num_deaths; /* complete values */
    size_t num_censored;
    size_t below_id; /* index in points_s of value - tick, at least 0. Lattice only */
    size_t at_id;    /* index in points_s of the value */
} spot_duration_t;

/* After init only log_survival changes. */
typedef struct {
    spot_arena_t memory;
    /* 0: continuous likelihood; else of intervals (value - tick, value]. */
    double tick_s;
    size_t num_values; /* complete and censored */
    size_t num_complete;
    size_t num_raised; /* complete values of 0, which count as one tick */
    size_t num_groups;
    spot_duration_t *groups; /* [num_groups] by value */
    size_t num_points;
    double *points_s;     /* [num_points] increasing, where survival is evaluated */
    double *log_survival; /* [num_points] scratch */
    bool is_on_ticks;     /* all values are multiples of tick_s */
    bool is_one_value;    /* the complete values are all equal, or all in the first tick */
    double sum_s;         /* of all values, censored or not */
    double mean_s;        /* sum_s / num_values */
    double mean_log;      /* of ln value, all values above 0 */
    double std_log;       /* of ln value, with 1/n */
    double mean_log_complete;
    double max_s;
    spot_kaplan_meier_t kaplan_meier;
} spot_fit_durations_t;

/* Values are finite and >= 0, in any order; is_censored NULL: none is censored. tick_s >
 * 0: lattice, 0: continuous. A complete value of 0 is raised to the tick, or to
 * resolution_s > 0 if tick_s is 0. A censored value of 0 carries no information (S(0) =
 * 1) and only counts in num_values. NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_fit_durations_init(spot_fit_durations_t *self, const double *values,
    const bool *is_censored, size_t num_values, double tick_s, double resolution_s);
void spot_fit_durations_free(spot_fit_durations_t *self);

/* ln L of a law: the sum of ln f(t) (continuous) or ln[S(t - tick) - S(t)] (lattice)
 * over complete values, and of ln S(t) over censored ones. -INFINITY: impossible.
 * O(groups). */
double spot_fit_durations_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law);

/* The default tick of the likelihood: resolution_s if it is at least SPOT_FIT_MIN_TICK_S
 * and all values are multiples of it, else 0. Lifetimes: always 0. */
double spot_fit_default_tick(
    const spot_sample_t *sample, spot_sample_kind_t kind, double resolution_s);

/* ---- Distances of a law from a sample ----
 * Kolmogorov-Smirnov, and Anderson-Darling, J. Am. Stat. Assoc. 49, 1954; with censored
 * values from the product-limit estimate. They compare families on one sample. Published
 * tables do not apply, as the parameters are estimated and values are tied. */

/* Largest |F_n - F|, from both sides of each step. On a lattice: at whole ticks, NAN
 * with censored values. O(groups). */
double spot_fit_ks(const spot_fit_durations_t *durations, const spot_law_t *law);

/* n times the integral of (F_n - F)^2/(F (1 - F)) dF; with censored values, up to the
 * last death. NAN on a lattice. O(groups). */
double spot_fit_ad(const spot_fit_durations_t *durations, const spot_law_t *law);

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
    const char *name;                               /* of the family */
    const spot_family_t *family;                    /* of durations, else NULL */
    const struct spot_fit_size_family *size_family; /* of sizes, else NULL */
    spot_maximiser_t *maximiser;                    /* borrowed, of sizes */
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

/* ---- Lives that end at a wall ----
 * Lives that end at a wall, such as the 24 h of preemptible machines. Lives are censored
 * at the wall and their law is lognormal; deaths after the wall give the law of its
 * overrun. */

/* Deaths at the cut or after it. */
typedef struct {
    double cut_s; /* 0: nothing was cut */
    size_t num_deaths;
    double mean_s; /* of time - cut; 0 without deaths */
    double max_s;
} spot_fit_cut_t;

/* Censors all values from cut_s > 0 on, and summarises the deaths there. O(values). */
void spot_fit_cut(spot_fit_cut_t *self, spot_sample_t *sample, double cut_s);

/* Sets law to the family deadline, from the lognormal law of a sample that was cut.
 * overrun_mean_s maximises the likelihood of the truncated exponential law
 * TE(overrun_mean_s; [0, overrun_max_s]), which then has the observed mean.
 * overrun_max_s is the largest overrun, rounded up to two digits. Without a death from
 * the cut on there is no wall: deadline_s is INFINITY. */
void spot_fit_deadline(spot_law_t *law, const spot_law_t *lognormal, const spot_fit_cut_t *cut);

/* A wall: at least a tenth of the deaths pile up at the end of a sample, ten times as
 * dense as before. */
typedef struct {
    double time_s;     /* the roundest number between the last death before the wall and
                        * the first one after it; 0: there is no wall */
    double last_s;     /* the last death, without the latest 2 % of all */
    size_t num_deaths; /* from time_s on */
    size_t num_before;
} spot_fit_wall_t;

/* Looks for a wall. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_fit_find_wall(spot_fit_wall_t *self, const spot_sample_t *sample);
