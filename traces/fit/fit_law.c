/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_law.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/stats.h"

/* Rounding allowed in a multiple of the tick, in ticks; the same as the recorder's. */
#define FIT_ON_TICK 1e-9

/* Upper limit of a draw from a law: longer than any measured value, yet finite. */
#define FIT_LONGEST_S 1e300

typedef struct {
    const spot_family_t *family;
    spot_fit_scale_t scales[SPOT_MAXIMISE_MAX_PARAMETERS]; /* [num_parameters] */
    /* Fills the starts in theta and returns their number. */
    size_t (*starts)(const spot_fit_durations_t *durations,
        double starts[SPOT_FIT_MAX_STARTS][SPOT_MAXIMISE_MAX_PARAMETERS]);
    /* Sets theta to the exact estimate; false: none exists for this sample. NULL: the
     * family has none. */
    bool (*exact)(const spot_fit_durations_t *durations, double *theta);
} fit_family_t;

/* ---- The sample of a fit ---- */

typedef struct {
    double value_s;
    bool is_censored;
} value_t;

static int compare_values(const void *left, const void *right)
{
    const double a = ((const value_t *) left)->value_s;
    const double b = ((const value_t *) right)->value_s;

    return (a > b) - (a < b);
}

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *) left, b = *(const double *) right;

    return (a > b) - (a < b);
}

static bool is_multiple(double value_s, double tick_s)
{
    const double ticks = value_s / tick_s;

    return fabs(ticks - round(ticks)) <= FIT_ON_TICK * fmax(1, ticks);
}

static void group_values(spot_fit_durations_t *self, const value_t *values, size_t num_values)
{
    for (size_t j = 0; j < num_values; j++) {
        if (self->num_groups == 0 ||
            self->groups[self->num_groups - 1].value_s != values[j].value_s) {
            self->groups[self->num_groups++] = (spot_duration_t){
                .value_s = values[j].value_s, .log_value = log(values[j].value_s)};
        }
        if (values[j].is_censored) {
            self->groups[self->num_groups - 1].num_censored++;
        } else {
            self->groups[self->num_groups - 1].num_deaths++;
        }
    }
}

/* Start of the interval of a value; the first one starts at 0. */
static double lower_end(const spot_fit_durations_t *self, double value_s)
{
    const double below_s = value_s - self->tick_s;

    return below_s > FIT_ON_TICK * self->tick_s ? below_s : 0;
}

static size_t find_point(const spot_fit_durations_t *self, double point_s)
{
    const double *found = bsearch(
        &point_s, self->points_s, self->num_points, sizeof(*self->points_s), compare_numbers);

    return (size_t) (found - self->points_s);
}

/* Lists the distinct points at which survival is needed: on a lattice the end of one
 * interval is often the start of another. */
static void list_points(spot_fit_durations_t *self)
{
    double *points_s = self->points_s;
    size_t num_points = 0, num_kept = 0;

    for (size_t j = 0; j < self->num_groups; j++) {
        points_s[num_points++] = self->groups[j].value_s;
        if (self->tick_s > 0) {
            points_s[num_points++] = lower_end(self, self->groups[j].value_s);
        }
    }
    if (num_points > 0) {
        qsort(points_s, num_points, sizeof(*points_s), compare_numbers);
    }
    for (size_t j = 0; j < num_points; j++) {
        if (num_kept == 0 || points_s[j] != points_s[num_kept - 1]) {
            points_s[num_kept++] = points_s[j];
        }
    }
    self->num_points = num_kept;
    for (size_t j = 0; j < self->num_groups; j++) {
        self->groups[j].at_id = find_point(self, self->groups[j].value_s);
        self->groups[j].below_id = self->tick_s > 0
                                       ? find_point(self, lower_end(self, self->groups[j].value_s))
                                       : self->groups[j].at_id;
    }
}

static void measure(spot_fit_durations_t *self)
{
    spot_sum_t sum = {0}, sum_log = {0}, sum_log_complete = {0}, sum_squares = {0};
    double n = 0, first_s = (double) INFINITY, last_s = 0;

    self->is_on_ticks = self->tick_s > 0;
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];
        const double count = (double) (group->num_deaths + group->num_censored);

        n += count;
        spot_sum_add(&sum, count * group->value_s);
        spot_sum_add(&sum_log, count * group->log_value);
        spot_sum_add(&sum_log_complete, (double) group->num_deaths * group->log_value);
        if (group->num_deaths > 0) {
            first_s = fmin(first_s, group->value_s);
            last_s = group->value_s;
        }
        self->is_on_ticks = self->is_on_ticks && is_multiple(group->value_s, self->tick_s);
        self->max_s = group->value_s;
    }
    self->sum_s = spot_sum_total(&sum);
    self->mean_s = self->sum_s / (double) self->num_values;
    self->mean_log = spot_sum_total(&sum_log) / n;
    self->mean_log_complete = spot_sum_total(&sum_log_complete) / (double) self->num_complete;
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];

        spot_sum_add(&sum_squares, (double) (group->num_deaths + group->num_censored) *
                                       pow(group->log_value - self->mean_log, 2));
    }
    self->std_log = sqrt(spot_sum_total(&sum_squares) / n);
    self->is_one_value = first_s >= last_s || last_s <= self->tick_s * (1 + FIT_ON_TICK);
}

