/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine "serve" for the bench. */
#pragma once

#include "sim/bench/engine/experiment.h"

extern const spot_experiment_t spot_serve_experiment;
