/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training as an experiment; sim/engines.c lists it. */
#pragma once

#include "sim/bench/engine/experiment.h"

extern const spot_experiment_t spot_train_experiment;