int spot_fit_durations_init(spot_fit_durations_t *self, const double *values,
    const bool *is_censored, size_t num_values, double tick_s, double resolution_s)
{
    spot_arena_t scratch = {0};
    value_t *sorted;
    double *raised;
    bool *censored;
    size_t num_known = 0; /* all values but those censored at 0 */
    int error;

    memset(self, 0, sizeof(*self));
    self->tick_s = tick_s;
    self->num_values = num_values;
    SPOT_ARENA_ARRAY(&self->memory, self->groups, num_values);
    SPOT_ARENA_ARRAY(&self->memory, self->points_s, 2 * num_values);
    SPOT_ARENA_ARRAY(&self->memory, self->log_survival, 2 * num_values);
    SPOT_ARENA_ARRAY(&scratch, sorted, num_values);
    SPOT_ARENA_ARRAY(&scratch, raised, num_values);
    SPOT_ARENA_ARRAY(&scratch, censored, num_values);
    error = spot_error_first(self->memory.error, scratch.error);
    if (error != 0) {
        goto out;
    }
    for (size_t j = 0; j < num_values; j++) {
        const bool is_open = is_censored != NULL && is_censored[j];

        self->num_complete += is_open ? 0 : 1;
        if (is_open && !(values[j] > 0)) {
            continue;
        }
        raised[num_known] = values[j] > 0 ? values[j] : tick_s > 0 ? tick_s : resolution_s;
        censored[num_known] = is_open;
        sorted[num_known] = (value_t){raised[num_known], is_open};
        self->num_raised += values[j] > 0 ? 0 : 1;
        num_known++;
    }
    if (num_known > 0) {
        qsort(sorted, num_known, sizeof(*sorted), compare_values);
    }
    group_values(self, sorted, num_known);
    list_points(self);
    measure(self);
    error = spot_kaplan_meier_init(&self->kaplan_meier, raised, censored, num_known);
out:
    spot_arena_free(&scratch);
    return error;
}

void spot_fit_durations_free(spot_fit_durations_t *self)
{
    spot_arena_free(&self->memory);
    spot_kaplan_meier_free(&self->kaplan_meier);
    memset(self, 0, sizeof(*self));
}

/* ln(e^from - e^to) without cancellation: Maechler, "Accurately computing
 * log(1 - exp(-|a|))", 2012. */
static double log_difference(double from, double to)
{
    const double e = to - from;

    if (!(e < 0)) {
        return (double) -INFINITY; /* the interval is empty, or both survivals are 0 */
    }
    return from + (e > -M_LN2 ? log(-expm1(e)) : log1p(-exp(e)));
}

static double lattice_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law)
{
    double *log_survival = self->log_survival, sum = 0;

    for (size_t j = 0; j < self->num_points; j++) {
        log_survival[j] = self->points_s[j] > 0
                              ? law->family->log_survival(law->parameters, self->points_s[j])
                              : 0;
    }
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];
        const double at = log_survival[group->at_id];

        if (group->num_deaths > 0) {
            sum += (double) group->num_deaths * log_difference(log_survival[group->below_id], at);
        }
        if (group->num_censored > 0) {
            sum += (double) group->num_censored * at;
        }
    }
    return sum;
}

double spot_fit_durations_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law)
{
    const spot_family_t *family = law->family;
    double sum = 0;

    if (self->tick_s > 0) {
        return lattice_log_likelihood(self, law);
    }
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];

        if (group->num_deaths > 0) {
            sum +=
                (double) group->num_deaths * family->log_density(law->parameters, group->value_s);
        }
        if (group->num_censored > 0) {
            sum += (double) group->num_censored *
                   family->log_survival(law->parameters, group->value_s);
        }
    }
    return sum;
}

double spot_fit_default_tick(
    const spot_sample_t *sample, spot_sample_kind_t kind, double resolution_s)
{
    if (kind == SPOT_SAMPLE_LIFETIME || !(resolution_s >= SPOT_FIT_MIN_TICK_S)) {
        return 0;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!is_multiple(sample->values[j], resolution_s)) {
            return 0;
        }
    }
    return resolution_s;
}

/* Least probabilities: one impossible value must not make all families equal. */
#define LEAST_P 1e-300
#define LEAST_1_P 1e-16

static double law_log_survival(const spot_law_t *law, double t_s)
{
    return t_s > 0 ? law->family->log_survival(law->parameters, t_s) : 0;
}

static double cumulative(const spot_law_t *law, double t_s)
{
    return -expm1(law_log_survival(law, t_s));
}

/* F_n is a staircase and F never falls: between two values the largest difference is at
 * the first tick or at the last one. */
static double lattice_ks(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const double tick_s = durations->tick_s, n = (double) durations->num_values;
    double largest = 0, before = 1;
    size_t num_below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double tick = ceil(durations->groups[j].value_s / tick_s - FIT_ON_TICK);

        if (tick > before) {
            largest =
                fmax(largest, fabs((double) num_below / n - cumulative(law, (tick - 1) * tick_s)));
        }
        num_below += durations->groups[j].num_deaths;
        if (j + 1 == durations->num_groups ||
            ceil(durations->groups[j + 1].value_s / tick_s - FIT_ON_TICK) > tick) {
            largest = fmax(largest, fabs((double) num_below / n - cumulative(law, tick * tick_s)));
        }
        before = tick;
    }
    return largest;
}

