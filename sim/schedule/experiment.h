/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling engine as the bench sees it. */
#pragma once

#include "sim/bench/engine/experiment.h"

extern const spot_experiment_t spot_schedule_experiment;

/* What `spotsim advise` may choose. advice.c */
extern const spot_advice_t spot_schedule_advice;
