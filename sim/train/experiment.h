/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training as an experiment; sim/engines.c lists it. */
#pragma once

#include "sim/bench/engine/experiment.h"
#include "sim/bench/engine/metric.h"

/* Based on Okabe and Ito, "Color Universal Design" (2008), safe for colour blindness. */
extern const spot_colour_t spot_train_colours[];

extern const spot_experiment_t spot_train_experiment;

/* Its verbs, and `trace generate`, which stands with those of traces. */
extern const struct spot_verb spot_verb_profile, spot_verb_theory_checkpoint, spot_verb_model_fit,
    spot_verb_model_estimate, spot_verb_model_presets, spot_verb_trace_generate;