double spot_fit_ks(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double largest = 0, before = 0;

    if (durations->tick_s > 0) {
        return durations->num_complete == durations->num_values ? lattice_ks(durations, law)
                                                                : (double) NAN;
    }
    for (size_t j = 0; j < km->num_steps; j++) {
        const double at = cumulative(law, km->steps[j].time);
        const double after = 1 - km->steps[j].survival;

        largest = fmax(largest, fmax(fabs(after - at), fabs(at - before)));
        before = after;
    }
    return largest;
}

static double log_f(double log_s)
{
    return log(fmax(LEAST_P, -expm1(log_s)));
}

static double log_1_f(double log_s)
{
    return fmax(log(LEAST_1_P), log_s);
}

/* -n - sum (2 i - 1)/n [ln F(x_i) + ln(1 - F(x_{n+1-i}))]. The factors of equal values
 * add up to differences of squares of ranks. */
static double complete_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const double n = (double) durations->num_values;
    double sum = 0, below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double log_s = law_log_survival(law, durations->groups[j].value_s);
        const double count = (double) durations->groups[j].num_deaths;
        const double above = below + count;

        sum += count * ((below + above) * log_f(log_s) + (2 * n - below - above) * log_1_f(log_s));
        below = above;
    }
    return -n - sum / n;
}

/* Antiderivative of (c - F)^2/(F (1 - F)), F_n = c, at the F with ln(1 - F) = log_s. */
static double antiderivative(double c, double log_s)
{
    const double left = 1 - c;
    double value = expm1(fmax(log(LEAST_1_P), log_s));

    if (c > 0) {
        value += c * c * log_f(log_s);
    }
    if (left > 0) {
        value -= left * left * log_1_f(log_s);
    }
    return value;
}

static double censored_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double sum = 0, c = 0, from = 0;

    for (size_t j = 0; j < km->num_steps; j++) {
        const double to = law_log_survival(law, km->steps[j].time);

        sum += antiderivative(c, to) - antiderivative(c, from);
        c = 1 - km->steps[j].survival;
        from = to;
    }
    return (double) durations->num_values * sum;
}

double spot_fit_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    if (durations->tick_s > 0) {
        return (double) NAN;
    }
    return durations->num_complete == durations->num_values ? complete_ad(durations, law)
                                                            : censored_ad(durations, law);
}

/* ---- How each family is fitted ---- */

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Width of a start if all values are equal. */
#define LEAST_STD_LOG 1e-3

/* Bracket of a Weibull shape. */
#define LEAST_SHAPE 0.02
#define LARGEST_SHAPE 50

static size_t copy_starts(const double (*from)[MAX_K], size_t num_starts, double (*starts)[MAX_K])
{
    memcpy(starts, from, num_starts * sizeof(*starts));
    return num_starts;
}

static size_t exponential_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = log(durations->mean_s);
    return 1;
}

/* On ticks the law is geometric, one Bernoulli draw per tick. If all values end in the
 * first tick, the mean is unknown, only far below the tick. */
static bool exponential_exact(const spot_fit_durations_t *durations, double *theta)
{
    const double num_complete = (double) durations->num_complete;
    double p_end;

    if (durations->tick_s == 0) {
        theta[0] = log(durations->sum_s / num_complete);
        return true;
    }
    if (!durations->is_on_ticks) {
        return false;
    }
    p_end = fmin(num_complete / round(durations->sum_s / durations->tick_s), 1 - 0x1p-53);
    theta[0] = log(-durations->tick_s / log1p(-p_end));
    return true;
}

static size_t weibull_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = starts[1][0] = log(durations->mean_s);
    starts[0][1] = 0;
    starts[1][1] = -0.5;
    return 2;
}

/* Sums of t^b and of t^b ln t, t in units of the largest value: no power overflows. */
static void weibull_sums(
    const spot_fit_durations_t *durations, double shape, double *sum, double *sum_log)
{
    const double log_max = log(durations->max_s);

    *sum = *sum_log = 0;
    for (size_t j = 0; j < durations->num_groups; j++) {
        const spot_duration_t *group = &durations->groups[j];
        const double log_ratio = group->log_value - log_max;
        const double power =
            (double) (group->num_deaths + group->num_censored) * exp(shape * log_ratio);

        *sum += power;
        *sum_log += power * log_ratio;
    }
}

static double weibull_score(double shape, void *context)
{
    const spot_fit_durations_t *durations = *(const spot_fit_durations_t **) context;
    double sum, sum_log;

    weibull_sums(durations, shape, &sum, &sum_log);
    return sum_log / sum - 1 / shape - (durations->mean_log_complete - log(durations->max_s));
}

static bool weibull_exact(const spot_fit_durations_t *durations, double *theta)
{
    double shape, sum, sum_log;

    if (durations->tick_s > 0 ||
        !spot_root_find(weibull_score, &durations, LEAST_SHAPE, LARGEST_SHAPE, &shape)) {
        return false;
    }
    weibull_sums(durations, shape, &sum, &sum_log);
    theta[0] = log(durations->max_s) + log(sum / (double) durations->num_complete) / shape;
    theta[1] = log(shape);
    return true;
}

