/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random stream for each of many slots, with four bytes per slot: its position in the
 * stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/laws/law.h"

typedef struct {
    spot_dice_t dice;
    spot_stream_t purpose;
    const spot_law_t *law;
    uint32_t *num_used; /* [num_slots] numbers drawn so far */
    spot_rng_t rng;
} spot_slot_dice_t;

/* Gives slot s the stream (purpose, first_entity + s). num_used, [num_slots], and law
 * must outlive self. O(slots). */
void spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice,
    spot_stream_t purpose, const spot_law_t *law, uint32_t *num_used, int64_t num_slots);

/* Draws the next value of the law for a slot, in s. */
double spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot);
