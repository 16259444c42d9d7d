/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario takes in memory by the numbers that it names: jobs, nodes, lines of progress and
 * samples. Each is refused where it stands, before anything starts, if it takes more than
 * spot_memory_limit(). */
#pragma once

#include "sim/schedule/scenario.h"

/* Checks a run, of which a thread that runs replications has one; root: the document of the
 * scenario. BAD_INPUT with the reasons in diag. */
SPOT_MUST_CHECK int spot_schedule_check_memory(
    const spot_schedule_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);

/* The same of a run whose series are kept. The kinds of the series must be there. */
SPOT_MUST_CHECK int spot_schedule_check_recording(
    const void *scenario, const spot_node_t *root, spot_diag_t *diag);