static size_t gamma_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = 0;
    starts[0][1] = log(durations->mean_s);
    starts[1][0] = -0.7;
    starts[1][1] = log(2 * durations->mean_s);
    return 2;
}

/* ln a - psi(a) - (ln mean - mean ln) */
static double gamma_score(double log_shape, void *context)
{
    const double *excess = context, shape = exp(log_shape);
    gsl_sf_result psi;

    return gsl_sf_psi_e(shape, &psi) == 0 ? log_shape - psi.val - *excess : (double) NAN;
}

/* 1/(2 a) < ln a - psi(a) < 1/a brackets the root: Alzer, Math. Comp. 66, 1997. */
static bool gamma_exact(const spot_fit_durations_t *durations, double *theta)
{
    double excess = log(durations->mean_s) - durations->mean_log;

    if (durations->tick_s > 0 || durations->num_complete < durations->num_values || !(excess > 0) ||
        !spot_root_find(gamma_score, &excess, -log(2 * excess), -log(excess), &theta[0])) {
        return false;
    }
    theta[1] = log(durations->mean_s) - theta[0];
    return true;
}

static size_t lognormal_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = durations->mean_log;
    starts[0][1] = log(durations->std_log + LEAST_STD_LOG);
    return 1;
}

static bool lognormal_exact(const spot_fit_durations_t *durations, double *theta)
{
    if (durations->tick_s > 0 || durations->num_complete < durations->num_values) {
        return false;
    }
    theta[0] = durations->mean_log;
    theta[1] = log(durations->std_log);
    return true;
}

static size_t loglogistic_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = durations->mean_log;
    starts[0][1] = log(1.8 / (durations->std_log + LEAST_STD_LOG));
    return 1;
}

static size_t hyperexp2_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    /* logit p1, mu1 and mu2 over the mean */
    static const double ratios[][MAX_K] = {
        {0, 0.2, 1.8}, {1.5, 0.4, 3}, {-1.5, 0.05, 1.2}, {2.5, 0.6, 8}};
    const size_t num_starts = copy_starts(ratios, 4, starts);

    for (size_t j = 0; j < num_starts; j++) {
        starts[j][1] = log(ratios[j][1] * durations->mean_s);
        starts[j][2] = log(ratios[j][2] * durations->mean_s);
    }
    return num_starts;
}

static size_t bathtub_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    static const double times_s[][MAX_K] = {
        {0, 3600, 3600}, {0, 7200, 1000}, {1, 14400, 1800}, {3, 14400, 7200}};
    const size_t num_starts = copy_starts(times_s, 4, starts);

    (void) durations;
    for (size_t j = 0; j < num_starts; j++) {
        starts[j][1] = log(times_s[j][1]);
        starts[j][2] = log(times_s[j][2]);
    }
    return num_starts;
}

static const fit_family_t fit_families[] = {
    {&spot_family_exponential, {SPOT_FIT_SCALE_LOG}, exponential_starts, exponential_exact},
    {&spot_family_weibull, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, weibull_starts, weibull_exact},
    {&spot_family_gamma, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, gamma_starts, gamma_exact},
    {&spot_family_lognormal, {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, lognormal_starts,
        lognormal_exact},
    {&spot_family_loglogistic, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, loglogistic_starts, NULL},
    {&spot_family_hyperexp2, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG},
        hyperexp2_starts, NULL},
    {&spot_family_bathtub, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG},
        bathtub_starts, NULL},
};

/* The row of a family, or NULL if it cannot be fitted. */
static const fit_family_t *fit_family_find(const spot_family_t *family)
{
    for (size_t j = 0; j < sizeof(fit_families) / sizeof(fit_families[0]); j++) {
        if (fit_families[j].family == family) {
            return &fit_families[j];
        }
    }
    return NULL;
}

/* Sets the parameters of a law from theta; its settings stay unchanged. */
static void fit_family_law(const fit_family_t *self, const double *theta, double *parameters)
{
    for (int j = 0; j < self->family->num_parameters; j++) {
        switch (self->scales[j]) {
            case SPOT_FIT_SCALE_PLAIN:
                parameters[j] = theta[j];
                break;
            case SPOT_FIT_SCALE_LOG:
                parameters[j] = exp(theta[j]);
                break;
            case SPOT_FIT_SCALE_LOGIT:
                parameters[j] = 1 / (1 + exp(-theta[j]));
                break;
        }
    }
}

/* ---- Fits and rankings ---- */

void spot_fit_note(spot_fit_t *fit, unsigned flags, const char *format, ...)
{
    const size_t used = strlen(fit->note);
    char words[SPOT_FIT_NOTE_BYTES];
    va_list arguments;

    fit->flags |= flags;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    snprintf(fit->note + used, sizeof(fit->note) - used, "%s%s", used > 0 ? "; " : "", words);
}

/* Ratio up to which two means are the same; number of means per tick from which on the
 * likelihood is flat; share that is 0, or from the other side 1. */
#define SAME_MEANS 1.001
#define TICKS_PER_FLAT_MEAN 20
#define LEAST_SHARE 1e-6

enum { SHARE, FIRST, SECOND }; /* parameters of hyperexp2 and bathtub */

