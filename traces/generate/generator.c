/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/generator.h"

const spot_generator_t *const spot_generators[] = {
    &spot_generator_seed,
    &spot_generator_mrp,
    &spot_generator_block,
    &spot_generator_replay,
    &spot_generator_lifetimes,
    NULL,
};

size_t
spot_generator_state_bytes(const spot_generator_t *self, const void *model)
{
    return self->state_size + (self->more_state == NULL ? 0 : self->more_state(model));
}
