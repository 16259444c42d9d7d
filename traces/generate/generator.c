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