typedef struct {
    const fit_family_t *family;
    spot_fit_durations_t *durations;
    spot_law_t law;
} context_t;

static double log_likelihood(const double *theta, void *context)
{
    context_t *self = context;

    fit_family_law(self->family, theta, self->law.parameters);
    return spot_fit_durations_log_likelihood(self->durations, &self->law);
}

void spot_fit_clear(spot_fit_t *fit)
{
    fit->is_fitted = fit->converged = false;
    fit->log_likelihood = fit->aic = fit->bic = fit->ks = fit->ad = (double) NAN;
    fit->implied_mean_s = fit->implied_cv = fit->mean_ratio = (double) NAN;
    fit->p_value = (double) NAN;
    for (int j = 0; j < SPOT_LAW_MAX_PARAMETERS; j++) {
        fit->law.parameters[j] = fit->standard_errors[j] = (double) NAN;
    }
}

static void start_fit(spot_fit_t *fit, const spot_fit_durations_t *durations,
    const spot_family_t *family, double limit_s)
{
    *fit = (spot_fit_t){.name = family->name,
        .family = family,
        .num_values = durations->num_values,
        .num_complete = durations->num_complete,
        .tick_s = durations->tick_s,
        .law = {.family = family}};
    spot_fit_clear(fit);
    for (int j = family->num_parameters; j < SPOT_LAW_MAX_PARAMETERS; j++) {
        fit->law.parameters[j] = limit_s;
    }
    if (durations->num_raised > 0) {
        spot_fit_note(
            fit, SPOT_FIT_RAISED, "%zu values of 0 s count as one tick", durations->num_raised);
    }
}

/* Whether the values allow the limit; notes why not. */
static bool can_have_limit(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    const double limit_s = fit->law.parameters[fit->family->num_parameters];

    if (!(limit_s > 0) || !isfinite(limit_s)) {
        spot_fit_note(fit, SPOT_FIT_NO_LIMIT, "no limit of the life is given: no fit");
        return false;
    }
    if (durations->max_s > limit_s) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT, "%.10g s is beyond the limit of %.10g s: no fit",
            durations->max_s, limit_s);
        return false;
    }
    if (durations->max_s == limit_s &&
        durations->groups[durations->num_groups - 1].num_censored > 0) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT,
            "a value was censored at the limit of %.10g s, which is to say beyond it: "
            "no fit",
            limit_s);
        return false;
    }
    if (durations->max_s == limit_s && !(durations->tick_s > 0)) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT,
            "a value is at the limit of %.10g s, where the likelihood is infinite: no "
            "fit, expected a limit beyond it",
            limit_s);
        return false;
    }
    return true;
}

/* Whether the sample allows a fit; notes why not. */
static bool can_fit(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    if (durations->num_values < 2) {
        spot_fit_note(fit, SPOT_FIT_TOO_FEW, "fewer than 2 values: no fit");
        return false;
    }
    if (durations->num_complete == 0) {
        spot_fit_note(
            fit, SPOT_FIT_TOO_FEW, "all values are censored, no life was seen to its end: no fit");
        return false;
    }
    if (durations->is_one_value && fit->family != &spot_family_exponential) {
        spot_fit_note(fit, SPOT_FIT_DEGENERATE, "degenerate: %s: no fit but the exponential",
            durations->groups[0].value_s <= durations->tick_s * (1 + FIT_ON_TICK)
                ? "all complete values are in the first tick"
                : "all complete values are equal");
        return false;
    }
    return fit->family->num_settings == 0 || can_have_limit(fit, durations);
}

/* Puts the smaller mean of hyperexp2 first; the other order is the same law. */
static void order_means(context_t *context, spot_maximum_t *maximum)
{
    double *theta = maximum->theta;
    const double first = theta[FIRST];

    if (context->family->family != &spot_family_hyperexp2 || first <= theta[SECOND]) {
        return;
    }
    theta[SHARE] = -theta[SHARE];
    theta[FIRST] = theta[SECOND];
    theta[SECOND] = first;
    spot_maximum_differentiate(maximum, log_likelihood, context);
}

static void find_maximum(
    spot_maximiser_t *maximiser, context_t *context, spot_fit_t *fit, spot_maximum_t *maximum)
{
    double starts[SPOT_FIT_MAX_STARTS][MAX_K] = {{0}};
    const size_t k = (size_t) fit->family->num_parameters;

    memset(maximum, 0, sizeof(*maximum));
    maximum->num_parameters = k;
    fit->is_exact = context->family->exact != NULL &&
                    context->family->exact(context->durations, maximum->theta);
    if (fit->is_exact) {
        spot_maximum_differentiate(maximum, log_likelihood, context);
        maximum->converged = true;
        return;
    }
    const size_t num_starts = context->family->starts(context->durations, starts);

    spot_maximise(maximiser, k, num_starts, (const double(*)[MAX_K]) starts, log_likelihood,
        context, maximum);
    order_means(context, maximum);
}

