/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain scenarios: structs that begin with their outputs and own no memory, so that
 * free() frees them. Most engines need no others. */
#pragma once

#include "sim/bench/engine/experiment.h"

/* Allocates *scenario with num_bytes, zeroed, copies outputs to its head and binds it by
 * its fields. A metric may have an integer field in its name, "busy.server-{servers}":
 * it stands for busy.server-0, busy.server-1 and so on, as many as the field says.
 * BAD_INPUT with the reasons in diag, NO_MEMORY; free *scenario even then. */
SPOT_MUST_CHECK int spot_plain_bind(void **scenario, size_t num_bytes, const spot_field_t *fields,
    const spot_outputs_t *outputs, const spot_node_t *root, spot_diag_t *diag);

/* The function of the engine's table that returns the outputs. */
const spot_outputs_t *spot_plain_outputs(const void *scenario);
