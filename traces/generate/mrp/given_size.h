/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of an event given n, the instances that it can take or the room for new ones,
 * by the law all-or-geometric: all n with probability pi_all, else geometric truncated
 * to 1 ... n. */
#pragma once

#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"
#include "base/rng.h"

typedef struct {
    int law; /* 0: all-or-geometric, the only law */
    double pi_all;
    double p;     /* below 1e-9: uniform on 1 ... n */
    double theta; /* ln(1 - p); set by init, like the members below */
    int64_t num_masses;
    double *masses; /* [num_masses] exp(n theta) - 1, -1 for every larger n */
} spot_given_size_t;

/* Fields of a map {law: all-or-geometric, pi_all: NUMBER, p: NUMBER}. */
extern const spot_field_t spot_given_size_fields[];

/* Tabulates the bound law for n up to most, or up to the n with 1 + exp(n theta) = 1.
 * NO_MEMORY; free self even then. O(most). */
SPOT_MUST_CHECK int spot_given_size_init(spot_given_size_t *self, int64_t most);
void spot_given_size_free(spot_given_size_t *self);

/* Draws a size from 1 ... n, 1 <= n <= most. Uses no random number for n = 1, one if
 * pi_all is 0 or the size is all, else two. O(1). */
int64_t spot_given_size_draw(const spot_given_size_t *self, int64_t n, spot_rng_t *rng);