/* Notes that a mixture is at a boundary. */
static void note_mixture(spot_fit_t *fit)
{
    const double *p = fit->law.parameters;
    const bool is_bathtub = fit->family == &spot_family_bathtub;
    const char *share = is_bathtub ? "w" : "p1";

    if (!is_bathtub && p[SECOND] < p[FIRST] * SAME_MEANS) {
        fit->arbitrary = 1u << SHARE;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "degenerate: mu1 = mu2 and p1 is arbitrary");
    } else if (p[SHARE] > 1 - LEAST_SHARE) {
        fit->arbitrary = 1u << SECOND;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "boundary: %s = 1 and %s is arbitrary", share,
            is_bathtub ? "tau2" : "mu2");
    } else if (p[SHARE] < LEAST_SHARE) {
        fit->arbitrary = 1u << FIRST;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "boundary: %s = 0 and %s is arbitrary", share,
            is_bathtub ? "tau1" : "mu1");
    } else if (!is_bathtub && p[FIRST] * TICKS_PER_FLAT_MEAN < fit->tick_s) {
        fit->arbitrary = 1u << FIRST;
        spot_fit_note(fit, SPOT_FIT_FLAT, "flat: mu1 is far below the tick, its value arbitrary");
    }
}

static void note_doubts(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    if (fit->family == &spot_family_hyperexp2 || fit->family == &spot_family_bathtub) {
        note_mixture(fit);
    }
    if (fit->family == &spot_family_exponential && durations->is_one_value) {
        if (durations->max_s > durations->tick_s * (1 + FIT_ON_TICK)) {
            spot_fit_note(fit, SPOT_FIT_DEGENERATE, "degenerate: all complete values are equal");
        } else {
            fit->arbitrary = 1u;
            spot_fit_note(fit, SPOT_FIT_DEGENERATE | SPOT_FIT_ARBITRARY,
                "degenerate: all complete values are in the first tick, the mean is "
                "unknown");
        }
    }
    if (!fit->converged) {
        spot_fit_note(fit, SPOT_FIT_NOT_CONVERGED,
            "not converged: the likelihood has no maximum that could be found");
    }
}

/* Notes a parameter on which the likelihood no longer depends, e.g. the time constant of
 * a part that has become uniform. */
static void note_flat(spot_fit_t *fit, const spot_maximum_t *maximum)
{
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        if (spot_maximum_is_flat_in(maximum, j)) {
            fit->arbitrary |= 1u << j;
            spot_fit_note(fit, SPOT_FIT_ARBITRARY,
                "flat: %s is arbitrary, the likelihood does not depend on it",
                fit->family->fields[j].name);
        }
    }
}

/* Standard errors by the delta method; none if a parameter does not matter. */
static void estimate_errors(
    spot_fit_t *fit, const fit_family_t *family, const spot_maximum_t *maximum)
{
    double covariance[MAX_K][MAX_K];

    if ((fit->flags & SPOT_FIT_NOT_COMPARABLE) == 0) {
        note_flat(fit, maximum);
    }
    if ((fit->flags & SPOT_FIT_NOT_COMPARABLE) != 0 || !fit->converged ||
        !spot_maximum_covariance(maximum, covariance)) {
        spot_fit_note(fit, SPOT_FIT_NO_ERRORS, "no standard errors");
        return;
    }
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        fit->standard_errors[j] =
            sqrt(covariance[j][j]) *
            fabs(spot_fit_scale_slope(family->scales[j], fit->law.parameters[j]));
    }
}

/* Whether the mean is arbitrary: only if the last parameter is. The mean of a mixture
 * does not change with the others. */
static bool is_mean_arbitrary(const spot_fit_t *fit)
{
    const unsigned last = 1u << (fit->family->num_parameters - 1);

    return (fit->arbitrary & last) != 0;
}

static void judge(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    const double k = fit->family->num_parameters;

    fit->aic = 2 * k - 2 * fit->log_likelihood;
    fit->bic = k * log((double) durations->num_complete) - 2 * fit->log_likelihood;
    fit->ks = spot_fit_ks(durations, &fit->law);
    fit->ad = spot_fit_ad(durations, &fit->law);
    fit->implied_mean_s = fit->family->moment(fit->law.parameters, 1);
    fit->implied_cv = spot_law_cv(&fit->law);
    fit->mean_ratio = fit->implied_mean_s / durations->mean_s;
    fit->is_mean_exact = fit->family->keeps_mean;
    if (is_mean_arbitrary(fit)) {
        fit->implied_mean_s = fit->implied_cv = fit->mean_ratio = (double) NAN;
        fit->is_mean_exact = false;
    }
}

void spot_fit_law(spot_maximiser_t *maximiser, spot_fit_durations_t *durations,
    const spot_family_t *family, double limit_s, spot_fit_t *fit)
{
    context_t context = {.family = fit_family_find(family), .durations = durations};
    spot_maximum_t maximum;

    spot_bug_assert(context.family != NULL);
    start_fit(fit, durations, family, limit_s);
    if (!can_fit(fit, durations)) {
        return;
    }
    context.law = fit->law;
    find_maximum(maximiser, &context, fit, &maximum);
    fit->num_evaluations = maximum.num_evaluations;
    fit->converged = maximum.converged;
    fit->log_likelihood = maximum.log_likelihood;
    fit->is_fitted = true;
    fit_family_law(context.family, maximum.theta, fit->law.parameters);
    note_doubts(fit, durations);
    estimate_errors(fit, context.family, &maximum);
    judge(fit, durations);
}

