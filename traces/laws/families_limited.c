/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of lives with a limit, such as the 24 h of preemptible machines. TE(tau; [0, L])
 * is the exponential law truncated to [0, L]. */
#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "traces/laws/family_internal.h"
#include "traces/laws/law.h"

/* P(0 < Y <= L) of the exponential law before truncation. */
static double mass(double tau, double limit)
{
    return -expm1(-limit / tau);
}

/* limit / tau below which the closed forms cancel. */
#define FLAT 0.5

/* E(Y^k) of a law that is nearly uniform: both integrals of u^k e^(-x u) over [0, 1] as
 * series in x = limit/tau. */
static double flat_moment(double tau, double limit, int k)
{
    enum { NUM_TERMS = 16 };
    const double x = limit / tau;
    double above = 0, below = 0, term = 1;

    for (int j = 0; j < NUM_TERMS; j++) {
        above += term / (j + k + 1);
        below += term / (j + 1);
        term *= -x / (j + 1);
    }
    return pow(limit, k) * above / below;
}

static double truncated_moment(double tau, double limit, int k)
{
    if (limit < FLAT * tau) {
        return flat_moment(tau, limit, k);
    }
    return k == 1 ? tau - limit / expm1(limit / tau)
                  : 2 * tau * tau - limit * (limit + 2 * tau) / expm1(limit / tau);
}

static double draw_truncated(double tau, double limit, double u)
{
    return -tau * log1p(-u * mass(tau, limit));
}

/* Parameters of bathtub: early deaths fall off with tau1, deaths before the limit rise
 * with tau2. */
enum { W, TAU1, TAU2, LIMIT };

static double bathtub_log_density(const double *p, double t)
{
    if (t > p[LIMIT]) {
        return (double) -INFINITY;
    }
    const double early = p[TAU1] * mass(p[TAU1], p[LIMIT]);
    const double late = p[TAU2] * mass(p[TAU2], p[LIMIT]);
    const double density =
        p[W] / early * exp(-t / p[TAU1]) + (1 - p[W]) / late * exp((t - p[LIMIT]) / p[TAU2]);

    if (density > SPOT_LAW_TINY && density < SPOT_LAW_HUGE) {
        return log(density);
    }
    return spot_law_log_sum(
        log(p[W]) - t / p[TAU1] - log(early), log1p(-p[W]) + (t - p[LIMIT]) / p[TAU2] - log(late));
}

static double bathtub_log_survival(const double *p, double t)
{
    const double rest = p[LIMIT] - t;
    const double p_early = mass(p[TAU1], t) / mass(p[TAU1], p[LIMIT]);
    const double p_late = exp(-rest / p[TAU2]) * mass(p[TAU2], t) / mass(p[TAU2], p[LIMIT]);
    const double p_end = p[W] * p_early + (1 - p[W]) * p_late;

    if (rest <= 0) {
        return (double) -INFINITY;
    }
    if (p_end < SPOT_LAW_NOT_LATE) {
        return log1p(-p_end);
    }
    return spot_law_log_sum(
        log(p[W]) - t / p[TAU1] + log(mass(p[TAU1], rest) / mass(p[TAU1], p[LIMIT])),
        log1p(-p[W]) + log(mass(p[TAU2], rest) / mass(p[TAU2], p[LIMIT])));
}

static double bathtub_moment(const double *p, int k)
{
    const double early = truncated_moment(p[TAU1], p[LIMIT], k);
    const double late_mean = truncated_moment(p[TAU2], p[LIMIT], 1);
    const double late =
        k == 1 ? p[LIMIT] - late_mean
               : p[LIMIT] * (p[LIMIT] - 2 * late_mean) + truncated_moment(p[TAU2], p[LIMIT], 2);

    return p[W] * early + (1 - p[W]) * late;
}

static double bathtub_draw(const double *p, spot_rng_t *rng)
{
    const double u = spot_rng_uniform(rng);
    const double v = spot_rng_uniform(rng);

    return u < p[W] ? draw_truncated(p[TAU1], p[LIMIT], v)
                    : p[LIMIT] - draw_truncated(p[TAU2], p[LIMIT], v);
}

