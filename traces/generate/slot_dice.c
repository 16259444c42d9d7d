/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/slot_dice.h"

#include <string.h>

void
spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice,
    spot_stream_t purpose, const spot_law_t *law, uint32_t *num_used, int64_t num_slots)
{
    self->dice = *dice;
    self->purpose = purpose;
    self->law = law;
    self->num_used = num_used;
    memset(num_used, 0, sizeof(*num_used) * (size_t) num_slots);
}

double
spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot)
{
    double value_s;

    spot_rng_seek(&self->rng, self->dice.seed, self->dice.replication, self->purpose,
        self->dice.first_entity + (uint64_t) slot);
    spot_rng_skip_to(&self->rng, self->num_used[slot]);
    value_s = self->law->family->draw(self->law->parameters, &self->rng);
    self->num_used[slot] = (uint32_t) spot_rng_position(&self->rng);
    return value_s;
}
