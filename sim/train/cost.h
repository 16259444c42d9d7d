/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run costs: meters of the instances by zone, on demand, and services. */
#ifndef SPOT_SIM_TRAIN_COST_H
#define SPOT_SIM_TRAIN_COST_H

#include "sim/train/train.h"

/* NO_MEMORY; spot_train_free() frees. */
SPOT_MUST_CHECK int spot_cost_init(spot_train_t *self);

/* For a run that starts, where there is not one price for all: the initial instances are
 * paid for from time 0. */
void spot_cost_start(spot_train_t *self);

/* From now on num_more instances are paid for each of count slots; NULL: the first
 * ones. */
SPOT_NOINLINE void spot_cost_pay(
    spot_train_t *self, const int32_t *slots, int32_t count, int num_more);

/* At the end of the run: in USD, to its result. */
void spot_cost_settle(spot_train_t *self);

#endif
