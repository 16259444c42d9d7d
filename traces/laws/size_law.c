/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/laws/size_law.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

const char spot_size_family_expected[] =
    "one of {normal: {mean: 2.4, std: 2.1}}, {moments: {mean: 2.4, std: 2.1}}, "
    "{geometric: {p: 0.4}}, {negbin: {r: 0.7, p: 0.3}} or {fixed: 3}";

typedef spot_size_family_parameters_t parameters_t;

#define PARAMETER(parameter_name, member, low, high)                                               \
    {                                                                                              \
        .name = (parameter_name), .type = SPOT_FIELD_NUMBER,                                       \
        .offset = offsetof(parameters_t, member), .min = (low), .max = (high)                      \
    }

/* The smallest positive probability that a parameter may take. */
#define TINY 1e-9

static const spot_field_t normal_fields[] = {
    PARAMETER("mean", a, -1e6, 1e6),
    PARAMETER("std", b, 0, 1e6),
    {.name = NULL},
};
static const spot_field_t moments_fields[] = {
    PARAMETER("mean", a, 1, 1e6),
    PARAMETER("std", b, 0, 1e6),
    {.name = NULL},
};
static const spot_field_t geometric_fields[] = {
    PARAMETER("p", a, TINY, 1),
    {.name = NULL},
};
static const spot_field_t negbin_fields[] = {
    PARAMETER("r", a, TINY, 1e9),
    PARAMETER("p", b, TINY, 1),
    {.name = NULL},
};

#define LAW_FORM(law_name, law_fields)                                                             \
    {                                                                                              \
        .name = (law_name), .type = SPOT_FIELD_MAP, .fields = (law_fields)                         \
    }

const spot_field_t spot_size_family_forms[] = {
    [SPOT_SIZE_NORMAL] = LAW_FORM("normal", normal_fields),
    [SPOT_SIZE_MOMENTS] = LAW_FORM("moments", moments_fields),
    [SPOT_SIZE_GEOMETRIC] = LAW_FORM("geometric", geometric_fields),
    [SPOT_SIZE_NEGBIN] = LAW_FORM("negbin", negbin_fields),
    [SPOT_SIZE_FIXED] = {.name = "fixed",
        .type = SPOT_FIELD_INTEGER,
        .offset = SPOT_NOWHERE,
        .min = 1,
        .max = SPOT_MAX_INSTANCES},
    {.name = NULL},
};

_Static_assert(sizeof(spot_size_family_t) == sizeof(int), "a form is kept as an int");

/* Warns if the law cannot have the standard deviation given: no law of this family has a
 * smaller variance than 1 + Poisson. */
static void warn_of_other_std(
    spot_bind_t *bind, const char *name, const spot_node_t *node, const parameters_t *parameters)
{
    const double used = sqrt(fmax(0, parameters->a - 1));

    if (parameters->family == SPOT_SIZE_MOMENTS && parameters->a >= 1 &&
        (parameters->b < used * (1 - 1e-6) || (used == 0 && parameters->b > 0))) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%s%s.moments: the standard deviation is %.6g, not %.6g: the law (1 + "
            "Poisson) has no other with this mean",
            bind->path, name, used, parameters->b);
    }
}

void spot_size_family_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    parameters_t *self = target;

    if (self->family == SPOT_SIZE_FIXED) {
        self->a = strtod(node->children[0]->text, NULL);
    }
    warn_of_other_std(bind, field->name, node, self);
}

_Static_assert(offsetof(spot_size_big_t, high) == offsetof(spot_size_big_t, low) + sizeof(int64_t),
    "a range is bound in place");

static const spot_field_t size_item = {
    .type = SPOT_FIELD_INTEGER, .min = 1, .max = SPOT_MAX_INSTANCES};

static void check_range(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const int64_t *range = target;

    if (range[0] > range[1]) {
        spot_bind_error(bind, node, field->name, "the smallest size is above the largest");
    }
}

const spot_field_t spot_size_big_fields[] = {
    {SPOT_RANGE(NUMBER, "probability", spot_size_big_t, probability, 0, 1, NULL,
        "probability of a big event", "probability that an event is big")},
    {.name = "range",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_size_big_t, low),
        .is_in_place = true,
        .item = &size_item,
        .item_size = sizeof(int64_t),
        .min = 2,
        .max = 2,
        .settle = check_range,
        .expected = "two sizes such as [11, 31]",
        .help = "smallest and largest number of instances of a big event, all equally "
                "likely"},
    {.name = NULL},
};

