/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/mrp/given_size.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Below it the geometric law is practically the uniform one. */
#define LEAST_P 1e-9

static const char *const law_names[] = {"all-or-geometric", NULL};

const spot_field_t spot_given_size_fields[] = {
    {SPOT_CHOICE("law", spot_given_size_t, law, law_names, "all-or-geometric",
        "law of the size, given the number n of instances there are")},
    {SPOT_RANGE(NUMBER, "pi_all", spot_given_size_t, pi_all, 0, 1, "0",
        "probability that all go, or come")},
    {SPOT_RANGE(NUMBER, "p", spot_given_size_t, p, 0, 1, NULL,
        "P(k) ~ (1 - p)^k for k = 1 ... n otherwise; 0: all sizes equally likely")},
    {.name = NULL},
};

/* The table saves two thirds of the time of a draw. */
int
spot_given_size_init(spot_given_size_t *self, int64_t most)
{
    self->theta = log1p(-self->p);
    self->num_masses = 0;
    if (self->p >= LEAST_P) {
        const double num_distinct = fmin((double) most, ceil(40 / -self->theta));

        self->num_masses = (int64_t) num_distinct + 1;
    }
    self->masses = spot_calloc((size_t) self->num_masses, sizeof(*self->masses));
    if (self->masses == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t n = 1; n < self->num_masses; n++) {
        self->masses[n] = expm1((double) n * self->theta);
    }
    return 0;
}

void
spot_given_size_free(spot_given_size_t *self)
{
    free(self->masses);
    self->masses = NULL;
}

int64_t
spot_given_size_draw(const spot_given_size_t *self, int64_t n, spot_rng_t *rng)
{
    double mass, size;

    if (n == 1) {
        return 1;
    }
    if (self->pi_all > 0 && spot_rng_uniform(rng) < self->pi_all) {
        return n;
    }
    if (self->p < LEAST_P) {
        return 1 + (int64_t) spot_rng_below(rng, (uint64_t) n);
    }
    mass = n < self->num_masses ? self->masses[n] : -1;
    size = ceil(log1p(spot_rng_uniform(rng) * mass) / self->theta);
    return size > (double) n ? n : size > 1 ? (int64_t) size : 1;
}