bool spot_fit_has_family(const spot_family_t *family)
{
    return fit_family_find(family) != NULL;
}

static bool is_before(const spot_fit_t *fit, const spot_fit_t *other)
{
    return fit->is_fitted != other->is_fitted ? fit->is_fitted : fit->aic < other->aic;
}

/* Stable insertion; there are seven families at most. */
static void insert(spot_fit_ranking_t *self, const spot_fit_t *fit)
{
    size_t place = self->num_fits++;

    spot_bug_assert(place < SPOT_FIT_MAX_FAMILIES);
    for (; place > 0 && is_before(fit, &self->fits[place - 1]); place--) {
        self->fits[place] = self->fits[place - 1];
    }
    self->fits[place] = *fit;
}

void spot_fit_rank(spot_fit_ranking_t *self, spot_maximiser_t *maximiser,
    spot_fit_durations_t *durations, const spot_family_t *const *families, double limit_s)
{
    const spot_family_t *const *chosen = families != NULL ? families : spot_families;

    self->num_fits = 0;
    self->best_id = self->best_mean_id = -1;
    for (size_t j = 0; chosen[j] != NULL; j++) {
        spot_fit_t fit;

        if (families == NULL &&
            (!spot_fit_has_family(chosen[j]) || (chosen[j]->num_settings > 0 && !(limit_s > 0)))) {
            continue;
        }
        spot_fit_law(maximiser, durations, chosen[j], limit_s, &fit);
        insert(self, &fit);
    }
    for (int j = (int) self->num_fits - 1; j >= 0; j--) {
        if (self->fits[j].is_fitted && self->fits[j].converged) {
            self->best_id = j;
            self->best_mean_id = self->fits[j].is_mean_exact ? j : self->best_mean_id;
        }
    }
}

/* The reason for no p-value, "" if the fit already has a note of it, or NULL. */
static const char *obstacle(const spot_fit_t *fit)
{
    if (!fit->is_fitted || !fit->converged) {
        return "";
    }
    if (fit->tick_s > 0) {
        return "no p-value: ticks have no Anderson-Darling distance, only --likelihood "
               "continuous has";
    }
    if (fit->num_complete < fit->num_values) {
        return "no p-value: what the censored values would have become is not known";
    }
    return NULL;
}

/* A draw rounded up as the recorder sees it. If that reaches the limit of the law, where
 * the likelihood does not exist, the draw stays unrounded. */
static double draw(const spot_law_t *law, double resolution_s, spot_rng_t *rng)
{
    const double value_s = law->family->draw(law->parameters, rng);
    const double seen_s = fmax(1, ceil(value_s / resolution_s - FIT_ON_TICK)) * resolution_s;
    const double limit_s = law->family->num_settings > 0
                               ? law->parameters[law->family->num_parameters]
                               : (double) INFINITY;

    return fmin(seen_s < limit_s ? seen_s : value_s, FIT_LONGEST_S);
}

/* Sets ad to AD*; INFINITY if the drawn values cannot be fitted. */
static int run_round(spot_maximiser_t *maximiser, const spot_fit_t *fit, double resolution_s,
    spot_rng_t *rng, double *values, double *ad)
{
    const double limit_s = fit->law.parameters[fit->family->num_parameters];
    spot_fit_durations_t durations;
    spot_fit_t again;
    int error;

    for (size_t j = 0; j < fit->num_values; j++) {
        values[j] = draw(&fit->law, resolution_s, rng);
    }
    error = spot_fit_durations_init(&durations, values, NULL, fit->num_values, 0, resolution_s);
    if (error == 0) {
        spot_fit_law(maximiser, &durations, fit->family, limit_s, &again);
        *ad = again.is_fitted ? again.ad : (double) INFINITY;
    }
    spot_fit_durations_free(&durations);
    return error;
}

int spot_fit_bootstrap(const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit)
{
    const char *reason = obstacle(fit);
    double *values;
    int num_as_bad = 0, error = 0;
    spot_rng_t rng;

    spot_bug_assert(self->num_rounds >= 1 && self->resolution_s > 0);
    fit->p_value = (double) NAN;
    if (reason != NULL) {
        if (reason[0] != '\0') {
            spot_fit_note(fit, SPOT_FIT_NO_P_VALUE, "%s", reason);
        }
        return 0;
    }
    values = spot_calloc(fit->num_values, sizeof(*values));
    if (values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int j = 0; j < self->num_rounds && error == 0; j++) {
        double ad = (double) NAN;

        spot_rng_seek(&rng, self->seed, self->replication, SPOT_STREAM_BOOTSTRAP, (uint64_t) j);
        error = spot_watch_is_stopped(&self->watch)
                    ? SPOT_ERR_INTERRUPTED
                    : run_round(maximiser, fit, self->resolution_s, &rng, values, &ad);
        num_as_bad += ad >= fit->ad ? 1 : 0;
        if (error == 0) {
            spot_watch_report(&self->watch, j + 1, self->num_rounds);
        }
    }
    free(values);
    if (error == 0) {
        fit->p_value = (1.0 + num_as_bad) / (self->num_rounds + 1.0);
    }
    return error;
}

/* ---- Lives that end at a wall ---- */

/* Mean / limit above which a truncated exponential law equals the uniform one within the
 * precision of a double. */
