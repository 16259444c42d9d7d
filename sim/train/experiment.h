/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training as an experiment; sim/engines.c lists it. */
#ifndef SPOT_SIM_TRAIN_EXPERIMENT_H
#define SPOT_SIM_TRAIN_EXPERIMENT_H

#include "sim/engine/experiment.h"

extern const spot_experiment_t spot_train_experiment;

#endif
