/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that read the model file of a loader have in common. */
#pragma once

#include "cli/command.h"
#include "sim/input/scenario.h"

/* What options say in place of keys. */
typedef struct {
    const char *model_path;
    spot_option_list_t sets;
    int64_t compute_ns;     /* -1: not given */
    int64_t batch, samples; /* 0: not given */
} spot_input_request_t;

/* Their rows; request is a member of arguments_t. */
#define SPOT_INPUT_OPTIONS                                                                         \
    SPOT_OPTION(OWN, "compute", 0, "TIME", request.compute_ns,                                     \
        "Time of a batch in the training loop, in place of the key compute",                       \
        .example = "\"0.1 s\"", .settle = spot_input_take_time),                                   \
        SPOT_OPTION(COUNT, "batch", 0, "N", request.batch,                                         \
            "Samples of a batch, in place of the key batch", .min = 1),                            \
        SPOT_OPTION(COUNT, "samples", 0, "N", request.samples,                                     \
            "Samples of an epoch, in place of the key samples", .min = 1),                         \
        SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", request.sets,                                    \
            "Set a key of the model file; may be given several times",                             \
            .example = "input.loader.processes=4")
void spot_input_take_time(spot_call_t *call, const spot_option_t *option, const char *text);

/* Reads the model file, and what options say, into a scenario with samples and compute.
 * BAD_INPUT, IO with the reasons in the call, NO_MEMORY. */
SPOT_MUST_CHECK int spot_input_open(
    spot_input_scenario_t *scenario, spot_call_t *call, const spot_input_request_t *request);

/* Warns of settings outside the range that the model was fitted to. */
void spot_input_warn(
    const spot_input_scenario_t *scenario, spot_call_t *call, const char *model_path);
