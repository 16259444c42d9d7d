/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/additive_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const spot_loss_names[] = {"squared", "absolute", NULL};

size_t
spot_additive_bin(const spot_additive_feature_t *self, double value)
{
    size_t first = 0, last = self->num_bins - 1;

    if (self->has_categories) {
        return value >= 0 && value < (double) last ? (size_t) value : last;
    }
    while (first < last) {
        const size_t middle = first + (last - first) / 2;

        if (value > self->bins[middle].up_to) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

double
spot_additive_predict(const spot_additive_model_t *self, const double *values)
{
    double sum = self->base;

    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        sum += feature->bins[spot_additive_bin(feature, values[j])].score;
    }
    return sum > 0 ? sum : 0;
}

double
spot_additive_importance(const spot_additive_feature_t *self)
{
    double sum = 0;
    int64_t num_rows = 0;

    for (size_t k = 0; k < self->num_bins; k++) {
        sum += (double) self->bins[k].num_rows * fabs(self->bins[k].score);
        num_rows += self->bins[k].num_rows;
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

void
spot_additive_free(spot_additive_model_t *self)
{
    for (size_t j = 0; j < self->num_features; j++) {
        free(self->features[j].bins);
    }
    free(self->features);
    spot_arena_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

void
spot_additive_verify(const spot_additive_model_t *self)
{
    spot_bug_assert(isfinite(self->base));
    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        spot_bug_assert(feature->name != NULL && feature->num_bins >= 1);
        for (size_t k = 0; k < feature->num_bins; k++) {
            const spot_additive_bin_t *bin = &feature->bins[k];

            spot_bug_assert(isfinite(bin->score) && bin->num_rows >= 0);
            spot_bug_assert(feature->has_categories || k == 0 ||
                            feature->bins[k - 1].up_to < bin->up_to);
        }
    }
}
