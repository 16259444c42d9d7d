/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws: of durations, of sizes of events, and of trials up to the first success.
 *
 * Durations (gaps between events, spells, lifetimes of instances) have families: one
 * const table each, with density, survival, moments and draw. A law is a family with its
 * parameters; all times are in seconds. Sizes have a table of cumulative probabilities.
 * Both are bound from YAML here.
 *
 * Use: bind a field with spot_law_bind() or SPOT_SIZE_FAMILY_FIELD; draw with
 * law.family->draw(), spot_size_law_draw() or spot_trial_law_invert(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/rng.h"

#define SPOT_LAW_MAX_PARAMETERS 5

/* The functions take the parameters, [num_parameters + num_settings], and t >= 0. They
 * do not fail: the logarithm of an impossible event is -INFINITY, a moment that does not
 * exist is INFINITY. */
typedef struct {
    const char *name; /* as in {family: NAME} */
    const char *doc;
    const char *source;
    int num_parameters;         /* estimated */
    int num_settings;           /* given, after the estimated ones, e.g. the limit of a life */
    bool keeps_mean;            /* fitted without censoring, the law has the mean of the sample */
    const spot_field_t *fields; /* of the parameters in order, then of family and law */
    double (*log_density)(const double *parameters, double t_s);
    double (*log_survival)(const double *parameters, double t_s); /* ln P(T > t) */
    double (*moment)(const double *parameters, int k);            /* E(T^k), k = 1 or 2 */
    double (*draw)(const double *parameters, spot_rng_t *rng);
} spot_family_t;

extern const spot_family_t spot_family_exponential; /* mu */
extern const spot_family_t spot_family_weibull;     /* scale, shape */
extern const spot_family_t spot_family_gamma;       /* shape, scale */
extern const spot_family_t spot_family_lognormal;   /* zeta, sigma */
extern const spot_family_t spot_family_loglogistic; /* scale, shape */
extern const spot_family_t spot_family_hyperexp2;   /* p1, mu1, mu2 */
extern const spot_family_t spot_family_bathtub;     /* w, tau1, tau2; limit_s */
/* zeta, sigma; deadline_s (INFINITY: none), overrun_mean_s, overrun_max_s. */
extern const spot_family_t spot_family_deadline;

/* Every family, NULL-terminated. */
extern const spot_family_t *const spot_families[];

typedef struct {
    const spot_family_t *family;
    double parameters[SPOT_LAW_MAX_PARAMETERS];
} spot_law_t;

/* Bind function of a field that holds a spot_law_t: {family: NAME, PARAMETER: NUMBER,
 * ...}; the key may also be law. */
void spot_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
extern const char spot_law_expected[];

/* The table by which a law is bound, or NULL. */
const spot_field_t *spot_law_table(const spot_node_t *node);

/* Writes {family: NAME, PARAMETER: NUMBER, ...}; selector is "family" or "law". An
 * infinite setting is written as none. */
void spot_law_write(FILE *out, const char *selector, const spot_law_t *law);

/* The family called name, or NULL. */
const spot_family_t *spot_family_find(const char *name);

/* Standard deviation / mean; INFINITY if one of them does not exist. */
double spot_law_cv(const spot_law_t *self);

/* The t with P(T <= t) = p, 0 <= p < 1, to 1e-12 relative. */
double spot_law_quantile(const spot_law_t *self, double p);

/* ---- Sizes ----
 * The law of the number of instances of one event: a distribution on 1, 2, ... as a
 * table of cumulative probabilities, drawn with one uniform number by inversion. */

typedef enum {
    SPOT_SIZE_NORMAL,    /* max(1, |round N(mean, std)|), as in the seed notebook */
    SPOT_SIZE_MOMENTS,   /* mean and std given: 1 + negative binomial, or 1 + Poisson */
    SPOT_SIZE_GEOMETRIC, /* P(k) = p (1 - p)^(k - 1) */
    SPOT_SIZE_NEGBIN,    /* 1 + negative binomial(r, p) */
    SPOT_SIZE_FIXED      /* always the same */
} spot_size_family_t;

/* A law as read from YAML: {normal: {mean: 2.4, std: 2.1}}, {fixed: 3}, ... */
typedef struct {
    spot_size_family_t family;
    double a; /* mean, p, r or the fixed size */
    double b; /* std or p */
} spot_size_family_parameters_t;

/* An event is big with this probability; its size is then uniform on low ... high. */
typedef struct {
    double probability;
    int64_t low;
    int64_t high;
} spot_size_big_t;

typedef struct {
    size_t num_sizes;
    double *cumulative; /* [num_sizes] P(size <= j + 1); the last one is 1 */
    size_t num_guides;
    /* [num_guides] index at which the search for u in [j, j + 1)/num_guides starts */
    uint32_t *guides;
} spot_size_law_t;

/* A field of spot_size_family_parameters_t: a one-of whose form is the family. */
#define SPOT_SIZE_FAMILY_FIELD(type, member)                                                       \
    .offset = offsetof(type, member), .fields = spot_size_family_forms, .has_form = true,          \
    .form_offset = offsetof(type, member.family), .what = "law",                                   \
    .expected = spot_size_family_expected, .settle = spot_size_family_settle
extern const spot_field_t spot_size_family_forms[];
extern const char spot_size_family_expected[];
void spot_size_family_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
extern const spot_field_t spot_size_big_fields[];

/* Tabulates up to the size with 1 - P < 2^-53, at most up to max_size, which then stands
 * for "at least max_size". NO_MEMORY; free self even then. O(sizes). */
SPOT_MUST_CHECK int spot_size_law_init(spot_size_law_t *self,
    const spot_size_family_parameters_t *parameters, const spot_size_big_t *big, int64_t max_size);
/* The same table as that of another law. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_size_law_copy(spot_size_law_t *self, const spot_size_law_t *other);
void spot_size_law_free(spot_size_law_t *self);

/* One draw, O(1) on average, and the same for a number u of [0, 1). */
int32_t spot_size_law_draw(const spot_size_law_t *self, spot_rng_t *rng);
int32_t spot_size_law_invert(const spot_size_law_t *self, double u);

/* Probability that a draw of size 1 comes from a normal number that rounds to 0, which
 * counts as 1; 0 for the other families. O(1). */
double spot_size_law_p_rounded_to_0(const spot_size_law_t *self,
    const spot_size_family_parameters_t *parameters, const spot_size_big_t *big);

/* ---- Trials up to the first success ----
 * The geometric law on 1, 2, ..., drawn with one uniform number by inversion, 1 +
 * floor(ln(1 - u) / ln q), q the probability that a trial fails (Devroye, "Non-Uniform
 * Random Variate Generation", 1986, X.2). */

/* This many trials mean "never": no run is that long. */
#define SPOT_TRIALS_NEVER (INT64_C(1) << 52)

/* [0, 1) is divided into equal cells. A cell with at most two results, one apart, needs
 * no logarithm. With a mean of 67 trials these are nine of ten cells, with 1,200
 * none. */
#define SPOT_TRIAL_CELLS 512

typedef struct {
    uint32_t num_failures; /* at the start of the cell; UINT32_MAX: use the formula */
    uint32_t limit;        /* place, in 2^-32 of the cell, from which on there is one failure
                            * more; UINT32_MAX: nowhere */
} spot_trial_cell_t;

typedef struct {
    double failures_per_log; /* 1 / ln q, <= 0 */
    spot_trial_cell_t cells[SPOT_TRIAL_CELLS];
} spot_trial_law_t;

/* Sets the law in which at least one of num_trials trials succeeds with probability p,
 * 0 <= p <= 1. O(cells). */
void spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p);

/* One draw, O(1): the number of trials for u = number 2^-53, number < 2^53; at most
 * SPOT_TRIALS_NEVER. The cells change no result. */
int64_t spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number);