static const spot_field_t bathtub_fields[] = {
    SPOT_LAW_PARAMETER(W, "w", 0, 1, "share of early deaths"),
    SPOT_LAW_POSITIVE(TAU1, "tau1", "time constant of early deaths in s"),
    SPOT_LAW_POSITIVE(TAU2, "tau2", "time constant of deaths before the limit in s"),
    SPOT_LAW_POSITIVE(LIMIT, "limit_s", "longest life in s"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_bathtub = {"bathtub",
    "early deaths, then few, then many before a limit",
    "Kadupitiya, Jadhao, Sharma, HPDC 2020, scaled to a distribution",
    SPOT_FAMILY_FUNCTIONS(bathtub), .num_parameters = 3, .num_settings = 1};

/* Parameters of deadline: min(X, deadline + Y), X lognormal, Y from TE(overrun_mean; [0,
 * overrun_max]). An overrun_max of 0 ends every life at the deadline itself. */
enum { ZETA, SIGMA, DEADLINE, OVERRUN_MEAN, OVERRUN_MAX };

static double log_overrun_survival(const double *p, double overrun)
{
    const double rest = p[OVERRUN_MAX] - overrun;

    if (rest <= 0) {
        return (double) -INFINITY;
    }
    return -overrun / p[OVERRUN_MEAN] +
           log(mass(p[OVERRUN_MEAN], rest) / mass(p[OVERRUN_MEAN], p[OVERRUN_MAX]));
}

static double deadline_log_survival(const double *p, double t)
{
    const double overrun = t - p[DEADLINE];

    return spot_family_lognormal.log_survival(p, t) +
           (overrun >= 0 ? log_overrun_survival(p, overrun) : 0);
}

static double deadline_log_density(const double *p, double t)
{
    const double overrun = t - p[DEADLINE];
    const double log_density = spot_family_lognormal.log_density(p, t);

    if (overrun < 0) {
        return log_density;
    }
    if (overrun >= p[OVERRUN_MAX]) {
        return (double) -INFINITY;
    }
    return spot_law_log_sum(log_density + log_overrun_survival(p, overrun),
        spot_family_lognormal.log_survival(p, t) - overrun / p[OVERRUN_MEAN] -
            log(p[OVERRUN_MEAN] * mass(p[OVERRUN_MEAN], p[OVERRUN_MAX])));
}

/* Above this sigma, E(X^k) is so large that its product with a small tail cancels. */
#define WIDE_SIGMA 1e5

/* ln E(X^k; X < deadline), X lognormal. */
static double deadline_log_early(const double *p, int k)
{
    const double y = (log(p[DEADLINE]) - p[ZETA]) / p[SIGMA];
    const double z = k * p[SIGMA] - y;

    if (p[SIGMA] > WIDE_SIGMA) {
        return k * log(p[DEADLINE]) - y * y / 2 - log(z) - (M_LN2 + M_LNPI) / 2;
    }
    return k * p[ZETA] + k * k * p[SIGMA] * p[SIGMA] / 2 + spot_law_log_normal_tail(z);
}

/* E(min(X, deadline)^k) plus the integral of k t^(k-1) P(T > t) over the overrun, by
 * Simpson's rule: the integrand is smooth there. */
static double deadline_moment(const double *p, int k)
{
    enum { NUM_STEPS = 2000 };
    const double deadline = p[DEADLINE];
    const double step = p[OVERRUN_MAX] / NUM_STEPS;
    double sum = 0;

    if (!isfinite(deadline)) {
        return exp(k * p[ZETA] + k * k * p[SIGMA] * p[SIGMA] / 2);
    }
    for (int j = 0; j <= NUM_STEPS; j++) {
        const double t = deadline + j * step;
        const double weight = j == 0 || j == NUM_STEPS ? 1 : 2 + 2 * (j % 2);

        sum += weight * k * exp((k - 1) * log(t) + deadline_log_survival(p, t));
    }
    return exp(deadline_log_early(p, k)) +
           exp(k * log(deadline) + spot_family_lognormal.log_survival(p, deadline)) +
           sum * step / 3;
}

static double deadline_draw(const double *p, spot_rng_t *rng)
{
    const double life = gsl_ran_lognormal(spot_rng_gsl(rng), p[ZETA], p[SIGMA]);
    double end;

    if (life <= p[DEADLINE]) {
        return life;
    }
    end = p[DEADLINE] + draw_truncated(p[OVERRUN_MEAN], p[OVERRUN_MAX], spot_rng_uniform(rng));
    return life < end ? life : end;
}

#define DEADLINE_EXPECTED "a number of seconds above 0, or none"

static const char *const none_names[] = {"none", NULL};

static const spot_field_t deadline_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = none_names},
    {.name = "",
        .type = SPOT_FIELD_NUMBER,
        .min = DBL_TRUE_MIN,
        .max = HUGE_VAL,
        .expected = DEADLINE_EXPECTED},
    {.name = NULL},
};

static void settle_deadline(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) bind;
    if (spot_field_form(field, node) == deadline_forms) {
        *(double *) target = (double) INFINITY;
    }
}

static const spot_field_t deadline_fields[] = {
    SPOT_LAW_PARAMETER(ZETA, "zeta", -700, 700, "mean of ln t, t in s"),
    SPOT_LAW_POSITIVE(SIGMA, "sigma", "standard deviation of ln t"),
    {.name = "deadline_s",
        .label = "life limit",
        .type = SPOT_FIELD_ONE_OF,
        .offset = DEADLINE * sizeof(double),
        .initial = "none",
        .expected = DEADLINE_EXPECTED,
        .fields = deadline_forms,
        .settle = settle_deadline,
        .help = "end of every life in s: 86400 for preemptible machines of GCP"},
    {.name = "overrun_mean_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = OVERRUN_MEAN * sizeof(double),
        .min = SPOT_LAW_TINY,
        .max = SPOT_LAW_HUGE,
        .initial = "1",
        .help = "mean time in s by which the end comes late"},
    {.name = "overrun_max_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = OVERRUN_MAX * sizeof(double),
        .min = 0,
        .max = SPOT_LAW_HUGE,
        .initial = "0",
        .help = "longest time in s by which the end comes late"},
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_deadline = {"deadline",
    "lognormal lives, cut by a wall that comes a little late",
    "own; data of Kadupitiya, Jadhao, Sharma, HPDC 2020", SPOT_FAMILY_FUNCTIONS(deadline),
    .num_parameters = 2, .num_settings = 3};
