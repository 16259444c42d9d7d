/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of engines. A new one is one line of engines.c. */
#pragma once

#include "sim/bench/engine/experiment.h"

/* The engine of a scenario without the key engine. */
#define SPOT_DEFAULT_ENGINE "train"

/* Ends with NULL. */
extern const spot_experiment_t *const spot_engines[];
