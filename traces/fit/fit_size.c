/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Tails below this are left out of AD, where the term would be 0 / 0. */
#define SMALL_TAIL 1e-9

/* Relative difference up to which a mean is that of the sample. */
#define EXACT_MEAN 1e-9

static int compare_cells(const void *left, const void *right)
{
    const spot_size_cell_t *a = left, *b = right;

    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return (a->limit > b->limit) - (a->limit < b->limit);
}

/* Merges equal cells; they are sorted and hold one event each. */
static void merge_cells(spot_size_sample_t *self)
{
    size_t num_cells = 0;

    for (size_t j = 0; j < self->num_cells; j++) {
        if (num_cells > 0 && compare_cells(&self->cells[num_cells - 1], &self->cells[j]) == 0) {
            self->cells[num_cells - 1].weight++;
        } else {
            self->cells[num_cells++] = self->cells[j];
        }
    }
    self->num_cells = num_cells;
}

int spot_size_sample_init(
    spot_size_sample_t *self, size_t num_values, const double *values, const int32_t *limits)
{
    spot_moments_t moments = {0};

    memset(self, 0, sizeof(*self));
    self->cells = spot_calloc(num_values, sizeof(*self->cells));
    if (self->cells == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->has_limits = self->is_all = limits != NULL && num_values > 0;
    for (size_t j = 0; j < num_values; j++) {
        const double limit = limits != NULL ? limits[j] : INT32_MAX;

        if (!(values[j] >= 1 && values[j] <= limit && values[j] == rint(values[j]))) {
            return SPOT_ERR_BAD_PARAM;
        }
        self->cells[j] = (spot_size_cell_t){(int32_t) values[j], limits != NULL ? limits[j] : 0, 1};
        self->is_all = self->is_all && values[j] == limit;
        spot_moments_add(&moments, values[j]);
    }
    self->num_events = (double) num_values;
    self->num_cells = num_values;
    self->mean = spot_moments_mean(&moments);
    self->std = spot_moments_std(&moments);
    if (num_values > 0) {
        qsort(self->cells, num_values, sizeof(*self->cells), compare_cells);
        self->min = self->cells[0].size;
        self->max = self->cells[num_values - 1].size;
        merge_cells(self);
    }
    return 0;
}

int spot_size_sample_of_trace(
    spot_size_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    spot_sample_t values = {0};
    int ret = spot_sample_init(&values, trace, kind);

    ret = ret == 0 ? spot_size_sample_init(self, values.num_values, values.values, values.limits)
                   : ret;
    spot_sample_free(&values);
    return ret;
}

void spot_size_sample_free(spot_size_sample_t *self)
{
    free(self->cells);
    memset(self, 0, sizeof(*self));
}

bool spot_size_family_fits(const spot_size_family_table_t *family, const spot_size_sample_t *sample)
{
    if (family == &spot_size_seed_mixture) {
        return sample->max > SPOT_SIZE_REGULAR_MAX;
    }
    return sample->has_limits || !family->is_given_limit;
}

double spot_size_scaled(spot_fit_scale_t scale, double parameter)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return log(parameter);
        case SPOT_FIT_SCALE_LOGIT:
            return log(parameter) - log1p(-parameter);
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return parameter;
}

double spot_size_unscaled(spot_fit_scale_t scale, double theta)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return exp(theta);
        case SPOT_FIT_SCALE_LOGIT:
            return theta < 0 ? exp(theta) / (1 + exp(theta)) : 1 / (1 + exp(-theta));
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return theta;
}

double spot_size_log_likelihood(const spot_size_family_table_t *family, const double *parameters,
    const spot_size_sample_t *sample)
{
    spot_sum_t sum = {0};

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];
        double value = family->log_probability(parameters, cell->size, cell->limit);

        if (family == &spot_size_seed_mixture) {
            value = fmax(value, SPOT_SIZE_LOG_FLOOR);
        }
        if (!isfinite(value)) {
            return (double) -INFINITY;
        }
        spot_sum_add(&sum, cell->weight * value);
    }
    return spot_sum_total(&sum);
}

