/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/given_size.h"

#include <math.h>

/* Below it the geometric law is uniform to the last bit of what can be measured. */
#define LEAST_P 1e-9

static const char *const law_names[] = {"all-or-geometric", NULL};

const spot_field_t spot_given_size_fields[] = {
    {.name = "law",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(spot_given_size_t, law),
        .initial = "all-or-geometric",
        .choices = law_names,
        .help = "law of the size, given how many there are"},
    {.name = "pi_all",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_given_size_t, pi_all),
        .min = 0,
        .max = 1,
        .initial = "0",
        .help = "probability that all go, or come"},
    {.name = "p",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_given_size_t, p),
        .min = 0,
        .max = 1,
        .help = "P(k) ~ (1 - p)^k for k = 1 ... n otherwise; 0: all sizes alike"},
    {.name = NULL},
};

int64_t
spot_given_size_draw(const spot_given_size_t *self, int64_t n, spot_rng_t *rng)
{
    double theta, size;

    if (n == 1) {
        return 1;
    }
    if (self->pi_all > 0 && spot_rng_uniform(rng) < self->pi_all) {
        return n;
    }
    if (self->p < LEAST_P) {
        return 1 + (int64_t) spot_rng_below(rng, (uint64_t) n);
    }
    theta = log1p(-self->p);
    size = ceil(log1p(spot_rng_uniform(rng) * expm1((double) n * theta)) / theta);
    return size > (double) n ? n : size > 1 ? (int64_t) size : 1;
}
