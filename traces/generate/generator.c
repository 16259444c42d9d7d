/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/generator.h"

const spot_generator_t *const spot_generators[] = {
    &spot_generator_seed,
    &spot_generator_mrp,
    &spot_generator_block,
    &spot_generator_replay,
    &spot_generator_lifetimes,
    &spot_generator_chance,
    &spot_generator_zones,
    NULL,
};

const spot_generator_members_t *
spot_generator_members(const spot_generator_t *self)
{
    static const spot_generator_members_t none = {0};

    return self->members == NULL ? &none : self->members;
}

const spot_generator_population_t *
spot_generator_population(const spot_generator_t *self)
{
    static const spot_generator_population_t none = {0};

    return self->population == NULL ? &none : self->population;
}
