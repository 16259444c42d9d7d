/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of a run: spot instances by zone, instances on demand, and services. */
#pragma once

#include "sim/train/train.h"

/* Makes the meters of self. NO_MEMORY; spot_train_free() frees them. */
SPOT_MUST_CHECK int spot_cost_init(spot_train_t *self);

/* Starts the meters of a run if there is not one price for all: the initial instances
 * cost from time 0 on. */
void spot_cost_start(spot_train_t *self);

/* From self->now_ms on adds num_more paid instances (-1: one less) for each of the count
 * slots. slots NULL: the slots 0 ... count - 1. */
SPOT_NOINLINE void spot_cost_pay(
    spot_train_t *self, const int32_t *slots, int32_t count, int num_more);

/* At the end of the run: sets cost_usd of its result. */
void spot_cost_settle(spot_train_t *self);
