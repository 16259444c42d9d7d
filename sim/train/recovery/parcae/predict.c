/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/predict.h"

#include <math.h>

/* phi: the share of a change that recurs in the next one. */
static double persistence(const int32_t *counts, int32_t num_counts)
{
    double squares = 0, products = 0;

    for (int32_t j = 2; j < num_counts; j++) {
        const double before = (double) counts[j - 1] - counts[j - 2];

        squares += before * before;
        products += before * ((double) counts[j] - counts[j - 1]);
    }
    return squares == 0 ? 0 : fmax(-1, fmin(products / squares, 1));
}

static int64_t clip(int64_t value, int64_t min, int64_t max)
{
    const int64_t raised = value < min ? min : value;

    return raised > max ? max : raised;
}

int32_t spot_parcae_forecast(const int32_t *counts, int32_t num_counts,
    const spot_parcae_limits_t *limits, int32_t *forecasts, int32_t num_forecasts)
{
    const double phi = persistence(counts, num_counts);
    double count = counts[num_counts - 1];
    double change = num_counts < 2 ? 0 : count - counts[num_counts - 2];
    int32_t num_clipped = 0;

    for (int32_t j = 0; j < num_forecasts; j++) {
        int64_t rounded, clipped;

        change *= phi;
        count += change;
        rounded = llround(count);
        clipped = clip(rounded, limits->min, limits->max);
        if (j > 0) {
            clipped = clip(clipped, forecasts[0] - limits->range, forecasts[0] + limits->range);
        }
        num_clipped += clipped != rounded;
        forecasts[j] = (int32_t) clipped;
    }
    return num_clipped;
}