/* Context of a search; theta are the free parameters on their scales. */
typedef struct {
    const spot_size_family_table_t *family;
    const spot_size_sample_t *sample;
    size_t num_free;
    const size_t *free_ids;
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1];
} target_t;

static double log_likelihood_at(const double *theta, void *context)
{
    target_t *target = context;

    for (size_t j = 0; j < target->num_free; j++) {
        const size_t id = target->free_ids[j];

        target->parameters[id] = spot_size_unscaled(target->family->scales[id], theta[j]);
    }
    return spot_size_log_likelihood(target->family, target->parameters, target->sample);
}

double spot_size_maximise(
    const spot_size_search_t *search, const spot_size_sample_t *sample, spot_fit_t *fit)
{
    target_t target = {.family = fit->size_family,
        .sample = sample,
        .num_free = search->num_free,
        .free_ids = search->free_ids};
    spot_maximum_t maximum;

    memcpy(target.parameters, search->parameters, sizeof(target.parameters));
    spot_maximise(fit->maximiser, search->num_free, search->num_starts, search->starts,
        log_likelihood_at, &target, &maximum);
    memcpy(fit->law.parameters, search->parameters, sizeof(search->parameters));
    for (size_t j = 0; j < search->num_free; j++) {
        const size_t id = search->free_ids[j];

        fit->law.parameters[id] =
            spot_size_unscaled(fit->size_family->scales[id], maximum.theta[j]);
    }
    fit->converged = maximum.converged;
    return maximum.log_likelihood;
}

/* Whether a parameter is not at a boundary of its scale. */
static bool is_inside(spot_fit_scale_t scale, double parameter)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return parameter > 0 && isfinite(parameter);
        case SPOT_FIT_SCALE_LOGIT:
            return parameter > 0 && parameter < 1;
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return true;
}

/* Standard errors from the curvature of the likelihood in the parameters inside their
 * scales; those at a boundary count as known. */
static void fill_std_errors(spot_fit_t *self, const spot_size_sample_t *sample)
{
    size_t free_ids[SPOT_SIZE_MAX_PARAMETERS];
    target_t target = {
        .family = self->size_family, .sample = sample, .num_free = 0, .free_ids = free_ids};
    spot_maximum_t maximum = {.num_parameters = 0};
    double covariance[MAX_K][MAX_K];

    memcpy(target.parameters, self->law.parameters, sizeof(target.parameters));
    for (int j = 0; j < self->size_family->num_parameters; j++) {
        const bool is_centre =
            self->size_family == &spot_size_absnormal_mle && j == 0 && self->law.parameters[j] == 0;

        if (!is_centre && is_inside(self->size_family->scales[j], self->law.parameters[j])) {
            maximum.theta[target.num_free] =
                spot_size_scaled(self->size_family->scales[j], self->law.parameters[j]);
            free_ids[target.num_free++] = (size_t) j;
        }
    }
    maximum.num_parameters = target.num_free;
    if (target.num_free == 0) {
        return;
    }
    spot_maximum_differentiate(&maximum, log_likelihood_at, &target);
    if (!spot_maximum_covariance(&maximum, covariance)) {
        return;
    }
    for (size_t j = 0; j < target.num_free; j++) {
        const size_t id = free_ids[j];

        self->standard_errors[id] =
            spot_fit_scale_slope(self->size_family->scales[id], self->law.parameters[id]) *
            sqrt(covariance[j][j]);
    }
}

/* Discrete Kolmogorov-Smirnov and Anderson-Darling over the sizes up to the largest:
 * Choulakian, Lockhart, Stephens, Can. J. Statist. 22(1), 1994. */
