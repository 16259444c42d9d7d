/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/additive_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const spot_loss_names[] = {"squared", "absolute", NULL};

/* The first j with value <= up_to[j]. */
static size_t
number_bin(const spot_additive_feature_t *self, double value)
{
    size_t first = 0, last = self->num_bins - 1;

    while (first < last) {
        const size_t middle = first + (last - first) / 2;

        if (value <= self->up_to[middle]) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return first;
}

size_t
spot_additive_bin(const spot_additive_feature_t *self, double value)
{
    const size_t last = self->num_bins - 1;

    if (self->has_categories) {
        return value >= 0 && value < (double) last ? (size_t) value : last;
    }
    return isnan(value) ? 0 : number_bin(self, value);
}

double
spot_additive_predict(const spot_additive_model_t *self, const double *values)
{
    double sum = self->base;

    for (size_t j = 0; j < self->num_features; j++) {
        sum +=
            self->features[j].scores[spot_additive_bin(&self->features[j], values[j])];
    }
    return sum > 0 ? sum : 0;
}

double
spot_additive_importance(const spot_additive_feature_t *self)
{
    double sum = 0;
    int64_t num_rows = 0;

    for (size_t k = 0; k < self->num_bins; k++) {
        sum += (double) self->rows[k] * fabs(self->scores[k]);
        num_rows += self->rows[k];
    }
    return num_rows == 0 ? 0 : sum / (double) num_rows;
}

double
spot_additive_importance_of(const spot_additive_model_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_features; j++) {
        if (strcmp(self->features[j].name, name) == 0) {
            return spot_additive_importance(&self->features[j]);
        }
    }
    return 0;
}

int32_t
spot_additive_category(const spot_additive_feature_t *self, const char *name)
{
    for (size_t k = 0; self->categories != NULL && k + 1 < self->num_bins; k++) {
        if (strcmp(self->categories[k], name) == 0) {
            return (int32_t) k;
        }
    }
    return -1;
}

static void
feature_free(spot_additive_feature_t *self)
{
    for (size_t k = 0; self->categories != NULL && k + 1 < self->num_bins; k++) {
        free(self->categories[k]);
    }
    free(self->name);
    free(self->up_to);
    free(self->categories);
    free(self->rows);
    free(self->scores);
}

void
spot_additive_free(spot_additive_model_t *self)
{
    for (size_t j = 0; self->features != NULL && j < self->num_features; j++) {
        feature_free(&self->features[j]);
    }
    free(self->features);
    memset(self, 0, sizeof(*self));
}

void
spot_additive_verify(const spot_additive_model_t *self)
{
    spot_bug_assert(isfinite(self->base));
    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        spot_bug_assert(feature->name != NULL && feature->num_bins >= 1);
        spot_bug_assert(feature->has_categories || feature->categories == NULL);
        for (size_t k = 0; k < feature->num_bins; k++) {
            spot_bug_assert(isfinite(feature->scores[k]) && feature->rows[k] >= 0);
            spot_bug_assert(feature->has_categories || k == 0 ||
                            k + 1 == feature->num_bins ||
                            feature->up_to[k - 1] < feature->up_to[k]);
        }
    }
}
