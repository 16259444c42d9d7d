/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario takes in memory by the numbers that it names: queries, slots and outages. Each is
 * refused where it stands, before anything starts, if it takes more than spot_memory_limit(). */
#pragma once

#include "sim/serve/scenario.h"

/* Checks a run; root: the document of the scenario. BAD_INPUT with the reasons in diag. */
SPOT_MUST_CHECK int spot_serve_check_memory(
    const spot_serve_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);

/* The same of a run whose series are kept. The kinds of the series must be there. */
SPOT_MUST_CHECK int spot_serve_check_recording(
    const void *scenario, const spot_node_t *root, spot_diag_t *diag);

/* The same of a planner beside the queries. */
SPOT_MUST_CHECK int spot_serve_check_planning(
    const spot_serve_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);
