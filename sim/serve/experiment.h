/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine "serve" for the bench. */
#pragma once

#include "sim/bench/engine/experiment.h"

extern const spot_experiment_t spot_serve_experiment;

/* Its verbs. */
extern const struct spot_verb spot_verb_serve_plan, spot_verb_serve_rate, spot_verb_serve_frontier,
    spot_verb_serve_check, spot_verb_serve_compare, spot_verb_serve_gen, spot_verb_serve_fit;
