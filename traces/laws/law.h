/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of durations: gaps between events, spells, lifetimes of instances. A family is
 * one const table; a law is a family with its parameters. All times are in seconds. */
#pragma once

#include <stdbool.h>

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

/* The family called name, or NULL. */
const spot_family_t *spot_family_find(const char *name);

/* Standard deviation / mean; INFINITY if one of them does not exist. */
double spot_law_cv(const spot_law_t *self);

/* The t with P(T <= t) = p, 0 <= p < 1, to 1e-12 relative. */
double spot_law_quantile(const spot_law_t *self, double p);