/* Relative excess of the variance below which the law is Poisson: the incomplete beta
 * function with r near infinity is all rounding error, and the two laws agree to eight
 * digits. */
#define NEAR_POISSON 1e-8

/* P(size <= k) of events that are not big. */
static double cumulative_of_family(const parameters_t *parameters, double k)
{
    const double a = parameters->a, b = parameters->b;
    double excess, variance;

    switch (parameters->family) {
        case SPOT_SIZE_NORMAL:
            if (b == 0) {
                return k >= fmax(1, fabs(round(a))) ? 1 : 0;
            }
            return gsl_cdf_gaussian_P(k + 0.5 - a, b) - gsl_cdf_gaussian_P(-k - 0.5 - a, b);
        case SPOT_SIZE_MOMENTS:
            excess = a - 1;
            variance = b * b;
            if (excess == 0) {
                return 1;
            }
            if (variance - excess <= NEAR_POISSON * excess) {
                return gsl_cdf_poisson_P((unsigned) k - 1, excess);
            }
            return gsl_cdf_negative_binomial_P(
                (unsigned) k - 1, excess / variance, excess * excess / (variance - excess));
        case SPOT_SIZE_GEOMETRIC:
            return -expm1(k * log1p(-a));
        case SPOT_SIZE_NEGBIN:
            return b == 1 ? 1 : gsl_cdf_negative_binomial_P((unsigned) k - 1, b, a);
        case SPOT_SIZE_FIXED:
            break;
    }
    return k >= a ? 1 : 0;
}

static double cumulative_of_big(const spot_size_big_t *big, double k)
{
    const double low = (double) big->low, high = (double) big->high;

    if (k < low) {
        return 0;
    }
    return k >= high ? 1 : (k - low + 1) / (high - low + 1);
}

/* Enough guides that a draw hardly ever takes a step. */
#define MIN_GUIDES ((size_t) 256)

/* u may be slightly below j/num_guides although u * num_guides rounds up to j. */
#define MARGIN 0x1p-50

/* Fills the guide table of Chen and Asau (AIIE Transactions 6(2), 1974). */
static int init_guides(spot_size_law_t *self)
{
    const size_t most = self->num_sizes > MIN_GUIDES ? self->num_sizes : MIN_GUIDES;
    const double num_guides = (double) most;
    size_t size_id = 0;

    self->num_guides = most;
    self->guides = spot_calloc(self->num_guides, sizeof(*self->guides));
    if (self->guides == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_guides; j++) {
        while (self->cumulative[size_id] <= (double) j / num_guides * (1 - MARGIN)) {
            size_id++;
        }
        self->guides[j] = (uint32_t) size_id;
    }
    return 0;
}