#define UNIFORM 1e6

/* Conditions of a wall. */
#define WALL_MIN_DEATHS 10
#define WALL_SHARE 0.1
#define WALL_WIDTH 0.1 /* of its time */
#define WALL_DENSITY 10
#define STRAY_GAPS 5 /* in mean gaps */
#define OUTLIERS 50  /* one in this many deaths may come later */

void spot_fit_cut(spot_fit_cut_t *self, spot_sample_t *sample, double cut_s)
{
    spot_moments_t moments = {0};

    *self = (spot_fit_cut_t){.cut_s = cut_s};
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!(sample->values[j] >= cut_s)) {
            continue;
        }
        if (!sample->is_censored[j]) {
            const double overrun_s = sample->values[j] - cut_s;

            spot_moments_add(&moments, overrun_s);
            self->max_s = fmax(self->max_s, overrun_s);
            self->num_deaths++;
        }
        sample->values[j] = cut_s;
        sample->is_censored[j] = true;
    }
    self->mean_s = self->num_deaths > 0 ? spot_moments_mean(&moments) : 0;
}

typedef struct {
    double mean_s;
    double limit_s;
} overrun_t;

/* Mean of TE(tau; [0, L]) - observed mean; it rises with ln tau. TE is a bathtub with
 * early deaths only. */
static double mean_equation(double log_tau, void *context)
{
    const overrun_t *self = context;
    const double bathtub[] = {1, exp(log_tau), 1, self->limit_s};

    return spot_family_bathtub.moment(bathtub, 1) - self->mean_s;
}

static double overrun_mean_s(overrun_t *self)
{
    const double high = log(self->limit_s * UNIFORM);
    double log_tau;

    return spot_root_find(mean_equation, self, log(self->mean_s), high, &log_tau) ? exp(log_tau)
                                                                                  : exp(high);
}

/* Rounds up to two significant digits. */
static double rounded_up(double value)
{
    const double unit = pow(10, floor(log10(value)) - 1);

    return fmax(value, ceil(value / unit) * unit);
}

void spot_fit_deadline(spot_law_t *law, const spot_law_t *lognormal, const spot_fit_cut_t *cut)
{
    overrun_t overrun = {.mean_s = cut->mean_s};

    *law = (spot_law_t){.family = &spot_family_deadline,
        .parameters = {lognormal->parameters[0], lognormal->parameters[1],
            cut->num_deaths > 0 ? cut->cut_s : (double) INFINITY, 1, 0}};
    if (cut->max_s > 0) {
        overrun.limit_s = rounded_up(cut->max_s);
        law->parameters[3] = overrun_mean_s(&overrun);
        law->parameters[4] = overrun.limit_s;
    }
}

/* The largest of the usual units that has a multiple in (low, high], else high. */
static double roundest(double low, double high)
{
    static const double units[] = {86400, 3600, 600, 60, 10, 1};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        const double time_s = floor(high / units[j]) * units[j];

        if (time_s > low) {
            return time_s;
        }
    }
    return high;
}

/* Index of the death at which the density jumps: there the distribution function is
 * furthest below the straight line to the last death. */
static size_t find_knee(const double *deaths, size_t num_deaths, double last_s)
{
    double furthest = 0;
    size_t knee = 0;

    for (size_t j = 0; j < num_deaths && deaths[j] <= last_s; j++) {
        const double below = deaths[j] / last_s - (double) j / (double) num_deaths;

        if (below > furthest) {
            furthest = below;
            knee = j;
        }
    }
    /* Skip stray deaths: the gap after one is wider than the gaps of the wall. */
    while (knee + 1 < num_deaths &&
           (deaths[knee + 1] - deaths[knee]) * (double) (num_deaths - knee - 1) >
               STRAY_GAPS * (last_s - deaths[knee + 1])) {
        knee++;
    }
    return knee;
}

int spot_fit_find_wall(spot_fit_wall_t *self, const spot_sample_t *sample)
{
    double *deaths = spot_calloc(sample->num_values, sizeof(*deaths));
    double time_s, last_s, density, density_before;
    size_t num_deaths = 0, knee;

    memset(self, 0, sizeof(*self));
    if (deaths == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!sample->is_censored[j]) {
            deaths[num_deaths++] = sample->values[j];
        }
    }
    if (num_deaths < WALL_MIN_DEATHS) {
        goto out;
    }
    spot_sort(deaths, num_deaths);
    last_s = deaths[num_deaths - 1 - num_deaths / OUTLIERS];
    knee = find_knee(deaths, num_deaths, last_s);
    time_s = roundest(knee > 0 ? deaths[knee - 1] : 0, deaths[knee]);
    density = (double) (num_deaths - knee) / (last_s - time_s);
    density_before = (double) knee / time_s;
    if (knee > 0 && num_deaths - knee >= WALL_MIN_DEATHS &&
        (double) (num_deaths - knee) >= WALL_SHARE * (double) num_deaths &&
        last_s - time_s <= WALL_WIDTH * time_s && density > WALL_DENSITY * density_before) {
        *self = (spot_fit_wall_t){.time_s = time_s,
            .last_s = last_s,
            .num_deaths = num_deaths - knee,
            .num_before = knee};
    }
out:
    free(deaths);
    return 0;
}