static void fill_distances(spot_fit_t *self, const spot_size_sample_t *sample)
{
    const double n = sample->num_events;
    double observed = 0, expected = 0;
    size_t j = 0;

    self->ks = self->ad = 0;
    for (int32_t size = 1; size <= sample->max; size++) {
        const double p = exp(self->size_family->log_probability(self->law.parameters, size, 0));

        for (; j < sample->num_cells && sample->cells[j].size == size; j++) {
            observed += sample->cells[j].weight;
        }
        expected += p;
        self->ks = fmax(self->ks, fabs(observed / n - expected));
        if (expected >= SMALL_TAIL && 1 - expected >= SMALL_TAIL) {
            const double z = observed - n * expected;

            self->ad += z * z * p / (expected * (1 - expected)) / n;
        }
    }
}

static double implied_mean(const spot_fit_t *self, const spot_size_sample_t *sample)
{
    double sum = 0;

    if (self->size_family->mean != NULL) {
        return self->size_family->mean(self->law.parameters);
    }
    for (size_t j = 0; j < sample->num_cells; j++) {
        sum += sample->cells[j].weight * spot_size_mean_given(self->size_family,
                                             self->law.parameters, sample->cells[j].limit);
    }
    return sum / sample->num_events;
}

static void note_shape(spot_fit_t *self, const spot_size_sample_t *sample)
{
    const char *shape = sample->max == 1 ? "all sizes are 1"
                        : sample->is_all && self->size_family->is_given_limit
                            ? "every event takes all"
                        : sample->min == sample->max && self->size_family->num_parameters > 1
                            ? "all sizes are equal"
                            : NULL;

    if (shape != NULL) {
        spot_fit_note(self, SPOT_FIT_DEGENERATE, "degenerate: %s", shape);
    }
}

/* Marks parameters that do not matter: those of the other part beside a share of 1, and
 * r of a negative binomial law with p = 1. */
static void mark_arbitrary(spot_fit_t *self)
{
    const spot_size_family_table_t *family = self->size_family;
    const double *p = self->law.parameters;

    if (family == &spot_size_all_or_geometric && p[0] == 1) {
        self->arbitrary = 1u << 1;
    } else if (family == &spot_size_seed_mixture && p[0] == 1) {
        self->arbitrary = 1u << 1 | 1u << 2;
    } else if (family == &spot_size_truncated_negbin && p[1] == 1 && isfinite(p[0])) {
        self->arbitrary = 1u << 0;
    }
}

static void note_impossible(spot_fit_t *self, const spot_size_sample_t *sample)
{
    for (size_t j = 0; j < sample->num_cells; j++) {
        if (self->size_family == &spot_size_seed_mixture &&
            !(self->size_family->log_probability(self->law.parameters, sample->cells[j].size, 0) >
                SPOT_SIZE_LOG_FLOOR)) {
            spot_fit_note(self, 0, "logL uses a floor of 1e-300 per impossible count");
            return;
        }
    }
}

void spot_fit_size(spot_fit_t *self, const spot_size_family_table_t *family,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser)
{
    const int k = family->num_parameters;

    memset(self, 0, sizeof(*self));
    spot_fit_clear(self);
    self->name = family->name;
    self->size_family = family;
    self->num_values = self->num_complete = (size_t) sample->num_events;
    self->maximiser = maximiser;
    if (sample->num_events < 2) {
        spot_fit_note(self, 0, "fewer than 2 events: no fit");
        return;
    }
    self->is_fitted = self->converged = true;
    family->estimate(sample, self);
    if (!self->is_fitted) {
        spot_fit_clear(self);
        return;
    }
    self->log_likelihood = spot_size_log_likelihood(family, self->law.parameters, sample);
    self->aic = 2 * k - 2 * self->log_likelihood;
    self->bic = k * log(sample->num_events) - 2 * self->log_likelihood;
    self->converged = self->converged && isfinite(self->log_likelihood);
    self->mean_ratio = implied_mean(self, sample) / sample->mean;
    self->is_mean_exact = fabs(self->mean_ratio - 1) <= EXACT_MEAN;
    if (!family->is_by_moments) {
        fill_std_errors(self, sample);
    }
    if (!family->is_given_limit) {
        fill_distances(self, sample);
    }
    mark_arbitrary(self);
    note_shape(self, sample);
    note_impossible(self, sample);
}