int spot_size_law_init(spot_size_law_t *self, const parameters_t *parameters,
    const spot_size_big_t *big, int64_t max_size)
{
    size_t max_sizes = 0;
    double cumulative = 0;

    memset(self, 0, sizeof(*self));
    while (cumulative < 1 - 0x1p-53 && (int64_t) self->num_sizes < max_size) {
        const double k = (double) self->num_sizes + 1;

        if (spot_array_reserve(&self->cumulative, &max_sizes, self->num_sizes + 1,
                sizeof(*self->cumulative)) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        cumulative = fmax(cumulative, (1 - big->probability) * cumulative_of_family(parameters, k) +
                                          big->probability * cumulative_of_big(big, k));
        self->cumulative[self->num_sizes++] = cumulative;
    }
    self->cumulative[self->num_sizes - 1] = 1;
    return init_guides(self);
}

int spot_size_law_copy(spot_size_law_t *self, const spot_size_law_t *other)
{
    *self = *other;
    self->cumulative = spot_calloc(other->num_sizes, sizeof(*self->cumulative));
    self->guides = spot_calloc(other->num_guides, sizeof(*self->guides));
    if (self->cumulative == NULL || self->guides == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(self->cumulative, other->cumulative, other->num_sizes * sizeof(*self->cumulative));
    memcpy(self->guides, other->guides, other->num_guides * sizeof(*self->guides));
    return 0;
}

void spot_size_law_free(spot_size_law_t *self)
{
    free(self->cumulative);
    free(self->guides);
    memset(self, 0, sizeof(*self));
}

int32_t spot_size_law_draw(const spot_size_law_t *self, spot_rng_t *rng)
{
    return spot_size_law_invert(self, spot_rng_uniform(rng));
}

int32_t spot_size_law_invert(const spot_size_law_t *self, double u)
{
    /* Signed, as processors convert signed numbers faster. */
    size_t size_id = self->guides[(int64_t) (u * (double) (int64_t) self->num_guides)];

    while (self->cumulative[size_id] <= u) {
        size_id++;
    }
    return (int32_t) size_id + 1;
}

double spot_size_law_p_rounded_to_0(
    const spot_size_law_t *self, const parameters_t *parameters, const spot_size_big_t *big)
{
    const double mean = parameters->a, std = parameters->b, p_one = self->cumulative[0];
    double p_zero;

    if (parameters->family != SPOT_SIZE_NORMAL || p_one == 0) {
        return 0;
    }
    if (std == 0) {
        p_zero = fabs(round(mean)) < 1;
    } else {
        p_zero = gsl_cdf_gaussian_P(0.5 - mean, std) - gsl_cdf_gaussian_P(-0.5 - mean, std);
    }
    return fmin(1, (1 - big->probability) * p_zero / p_one);
}

/* ---- Trials up to the first success ---- */

/* Bits of a number: the first ones are the cell, the next ones the place in it. */
#define NUMBER_DIGITS 53
#define CELL_DIGITS 9
#define PLACE_DIGITS 32
#define REST_DIGITS (NUMBER_DIGITS - CELL_DIGITS - PLACE_DIGITS)

#define NUM_PLACES (UINT64_C(1) << PLACE_DIGITS)

/* Of a place that the inverse gives, in places. */
#define ROUNDING 0.05

_Static_assert(1 << CELL_DIGITS == SPOT_TRIAL_CELLS, "the first digits are the cell");

/* The number of failures for a number. It is infinite or NAN if p is 0. 1 - u is exact;
 * it is 0 only after the last number, so that the last cell keeps the formula. */
static int64_t count_failures(const spot_trial_law_t *self, uint64_t number)
{
    const double u = (double) number * 0x1p-53;
    const double num_failures = log(1 - u) * self->failures_per_log;

    return num_failures < (double) SPOT_TRIALS_NEVER ? (int64_t) num_failures
                                                     : SPOT_TRIALS_NEVER - 1;
}

/* The first number at a place of a cell, place <= 2^32. */
static uint64_t number_at(uint64_t cell_id, uint64_t place)
{
    return ((cell_id << PLACE_DIGITS) + place) << REST_DIGITS;
}

/* Finds the place of a cell at which there is one failure more; only numbers at this
 * place need the logarithm. The inverse gives the place up to rounding, which is far
 * less than a place; where that is in doubt, bisection does the rest. */
static uint32_t find_limit(const spot_trial_law_t *self, uint64_t cell_id, int64_t num_failures)
{
    const double u = -expm1((double) (num_failures + 1) / self->failures_per_log);
    const double place = (u * SPOT_TRIAL_CELLS - (double) cell_id) * (double) NUM_PLACES;
    const bool is_inside = place > 1 && place < (double) NUM_PLACES - 1;
    uint64_t low = is_inside ? (uint64_t) (place - ROUNDING) : 0;
    uint64_t high = is_inside ? (uint64_t) (place + ROUNDING) + 1 : NUM_PLACES;

    low = count_failures(self, number_at(cell_id, low)) == num_failures ? low : 0;
    high = count_failures(self, number_at(cell_id, high)) > num_failures ? high : NUM_PLACES;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;

        if (count_failures(self, number_at(cell_id, middle)) == num_failures) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t) low;
}

void spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p)
{
    int64_t first, next;

    self->failures_per_log = num_trials / log1p(-p);
    next = count_failures(self, 0);
    for (uint64_t j = 0; j < SPOT_TRIAL_CELLS; j++) {
        spot_trial_cell_t *cell = &self->cells[j];

        first = next;
        next = count_failures(self, number_at(j + 1, 0));
        cell->num_failures = UINT32_MAX;
        cell->limit = UINT32_MAX;
        if (next <= first + 1 && next < UINT32_MAX) {
            cell->num_failures = (uint32_t) first;
        }
        if (next == first + 1) {
            cell->limit = find_limit(self, j, first);
        }
    }
}

int64_t spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number)
{
    const spot_trial_cell_t *cell = &self->cells[number >> (PLACE_DIGITS + REST_DIGITS)];
    const uint32_t place = (uint32_t) (number >> REST_DIGITS);

    if (cell->num_failures == UINT32_MAX || place == cell->limit) {
        return 1 + count_failures(self, number);
    }
    return 1 + (int64_t) cell->num_failures + (place > cell->limit);
}
