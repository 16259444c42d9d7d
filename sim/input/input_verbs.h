/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim input predict, search, place, and the model file of a loader as they read it. */
#pragma once

#include "base/verb/verb.h"
#include "sim/input/scenario.h"

/* What options say in place of keys. */
typedef struct {
    const char *model_path;
    spot_option_list_t sets;
    int64_t compute_ns;     /* -1: not given */
    int64_t batch, samples; /* 0: not given */
} spot_input_request_t;

/* Reads the model file, and what options say, into a scenario with samples and compute.
 * BAD_INPUT, IO with the reasons in the call, NO_MEMORY. */
SPOT_MUST_CHECK int spot_input_open(
    spot_input_scenario_t *scenario, spot_call_t *call, const spot_input_request_t *request);
